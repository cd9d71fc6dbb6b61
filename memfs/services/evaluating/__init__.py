"""Parts of an evaluation."""
