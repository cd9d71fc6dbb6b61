"""From proposals to a commit: drafts, snapshots of the documents, and what stands against a merge."""
