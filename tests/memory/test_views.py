"""Entries as they are listed: by type, with status and date, as a reader sees them."""

from __future__ import annotations

import pytest

from memfs.memory.views import locate, view_entries
from memfs.model import EntryView


def views(path: str, text: str, root: str = "") -> list[EntryView]:
    return list(view_entries(path, text, root=root))


def shown(path: str, text: str) -> list[tuple[str | None, str, str | None, str | None]]:
    return [(view.id, view.text, view.status, view.date) for view in views(path, text)]


@pytest.mark.parametrize(
    ("path", "root", "expected"),
    [
        ("memories/demo/notes.md", "", ("demo", None, "notes.md")),
        ("memories/demo/peers/bob/notes.md", "", ("demo", "bob", "peers/bob/notes.md")),
        ("memfs/memories/demo/notes.md", "memfs", ("demo", None, "notes.md")),
        ("memories/demo/notes.md", "memfs", None),
        ("notes.md", "", None),
        ("memories/notes.md", "", None),
        ("memories/demo/.ledger/notes.md", "", None),
    ],
)
def test_whose_memory_a_path_is(path: str, root: str, expected: tuple[str, str | None, str] | None) -> None:
    place = locate(path, root=root)
    assert (place and (place.identity, place.peer, place.document)) == expected


def test_actions() -> None:
    text = (
        "# Actions\n\n## Open\n\n- [ ] Rotate the key, high, due 2026-12-04 ^m-a\n- [/] Under way\n"
        "- [ ] Write, in progress, low\n- 订票，中，截止 2026-12-08\n"
        "\n## Done\n\n- [x] Upgrade (done 2026-02-26) ^m-b\n- old\n"
    )
    assert [(v.status, v.date, v.priority, v.line) for v in views("memories/demo/actions.md", text)] == [
        ("pending", "2026-12-04", "high", 5),
        ("in_progress", None, None, 6),
        ("in_progress", None, "low", 7),
        ("pending", "2026-12-08", "medium", 8),
        ("done", None, None, 12),
        ("done", None, None, 13),
    ]


def test_decisions_and_superseded_ones() -> None:
    text = (
        "# Decisions\n\n## Mercury\n\n- **Queue**: Redis, because it runs. (2026-03-11) ^m-a\n"
        "- ~~**Base**: Alpine. (2026-01-01)~~ (superseded 2026-02-01) ^m-a-bcde\n\n## Superseded\n\n"
        "- **Queue**: RabbitMQ. (2025-09-04) superseded 2026-03-11 ^m-b\n"
    )
    assert shown("memories/demo/decisions.md", text) == [
        ("m-a", "Queue: Redis, because it runs. (2026-03-11)", None, "2026-03-11"),
        ("m-a-bcde", "Base: Alpine. (2026-01-01)", "superseded", "2026-01-01"),
        ("m-b", "Queue: RabbitMQ. (2025-09-04)", "superseded", "2025-09-04"),
    ]


def test_text_is_what_a_reader_sees() -> None:
    text = "# Notes\n\n- **Bold** ~~gone~~ `co_de` [[memories/demo/projects/mercury|Mercury]] \\# x ^m-a\n"
    assert [v.text for v in views("memories/demo/notes.md", text)] == ["Bold gone `co_de` Mercury # x"]


def test_topics_names_and_fields_are_part_of_the_text() -> None:
    preferences = "# Preferences\n\n## Code style\n\n- Four spaces\n"
    assert [v.text for v in views("memories/demo/preferences.md", preferences)] == ["Code style: Four spaces"]
    project = "# Mercury\n\n- stage: beta ^m-a\n- Repository: on trunk\n- plain line\n"
    assert [(v.field, v.text) for v in views("memories/demo/projects/mercury.md", project)] == [
        ("stage", "Mercury: stage: beta"),
        ("Repository", "Mercury: Repository: on trunk"),
        (None, "Mercury: plain line"),
    ]
    person = "# Will Hope\n\nDirector of platform. ^m-b\n\nProse without an id.\n"
    assert [v.text for v in views("memories/demo/entities/people/will-hope.md", person)] == [
        "Will Hope: Director of platform."
    ]
    event = "# Talk\n\n- summary: 45 came ^m-c\n"
    (view,) = views("memories/demo/events/2026/10/08/talk.md", event)
    assert (view.field, view.date, view.type) == ("summary", "2026-10-08", "events")


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("memories/demo/anything.md", "---\ntype: decisions\n---\n- **A**: b\n", "decisions"),
        ("memories/demo/profile.md", "- name: x\n", "profile"),
        ("memories/demo/scratch.md", "- gift for Will\n", "notes"),
        ("memories/demo/peers/bob/preferences.md", "- tabs\n", "preferences"),
        ("memories/demo/entities/people/x.md", "- x\n", "entities"),
    ],
)
def test_types(path: str, text: str, expected: str) -> None:
    assert [view.type for view in views(path, text)] == [expected]


def test_what_is_no_entry() -> None:
    text = "# N\n\n```\n- not one\n```\n\n> - quoted\n\n> [!note] mine\n\n| a |\n| - |\n\n- \n\nprose\n"
    assert views("memories/demo/notes.md", text) == []
    for path in (
        "memories/demo/relay.md",
        "memories/demo/journal/2026-03-01.md",
        "elsewhere.md",
        "memories/demo/x.txt",
    ):
        assert views(path, "- a line ^m-a\n") == []


def test_links_from_an_identity_to_its_documents_are_no_entries() -> None:
    text = "# demo\n\n- [[memories/demo/profile|Profile]]\n- [Notes](notes.md)\n- Likes [[tea]]\n- [[x]] ^a\n"
    assert [v.text for v in views("memories/demo/identity.md", text)] == ["Likes tea", "x"]
    assert [v.text for v in views("memories/demo/notes.md", "- [[memories/demo/profile|Profile]]\n")] == [
        "Profile"
    ]
