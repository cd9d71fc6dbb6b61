"""Change sets: sources that come and go, settings, the guard of new sources, lost folders."""

from __future__ import annotations

import os
import shutil
import threading
import time
from pathlib import Path

import pytest

from memfs.daemon.watcher import Watcher
from memfs.services.ingest import ingest
from memfs.services.opening import Vault, open_vault
from tests.daemon.watching import (
    AT_ONCE,
    DEADLINE,
    Feed,
    append,
    feed,
    inbox,
    source_settings,
    start_vault,
    talk,
)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return start_vault(tmp_path / "vault")


def test_a_new_inbox_is_a_new_source(vault: Vault) -> None:
    with feed(vault) as watched:
        (vault.layout.inbox / "gardener").mkdir()
        (vault.layout.inbox / "gardener" / "chat.jsonl").write_text(talk("Hello."))
        watched.until(lambda f: "chat.jsonl" in f.transcripts)
        watched.forget()
        append(vault.layout.inbox / "gardener" / "chat.jsonl", talk("More.", first=2))
        watched.until(lambda f: "chat.jsonl" in f.transcripts)


def test_an_inbox_whose_name_is_no_identity_stops_nothing(vault: Vault) -> None:
    (vault.layout.inbox / "My Agent!").mkdir()
    inbox(vault).write_text(talk("Hello."))
    with feed(vault) as watched:
        assert watched.transcripts == ["chat.jsonl"]


def test_a_source_that_is_one_file(tmp_path: Path) -> None:
    chat = tmp_path / "chat.jsonl"
    chat.write_text(talk("Hello."))
    (tmp_path / "other.jsonl").write_text(talk("Not mine."))
    vault = start_vault(tmp_path / "vault", AT_ONCE + source_settings(chat))
    with feed(vault) as watched:
        assert watched.transcripts == ["chat.jsonl"]
        watched.forget()
        append(chat, talk("More.", first=2))
        watched.until(lambda f: f.transcripts)


def test_globs_of_a_source_hold_for_events_too(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    (folder / "sub").mkdir(parents=True)
    more = {"include": ["**/*.jsonl"], "exclude": ["sub/**"]}
    vault = start_vault(tmp_path / "vault", AT_ONCE + source_settings(folder, **more))
    with feed(vault) as watched:
        for name in ("a.txt", "sub/b.jsonl", ".hidden.jsonl", "c.jsonl.tmp", "d.jsonl"):
            (folder / name).write_text(talk("Hello."))
        watched.until(lambda f: "d.jsonl" in f.transcripts)
        assert set(watched.transcripts) == {"d.jsonl"}


def test_a_new_source_with_many_sessions_waits_for_the_choice(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    for number in range(25):
        path = folder / f"{number}.jsonl"
        path.write_text(talk("Hello.", session=f"s{number}"))
        os.utime(path, (1_700_000_000, 1_700_000_000))
    settings = AT_ONCE + "[watch]\nrescan_seconds = 1\n" + source_settings(folder)
    vault = start_vault(tmp_path / "vault", settings)
    with feed(vault) as watched:
        assert watched.notices == ["choose"]
        append(folder / "3.jsonl", talk("More.", session="s3", first=2))
        watched.until(lambda f: sum(changes.complete for changes in f.seen) > 1)
        assert watched.transcripts == []
        assert watched.notices == ["choose"]
        ingest(vault, choice="none")
        grown = talk("More.", session="s7", first=2).replace("2026-03", "2099-03")  # said after the choice
        append(folder / "7.jsonl", grown)
        watched.until(lambda f: "7.jsonl" in f.transcripts)
        assert "5.jsonl" not in watched.transcripts


@pytest.mark.parametrize("name", ["memfs.toml", "memfs.local.toml", "templates/types/dreams.md"])
def test_settings_and_own_types_are_noticed(vault: Vault, name: str) -> None:
    path = vault.top / name
    with feed(vault) as watched:
        assert not any(changes.settings for changes in watched.seen)
        path.parent.mkdir(parents=True, exist_ok=True)
        temp = path.with_name(path.name + ".new")
        temp.write_text((path.read_text() if path.exists() else "") + "\n# more\n")
        os.replace(temp, path)
        watched.until(lambda f: any(changes.settings for changes in f.seen))


def test_other_settings_keep_what_is_known_of_the_same_sources(tmp_path: Path, vault: Vault) -> None:
    inbox(vault).write_text(talk("Hello."))
    folder = tmp_path / "sessions"
    folder.mkdir()
    (folder / "new.jsonl").write_text(talk("Hello.", session="s2"))
    with feed(vault) as watched:
        watched.forget()
        (vault.top / "memfs.local.toml").write_text(AT_ONCE + source_settings(folder))
        watched.watcher.use(open_vault(vault.top, environ={}))
        watched.until(lambda f: f.transcripts)
        assert watched.transcripts == ["new.jsonl"]


def test_a_vault_that_vanishes_and_returns(tmp_path: Path, vault: Vault) -> None:
    (vault.top / "Note.md").write_text("# Note\n")
    with feed(vault) as watched:
        watched.forget()
        os.rename(vault.top, tmp_path / "away")
        watched.until(lambda f: "lost" in f.notices)
        assert watched.documents == [], "an unplugged vault is not a vault without notes"
        os.rename(tmp_path / "away", vault.top)
        watched.until(lambda f: "back" in f.notices and any(changes.settings for changes in f.seen))
        watched.forget()
        append(vault.top / "Note.md", "more\n")
        watched.until(lambda f: "Note.md" in f.documents)


def test_never_polling_only_looks_at_intervals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no watches can be had and polling is refused; the limit is the system's, told here by its error."""

    def refuse(*_: object) -> None:
        raise OSError(24, "inotify instance limit reached")

    monkeypatch.setattr("memfs.daemon.watcher.Events", refuse)
    vault = start_vault(tmp_path / "vault", AT_ONCE + "[watch]\npolling = 'never'\nrescan_seconds = 86400\n")
    with Watcher(vault) as watcher:
        said = watcher.look().notices
        assert [(each.word, dict(each.values)["seconds"]) for each in said] == [("exhausted", 86400)]


def test_watchdogs_threads_are_made_anew_when_they_died(vault: Vault) -> None:
    with feed(vault) as watched:
        assert watched.watcher._events is not None
        watched.watcher._events.close()
        watched.watcher.look()
        watched.forget()
        (vault.top / "Note.md").write_text("# Note\n")
        watched.until(lambda f: "Note.md" in f.documents)
        assert not watched.seen[0].complete


def test_stop_ends_a_wait_at_once(vault: Vault) -> None:
    with Watcher(vault) as watcher:
        running = Feed(watcher)
        running.until(lambda f: f.seen)
        began = time.monotonic()
        threading.Timer(0.05, running.stop.set).start()
        running._until = time.monotonic() + DEADLINE
        for _ in running._changes:
            pass
        assert time.monotonic() - began < DEADLINE / 2


def test_a_folder_of_a_source_deleted_and_filled_again(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    (folder / "project").mkdir(parents=True)
    (folder / "project" / "a.jsonl").write_text(talk("Hello."))
    vault = start_vault(tmp_path / "vault", AT_ONCE + source_settings(folder))
    with feed(vault) as watched:
        shutil.rmtree(folder / "project")
        watched.until(lambda f: f.gone)
        (folder / "project").mkdir()
        (folder / "project" / "a.jsonl").write_text(talk("Hello again."))
        watched.forget()
        watched.until(lambda f: "project/a.jsonl" in f.transcripts)
