"""Races against a person's editor and against somebody who swaps folders for links."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from memfs.errors import MemfsError
from memfs.vault.files import exchange, put_new, read_state, take_away, temp_name, write_atomic, write_temp
from memfs.vault.folders import open_folder
from memfs.vault.layout import Layout
from memfs.vault.paths import resolve_beneath
from memfs.vault.renames import exchange_names

CANARY = b"canary"


def _swap_often(folder: Path, one: str, other: str, times: int, turn: threading.Semaphore) -> None:
    with open_folder(folder) as descriptor:
        for _ in range(times):
            turn.acquire(timeout=1)
            assert exchange_names(descriptor, one, other)


def _attack(layout: Layout, tmp_path: Path, times: int) -> None:
    """Swap a folder of the vault for a link outside while every file function works on a document in it."""
    outside, real = tmp_path / "outside", layout.top / "memories" / "a"
    outside.mkdir()
    real.mkdir(parents=True)
    for name in ("profile.md", "other.md"):
        (outside / name).write_bytes(CANARY)
        (real / name).write_bytes(b"memory")
    (layout.top / "memories" / "z").symlink_to(outside)
    before = {name: (outside / name).stat() for name in os.listdir(outside)}
    turn = threading.Semaphore(0)
    swapper = threading.Thread(target=_swap_often, args=(real.parent, "a", "z", times, turn))
    swapper.start()

    def write(path: Path) -> None:
        exchange(write_temp(path, b"memory"), path)

    def remove(path: Path) -> None:
        take_away(path)

    def make(path: Path) -> None:
        put_new(write_temp(path, b"memory"), path.with_name(temp_name()))

    def read(path: Path) -> None:
        assert read_state(path).data != CANARY

    def record(path: Path) -> None:
        write_atomic(path, b"memory")

    actions: list[Callable[[Path], None]] = [read, write, read, make, read, record, read, remove]
    done = 0
    while swapper.is_alive():
        for action in actions:
            turn.release()
            try:
                action(resolve_beneath(layout.top, "memories/a/profile.md"))
                done += 1
            except (MemfsError, FileNotFoundError):
                pass
            turn.release()
            try:
                action(real / "other.md")  # resolved while it was a folder
                done += 1
            except (MemfsError, FileNotFoundError):
                pass
    swapper.join()
    assert done
    assert {name: (outside / name).stat() for name in os.listdir(outside)} == before
    assert all((outside / name).read_bytes() == CANARY for name in before)


def test_t2_a_folder_swapped_for_a_link_2000_times(layout: Layout, tmp_path: Path) -> None:
    _attack(layout, tmp_path, 2_000)


@pytest.mark.slow
def test_t2_a_folder_swapped_for_a_link_10000_times(layout: Layout, tmp_path: Path) -> None:
    _attack(layout, tmp_path, 10_000)


def test_no_save_of_an_editor_is_lost_between_read_and_exchange(tmp_path: Path) -> None:
    """Each version a person saved is displaced, or is still the document."""
    folder = tmp_path.resolve()
    target = folder / "a.md"
    target.write_bytes(b"0")
    saves, seen = 150, {b"0"}
    started = threading.Barrier(2)

    def edit() -> None:
        started.wait()
        for number in range(1, saves):
            draft = folder / f"draft-{number}"
            draft.write_bytes(b"%d" % number)
            kept = folder / f"kept-{number}"
            os.link(draft, kept)
            os.replace(draft, target)

    editor = threading.Thread(target=edit)
    editor.start()
    started.wait()
    swaps = 0
    while editor.is_alive():
        displaced = exchange(write_temp(target, b"memfs"), target)
        assert displaced is not None
        seen.add(displaced.read_bytes())
        swaps += 1
    editor.join()
    assert swaps
    final = target.read_bytes()
    assert final == b"memfs" or final in {b"%d" % number for number in range(saves)}
    if final == b"memfs":
        assert b"%d" % (saves - 1) in seen


def test_of_many_that_make_the_same_new_file_one_wins(tmp_path: Path) -> None:
    target = tmp_path.resolve() / "a.md"
    barrier = threading.Barrier(8)
    won: list[bytes] = []

    def make(number: int) -> None:
        temp = write_temp(target, b"%d" % number)
        barrier.wait()
        if put_new(temp, target):
            won.append(b"%d" % number)

    threads = [threading.Thread(target=make, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert won == [target.read_bytes()]


def test_many_exchanges_at_once_lose_nobody_s_bytes(tmp_path: Path) -> None:
    target = tmp_path.resolve() / "a.md"
    target.write_bytes(b"start")
    barrier = threading.Barrier(6)
    displaced: list[bytes] = []

    def swap(number: int) -> None:
        temp = write_temp(target, b"%d" % number)
        barrier.wait()
        old = exchange(temp, target)
        assert old is not None
        displaced.append(old.name.encode())

    threads = [threading.Thread(target=swap, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    left = {path.read_bytes() for path in tmp_path.iterdir()}
    assert left == {b"start", *(b"%d" % number for number in range(6))}
