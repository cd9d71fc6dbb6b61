"""Which files a turn mentions, and what paths a name may mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.model import Attachment, Turn
from memfs.transcripts.mentions import asset_id, find_mentions, path_readings


def names(text: str) -> list[str]:
    """The most careful reading of each mention in a text."""
    return [mention.names[-1] for mention in find_mentions(Turn("user", text))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("file: report.pdf", ["report.pdf"]),
        ("File:report.pdf.", ["report.pdf"]),
        ("文件：报告.pdf，附件：b.txt；上传: c.tar.gz。", ["报告.pdf", "b.txt", "c.tar.gz"]),
        ("attachment: /srv/a/b.docx and upload：x.png", ["/srv/a/b.docx", "x.png"]),
        ('file: "my report.pdf"', ["my report.pdf"]),
        ("文件：《年度 报告.docx》", ["年度 报告.docx"]),
        ("file: `notes.md`", ["notes.md"]),
        ("(file: a.txt)", ["a.txt"]),
        ("file: .env", []),
        ("file: README", []),
        ("profile: settings.toml", []),
        ("the file report.pdf", []),
        ("file:///srv/x%20y.pdf#page=3", ["file:///srv/x%20y.pdf"]),
        ("file: report(1).pdf", ["report(1).pdf"]),
        ("", []),
    ],
)
def test_files_named_in_text(text: str, found: list[str]) -> None:
    assert names(text) == found


def test_a_fragment_is_kept_as_one_reading() -> None:
    [mention] = find_mentions(Turn("user", "file: a.pdf#page=3"))
    assert mention.names == ("a.pdf#page=3", "a.pdf")
    assert not mention.told


def test_attachments_come_first_and_are_told() -> None:
    turn = Turn("user", "file: b.txt", attachments=(Attachment("/srv/a.txt"), Attachment("  ")))
    assert [(each.names[0], each.told) for each in find_mentions(turn)] == [
        ("/srv/a.txt", True),
        ("b.txt", False),
    ]


@pytest.mark.parametrize(
    ("name", "readings"),
    [
        ("a.txt", ("a.txt",)),
        ("a%20b.txt", ("a%20b.txt", "a b.txt")),
        ("a.pdf#page=3", ("a.pdf#page=3", "a.pdf")),
        ("file:///srv/x%20y.pdf#page=3", ("/srv/x y.pdf", "/srv/x%20y.pdf", "/srv/x y.pdf#page=3")),
        ("FILE://localhost/srv/a.txt", ("/srv/a.txt",)),
        ("file:///C:/x%20y.pdf", ("/C:/x y.pdf", "/C:/x%20y.pdf")),
        ("https://example.org/a.pdf", ()),
        ("a\0b.txt", ()),
    ],
)
def test_readings_of_a_name(name: str, readings: tuple[str, ...]) -> None:
    assert path_readings(name) == readings


def test_ids_of_packed_files() -> None:
    assert asset_id("file-service://file-AbCdEfGh1234") == "file-AbCdEfGh1234"
    assert asset_id("sediment://file_0000000012345678") == "file_0000000012345678"
    assert asset_id("report.pdf") is None


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    for mention in find_mentions(Turn("user", f"file: {text} 附件：{text}")):
        assert mention.names
        assert all(path_readings(name) is not None for name in mention.names)


def test_a_huge_text_takes_linear_time() -> None:
    assert names("file:" * 200_000) == []
    assert len(names("file: a.b " * 10_000)) == 10_000
