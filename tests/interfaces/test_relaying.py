"""The commands relay add, relay show and archive, and the same from Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import memfs
from tests.interfaces.conftest import run_memfs

IDENTITY = "coding-assistant"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A new vault with one identity."""
    folder = tmp_path / "v"
    assert run_memfs("init", folder, "--identity", IDENTITY).code == 0
    return folder


def test_a_baton_from_hand_to_hand(place: Path) -> None:
    asked = run_memfs(
        "relay", "add", "Which queue?", "--role", "user", "--message", "message-1", "--session", "s",
        "--identity", IDENTITY, "--channel", "feishu", "--vault", place, "--json",
    ).json  # fmt: skip
    assert (asked["channel"], asked["sequence"], asked["role"], asked["dropped"]) == (
        "feishu",
        1,
        "user",
        None,
    )
    done = run_memfs(
        "relay",
        "add",
        "-",
        "--reply-to",
        "message-1",
        "--channel",
        "feishu",
        "--vault",
        place,
        stdin="Redis\nStreams",
    )
    assert done.code == 0
    assert done.out.startswith("on the board: feishu#001 ^r-")
    shown = run_memfs("relay", "show", "--vault", place)
    assert [line.split(" ", 1)[1].rpartition(" ")[0] for line in shown.out.splitlines()] == [
        "feishu#001 user: Which queue?",
        "feishu#001 assistant: Redis Streams",
    ]
    board = run_memfs("relay", "show", "--vault", place, "--json").json
    assert [one["text"] for one in board["batons"]] == ["Which queue?", "Redis Streams"]
    assert board["overdue"] == board["problems"] == []


def test_what_is_dropped_is_said(place: Path) -> None:
    done = run_memfs("relay", "add", "ok", "--channel", "feishu", "--vault", place)
    assert (done.code, done.out) == (0, "")
    assert done.err == "not put on the board: it says too little for another agent\n"
    told = run_memfs("relay", "add", "ok", "--channel", "feishu", "--vault", place, "--json").json
    assert (told["id"], told["dropped"]) == (None, "it says too little for another agent")
    assert run_memfs("relay", "show", "--vault", place).out == "The board is empty.\n"


def test_in_chinese(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMFS_LANGUAGE", "zh")
    done = run_memfs("relay", "add", "好的", "--channel", "飞书", "--vault", place)
    assert done.err == "未放上接力板：信息太少，对下一位没有用\n"
    run_memfs("relay", "add", "队列选 Redis Streams", "--channel", "飞书", "--vault", place)
    assert "飞书#001 assistant: 队列选 Redis Streams" in run_memfs("relay", "show", "--vault", place).out
    assert (place / "memories" / IDENTITY / "relay.md").read_text().startswith("# 接力板\n")


def test_a_secret_is_replaced_and_that_is_said(place: Path) -> None:
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz1234567890ABCD"
    done = run_memfs("relay", "add", f"the token is {secret}", "--channel", "feishu", "--vault", place)
    assert "secret" in done.err
    assert secret not in run_memfs("relay", "show", "--vault", place).out


@pytest.mark.parametrize(
    "arguments", [("add", "x"), ("add",), ("nothing",), ("add", "x" * 401, "--channel", "c")]
)
def test_wrong_use(place: Path, arguments: tuple[str, ...]) -> None:
    done = run_memfs("relay", *arguments, *(("--vault", place) if len(arguments) > 3 else ()))
    assert done.code == 2
    assert done.err.startswith("error: ")


def test_several_identities_must_be_told_apart(place: Path) -> None:
    run_memfs("init", place, "--identity", "writer")
    done = run_memfs("relay", "add", "Take Redis", "--channel", "feishu", "--vault", place)
    assert done.code == 2
    assert "--identity" in done.err


def test_archive_from_the_command_line(place: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    original = work / "a.txt"
    original.write_text("one")
    row = {
        "id": "message-00001", "session_id": "s", "role": "user", "content": "see it", "agentRoleKey": IDENTITY,
        "modelId": "m/1", "metadata": {"file_path": str(original)},
    }  # fmt: skip
    (place / "inbox" / IDENTITY).mkdir(parents=True, exist_ok=True)
    (place / "inbox" / IDENTITY / "s.jsonl").write_text(json.dumps(row) + "\n")
    assert "no folder is named from which files may be archived" in run_memfs("archive", "--vault", place).err
    (place / "memfs.local.toml").write_text(f'[archive]\nroots = ["{tmp_path}"]\ndelete_originals = true\n')
    planned = run_memfs("archive", "--dry-run", "--vault", place)
    assert planned.out == ("Files that would be archived: 1, 3 B; originals that would be deleted: 1.\n")
    assert "[FileArchiver] would archive 1 file (3 B in all)" in planned.err
    assert "[FileArchiver] archived" not in planned.err
    wrong = run_memfs("archive", "--to", "/nowhere", "--vault", place)
    assert (wrong.code, "archive.roots" in wrong.err) == (2, True)
    done = run_memfs("archive", "--to", tmp_path / "kept", "--day", "2026-03-14", "--vault", place, "--json")
    assert done.code == 0
    copy = tmp_path / "kept" / f"{IDENTITY}_m-1" / "2026-03-14" / "a.txt"
    assert (done.json["files"], done.json["deleted"], done.json["archived"][0]["copy"]) == (1, 1, str(copy))
    assert copy.read_text() == "one"  # though it was written a moment ago: it lay still for two seconds
    assert not original.exists()
    assert "[FileArchiver] deleted the original" in done.err
    assert run_memfs("archive", "--vault", place).out == "Files archived: 0, 0 B; originals deleted: 0.\n"


def test_from_python(place: Path) -> None:
    memory = memfs.open(place)
    made = memory.relay_add("Take Redis Streams", channel="desktop")
    assert memory.relay_show().batons == (made,)
    assert memory.archive(dry_run=True).files == 0
