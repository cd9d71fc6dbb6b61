"""Secrets that were taken out of memory, and must not come back by an undo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memfs.errors import InvalidRequest
from memfs.extraction.locating import brings_secrets

if TYPE_CHECKING:
    from memfs.services.commit import Transaction


def require_no_secrets(transaction: Transaction, files: Mapping[str, bytes | None]) -> None:
    """Raise InvalidRequest where new texts hold a secret that the texts of now do not: it was taken out for good."""
    for path, data in files.items():
        if data is None or not is_text(path):
            continue
        for line, kind in brings_secrets(decoded(transaction.read(path)), decoded(data)):
            raise secret_comes_back(kind, path, line)


def secret_comes_back(kind: str, path: str, line: int) -> InvalidRequest:
    """Why something is not undone."""
    return InvalidRequest(
        f"it would bring a secret ({kind}) back into {path}:{line}", hint="git revert does it, if it is meant"
    )


def decoded(data: bytes | None) -> str:
    """A file as text, to look through."""
    return (data or b"").decode("utf-8", "surrogateescape")


def is_text(path: str) -> bool:
    """Whether a file of a commit is a document."""
    return path.endswith(".md") and "/.ledger/" not in path
