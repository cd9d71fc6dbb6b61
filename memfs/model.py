"""The values everyone speaks of, and the glossary.

vault        a git repository of Markdown
identity     one agent role; never a model
peer         another person or agent that an identity talks to
document     one Markdown file; inside memfs named by its path under ``memories/<identity>/``
section      a heading and what is under it
entry        one memory: a list item, or a paragraph that ends in a block id
block id     ``^m-...`` at the end of an entry: its name for life
transcript   a conversation on disk; a *session* is the conversation itself
turn         one message
operation    one change that extraction asks for
merge        operations applied to documents; ends in one commit
ledger       what memfs last wrote, by entry: hash, evidence time, origin
mark         a line in ``.forgotten``: what must not come back
suggestion   memfs's other wording of an entry a person edited, offered as a callout
evidence     the turns that prove an entry; *evidence time* is when the last of them was said
trust        whose words prove an entry: the user's, a peer's, the agent's own, a document's; the least of its sources
cursor       how far a transcript has been merged
trailer      a ``Memfs-...`` line at the end of a commit message
lease, epoch who may work on an identity, and how often that changed hands
intent log   the crash record of a commit under way
baton        a line on the *relay board*, for the next agent
chunk, embedding, hit, score   the terms of search
canonical    Markdown and git; *derived* is what lies under ``.memfs/``
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

Role = Literal["user", "assistant", "participant", "document"]
Origin = Literal["extracted", "hand", "remembered"]
Trust = Literal["user", "peer", "agent", "document"]
FieldValue = str | tuple[str, ...] | int
JOURNAL = "journal"  # what the lines of working memory are called, where entries are called by their type


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call of an assistant turn. ``arguments`` is parsed JSON where it parses, else the raw string."""

    id: str | None
    name: str
    arguments: Any = None
    result: str | None = None
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a turn: its path or name, and its text where the transcript carries it."""

    path: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One message.

    ``timestamp`` is as spec'd for transcripts: ISO 8601, local times without a zone stay without one.
    ``start`` and ``end`` are byte offsets of the record(s) in the transcript (``end`` exclusive);
    for formats that are rewritten whole both are 0 and ``id`` is the key.
    ``peer`` names who said it, when that was not the identity's own user.
    ``sidechain``: said inside a subagent; its "user" is the parent agent, so it is never evidence.
    ``phase``: what the client calls this part of an answer ("commentary", "final_answer"), where it says.
    """

    role: Role
    text: str
    timestamp: str | None = None
    id: str | None = None
    speaker: str | None = None
    peer: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    start: int = 0
    end: int = 0
    line: int | None = None
    sidechain: bool = False
    phase: str | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """What a transcript says of itself. ``id`` is None where the format has no session id.

    ``parent`` is the session this one was forked from or spawned by. ``subagent``: a subagent's transcript;
    ``agent`` is its id where it shares its parent's session id (Claude Code).
    """

    id: str | None = None
    title: str | None = None
    cwd: str | None = None
    started_at: str | None = None
    identity: str | None = None
    model: str | None = None
    channel: str | None = None
    parent: str | None = None
    memory_policy: Mapping[str, Any] | None = None
    agent: str | None = None
    subagent: bool = False


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """A whole line that no record could be read from."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far one transcript has been merged into one identity.

    ``source`` is the format where the session has an id, else the source's name; ``session`` the session id,
    else the path under the source's root. ``offset`` (bytes) ends after the last whole record; ``head`` and
    ``tail`` are SHA-256 of the first and last 64 KiB before it. ``path`` is where the transcript lay, relative
    to the source's root (a hint for ``why``). ``off_record``: the user put the whole session off the record.
    """

    source: str
    session: str
    offset: int
    message_id: str | None
    size: int
    head: str
    tail: str
    path: str | None = None
    off_record: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """One change that extraction asks for.

    ``turns`` are positions in the list of turns handed to the extractor; they are its evidence.
    ``peer`` and ``ranges`` (inclusive position pairs) say whose memory it is, when the extractor says so.
    ``inferred``: deduced, not said; lands as a suggestion. ``insist``: the user asked outright to have it remembered.
    """

    type: str
    fields: Mapping[str, FieldValue]
    turns: tuple[int, ...] = ()
    peer: str | None = None
    ranges: tuple[tuple[int, int], ...] = ()
    inferred: bool = False
    insist: bool = False


@dataclass(frozen=True, slots=True)
class Dropped:
    """An operation that was not used, and why."""

    type: str
    reason: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of model calls; 0 and 0 for the offline extractor."""

    input: int = 0
    output: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(self.input + other.input, self.output + other.output)


@dataclass(frozen=True, slots=True)
class Extraction:
    """What an extractor made of a segment.

    ``withdrawn``: which operations of earlier segments, as handed to it, no longer hold by what was said in this one.
    """

    operations: tuple[Operation, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    tokens: Tokens = dataclasses.field(default_factory=Tokens)
    withdrawn: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """Where an operation is written: the identity's own memory (``peer`` None) or what it knows of a peer."""

    identity: str
    peer: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What proves an entry: ``source`` (``format/session``), message ids (or ``@offset``), when said, by whom."""

    source: str
    messages: tuple[str, ...]
    time: datetime
    trust: Trust = "user"


@dataclass(frozen=True, slots=True)
class Draft:
    """An entry as an operation would have it, before the merge.

    ``document`` is relative to ``memories/<identity>/``; ``section`` is the heading trail below the title;
    ``text`` is one line of Markdown without bullet, checkbox and block id (for ``shape`` "paragraph": one paragraph).
    ``box`` is None for entries that are no tasks, else " " or "x"; "" for a task whose status was not said.
    ``supersedes``: an entry of the same id with other text is kept, marked as superseded, rather than updated.
    ``insist``: the user said it outright ("remember X"), so marks do not hold it back.
    ``add_only`` / ``update_only``: the mode of its type.
    """

    id: str
    type: str
    field: str | None
    document: str
    section: tuple[str, ...]
    text: str
    evidence: Evidence
    title: str
    key: str = ""
    shape: Literal["item", "paragraph"] = "item"
    box: str | None = None
    origin: Origin = "extracted"
    supersedes: bool = False
    insist: bool = False
    inferred: bool = False
    mode: Literal["upsert", "add_only", "update_only"] = "upsert"
    peer: str | None = None
    frontmatter: Mapping[str, str | tuple[str, ...]] = dataclasses.field(default_factory=dict)


class Stat(NamedTuple):
    """How a file lies on disk; enough to see that it was written again. Size in bytes, times in nanoseconds."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class EntryView:
    """One entry as every interface lists it. ``path`` is relative to the vault, ``line`` counts from 1."""

    id: str | None
    identity: str
    peer: str | None
    type: str
    field: str | None
    text: str
    status: str | None
    date: str | None
    path: str
    line: int
    origin: Origin = "hand"
    source: str | None = None
    commit: str | None = None
    priority: str | None = None
    trust: Trust = "user"
