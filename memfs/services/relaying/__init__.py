"""Parts of the relay board, and what an agent that begins is handed."""
