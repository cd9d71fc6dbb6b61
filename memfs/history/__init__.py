"""git: commits made by plumbing, the audit log in their trailers, cursors, provenance.

Writes and every read on a commit's way go through one hardened subprocess runner (`runner`); what is only
shown to people (diffs, documents of the past, configuration) is read with GitPython (`display`), imported
when first used.
"""

from memfs.history.cursors import choose_cursor, cursor_fits, cursor_note, parse_cursor, render_cursor
from memfs.history.index import IndexEntry
from memfs.history.locks import Child, Lock, child_alive
from memfs.history.messages import CommitMessage, EntryChange, parse_message, render_message
from memfs.history.refs import Head
from memfs.history.repository import Repository, find_top, init_repository, open_repository

__all__ = [
    "Child",
    "CommitMessage",
    "EntryChange",
    "Head",
    "IndexEntry",
    "Lock",
    "Repository",
    "child_alive",
    "choose_cursor",
    "cursor_fits",
    "cursor_note",
    "find_top",
    "init_repository",
    "open_repository",
    "parse_cursor",
    "parse_message",
    "render_cursor",
    "render_message",
]
