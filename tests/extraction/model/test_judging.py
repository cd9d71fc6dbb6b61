"""Each operation judged by itself: names, values, proof; a bad one never takes its siblings along."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from memfs.errors import InvalidAnswer
from memfs.extraction.model.judging import AGENT_TAG, MAX_OPERATIONS, Shown, read_operations
from memfs.extraction.request import Known
from memfs.memory.registry import build_registry
from memfs.memory.types import MemoryType
from memfs.model import Extraction, Operation, ToolCall, Turn
from memfs.services.resources import read_builtin_templates

REGISTRY = build_registry(read_builtin_templates("types"), {})
TYPES = tuple(each for each in REGISTRY.enabled() if each.stage == "user")
TURNS = (
    Turn("user", "We go with PostgreSQL for the ledger, SQLite locks up under load."),
    Turn("assistant", "You could use Rust for the importer. Shall we?"),
    Turn("user", "My name is Priya and I lead the payments team. I work with FastAPI and Kafka."),
    Turn("assistant", "The build failed: node-gyp needs Python 3.11, not 3.12."),
    Turn("user", "Remember that the staging VPN drops every day at noon. Thanks!"),
)


def read(answer: Any, types: Sequence[MemoryType] = TYPES, turns: Sequence[Turn] = TURNS) -> Extraction:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return read_operations(text, types, Shown(turns, range(len(turns))))


def only(answer: Any, turns: Sequence[Turn] = TURNS) -> Operation:
    extraction = read(answer, turns=turns)
    assert extraction.dropped == ()
    (operation,) = extraction.operations
    return operation


def reasons(extraction: Extraction) -> list[str]:
    return [dropped.reason for dropped in extraction.dropped]


DECISION = {
    "topic": "Ledger database",
    "decision": "PostgreSQL",
    "reason": "SQLite locks under load",
    "turns": [1],
}


def test_a_said_decision_is_an_operation() -> None:
    operation = only({"decisions": [DECISION]})
    assert operation.type == "decisions"
    assert operation.fields["decision"] == "PostgreSQL"
    assert (operation.turns, operation.inferred, operation.insist) == ((0,), False, False)


@pytest.mark.parametrize(
    "answer",
    [
        {"Decisions": [DECISION]},
        {"DECISIONS": DECISION},
        {"decision": [DECISION]},
        {"decisions": [{key.upper(): value for key, value in DECISION.items()}]},
        {"decisions": [DECISION], "notes": None, "actions": [], "mood": "fine"},
        {"memories": {"decisions": [DECISION]}},
        {"result": {"answer": {"decisions": [DECISION]}}},
        [{"type": "decisions", **DECISION}],
        {"operations": [{"Type": "Decision", **DECISION}]},
        [{"decisions": [DECISION]}],
    ],
)
def test_lj_20_lj_22_wrappers_and_letter_cases_do_not_matter(answer: Any) -> None:
    assert only(answer).fields["topic"] == "Ledger database"


@pytest.mark.parametrize(
    "answer", [{"observations": [{"text": "x"}]}, [{"text": "x"}], ["x"], {"a": {"b": 1}}]
)
def test_lj_20_what_has_none_of_the_lists_is_no_answer(answer: Any) -> None:
    with pytest.raises(InvalidAnswer) as caught:
        read(answer)
    assert caught.value.answer == json.dumps(answer)


@pytest.mark.parametrize(
    "answer", [{}, [], {"memories": []}, {"notes": []}, {"result": {"notes": None}}, "No observations"]
)
def test_an_empty_answer_is_an_answer(answer: Any) -> None:
    assert read(answer) == Extraction()


@pytest.mark.parametrize(
    "item",
    [
        "The staging VPN drops at noon",
        {"fact": "The staging VPN drops at noon", "turns": [5]},
        {"text": "The staging VPN drops at noon"},
    ],
)
def test_lj_10_plain_facts_are_taken_as_the_text(item: Any) -> None:
    assert only({"notes": [item]}).fields["content"] == "The staging VPN drops at noon"


@pytest.mark.parametrize("item", [True, {"fact": {"deep": 1}}, [["x"]], {"turns": [5]}])
def test_lj_10_what_is_no_plain_text_is_refused_alone(item: Any) -> None:
    extraction = read({"notes": [item, {"content": "staging VPN drops", "turns": [5]}]})
    assert len(extraction.operations) == len(extraction.dropped) == 1


def test_lj_10_a_type_that_one_text_does_not_fill_refuses_it() -> None:
    extraction = read({"projects": ["payments"], "profile": ["Priya"]})
    assert extraction.operations == ()
    assert len(extraction.dropped) == 2


def test_lj_11_one_bad_item_leaves_its_siblings() -> None:
    answer = {
        "decisions": [
            {"topic": "x", "turns": [1], "decision": {"no": "text", "at": "all"}},
            {**DECISION, "turns": [99]},
            {**DECISION, "turns": "soon"},
            {**DECISION, "turns": [2]},
            7,
            DECISION,
        ],
        "wisdom": [{"content": "y"}],
        "notes": "staging VPN drops at noon",
    }
    extraction = read(answer)
    assert [each.type for each in extraction.operations] == ["decisions", "notes"]
    assert sorted(reasons(extraction)) == [
        "decision is no text",
        "it names no turns, and no user turn contains its words",
        "it names turns that were not shown",
        "no user turn proves it",
        "the turns it names cannot be read",
        "this memory type is not known or not allowed",
    ]


def test_a_key_given_twice_differently_drops_that_field_only() -> None:
    item = (
        '{"topic": "Ledger database", "decision": "PostgreSQL", "reason": "a", "reason": "b", "turns": [1]}'
    )
    text = f'{{"decisions": [{item}]}}'
    extraction = read(text)
    assert reasons(extraction) == ["reason is given twice, differently"]
    assert set(extraction.operations[0].fields) == {"topic", "decision"}


def test_a_list_given_twice_is_joined() -> None:
    text = (
        json.dumps({"decisions": [DECISION]})[:-1]
        + ', "decisions": [{"topic": "Names", "decision": "Priya leads", "turns": [3]}]}'
    )
    assert [each.fields["topic"] for each in read(text).operations] == ["Ledger database", "Names"]


@pytest.mark.parametrize(
    ("named", "turns"),
    [
        ([1], (0,)),
        (1, (0,)),
        ("1", (0,)),
        ("[1]", (0,)),
        (["1", 3], (0, 2)),
        ("1-3", (0, 1, 2)),
        ("1, 3", (0, 2)),
        ([1.0], (0,)),
        (["turn 1"], (0,)),
    ],
)
def test_turns_are_read_as_models_write_them(named: Any, turns: tuple[int, ...]) -> None:
    assert only({"decisions": [{**DECISION, "turns": named}]}).turns == turns


@pytest.mark.parametrize("named", [0, 6, [1, 6], -3 % 100, "1-9", "1-999999", True, "x", {"a": 1}])
def test_turns_out_of_range_go_nowhere(named: Any) -> None:
    extraction = read({"decisions": [{**DECISION, "turns": named}]})
    assert extraction.operations == ()
    assert len(extraction.dropped) == 1


def test_turns_of_another_call_are_out_of_range() -> None:
    extraction = read_operations(json.dumps({"decisions": [DECISION]}), TYPES, Shown(TURNS, {2, 3, 4}))
    assert reasons(extraction) == ["it names turns that were not shown"]


def test_without_turns_the_user_turns_with_its_words_prove_it() -> None:
    plain = {key: value for key, value in DECISION.items() if key != "turns"}
    assert only({"decisions": [plain]}).turns == (0,)


def test_lj_26_what_only_the_assistant_said_is_not_the_users() -> None:
    wish = {"topic": "Language", "content": "Use Rust for the importer"}
    assert reasons(read({"preferences": [{**wish, "turns": [2]}]})) == ["no user turn proves it"]
    assert reasons(read({"preferences": [wish]})) == [
        "it names no turns, and no user turn contains its words"
    ]


def test_lj_26_words_that_no_proving_turn_contains_are_inferred() -> None:
    assert only(
        {"preferences": [{"topic": "Language", "content": "Use Rust for the importer", "turns": [3]}]}
    ).inferred
    assert only({"decisions": [{**DECISION, "inferred": True}]}).inferred
    assert not only({"decisions": [{**DECISION, "inferred": "false"}]}).inferred


@pytest.mark.parametrize("yes", ["Yes, let's do that.", "ok", "好的", "可以，就这样"])
def test_a_yes_takes_up_what_was_proposed_right_before(yes: str) -> None:
    turns = (Turn("assistant", "Shall we use Rust for the importer?"), Turn("user", yes))
    item = {"topic": "Importer", "decision": "Rust", "turns": [1, 2]}
    assert not only({"decisions": [item]}, turns).inferred


def test_a_pitfall_that_the_agent_learnt_is_kept_as_its_own() -> None:
    note = {"content": "node-gyp needs Python 3.11", "tags": ["pitfall", "node"], "turns": [4]}
    operation = only({"notes": [note]})
    assert operation.fields["tags"] == ("pitfall", "node", AGENT_TAG)
    assert not operation.insist
    assert reasons(read({"notes": [{**note, "tags": ["node"]}]})) == ["no user turn proves it"]


def test_only_what_the_user_asked_outright_is_insisted_on() -> None:
    asked = {"content": "The staging VPN drops every day at noon", "turns": [5]}
    assert only({"notes": [asked]}).insist
    assert not only({"decisions": [DECISION]}).insist


def test_fields_that_are_entries_of_their_own_are_judged_apart() -> None:
    answer = {
        "profile": [
            {
                "name": "Priya",
                "role": "leads the payments team",
                "timezone": "Lisbon",
                "tech_stack": ["FastAPI", "COBOL"],
                "turns": [3],
            }
        ]
    }
    inferred = {next(iter(op.fields.items())): op.inferred for op in read(answer).operations}
    assert inferred == {
        ("name", "Priya"): False,
        ("role", "leads the payments team"): False,
        ("timezone", "Lisbon"): True,
        ("tech_stack", ("FastAPI",)): False,
        ("tech_stack", ("COBOL",)): True,
    }


def test_the_daily_prompts_names_are_read() -> None:
    answer = {
        "userInfo": {
            "name": "Priya",
            "role": "payments team lead",
            "techStack": ["FastAPI"],
            "currentProject": None,
            "turns": [3],
        },
        "projectContext": {
            "projectName": "Ledger",
            "techStack": ["PostgreSQL"],
            "currentStage": None,
            "keyTasks": [],
            "knownIssues": ["SQLite locks up under load"],
            "turns": [1],
        },
        "decisions": [{**{k: v for k, v in DECISION.items() if k != "turns"}, "timestamp": "2026-03-11"}],
        "actionItems": [{"task": "Ask about the staging VPN", "priority": "high", "status": "pending"}],
        "notes": [{"content": "the staging VPN drops at noon", "tags": ["vpn"]}],
    }
    extraction = read(answer)
    assert extraction.dropped == ()
    made = [(each.type, dict(each.fields)) for each in extraction.operations]
    assert ("profile", {"tech_stack": ("FastAPI",)}) in made
    assert ("projects", {"project": "Ledger", "tech_stack": ("PostgreSQL",)}) in made
    assert ("projects", {"project": "Ledger", "known_issues": ("SQLite locks up under load",)}) in made
    decision = next(fields for name, fields in made if name == "decisions")
    assert decision["date"] == "2026-03-11"
    assert ("actions", {"task": "Ask about the staging VPN", "priority": "high", "status": "pending"}) in made
    assert [name for name, _ in made] == ["profile"] * 3 + ["projects"] * 2 + [
        "decisions",
        "actions",
        "notes",
    ]


def test_turns_say_whose_memory_it_is_where_peers_speak() -> None:
    turns = (
        Turn("user", "I live in Lisbon"),
        Turn("participant", "I live in Porto", peer="alice", speaker="Alice"),
    )
    answer = {
        "profile": [
            {"location": "Lisbon", "turns": [1]},
            {"location": "Porto", "turns": [2]},
            {"location": "Lisbon", "turns": [1], "peer": "mallory"},
        ]
    }
    first, second, third = read(answer, turns=turns).operations
    assert (first.ranges, second.ranges) == (((0, 0),), ((1, 1),))
    assert (third.peer, third.ranges) == ("mallory", ())


def test_a_flood_of_operations_is_cut() -> None:
    extraction = read(
        {"notes": [{"content": f"VPN drops at noon {n}", "turns": [5]} for n in range(MAX_OPERATIONS + 7)]}
    )
    assert (len(extraction.operations), len(extraction.dropped)) == (MAX_OPERATIONS, 7)


def test_types_that_are_not_allowed_are_refused_by_name() -> None:
    notes = tuple(each for each in TYPES if each.name == "notes")
    extraction = read({"decisions": [DECISION], "notes": [{"content": "VPN drops", "turns": [5]}]}, notes)
    assert [each.type for each in extraction.operations] == ["notes"]
    assert [each.type for each in extraction.dropped] == ["decisions"]


def test_tool_results_prove_nothing() -> None:
    turns = (
        Turn("assistant", "", tool_calls=(ToolCall("1", "Bash", {}, "the user likes Perl", False),)),
        Turn("user", "ok"),
    )
    answer = {"preferences": [{"topic": "Perl", "content": "likes Perl", "turns": [1]}]}
    assert reasons(read(answer, turns=turns)) == ["no user turn proves it"]


def test_an_item_that_names_a_known_entry_need_not_repeat_its_key() -> None:
    known = {"k1": Known("actions", {"task": "Ask about the staging VPN"})}
    shown = Shown((Turn("user", "I did ask about the staging VPN, done"),), frozenset({0}), known)
    answer = {"actionItems": [{"id": "k1", "status": "done", "turns": [1]}], "notes": [{"id": "k1"}]}
    extraction = read_operations(json.dumps(answer), TYPES, shown)
    assert [dict(each.fields) for each in extraction.operations] == [
        {"task": "Ask about the staging VPN", "status": "done"}
    ]
    assert [each.reason for each in extraction.dropped] == ["content is missing"]
