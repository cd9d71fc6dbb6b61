"""Parts of recall: the index and its past, conversations, links."""
