from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from memfs.errors import VaultError
from memfs.vault.displaced import (
    Displaced,
    due_displaced,
    keep_displaced,
    list_displaced,
    mark_settled,
    sweep_temps,
    write_displaced,
)
from memfs.vault.files import exchange, hash_bytes, write_temp
from memfs.vault.layout import Layout

PATH = "memories/a/profile.md"


def displace(layout: Layout, old: bytes = b"old") -> Displaced:
    target = layout.top / PATH
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(old)
    file = exchange(write_temp(target, b"new"), target)
    assert file is not None
    return keep_displaced(layout, file, PATH, hash_bytes(old), time=1000.0, old_blob="b1", new_blob="b2")


def test_a_displaced_file_is_kept_in_the_git_directory_as_the_same_file(layout: Layout) -> None:
    kept = displace(layout)
    assert Path(kept.place).parent == layout.displaced
    assert Path(kept.place).read_bytes() == b"old"
    assert os.listdir((layout.top / PATH).parent) == ["profile.md"]
    assert list_displaced(layout) == (kept,)
    assert kept.read_changed() is None


def test_a_late_save_is_noticed(layout: Layout) -> None:
    kept = displace(layout)
    Path(kept.place).write_bytes(b"a person's words")
    (found,) = list_displaced(layout)
    assert found.read_changed() == b"a person's words"


def test_records_change_and_unreadable_ones_are_passed_over(layout: Layout) -> None:
    kept = displace(layout)
    write_displaced(layout, replace(kept, commit="c1"))
    (layout.displaced / "1-broken.json").write_bytes(b"{")
    assert [k.commit for k in list_displaced(layout)] == ["c1"]


def test_what_was_looked_at_is_due_again_when_it_was_written_into_or_is_old(layout: Layout) -> None:
    kept = displace(layout)

    def due(time: float) -> bool:
        return due_displaced(layout, time, settle=2, keep=600) == (kept,)

    assert [due(time) for time in (1001, 1002)] == [False, True]
    mark_settled(layout, kept, os.stat(kept.place).st_mtime_ns)
    assert [due(time) for time in (1002, 1600, 1601)] == [False, False, True]
    Path(kept.place).write_bytes(b"a person's words")
    os.utime(kept.place, (5, 5))
    assert due(1002)
    write_displaced(layout, kept)
    Path(kept.place).unlink()
    assert due(1002)
    mark_settled(layout, kept, 0)
    assert not due(1002)


def test_temp_files_of_a_crash_are_set_aside_and_those_at_work_stay(layout: Layout) -> None:
    document = layout.top / PATH
    left, planned = write_temp(document, b"left"), write_temp(document, b"planned")
    own = write_temp(layout.local / "x.json", b"own")
    assert sweep_temps(layout, {planned.name}, time=time.time()) == (layout.rel(left),)
    assert (left.exists(), planned.read_bytes(), own.read_bytes()) == (False, b"planned", b"own")
    (kept,) = list_displaced(layout)
    assert Path(kept.place).read_bytes() == b"left"
    assert kept.read_changed() is None
    assert sweep_temps(layout, {planned.name}, time=time.time() + 2 * 86400) == ()
    assert not own.exists()


def test_a_file_that_is_gone_cannot_be_kept(layout: Layout) -> None:
    with pytest.raises(VaultError):
        keep_displaced(layout, layout.top / "gone", PATH, None, time=1.0)
    assert os.listdir(layout.displaced) == []


def test_a_kept_file_that_went_away_was_not_changed(layout: Layout) -> None:
    kept = displace(layout)
    Path(kept.place).unlink()
    assert kept.read_changed() is None


def test_on_another_file_system_it_stays_where_it_is(layout: Layout) -> None:
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == layout.top.stat().st_dev:
        pytest.skip("needs a second file system")
    with TemporaryDirectory(dir=memory) as git_dir:
        apart = replace(layout, git_dir=Path(git_dir))
        kept = displace(apart)
        assert Path(kept.place).parent == (layout.top / PATH).parent
        assert Path(kept.place).read_bytes() == b"old"
        assert list_displaced(apart) == (kept,)
        assert sweep_temps(apart, (), time=2000.0) == ()
        assert Path(kept.place).exists()
