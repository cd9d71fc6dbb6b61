"""Links and plain words of a line."""

from __future__ import annotations

import pytest
from hypothesis import given

from memfs.markdown.inline import Link, links, plain_text
from tests.markdown.strategies import any_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[Note]]", [Link("Note")]),
        ("[[projects/mercury|Mercury]]", [Link("projects/mercury", "Mercury")]),
        ("[[笔记#标题|别名]]", [Link("笔记#标题", "别名")]),
        ("![[image.png]]", [Link("image.png", None, True)]),
        ("[text](note.md) and ![](a.png)", [Link("note.md", "text"), Link("a.png", None, True)]),
        ('[a](<with space.md>) [b](c.md "title")', [Link("with space.md", "a"), Link("c.md", "b")]),
        ("| [[a\\|b]] |", [Link("a", "b")]),
        ("[[a\\\\|b]]", [Link("a\\", "b")]),
        ("a lone [ and [[open and ] text", []),
        ("`[[code]]` ``[x](y)``", []),
        ("\\[[escaped]]", []),
        ("[[]] [[ | x]] []()", []),
    ],
)
def test_links(text: str, expected: list[Link]) -> None:
    assert links(text) == tuple(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**Topic**: `code` and *stress*", "Topic: code and stress"),
        ("~~old~~ ==marked== ***both***", "old marked both"),
        ("snake_case_name and __init__.py", "snake_case_name and init.py"),
        ("2 * 3 * 4 = 24", "2 * 3 * 4 = 24"),
        ("`**not bold**` ``a ` b``", "**not bold** a ` b"),
        ("[[a|the alias]] [[b]] [text](url) ![[c.png]]", "the alias b text c.png"),
        ("[[a\\|b]]", "b"),
        ("\\# head \\[ ] \\*\\*", "# head [ ] **"),
        ("a <!-- hidden --> b", "a  b"),
        ("**决定**：用 `uv`", "决定：用 uv"),
        ("unclosed **bold and `tick", "unclosed **bold and `tick"),
        ("", ""),
    ],
)
def test_plain_text(text: str, expected: str) -> None:
    assert plain_text(text) == expected


@given(any_text)
def test_any_text_has_plain_text_and_links(text: str) -> None:
    assert isinstance(plain_text(text), str)
    assert all(link.target for link in links(text))
    words = "".join(c for c in text if c.isalnum() and c not in "\ue000\ue001")
    if not set("[]<>()`\\") & set(text):
        assert "".join(c for c in plain_text(text) if c.isalnum()) == words


@pytest.mark.parametrize(
    "part", ["[", "[[a", "**a ", "`", "``a", "<!--", "\\", "[a](", "^a ", "_a", "[[a|", "*"]
)
def test_long_lines_take_linear_time(part: str) -> None:
    text = part * (400_000 // len(part))
    assert len(plain_text(text)) <= len(text)
    links(text)
