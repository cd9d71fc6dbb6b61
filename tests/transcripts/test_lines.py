"""Every turn of a file that is read whole knows the line on which it begins."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.transcripts.conftest import read

FIRST, SECOND = "We take SQLite {for now}.", 'It "says" [no]\nto both.'


def _chatgpt() -> list[dict[str, Any]]:
    def node(id: str, parent: str | None, role: str, text: str) -> dict[str, Any]:
        message = {"id": id, "author": {"role": role}, "content": {"parts": [text]}}
        return {"id": id, "parent": parent, "children": [], "message": message}

    nodes = [node("n1", None, "user", FIRST), node("n2", "n1", "assistant", SECOND)]
    mapping = {one["id"]: one for one in nodes}
    return [{"conversation_id": "c-1", "mapping": mapping, "current_node": "n2"}]


def _gemini() -> dict[str, Any]:
    messages = [
        {"id": "g-00000001", "type": "user", "content": FIRST},
        {"id": "g-00000002", "type": "gemini", "content": SECOND},
    ]
    return {"sessionId": "s-1", "projectHash": "p", "startTime": "2026-03-04T09:00:00Z", "messages": messages}


def _claude_ai() -> list[dict[str, Any]]:
    said = [{"sender": "human", "text": FIRST}, {"sender": "assistant", "text": SECOND}]
    return [{"uuid": "d-1", "name": "", "chat_messages": said}]


MESSAGES = [{"role": "user", "content": FIRST}, {"role": "assistant", "content": SECOND}]
DOCUMENTS: dict[str, Any] = {
    "chatgpt-export": _chatgpt(),
    "claude-ai-export": _claude_ai(),
    "gemini-cli": _gemini(),
    "openai-messages": {"model": "m", "messages": MESSAGES},
    "cowork": {"session_id": "s", "agentRoleKey": "aide", "messages": MESSAGES},
}


@pytest.mark.parametrize("format", DOCUMENTS)
def test_a_message_of_a_pretty_printed_document_begins_on_its_line(format: str) -> None:
    data = json.dumps(DOCUMENTS[format], indent=2)
    reader, turns = read(data.encode())
    assert (reader.format, [turn.text for turn in turns]) == (format, [FIRST, SECOND])
    lines = data.split("\n")
    for turn in turns:
        assert turn.line is not None
        assert lines[turn.line - 1].endswith("{")
        said = next(number for number, line in enumerate(lines) if json.dumps(turn.text) in line)
        assert turn.line <= said
        depth = lines[turn.line - 1].index(lines[turn.line - 1].strip())
        assert all(line.startswith(" " * (depth + 1)) for line in lines[turn.line : said + 1]), "it is inside"
    assert turns[0].line != turns[1].line


@pytest.mark.parametrize("format", DOCUMENTS)
def test_a_document_on_one_line_tells_no_lines(format: str) -> None:
    assert [turn.line for turn in read(json.dumps(DOCUMENTS[format]).encode())[1]] == [None, None]


def test_messages_that_have_a_line_each_are_all_read_and_begin_there() -> None:
    rows = ",\n".join(json.dumps(row) for row in MESSAGES)
    assert [turn.line for turn in read(f'{{"messages": [\n{rows}\n]}}\n'.encode())[1]] == [2, 3]


def test_a_key_that_is_there_twice_makes_no_wrong_lines() -> None:
    rows = ",\n".join(json.dumps(row) for row in MESSAGES)
    data = f'{{"messages": [{{}}],\n"messages": [\n{rows}\n]}}\n'.encode()
    assert [turn.line for turn in read(data)[1]] == [None, None]


TEXTS = {
    "headings below frontmatter": (
        "---\ntitle: Tide\n---\n\n# Tide\n\n## User\n\nWe take SQLite.\n\n## Assistant\n\nNoted.\n",
        [7, 11],
    ),
    "CRLF": ("## User\r\n\r\nWe take SQLite.\r\n\r\n## Assistant\r\n\r\nNoted.\r\n", [1, 5]),
    "callouts": (
        "# Tide\n\n> [!question] User\n> We take SQLite.\n\n> [!note] Assistant\n> Noted.\n",
        [3, 6],
    ),
    "bold labels": ("**User:** We take SQLite.\n\n**Assistant:** Noted.\n", [1, 3]),
    "labels": ("\nUser: We take SQLite.\nreally\n\nAssistant: Noted.\n", [2, 5]),
    "no conversation": ("\n\nWe take SQLite.\n", [3]),
    "group chat": (
        "群聊\n\n[2026-03-04 09:15] Ana: We take SQLite.\nyes\n[2026-03-04 09:16] Bo: fine\n",
        [3, 5],
    ),
    "names above times": ("Ana\n2026-03-04 09:15\nWe take SQLite.\n\nBo\n2026-03-04 09:16\nfine\n", [1, 5]),
}


@pytest.mark.parametrize("text", TEXTS)
def test_a_turn_of_a_text_begins_on_its_line(text: str) -> None:
    data, lines = TEXTS[text]
    assert [turn.line for turn in read(data.encode())[1]] == lines
