"""Parser of OpenAI-style messages: ``{"messages": [...]}``, a bare list, or one message a line."""

from __future__ import annotations

from memfs.transcripts.documents import read_placed, whole_reader
from memfs.transcripts.jsonl import jsonl_reader
from memfs.transcripts.message_ids import with_ids
from memfs.transcripts.messages import MessageRows, document_turns, is_message, messages_in
from memfs.transcripts.reader import Progress, Reader, Source
from memfs.transcripts.sniff import json_rows, layout, sketch


class OpenAIMessages:
    """Chat Completions messages and Responses items."""

    name = "openai-messages"

    def recognise(self, head: bytes) -> bool:
        kind = layout(head)
        if kind == "rows":
            return any(is_message(row) or _is_conversation(row) for row in json_rows(head))
        if kind == "text":
            return False
        shape = sketch(head)
        return any(map(is_message, shape.items if shape.is_list else shape.inner))

    def open(self, source: Source) -> Reader:
        source.stream.seek(0)
        if layout(source.stream.read(1 << 20)) == "rows":
            return jsonl_reader(self.name, source, MessageRows)
        progress = Progress()
        rows = MessageRows(progress, source)
        document, places = read_placed(source)
        turns = list(with_ids(document_turns(rows, messages_in(document) or [], places)))
        return whole_reader(self.name, source, progress, lambda: turns)


def _is_conversation(row: dict[str, object]) -> bool:
    messages = row.get("messages")
    return isinstance(messages, list) and any(map(is_message, messages))
