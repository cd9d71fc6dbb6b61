from __future__ import annotations

import os
from pathlib import Path

import pytest

from memfs.errors import VaultError
from memfs.model import Stat
from memfs.vault.files import write_temp
from memfs.vault.layout import Layout, open_layout
from memfs.vault.scan import find_ids, find_temps, is_conflict_copy, scan_documents

ID = "m-abcdefghijklm"


def put(layout: Layout, path: str, text: str = "x\n") -> Path:
    place = layout.top / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode())
    return place


def test_documents_with_their_stat(layout: Layout) -> None:
    place = put(layout, "memories/a/profile.md")
    put(layout, "Notes/Über uns.md")
    put(layout, "picture.png")
    found = place.stat()
    scan = scan_documents(layout)
    assert set(scan.documents) == {"memories/a/profile.md", "Notes/Über uns.md"}
    assert scan.documents["memories/a/profile.md"] == (2, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
    assert isinstance(scan.documents["memories/a/profile.md"], Stat)


@pytest.mark.parametrize("root", ["", "memfs"])
def test_what_is_no_note_is_left_out(repo: Path, root: str) -> None:
    layout = open_layout(repo, root)
    prefix = f"{root}/" if root else ""
    for path in ("memories/a/.ledger/profile.md", "memories/a/.cursors/x/0a/s.md", "memories/a/.memfs-12.md",
                 "memories/a/relay.md", "inbox/a/chat.md", "archive/x.md", "templates/types/notes.md",
                 ".memfs/x.md"):  # fmt: skip
        put(layout, prefix + path)
    for path in (".git/x.md", ".obsidian/x.md", ".trash/x.md", ".hidden.md"):
        put(layout, path)
    kept = [
        prefix + "memories/a/profile.md",
        prefix + "memories/a/entities/tools/relay.md",
        "notes/archive/x.md",
    ]
    for path in kept:
        put(layout, path)
    assert sorted(scan_documents(layout).documents) == sorted(kept)


def test_a_moved_root_leaves_the_persons_folders_to_search(repo: Path) -> None:
    layout = open_layout(repo, "memfs")
    put(layout, "templates/Daily.md")
    put(layout, "archive/2020.md")
    assert set(scan_documents(layout).documents) == {"templates/Daily.md", "archive/2020.md"}


def test_globs_choose(layout: Layout) -> None:
    for path in ("memories/a/profile.md", "notes/x.md", "work/y.md"):
        put(layout, path)
    assert set(scan_documents(layout, ["memories/**", "work/*.md"]).documents) == {
        "memories/a/profile.md",
        "work/y.md",
    }


def test_wa_18_names_are_kept_as_on_disk(layout: Layout) -> None:
    put(layout, "Note.md")
    put(layout, "note.md")
    if len(os.listdir(layout.top)) < 3:
        pytest.skip("this file system ignores case")
    assert set(scan_documents(layout).documents) == {"Note.md", "note.md"}


def test_wa_17_a_rename_of_case_only_is_the_same_file(layout: Layout) -> None:
    place = put(layout, "Note.md")
    before = scan_documents(layout).documents["Note.md"]
    place.rename(layout.top / "note.md")
    after = scan_documents(layout).documents
    assert set(after) == {"note.md"}
    assert (after["note.md"].inode, after["note.md"].mtime_ns) == (before.inode, before.mtime_ns)


def test_wa_20_names_that_differ_in_unicode_form_only_are_both_there_and_told(layout: Layout) -> None:
    names = ("cafe\u0301.md", "caf\u00e9.md")
    for name in names:
        put(layout, name)
    if len(os.listdir(layout.top)) < 3:
        pytest.skip("this file system keeps one form only")
    scan = scan_documents(layout)
    assert set(scan.documents) == set(names)
    assert scan.twins == (tuple(sorted(names)),)


@pytest.mark.parametrize(
    "name",
    ["note.sync-conflict-20260314-093012-ABCDEFG.md", "note (conflicted copy).md",
     "note (Ann's conflicted copy 2026).md",
     "note (Conflicted copy 2026-03-14 093012).md", "note (Case Conflict).md", "笔记（1）(冲突副本).md"],
)  # fmt: skip
def test_wa_22_conflict_copies_are_listed_and_are_no_documents(layout: Layout, name: str) -> None:
    put(layout, f"memories/a/{name}")
    scan = scan_documents(layout)
    assert scan.documents == {}
    assert scan.conflicts == (f"memories/a/{name}",)
    assert is_conflict_copy(name)
    assert not is_conflict_copy("merge conflicts (how to).md")


def test_ar_06_links_out_of_the_vault_are_skipped_and_told(layout: Layout, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("canary")
    (outside / "again").symlink_to(outside)
    (layout.top / "leak.md").symlink_to(outside / "secret.md")
    (layout.top / "folder").symlink_to(outside)
    (layout.top / "config.md").symlink_to(layout.top / ".git" / "config")
    (layout.top / "loop").symlink_to(layout.top)
    (layout.top / "gone.md").symlink_to("nothing.md")
    scan = scan_documents(layout, ["**/*"])
    assert scan.documents == {}
    assert [path for path, _ in scan.skipped] == ["config.md", "folder", "gone.md", "leak.md", "loop"]
    opened = scan_documents(layout, allowed=[outside])
    assert set(opened.documents) == {"leak.md", "folder/secret.md"}


def test_ar_13_a_link_that_stays_inside_counts_under_its_own_name(layout: Layout) -> None:
    put(layout, "notes/me.md", f"- me ^{ID}\n")
    (layout.memories / "a").mkdir(parents=True)
    (layout.memories / "a" / "profile.md").symlink_to("../../notes/me.md")
    assert set(scan_documents(layout).documents) == {"notes/me.md", "memories/a/profile.md"}
    assert find_ids(layout, [ID]) == {ID: ("memories/a/profile.md", "notes/me.md")}


def test_t3_pipes_are_skipped_and_told(layout: Layout) -> None:
    os.mkfifo(layout.top / "pipe.md")
    assert scan_documents(layout).skipped == (("pipe.md", "no regular file"),)


def test_a_vault_that_is_gone_is_an_error_and_not_empty(layout: Layout) -> None:
    layout.top.rename(layout.top.with_name("away"))
    with pytest.raises(VaultError):
        scan_documents(layout)


def test_ids_are_found_where_they_stand(layout: Layout) -> None:
    put(layout, "memories/a/decisions.md", f"# D\n\n- one ^{ID}\n- two ^{ID}-abcd \r\n- three ^mine\n")
    put(layout, "elsewhere/copy.md", f"- copied ^{ID}")
    put(layout, "own-line.md", f"a table\n\n^{ID}-q\n")
    found = find_ids(layout, [ID, f"{ID}-abcd", f"{ID}-q", "mine", "m-nowhere"])
    assert found == {
        ID: ("elsewhere/copy.md", "memories/a/decisions.md"),
        f"{ID}-abcd": ("memories/a/decisions.md",),
        f"{ID}-q": ("own-line.md",),
        "mine": ("memories/a/decisions.md",),
    }
    assert find_ids(layout, [ID], ["elsewhere/copy.md", "gone.md"]) == {ID: ("elsewhere/copy.md",)}


def test_a_reference_is_no_block_id(layout: Layout) -> None:
    put(
        layout,
        "links.md",
        f"See [[decisions#^{ID}]] and ![[decisions#^{ID}]]\nx^{ID}\n^{ID} in the middle\n[[x#^{ID}\n",
    )
    assert find_ids(layout, [ID]) == {}


def test_temp_files_of_a_crash_are_found(layout: Layout) -> None:
    temp = write_temp(layout.memories / "a" / "x.md", b"half")
    assert find_temps(layout.memories) == (temp,)
