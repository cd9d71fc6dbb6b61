"""claude.ai exports: conversations with flat lists of messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memfs.model import Attachment, Role, Session, Turn
from memfs.transcripts.assemble import Assembler
from memfs.transcripts.blocks import block_text, result_text, some_text
from memfs.transcripts.document_places import Places
from memfs.transcripts.documents import read_placed
from memfs.transcripts.exports import conversation_reader, export_reader
from memfs.transcripts.lines import Place
from memfs.transcripts.message_ids import own_id
from memfs.transcripts.reader import Progress, Reader, ReadLimits, Source
from memfs.transcripts.sniff import layout, sketch
from memfs.transcripts.times import stamp

_ROLES: dict[Any, Role] = {"human": "user", "user": "user", "assistant": "assistant"}


class ClaudeAi:
    """Parser of claude.ai's ``conversations.json``, and of single conversations."""

    name = "claude-ai-export"

    def recognise(self, head: bytes) -> bool:
        return layout(head) == "document" and any("chat_messages" in item for item in sketch(head).items)

    def open(self, source: Source) -> Reader:
        document, places = read_placed(source)
        conversations = document if isinstance(document, list) else [document]
        readers = [
            conversation_reader(self.name, source, *_read(one, source.limits, places))
            for one in conversations
            if isinstance(one, dict) and isinstance(one.get("chat_messages"), list)
        ]
        return export_reader(self.name, source, readers, len(conversations))


def _read(conversation: dict[str, Any], limits: ReadLimits, places: Places) -> tuple[Progress, list[Turn]]:
    session = Session(
        id=some_text(conversation.get("uuid")),
        title=some_text(conversation.get("name")),
        started_at=stamp(conversation.get("created_at")),
        model=some_text(conversation.get("model")),
    )
    progress = Progress(session=session)
    turns = Assembler(progress, limits)
    for message in conversation["chat_messages"]:
        role = _ROLES.get(some_text(message.get("sender"))) if isinstance(message, dict) else None
        if role is None:
            progress.counts["skipped_items"] += 1
        else:
            _take(message, role, turns, session, places.of(message))
    return progress, list(turns.finish())


def _take(message: dict[str, Any], role: Role, turns: Assembler, session: Session, place: Place) -> None:
    id = own_id(message.get("uuid"), session.id)
    turn = turns.open(role, place, id=id, timestamp=stamp(message.get("created_at")))
    blocks = message.get("content")
    blocks = blocks if isinstance(blocks, list) else []
    for block in blocks:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "tool_use":
            turns.call(turn, some_text(block.get("id")), str(block.get("name")), block.get("input"), place)
        elif kind == "tool_result":
            failed = block.get("is_error") is True
            turns.result(
                some_text(block.get("tool_use_id")), result_text(block.get("content")), failed, place
            )
        elif text := block_text(block):
            turn.texts.append(text)
    turn.attachments.extend(_files(message))
    if not turn.texts:
        # The flat text repeats the blocks, with a placeholder for those that it cannot show.
        carried = [file.text for file in turn.attachments if file.text]
        flat = None if blocks else some_text(message.get("text"))
        turn.texts.extend([flat] if flat is not None else carried)


def _files(message: dict[str, Any]) -> Iterator[Attachment]:
    for key in ("attachments", "files", "files_v2"):
        listed = message.get(key)
        for file in listed if isinstance(listed, list) else ():
            if isinstance(file, dict):
                name = some_text(file.get("file_name")) or some_text(file.get("file_uuid")) or key
                yield Attachment(name, some_text(file.get("extracted_content")))
