"""ChatGPT exports: a tree of messages per conversation; what counts is the branch last seen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memfs.model import Attachment, Session, Turn
from memfs.transcripts.assemble import Assembler
from memfs.transcripts.blocks import parsed_arguments, some_text
from memfs.transcripts.document_places import Places
from memfs.transcripts.documents import read_document, read_placed
from memfs.transcripts.exports import conversation_reader, export_reader
from memfs.transcripts.lines import Place
from memfs.transcripts.message_ids import own_id
from memfs.transcripts.reader import Progress, Reader, ReadLimits, Source
from memfs.transcripts.sniff import layout, sketch
from memfs.transcripts.times import stamp

# Citation marks are private characters around a reference: U+E200 kind U+E202 reference U+E201.
_CITATION = re.compile("\ue200[^\ue200\ue201]*\ue201|[\ue200-\ue206]")
_NOT_SAID = frozenset(
    {
        *(
            "user_editable_context",
            "model_editable_context",
            "thoughts",
            "reasoning_recap",
            "app_pairing_content",
        ),
        *("system_error", "tether_browsing_display", "super_widget"),
    }
)


class ChatGPT:
    """Parser of ChatGPT's ``conversations.json``, its numbered parts, and single conversations."""

    name = "chatgpt-export"

    def recognise(self, head: bytes) -> bool:
        return layout(head) == "document" and any("mapping" in item for item in sketch(head).items)

    def open(self, source: Source) -> Reader:
        document, places = read_placed(source)
        of = len(document) if isinstance(document, list) else 1
        return self.read(_trees(document), source, of, places)

    def read(self, trees: list[dict[str, Any]], source: Source, of: int, places: Places) -> Reader:
        """A reader of parsed conversations; ``of`` says how many the file has, ``places`` where they are in it."""
        readers = [
            conversation_reader(self.name, source, *_read_tree(tree, source.limits, places)) for tree in trees
        ]
        return export_reader(self.name, source, readers, of)


def trees_in(source: Source) -> list[dict[str, Any]]:
    """The conversations of one file, parsed."""
    return _trees(read_document(source))


def _trees(document: Any) -> list[dict[str, Any]]:
    conversations = document if isinstance(document, list) else [document]
    return [tree for tree in conversations if isinstance(_dict(tree).get("mapping"), dict)]


def merge_trees(parts: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Conversations of several files of one export; one that is in more than one file is put together."""
    merged: dict[str, dict[str, Any]] = {}
    for number, tree in enumerate(tree for part in parts for tree in part):
        id = str(tree.get("conversation_id") or tree.get("id") or number)
        known = merged.get(id)
        if known is None:
            merged[id] = tree
            continue
        older, newer = sorted((known, tree), key=lambda one: _seconds(one.get("update_time")))
        merged[id] = {**older, **newer, "mapping": {**older["mapping"], **newer["mapping"]}}
    return list(merged.values())


def _seconds(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _read_tree(tree: dict[str, Any], limits: ReadLimits, places: Places) -> tuple[Progress, list[Turn]]:
    session = Session(
        id=some_text(tree.get("conversation_id")) or some_text(tree.get("id")),
        title=some_text(tree.get("title")),
        started_at=stamp(tree.get("create_time")),
        model=some_text(tree.get("default_model_slug")),
    )
    progress = Progress(session=session)
    mapping: Mapping[str, Any] = tree["mapping"]
    path = _path(mapping, tree.get("current_node"))
    on_path = set(path)
    aside = (node for id, node in mapping.items() if id not in on_path)
    progress.counts["inactive_branch_messages"] = sum(_said(node) is not None for node in aside)
    turns = Assembler(progress, limits)
    for id in path:
        if (message := _said(mapping[id])) is not None:
            _take(message, id, turns, session, places.of(message))
    return progress, list(turns.finish())


def _path(mapping: Mapping[str, Any], leaf: Any) -> list[str]:
    """The ids from the root to the leaf that was current; without one, to the newest message."""
    if not isinstance(leaf, str) or leaf not in mapping:
        leaf = max(mapping, key=lambda id: _created(mapping[id]), default=None)
    path: list[str] = []
    seen: set[str] = set()
    while isinstance(leaf, str) and leaf in mapping and leaf not in seen:
        seen.add(leaf)
        path.append(leaf)
        node = mapping[leaf]
        leaf = node.get("parent") if isinstance(node, dict) else None
    return path[::-1]


def _created(node: Any) -> float:
    message = node.get("message") if isinstance(node, dict) else None
    return _seconds(message.get("create_time")) if isinstance(message, dict) else 0.0


def _said(node: Any) -> dict[str, Any] | None:
    """The message of a node, if somebody said it or a tool gave it."""
    message = node.get("message") if isinstance(node, dict) else None
    if not isinstance(message, dict) or _role(message) not in ("user", "assistant", "tool"):
        return None
    metadata = _dict(message.get("metadata"))
    hidden = metadata.get("is_visually_hidden_from_conversation") or metadata.get("is_user_system_message")
    if hidden or some_text(_dict(message.get("content")).get("content_type")) in _NOT_SAID:
        return None
    return message


def _take(message: dict[str, Any], node: str, turns: Assembler, session: Session, place: Place) -> None:
    role, text = _role(message), _content_text(message)
    id = some_text(message.get("id")) or node
    timestamp = stamp(message.get("create_time"))
    recipient = message.get("recipient")
    if role == "tool":
        turns.result(None, text, False, place, some_text(_dict(message.get("author")).get("name")))
    elif role == "assistant" and isinstance(recipient, str) and recipient != "all":
        turns.call(None, id, recipient, parsed_arguments(text), place, timestamp)
    else:
        files = list(_files(message))
        if text.strip() or files:
            turn = turns.say(
                "user" if role == "user" else "assistant",
                text,
                place,
                id=own_id(id, session.id),
                timestamp=timestamp,
            )
            turn.attachments.extend(files)


def _role(message: dict[str, Any]) -> Any:
    return _dict(message.get("author")).get("role")


def _content_text(message: dict[str, Any]) -> str:
    content = _dict(message.get("content"))
    parts = content.get("parts")
    if not isinstance(parts, list):
        return _CITATION.sub(
            "", some_text(content.get("text")) or some_text(content.get("result")) or ""
        ).strip()
    texts = (part if isinstance(part, str) else _dict(part).get("text") for part in parts)
    return _CITATION.sub("", "\n".join(text for text in texts if isinstance(text, str) and text)).strip()


def _files(message: dict[str, Any]) -> Iterator[Attachment]:
    """Files by the names under which they were uploaded, else by pointer."""
    named = _dict(message.get("metadata")).get("attachments")
    names = [some_text(_dict(file).get("name")) for file in named] if isinstance(named, list) else []
    parts = _dict(message.get("content")).get("parts")
    pointers = (
        [some_text(_dict(part).get("asset_pointer")) for part in parts] if isinstance(parts, list) else []
    )
    for path in [name for name in names if name] or [pointer for pointer in pointers if pointer]:
        yield Attachment(path)


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
