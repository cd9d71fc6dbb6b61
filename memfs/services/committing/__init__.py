"""How a commit is made safe: its parts, and its recovery."""
