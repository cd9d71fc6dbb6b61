"""What goes into a merge, and what comes out: values only, no files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from memfs.model import Dropped, Evidence

Action = Literal[
    "added",
    "updated",
    "superseded",
    "unchanged",
    "kept",
    "suggested",
    "forgotten",
    "deferred",
    "refused",
    "removed",
]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An identity's memory as it is on disk. Paths are relative to ``memories/<identity>/``.

    ``documents``: path -> text, None for one that does not exist. ``ledgers``: the text of the ledger of each
    document. ``marks``: the text of ``.forgotten``. ``places``: where an id is that is not in the document
    its ledger says (that document is in ``documents`` too). ``outside``: ids found only outside of
    ``memories/<identity>/``. ``deleted_at``: when the person deleted an id that is nowhere. ``deferred``:
    documents that must not be touched now, and why.
    """

    documents: Mapping[str, str | None]
    ledgers: Mapping[str, str] = field(default_factory=dict)
    marks: str = ""
    places: Mapping[str, str] = field(default_factory=dict)
    outside: frozenset[str] = frozenset()
    deleted_at: Mapping[str, datetime] = field(default_factory=dict)
    deferred: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one draft, or of one entry that was asked to change."""

    id: str
    action: Action
    type: str
    document: str
    reason: str | None = None
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class MergeResult:
    """The texts that changed, and only these. ``marks`` is None when they did not.

    A document's text is None when it should be removed: nothing was in it but what an undone merge made.
    ``dropped`` is what changes beside the drafts did not do.
    """

    documents: Mapping[str, str | None]
    ledgers: Mapping[str, str]
    marks: str | None
    outcomes: tuple[Outcome, ...] = ()
    problems: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether any file has to be written."""
        return bool(self.documents or self.ledgers) or self.marks is not None
