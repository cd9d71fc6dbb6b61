"""The header: found by one rule, read as text, changed key by key."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memfs.errors import InvalidDocument, InvalidRequest
from memfs.markdown.document import parse_document
from memfs.markdown.headers import new_document, quote_value, set_frontmatter, set_title
from tests.markdown.strategies import any_text, markdown_texts


def header(*lines: str) -> str:
    return "\n".join(("---", *lines, "---", "", "# Body", ""))


def values(*lines: str) -> dict[str, object]:
    frontmatter = parse_document(header(*lines)).frontmatter
    assert frontmatter.problem is None
    return dict(frontmatter.values)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a: 2026-05-26", "2026-05-26"),
        ("a: 2026-11-30T10:30:00", "2026-11-30T10:30:00"),
        ("a: 0x1F", "0x1F"),
        ("a: 1_000", "1_000"),
        ("a: 12:30", "12:30"),
        ("a: .inf", ".inf"),
        ("a: 'null'", "null"),
        ('a: ""', ""),
        ("a: [[Note]]", "[[Note]]"),
        ("a: [[Note|别名]]  # why", "[[Note|别名]]"),
        ("a: [[One]], [[Two]]", "[[One]], [[Two]]"),
        ("a: [[x, y], [z]]", [["x", "y"], ["z"]]),
        ("a: #tag", "#tag"),
        ("a: @me and you", "@me and you"),
        ("a: %5", "%5"),
        ("a: `code`", "`code`"),
        ("a: *****", "*****"),
        ("a: *bold* text", "*bold* text"),
        ("a: !important", "!important"),
        ("a: !!int 5", "5"),
        ("a: https://example.org/#x", "https://example.org/#x"),
        ("a: text # a comment", "text"),
        ("a: 中文，标点：好", "中文，标点：好"),
        ("a: [one, 'two', 2026-01-01, null]", ["one", "two", "2026-01-01"]),
        ("a: {b: yes, c: {d: 08}}", {"b": "yes", "c": {"d": "08"}}),
        ("a: |\n  - [[kept]]\n  #x", "- [[kept]]\n#x\n"),
        ("a:\n  - [[Note]]\n  - #tag\n  - @me\n  - plain", ["[[Note]]", "#tag", "@me", "plain"]),
        ("a:\n- [[Note]]\n- b", ["[[Note]]", "b"]),
        ("a: one\n  two", "one two"),
    ],
)
def test_values_are_read_as_typed(line: str, expected: object) -> None:
    assert values("first: x", line, "last: y") == {"first": "x", "a": expected, "last": "y"}


@pytest.mark.parametrize("line", ["a:", "a: ~", "a: null", "a: Null", "a: # comment", "# comment"])
def test_null_is_absent(line: str) -> None:
    assert values("first: x", line) == {"first": "x"}


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (["ok: x", "a: b: c"], 3),
        (["ok: x", "", "\ta: tab"], 4),
        (["ok: x", "a: [1, 2"], 3),
        (["ok: x", "created: {{date}}"], 3),
        (["a: x", "b: y", "a: z"], 4),
        (["a: x\x00y"], 2),
        (["a: &x [1, 2]", "? [b]", ": c"], 3),
        (["just text"], 2),
        (["- a", "- list"], 2),
        (["a: x", "...", "b: y"], 4),
        (["a: \ud800"], 2),
    ],
)
def test_what_cannot_be_read_is_reported_by_line_of_the_file(lines: list[str], line: int) -> None:
    doc = parse_document(header(*lines))
    assert doc.frontmatter.problem is not None
    assert abs(doc.frontmatter.problem.line - line) <= (1 if "[1, 2" in lines[-1] else 0)
    assert doc.frontmatter.values == {}
    assert doc.title == "Body"
    assert not doc.writable


def test_hostile_yaml_is_refused_at_once() -> None:
    bomb = ["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30))]
    assert values(*bomb)["a29"] == ["*a28"] * 9
    deep = parse_document(header("a: " + "[" * 5000 + "]" * 5000))
    assert deep.frontmatter.problem is not None
    assert "nest" in deep.frontmatter.problem.message
    large = parse_document(header(*(f"key{n}: {'x' * 50}" for n in range(2000))))
    assert large.frontmatter.problem is not None
    assert "64 KiB" in large.frontmatter.problem.message
    assert values("a: !!python/object/apply:os.system [echo]") == {"a": ["echo"]}


@pytest.mark.parametrize(
    "part", [" ", "a ", ":", ": ", " #", "- ", "[[", "# a:", "&a ", "*a ", "!", "'", "{"]
)
def test_long_lines_take_linear_time(part: str) -> None:
    line = part * (60_000 // len(part))
    for text in (line, f"a{line}", f"a: {line}", f"a: [[x]]{line}", f"a:\n  - {line}"):
        assert parse_document(header(text)).title == "Body"


def test_the_depth_limit_is_twenty() -> None:
    assert parse_document(header("a: " + "[" * 19 + "]" * 19)).writable
    assert not parse_document(header("a: " + "[" * 20 + "]" * 20)).writable


def test_texts_of_a_key() -> None:
    frontmatter = parse_document(header("tags: [a, b]", "alias: c", "n: {x: y}")).frontmatter
    assert frontmatter.texts("tags") == ("a", "b")
    assert frontmatter.texts("alias") == ("c",)
    assert frontmatter.texts("n") == frontmatter.texts("none") == ()
    assert frontmatter.text("alias") == "c"
    assert frontmatter.text("tags") is None


ODD = """\
---
# a comment
zeta:   'single'   # why
alpha: [a,b ,  c]
empty: ''
none:

Ümlaut: "x"
tags:
  - one
  - two
last: |
  text

  more
---
body
"""


def test_changing_a_key_keeps_all_other_lines() -> None:
    doc = parse_document(ODD)
    assert set_frontmatter(doc, "zeta", "new") == ODD.replace("zeta:   'single'   # why", "zeta: new")
    assert set_frontmatter(doc, "alpha", ["x", "y z"]) == ODD.replace("[a,b ,  c]", "[x, y z]")
    assert set_frontmatter(doc, "tags", ["three"]) == ODD.replace("  - one\n  - two\n", "  - three\n")
    assert set_frontmatter(doc, "none", "now") == ODD.replace("none:\n", "none: now\n")
    assert set_frontmatter(doc, "added", "2026-03-14") == ODD.replace("more\n", "more\nadded: 2026-03-14\n")
    assert set_frontmatter(doc, "last", "line") == ODD.replace("|\n  text\n\n  more\n", "line\n")
    assert set_frontmatter(doc, "zeta", "single") == ODD
    assert set_frontmatter(parse_document("---\na: b # c\n---\n"), "a", "d") == "---\na: d # c\n---\n"


def test_a_document_without_a_header_gets_one() -> None:
    assert set_frontmatter(parse_document("# T\r\n"), "a", "b") == "---\r\na: b\r\n---\r\n\r\n# T\r\n"
    assert set_frontmatter(parse_document(""), "a", "b") == "---\na: b\n---\n"
    assert set_frontmatter(parse_document("\ufeff\ntext"), "a", "b") == "\ufeff---\na: b\n---\n\ntext"


@given(
    markdown_texts().map(parse_document).filter(lambda doc: doc.writable),
    st.sampled_from(["title", "tags", "new", "Schlüssel 键"]),
    st.one_of(any_text, st.lists(any_text, max_size=3)),
)
def test_a_key_that_was_set_is_read_back(doc: object, key: str, value: str | Sequence[str]) -> None:
    text = set_frontmatter(doc, key, value)  # type: ignore[arg-type]
    after = parse_document(text)
    assert after.frontmatter.problem is None
    assert set_frontmatter(after, key, value) == text
    assert set(after.frontmatter.values) == set(doc.frontmatter.values) | {key}  # type: ignore[attr-defined]
    assert len(after.blocks) == len(doc.blocks)  # type: ignore[attr-defined]


@given(any_text)
@example("no")
@example("'")
@example("a: b # c")
def test_quoted_values_are_read_back(value: str) -> None:
    quoted = quote_value(value)
    assert quote_value(str(values(f"a: {quoted}")["a"])) == quoted


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("coding-assistant", "coding-assistant"),
        ("2026-03-14", "2026-03-14"),
        ("2026-11-30T10:30:00", "2026-11-30T10:30:00"),
        ("12", "12"),
        ("012", '"012"'),
        ("1e3", '"1e3"'),
        ("no", '"no"'),
        ("Null", '"Null"'),
        ("[[Note]]", '"[[Note]]"'),
        ("a: b", '"a: b"'),
        ("小林 さん", "小林 さん"),
        ("", '""'),
        ('say "hi"\\', '"say \\"hi\\"\\\\"'),
    ],
)
def test_only_what_other_readers_would_mistake_is_quoted(value: str, expected: str) -> None:
    assert quote_value(value) == expected


def test_keys_that_are_no_names_are_refused() -> None:
    for key in ("", "a: b", "#a", "- a", "a\nb", " a"):
        with pytest.raises(InvalidRequest):
            set_frontmatter(parse_document("text\n"), key, "x")


def test_a_broken_header_is_never_written_to() -> None:
    doc = parse_document(header("title: x re: y"))
    with pytest.raises(InvalidDocument) as caught:
        set_frontmatter(doc, "title", "z")
    assert caught.value.line == 2
    with pytest.raises(InvalidDocument):
        set_title(doc, "z")


def test_a_new_document() -> None:
    text = new_document("行动", {"type": "actions", "created": "2026-03-14", "tags": ["a", "no"]}, "\r\n")
    assert text.replace("\r\n", "\n") == (
        '---\ntype: actions\ncreated: 2026-03-14\ntags:\n  - a\n  - "no"\n---\n\n# 行动\n'
    )
    assert text.count("\r\n") == text.count("\n")
    assert new_document("T", {}) == "# T\n"


def test_setting_the_title() -> None:
    assert set_title(parse_document("# Old\n\ntext\n"), "New") == "# New\n\ntext\n"
    assert set_title(parse_document("Old\n===\ntext"), "New") == "# New\ntext"
    assert set_title(parse_document("---\na: b\n---\ntext\n"), "New") == "---\na: b\n---\n\n# New\n\ntext\n"
    assert set_title(parse_document("\ufefftext\r\n"), "New") == "\ufeff# New\r\n\r\ntext\r\n"
    assert set_title(parse_document(""), "New") == "# New\n"
    assert set_title(parse_document("#  Same  #\n"), "Same") == "#  Same  #\n"
    with pytest.raises(InvalidRequest):
        set_title(parse_document("text"), " \u200b")
