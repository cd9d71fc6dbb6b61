"""Bug reports about Markdown structure elsewhere, as tests: the MD rows that concern reading and editing."""

from __future__ import annotations

import pytest

from memfs.errors import InvalidDocument
from memfs.markdown.document import parse_document
from memfs.markdown.edits import remove_block, replace_block
from memfs.markdown.inline import Link, links, plain_text
from memfs.markdown.inserts import find_section, insert_item, insert_paragraph


def titles(text: str) -> list[str]:
    return [section.title for section in parse_document(text).sections]


@pytest.mark.parametrize(
    "text",
    [
        "- item\n  ```\n  # inside\n  ```\n# After\n",
        "````\n```\n# inside\n```\n````\n# After\n",
        "~~~\n```\n# inside\n~~~\n# After\n",
        "   ```\n# inside\n   ```\n# After\n",
        "- ```\n  # inside\n  ```\n# After\n",
    ],
)
def test_md_02_fences_follow_commonmark(text: str) -> None:
    assert titles(text) == ["After"]
    edited = insert_item(parse_document(text), ("inside",), "- new ^m-n")
    assert edited == text + "\n## inside\n\n- new ^m-n\n"


def test_md_02_an_unclosed_fence_runs_to_the_end_of_the_file() -> None:
    assert titles("# T\n```\n# inside\n\n# also\n") == ["T"]
    assert titles("- ```\n  # inside\n# After the list\n") == ["After the list"]


def test_md_04_the_first_matching_fence_closes() -> None:
    assert titles("```\nouter\n```\n# Between\n```\n# inside\n```\n# After\n") == ["Between", "After"]


def test_md_05_a_fence_in_a_nested_list_is_seen() -> None:
    assert titles("- a\n  - b\n\n    ```\n    # inside\n    ```\n# After\n") == ["After"]
    assert titles("1. a\n   - b\n     ~~~\n     # inside\n\n     # inside\n     ~~~\n# After\n") == ["After"]


@pytest.mark.parametrize("line", ["===", "---", "="])
def test_md_06_an_underline_first_in_a_fence_is_ignored(line: str) -> None:
    assert titles(f"```\n{line}\n```\n") == []
    assert titles(f"text\n```\n{line}\n```\n") == []


def test_md_07_setext_headings_bound_sections() -> None:
    doc = parse_document("Title\n===\n\n- a\n\nSecond\nline\n---\n\n- b ^m-b\n")
    assert [(s.level, s.title, s.body) for s in doc.sections] == [
        (1, "Title", (2, 5)),
        (2, "Second line", (8, 10)),
    ]
    assert insert_item(doc, (), "- new") == doc.text.replace("- a\n", "- a\n- new\n")


def test_md_09_a_rule_below_a_paragraph_makes_no_heading_of_it() -> None:
    doc = parse_document("# T\n\nparagraph ^m-a\n")
    with pytest.raises(InvalidDocument):
        insert_paragraph(doc, (), "---")
    text = insert_paragraph(doc, (), "--- and more ^m-b")
    assert text == "# T\n\nparagraph ^m-a\n\n--- and more ^m-b\n"
    assert titles(text) == ["T"]


def test_md_11_inserting_below_a_heading_destroys_nothing_and_can_be_repeated() -> None:
    text = "# T\n## A\n## B\ntext\n"
    for number in range(3):
        text = insert_item(parse_document(text), ("A",), f"- {number}")
    assert text == "# T\n## A\n- 0\n- 1\n- 2\n## B\ntext\n"


def test_md_13_an_item_below_a_last_line_without_newline_is_a_line_of_its_own() -> None:
    text = insert_item(parse_document("# T\n\n- a ^m-a"), (), "- b ^m-b")
    assert text == "# T\n\n- a ^m-a\n- b ^m-b"


def test_md_14_the_final_newline_is_as_the_person_has_it() -> None:
    for text in ("# T\n\n- a ^m-a", "# T\n\n- a ^m-a\n", "# T\n\n- a ^m-a\n\n\n"):
        doc = parse_document(text)
        tail = text[len("# T\n\n- a ^m-a") :]
        assert insert_item(doc, (), "- b") == f"# T\n\n- a ^m-a\n- b{tail}"
        assert insert_item(doc, ("N",), "- b") == f"# T\n\n- a ^m-a\n\n## N\n\n- b{tail}"
        assert replace_block(doc, doc.blocks[0], "b") == f"# T\n\n- b ^m-a{tail}"


def test_md_15_the_same_edit_again_changes_nothing() -> None:
    doc = parse_document("# T\n\n- a ^m-a\n\n\n- b ^m-b\n")
    first = replace_block(doc, doc.find("m-b")[0], "c")
    again = parse_document(first)
    assert replace_block(again, again.find("m-b")[0], "c") == first
    for _ in range(3):
        text = insert_item(parse_document(first), (), "- n ^m-n")
        assert remove_block(parse_document(text), parse_document(text).find("m-n")[0]) == first


def test_md_19_a_section_is_made_once() -> None:
    text = "# T\n"
    for number in range(3):
        text = insert_item(parse_document(text), ("Workflow",), f"- step {number}")
    assert text == "# T\n\n## Workflow\n\n- step 0\n- step 1\n- step 2\n"
    text = "# T\n"
    for title in ("C#", "a #", "a  #\n", "[[x]] `y`", "100 %% 200", "#"):
        text = insert_item(
            parse_document(insert_item(parse_document(text), (title,), "- a")), (title,), "- b"
        )
    assert len(titles(text)) == 6


def test_md_21_the_full_path_decides_and_an_ambiguous_one_lists_the_candidates() -> None:
    text = "# T\n\n## A\n\n### Notes\n\n- a\n\n## B\n\n### Notes\n\n- b\n"
    doc = parse_document(text)
    assert insert_item(doc, ("B", "Notes"), "- new") == text + "- new\n"
    assert insert_item(doc, ("A", "Notes"), "- new") == text.replace("- a\n", "- a\n- new\n")
    doubled = parse_document(text + "\n## A\n\n- c\n")
    with pytest.raises(InvalidDocument) as caught:
        insert_item(doubled, ("A",), "- new")
    assert "line 3: T > A" in str(caught.value)
    assert "line 15: T > A" in str(caught.value)


def test_md_22_a_heading_that_is_elsewhere_is_no_match() -> None:
    text = "# T\n\n## A\n\n### Leaf\n\n- a\n"
    with pytest.raises(InvalidDocument, match="A > Leaf"):
        insert_item(parse_document(text), ("Leaf",), "- new", create=False)
    assert insert_item(parse_document(text), ("Leaf",), "- new") == text + "\n## Leaf\n\n- new\n"


def test_md_23_a_section_in_one_of_the_same_name_is_addressed_by_its_path() -> None:
    text = "# Notes\n\n## Notes\n\n- outer\n\n### Notes\n\n- inner\n"
    doc = parse_document(text)
    assert insert_item(doc, ("Notes",), "- new") == text.replace("- outer\n", "- outer\n- new\n")
    assert insert_item(doc, ("Notes", "Notes"), "- new") == text + "- new\n"


@pytest.mark.parametrize(
    "title", ["🚀 Launch", "a | b", "a \\| b", "<b>bold</b>", "`code` #tag", "第一章　开始", "*x*"]
)
def test_md_24_headings_match_on_their_raw_text(title: str) -> None:
    text = f"# T\n\n## {title}\n\n- a\n\n## Other\n"
    assert insert_item(parse_document(text), (title,), "- new") == text.replace("- a\n", "- a\n- new\n")
    section = find_section(parse_document(text), (title,))
    assert section is not None
    assert section.title == title


def test_md_25_a_document_doubled_by_a_merge_is_not_written() -> None:
    text = "---\ntype: actions\n---\n\n# Actions\n\n## Open\n\n- a ^m-a\n"
    doc = parse_document(text + text.replace("- a", "- b"))
    assert doc.problem is not None
    assert doc.problem.line == 10
    with pytest.raises(InvalidDocument, match="twice"):
        insert_item(doc, ("Open",), "- new")
    bare = "# Actions\n\n## Open\n\n- a ^m-a\n"
    with pytest.raises(InvalidDocument, match="2 sections"):
        insert_item(parse_document(bare + bare), ("Open",), "- new")
    fenced = parse_document(f"{text}\n```\n{text}```\n")
    assert fenced.writable


def test_md_29_one_backslash_before_the_bar_belongs_to_the_table() -> None:
    assert links("| [[a\\|b]] | [[c\\|d]] |") == (Link("a", "b"), Link("c", "d"))
    assert plain_text("[[a\\|b]]") == "b"


def test_md_30_headings_in_quotes_and_callouts_bound_nothing() -> None:
    text = "# T\n\n> [!note] title\n> # Head\n>\n> ## Another\n\n- a\n"
    assert titles(text) == ["T"]
    assert [b.kind for b in parse_document(text).blocks] == ["callout", "item"]


@pytest.mark.parametrize(
    "hidden",
    [
        "%% ## hidden %%",
        "%%\n## hidden\n\n- x ^m-a\n%%",
        "<!-- ## hidden -->",
        "<!--\n## hidden\n\n- x ^m-a\n-->",
    ],
)
def test_md_31_comments_are_opaque_and_kept(hidden: str) -> None:
    text = f"# T\n\n{hidden}\n\n- a ^m-a\n"
    doc = parse_document(text)
    assert titles(text) == ["T"]
    (entry,) = doc.find("m-a")
    assert entry.text == "a"
    assert hidden in replace_block(doc, entry, "b")
    assert hidden in insert_item(doc, ("hidden",), "- new")


def test_md_32_mixed_endings_stay_and_new_lines_use_their_neighbours() -> None:
    text = "# T\r\n\r\n- a ^m-a\r\n- b ^m-b\n\r\n## Next\n- c\r\n"
    doc = parse_document(text)
    assert insert_item(doc, (), "- new") == text.replace("m-b\n", "m-b\n- new\n")
    assert insert_item(doc, ("Next",), "- new") == text + "- new\r\n"
    assert replace_block(doc, doc.find("m-a")[0], "x") == text.replace("- a", "- x")
    assert replace_block(doc, doc.find("m-b")[0], "x") == text.replace("- b", "- x")


def test_md_33_crlf_is_kept() -> None:
    text = "# T\r\n\r\n- a ^m-a\r\n"
    doc = parse_document(text)
    assert doc.newline == "\r\n"
    assert insert_item(doc, ("New",), "- n") == text + "\r\n## New\r\n\r\n- n\r\n"
    assert remove_block(doc, doc.blocks[0]) == "# T\r\n"


@pytest.mark.parametrize(
    "part", ["|-", "| ", "- ", "-|:", "| a ", "> ", "[", "<a b ", "a`", "**", "%%", "^a ", "\t"]
)
@pytest.mark.parametrize("above", ["", "head | er\n", "- item | x\n"])
def test_md_34_a_line_of_a_megabyte_is_read(above: str, part: str) -> None:
    text = above + part * (1_000_000 // len(part)) + "x\n# End\n"
    doc = parse_document(text)
    assert "".join(doc.lines) == text
    assert [s.title for s in doc.sections] == ["End"]


def test_md_35_a_stray_bracket_is_text() -> None:
    text = "a [ b " + "words " * 300 + "[link](x.md) ] [[note]]"
    assert links(text) == (Link("x.md", "link"), Link("note"))
    assert plain_text(text).startswith("a [ b words")
    assert parse_document(f"- {text} ^m-a\n").find("m-a")[0].text == text


def test_md_37_a_leading_minus_is_text() -> None:
    doc = parse_document("- -5 degrees ^m-a\n")
    assert doc.blocks[0].text == "-5 degrees"
    assert replace_block(doc, doc.blocks[0], "-6 degrees") == "- -6 degrees ^m-a\n"
