"""Memory types: the built-in ones as the specification lists them, a vault's own, and broken ones."""

from __future__ import annotations

import pytest

from memfs.errors import ConfigError
from memfs.memory.registry import build_registry, parse_type
from memfs.memory.render import render
from tests.memory.conftest import BUILTIN, REGISTRY

MINIMAL = """---
description: A book that was read.
path: books.md
key: [title]
fields:
  - {name: title}
  - {name: verdict, operator: replace}
---
{{ title }}: {{ verdict }}
"""


def operators(name: str) -> dict[str, str]:
    return {field.name: field.operator for field in REGISTRY.types[name].fields}


def test_all_built_in_types_can_be_read() -> None:
    assert REGISTRY.problems == ()
    assert set(REGISTRY.types) == {
        "profile",
        "preferences",
        "projects",
        "decisions",
        "actions",
        "notes",
        "entities",
        "events",
        "identity",
        "soul",
        "cases",
        "trajectories",
        "experiences",
        "skills",
        "tools",
    }


@pytest.mark.parametrize(
    ("name", "path", "key"),
    [
        ("profile", "profile.md", ("field",)),
        ("preferences", "preferences.md", ("topic",)),
        ("projects", "projects/{project}.md", ("project",)),
        ("decisions", "decisions.md", ("topic",)),
        ("actions", "actions.md", ("task",)),
        ("notes", "notes.md", ("content",)),
        ("entities", "entities/{category}/{name}.md", ("category", "name")),
        ("events", "events/{yyyy}/{mm}/{dd}/{name}.md", ("name", "date")),
        ("identity", "identity.md", ("field",)),
        ("soul", "soul.md", ("field",)),
        ("cases", "cases/{name}.md", ("name",)),
        ("trajectories", "trajectories/{name}.md", ("name",)),
        ("experiences", "experiences/{name}.md", ("name",)),
        ("skills", "skills/{name}/SKILL.md", ("name",)),
        ("tools", "tools/{name}.md", ("name",)),
    ],
)
def test_where_types_live_and_what_identifies_them(name: str, path: str, key: tuple[str, ...]) -> None:
    assert (REGISTRY.types[name].path, REGISTRY.types[name].key) == (path, key)


def test_stages_modes_and_switches() -> None:
    types = REGISTRY.types
    assert {n for n, t in types.items() if t.stage == "execution"} == {
        "trajectories",
        "experiences",
        "skills",
    }
    assert {n for n, t in types.items() if not t.enabled} == {"soul", "skills", "tools"}
    self_only = {"identity", "soul", "cases", "trajectories", "experiences", "skills", "tools"}
    assert {n for n, t in types.items() if not t.peer_enabled} == self_only
    assert {n for n, t in types.items() if t.mode == "add_only"} == {"events", "trajectories"}
    assert [n for n, t in types.items() if t.supersedes] == ["decisions"]


def test_operators() -> None:
    assert operators("projects")["stage"] == "replace"
    assert {
        operators("projects")[n] for n in ("tech_stack", "key_tasks", "known_issues", "dependencies")
    } == {"union"}
    assert operators("preferences")["content"] == operators("entities")["content"] == "patch"
    assert {operators("cases")[n] for n in ("task_signature", "input", "rubric", "evidence")} == {"immutable"}
    assert {operators("skills")[n] for n in ("total", "success", "fail")} == {"sum"}
    assert operators("tools")["notes"] == "patch"
    assert REGISTRY.types["entities"].limit == 1200
    assert REGISTRY.types["notes"].limit == 600


def test_a_vault_adds_and_replaces_types() -> None:
    registry = build_registry(
        BUILTIN, {"books": MINIMAL, "notes": MINIMAL.replace("books.md", "my-notes.md")}
    )
    assert registry.types["books"].key == ("title",)
    assert registry.types["notes"].path == "my-notes.md"
    assert len(registry.types) == len(BUILTIN) + 1


def test_a_broken_template_is_named_and_skipped() -> None:
    registry = build_registry(BUILTIN, {"notes": "---\nfields: [\n---\nx\n", "books": MINIMAL})
    assert "notes" not in registry.types
    assert "books" in registry.types
    assert len(registry.problems) == 1
    assert "notes" in registry.problems[0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("path: books.md", "path: ../books.md"), "path"),
        (("path: books.md", "path: /etc/books.md"), "path"),
        (("path: books.md", "path: .git/books.md"), "path"),
        (("path: books.md", "path: books.txt"), "path"),
        (("key: [title]", "key: [titel]"), "titel"),
        (("key: [title]", "key: []"), "key"),
        (("key: [title]", "kye: [title]"), "kye"),
        (("operator: replace", "operator: merge"), "operator"),
        (("operator: replace", "oprator: replace"), "oprator"),
        (("description: A", "mode: upsrt\ndescription: A"), "mode"),
        (("description: A", "enabled: perhaps\ndescription: A"), "enabled"),
        (("description: A", "limit: 5000\ndescription: A"), "limit"),
        (("description: A", "stage: [user]\ndescription: A"), "stage"),
        (("{{ title }}: {{ verdict }}", ""), "body"),
        (("{{ title }}: {{ verdict }}", "{{ title "), "template"),
        (("---\ndescription", "description"), "frontmatter"),
        (("description: A", "description: [A"), "YAML"),
    ],
)
def test_mistakes_in_a_type_are_named(change: tuple[str, str], said: str) -> None:
    with pytest.raises(ConfigError, match=said) as raised:
        parse_type("books", MINIMAL.replace(*change, 1))
    assert raised.value.key == "books"


def test_the_nearest_right_word_is_named() -> None:
    with pytest.raises(ConfigError) as raised:
        parse_type("books", MINIMAL.replace("operator: replace", "operator: replcae"))
    assert raised.value.hint == "did you mean replace?"


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ x.__init__.__globals__ }}",
        "{{ cycler.__init__.__globals__.os.popen('id') }}",
        "{% include '/etc/passwd' %}",
        "{{ 1 / 0 }}",
        "{{ range(999999999) | list }}",
    ],
)
def test_a_template_runs_no_code(source: str) -> None:
    with pytest.raises(ConfigError, match="books"):
        render("books", source, {"x": "y"})
