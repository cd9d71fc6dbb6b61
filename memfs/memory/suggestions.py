"""Suggestions: memfs's other wording of an entry that a person edited, or what it only inferred."""

from __future__ import annotations

from dataclasses import replace

from memfs.errors import EntryNotFound
from memfs.markdown.document import Block, Document, parse_document
from memfs.markdown.edits import remarks, remove_block, replace_block
from memfs.markdown.inserts import insert_item, insert_paragraph
from memfs.markdown.lines import ending
from memfs.memory.desk import Desk, block_hash, says
from memfs.memory.ids import suggestion_id, text_hash, written_hash
from memfs.memory.ledger import LedgerRecord, as_utc
from memfs.memory.marks import Mark
from memfs.memory.matching import Match
from memfs.memory.snapshot import Action, MergeResult, Outcome, Snapshot
from memfs.memory.views import section_path, suggestion_text
from memfs.memory.writing import add_callout, begun, known_section, lone_callout
from memfs.model import Draft


def offer(desk: Desk, draft: Draft, match: Match | None) -> Outcome:
    """Offer a draft's text as a callout: under the entry it would change, else where it would be added.

    One suggestion per entry, the newest wins; one that the person edited stays.
    """
    entry = suggestion_id(draft.id)
    path = match.path if match else draft.document
    standing = desk.owned(entry)
    if not draft.insist and (held := desk.held_back(entry, text_hash(draft.text), draft.evidence.time)):
        return _outcome(draft, "forgotten", path, held)
    if standing is None and desk.document(path).find(entry):
        return _outcome(draft, "kept", path, "a person's line has the id of the suggestion")
    text = f"{draft.evidence.time.date().isoformat()}: {draft.text}"
    if standing is not None:
        record, block = desk.records[entry], standing[1]
        if text_hash(suggestion_text(block)) == text_hash(draft.text) or as_utc(
            draft.evidence.time
        ) <= as_utc(record.time):
            return _outcome(draft, "unchanged", path, "it is offered already")
        if block_hash(block) != record.hash:
            return _outcome(draft, "kept", path, "a person edited the suggestion")
        desk.edit(standing[0], replace_block(desk.document(standing[0]), block, text), (entry,))
    elif match is not None:
        add_callout(desk, match, entry, text)
    else:
        document = begun(desk, draft)
        section = known_section(document, draft.section)
        desk.edit(path, lone_callout(document, section, entry, text), (entry,))
    home = desk.homes.get(draft.id, draft.document)
    at = None if path == home else path
    desk.record(
        home,
        LedgerRecord(
            entry,
            written_hash(draft.text),
            draft.evidence.time,
            draft.origin,
            draft.box or None,
            at,
            draft.evidence.trust,
        ),
    )
    return _outcome(draft, "suggested", path)


def accept_suggestion(snapshot: Snapshot, entry: str) -> MergeResult:
    """Put a suggestion in place of its entry, or make an entry of it; it counts as memfs's text again.

    A person's own line that it was offered under becomes an entry of memfs's: this is what was accepted.
    ``entry``: the id of the entry or of the suggestion. Raises EntryNotFound where nothing is offered.
    """
    desk, offered, path, block = _open(snapshot, entry)
    document, target = desk.document(path), offered.removesuffix("-q")
    record = replace(desk.records[offered], trust="user")  # who accepted it stands for it now
    text, section, home = suggestion_text(block), section_path(document, block), desk.homes[offered]
    parent = document.blocks[block.parent] if block.parent >= 0 else None
    desk.edit(path, remove_block(document, block), (offered,))
    desk.drop(offered)
    standing = desk.owned(target)
    if standing is not None:
        old, (path, parent) = desk.records[target], standing
        box = parent.box if parent.box is None or record.box is None else record.box
        desk.edit(path, _replaced(desk.document(path), parent, text, box), (target,))
        time = max(as_utc(old.time), as_utc(record.time))
        desk.record(home, replace(old, hash=written_hash(text), time=time, box=box, trust="user"))
    elif parent is not None and parent.kind == "item":
        target = _take_over(desk, path, parent, target, text)
        desk.record(home, replace(record, id=target, hash=written_hash(text), box=parent.box))
    else:
        _insert_accepted(desk, path, section, target, text, record.box)
        desk.record(home, replace(record, id=target, hash=written_hash(text)))
    return desk.result([Outcome(target, "updated" if parent else "added", "", path)])


def _take_over(desk: Desk, path: str, line: Block, entry: str, text: str) -> str:
    """Give a person's line the accepted text and, where it has none, the id. Returns its id."""
    document = desk.document(path)
    (block,) = (each for each in document.blocks if each.start == line.start and each.kind == "item")
    if block.block_id is not None:
        desk.edit(path, _replaced(document, block, text, block.box), (block.block_id,))
        return block.block_id
    lines = list(parse_document(replace_block(document, block, text)).lines)
    whole = lines[block.start]
    words = whole.rstrip("\r\n")
    lines[block.start] = f"{words} ^{entry}{whole[len(words) :]}"
    desk.put(path, "".join(lines))
    return entry


def _replaced(document: Document, block: Block, text: str, box: str | None) -> str:
    """The document with another text in an entry; what a person added below its line stays there."""
    changed, added = replace_block(document, block, text, box=box), remarks(document, block)
    lines = list(parse_document(changed).lines)
    if added and not ending(lines[block.start]):
        lines[block.start] += document.newline
    return "".join([*lines[: block.start + 1], *added, *lines[block.start + 1 :]])


def reject_suggestion(snapshot: Snapshot, entry: str) -> MergeResult:
    """Take a suggestion away; its text is not offered again.

    Raises EntryNotFound where nothing is offered.
    """
    desk, offered, path, block = _open(snapshot, entry)
    desk.edit(path, remove_block(desk.document(path), block), (offered,))
    desk.mark(Mark("text", says(desk.records[offered])))
    desk.drop(offered)
    return desk.result([Outcome(offered, "removed", "", path, "rejected")])


def _open(snapshot: Snapshot, entry: str) -> tuple[Desk, str, str, Block]:
    desk = Desk(snapshot)
    offered = entry if entry.endswith("-q") else suggestion_id(entry)
    found = desk.owned(offered)
    if found is None:
        raise EntryNotFound(
            f"nothing is offered for {entry.removesuffix('-q')}",
            hint="the list of entries shows what is offered",
        )
    return desk, offered, *found


def _insert_accepted(
    desk: Desk, path: str, section: tuple[str, ...], entry: str, text: str, box: str | None
) -> None:
    document = desk.document(path)
    if document.frontmatter.values.get("type") in ("entities", "experiences"):
        changed = insert_paragraph(document, section, f"{text} ^{entry}")
    else:
        changed = insert_item(document, section, f"- {'' if box is None else f'[{box}] '}{text} ^{entry}")
    desk.edit(path, changed, (entry,))


def _outcome(draft: Draft, action: Action, path: str, reason: str | None = None) -> Outcome:
    return Outcome(draft.id, action, draft.type, path, reason, draft.evidence)
