"""From operations to drafts: fields, operators, limits, names, and text that stays text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.markdown.document import parse_document
from memfs.memory.drafts import draft_entries
from memfs.memory.ids import entry_id
from memfs.memory.merge import Snapshot, entry_texts
from memfs.memory.plain import plain_text
from memfs.memory.registry import build_registry
from memfs.model import Draft, Dropped, Evidence, Operation, Target
from tests.memory.conftest import BUILTIN, REGISTRY, TODAY, draft_of, on_day
from tests.memory.worlds import after, merge

EVIDENCE = Evidence("test/session", ("m1",), on_day(11))


def made(
    type_name: str, fields: dict[str, Any], *, peer: str | None = None, **rest: Any
) -> tuple[Draft, ...] | Dropped:
    options: dict[str, Any] = {"language": "en", "today": TODAY, **rest}
    return draft_entries(Operation(type_name, fields), Target("demo", peer), REGISTRY, EVIDENCE, **options)


def texts(type_name: str, fields: dict[str, Any], **rest: Any) -> list[str]:
    drafts = made(type_name, fields, **rest)
    assert not isinstance(drafts, Dropped), drafts.reason
    return [draft.text for draft in drafts]


@pytest.mark.parametrize(
    ("type_name", "fields", "lines"),
    [
        (
            "profile",
            {"name": "Priya Raman", "languages": ("en", "de")},
            ["name: Priya Raman", "languages: en", "languages: de"],
        ),
        ("profile", {"field": "name", "value": "Priya"}, ["name: Priya"]),
        ("profile", {"hardware": "an old desktop"}, ["hardware: an old desktop"]),
        (
            "projects",
            {"project": "Mercury", "stage": "beta", "key_tasks": ["a", "b", "a", ""]},
            ["stage: beta", "key_tasks: a", "key_tasks: b"],
        ),
        ("projects", {"project": "Mercury", "tech_stack": "FastAPI"}, ["tech_stack: FastAPI"]),
        (
            "projects",
            {"project": "Mercury", "stage": "", "description": "x", "colour": "red"},
            ["description: x"],
        ),
        ("preferences", {"topic": "Tests", "content": "pytest"}, ["pytest"]),
        (
            "decisions",
            {"topic": "Queue", "decision": "Redis.", "reason": "runs", "date": "2026-03-10"},
            ["**Queue**: Redis, because runs. (2026-03-10)"],
        ),
        ("decisions", {"topic": "Queue", "decision": "Redis."}, ["**Queue**: Redis. (2026-03-11)"]),
        (
            "decisions",
            {"topic": "Queue", "decision": "Redis", "date": "2026-02-31"},
            ["**Queue**: Redis. (2026-03-11)"],
        ),
        (
            "decisions",
            {"topic": "队列", "decision": "用 Redis", "reason": "已有"},
            ["**队列**：用 Redis，因为已有。 (2026-03-11)"],
        ),
        (
            "actions",
            {"task": "Write it", "priority": "HIGH", "status": "in progress", "due": "2026-03-20T10:00:00"},
            ["Write it, in progress, high, due 2026-03-20"],
        ),
        ("actions", {"task": "Write it", "priority": "urgent", "due": "soon"}, ["Write it"]),
        (
            "actions",
            {"task": "写手册", "priority": "low", "due": "2026-03-20"},
            ["写手册，低，截止 2026-03-20"],
        ),
        ("notes", {"content": "a\n\nb", "tags": ["#one", "two words", "3", "one"]}, ["a b #one #two-words"]),
        (
            "notes",
            {"content": "x", "tags": [f"t{n}x" for n in range(12)]},
            ["x " + " ".join(f"#t{n}x" for n in range(8))],
        ),
        ("entities", {"category": "people", "name": "Will Hope", "content": "Director."}, ["Director."]),
        (
            "events",
            {"name": "Talk", "date": "2026-10-08", "summary": "45 came", "goal": "more"},
            ["summary: 45 came", "goal: more"],
        ),
        ("cases", {"name": "Stuck", "input": "a list"}, ["input: a list"]),
        (
            "experiences",
            {"name": "Slow", "content": "Situation: x.", "supersedes": "Old"},
            ["Situation: x. (supersedes Old)"],
        ),
        ("tools", {"name": "rg", "calls": 3}, ["calls: 3"]),
        ("identity", {"name": "Ada"}, ["name: Ada"]),
    ],
)
def test_lines(type_name: str, fields: dict[str, Any], lines: list[str]) -> None:
    assert texts(type_name, fields) == lines


@pytest.mark.parametrize(
    ("type_name", "fields", "reason"),
    [
        ("nonsense", {}, "unknown memory type"),
        ("decisions", {"topic": "Queue"}, "decision is missing"),
        ("projects", {"stage": "beta"}, "project is missing"),
        ("projects", {"project": "Mercury"}, "nothing to write in it"),
        ("entities", {"category": "people", "name": "Will"}, "content is missing"),
        ("entities", {"category": "", "name": "Will", "content": "x"}, "category is missing"),
        ("actions", {"task": "  "}, "task is missing"),
        ("notes", {"content": None, "tags": ("a",)}, "content is missing"),
        ("profile", {}, "nothing to write in it"),
    ],
)
def test_operations_that_make_nothing(type_name: str, fields: dict[str, Any], reason: str) -> None:
    assert made(type_name, fields) == Dropped(type_name, reason)


def test_documents_sections_and_titles() -> None:
    place = {
        "actions": draft_of(1, "actions", task="a")[0],
        "done": draft_of(1, "actions", task="a", status="done")[0],
        "pitfall": draft_of(1, "notes", content="a", tags=("Pitfall",))[0],
        "note": draft_of(1, "notes", content="a")[0],
        "event": draft_of(1, "events", name="Guild talk", date="2026-10-08", summary="s")[0],
        "entity": draft_of(1, "entities", category="People", name="Will Hope", content="x")[0],
        "peer": draft_of(1, "notes", content="a", peer="kiran")[0],
    }
    assert {name: (draft.document, draft.section, draft.title) for name, draft in place.items()} == {
        "actions": ("actions.md", ("Open",), "Actions"),
        "done": ("actions.md", ("Done",), "Actions"),
        "pitfall": ("notes.md", ("Pitfalls",), "Notes"),
        "note": ("notes.md", ("Notes",), "Notes"),
        "event": ("events/2026/10/08/guild-talk.md", (), "Guild talk"),
        "entity": ("entities/people/will-hope.md", (), "Will Hope"),
        "peer": ("peers/kiran/notes.md", ("Notes",), "Notes"),
    }


def test_boxes_say_what_was_said() -> None:
    boxes = [
        draft_of(1, "actions", task="a", **status)[0].box
        for status in ({}, {"status": "pending"}, {"status": "done"})
    ]
    assert boxes == ["", " ", "x"]
    assert draft_of(1, "notes", content="a")[0].box is None


def test_headings_follow_the_language_of_the_vault() -> None:
    drafts = made("actions", {"task": "a"}, language="zh")
    assert not isinstance(drafts, Dropped)
    assert (drafts[0].section, drafts[0].title) == (("待办",), "行动项")


def test_frontmatter_of_a_new_document() -> None:
    entity = draft_of(1, "entities", category="people", name="Will Hope", content="x", peer="kiran")[0]
    assert entity.frontmatter == {
        "identity": "demo",
        "type": "entities",
        "created": "2026-03-31",
        "peer": "kiran",
        "tags": ("people",),
        "aliases": ("Will Hope",),
    }


def test_the_name_of_a_peer_is_kept_as_an_alias() -> None:
    drafts = made("notes", {"content": "x"}, peer="may-lin", peer_name="May Lin")
    assert not isinstance(drafts, Dropped)
    assert drafts[0].frontmatter["aliases"] == ("May Lin",)
    same = made("notes", {"content": "x"}, peer="kiran", peer_name="kiran")
    assert not isinstance(same, Dropped)
    assert "aliases" not in same[0].frontmatter


def test_modes_follow_type_and_operator() -> None:
    assert draft_of(1, "events", name="a", date="2026-03-01", summary="s")[0].mode == "add_only"
    assert draft_of(1, "cases", name="a", input="s")[0].mode == "add_only"
    assert draft_of(1, "profile", name="a")[0].mode == "upsert"


def test_ids_come_from_the_key() -> None:
    assert draft_of(1, "decisions", topic="Queue", decision="a")[0].id == entry_id(
        "demo", None, "decisions", "queue"
    )
    stage, stack = draft_of(1, "projects", project="Mercury", stage="a", tech_stack=("Go",))
    assert stage.id == entry_id("demo", None, "projects", ["mercury", "stage"])
    assert stack.id == entry_id("demo", None, "projects", ["mercury", "tech_stack", "Go"])


def test_a_wish_without_a_topic_is_known_by_what_it_says() -> None:
    general = draft_of(1, "preferences", topic="General", content="Short answers")[0]
    assert general.id == draft_of(1, "preferences", content="short answers")[0].id
    assert general.id != draft_of(1, "preferences", content="Tabs")[0].id
    assert general.section == ("General",)


@pytest.mark.parametrize(
    ("type_name", "limit"), [("notes", 600), ("entities", 1200), ("actions", 600), ("projects", 600)]
)
def test_long_texts_are_cut(type_name: str, limit: int) -> None:
    text = "This sentence is forty characters long. " * 60
    fields = {
        "notes": {"content": text, "tags": ("a",)},
        "entities": {"category": "c", "name": "n", "content": text},
        "actions": {"task": text.replace(".", ""), "priority": "high", "due": "2026-03-20"},
        "projects": {"project": "p", "stage": text},
    }[type_name]
    (line,) = texts(type_name, fields)
    assert limit * 0.9 < len(line) <= limit
    if type_name == "notes":
        assert line.endswith("long. #a")
    if type_name == "actions":
        assert line.endswith("…, high, due 2026-03-20")


def test_known_names_are_linked_once() -> None:
    names = {
        "Mercury": "memories/demo/projects/mercury.md",
        "Will Hope": "memories/demo/entities/people/will-hope.md",
    }
    (line,) = texts("notes", {"content": "Mercury is run by Will Hope, Mercury!"}, names=names)
    assert line == (
        "[[memories/demo/projects/mercury|Mercury]] is run by"
        " [[memories/demo/entities/people/will-hope|Will Hope]], Mercury!"
    )
    assert plain_text(line) == "Mercury is run by Will Hope, Mercury!"
    (own,) = texts("projects", {"project": "Mercury", "stage": "Mercury is in beta"}, names=names)
    assert own == "stage: Mercury is in beta"


def _merged(fields: dict[str, Any], type_name: str) -> tuple[Snapshot, Draft]:
    drafts = draft_of(1, type_name, **fields)
    snapshot = Snapshot({})
    return after(snapshot, merge(snapshot, drafts)), drafts[0]


def test_a_patch_changes_a_part() -> None:
    snapshot, entry = _merged(
        {"category": "people", "name": "Will", "content": "Director. Has two dogs."}, "entities"
    )
    block = "<<<<<<< SEARCH\ntwo dogs\n=======\nthree dogs\n>>>>>>> REPLACE"
    fields = {"category": "people", "name": "Will", "content": block}
    drafts = made("entities", fields, existing=entry_texts(snapshot))
    assert not isinstance(drafts, Dropped)
    assert (drafts[0].id, drafts[0].text) == (entry.id, "Director. Has three dogs.")


@pytest.mark.parametrize("search", ["cats", "o"])
def test_a_patch_that_fits_not_exactly_once_is_an_error(search: str) -> None:
    snapshot, _ = _merged(
        {"category": "people", "name": "Will", "content": "Director. Has two dogs."}, "entities"
    )
    block = f"<<<<<<< SEARCH\n{search}\n=======\nx\n>>>>>>> REPLACE"
    fields = {"category": "people", "name": "Will", "content": block}
    dropped = made("entities", fields, existing=entry_texts(snapshot))
    assert dropped == Dropped("entities", "the patch of content does not match exactly once")


def test_counters_are_added_up_and_a_failed_patch_spares_the_rest() -> None:
    tools = {**BUILTIN, "tools": BUILTIN["tools"].replace("enabled: false", "enabled: true")}
    registry = build_registry(tools, {})
    fields = {"name": "rg", "calls": 2, "notes": "<<<<<<< SEARCH\nnot there\n=======\nx\n>>>>>>> REPLACE"}
    existing = {entry_id("demo", None, "tools", ["rg", "calls"]): "calls: 40"}
    drafts = draft_entries(
        Operation("tools", fields),
        Target("demo"),
        registry,
        EVIDENCE,
        language="en",
        today=TODAY,
        existing=existing,
    )
    assert not isinstance(drafts, Dropped)
    assert [draft.text for draft in drafts] == ["calls: 42"]


def test_a_template_of_the_vault_that_fails_drops_only_its_operation() -> None:
    broken = BUILTIN["notes"].replace("{{ content }}", "{{ content.nothing.more }}")
    registry = build_registry({**BUILTIN, "notes": broken}, {})
    dropped = draft_entries(
        Operation("notes", {"content": "x"}), Target("demo"), registry, EVIDENCE, language="en", today=TODAY
    )
    assert isinstance(dropped, Dropped)
    assert "notes" in dropped.reason


HOSTILE = st.lists(
    st.sampled_from(
        [*list("ab \n\r\t#->*`|^[]<!%$=~_\\/.x1:"), "m-aaaaaaaaaaaaa", "---", "中", "\u2028", "\u202e"]
    ),
    max_size=40,
).map("".join) | st.text(max_size=30)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["notes", "decisions", "preferences", "entities", "actions", "projects"]),
    HOSTILE,
    HOSTILE,
)
def test_hostile_text_makes_one_entry_or_none(type_name: str, one: str, two: str) -> None:
    fields = {
        "notes": {"content": one, "tags": (two,)},
        "decisions": {"topic": one, "decision": two},
        "preferences": {"topic": one, "content": two},
        "entities": {"category": one, "name": two, "content": one},
        "actions": {"task": one, "due": two},
        "projects": {"project": one, "stage": two},
    }[type_name]
    drafts = made(type_name, fields)
    if isinstance(drafts, Dropped):
        return
    assert len(drafts) == 1
    assert "\n" not in drafts[0].text
    assert len(plain_text(drafts[0].text)) <= 1300
    text = merge(Snapshot({}), drafts).documents.get(drafts[0].document)
    if text is not None:
        document = parse_document(text)
        assert document.block_ids == (drafts[0].id,)
        assert document.writable
        assert len(document.sections) <= 2
        assert all(part not in ("", ".", "..") for part in drafts[0].document.split("/"))


def test_an_inferred_operation_makes_inferred_drafts() -> None:
    op = replace(Operation("notes", {"content": "x"}), inferred=True)
    drafts = draft_entries(op, Target("demo"), REGISTRY, EVIDENCE, language="en", today=TODAY)
    assert not isinstance(drafts, Dropped)
    assert drafts[0].inferred
