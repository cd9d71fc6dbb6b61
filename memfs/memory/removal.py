"""Entries taken out on request: forgotten, or moved to another identity."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from memfs.errors import EntryNotFound
from memfs.markdown.document import Block, parse_document
from memfs.markdown.edits import remove_block
from memfs.markdown.headers import new_document
from memfs.markdown.inserts import insert_item, insert_paragraph
from memfs.memory.desk import Desk, says
from memfs.memory.ids import entry_id, suggestion_id, text_hash
from memfs.memory.marks import Mark
from memfs.memory.snapshot import MergeResult, Outcome, Snapshot
from memfs.memory.views import section_path
from memfs.memory.wording import FIELD_TYPES, core_key, split_label, split_topic
from memfs.memory.writing import known_section


def remove_entry(snapshot: Snapshot, entry: str, *, time: datetime) -> MergeResult:
    """Forget an entry, whoever wrote it: every line with this id goes, and marks keep it from coming back.

    ``time``: now; evidence up to then is blocked. Raises EntryNotFound where no document given has the id.
    """
    desk = Desk(snapshot)
    path = _remove(desk, entry, time)
    return desk.result([Outcome(entry, "removed", "", path, "forgotten")])


def move_entry(
    source: Snapshot, target: Snapshot, entry: str, *, identity: str, time: datetime
) -> tuple[MergeResult, MergeResult, str]:
    """Move an entry to the same document of another identity.

    ``identity`` is the one it goes to, ``target`` that identity's snapshot. Returns both changes and the
    new id.
    """
    desk = Desk(source)
    found = desk.owned(entry) or _find(desk, entry)
    if found is None:
        raise EntryNotFound(f"no entry {entry}")
    path, block = found
    document = desk.document(path)
    section, record = section_path(document, block), desk.records.get(entry)
    new_id = _moved_id(identity, path, str(document.frontmatter.values.get("type", "")), section, block)
    other = Desk(target)
    _insert(
        other,
        path,
        section,
        block,
        new_id,
        document.title or path,
        dict(document.frontmatter.values) | {"identity": identity},
    )
    if record is not None:  # what a person wrote or edited stays theirs
        other.record(path, replace(record, id=new_id, at=None))
    _remove(desk, entry, time)
    return (
        desk.result([Outcome(entry, "removed", "", path, f"moved to {identity}")]),
        other.result([Outcome(new_id, "added", "", path)]),
        new_id,
    )


def _remove(desk: Desk, entry: str, time: datetime) -> str:
    found = desk.owned(entry) or _find(desk, entry)
    if found is None:
        raise EntryNotFound(f"no entry {entry}")
    path = found[0]
    if entry in desk.records:
        desk.mark(Mark("text", says(desk.records[entry])))
        desk.drop(entry)
    desk.mark(Mark("entry", entry, time))
    for each in (suggestion_id(entry), entry):
        while (found := _find(desk, each)) is not None:
            desk.mark(Mark("text", text_hash(found[1].text)))
            desk.edit(found[0], remove_block(desk.document(found[0]), found[1]), (each,))
        if each in desk.records:
            desk.mark(Mark("text", says(desk.records[each])))
            desk.drop(each)
    return path


def _find(desk: Desk, entry: str) -> tuple[str, Block] | None:
    """The first block with this id in any document, whoever wrote it."""
    for path in sorted(desk.snapshot.documents):
        for block in desk.document(path).find(entry):
            return path, block
    return None


def _moved_id(identity: str, path: str, type_name: str, section: tuple[str, ...], block: Block) -> str:
    """The id that extraction would give the entry there, as far as its text tells."""
    parts = path.split("/")
    peer = parts[1] if parts[0] == "peers" and len(parts) > 2 else None
    name = parts[-1].removesuffix(".md")
    label, topic = split_label(block.text), split_topic(block.text)
    if type_name in FIELD_TYPES and label:
        key = [label[0]] if type_name in ("profile", "identity", "soul") else [name, label[0]]
    elif type_name == "decisions" and topic:
        key = [topic[0]]
    elif type_name == "preferences" and section:
        key = [section[-1]]
    else:
        key = [core_key(type_name, block.text)]
    return entry_id(identity, peer, type_name, key)


def _insert(
    desk: Desk,
    path: str,
    section: tuple[str, ...],
    block: Block,
    entry: str,
    title: str,
    front: dict[str, str],
) -> None:
    document = desk.document(path)
    if desk.is_blank(path):
        document = parse_document(new_document(title, front))
    if document.find(entry):
        raise EntryNotFound(f"{entry} is there already", hint="remove one of them")
    section = known_section(document, section)
    text = " ".join(block.text.split())
    if block.kind == "paragraph":
        changed = insert_paragraph(document, section, f"{text} ^{entry}")
    else:
        box = "" if block.box is None else f"[{block.box}] "
        changed = insert_item(document, section, f"- {box}{text} ^{entry}")
    desk.edit(path, changed, (entry,))
