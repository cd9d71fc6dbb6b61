"""Copies that may take an original's place: nothing half, nothing through links, nothing that changed meanwhile."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from memfs.errors import UnsafePath
from memfs.vault.copies import (
    FileChanged,
    drop_taken,
    hash_file,
    look_at,
    put_back,
    take_original,
    write_copy,
)

DATA = b"what it holds\n" * 100_000
ASIDE = ".memfs-aside"


@pytest.fixture
def original(tmp_path: Path) -> Path:
    path = Path(os.path.realpath(tmp_path)) / "a.bin"
    path.write_bytes(DATA)
    os.chmod(path, 0o640)
    return path


def digest(data: bytes = DATA) -> str:
    return hashlib.sha256(data).hexdigest()


def test_a_copy_is_the_same_and_its_folder_is_made(original: Path) -> None:
    temp = original.parent / "x" / "y" / "copy"
    assert write_copy(original, temp, look_at(original)) == digest() == hash_file(temp)
    assert temp.stat().st_mtime_ns == original.stat().st_mtime_ns
    assert temp.stat().st_mode & 0o777 == 0o640


def test_another_file_than_was_seen_is_not_copied(original: Path) -> None:
    seen = look_at(original)
    original.write_bytes(b"other")
    with pytest.raises(FileChanged):
        write_copy(original, original.with_name("copy"), seen)
    assert not original.with_name("copy").exists()


def test_a_link_on_the_way_is_refused(original: Path) -> None:
    seen = look_at(original)
    (original.parent / "link").symlink_to(original.parent)
    with pytest.raises(UnsafePath):
        write_copy(original.parent / "link" / "a.bin", original.with_name("copy"), seen)
    with pytest.raises(UnsafePath):
        write_copy(original, original.parent / "link" / "copy", seen)
    (original.parent / "b.bin").symlink_to(original)
    with pytest.raises(OSError, match="symbolic links"):
        write_copy(original.parent / "b.bin", original.with_name("copy"), seen)


def test_an_existing_file_is_never_written_over(original: Path) -> None:
    there = original.with_name("copy")
    there.write_text("mine")
    with pytest.raises(FileExistsError):
        write_copy(original, there, look_at(original))
    assert there.read_text() == "mine"


def test_what_lies_where() -> None:
    assert look_at(Path("/dev/null")).kind == "special"
    assert look_at(Path("/nowhere/at/all")).kind == "absent"
    assert look_at(Path("/dev/null/x")).kind == "absent"


def test_an_original_is_taken_and_dropped_or_put_back(original: Path) -> None:
    seen = look_at(original)
    assert take_original(original, seen, digest(), ASIDE)
    assert not original.exists()
    assert put_back(original, ASIDE) == original
    assert put_back(original, ASIDE) is None
    assert take_original(original, seen, digest(), ASIDE)
    drop_taken(original, ASIDE)
    assert list(original.parent.iterdir()) == []


@pytest.mark.parametrize("change", ["other bytes", "other content of the same size and time", "open"])
def test_an_original_that_is_not_what_was_copied_stays(original: Path, change: str) -> None:
    seen = look_at(original)
    if change == "other bytes":
        original.write_bytes(b"x")
    elif change.startswith("other content"):
        original.write_bytes(DATA[::-1])
        os.utime(original, ns=(seen.mtime_ns, seen.mtime_ns))
    before = original.read_bytes()
    if change == "open":
        with original.open("ab"):
            assert not take_original(original, seen, digest(), ASIDE)
    else:
        assert not take_original(original, seen, digest(), ASIDE)
    assert original.read_bytes() == before
    assert [path.name for path in original.parent.iterdir()] == ["a.bin"]


def test_an_original_whose_name_is_taken_again_gets_one_beside_it(original: Path) -> None:
    assert take_original(original, look_at(original), digest(), ASIDE)
    original.write_text("new")
    assert put_back(original, ASIDE) == original.with_name("a-2.bin")
    assert original.read_text() == "new"
    assert original.with_name("a-2.bin").read_bytes() == DATA
