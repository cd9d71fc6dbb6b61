"""The watcher's cases, by their id: watchdog on real folders, the real loop, real limits of the system."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import unicodedata
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from memfs.daemon.events import Events
from memfs.daemon.hints import HintBox, Hints
from memfs.daemon.work import TranscriptWork
from memfs.services.finding.indexing import document_stats, open_index
from memfs.services.opening import Vault
from memfs.services.recall import search
from tests.daemon.watching import (
    AT_ONCE,
    DEADLINE,
    IDENTITY,
    append,
    eventually,
    feed,
    inbox,
    real_clock,
    running_loop,
    source_settings,
    start_vault,
    talk,
)

REMEMBER = "Please remember that the staging database listens on port 5433."


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return start_vault(tmp_path / "vault")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder of transcripts outside the vault."""
    folder = tmp_path / "sessions"
    folder.mkdir()
    return folder


def with_source(tmp_path: Path, folder: Path, **more: object) -> Vault:
    return start_vault(tmp_path / "vault", AT_ONCE + source_settings(folder, **more))


def documents(vault: Vault, query: str) -> list[str]:
    """The documents that a search finds."""
    return [hit.view.path for hit in search(vault, query).hits]


def test_wa_02_absence_during_a_save_is_retried(vault: Vault) -> None:
    note, chat = vault.top / "Note.md", inbox(vault)
    note.write_text("# Whales\n\nThey sing.\n")
    chat.write_text(talk("Hello there."))
    with feed(vault) as watched:
        watched.forget()
        hints = Hints(frozenset({str(note), str(chat)}))
        for path in (note, chat):
            os.rename(path, path.with_name(path.name + "~"))
        absent = watched.watcher.look(hints)
        assert absent.documents == {}
        assert absent.gone == []
        for path in (note, chat):
            shutil.copy(path.with_name(path.name + "~"), path)
            path.with_name(path.name + "~").unlink()
        append(note, "And dive.\n")
        append(chat, talk("And more.", first=2))
        watched.until(lambda f: "Note.md" in f.documents and "chat.jsonl" in f.transcripts)
        note.unlink()
        chat.unlink()
        watched.forget()
        watched.until(lambda f: "Note.md" in f.documents and str(chat) in f.gone)


def test_wa_04_a_folder_moved_in_or_out_is_looked_through(tmp_path: Path, vault: Vault) -> None:
    away = tmp_path / "away"
    (away / "deep").mkdir(parents=True)
    (away / "deep" / "Note.md").write_text("# Moved\n")
    (away / "deep" / "chat.jsonl").write_text(talk("Hello."))
    with feed(vault) as watched:
        os.rename(away, vault.top / "Project")
        watched.until(lambda f: "Project/deep/Note.md" in f.documents)
        append(vault.top / "Project" / "deep" / "Note.md", "more\n")
        watched.forget()
        watched.until(lambda f: "Project/deep/Note.md" in f.documents, "an event inside of what was moved in")
        watched.forget()
        os.rename(vault.top / "Project", away)
        watched.until(lambda f: "Project/deep/Note.md" in f.documents)
        os.rename(away, vault.layout.inbox_dir(IDENTITY) / "imported")
        watched.until(lambda f: "imported/deep/chat.jsonl" in f.transcripts)


LIMITED = """
import sys, threading
from pathlib import Path
open(f"/proc/sys/user/max_inotify_{sys.argv[2]}", "w").write(sys.argv[3])
from memfs.daemon import watch
from memfs.services.opening import open_vault
vault = open_vault(Path(sys.argv[1]), environ={})
stop = threading.Event()
updates = []
def say(line):
    print(line, flush=True)
    if line.startswith("index updated"):
        updates.append(line)
        (vault.top / "Late.md").write_text("# Written while polling")
    if len(updates) == 2:
        stop.set()
watch(vault, announce=say, stop=stop)
"""


def run_limited(vault: Vault, what: str, limit: int) -> list[str]:
    """Run the loop where the system grants only ``limit`` inotify ``what``; gives what it said.

    A user namespace has limits of its own, so that nothing else on this machine feels it.
    """
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-Ur", "true"], check=False).returncode:
        pytest.skip("this system grants no user namespaces, where alone the limits can be lowered")
    command = ["unshare", "-Ur", sys.executable, "-c", LIMITED, str(vault.top), what, str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.splitlines()


def polled(lines: list[str], what: str) -> bool:
    """Whether it fell back to polling, said so once, and noticed a file all the same."""
    said = [line for line in lines if "looking every 1 s instead" in line]
    return len(said) == 1 and what in said[0] and lines[-2:] == ["index updated: 1 document", "stopped"]


def test_wa_05_watches_used_up_falls_back_to_polling(vault: Vault) -> None:
    assert polled(run_limited(vault, "watches", 1), "max_user_watches")


def test_wa_05_watches_used_up_by_folders_within_a_watched_one(vault: Vault) -> None:
    """watchdog says nothing of these; all roots are watched, and only something deep inside is not."""
    for number in range(40):
        (vault.top / "Notes" / f"{number}").mkdir(parents=True)
    assert polled(run_limited(vault, "watches", 30), "max_user_watches")


def test_wa_06_instances_used_up_falls_back_to_polling(vault: Vault) -> None:
    assert polled(run_limited(vault, "instances", 0), "max_user_instances")


def test_wa_07_polling_sees_a_file_changed_and_back_within_a_tick(tmp_path: Path) -> None:
    vault = start_vault(tmp_path / "vault", AT_ONCE + "[watch]\npolling = 'always'\n")
    note = vault.top / "Note.md"
    note.write_text("one\n")
    with feed(vault) as watched:
        assert "polling" in watched.notices
        before = note.stat()
        watched.forget()
        note.write_text("two\n")
        os.utime(note, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert (note.stat().st_size, note.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
        watched.until(lambda f: "Note.md" in f.documents)


def test_wa_08_a_root_deleted_and_made_anew_is_reported_and_watched_again(
    tmp_path: Path, outside: Path
) -> None:
    vault = with_source(tmp_path, outside)
    with feed(vault) as watched:
        for round_ in ("first", "second"):
            watched.forget()
            shutil.rmtree(outside)
            watched.until(lambda f: "lost" in f.notices)
            outside.mkdir()
            watched.until(lambda f: "back" in f.notices)
            watched.forget()
            (outside / f"{round_}.jsonl").write_text(talk("Hello."))
            watched.until(lambda f, name=f"{round_}.jsonl": name in f.transcripts)
            assert not watched.seen[0].complete, "found by an event, not by the next whole look"


def test_wa_08_a_root_swapped_for_another_folder_is_watched_again(tmp_path: Path, outside: Path) -> None:
    vault = start_vault(
        tmp_path / "vault", AT_ONCE + "[watch]\nrescan_seconds = 1\n" + source_settings(outside)
    )
    with feed(vault) as watched:
        os.rename(outside, tmp_path / "old")
        outside.mkdir()
        (outside / "a.jsonl").write_text(talk("Hello."))
        watched.until(lambda f: "a.jsonl" in f.transcripts)
        watched.forget()
        watched.until(lambda f: any(changes.complete for changes in f.seen))
        (outside / "b.jsonl").write_text(talk("Hello again.", session="s2"))
        watched.until(lambda f: "b.jsonl" in f.transcripts)


def hinted(box: HintBox, marker: Path) -> set[str]:
    """Everything that was hinted at until the marker, written last, shows."""
    marker.write_text("marker")
    found: set[str] = set()
    while str(marker) not in found:
        hints = box.take(DEADLINE)
        assert hints.files or hints.folders, "the marker never came"
        found |= hints.files | hints.folders
    return found - {str(marker)}


@pytest.fixture
def events() -> Iterator[tuple[Events, HintBox]]:
    box = HintBox()
    watching = Events(box)
    yield watching, box
    watching.close()


def test_wa_09_reading_is_no_change(tmp_path: Path, events: tuple[Events, HintBox]) -> None:
    watching, box = events
    note = tmp_path / "Note.md"
    note.write_text("text")
    watching.arm({str(tmp_path): True})
    for _ in range(20):
        note.read_text()
        list(tmp_path.iterdir())
    assert hinted(box, tmp_path / "marker") == set()
    append(note, "more")
    assert hinted(box, tmp_path / "marker2") == {str(note)}


def test_wa_09_own_writes_set_nothing_off(vault: Vault) -> None:
    inbox(vault).write_text(talk(REMEMBER))
    with running_loop(vault) as lines:
        lines.wait_for("1 turn ", "[")
        eventually(
            lambda: not open_index(vault).stale(document_stats(vault)), "an index that holds everything"
        )
        said = len(lines.all)
        (vault.top / "Marker.md").write_text("# Marker\n")
        lines.wait_for("index updated: 1 document", after=said)
        assert len(lines.all) == said + 1, "its own commit, index and reading led to more"


def test_wa_11_own_folders_are_never_watched(vault: Vault) -> None:
    from memfs.daemon.events import plan_watches
    from memfs.daemon.places import own_folders, real_sources, watched_roots

    own = own_folders(vault)
    planned = plan_watches(watched_roots(vault, real_sources(vault)), own)
    for folder in (vault.layout.derived, vault.layout.git_dir, vault.layout.archive):
        assert not any(whole and str(folder).startswith(place) for place, whole in planned.items())
    with feed(vault) as watched:
        watched.forget()
        for folder in (vault.layout.derived / "index", vault.layout.git_dir, vault.layout.archive):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "Inside.md").write_text("# Inside\n")
        (vault.layout.memories / IDENTITY / ".memfs-1234").write_text("half")
        (vault.top / "Marker.md").write_text("# Marker\n")
        watched.until(lambda f: "Marker.md" in f.documents)
        assert set(watched.documents) == {"Marker.md"}


def test_wa_13_what_was_there_before_the_start_is_found_and_nothing_between(vault: Vault) -> None:
    folder = inbox(vault).parent
    for number in range(50):
        (folder / f"before-{number}.jsonl").write_text(talk("Hello.", session=f"b{number}"))
    started = threading.Event()

    def write_on() -> None:
        for number in range(200):
            (folder / f"during-{number}.jsonl").write_text(talk("Hello.", session=f"d{number}"))
            started.set()

    writer = threading.Thread(target=write_on)
    writer.start()
    started.wait(DEADLINE)
    with feed(vault) as watched:
        writer.join()
        watched.until(lambda f: len(set(f.transcripts)) == 250)


def test_wa_17_a_rename_in_letter_case_is_the_same_file(vault: Vault) -> None:
    (vault.top / "Note.md").write_text("# Whales\n")
    chat = inbox(vault, "Chat.jsonl")
    chat.write_text(talk(REMEMBER))
    with feed(vault) as watched:
        watched.forget()
        os.rename(vault.top / "Note.md", vault.top / "note.md")
        os.rename(chat, chat.with_name("chat.jsonl"))
        watched.until(lambda f: f.notices.count("renamed") == 2)
        assert watched.gone == []
        assert watched.transcripts == [], "a new name is no growth"
        (vault.top / "Marker.md").write_text("# Marker\n")
        watched.until(lambda f: "Marker.md" in f.documents)


def test_wa_17_the_index_has_the_renamed_note_once(vault: Vault) -> None:
    (vault.top / "Note.md").write_text("# Whales\n\nHumpback whales sing.\n")
    with running_loop(vault) as lines:
        at = lines.wait_for("index updated")
        os.rename(vault.top / "Note.md", vault.top / "note.md")
        lines.wait_for("renamed Note.md -> note.md", after=at)
        lines.wait_for("index updated: 2 documents", after=at)
        assert documents(vault, "humpback whales") == ["note.md"]


def test_wa_17_a_transcript_renamed_while_it_waits_is_merged_once(tmp_path: Path) -> None:
    now = [real_clock()]
    vault = start_vault(tmp_path / "vault", "", clock=lambda: now[0])
    chat, lines = inbox(vault, "Chat.jsonl"), list[str]()
    chat.write_text(talk(REMEMBER))
    work = TranscriptWork(vault, lines.append, threading.Event())
    with feed(vault) as watched:
        work.take(watched.seen[0])
        os.rename(chat, chat.with_name("chat.jsonl"))
        watched.forget()
        watched.until(lambda f: any(changes.renamed for changes in f.seen))
        for changes in watched.seen:
            work.take(changes)
    now[0] += timedelta(seconds=100)
    assert work.run()
    assert sum("1 added" in line for line in lines) == 1
    assert work.wait() is None


def test_wa_18_names_that_differ_in_case_are_two_files(vault: Vault) -> None:
    (vault.top / "Plan.md").write_text("# Plan of the harbour\n")
    (vault.top / "plan.md").write_text("# Plan of the lighthouse\n")
    with feed(vault) as watched:
        assert {"Plan.md", "plan.md"} <= set(watched.documents)
        watched.forget()
        append(vault.top / "plan.md", "more\n")
        watched.until(lambda f: f.documents)
        assert set(watched.documents) == {"plan.md"}


NFC, NFD = (unicodedata.normalize(form, "Café.md") for form in ("NFC", "NFD"))


def test_wa_19_compared_in_one_unicode_form_opened_as_on_disk(tmp_path: Path) -> None:
    vault = start_vault(tmp_path / "vault", AT_ONCE + f"[search]\ninclude = ['{NFC}']\n")
    with running_loop(vault) as lines:
        at = len(lines.all)
        (vault.top / NFD).write_text("# Espresso\n\nRoasted dark.\n")
        lines.wait_for("index updated: 1 document", after=at)
        assert documents(vault, "espresso roasted dark")[:1] == [NFD]
    assert sorted(name for name in os.listdir(vault.top) if name.endswith(".md")) == [NFD]


def test_wa_20_both_unicode_forms_live_and_a_warning_is_given(vault: Vault) -> None:
    (vault.top / NFC).write_text("# Espresso\n")
    with feed(vault) as watched:
        watched.forget()
        (vault.top / NFD).write_text("# Ristretto\n")
        watched.until(lambda f: NFD in f.documents)
        assert watched.notices == ["twins"]
        append(vault.top / NFC, "more\n")
        watched.until(lambda f: NFC in f.documents)
        assert set(watched.documents) == {NFC, NFD}
        assert watched.notices == ["twins"]
    assert (vault.top / NFC).read_text() == "# Espresso\nmore\n"
    assert (vault.top / NFD).read_text() == "# Ristretto\n"


@pytest.mark.parametrize(
    "name", ["note.sync-conflict-20261130-101010-ABCDEFG.md", "note (conflicted copy 2026-11-30).md"]
)
def test_wa_22_conflict_copies_are_listed_once_and_left_alone(vault: Vault, name: str) -> None:
    home = vault.layout.identity_dir(IDENTITY)
    with running_loop(vault) as lines:
        lines.wait_for("index updated")
        (home / name).write_text("# Note\n\nzeppelin hangar\n")
        chat = inbox(vault, name.replace(".md", ".jsonl"))
        chat.write_text(talk(REMEMBER))
        at = lines.wait_for("conflict copy", name)
        (vault.top / "Marker.md").write_text("# Marker\n")
        lines.wait_for("index updated: 1 document", after=at)
        assert documents(vault, "zeppelin hangar") == []
        assert lines.count("conflict copy") == 1
        assert lines.count("turns") == 0
    assert (home / name).read_text() == "# Note\n\nzeppelin hangar\n"


def test_wa_24_one_extraction_per_quiet_period(tmp_path: Path) -> None:
    """A save gives two or three events, and a conversation many saves; all of one quiet period are one run."""
    now = [real_clock()]
    vault = start_vault(tmp_path / "vault", "", clock=lambda: now[0])
    chat, lines = inbox(vault), list[str]()
    work = TranscriptWork(vault, lines.append, threading.Event())
    with feed(vault) as watched:
        for number, text in enumerate((REMEMBER, "I prefer tabs to spaces.", "We deploy on Friday."), 1):
            watched.forget()
            append(chat, talk(text, first=number))
            watched.until(lambda f: f.transcripts)
            now[0] = real_clock()
            for changes in watched.seen:
                work.take(changes)
            assert not work.run()
    assert 0 < (work.wait() or 0) <= 90
    now[0] += timedelta(seconds=91)
    work.run()
    assert work.wait() is None
    assert [line for line in lines if "3 turns" in line]
    assert sum("turns" in line for line in lines) == 1


def test_wa_25_a_root_behind_a_symlink_has_one_real_path(tmp_path: Path, outside: Path) -> None:
    (tmp_path / "link").symlink_to(outside)
    (outside / "before.jsonl").write_text(talk("Hello."))
    start_vault(tmp_path / "vault", AT_ONCE + source_settings(tmp_path / "link"))
    (tmp_path / "way").symlink_to(tmp_path / "vault")
    from memfs.services.opening import open_vault

    vault = open_vault(tmp_path / "way", environ={})
    with feed(vault) as watched:
        assert watched.transcripts == ["before.jsonl"]
        watched.forget()
        append(outside / "before.jsonl", talk("More.", first=2))
        (tmp_path / "way" / "Note.md").write_text("# Note\n")
        watched.until(lambda f: f.transcripts and f.documents)
        files = [file for changes in watched.seen for file in changes.transcripts]
        assert {file.path for file in files} == {outside / "before.jsonl"}
        assert set(watched.documents) == {"Note.md"}


def test_wa_26_a_deleted_file_leaves_the_results_at_the_next_scan(vault: Vault) -> None:
    note = vault.top / "Note.md"
    note.write_text("# Whales\n\nHumpback whales sing.\n")
    with running_loop(vault) as lines:
        at = lines.wait_for("index updated")
        assert documents(vault, "humpback whales") == ["Note.md"]
        note.unlink()
        lines.wait_for("index updated: 1 document", after=at)
        assert documents(vault, "humpback whales") == []


def test_wa_27_a_file_deleted_while_queued_is_skipped(tmp_path: Path) -> None:
    now = [real_clock()]
    vault = start_vault(tmp_path / "vault", "", clock=lambda: now[0])
    lines: list[str] = []
    for name in ("gone", "stays"):
        inbox(vault, f"{name}.jsonl").write_text(talk(REMEMBER, session=name))
    work = TranscriptWork(vault, lines.append, threading.Event())
    with feed(vault) as watched:
        work.take(watched.seen[0])
    inbox(vault, "gone.jsonl").unlink()
    now[0] += timedelta(seconds=100)
    assert work.run()
    assert "skipped gone.jsonl: it is gone" in lines
    assert sum("1 turn " in line for line in lines) == 1
    assert work.wait() is None


def test_wa_28_a_file_dropped_in_is_searchable_within_one_pass(vault: Vault) -> None:
    with running_loop(vault) as lines:
        at = lines.wait_for("index updated")
        (vault.top / "Dropped.md").write_text("# Whales\n\nHumpback whales sing.\n")
        lines.wait_for("index updated: 1 document", after=at)
        assert documents(vault, "humpback whales") == ["Dropped.md"]
