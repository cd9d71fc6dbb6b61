"""From transcripts to proposals: what is new, how it is read, and what is kept of it."""
