"""Texts for the properties: arbitrary ones, and ones made of lines that mean something in Markdown."""

from __future__ import annotations

from hypothesis import strategies as st

any_text = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("\n\r\t #>-+*`~|[]()<>!%^\\_=$&\x00\x0b\x0c\x85\u2028\u200b\u202e\ufeff你好한글"),
    ),
    max_size=200,
)

LINES = (
    "",
    "",
    "# Title",
    "## Open",
    "### Sub",
    "##no heading",
    "text one",
    "más texto, 中文",
    "===",
    "---",
    "- a",
    "* b ^hand-id",
    "- [ ] task ^m-abc",
    "  - nested",
    "\t- tab nested",
    "    deep text",
    "  continued",
    "1. one",
    "12) twelve",
    "-",
    "```",
    "````py",
    "~~~",
    "  ```",
    "> quote",
    "> [!note] callout ^m-abc-q",
    "  > [!question] nested callout",
    "| a | b |",
    "|---|---|",
    "<!-- comment",
    "-->",
    "<div>",
    "%%",
    "%% inline %%",
    "***",
    "paragraph entry ^m-par",
    "^alone",
)
ENDINGS = ("\n", "\n", "\n", "\r\n")


@st.composite
def markdown_texts(draw: st.DrawFn, lines: tuple[str, ...] = LINES, *, header: bool = True) -> str:
    """A document: maybe a byte order mark and a header, then lines with their own endings."""
    count = draw(st.integers(0, 14))
    body = [draw(st.sampled_from(lines)) + draw(st.sampled_from(ENDINGS)) for _ in range(count)]
    top = draw(st.sampled_from(("", "", "---\ntitle: x\ntags: [a]\n---\n"))) if header else ""
    text = draw(st.sampled_from(("", "", "\ufeff"))) + top + "".join(body)
    if draw(st.booleans()):
        text = text.removesuffix("\n").removesuffix("\r")
    return text
