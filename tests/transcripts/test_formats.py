"""Formats for which there are no samples, and what all of them share."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.errors import TranscriptError
from memfs.model import Attachment, Session, ToolCall, Turn
from memfs.transcripts.documents import read_text, whole_reader
from memfs.transcripts.neutral import render_neutral
from memfs.transcripts.opening import open_transcript, read_transcripts, recognise
from memfs.transcripts.reader import Progress, Reader, Source
from memfs.transcripts.report import transcript_json
from memfs.transcripts.sniff import ignored_name
from tests.transcripts.conftest import (
    assistant,
    codex,
    codex_event,
    codex_item,
    jsonl,
    opened,
    read,
    said,
    tool_result,
    tool_use,
    user,
)

COWORK = [
    {
        "id": "5f0c9a1e-1",
        "role": "user",
        "content": "Sort the invoices",
        "timestamp": 1773453600000,
        "agentRoleKey": "organizer",
        "modelId": "gpt-4-turbo",
        "channel": "feishu",
        "metadata": {"file_path": "/in/a.pdf", "attachments": [{"path": "/in/b.docx", "name": "b"}]},
    },
    {"id": "5f0c9a1e-2", "role": "assistant", "content": "thinking", "metadata": {"isThinking": True}},
    {
        "id": "5f0c9a1e-3",
        "role": "assistant",
        "content": "Done.",
        "agentRoleKey": "writer",
        "modelId": "other",
    },
    {"id": "5f0c9a1e-4", "role": "bootstrap", "content": "relay", "agentRoleKey": "organizer"},
]


@pytest.mark.parametrize(
    "data",
    [
        json.dumps(COWORK).encode(),
        json.dumps({"session_id": "s-1", "messages": COWORK}, indent=2).encode(),
        jsonl(*COWORK),
    ],
    ids=["list", "document", "lines"],
)
def test_cowork_messages_name_identity_model_channel_and_files(data: bytes) -> None:
    reader, turns = read(data)
    assert reader.format == "cowork"
    assert (reader.session.identity, reader.session.model) == ("organizer", "gpt-4-turbo")
    assert reader.session.channel == "feishu"
    assert said(turns) == [("user", "Sort the invoices"), ("assistant", "Done.")]
    assert [file.path for file in turns[0].attachments] == ["/in/a.pdf", "/in/b.docx"]
    assert turns[0].timestamp == "2026-03-14T02:00:00.000Z"


def test_cowork_rows_of_the_database_have_types_and_metadata_as_text() -> None:
    rows = [
        {"id": "c-0000001", "type": "user", "content": "list", "metadata": '{"file_path": "x.txt"}'},
        {
            "id": "c-0000002",
            "type": "tool_use",
            "content": "",
            "metadata": '{"toolName": "ls", "toolUseId": "t"}',
        },
        {"id": "c-0000003", "type": "tool_result", "content": "a", "metadata": '{"toolUseId": "t"}'},
        {"id": "c-0000004", "type": "assistant", "content": "one file"},
    ]
    reader, turns = read(jsonl(*rows))
    assert reader.format == "cowork"
    assert said(turns) == [("user", "list"), ("assistant", ""), ("assistant", "one file")]
    assert turns[1].tool_calls == (ToolCall("t", "ls", None, "a"),)


def test_named_users_of_openai_messages_are_peers_unless_the_name_is_the_users_own() -> None:
    rows = [{"role": "user", "name": "Ana", "content": "hi"}, {"role": "user", "content": "me"}]
    turns = read(json.dumps(rows).encode())[1]
    assert [(turn.role, turn.speaker, turn.peer) for turn in turns] == [
        ("user", "Ana", "Ana"),
        ("user", None, None),
    ]
    assert read(json.dumps(rows).encode(), me=["Ana"])[1][0].peer is None


FIRST, SECOND = "改到下午三点\n记得带原型", "好的"
CHATS = {
    "wechat": f"微信聊天记录\n\n张三 2026-03-14 10:05:12\n{FIRST}\n\n李四 2026-03-14 10:06:40\n{SECOND}\n",
    "wechat time first": f"2026-03-14 10:05:12 张三\n{FIRST}\n2026-03-14 10:06:40 李四(wxid_a1)\n{SECOND}\n",
    "dingtalk": f"钉钉\n张三(老张) 2026/3/14 上午10:05:12\n{FIRST}\n李四 2026/3/14 上午10:06:40\n{SECOND}\n",
    "dingtalk stacked": f"张三\n2026-03-14 10:05:12\n{FIRST}\n李四\n2026-03-14 10:06:40\n{SECOND}\n",
    "feishu": f"2026/03/14 10:05:12\n张三: {FIRST}\n\n2026/03/14 10:06:40\n李四: {SECOND}\n",
    "feishu by day": f"飞书\n—— 2026年3月14日 周六 ——\n张三 10:05:12\n{FIRST}\n李四 10:06:40\n{SECOND}\n",
    "feishu inline": f"飞书群\n[2026-03-14 10:05:12] 张三：{FIRST}\n[2026-03-14 10:06:40] 李四：{SECOND}\n",
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
@pytest.mark.parametrize("name", CHATS)
def test_group_chats_keep_speakers_apart(name: str, encoding: str) -> None:
    reader, turns = read(CHATS[name].encode(encoding), me=["李四"])
    assert reader.format == name.split()[0]
    assert [turn.role for turn in turns] == ["participant", "user"]
    assert turns[0].text == "改到下午三点\n记得带原型"
    assert [turn.timestamp for turn in turns] == ["2026-03-14T10:05:12", "2026-03-14T10:06:40"]
    assert turns[0].peer is not None
    assert turns[0].peer.startswith("张三")
    assert (turns[1].speaker, turns[1].peer) == ("李四", None)


def test_without_me_everybody_in_a_group_chat_is_a_peer() -> None:
    turns = read(CHATS["wechat"].encode())[1]
    assert [(turn.role, turn.peer) for turn in turns] == [("participant", "张三"), ("participant", "李四")]


def test_longer_export_of_a_chat_gives_the_same_ids() -> None:
    text = CHATS["wechat"]
    longer = text + "\n张三 2026-03-15 09:00:00\n早\n"
    ids = [turn.id for turn in read(text.encode())[1]]
    assert [turn.id for turn in read(longer.encode())[1]][:2] == ids
    assert len(set(ids)) == 2


@pytest.mark.parametrize(
    "heading",
    [
        "## User (2026-11-20 09:15)",
        "## You - 2026-11-20 09:15",
        "# User",
        "# Tide cache\n\n## User",
        "## 用户",
    ],
)
def test_a_markdown_chat_that_nobody_has_answered_yet_is_a_chat(heading: str) -> None:
    reader, turns = read(f"{heading}\n\nWe decided to use DuckDB.\n\n### why\n\nReports.\n".encode())
    assert reader.format == "markdown-chat"
    assert said(turns) == [("user", "We decided to use DuckDB.\n\n### why\n\nReports.")]


@pytest.mark.parametrize(
    "text",
    [
        "# User\n\nA user has a name.\n\n# Order\n\nAn order has a user.\n",
        "# Tables\n\n## User\n\nOne row each.\n\n## Order\n\nMany rows.\n",
        "Our tables are these.\n\n## User\n\nOne row each.\n",
        "## Question\n\nWhat is a tide?\n",
        "```\n## User (2026-11-20 09:15)\n```\n",
    ],
)
def test_a_chapter_on_users_is_no_chat(text: str) -> None:
    assert [turn.role for turn in read(text.encode())[1]] == ["document"]


def test_program_logs_are_no_chats() -> None:
    turns = read(b"2026-03-14 10:05:12 INFO: started\n2026-03-14 10:05:13 ERROR: failed\n")[1]
    assert [turn.role for turn in turns] == ["document"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-16-le-bom"])
def test_labels_in_chinese_in_every_encoding(encoding: str) -> None:
    text = "用户：我叫小明，喜欢喝茶。\n助手：好的，记住了。\n"
    data = b"\xff\xfe" + text.encode("utf-16-le") if encoding.endswith("bom") else text.encode(encoding)
    assert said(read(data)[1]) == [("user", "我叫小明，喜欢喝茶。"), ("assistant", "好的，记住了。")]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("euc-kr", "사용자: 안녕하세요 저는 서울에 살아요\n어시스턴트: 네 알겠습니다"),
        ("shift_jis", "ユーザー：こんにちは、東京に住んでいます"),
        ("euc_jp", "ユーザー：こんにちは、東京に住んでいます"),
        ("big5", "用戶：我住在台北，喜歡喝茶"),
        ("cp1251", "Пользователь: Привет, я живу в Москве и люблю чай"),
        ("koi8-r", "Привет, я живу в Москве и люблю чай"),
        ("latin-1", "Müller läuft über die Straße"),
    ],
)
def test_other_encodings_are_refused_and_never_mojibake(encoding: str, text: str) -> None:
    with pytest.raises(TranscriptError):
        read(text.encode(encoding))


def test_truncated_utf16_is_refused_by_name() -> None:
    with pytest.raises(TranscriptError, match=r"cut\.txt: not UTF-16, as its first bytes say"):
        opened(b"\xff\xfe\x00\x62\x61\x64\xd8", name="cut.txt")


def test_a_row_of_utf16_that_is_being_written_waits() -> None:
    line = json.dumps(user("u1", "hello"), ensure_ascii=False) + "\n"
    reader, turns = read((line + line[:9]).encode("utf-16")[:-1])
    assert said(turns) == [("user", "hello")]
    assert reader.pending_tail


def test_jsonl_in_gb18030_and_utf16_is_read() -> None:
    line = json.dumps(user("u1", "我住在杭州，喜欢喝茶，请记住"), ensure_ascii=False) + "\n"
    for encoding in ("gb18030", "utf-16"):
        reader, turns = read(line.encode(encoding))
        assert said(turns) == [("user", "我住在杭州，喜欢喝茶，请记住")]
        assert reader.skipped == ()


TURNS = (
    Turn("user", "hi\n# not a heading", "2026-03-01T09:00:00.000Z", id="u-0000001", speaker="Ana"),
    Turn(
        "assistant",
        "",
        None,
        id="a-0000001",
        tool_calls=(ToolCall("t1", "ls", {"n": 10**30}, "a\nb", True), ToolCall(None, "x", "raw", None)),
        attachments=(Attachment("a.txt"), Attachment("b.txt", "words")),
    ),
    Turn("participant", "hello", "2026-03-01T09:00:02", id="p-0000001", speaker="Bo", peer="bo@x"),
    Turn("document", "text", id="d-0000001"),
)


def test_neutral_file_reads_back_as_it_was_written() -> None:
    session = Session(
        "s-1", "T", "/proj", "2026-03-01T09:00:00.000Z", "coder", "m", "cli", memory_policy={"self": 1}
    )
    reader, turns = read(render_neutral(TURNS, session))
    assert reader.format == "neutral"
    assert reader.session == session
    assert [replace(turn, start=0, end=0, line=None) for turn in turns] == list(TURNS)
    assert reader.settled == reader.consumed


@given(st.text(max_size=60), st.sampled_from(["user", "assistant"]))
def test_neutral_keeps_any_text(text: str, role: Any) -> None:
    turn = Turn(role, text.replace("<", ""), id="x-0000001")
    turns = read(render_neutral([turn], Session("s")))[1]
    assert [one.text for one in turns] == ([turn.text] if turn.text.strip() or turn.text else [])


def test_neutral_without_header_and_with_offsets_as_ids() -> None:
    reader, turns = read(
        b'{"role":"user","text":"hi","timestamp":1777629600}\n{"role":"Assistant","text":"yo"}\n'
    )
    assert reader.format == "neutral"
    assert said(turns) == [("user", "hi"), ("assistant", "yo")]
    kept = read(render_neutral(turns, reader.session))[1]
    assert [turn.id for turn in kept] == [f"@{turn.start}" for turn in turns]


def test_neutral_me_and_peers() -> None:
    rows = [
        {"memfs": 1, "session": "s-1", "memory_policy": {"peer": {"enabled": False}}},
        {"role": "participant", "text": "a", "speaker": "Ana"},
        {"role": "participant", "text": "b", "speaker": "Bo"},
    ]
    reader, turns = read(jsonl(*rows), me=["Ana"])
    assert [(turn.role, turn.peer) for turn in turns] == [("user", None), ("participant", "Bo")]
    assert reader.session.memory_policy == {"peer": {"enabled": False}}


def test_short_ids_are_made_unique_by_their_session() -> None:
    rows = [{"memfs": 1, "session": "s-1"}, {"role": "user", "id": 1, "text": "a"}]
    assert read(jsonl(*rows))[1][0].id == "s-1:1"


def test_documents_without_ids_get_the_same_ids_when_they_grow_and_others_elsewhere() -> None:
    rows = [{"role": "user", "content": text} for text in ("hi", "ok", "ok")]
    ids = [turn.id for turn in read(json.dumps(rows[:2]).encode())[1]]
    grown = [turn.id for turn in read(json.dumps(rows).encode())[1]]
    assert grown[:2] == ids
    assert len(set(grown)) == 3
    other = [{"role": "user", "content": text} for text in ("hello", "ok")]
    assert read(json.dumps(other).encode())[1][1].id not in grown


def test_codex_rollback_takes_back_the_last_user_turns() -> None:
    rows = [
        codex("session_meta", id="01a06158-ba80-7000-8000-00000000000d"),
        *(codex_item("user", "one"), codex_item("assistant", "1")),
        *(codex_item("user", "two"), codex_item("assistant", "2")),
        *(codex_item("user", "three"), codex_event("thread_rolled_back", num_turns=2)),
        codex_item("user", "four"),
    ]
    reader, turns = read(jsonl(*rows))
    assert [turn.text for turn in turns] == ["one", "1", "four"]
    assert reader.counts["rolled_back_turns"] == 3


def test_codex_rollouts_of_early_2025_are_read() -> None:
    rows = [
        {
            "id": "01a00000-0000-7000-8000-000000000001",
            "timestamp": "2025-05-01T10:00:00Z",
            "instructions": None,
        },
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": "c1"},
        {
            "type": "function_call_output",
            "call_id": "c1",
            "output": '{"output":"a","metadata":{"exit_code":2}}',
        },
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "yo"}]},
    ]
    reader, turns = read(jsonl(*rows))
    assert (reader.format, reader.session.started_at) == ("codex", "2025-05-01T10:00:00.000Z")
    assert said(turns) == [("user", "hi"), ("assistant", ""), ("assistant", "yo")]
    assert turns[1].tool_calls[0].is_error


def test_claude_code_images_and_errors() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}}
    turns = read(jsonl(user("u1", [image]), assistant("a1", "m1", "A cat.")))[1]
    assert said(turns) == [("user", ""), ("assistant", "A cat.")]
    assert turns[0].attachments == (Attachment("image/png"),)


def test_claude_code_messages_typed_while_a_tool_runs_are_the_users() -> None:
    queued = {"type": "queued_command", "prompt": "also water the beans", "commandMode": "prompt"}
    notice = {"type": "queued_command", "prompt": "task 3 is done", "commandMode": "task-notification"}
    row = {"type": "attachment", "sessionId": "s", "timestamp": "2026-03-01T09:00:02.000Z", "uuid": "q1"}
    rows = [
        *(user("u1", "water the peas"), assistant("a1", "m1", "Sure.", tool_use("t1"))),
        *({**row, "attachment": queued}, {**row, "uuid": "q2", "attachment": notice}),
        *(user("r1", [tool_result("t1", "done")]), assistant("a2", "m2", "Both done.")),
    ]
    turns = read(jsonl(*rows))[1]
    assert [text for _, text in said(turns)] == [
        "water the peas",
        "Sure.",
        "also water the beans",
        "Both done.",
    ]
    assert turns[1].tool_calls[0].result == "done"


def test_claude_codes_own_words_are_no_turns() -> None:
    error = assistant("a1", "m1", "API Error: 529 overloaded", isApiErrorMessage=True)
    silent = assistant("a2", "m2", "No response requested.")
    silent["message"]["model"] = "<synthetic>"
    assert said(read(jsonl(user("u1", "hi"), error, silent))[1]) == [("user", "hi")]


def test_export_gives_a_reader_for_each_conversation() -> None:
    conversations = [
        {
            "uuid": f"d-{number}",
            "name": f"N{number}",
            "chat_messages": [{"sender": "human", "text": f"t{number}"}],
        }
        for number in range(2)
    ]
    data = json.dumps(conversations).encode()
    readers = list(read_transcripts(io.BytesIO(data), name="x.json"))
    assert [reader.session.title for reader in readers] == ["N0", "N1"]
    assert [turn.text for reader in readers for turn in reader] == ["t0", "t1"]
    assert [turn.text for turn in opened(data)] == ["t0", "t1"]


ROLE_LINES = [
    "User (2026-11-10 09:15)",
    "User",
    "🧑 You:",
    "Claude 4.5 - 2026-11-10 09:15",
    "用户（2026年11月10日）",
]


@pytest.mark.parametrize("line", ROLE_LINES)
def test_a_role_line_is_no_title_whatever_the_format(line: str) -> None:
    chat = f"## {line}\n\nWe take SQLite.\n\n## Assistant\n\nNoted.\n\n## User\n\nThanks.\n"
    messages = [{"sender": "human", "text": "We take SQLite."}]
    files = [
        chat.encode(),
        f'---\ntitle: "{line}"\n---\n# Talk\n\n{chat}'.encode(),
        json.dumps([{"uuid": "d-1", "name": line, "chat_messages": messages}]).encode(),
        json.dumps({"title": line, "messages": COWORK}).encode(),
        jsonl({"memfs": 1, "title": line}, {"role": "user", "text": "We take SQLite."}),
        jsonl({"type": "custom-title", "customTitle": line}, user("u1", "We take SQLite.")),
        f"{line}\n微信\n[2026-03-04 09:15] Ana: hello\n[2026-03-04 09:16] Bo: hi\n".encode(),
    ]
    for data in files:
        for reader in read_transcripts(io.BytesIO(data), name="x"):
            assert [turn.text for turn in reader], data
            assert reader.session.title is None, data


@pytest.mark.parametrize("title", ["Gemini 3 for the archive", "Question", "AI"])
def test_a_markdown_chat_under_a_title_that_names_a_role_is_a_chat(title: str) -> None:
    reader, turns = read(f"# {title}\n\n## User\n\nHello.\n\n## Assistant\n\nHi.\n".encode())
    assert reader.format == "markdown-chat"
    assert said(turns) == [("user", "Hello."), ("assistant", "Hi.")]
    _, turns = read(f"# User\n\nRead this:\n\n## {title}\n\n## Answer\n".encode())
    assert [turn.role for turn in turns] == ["user"], "headings in what was said are text"


@pytest.mark.parametrize("title", ["Gemini 3 for the archive", "User interface", "Questions", "AI in 2026"])
def test_a_title_that_begins_like_a_role_stays(title: str) -> None:
    conversation = {"uuid": "d-1", "name": title, "chat_messages": [{"sender": "human", "text": "Hello."}]}
    [reader] = read_transcripts(io.BytesIO(json.dumps([conversation]).encode()), name="x.json")
    assert reader.session.title == title


def test_document_that_is_cut_off_says_so() -> None:
    with pytest.raises(TranscriptError, match="not a whole JSON document"):
        opened(b'[{"uuid": "d-1", "chat_messages": [{"sender": "human"', name="c.json")


class Shouting:
    """A parser as another package may bring it."""

    name = "shouting"

    def recognise(self, head: bytes) -> bool:
        return head.startswith(b"SHOUTING\n")

    def open(self, source: Source) -> Reader:
        turns = [Turn("user", line, id=f"line-{line}") for line in read_text(source).split("\n")[1:] if line]
        return whole_reader(self.name, source, Progress(), lambda: turns)


def test_further_parsers_are_asked_first() -> None:
    data = b"SHOUTING\nHELLO\nUser: not a label here\n"
    reader = open_transcript(io.BytesIO(data), name="x", parsers=[Shouting()])
    assert transcript_json(reader)["format"] == "shouting"
    assert recognise(data, [Shouting()]) == "shouting"
    assert recognise(data) == "plain-text"


@pytest.mark.parametrize(
    "name",
    [
        *(
            "a.jsonl.tmp-4242",
            "a.jsonl.unreadable-1780000000000",
            ".a.jsonl.swp",
            "a.jsonl~",
            "a.lock",
            "a.bak",
        ),
        *("a.sync-conflict-20260301-090000-ABCDEFG.jsonl", "a (Ana's conflicted copy 2026-03-01).jsonl"),
        *("agent-ag7.meta.json", "#a.jsonl#", "user.json", "message_feedback.json", "a.part", ".DS_Store"),
    ],
)
def test_files_beside_transcripts_are_ignored_by_name(name: str) -> None:
    assert ignored_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "a.jsonl",
        "rollout-2026.jsonl.zst",
        "conversations.json",
        "chat.md",
        "tmp.txt",
        "block.txt",
        "partly.md",
    ],
)
def test_transcripts_are_not_ignored_by_name(name: str) -> None:
    assert not ignored_name(name)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused_and_never_crash(data: bytes) -> None:
    try:
        reader, _ = read(data)
    except TranscriptError:
        return
    assert reader.consumed <= len(data) * 2


KEYS = [
    *("type", "role", "content", "message", "payload", "id", "uuid", "sessionId", "parts", "text", "mapping"),
    *("chat_messages", "messages", "tool_calls", "$set", "$rewindTo", "metadata", "memfs", "timestamp"),
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=20,
)


@given(st.lists(VALUES, max_size=4))
def test_strange_values_in_known_places_never_crash(rows: list[Any]) -> None:
    first: list[Any] = [
        user("u1", "hi"),
        codex("session_meta", id="x"),
        {"sessionId": "g", "projectHash": "h"},
        {"role": "user", "content": "hi"},
        {"memfs": 1},
        {"role": "user", "content": "hi", "agentRoleKey": "a"},
    ]
    for head in first:
        list(opened(jsonl(head, *rows)))
    for document in (
        rows,
        {"messages": rows},
        [{"mapping": {}}, *rows],
        [{"chat_messages": rows}],
        {"mapping": rows},
    ):
        try:
            list(opened(json.dumps(document).encode()))
        except TranscriptError:
            continue


SAMPLES = Path(__file__).parent / "samples"
JSON_SAMPLES = sorted(
    path for path in SAMPLES.glob("*/*.json*") if path.name.split(".")[2] in ("json", "jsonl")
)


def paths_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value inside ``value``."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from paths_in(inner, (*path, key))


def put(value: Any, path: tuple[Any, ...], new: Any) -> None:
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = new


@given(st.sampled_from(JSON_SAMPLES), st.data())
def test_any_value_of_a_sample_may_be_another_without_a_crash(sample: Path, data: st.DataObject) -> None:
    whole = sample.read_bytes()
    by_line = sample.suffix == ".jsonl"
    lines = [line for line in whole.split(b"\n") if line.startswith(b"{")] if by_line else [whole]
    number = data.draw(st.integers(0, len(lines) - 1))
    try:
        row = json.loads(lines[number])
    except ValueError:
        return  # a sample's own broken line
    put(row, data.draw(st.sampled_from(list(paths_in(row)))), data.draw(VALUES))
    lines[number] = json.dumps(row).encode()
    try:
        list(opened(b"\n".join(lines) + b"\n"))
    except TranscriptError:
        return
