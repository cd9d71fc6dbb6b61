"""Parts of the archive."""
