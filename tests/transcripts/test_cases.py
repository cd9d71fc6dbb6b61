"""Bug reports of other tools as tests: one per row, named by its id."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import zstandard

from memfs.errors import TranscriptError, UnknownFormat
from memfs.services.ingesting.reading import open_stream
from memfs.transcripts.folder import open_folder
from memfs.transcripts.privacy import keep_turns
from memfs.transcripts.report import transcript_json
from tests.transcripts.conftest import (
    SESSION,
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

SAMPLES = Path(__file__).parent / "samples"
PARENT = "01a05bc4-8180-7000-8000-00000000000a"
THREAD = "01a06158-ba80-7000-8000-00000000000d"
OLDER_TURN = "01a05bc4-9000-7000-8000-00000000000b"
NEWER_TURN = "01a06158-be68-7000-8000-00000000000e"


def test_tr_01_half_written_last_line_waits_and_is_read_once() -> None:
    whole = jsonl(user("u1", "first"), user("u2", "second, still being written"))
    cut = whole[:-20]
    reader, turns = read(cut)
    assert said(turns) == [("user", "first")]
    assert reader.pending_tail
    assert reader.consumed == cut.rfind(b"\n") + 1
    again, more = read(whole, start=reader.consumed)
    assert said(more) == [("user", "second, still being written")]
    assert again.consumed == len(whole)


def test_tr_01_whole_bad_line_is_passed_and_counted_with_its_number() -> None:
    data = jsonl(user("u1", "first"), b'{"type": "user", broken\n', user("u2", "second"))
    reader, turns = read(data)
    assert said(turns) == [("user", "first"), ("user", "second")]
    assert [(line.line, line.reason) for line in reader.skipped] == [(2, "not JSON")]
    assert reader.consumed == len(data)


def test_tr_01_line_numbers_count_from_the_start_of_the_file_when_reading_on() -> None:
    first = jsonl(user("u1", "first"), user("u2", "second"))
    reader, _ = read(first + b"{broken\n", start=len(first))
    assert [line.line for line in reader.skipped] == [3]


def test_tr_03_record_without_its_newline_waits_and_the_newline_is_no_record() -> None:
    line = jsonl(user("u1", "only"))
    reader, turns = read(line[:-1])
    assert (turns, reader.consumed, reader.pending_tail, reader.problems) == ([], 0, True, ())
    reader, turns = read(line + jsonl(user("u2", "next")), start=reader.consumed)
    assert said(turns) == [("user", "only"), ("user", "next")]
    assert reader.skipped == ()


def test_tr_05_offsets_are_bytes_whatever_the_characters() -> None:
    rows = [json.dumps(user(f"u{number}", f"茶 é 🌿 {number}"), ensure_ascii=False) for number in range(4)]
    data = "".join(row + "\n" for row in rows).encode()
    start, found = 0, []
    for stop in (len(rows[0].encode()) + 40, len(data) - 3, len(data)):
        reader, turns = read(data[:stop], start=start)
        found += [turn.text for turn in turns]
        start = reader.consumed
    assert found == [f"茶 é 🌿 {number}" for number in range(4)]


@pytest.mark.parametrize("back", [1, 2, 30])
def test_tr_08_offset_inside_a_line_resyncs_at_the_next_newline(back: int) -> None:
    first, second = jsonl(user("u1", "first")), jsonl(user("u2", "second"))
    reader, turns = read(first + second, start=len(first) - back)
    assert said(turns) == [("user", "second")]
    assert reader.consumed == len(first + second)


def test_tr_08_offset_inside_the_last_line_ends() -> None:
    data = jsonl(user("u1", "first"))
    reader, turns = read(data, start=len(data) - 5)
    assert (turns, reader.consumed) == ([], len(data))


def test_tr_10_one_bad_line_inside_a_paste_hides_nothing_else() -> None:
    pasted = b'{"type":"user","uuid":"u2","message":{"role":"user","content":"half a \\ud8'
    data = jsonl(user("u1", "before"), pasted + b"\n", user("u3", "after"))
    reader, turns = read(data)
    assert said(turns) == [("user", "before"), ("user", "after")]
    assert len(reader.skipped) == 1


def test_tr_11_utf8_is_read_as_utf8_and_never_by_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    text = "naïve 温度 Übung"
    data = json.dumps(user("u1", text), ensure_ascii=False).encode() + b"\n"
    assert said(read(data)[1]) == [("user", text)]


def test_tr_11_bytes_of_another_encoding_are_refused_by_name_not_guessed() -> None:
    with pytest.raises(TranscriptError) as caught:
        opened("User: Müller mag Käse und Öl für die Küche\n".encode("latin-1"), name="kueche.txt")
    assert caught.value.path == "kueche.txt"


def test_tr_12_run_of_nul_bytes_is_one_skipped_line() -> None:
    data = jsonl(user("u1", "before"), b"\0" * 5000 + b"\n", user("u2", "after"))
    reader, turns = read(data)
    assert said(turns) == [("user", "before"), ("user", "after")]
    assert [(line.line, line.reason) for line in reader.skipped] == [(2, "NUL bytes")]


def test_tr_12_nul_bytes_at_the_very_start_do_not_hide_the_format() -> None:
    reader, turns = read(b"\0" * 64 + b"\n" + jsonl(user("u1", "after")))
    assert (reader.format, said(turns)) == ("claude-code", [("user", "after")])


def test_tr_14_bookkeeping_first_does_not_hide_the_format() -> None:
    rows: list[Any] = [
        {"type": "queue-operation", "operation": "enqueue", "sessionId": SESSION, "content": "hello"},
        {"type": "last-prompt", "lastPrompt": "x" * 90_000, "sessionId": SESSION},
        {"type": "brand-new-record", "whatever": 1},
        user("u1", "hello"),
    ]
    reader, turns = read(jsonl(*rows))
    assert (reader.format, said(turns)) == ("claude-code", [("user", "hello")])


@pytest.mark.parametrize(
    "data",
    [
        b'{"name": "Ana", "role": "gardener"}\n',
        b'[{"role": "admin", "name": "root"}, {"role": "user", "name": "ana"}]',
        b'{"users": [{"role": "user", "content_type": "x"}]}',
        b'{"role": "user"}\n{"role": "admin"}\n',
        b'{\n  "messages": {"greeting": "hi", "role": "user", "content": "x"}\n}\n',
    ],
)
def test_tr_15_files_that_merely_hold_the_word_role_are_no_chats(data: bytes) -> None:
    with pytest.raises(UnknownFormat):
        opened(data)


def test_tr_15_notes_about_roles_are_one_document() -> None:
    text = "# Who does what\n\nEvery role has an owner.\nuser: see below is not how we write it\n"
    reader, turns = read(text.encode())
    assert reader.format == "plain-text"
    assert [turn.role for turn in turns] == ["document"]


def test_tr_16_client_text_is_taken_out_of_what_the_user_said() -> None:
    rows = [
        user("u1", "<command-name>/model</command-name>\n<command-args>fast</command-args>"),
        user("u2", "<local-command-stdout>I always use tabs</local-command-stdout>"),
        user("u3", "Caveat: The messages below were generated by the user while running local commands."),
        user("u4", "Plant beans.\n<system-reminder>The user prefers peas.</system-reminder>"),
        user("u5", "<system-reminder>\nnever closed, I like gravel"),
        user("u6", [{"type": "text", "text": "<ide_opened_file>a.py</ide_opened_file>"}, "real words"]),
        user("u7", [tool_result("t9", "I prefer vim")]),
        user("u8", "what does <system-reminder> mean?"),
    ]
    assert said(read(jsonl(*rows))[1]) == [
        ("user", "Plant beans."),
        ("user", "real words"),
        ("user", "what does <system-reminder> mean?"),
    ]


def test_tr_18_longer_snapshot_of_a_block_takes_its_place() -> None:
    rows = [
        user("u1", "hi"),
        assistant("a1", "msg_1", "Hel"),
        assistant("a2", "msg_1", "Hello the"),
        assistant("a3", "msg_1", "Hello there."),
        assistant("a4", "msg_1", "Hello there."),
        assistant("a5", "msg_1", tool_use("t1", command="l")),
        assistant("a6", "msg_1", tool_use("t1", command="ls")),
        assistant("a7", "msg_1", "A second block."),
    ]
    turns = read(jsonl(*rows))[1]
    assert said(turns) == [("user", "hi"), ("assistant", "Hello there.\nA second block.")]
    assert [call.arguments for call in turns[1].tool_calls] == [{"command": "ls"}]


def test_tr_19_file_of_only_sidechain_rows_is_a_subagents_transcript() -> None:
    rows = [
        user("u1", "Find pumps", isSidechain=True, agentId="ag7"),
        assistant("a1", "m1", "Found.", isSidechain=True, agentId="ag7"),
    ]
    reader, turns = read(jsonl(*rows))
    assert (reader.session.subagent, reader.session.agent, reader.session.id) == (True, "ag7", SESSION)
    assert said(turns) == [("user", "Find pumps"), ("assistant", "Found.")]
    assert all(turn.sidechain for turn in turns)
    assert keep_turns(turns, reader.session)[0] == ()


def test_tr_19_sidechain_rows_inside_a_session_are_no_turns() -> None:
    rows = [
        user("u1", "Find pumps"),
        user("s1", "subtask", isSidechain=True),
        assistant("s2", "m9", "sub answer", isSidechain=True),
        assistant("a1", "m1", "Found."),
    ]
    reader, turns = read(jsonl(*rows))
    assert said(turns) == [("user", "Find pumps"), ("assistant", "Found.")]
    assert not reader.session.subagent


def test_tr_21_rows_copied_within_a_file_make_one_turn_and_ids_tell_copies_in_others() -> None:
    rows = [user("u1", "I like tea"), assistant("a1", "m1", "Noted."), user("u2", "More")]
    turns = read(jsonl(*rows, *rows))[1]
    assert [turn.id for turn in turns] == ["u1", "m1", "u2"]
    branch = [{**row, "sessionId": "another"} for row in rows]
    assert [turn.id for turn in read(jsonl(*branch))[1]] == ["u1", "m1", "u2"]


def test_tr_22_a_session_says_when_it_began_so_that_its_deadline_is_known() -> None:
    reader, _ = read(jsonl(user("u1", "hello", timestamp="2026-01-02T03:04:05.000Z")))
    assert reader.session.started_at == "2026-01-02T03:04:05.000Z"


def test_tr_25_items_in_pascal_case_are_read() -> None:
    def item(kind: str, **about: Any) -> dict[str, Any]:
        return codex_event("item_completed", item={"type": kind, **about}, turn_id="T1")

    rows = [
        codex("session_meta", id=THREAD, timestamp="2026-09-02T09:00:00.000Z"),
        item("UserMessage", content=[{"type": "text", "text": "Glaze it"}]),
        item("Reasoning", summary=["hidden"]),
        item("AgentMessage", content=[{"type": "Text", "text": "Done."}]),
    ]
    assert said(read(jsonl(*rows))[1]) == [("user", "Glaze it"), ("assistant", "Done.")]


def test_tr_25_zero_turns_of_a_file_that_is_not_empty_are_a_problem() -> None:
    rows = [
        codex("session_meta", id=THREAD),
        codex_event("item_done_in_some_new_way", item={"kind": "said", "words": "hi"}),
    ]
    reader, turns = read(jsonl(*rows))
    assert turns == []
    assert len(reader.problems) == 1
    assert "codex" in reader.problems[0]
    assert read(b"")[0].problems == ()


def test_tr_26_items_and_their_event_copies_are_one_turn_in_either_order() -> None:
    rows = [
        codex("session_meta", id=THREAD),
        codex_item("user", "ok"),
        codex_event("user_message", message="ok"),
        codex_event("agent_message", message="Fine."),
        codex_item("assistant", "Fine."),
        codex_item("user", "ok"),
        codex_event("user_message", message="ok"),
    ]
    assert said(read(jsonl(*rows))[1]) == [("user", "ok"), ("assistant", "Fine."), ("user", "ok")]


def test_tr_26_event_copy_after_the_cursor_is_no_new_turn() -> None:
    first = jsonl(codex("session_meta", id=THREAD), codex_item("user", "ok"))
    reader, turns = read(first)
    assert said(turns) == [("user", "ok")]
    more = first + jsonl(codex_event("user_message", message="ok"), codex_item("assistant", "Fine."))
    assert said(read(more, start=reader.consumed)[1]) == [("assistant", "Fine.")]


def test_tr_28_compressed_rollout_is_the_same_session_with_nothing_new() -> None:
    plain = (SAMPLES / "codex" / "sample.legacy.jsonl").read_bytes()
    reader, turns = read(plain)
    packed = zstandard.compress(plain[:9000]) + zstandard.compress(plain[9000:])
    again, same = read(packed)
    assert (again.session, same) == (reader.session, turns)
    rest, new = read(packed, start=reader.consumed)
    assert (rest.session.id, new, rest.problems) == (reader.session.id, [], ())


@pytest.mark.parametrize("damage", [lambda packed: packed[:20], lambda packed: packed[:4] + b"\xff" * 90])
def test_tr_28_broken_compression_is_reported_by_name(damage: Callable[[bytes], bytes]) -> None:
    packed = zstandard.compress((SAMPLES / "codex" / "sample.legacy.jsonl").read_bytes())
    with pytest.raises(TranscriptError) as caught:
        opened(damage(packed), name="r.jsonl.zst")
    assert caught.value.path == "r.jsonl.zst"


def fork(*rows: Any) -> bytes:
    return jsonl(
        codex("session_meta", id=THREAD, forked_from_id=PARENT, cwd="/proj"),
        codex("session_meta", id=PARENT, cwd="/elsewhere"),
        *rows,
    )


def test_tr_30_fork_is_named_by_its_first_header_and_gives_only_its_own_turns() -> None:
    data = fork(
        codex_event("task_started", turn_id=OLDER_TURN),
        codex_item("user", "said to the parent"),
        codex_item("assistant", "answered by the parent"),
        codex_event("task_started", turn_id=NEWER_TURN),
        codex_item("user", "said to the fork"),
    )
    reader, turns = read(data)
    assert (reader.session.id, reader.session.parent, reader.session.cwd) == (THREAD, PARENT, "/proj")
    assert said(turns) == [("user", "said to the fork")]
    assert reader.counts["inherited_turns"] == 2


def test_tr_31_settings_in_the_copied_history_are_not_where_the_fork_begins() -> None:
    data = fork(
        codex_event("task_started", turn_id=OLDER_TURN),
        codex_item("user", "old one"),
        codex_event("thread_settings_applied", settings={}),
        codex_item("user", "old two"),
        codex("turn_context", turn_id=NEWER_TURN, cwd="/proj"),
        codex_item("user", "new"),
    )
    assert said(read(data)[1]) == [("user", "new")]


def test_tr_32_subagent_with_two_headers_and_no_copied_history_keeps_all_its_turns() -> None:
    data = (SAMPLES / "codex" / "sample.subagent.jsonl").read_bytes()
    reader, turns = read(data)
    assert said(turns) == [("user", "Count the shelves."), ("assistant", "Seven shelves.")]
    assert reader.counts["inherited_turns"] == 0


def test_tr_34_compaction_is_never_a_turn() -> None:
    summary = "This session is being continued from a previous conversation that ran out of context. Tea."
    claude = [
        {
            "type": "system",
            "subtype": "compact_boundary",
            "sessionId": SESSION,
            "uuid": "s",
            "parentUuid": None,
        },
        user("c1", summary, isCompactSummary=True),
        user("c2", summary),
        user("u1", "go on"),
    ]
    assert said(read(jsonl(*claude))[1]) == [("user", "go on")]
    history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "old"}]}]
    rollout = [
        codex("session_meta", id=THREAD),
        codex("compacted", message="Summary: likes tea", replacement_history=history),
        codex_item("user", "go on"),
    ]
    assert said(read(jsonl(*rollout))[1]) == [("user", "go on")]


def gemini(id: str, text: Any, kind: str = "user", **more: Any) -> dict[str, Any]:
    return {"id": id, "timestamp": "2026-06-01T08:00:00.000Z", "type": kind, "content": text, **more}


GEMINI = {"sessionId": "g-2", "projectHash": "h", "startTime": "2026-06-01T08:00:00.000Z"}


def test_tr_35_gemini_lines_are_found_by_content() -> None:
    reader, turns = read(jsonl(GEMINI, gemini("1", "Tune it")))
    assert (reader.format, said(turns)) == ("gemini-cli", [("user", "Tune it")])
    headless, turns = read(jsonl(gemini("1", "Tune it"), {"$set": {"summary": "Piano"}}))
    assert (headless.format, headless.session.title) == ("gemini-cli", "Piano")
    assert said(turns) == [("user", "Tune it")]


def test_tr_36_record_with_the_same_id_is_replaced_in_place() -> None:
    call = {"id": "t1", "name": "ls", "args": {}}
    done = {**call, "status": "success", "result": [{"functionResponse": {"response": {"output": "a"}}}]}
    first = jsonl(GEMINI, gemini("1", "List"), gemini("2", "Sure", "gemini", toolCalls=[call]))
    data = first + jsonl(gemini("3", "Thanks"), gemini("2", "Sure.", "gemini", toolCalls=[done]))
    turns = read(data)[1]
    assert said(turns) == [("user", "List"), ("assistant", "Sure."), ("user", "Thanks")]
    assert [call.result for call in turns[1].tool_calls] == ["a"]
    assert said(read(data, start=len(first))[1]) == [("user", "Thanks")]


def test_tr_38_records_after_a_batch_are_read_too() -> None:
    batch = {"$set": {"messages": [gemini("1", "one"), gemini("2", "two", "gemini")]}}
    turns = read(jsonl(GEMINI, batch, gemini("3", "three"), gemini("4", "four", "gemini")))[1]
    assert [text for _, text in said(turns)] == ["one", "two", "three", "four"]


def node(id: str, parent: str | None, role: str, text: str, **message: Any) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text]}
    about = {"id": id, "author": {"role": role}, "content": content, "recipient": "all", **message}
    return {"id": id, "parent": parent, "children": [], "message": about}


def chatgpt(*nodes: dict[str, Any], current: str, title: str | None = "T") -> bytes:
    mapping = {"root": {"id": "root", "parent": None, "message": None}, **{one["id"]: one for one in nodes}}
    tree = {"conversation_id": "c-1", "title": title, "mapping": mapping, "current_node": current}
    return json.dumps([tree]).encode()


def test_tr_40_only_the_branch_of_the_current_node_counts() -> None:
    data = chatgpt(
        node("n1", "root", "user", "How long?"),
        node("n2", "n1", "assistant", "abandoned"),
        node("n3", "n1", "assistant", "regenerated"),
        current="n3",
    )
    report = transcript_json(opened(data))["conversations"][0]
    assert [turn["text"] for turn in report["turns"]] == ["How long?", "regenerated"]
    assert report["inactive_branch_messages"] == 1


def test_tr_41_system_message_in_mid_chain_is_passed_through() -> None:
    data = chatgpt(
        node("n1", "root", "user", "one"),
        node("n2", "n1", "system", "be brief"),
        node("n3", "n2", "assistant", "two"),
        current="n3",
    )
    assert said(read(data)[1]) == [("user", "one"), ("assistant", "two")]


def test_tr_43_export_of_many_files_without_metadata_is_read() -> None:
    folder = SAMPLES / "chatgpt-export" / "sample.split"
    files = {path.name: partial(open_stream, path) for path in folder.iterdir()}
    report = transcript_json(open_folder(files))
    expected = json.loads((folder.parent / "sample.split.expected.json").read_text())
    fields = ("role", "text", "timestamp", "tool_calls")
    turns = [{key: turn[key] for key in fields} for turn in report["conversations"][0]["turns"]]
    assert turns == expected["conversations"][0]["turns"]
    assert sorted(report["ignored_files"]) == sorted(expected["ignored_files"])


def test_tr_44_null_title_and_citation_marks() -> None:
    text = "Tea is hot.\ue200cite\ue202turn0search1\ue201 Very.\ue203"
    data = chatgpt(
        node("n1", "root", "user", "hi"), node("n2", "n1", "assistant", text), current="n2", title=None
    )
    reader = opened(data)
    assert reader.conversations[0].session.title is None
    assert said(list(reader)) == [("user", "hi"), ("assistant", "Tea is hot. Very.")]


def claude_ai(*messages: dict[str, Any]) -> bytes:
    conversation = {"uuid": "d-1", "name": "", "created_at": "2026-02-01T12:00:00.000000Z"}
    return json.dumps([{**conversation, "chat_messages": list(messages)}]).encode()


def test_tr_45_bare_array_is_told_apart_by_its_keys() -> None:
    assert opened(claude_ai({"uuid": "m1", "sender": "human", "text": "hi"})).format == "claude-ai-export"
    assert opened(chatgpt(node("n1", "root", "user", "hi"), current="n1")).format == "chatgpt-export"


def test_tr_45_no_conversation_of_several_that_can_be_read_is_a_problem() -> None:
    data = b'[{"uuid": "d-1", "chat_messages": []}, {"uuid": "d-2", "chat_messages": null}]'
    reader = opened(data)
    assert list(reader) == []
    assert any("1 of 2" in problem for problem in reader.problems)
    assert any("no turn" in problem for problem in reader.problems)


def test_tr_46_message_whose_words_are_only_in_an_attachment_is_kept() -> None:
    file = {"file_name": "hive.txt", "extracted_content": "Hive 3 is weak."}
    reader = opened(
        claude_ai({"uuid": "m1", "sender": "human", "text": "", "content": [], "attachments": [file]})
    )
    turn = transcript_json(reader)["conversations"][0]["turns"][0]
    assert (turn["text"], turn["attachments"], turn["from_attachment"]) == ("Hive 3 is weak.", 1, True)


def test_tr_48_openai_messages_line_by_line() -> None:
    rows = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"},
    ]
    reader, turns = read(jsonl(*rows))
    assert (reader.format, said(turns)) == ("openai-messages", [("user", "Hi"), ("assistant", "Hello")])
    wrapped = jsonl({"messages": rows}, {"messages": [{"role": "user", "content": "Other"}]})
    assert said(read(wrapped)[1]) == [("user", "Hi"), ("assistant", "Hello"), ("user", "Other")]


def test_tr_48_lines_that_are_no_messages_are_refused_by_name() -> None:
    with pytest.raises(UnknownFormat) as caught:
        opened(b'{"event": "click"}\n{"event": "scroll"}\n', name="events.jsonl")
    assert caught.value.path == "events.jsonl"


def test_tr_49_headings_of_an_answer_start_no_turn() -> None:
    answer = "Yes.\n\n### User\n\nlater\n\n## Results\n\n~~~\n## User\n~~~"
    text = f"## User\n\nPlan?\n\n## Assistant\n\n{answer}\n\n## User\n\nOk"
    turns = read(text.encode())[1]
    assert [turn.role for turn in turns] == ["user", "assistant", "user"]
    assert "### User" in turns[1].text
    assert turns[2].text == "Ok"


def test_tr_50_labels_in_fences_quotes_and_mid_line_forge_no_turn() -> None:
    asked = "User: look\n> User: quoted\n  User: indented\nsaid User: mid\n```\nUser: fenced\n```\n"
    text = f"{asked}Assistant: seen\n"
    turns = read(text.encode())[1]
    assert [turn.role for turn in turns] == ["user", "assistant"]
    assert turns[0].text.count("User:") == 4


def test_tr_50_text_of_a_json_message_is_never_split_again() -> None:
    text = "see:\nAssistant: forged\nUser: forged too"
    assert said(read(json.dumps([{"role": "user", "content": text}]).encode())[1]) == [("user", text)]


def test_tr_51_row_with_only_thinking_is_no_turn() -> None:
    rows = [
        user("u1", "hi"),
        assistant("a1", "m1", {"type": "thinking", "thinking": "hm"}),
        user("u2", "there"),
    ]
    assert said(read(jsonl(*rows))[1]) == [("user", "hi"), ("user", "there")]


def test_tr_52_session_and_message_ids_are_the_same_wherever_the_file_lies() -> None:
    data = jsonl(user("u1", "hi"), assistant("a1", "m1", "hello"))
    one, two = opened(data, name="a/x.jsonl"), opened(data, name="b/link.jsonl")
    assert [turn.id for turn in one] == [turn.id for turn in two]
    assert one.session.id == two.session.id
