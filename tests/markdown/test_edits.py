"""Edits: only the lines that are meant change, and what was added can be taken out again."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memfs.errors import InvalidDocument, InvalidRequest
from memfs.markdown.document import Document, parse_document
from memfs.markdown.edits import remove_block, replace_block
from memfs.markdown.inserts import insert_after, insert_item, insert_paragraph, remove_section
from tests.markdown.strategies import LINES, markdown_texts

documents = markdown_texts().map(parse_document).filter(lambda doc: doc.writable)
trails = st.sampled_from(((), ("Open",), ("Open", "Sub"), ("New",), ("New", "Deep")))


def edit_or_none(edit: object, *arguments: object) -> str | None:
    """The edited text; None when the edit is refused, which leaves the file alone."""
    try:
        return edit(*arguments)  # type: ignore[operator,no-any-return]
    except InvalidDocument:
        return None


def same_end(doc: Document, text: str) -> bool:
    return not doc.text or doc.text.endswith("\n") == text.endswith("\n")


@given(documents, st.data())
def test_replacing_with_the_same_changes_no_byte(doc: Document, data: st.DataObject) -> None:
    blocks = [b for b in doc.blocks if b.kind in ("item", "paragraph", "callout")]
    assume(blocks)
    block = data.draw(st.sampled_from(blocks))
    if "\n" not in block.text:
        assert replace_block(doc, block, block.text) == doc.text
        assert replace_block(doc, block, block.text, box=block.box) == doc.text


@given(documents, st.data())
def test_replacing_changes_only_the_lines_of_the_block(doc: Document, data: st.DataObject) -> None:
    blocks = [b for b in doc.blocks if b.kind in ("item", "paragraph", "callout")]
    assume(blocks)
    block = data.draw(st.sampled_from(blocks))
    text = edit_or_none(replace_block, doc, block, "new words 新")
    if text is None:
        return
    lines = parse_document(text).lines
    assert lines[: block.start] == doc.lines[: block.start]
    assert lines[block.start + 1 :] == doc.lines[block.end :]
    again = parse_document(text).blocks[doc.blocks.index(block)]
    assert (again.text, again.block_id, again.box) == ("new words 新", block.block_id, block.box)
    assert (again.marker, again.indent) == (block.marker, block.indent)
    assert same_end(doc, text)


@given(documents, st.data())
def test_removing_takes_only_lines_away(doc: Document, data: st.DataObject) -> None:
    assume(doc.blocks)
    block = data.draw(st.sampled_from(doc.blocks))
    text = edit_or_none(remove_block, doc, block)
    if text is None:
        return
    after = parse_document(text)
    assert len(after.blocks) in (len(doc.blocks) - 1, len(doc.blocks))
    above, below = doc.lines[: block.start], doc.lines[block.end :]
    kept = "".join(after.lines)
    assert kept.startswith("".join(above[:-1]).rstrip("\r\n"))
    if below or "".join(above[-1:]).strip("\ufeff\r\n"):
        assert same_end(doc, text)
    assert "".join(below).rstrip("\r\n") in kept


@given(documents, trails, st.sampled_from(["- new 新 ^m-new", "* [ ] task ^m-new"]))
def test_inserting_an_item_only_adds(doc: Document, trail: tuple[str, ...], line: str) -> None:
    assume(not doc.find("m-new"))
    text = edit_or_none(insert_item, doc, trail, line)
    if text is None:
        return
    after = parse_document(text)
    (block,) = after.find("m-new")
    path = after.sections[block.section].path if block.section >= 0 else ()
    assert path == trail or after.sections[block.section].trail == trail
    assert same_end(doc, text)
    new = [n for n in range(len(after.lines)) if after.lines[n].rstrip("\r\n").lstrip("\ufeff") == line]
    assert len(new) == 1
    assert text.startswith("\ufeff") == doc.text.startswith("\ufeff")


@given(documents, trails, st.booleans())
def test_removing_what_was_inserted_restores_the_bytes(
    doc: Document, trail: tuple[str, ...], paragraph: bool
) -> None:
    assume(not doc.find("m-new"))
    known = {section.path for section in doc.sections}
    if paragraph:
        text = edit_or_none(insert_paragraph, doc, trail, "new ^m-new")
    else:
        text = edit_or_none(insert_item, doc, trail, "- new ^m-new")
    if text is None or not doc.text:
        return
    after = parse_document(text)
    (block,) = after.find("m-new")
    text = remove_block(after, block)
    for depth in range(len(trail), 0, -1):
        if trail[:depth] not in known:
            text = remove_section(parse_document(text), trail[:depth])
    # squeezed in before a line that followed without a gap, it may need an empty line, and that stays
    words, before = (t.removeprefix("\ufeff").split() for t in (text, doc.text))
    assert text == doc.text or (is_crowded(doc, after) and words == before)


def is_crowded(doc: Document, after: Document) -> bool:
    """True when the lines that were added stand directly above a line with text."""
    old, new = ([line.rstrip("\r\n") for line in d.lines] for d in (doc, after))
    while old and new and old[-1] == new[-1]:
        old.pop()
        new.pop()
    return bool("".join(doc.lines[len(old) : len(old) + 1]).strip())


@given(documents, st.data())
def test_a_callout_below_an_entry_can_be_taken_out_again(doc: Document, data: st.DataObject) -> None:
    blocks = [b for b in doc.blocks if b.kind == "item"]
    assume(blocks)
    block = data.draw(st.sampled_from(blocks))
    text = edit_or_none(insert_after, doc, block, "> [!question] 2026-03-14: 问 ^m-new-q")
    if text is None:
        return
    after = parse_document(text)
    (callout,) = after.find("m-new-q")
    assert (callout.kind, callout.label, callout.text) == ("callout", "question", "2026-03-14: 问")
    assert after.blocks[callout.parent].start == block.start
    assert after.blocks[doc.blocks.index(block)].text == block.text
    if len(after.lines) == len(doc.lines) + 1:
        assert remove_block(after, callout) == doc.text


@given(documents, trails)
def test_repeated_inserts_grow_no_empty_lines(doc: Document, trail: tuple[str, ...]) -> None:
    first = edit_or_none(insert_item, doc, trail, "- new ^m-1")
    if first is None:
        return
    second = insert_item(parse_document(first), trail, "- new ^m-2")
    third = insert_item(parse_document(second), trail, "- new ^m-3")
    assert len(parse_document(third).lines) == len(parse_document(first).lines) + 2


LIST = "# T\n\n## Open\n\n- a ^m-a\n- b ^m-b\n\n## Done\n\n- c ^m-c\n"


def test_an_item_goes_to_the_end_of_its_sections_list() -> None:
    doc = parse_document(
        "# T\n\n- top\n\nprose\n\n## Open\n\n- a\n  - child\n\n  more of a\n\nprose\n\n### Sub\n- s\n"
    )
    assert insert_item(doc, (), "- new") == doc.text.replace("- top\n", "- top\n- new\n")
    assert insert_item(doc, ("Open",), "- new") == doc.text.replace("more of a\n", "more of a\n- new\n")
    assert insert_item(doc, ("Open", "Sub"), "- new") == doc.text + "- new\n"


def test_a_section_without_a_list_takes_the_item_after_its_text() -> None:
    doc = parse_document("# T\n\n## Open\n\nintro\n\n## Done\n")
    assert insert_item(doc, ("Open",), "- new") == "# T\n\n## Open\n\nintro\n\n- new\n\n## Done\n"
    assert insert_item(doc, ("Done",), "- new") == "# T\n\n## Open\n\nintro\n\n## Done\n\n- new\n"
    assert (
        insert_item(parse_document("## Open\n## Done\n"), ("Open",), "- new") == "## Open\n- new\n## Done\n"
    )


def test_missing_sections_are_made_at_the_end_of_their_parent() -> None:
    text = insert_item(parse_document(LIST), ("New",), "- n ^m-n")
    assert text == LIST + "\n## New\n\n- n ^m-n\n"
    text = insert_item(parse_document(LIST), ("Open", "Sub"), "- n ^m-n")
    assert text == LIST.replace("- b ^m-b\n", "- b ^m-b\n\n### Sub\n\n- n ^m-n\n")
    text = insert_item(parse_document(LIST), ("X", "Y"), "- n ^m-n")
    assert text == LIST + "\n## X\n\n### Y\n\n- n ^m-n\n"
    with pytest.raises(InvalidDocument, match="Open, Done"):
        insert_item(parse_document(LIST), ("New",), "- n", create=False)


def test_a_paragraph_keeps_its_distance() -> None:
    doc = parse_document("# Beacon\n\nIt sends messages. ^m-a\n")
    text = insert_paragraph(doc, (), "It is slow. ^m-b")
    assert text == "# Beacon\n\nIt sends messages. ^m-a\n\nIt is slow. ^m-b\n"
    doc = parse_document(text)
    text = insert_after(doc, doc.find("m-a")[0], "> [!question] 2026-03-14: x ^m-a-q")
    assert "^m-a\n\n> [!question] 2026-03-14: x ^m-a-q\n\nIt is" in text
    doc = parse_document(text)
    assert remove_block(doc, doc.find("m-a-q")[0]) == doc.text.replace(
        "> [!question] 2026-03-14: x ^m-a-q\n\n", ""
    )


def test_replacing_keeps_mark_box_and_id_as_typed() -> None:
    doc = parse_document("*   [X]  old   ^m-a  \n1)\tsecond\r\n  > [!question]- t ^m-q\n")
    one, two, callout = doc.blocks
    assert replace_block(doc, one, "new").startswith("*   [X]  new ^m-a\n1)\t")
    assert replace_block(doc, one, "old", box=" ") == doc.text.replace("[X]", "[ ]")
    assert replace_block(doc, one, "old", box=None) == doc.text.replace("[X]  ", "")
    assert replace_block(doc, two, "zweite", box="x") == doc.text.replace("second", "[x] zweite")
    assert replace_block(doc, callout, "u") == doc.text.replace("- t ^", "- u ^")
    with pytest.raises(InvalidRequest):
        replace_block(doc, one, "two\nlines")


def test_an_edit_that_would_change_its_neighbours_is_refused() -> None:
    doc = parse_document("text ^m-a\n\n## Next\n\n```\nopen\n")
    with pytest.raises(InvalidDocument) as caught:
        insert_item(doc, ("Next",), "- swallowed")
    assert caught.value.line == 5
    with pytest.raises(InvalidDocument):
        replace_block(doc, doc.blocks[0], "# heading")
    with pytest.raises(InvalidRequest):
        replace_block(doc, doc.blocks[1], "code")
    with pytest.raises(InvalidRequest):
        insert_item(doc, (), "no bullet")


def test_removing_an_item_keeps_what_is_nested_in_it() -> None:
    doc = parse_document("- a ^m-a\n  - child\n- b\n")
    assert remove_block(doc, doc.blocks[0]) == "  - child\n- b\n"
    doc = parse_document("text\n- [ ] a ^m-a\n\t- child\n- b\n")
    assert remove_block(doc, doc.blocks[1]) == "text\n- …\n\t- child\n- b\n"
    doc = parse_document("- a ^m-a\n\n    - child\n")
    assert remove_block(doc, doc.blocks[0]) == "- …\n\n    - child\n"


def test_removing_never_makes_a_heading_of_the_line_above() -> None:
    doc = parse_document("text\n- a ^m-a\n---\n")
    text = remove_block(doc, doc.blocks[1])
    assert text == "text\n\n---\n"
    assert parse_document(text).sections == ()


def test_only_an_empty_section_is_removed() -> None:
    assert remove_section(parse_document(LIST), ("Open",)) == LIST
    assert remove_section(parse_document(LIST), ("Nowhere",)) == LIST
    doc = parse_document("# T\n\n## Open\n\n## Done\n\n### Sub\n")
    assert remove_section(doc, ("Open",)) == "# T\n\n## Done\n\n### Sub\n"
    assert remove_section(doc, ("Done",)) == doc.text


@given(st.lists(st.sampled_from(LINES), max_size=8))
def test_documents_that_cannot_be_written_are_refused_by_every_edit(lines: list[str]) -> None:
    doc = parse_document("\n".join(("", *lines, "", "- a ^m-a", "<<<<<<< HEAD", "")))
    assume(doc.find("m-a"))
    block = doc.find("m-a")[0]
    for edit in (
        lambda: insert_item(doc, (), "- x"),
        lambda: insert_paragraph(doc, (), "x"),
        lambda: insert_after(doc, block, "> x"),
        lambda: replace_block(doc, block, "x"),
        lambda: remove_block(doc, block),
        lambda: remove_section(doc, ("Open",)),
    ):
        with pytest.raises(InvalidDocument, match="conflict"):
            edit()
