from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from memfs.vault.displaced import (
    KEEP_DAYS,
    Displaced,
    expire_displaced,
    keep_displaced,
    list_displaced,
    write_displaced,
)
from memfs.vault.files import exchange, hash_bytes, write_temp
from memfs.vault.layout import Layout

PATH = "memories/a/profile.md"


def displace(layout: Layout, old: bytes = b"old", time: float = 1000.0) -> Displaced:
    target = layout.top / PATH
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(old)
    file = exchange(write_temp(target, b"new"), target)
    assert file is not None
    return keep_displaced(layout, file, PATH, hash_bytes(old), time=time, old_blob="b1", new_blob="b2")


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
    write_displaced(layout, replace(kept, checked=True, commit="c1"))
    (layout.displaced / "1-broken.json").write_bytes(b"{")
    assert [(k.checked, k.commit) for k in list_displaced(layout)] == [(True, "c1")]


def test_only_old_checked_unchanged_files_expire(layout: Layout) -> None:
    def check(kept: Displaced) -> Displaced:
        write_displaced(layout, replace(kept, checked=True))
        return kept

    old = check(displace(layout))
    unchecked = displace(layout)
    changed = check(displace(layout))
    Path(changed.place).write_bytes(b"a person's words")
    young = check(displace(layout, time=5000.0))
    now = 1000.0 + KEEP_DAYS * 86400 + 1
    assert expire_displaced(layout, lambda: now) == 1
    assert not Path(old.place).exists()
    assert {kept.name for kept in list_displaced(layout)} == {unchecked.name, changed.name, young.name}


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
