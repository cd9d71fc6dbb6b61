from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.errors import UnsafePath
from memfs.vault.names import MAX_SLUG_BYTES, check_relative, is_protected, safe_name, slug


@pytest.mark.parametrize(
    "name", ["a", "coding-assistant", "alice@example.org", "A_b.c", "2026", "-x", "console", "com10"]
)
def test_safe_names(name: str) -> None:
    assert safe_name(name) == name


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "...", ".git", ".hidden", "a.", "a@b@c", "a/b", "a\\b", "a b", "小明", "é", "a\n",
    "a\0", "~",
     "CON", "con", "nul.txt", "Com1", "LPT9.md", "aux", "prn.a.b", "../x", "a%2e", "a:b", "a*"],
)  # fmt: skip
def test_unsafe_names(name: str) -> None:
    with pytest.raises(UnsafePath):
        safe_name(name)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Acme Corp", "acme-corp"),
        ("  Dr. Smith!  ", "dr-smith"),
        ("v1.2 Release", "v1.2-release"),
        ("plan - .pdf", "plan.pdf"),
        ("数据库 迁移：计划", "数据库-迁移-计划"),
        ("Cafe\u0301", "café"),
        ("../../etc/passwd", "etc-passwd"),
        (".git", "git"),
        ("a／b＼c", "a-b-c"),
        ("x\u200d\u3164y", "xy"),
        ("नमस्ते", "नमस्ते"),
    ],
)
def test_slugs(title: str, expected: str) -> None:
    assert slug(title) == expected


@pytest.mark.parametrize("title", ["", "🎉", "...", "con", "NUL.md", "git~1"])
def test_a_slug_of_nothing_usable_has_a_hash(title: str) -> None:
    name = slug(title)
    assert check_relative(name) == (name,)
    assert name == slug(title)


def test_ar_17_bytes_are_counted_and_the_extension_is_kept() -> None:
    name = slug("字" * 200 + ".pdf")
    assert len(name.encode()) <= MAX_SLUG_BYTES
    assert name.startswith("字字字")
    assert name.endswith(".pdf")
    assert name != slug("字" * 201 + ".pdf")
    assert len(slug("字" * 200, extension=".md").encode()) <= MAX_SLUG_BYTES


def test_collisions_get_a_hash_whatever_their_case() -> None:
    other = slug("C", taken=["c"])
    assert other.startswith("c-")
    assert slug("Notes", extension=".md", taken=["NOTES.MD"]) != "notes.md"
    assert slug("C", taken=["c", other]) not in ("c", other)


@given(st.text(max_size=200), st.sampled_from(["", ".md"]), st.lists(st.text(max_size=5), max_size=3))
def test_a_slug_is_a_path_part_that_may_be_written(title: str, extension: str, taken: list[str]) -> None:
    name = slug(title, extension=extension, taken=taken)
    assert check_relative(name) == (name,)
    assert len(name.encode()) <= MAX_SLUG_BYTES
    assert unicodedata.normalize("NFC", name) == name
    assert name.endswith(extension)
    assert name.casefold() not in {other.casefold() for other in taken}


@given(st.text(max_size=100))
def test_a_slug_of_a_slug_is_itself(title: str) -> None:
    assert slug(slug(title)) == slug(title)


@pytest.mark.parametrize(
    "part",
    [".git", ".GIT", ".Git ", ".git.", ".g\u200cit", "\ufeff.git", ".git\u200d", "．git", ".ｇｉｔ",
     "git~1", "GIT~2", "gi7eba~1", ".git::$INDEX_ALLOCATION", ".git:x", "a／.git", ".MemFS", "memfs~1",
     ".obsidian",
     ".OBSIDIAN", "obsidi~1", ".obsi\u00addian", ".mem\ufe0ffs"],
)  # fmt: skip
def test_protected_folders_in_disguise(part: str) -> None:
    assert is_protected(part)


@pytest.mark.parametrize(
    "part", ["git", "github.md", "memfs", "obsidian", ".gitx", "legit~1x", ".ledger", "a.git"]
)
def test_ordinary_names_are_not_protected(part: str) -> None:
    assert not is_protected(part)
