"""Answers about how the vault does."""

from __future__ import annotations

from typing import Any

from memfs.interfaces.answers import Answer


class IdentityStatus(Answer):
    """One identity's work."""

    identity: str
    last_run: str | None
    pending_cursors: int
    tokens_today: int


class SourceStatus(Answer):
    """A source of transcripts."""

    name: str
    path: str
    identity: str | None
    transcripts: int
    unmerged: int
    choice_needed: bool


class SetAside(Answer):
    """A range of a transcript that could not be extracted."""

    identity: str
    source: str
    session: str
    reason: str


class DailyStatus(Answer):
    """How the daily run does; ``status`` is idle, running or error."""

    last_run_at: str | None
    next_run_at: str | None
    status: str
    errors: list[str]


class Status(Answer):
    """How a vault does, and what waits."""

    vault: str
    branch: str | None
    commit: str | None
    busy: str | None
    extractor: str
    when: str
    identities: list[IdentityStatus]
    sources: list[SourceStatus]
    unfinished: bool
    quarantine: list[SetAside]
    locks: list[str]
    warnings: list[str]
    reasons: list[str]
    daily: DailyStatus | None


class Finding(Answer):
    """Something that a check found."""

    level: str
    message: str
    path: str | None
    line: int | None


class Checked(Answer):
    """What a check found."""

    sound: bool
    documents: int
    entries: int
    findings: list[Finding]


class Indexed(Answer):
    """What a rebuild of the index did."""

    indexed: int
    removed: int
    deferred: list[str]
    problems: list[dict[str, str]]
    degraded: str | None


class Identities(Answer):
    """The identities that the caller may use."""

    identities: list[str]


class TypeField(Answer):
    """A field of a memory type."""

    name: str
    type: str
    operator: str
    description: str


class MemoryType(Answer):
    """A memory type."""

    name: str
    description: str
    path: str
    key: list[str]
    fields: list[TypeField]
    stage: str
    mode: str
    enabled: bool
    self_enabled: bool
    peer_enabled: bool


class Types(Answer):
    """The memory types of the vault, and what is wrong with templates."""

    types: list[MemoryType]
    problems: list[str]


class Setting(Answer):
    """One setting with its value now."""

    key: str
    value: Any
    default: Any
    origin: str | None
    allowed: str
    description: str


class Settings(Answer):
    """All settings, and the sources of transcripts."""

    settings: list[Setting]
    sources: list[dict[str, Any]]


class SettingSet(Answer):
    """A setting that was changed, and the file it stands in."""

    key: str
    value: Any
    path: str


class Token(Answer):
    """A token of an identity; ``token`` is told in the moment it is made, and never again."""

    id: str
    identity: str
    name: str
    created: str
    token: str | None


class Tokens(Answer):
    """The tokens of identities."""

    tokens: list[Token]


class Removed(Answer):
    """A token that is worthless now."""

    id: str


class KeptAsIs(Answer):
    """An entry that a review left as it is, and why."""

    id: str
    reason: str


class RefusedOperation(Answer):
    """What a review's model asked for and did not get."""

    type: str
    reason: str


class ReviewTokens(Answer):
    """Tokens of model calls."""

    input: int
    output: int


class IdentityReviewed(Answer):
    """What a review did in one identity."""

    identity: str
    united: int
    superseded: int
    suggested: int
    stale: int
    archived: int
    kept: list[KeptAsIs]
    refused: list[RefusedOperation]
    read: int
    left: int
    tokens: ReviewTokens
    commit: str | None
    waiting: list[str]
    degraded: str | None


class Reviewed(Answer):
    """What a review did, by identity."""

    identities: list[IdentityReviewed]
    problems: list[str]


class FoundSecret(Answer):
    """Where something stands that looks like a secret; never what it is."""

    path: str
    line: int
    kind: str
    by_hand: bool
    commit: str | None
    replaced: bool
    reason: str | None


class Redacted(Answer):
    """Where secrets stand, and which were replaced."""

    files: int
    commit: str | None
    found: list[FoundSecret]
