"""Every error memfs raises on purpose. One tree; imports nothing.

MemfsError
├── ConfigError            a setting is wrong: file, key
├── VaultError             the files
│   ├── DocumentNotFound   ├── DocumentChanged   ├── InvalidDocument
│   ├── UnsafePath         └── VaultLocked
├── HistoryError           git
│   ├── RepositoryBusy     └── CommitNotFound
├── ExtractionError        making operations from turns
│   ├── ModelUnavailable   ├── InvalidAnswer     └── LeaseLost
├── TranscriptError        reading conversations
│   └── UnknownFormat
├── EntryNotFound          no entry has that id
├── InvalidRequest         the call itself makes no sense as given
├── NotPermitted           the caller may not do this
└── SearchIndexError       the derived index

Expected outcomes (nothing to do, deferred, dropped operation) are values, not errors.
"""

from __future__ import annotations


def extra_hint(extra: str) -> str:
    """What to do where an extra of memfs is missing; as the pages say it, for memfs is installed from its folder."""
    return f"in memfs's folder: pip install '.[{extra}]'"


class MemfsError(Exception):
    """Base of all errors. ``message`` says what happened, ``hint`` what to do next.

    ``path`` and ``line`` (from 1) name the place where there is one.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        line: int | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line
        self.hint = hint

    def __str__(self) -> str:
        place = ""
        if self.path is not None:
            place = f"{self.path}:{self.line}: " if self.line is not None else f"{self.path}: "
        hint = f" ({self.hint})" if self.hint else ""
        return f"{place}{self.message}{hint}"


class ConfigError(MemfsError):
    """A setting cannot be used. ``key`` is its dotted name."""

    def __init__(
        self,
        message: str,
        *,
        key: str | None = None,
        path: str | None = None,
        line: int | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, path=path, line=line, hint=hint)
        self.key = key


class VaultError(MemfsError):
    """Something about the vault's files."""


class DocumentNotFound(VaultError):
    """No such document."""


class DocumentChanged(VaultError):
    """The document is not what it was when it was read."""


class InvalidDocument(VaultError):
    """The document cannot be written safely (not UTF-8, broken frontmatter, conflict markers)."""


class UnsafePath(VaultError):
    """A name or path that could leave the vault or touch a protected folder."""


class VaultLocked(VaultError):
    """Another process holds the vault."""


class HistoryError(MemfsError):
    """Something about the git repository."""


class RepositoryBusy(HistoryError):
    """The repository cannot take a commit now: a lock, a merge or rebase under way, another branch."""


class CommitNotFound(HistoryError):
    """No such commit."""


class ExtractionError(MemfsError):
    """Turns could not be made into operations."""


class ModelUnavailable(ExtractionError):
    """The language model did not answer."""


class InvalidAnswer(ExtractionError):
    """The language model's answer could not be read. ``answer`` is its text, cut to what is worth looking at."""

    def __init__(self, message: str, *, answer: str = "", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.answer = answer[:4000]


class LeaseLost(ExtractionError):
    """Another worker took the identity; nothing was written."""


class TranscriptError(MemfsError):
    """A transcript could not be read."""


class UnknownFormat(TranscriptError):
    """No parser recognises this file."""


class EntryNotFound(MemfsError):
    """No entry has this id."""


class InvalidRequest(MemfsError):
    """The request makes no sense as given (no identity chosen, contradictory options)."""


class NotPermitted(MemfsError):
    """The caller's token does not reach so far: another identity's memory, or what is the owner's alone."""


class SearchIndexError(MemfsError):
    """The derived search index cannot be used; it is rebuilt, never repaired."""
