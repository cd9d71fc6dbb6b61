"""Links: where they are seen, and where they lead."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.markdown.linking import Goal, LinkMap
from memfs.markdown.outline import Outline, PlacedLink, outline
from tests.markdown.strategies import any_text


def targets(text: str) -> list[tuple[int, str]]:
    return [(link.line, link.target) for link in outline(text).links]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("# See [[A]]\n\n- [b](b.md)\n\n> quoted [[C]]\n", [(1, "A"), (3, "b.md"), (5, "C")]),
        ("| [[a\\|shown]] | x |\n|---|---|\n| [[b]] | y |\n", [(1, "a"), (3, "b")]),
        ("> [!note] see [[A]]\n> and [[B]]\n", [(1, "A"), (2, "B")]),
        ("```\n[[no]]\n```\n\n    [[no]]\n\n`[[no]]` <!-- [[no]] --> [[yes]]\n", [(7, "no"), (7, "yes")]),
        ("- item\n  ```\n  [[no]]\n  ```\n  - [[yes]]\n", [(5, "yes")]),
        (
            '---\nup: "[[Parent]]"\nlist:\n  - "[[Other|o]]"\n---\n[[Body]]\n',
            [(2, "Parent"), (4, "Other"), (6, "Body")],
        ),
        ("See [the plan][p].\n\n[p]: plans/plan.md\n[^1]: note.md\n", [(3, "plans/plan.md")]),
        ("a tick ` alone\n\n[[yes]] and ` another\n", [(3, "yes")]),
        ("![[image.png]] ![x](a%20b.png)\n", [(1, "image.png"), (1, "a%20b.png")]),
        ("\\[[no]] [[ ]] []()\n", []),
    ],
)
def test_where_links_are_seen(text: str, seen: list[tuple[int, str]]) -> None:
    assert targets(text) == seen


def test_what_can_be_linked_to() -> None:
    read = outline(
        "---\naliases: [Moon, Luna]\n---\n# The **Title**\n\n## Part [[x]] : one\n\n"
        "- entry ^m-abc\n\n| t |\n|---|\n\n^table\n\n"
        "```\nno ^code\n# no heading\n```\n"
    )
    assert read.aliases == ("Moon", "Luna")
    assert read.headings == ("the title", "part x one")
    assert read.blocks == ("m-abc", "table")


DOCUMENTS = {
    "Index.md": outline(""),
    "notes/Plan.md": outline("# Plan\n\n## Step one\n\n### Détail\n\nwords ^b1\n"),
    "notes/deep/Plan.md": outline("# Other\n"),
    "notes/Moon walk.md": outline("---\naliases: [Selene]\n---\n"),
    "C#.md": outline(""),
    "foo: bar.md": outline(""),
    "caf\u00e9.md": outline(""),
    "[.md": outline(""),
    "memories/a/notes.md": outline("- entry ^m-abc\n"),
    "memories/b/notes.md": outline("- entry ^m-xyz\n"),
}
FILES = ("pics/gone away.png", "templates/types/notes.md")


def goal(target: str, *, source: str = "Index.md", wiki: bool = True) -> Goal:
    return LinkMap(DOCUMENTS, lambda: FILES).resolve(source, PlacedLink(1, target, wiki))


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("notes/Plan", "notes/Plan.md"),
        ("notes/plan.md", "notes/Plan.md"),
        ("Plan", "notes/Plan.md"),
        ("deep/Plan", "notes/deep/Plan.md"),
        ("/Index", "Index.md"),
        ("Moon walk", "notes/Moon walk.md"),
        ("Moon%20walk", "notes/Moon walk.md"),
        ("Selene", "notes/Moon walk.md"),
        ("selene", "notes/Moon walk.md"),
        ("C#", "C#.md"),
        ("foo: bar", "foo: bar.md"),
        ("cafe\u0301", "caf\u00e9.md"),
        ("[", "[.md"),
        ("gone away.png", "pics/gone away.png"),
        ("Plan#Step one", "notes/Plan.md"),
        ("Plan#Plan#step ONE#détail", "notes/Plan.md"),
        ("Plan#step-one", "notes/Plan.md"),
        ("Plan#^b1", "notes/Plan.md"),
    ],
)
def test_where_wikilinks_lead(target: str, path: str) -> None:
    found = goal(target)
    assert (found.state, found.path) == ("ok", path)


def test_se_26_a_note_with_a_bracket_for_a_name_is_only_text() -> None:
    assert goal("[").path == "[.md"
    assert goal("(").state == "no_document"


@pytest.mark.parametrize(
    ("target", "source", "path"),
    [
        ("Plan.md", "notes/Moon walk.md", "notes/Plan.md"),
        ("deep/Plan.md", "notes/Plan.md", "notes/deep/Plan.md"),
        ("../Index.md#", "notes/Plan.md", "Index.md"),
        ("../pics/gone%20away.png", "notes/Plan.md", "pics/gone away.png"),
        ("/notes/Plan.md", "memories/a/notes.md", "notes/Plan.md"),
        ("#step-one", "notes/Plan.md", "notes/Plan.md"),
        ("Plan", "notes/deep/Plan.md", "notes/deep/Plan.md"),
    ],
)
def test_where_markdown_links_lead(target: str, source: str, path: str) -> None:
    found = goal(target, source=source, wiki=False)
    assert (found.state, found.path) == ("ok", path)


@pytest.mark.parametrize(
    ("target", "wiki", "state"),
    [
        ("https://example.org/a.md", False, "external"),
        ("mailto:a@b.c", False, "external"),
        ("https://example.org", True, "external"),
        ("../../outside.md", False, "external"),
        ("Nowhere", True, "no_document"),
        ("nowhere.md", False, "no_document"),
        ("Plan#Step two", True, "no_heading"),
        ("Plan#Step one#Plan", True, "no_heading"),
        ("Plan#^nope", True, "no_block"),
        ("#nope", False, "no_heading"),
    ],
)
def test_what_leads_nowhere_or_out(target: str, wiki: bool, state: str) -> None:
    assert goal(target, wiki=wiki).state == state


def test_of_two_notes_with_one_name_that_in_the_same_folder_is_meant() -> None:
    assert goal("notes", source="memories/b/profile.md").path == "memories/b/notes.md"
    assert goal("notes", source="memories/a/profile.md").path == "memories/a/notes.md"
    assert goal("notes#^m-xyz", source="memories/b/profile.md").state == "ok"


@given(any_text, st.booleans(), st.sampled_from(sorted(DOCUMENTS)))
def test_any_text_is_a_target(target: str, wiki: bool, source: str) -> None:
    assert goal(target, wiki=wiki, source=source).state


@given(any_text)
def test_any_text_has_an_outline(text: str) -> None:
    read = outline(text)
    lines = max(1, len(text.splitlines()) + 1)
    assert isinstance(read, Outline)
    assert all(1 <= link.line <= lines + text.count("\r") for link in read.links)
