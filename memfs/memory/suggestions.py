"""Suggestions: memfs's other wording of an entry that a person edited, or what it only inferred."""

from __future__ import annotations

from dataclasses import replace

from memfs.errors import EntryNotFound
from memfs.markdown import Block, insert_item, insert_paragraph, remove_block, replace_block
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
        if suggestion_text(block) == draft.text or as_utc(draft.evidence.time) <= as_utc(record.time):
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
            entry, written_hash(draft.text), draft.evidence.time, draft.origin, draft.box or None, at
        ),
    )
    return _outcome(draft, "suggested", path)


def accept_suggestion(snapshot: Snapshot, entry: str) -> MergeResult:
    """Put a suggestion in place of its entry, or make an entry of it; it counts as memfs's text again.

    ``entry``: the id of the entry or of the suggestion. Raises EntryNotFound where nothing is offered.
    """
    desk, offered, path, block = _open(snapshot, entry)
    record, target = desk.records[offered], offered.removesuffix("-q")
    text, section = suggestion_text(block), section_path(desk.document(path), block)
    standing = desk.owned(target)
    desk.edit(path, remove_block(desk.document(path), block), (offered,))
    if standing is not None:
        old = desk.records[target]
        place, parent = desk.owned(target) or standing
        box = parent.box if parent.box is None or record.box is None else record.box
        desk.edit(place, replace_block(desk.document(place), parent, text, box=box), (target,))
        new = replace(old, hash=written_hash(text), time=max(as_utc(old.time), as_utc(record.time)), box=box)
    else:
        _insert_accepted(desk, path, section, target, text, record.box)
        new = replace(record, id=target)
    desk.record(desk.homes[offered], new)
    desk.drop(offered)
    return desk.result([Outcome(target, "updated" if standing else "added", "", path)])


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
            f"nothing is offered for {entry.removesuffix('-q')}", hint="memfs list shows suggestions"
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
