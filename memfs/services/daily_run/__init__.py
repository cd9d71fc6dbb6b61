"""Parts of the daily run."""
