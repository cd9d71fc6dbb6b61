"""git: commits made by plumbing, the audit log in their trailers, cursors, provenance.

Writes and every read on a commit's way go through one hardened subprocess runner (`runner`); what is only
shown to people (diffs, documents of the past, configuration) is read with GitPython (`display`), imported
when first used.
"""
