"""Exit codes: what a script may rely on. Every error of memfs has one; a test sees to that."""

from __future__ import annotations

from collections.abc import Mapping

from memfs import errors

DONE, OTHER, USAGE, CONFIG, VAULT, BUSY, NOT_FOUND, TRANSCRIPT, EXTRACTION, INDEX, WAITING = range(11)
INTERRUPTED, PIPE_CLOSED = 130, 141

MEANINGS: Mapping[int, str] = {
    DONE: "done; also when there was nothing to do",
    OTHER: "another error of memfs",
    USAGE: "the command makes no sense as given",
    CONFIG: "a setting cannot be used",
    VAULT: "the vault, a file of it or its repository cannot be used",
    BUSY: "busy or locked: try again",
    NOT_FOUND: "no such entry, document or commit",
    TRANSCRIPT: "a transcript cannot be read",
    EXTRACTION: "extraction failed; nothing is lost",
    INDEX: "the search index cannot be used",
    WAITING: "finished, but some work waits or had problems",
    INTERRUPTED: "interrupted",
    PIPE_CLOSED: "the reader of the output went away",
}

EXIT_CODES: Mapping[type[errors.MemfsError], int] = {
    errors.MemfsError: OTHER,
    errors.ConfigError: CONFIG,
    errors.VaultError: VAULT,
    errors.DocumentNotFound: NOT_FOUND,
    errors.DocumentChanged: BUSY,
    errors.InvalidDocument: VAULT,
    errors.UnsafePath: VAULT,
    errors.VaultLocked: BUSY,
    errors.HistoryError: VAULT,
    errors.RepositoryBusy: BUSY,
    errors.CommitNotFound: NOT_FOUND,
    errors.ExtractionError: EXTRACTION,
    errors.ModelUnavailable: EXTRACTION,
    errors.InvalidAnswer: EXTRACTION,
    errors.LeaseLost: BUSY,
    errors.TranscriptError: TRANSCRIPT,
    errors.UnknownFormat: TRANSCRIPT,
    errors.EntryNotFound: NOT_FOUND,
    errors.InvalidRequest: USAGE,
    errors.NotPermitted: USAGE,
    errors.SearchIndexError: INDEX,
}


def exit_code(error: errors.MemfsError) -> int:
    """The code of an error: its class's own, else that of the nearest class above it."""
    return next(EXIT_CODES[kind] for kind in type(error).__mro__ if kind in EXIT_CODES)
