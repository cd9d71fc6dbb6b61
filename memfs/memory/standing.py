"""The entries that a review looks at, as they stand in documents: whose they are, and which may say the same. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from memfs.markdown.document import Block
from memfs.memory.desk import Desk
from memfs.memory.ids import text_hash, written_hash
from memfs.memory.ledger import as_utc
from memfs.memory.likeness import NEAR, Kind, kind_of_pair, likeness, numbers, weighty_words
from memfs.memory.plain import negates, plain_text, says_no_more
from memfs.memory.types import MemoryType
from memfs.memory.views import document_type, locate, section_path, view_entries
from memfs.memory.wording import FIELD_TYPES, core_key, split_label

_PAST = frozenset(("suggestion", "superseded"))
_LEFT_ALONE = frozenset(("identity", "soul", "cases"))
_COMMON = 60  # a word that so many entries share tells nothing
_NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Standing:
    """One current entry. ``handle`` names it within a review: its id where it is memfs's own, else place and text.

    ``own``: its id is in the ledger; ``untouched``: and nobody edited it. ``time`` is that of its evidence."""

    handle: str
    id: str | None
    path: str
    type: str
    peer: str | None
    text: str
    section: tuple[str, ...]
    box: str | None
    own: bool
    untouched: bool
    time: datetime | None
    line: int

    @property
    def key(self) -> str:
        """What counts of its text when it is compared."""
        return core_key(self.type, plain_text(self.text))

    @property
    def age(self) -> tuple[datetime, str, int]:
        """What sorts entries: by evidence, those without last, then by place."""
        return (as_utc(self.time) if self.time else _NEVER, self.path, self.line)

    @property
    def group(self) -> tuple[str, ...]:
        """Only entries of one group are compared: a type of the identity's, or of one peer's.

        What is named by its document or its label is compared within these.
        """
        whose = self.peer or ""
        if self.type in FIELD_TYPES:
            label = split_label(self.text)
            return whose, self.type, self.path, label[0].casefold() if label else ""
        return whose, self.type


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entries that may say the same, or contradict each other; ``first`` has the earlier evidence."""

    first: Standing
    second: Standing
    kind: Kind
    likeness: float
    cosine: float | None = None

    @property
    def name(self) -> str:
        """Names the pair, and changes when one of its texts does."""
        return text_hash("\n".join(f"{each.handle} {each.text}" for each in (self.first, self.second)))

    @property
    def alike_in_numbers(self) -> bool:
        """Whether both name the same numbers, and both say yes or both say no."""
        one, other = self.first.key, self.second.key
        return numbers(one) == numbers(other) and negates(one) == negates(other)


def may_change(memory_type: MemoryType | None) -> bool:
    """Whether entries of a type are such as a review may unite, mark or archive."""
    return (
        memory_type is not None
        and memory_type.mode == "upsert"
        and memory_type.stage == "user"
        and memory_type.name not in _LEFT_ALONE
    )


def stand(desk: Desk, identity: str, types: Mapping[str, MemoryType]) -> tuple[Standing, ...]:
    """All current entries of an identity's documents, in their order; those of types left alone are not there."""
    own = {
        (found[0], found[1].start): entry
        for entry in desk.records
        if (found := desk.owned(entry)) is not None
    }
    return tuple(
        each
        for path in sorted(desk.snapshot.documents)
        if desk.text(path)
        for each in _in_document(desk, path, identity, types, own)
    )


def _in_document(
    desk: Desk, path: str, identity: str, types: Mapping[str, MemoryType], own: Mapping[tuple[str, int], str]
) -> Iterator[Standing]:
    document = desk.document(path)
    place = locate(f"memories/{identity}/{path}", root="")
    if place is None or not document.writable or not may_change(types.get(document_type(place, document))):
        return
    current = {
        view.line: view
        for view in view_entries(f"memories/{identity}/{path}", document.text, root="")
        if view.status not in _PAST
    }
    for block in document.blocks:
        view = current.get(block.line)
        if view is None or block.kind == "callout":
            continue
        entry = own.get((path, block.start))
        record = desk.records[entry] if entry else None
        yield Standing(
            handle=entry or f"{path}#{text_hash(block.text)}",
            id=block.block_id,
            path=path,
            type=view.type,
            peer=view.peer,
            text=" ".join(block.text.split()),
            section=section_path(document, block),
            box=block.box,
            own=entry is not None,
            untouched=record is not None and written_hash(block.text) == record.hash,
            time=record.time if record else None,
            line=block.line,
        )


def make_pair(one: Standing, other: Standing, cosine: float | None = None) -> Pair:
    """The two, the earlier first, with what their words tell."""
    first, second = sorted((one, other), key=lambda each: each.age)
    kind = kind_of_pair(first.type, plain_text(first.text), plain_text(second.text))
    return Pair(first, second, kind, likeness(first.key, second.key), cosine)


def alike(standing: Sequence[Standing]) -> tuple[Pair, ...]:
    """The pairs of one group that share many words, or where one says all that the other says; the likest first."""
    holders: dict[tuple[tuple[str, ...], str], list[Standing]] = defaultdict(list)
    for each in standing:
        for word in set(weighty_words(each.key)):
            holders[each.group, word].append(each)
    found: dict[tuple[str, str], tuple[Standing, Standing]] = {}
    for together in holders.values():
        if len(together) <= _COMMON:
            for at, one in enumerate(together):
                for other in together[at + 1 :]:
                    found[one.handle, other.handle] = (one, other)
    pairs = (make_pair(*both) for both in found.values() if both[0].handle != both[1].handle)
    likely = [pair for pair in pairs if pair.likeness >= NEAR or fuller_of(pair)]
    return tuple(sorted(likely, key=lambda pair: (-pair.likeness, pair.first.handle, pair.second.handle)))


def covers(one: Standing, other: Standing) -> bool:
    """Whether ``one`` says all that ``other`` says, so that it alone is enough."""
    return one.key == other.key or says_no_more(other.key, one.key)


def fuller_of(pair: Pair) -> Standing | None:
    """The one of the two that says all that the other does (of equals the first); None where neither does."""
    if covers(pair.first, pair.second):
        return pair.first
    return pair.second if covers(pair.second, pair.first) else None


def find_block(desk: Desk, each: Standing) -> Block | None:
    """The block of an entry as the desk has it now; None where it is gone or says something else."""
    if each.own:
        found = desk.owned(each.handle)
        fits = found is not None and " ".join(found[1].text.split()) == each.text
        return found[1] if found is not None and fits and found[0] == each.path else None
    for block in desk.document(each.path).blocks:
        same = block.kind in ("item", "paragraph") and " ".join(block.text.split()) == each.text
        if (
            same
            and block.block_id == each.id
            and section_path(desk.document(each.path), block) == each.section
        ):
            return block
    return None
