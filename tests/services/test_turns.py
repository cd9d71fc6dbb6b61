"""Pushed turns: durable before they are acknowledged, each message once, whatever happens in between."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from memfs.errors import InvalidRequest, VaultError
from memfs.model import Turn
from memfs.services import turns as module
from memfs.services.ingest import ingest
from memfs.services.ingesting.reading import open_reader
from memfs.services.opening import Vault
from memfs.services.turns import Pushed, push_turns
from tests.services.vaults import IDENTITY, new_vault


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return new_vault(tmp_path / "vault")


def turn(id: str, text: str = "We decided to use SQLite for the cache", role: str = "user") -> Turn:
    return Turn(role, text, timestamp="2026-11-30T09:00:00+00:00", id=id)  # type: ignore[arg-type]


def push(vault: Vault, *turns: Turn, session: str = "s-1", model: str = "m") -> Pushed:
    return push_turns(vault, session, identity=IDENTITY, channel="feishu", model=model, turns=turns)


def transcript(vault: Vault, session: str = "s-1") -> Path:
    return vault.layout.inbox_dir(IDENTITY) / f"{session}.jsonl"


def read(path: Path) -> list[tuple[str | None, str]]:
    with open_reader(path) as reader:
        return [(one.id, one.text) for one in reader]


def test_turns_are_a_transcript_that_ingest_reads(vault: Vault) -> None:
    assert push(vault, turn("msg-00000001"), turn("msg-00000002", "Right.", "assistant")) == Pushed(
        "s-1", 2, 0
    )
    with open_reader(transcript(vault)) as reader:
        assert [one.role for one in reader] == ["user", "assistant"]
        told = reader.session
    assert (told.id, told.identity, told.channel, told.model) == ("s-1", IDENTITY, "feishu", "m")
    report = ingest(vault)
    assert [(one.session, one.identity, one.added) for one in report.sessions] == [("s-1", IDENTITY, 1)]


def test_a_message_is_kept_once(vault: Vault) -> None:
    push(vault, turn("msg-00000001"))
    assert push(vault, turn("msg-00000001"), turn("msg-00000002")) == Pushed("s-1", 1, 1)
    assert push(vault, turn("msg-00000003"), turn("msg-00000003")) == Pushed("s-1", 1, 1)
    assert [id for id, _ in read(transcript(vault))] == ["msg-00000001", "msg-00000002", "msg-00000003"]


def test_a_new_process_knows_what_was_pushed(vault: Vault) -> None:
    push(vault, turn("msg-00000001"))
    module._contents.clear()
    assert push(vault, turn("msg-00000001"), turn("msg-00000002")) == Pushed("s-1", 1, 1)


def test_what_another_process_pushed_counts(vault: Vault) -> None:
    push(vault, turn("msg-00000001"))
    with transcript(vault).open("ab") as file:
        file.write(b'{"id":"msg-00000002","role":"user","text":"x"}\n')
    assert push(vault, turn("msg-00000002")) == Pushed("s-1", 0, 1)


@pytest.mark.parametrize("cold", [True, False])
def test_half_a_line_of_a_crash_is_written_over(vault: Vault, cold: bool) -> None:
    push(vault, turn("msg-00000001"))
    with transcript(vault).open("ab") as file:
        file.write(b'{"id":"msg-00000002","role":"user","te')
    if cold:
        module._contents.clear()
    assert push(vault, turn("msg-00000002")).accepted == 1
    assert [id for id, _ in read(transcript(vault))] == ["msg-00000001", "msg-00000002"]


def test_every_acknowledged_turn_was_synced(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda fd: (synced.append(os.fstat(fd).st_ino), real(fd))[1])
    push(vault, turn("msg-00000001"))
    assert transcript(vault).stat().st_ino in synced
    assert transcript(vault).parent.stat().st_ino in synced


def test_a_full_disk_acknowledges_nothing_and_leaves_nothing(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    push(vault, turn("msg-00000001"))
    before = transcript(vault).read_bytes()

    write = os.pwrite

    def fail(descriptor: int, data: bytes, at: int) -> int:
        if b"msg-" not in data:  # a lock's
            return write(descriptor, data, at)
        os.ftruncate(descriptor, at + 3)
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", fail)
        with pytest.raises(VaultError, match="No space left"):
            push(vault, turn("msg-00000002"))
    assert transcript(vault).read_bytes() == before
    assert push(vault, turn("msg-00000002")).accepted == 1


def test_another_model_is_said_from_there_on(vault: Vault) -> None:
    push(vault, turn("msg-00000001"))
    push(vault, turn("msg-00000002"))
    push(vault, turn("msg-00000003"), model="other")
    lines = transcript(vault).read_text().splitlines()
    assert [n for n, line in enumerate(lines) if '"memfs"' in line] == [0, 3]


@pytest.mark.parametrize("session", ["a/../../b", "A b", "a-b", "..", "x" * 300, "会议", "con"])
def test_any_session_id_has_a_file_of_its_own_in_the_inbox(vault: Vault, session: str) -> None:
    push(vault, turn("msg-00000001"))
    push(vault, turn("msg-00000001"), session=session)
    inbox = vault.layout.inbox_dir(IDENTITY)
    assert len(list(inbox.glob("*.jsonl"))) == 2
    (path,) = [path for path in inbox.glob("*.jsonl") if path != transcript(vault)]
    with open_reader(path) as reader:
        list(reader)
        assert reader.session.id == session


def test_a_link_in_the_inbox_is_not_followed(vault: Vault, tmp_path: Path) -> None:
    outside = tmp_path / "outside.jsonl"
    outside.write_text("mine\n")
    transcript(vault).parent.mkdir(parents=True, exist_ok=True)
    transcript(vault).symlink_to(outside)
    with pytest.raises(VaultError, match="cannot be written"):
        push(vault, turn("msg-00000001"))
    assert outside.read_text() == "mine\n"


@pytest.mark.parametrize(
    ("pushed", "session", "identity", "why"),
    [
        (Turn("user", "x"), "s", IDENTITY, "needs an id"),
        (Turn("document", "x", id="1"), "s", IDENTITY, "not a document"),
        (Turn("user", "x", id="1"), " ", IDENTITY, "session needs an id"),
        (Turn("user", "x", id="1"), "s", "stranger", "no identity is called stranger"),
    ],
)
def test_what_is_refused(vault: Vault, pushed: Turn, session: str, identity: str, why: str) -> None:
    with pytest.raises(InvalidRequest, match=why):
        push_turns(vault, session, identity=identity, turns=[pushed])
    assert not list(vault.layout.inbox.rglob("*.jsonl"))


def test_many_at_once_lose_and_double_nothing(vault: Vault) -> None:
    sent = [[turn(f"msg-{n:08}") for n in range(start, start + 30)] for start in (0, 10, 20, 30)]

    def run(turns: list[Turn]) -> None:
        for one in turns:
            push(vault, one)

    threads = [threading.Thread(target=run, args=(turns,)) for turns in sent]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(id or "" for id, _ in read(transcript(vault))) == [f"msg-{n:08}" for n in range(60)]


def test_half_a_character_is_refused_and_leaves_no_file(vault: Vault) -> None:
    with pytest.raises(InvalidRequest, match="surrogate"):
        push(vault, turn("m1", "a \ud800 b"))
    assert not transcript(vault).exists()
