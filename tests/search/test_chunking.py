"""Documents cut into entries and prose."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memfs.search.chunking import Chunk, chunk_document, chunk_from_json, chunk_to_json
from memfs.search.prose import MAX_CHARS, split_prose

DECISIONS = """\
---
identity: a
type: decisions
tags: [work, Team]
---

# Decisions

## Mercury

- **Queue**: Redis, because it runs already. (2026-03-11) ^m-aaaaaaaaaaaaa

A thought of mine, in prose.
Two lines of it.

## Superseded

- ~~**Queue**: RabbitMQ. (2025-09-04)~~ (superseded 2026-03-11) ^m-aaaaaaaaaaaaa-bbbb
"""


def chunks(text: str, path: str = "memories/a/notes.md") -> tuple[Chunk, ...]:
    return chunk_document(path, text)


def test_an_entry_knows_where_it_stands() -> None:
    entry, prose, old = chunks(DECISIONS, "memories/a/decisions.md")
    assert (entry.view.id, entry.view.line, entry.view.type) == ("m-aaaaaaaaaaaaa", 11, "decisions")
    assert (entry.title, entry.trail, entry.tags) == ("Decisions", ("Mercury",), ("work", "Team"))
    assert (entry.topic, entry.days, entry.view.date) == ("queue", (20260311,), "2026-03-11")
    assert entry.body.startswith("Queue: Redis")
    assert (prose.view.id, prose.view.line, prose.view.text) == (
        None,
        13,
        "A thought of mine, in prose.\nTwo lines of it.",
    )
    assert (old.view.status, old.topic) == ("superseded", "queue")


def test_suggestions_and_the_relay_board_are_not_searched() -> None:
    entry = "- Redis it is ^m-aaaaaaaaaaaaa\n  > [!question] 2026-03-01: Kafka ^m-aaaaaaaaaaaaa-q\n"
    text = f"# Notes\n\n{entry}"
    assert [chunk.body for chunk in chunks(text)] == ["Redis it is"]
    assert chunks("# Relay\n\n- 2026-11-30T10:30:00 x#1 user: hello ^r1\n", "memories/a/relay.md") == ()


def test_no_heading_inside_a_code_fence() -> None:
    text = "# Title\n\n## Steps\n\n```sh\n# not a heading\nmake all\n```\n\nThen wait.\n"
    (only,) = chunks(text)
    assert only.trail == ("Steps",)
    assert "# not a heading" in only.view.text
    assert "Then wait." in only.view.text


def test_journal_lines_are_chunks_with_neighbours_and_the_day() -> None:
    text = "# 2026-11-24\n\n## Key\n\n- one is first ^aa\n- two is next ^bb\n\n## Other\n\n- far away\n"
    one, two, far = chunks(text, "memories/a/journal/2026-11-24.md")
    assert (one.view.id, one.view.type, one.view.date) == ("aa", "journal", "2026-11-24")
    assert (one.near, two.near, far.near) == (("two is next",), ("one is first",), ())
    assert one.around == (two.key,)


def test_notes_outside_of_memories_are_prose_by_section() -> None:
    text = "intro\n\n# A\n\n- one ^x\n- two\n\n# B\n\nthree\n"
    found = chunks(text, "Reading/list.md")
    assert [(chunk.view.identity, chunk.view.text) for chunk in found] == [
        ("", "intro"),
        ("", "- one ^x\n- two"),
        ("", "three"),
    ]


def test_a_peers_memory_is_the_peers() -> None:
    (chunk,) = chunks("# K\n\n- prefers tabs\n", "memories/a/peers/kiran/notes.md")
    assert (chunk.view.identity, chunk.view.peer) == ("a", "kiran")
    assert "kiran" in chunk.head


def test_se_24_equal_sections_have_ids_of_their_own() -> None:
    found = chunks("# T\n\n## Same\n\nsame words\n\n## Same\n\nsame words\n")
    assert len({chunk.id for chunk in found}) == len(found) == 2


def test_md_36_a_table_longer_than_a_chunk_repeats_its_header() -> None:
    rows = "".join(f"| row {n} | {'value ' * 10}|\n" for n in range(60))
    found = chunks(f"# T\n\n| name | value |\n| --- | --- |\n{rows}\nAfter it.\n")
    tables = [chunk.view.text for chunk in found if "row" in chunk.view.text]
    assert len(tables) > 1
    assert all(text.startswith("| name | value |\n| --- | --- |\n") for text in tables)
    assert all(f"| row {n} |" in "\n".join(tables) for n in range(60))


def test_long_prose_is_cut_between_paragraphs_then_sentences() -> None:
    paragraphs = [f"Paragraph {n}. " + "Some words. " * 30 for n in range(8)]
    pieces = list(split_prose("\n\n".join(paragraphs)))
    assert all(len(text) <= MAX_CHARS for _, text in pieces)
    assert [text.split(".")[0] for _, text in pieces][:2] == ["Paragraph 0", "Paragraph 3"]
    assert "Paragraph 7." in pieces[-1][1]
    endless = "字" * 5000
    assert "".join(text for _, text in split_prose(endless)) == endless


def test_pieces_know_their_line() -> None:
    paragraphs = "\n\n".join("word " * 150 for _ in range(4))
    found = chunks(f"# T\n\n{paragraphs}\n")
    lines = f"# T\n\n{paragraphs}\n".split("\n")
    assert len(found) > 1
    assert all(lines[chunk.view.line - 1].startswith("word") for chunk in found)


def test_links_lead_to_words() -> None:
    (chunk,) = chunks("# N\n\n- ask [[memories/a/entities/people/may-lin|May]] about it\n")
    assert "may-lin" in chunk.body
    assert "May" in chunk.body


@given(
    st.text(st.sampled_from("ab字# -|`\n\t>[]^*~.1"), max_size=300),
    st.sampled_from(["memories/a/notes.md", "n.md"]),
)
def test_any_text_is_cut_and_comes_back_from_json(text: str, path: str) -> None:
    found = chunks(text, path)
    assert len({chunk.id for chunk in found}) == len(found)
    for chunk in found:
        assert chunk_from_json(chunk_to_json(chunk)) == chunk
        assert 1 <= chunk.view.line <= text.count("\n") + 1


@given(st.text(st.sampled_from("ab。. \n"), max_size=400), st.integers(5, 60))
def test_prose_loses_no_character_but_blanks(text: str, limit: int) -> None:
    pieces = [piece for _, piece in split_prose(text, limit)]
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(len(piece.strip()) <= limit for piece in pieces)


def test_links_from_an_identity_to_its_documents_are_not_searched() -> None:
    text = "# demo\n\nWho it is.\n\n- [[memories/demo/profile|Profile]]\n\nMore of it.\n"
    found = chunk_document("memories/demo/identity.md", text)
    assert [chunk.view.text.strip() for chunk in found] == ["Who it is.", "More of it."]
