"""Parts of a review."""
