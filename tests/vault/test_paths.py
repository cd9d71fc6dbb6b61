from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from memfs.errors import UnsafePath
from memfs.vault.files import exchange, read_state, write_temp
from memfs.vault.layout import Layout
from memfs.vault.paths import resolve_beneath

PLAIN = [
    "../x", "..", ".", "", "/etc/passwd", "//etc/passwd", "a/../../x", "a/..", "a/./b", "a//b", "a/",
    "~/x", "~root/x",
    "..\\x", "a\\..\\x", "C:\\x", "C:/x", "c:x", "\\\\host\\share", "a\0b", "a\nb", "a\x1b[0mb",
    "a\x7fb", "\udc80",
    "%2e%2e/x", "%2E%2E%2Fx", "a%2f..%2fx", "a%5cx", "a%00b", "．．/x", "‥/x", "..∕x", "..／..／etc",
    "a⁄..⁄x",
    "memories/a /x.md", "memories/a./x.md", "memories/x.md ", "memories/x.md.", "memories/...",
    "memories/. ./x",
    "x" * 256, "字" * 86, "con", "memories/NUL.md", "a/COM1.txt", "a/lpt9", "a/aux .md", "a/con.", "a/ｃｏｎ",
    ".hidden/x", "memories/.secret", "memories/.gitignore", "memories/a/.gitattributes", ".gitmodules",
]  # fmt: skip
GIT_FORMS = [
    ".git", ".GIT", ".Git", ".gIt", ".git ", ".git.", ".git. .", "git~1", "GIT~1", "Git~2", "git~10",
    "gi7eba~1",
    ".g\u200cit", ".\u200dgit", "\u2060.git", ".git\ufeff", ".gi\u00adt", ".g\ufe0fit",
    ".git::$INDEX_ALLOCATION",
    ".git:stream", "．git", ".ｇit", ".gⅰt", ".ℊit", "x／.git", ".git／x", ".git\u2215config",
]  # fmt: skip
OTHER_FORMS = [
    ".memfs", ".MEMFS", ".Memfs.", "memfs~1", ".mem\u200bfs", ".ｍemfs", ".obsidian", ".OBSIDIAN",
    ".Obsidian ",
    "obsidi~1", "OBSIDI~1", ".obsi\u2062dian", ".obſidian",
]  # fmt: skip
PLACES = [
    "{}", "{}/config", "{}/hooks/pre-commit", "memories/{}", "memories/a/{}/x.md", "memories/a/.ledger/{}",
    "notes/{}/deep/er/x.md", "inbox/a/{}", "no/such/folder/{}", "字/{}/字.md",
]  # fmt: skip
LONG = ["a/" * 60 + "../" * 61 + "x", "../" * 200 + "etc/passwd", "memories/" + "../" * 3 + "vault-evil/x"]
HOSTILE = [
    *PLAIN,
    *LONG,
    *(f"memories/a/{path}" for path in PLAIN if path and path[0] not in "~cC"),
    *(place.format(name) for name in (*GIT_FORMS, *OTHER_FORMS) for place in PLACES),
]


@pytest.fixture(scope="module")
def plain_vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("plain").resolve() / "vault"
    (top / "memories" / "a").mkdir(parents=True)
    return top


@pytest.mark.parametrize("rel", HOSTILE)
def test_t1_t4_hostile_paths_are_refused(plain_vault: Path, rel: str) -> None:
    with pytest.raises(UnsafePath):
        resolve_beneath(plain_vault, rel)


def test_s1_the_corpus_is_as_large_as_promised() -> None:
    assert len(set(HOSTILE)) >= 500


@pytest.mark.parametrize(
    "rel",
    ["memories/a/profile.md", "notes/Über uns.md", "输入／输出.md", "memories/a/.ledger/profile.md",
    "50 % off.md",
     "memories/a/.cursors/codex/0a/x", "memories/a/.forgotten", "a: b.md", "-rf.md", "#x.md",
     "github/.ledger"],
)  # fmt: skip
def test_ordinary_paths_resolve_to_themselves(layout: Layout, rel: str) -> None:
    assert resolve_beneath(layout.top, rel) == layout.top / rel


def test_own_dot_files_are_opened_by_name_only(layout: Layout) -> None:
    rel = "memories/.gitignore"
    assert resolve_beneath(layout.top, rel, hidden=frozenset({".gitignore"})) == layout.top / rel
    with pytest.raises(UnsafePath):
        resolve_beneath(layout.top, ".git/config", hidden=frozenset({".gitignore"}))


def test_ar_05_a_prefix_sibling_is_outside(layout: Layout) -> None:
    evil = layout.top.with_name(layout.top.name + "-evil")
    evil.mkdir()
    (layout.top / "link").symlink_to(evil)
    with pytest.raises(UnsafePath):
        resolve_beneath(layout.top, "link/x.md")


def test_ar_06_a_link_to_a_file_outside_is_refused(layout: Layout, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("canary")
    (layout.top / "leak.md").symlink_to(tmp_path / "secret.md")
    with pytest.raises(UnsafePath):
        resolve_beneath(layout.top, "leak.md")


@pytest.mark.parametrize("target", ["..", "../..", "/", "/etc", "../outside"])
def test_ar_08_a_new_file_under_a_linked_folder_is_refused(layout: Layout, target: str) -> None:
    (layout.top.parent / "outside").mkdir()
    (layout.top / "memories").symlink_to(target)
    with pytest.raises(UnsafePath):
        resolve_beneath(layout.top, "memories/a/deep/new.md")


@pytest.mark.parametrize("target", [".git", ".git/config", ".git/hooks/pre-commit"])
def test_a_link_into_git_is_refused(layout: Layout, target: str) -> None:
    (layout.top / "notes").symlink_to(layout.top / target)
    for rel in ("notes", "notes/x.md"):
        with pytest.raises(UnsafePath):
            resolve_beneath(layout.top, rel)


def test_dangling_and_circular_links_lead_nowhere(layout: Layout, tmp_path: Path) -> None:
    (layout.top / "gone.md").symlink_to(tmp_path / "gone.md")
    (layout.top / "loop").symlink_to("loop")
    with pytest.raises(UnsafePath):
        resolve_beneath(layout.top, "gone.md")
    with pytest.raises(UnsafePath):
        read_state(resolve_beneath(layout.top, "loop/x.md"))


def test_ar_09_a_persons_linked_folder_is_opened_by_a_list(layout: Layout, tmp_path: Path) -> None:
    other = tmp_path / "other-disk"
    other.mkdir()
    (layout.top / "shared").symlink_to(other)
    with pytest.raises(UnsafePath):
        resolve_beneath(layout.top, "shared/x.md")
    assert resolve_beneath(layout.top, "shared/x.md", allowed=[other]) == other / "x.md"
    (other / ".git").mkdir()
    (other / "sly").symlink_to(other / ".git")
    with pytest.raises(UnsafePath):
        resolve_beneath(layout.top, "shared/sly/config", allowed=[other])


def test_ar_12_a_link_to_another_disk_is_written_beside_the_real_file(layout: Layout, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    (disk / "MEMORY.md").write_bytes(b"old")
    link = layout.top / "MEMORY.md"
    link.symlink_to(disk / "MEMORY.md")
    real = resolve_beneath(layout.top, "MEMORY.md", allowed=[disk])
    exchange(write_temp(real, b"new"), real)
    assert link.is_symlink()
    assert (disk / "MEMORY.md").read_bytes() == b"new"


def test_ar_13_a_linked_document_is_written_at_its_real_place(layout: Layout) -> None:
    real = layout.top / "notes" / "me.md"
    real.parent.mkdir()
    real.write_bytes(b"old")
    link = layout.top / "memories" / "a" / "profile.md"
    link.parent.mkdir(parents=True)
    link.symlink_to("../../notes/me.md")
    place = resolve_beneath(layout.top, "memories/a/profile.md")
    assert place == real
    exchange(write_temp(place, b"new"), place)
    assert link.is_symlink()
    assert link.read_bytes() == b"new"


def test_wa_19_a_decomposed_name_on_disk_is_the_same_document(layout: Layout) -> None:
    composed = "memories/a/projects/caf\u00e9.md"
    decomposed = unicodedata.normalize("NFD", composed)
    place = layout.top / decomposed
    place.parent.mkdir(parents=True)
    place.write_bytes(b"x")
    assert read_state(resolve_beneath(layout.top, composed)).data == b"x"
    assert resolve_beneath(layout.top, "memories/é/new.md") == layout.top / "memories" / "é" / "new.md"


def test_wa_20_both_forms_side_by_side_are_two_documents(layout: Layout) -> None:
    names = ["caf\u00e9.md", "cafe\u0301.md"]
    for name in names:
        (layout.top / name).write_text(name)
    if len(set(os.listdir(layout.top)) - {".git"}) < 2:
        pytest.skip("this file system keeps one form only")
    for name in names:
        assert resolve_beneath(layout.top, name).read_text() == name


def test_the_top_may_itself_be_reached_by_a_link(layout: Layout, tmp_path: Path) -> None:
    alias = tmp_path / "alias"
    alias.symlink_to(layout.top)
    assert resolve_beneath(alias, "memories/x.md") == layout.top / "memories" / "x.md"
