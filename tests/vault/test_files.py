from __future__ import annotations

import hashlib
import os
import stat
import sys
from pathlib import Path

import pytest

from memfs.errors import UnsafePath, VaultError
from memfs.vault import files
from memfs.vault.files import (
    exchange,
    put_new,
    read_state,
    remove_file,
    take_away,
    temp_name,
    write_atomic,
    write_temp,
)
from tests.vault.conftest import Child


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path.resolve()


@pytest.fixture(params=["swap", "no swap", "no swap, no links"])
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Also as on a file system whose renames know no flags."""
    if request.param != "swap":
        monkeypatch.setattr(files, "exchange_names", lambda *_: False)
        monkeypatch.setattr(files, "rename_new", lambda *_: False)
    if request.param == "no swap, no links":
        monkeypatch.setattr(files, "_link", lambda *_: False)
    return str(request.param)


def test_a_file_is_read_with_hash_and_facts(folder: Path) -> None:
    path = folder / "a.md"
    path.write_bytes(b"\xef\xbb\xbfone\r\n")
    path.chmod(0o640)
    state, found = read_state(path), path.stat()
    assert (state.kind, state.data) == ("file", b"\xef\xbb\xbfone\r\n")
    assert state.hash == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (state.mode, state.size, state.mtime_ns) == (0o640, 8, found.st_mtime_ns)
    assert (state.ctime_ns, state.inode) == (found.st_ctime_ns, found.st_ino)


def test_absent_has_no_data_and_the_mode_of_a_new_file(folder: Path) -> None:
    (folder / "plain").touch()
    for path in (folder / "a.md", folder / "no" / "folder.md"):
        state = read_state(path)
        assert (state.kind, state.data, state.hash) == ("absent", None, None)
        assert state.mode == stat.S_IMODE((folder / "plain").stat().st_mode)


def test_t3_pipes_folders_links_and_huge_files_are_never_read(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    (folder / "secret").write_text("canary")
    (folder / "link").symlink_to(folder / "secret")
    with (folder / "huge").open("wb") as file:
        file.truncate(1 << 40)
    for name in ("pipe", "folder", "link"):
        assert read_state(folder / name).kind == "special"
    assert read_state(Path("/dev/null")).kind == "special"
    assert read_state(folder / "huge").kind == "too_large"


def test_a_folder_that_became_a_link_is_refused(folder: Path) -> None:
    (folder / "real").mkdir()
    (folder / "real" / "a.md").write_text("canary")
    (folder / "link").symlink_to("real")
    path = folder / "link" / "a.md"
    for action in (
        read_state,
        take_away,
        remove_file,
        lambda p: write_temp(p, b"x"),
        lambda p: write_atomic(p, b""),
    ):
        with pytest.raises(UnsafePath):
            action(path)
    assert sorted(os.listdir(folder / "real")) == ["a.md"]


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file whose reading fails for every user")
def test_a_file_that_cannot_be_read_is_an_error_and_not_empty() -> None:
    with pytest.raises(VaultError, match="cannot read"):
        read_state(Path(f"/proc/{os.getpid()}/mem"))


def test_a_temp_file_is_beside_the_target_hidden_and_complete(folder: Path) -> None:
    target = folder / "new" / "deep" / "a.md"
    temp = write_temp(target, b"text", 0o600)
    assert temp.parent == target.parent
    assert temp.name.startswith(".memfs-")
    assert temp.read_bytes() == b"text"
    assert stat.S_IMODE(temp.stat().st_mode) == 0o600
    assert not target.exists()


def test_a_taken_temp_name_is_never_written_through(folder: Path) -> None:
    name = temp_name()
    (folder / "canary").write_text("canary")
    (folder / name).symlink_to(folder / "canary")
    with pytest.raises(VaultError):
        write_temp(folder / "a.md", b"x", name=name)
    assert (folder / "canary").read_text() == "canary"
    assert (folder / name).is_symlink()


def test_f4_a_failed_write_leaves_nothing(folder: Path, child: Child) -> None:
    code = """
import resource, sys
from pathlib import Path
from memfs.errors import VaultError
from memfs.vault.files import write_atomic, write_temp
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
for write in (write_temp, write_atomic):
    try:
        write(Path(sys.argv[1]) / "a.md", b"x" * 8192)
    except VaultError as error:
        print(error.message)
"""
    (folder / "a.md").write_text("old")
    lines, _ = child(code, folder).communicate()
    assert len(lines.splitlines()) == 2
    assert os.listdir(folder) == ["a.md"]
    assert (folder / "a.md").read_text() == "old"


@pytest.mark.usefixtures("kernel")
def test_exchange_keeps_what_was_there(folder: Path) -> None:
    target = folder / "a.md"
    target.write_bytes(b"old")
    inode = target.stat().st_ino
    displaced = exchange(write_temp(target, b"new", 0o640), target)
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert displaced is not None
    assert displaced.read_bytes() == b"old"
    assert displaced.stat().st_ino == inode
    assert sorted(os.listdir(folder)) == sorted(["a.md", displaced.name])


@pytest.mark.usefixtures("kernel")
def test_what_an_editor_writes_to_its_open_file_afterwards_is_not_lost(folder: Path) -> None:
    target = folder / "a.md"
    target.write_bytes(b"old")
    with target.open("ab") as editor:
        displaced = exchange(write_temp(target, b"new"), target)
        editor.write(b" and more")
    assert displaced is not None
    assert displaced.read_bytes() == b"old and more"
    assert target.read_bytes() == b"new"


@pytest.mark.usefixtures("kernel")
def test_exchange_with_nothing_there_displaces_nothing(folder: Path) -> None:
    target = folder / "a.md"
    assert exchange(write_temp(target, b"new"), target) is None
    assert target.read_bytes() == b"new"
    assert os.listdir(folder) == ["a.md"]


@pytest.mark.usefixtures("kernel")
def test_put_new_never_overwrites(folder: Path) -> None:
    target = folder / "a.md"
    assert put_new(write_temp(target, b"one"), target)
    temp = write_temp(target, b"two")
    assert not put_new(temp, target)
    assert (target.read_bytes(), temp.read_bytes()) == (b"one", b"two")


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("kind", ["link", "dangling", "folder", "pipe"])
def test_nothing_but_a_regular_file_is_displaced(folder: Path, kind: str) -> None:
    target, canary = folder / "a.md", folder / "canary"
    canary.write_text("canary")
    {
        "link": lambda: target.symlink_to(canary),
        "dangling": lambda: target.symlink_to(folder / "nothing"),
        "folder": target.mkdir,
        "pipe": lambda: os.mkfifo(target),
    }[kind]()
    before = target.lstat()
    temp = write_temp(target, b"new")
    for action in (lambda: exchange(temp, target), lambda: take_away(target)):
        with pytest.raises(UnsafePath):
            action()
    assert target.lstat().st_ino == before.st_ino
    assert (canary.read_text(), temp.read_bytes()) == ("canary", b"new")


def test_a_hard_link_elsewhere_keeps_its_bytes(folder: Path) -> None:
    outside = folder / "outside.md"
    outside.write_text("canary")
    target = folder / "vault" / "a.md"
    target.parent.mkdir()
    target.hardlink_to(outside)
    exchange(write_temp(target, b"new"), target)
    assert outside.read_text() == "canary"


def test_taking_away_moves_aside(folder: Path) -> None:
    target = folder / "a.md"
    target.write_bytes(b"old")
    aside = take_away(target)
    assert aside is not None
    assert aside.read_bytes() == b"old"
    assert not target.exists()
    assert take_away(target) is None
    assert remove_file(aside)
    assert not remove_file(aside)


def test_placing_a_temp_file_that_is_gone_is_an_error(folder: Path) -> None:
    target = folder / "a.md"
    target.write_bytes(b"old")
    for action in (exchange, put_new):
        with pytest.raises(VaultError):
            action(folder / ".memfs-gone", target)
    assert target.read_bytes() == b"old"


def test_write_atomic_replaces_and_leaves_no_litter(folder: Path) -> None:
    for data in (b"one", b"two"):
        write_atomic(folder / "x" / "a.json", data)
    assert (folder / "x" / "a.json").read_bytes() == b"two"
    assert stat.S_IMODE((folder / "x" / "a.json").stat().st_mode) == 0o600
    assert os.listdir(folder / "x") == ["a.json"]
    (folder / "y").mkdir()
    with pytest.raises(VaultError):
        write_atomic(folder / "y", b"x")
    assert sorted(os.listdir(folder)) == ["x", "y"]
