"""Training with a language model over the real protocol: only with a case, each step by its own prompt."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from memfs.services.learning.lessons import open_assignments
from memfs.services.status import status
from memfs.services.undo import undo
from memfs.vault.local import LocalState
from memfs.vault.records import tokens_used
from tests.extraction.model.conftest import Room
from tests.extraction.model.vaults import DECIDED, FIRST, GOOD_FIRST, SECOND, Desk
from tests.services.talks import jsonl, rows, talk
from tests.services.vaults import IDENTITY, document, git, merge_commits, new_vault

SAID = (
    "Please find out why parser.py drops the last row.",
    "The last row is there again, all tests pass.",
)
CASE = {
    "name": "Parser drops the last row",
    "task_signature": "a parser drops the last row",
    "input": "parser.py",
    "rubric": "all tests pass",
    "evidence": "the last row is there again",
    "turns": [1, 3],
}
CASES = {"cases": [CASE]}
TRAJECTORIES = {
    "trajectories": [
        {
            "name": "Mend parser.py",
            "outcome": "success",
            "task_query": "why the last row is dropped",
            "content": "Read the loop, found the off-by-one, added a test",
        }
    ]
}
EXPERIENCES = {
    "experiences": [
        {
            "name": "Dropped last rows",
            "content": "When a parser drops the last row, look at the end of the loop first",
            "supersedes": None,
        }
    ]
}
SKILLS = {
    "skills": [
        {
            "name": "Find an off-by-one",
            "content": "Write a test with one row",
            "total": 1,
            "success": 1,
            "fail": 0,
        }
    ]
}
ALL = (CASES, TRAJECTORIES, EXPERIENCES)


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_vault(tmp_path_factory.mktemp("training") / "vault").top


@pytest.fixture
def desk(template: Path, tmp_path: Path, room: Room) -> Desk:
    shutil.copytree(template, tmp_path / "vault", symlinks=True)
    desk = Desk.set_up(tmp_path / "vault", room)
    put(desk, *SAID)
    return desk


def put(desk: Desk, *said: str, session: str = "s1", day: int = 0) -> None:
    desk.path.parent.mkdir(parents=True, exist_ok=True)
    path = desk.path.with_name(f"{session}.jsonl")
    path.write_text(jsonl(rows(talk(session, *said, day=day))), encoding="utf-8")


def script(desk: Desk, *answers: object) -> None:
    desk.room.script(
        *(a if isinstance(a, dict) and "status" in a else {"content": json.dumps(a)} for a in answers)
    )


def policy(desk: Desk, text: str) -> Desk:
    """The desk with a policy in the vault's own settings."""
    path = desk.vault.top / "memfs.toml"
    path.write_text(path.read_text(encoding="utf-8") + f"\n[memory_policy]\n{text}\n", encoding="utf-8")
    return Desk.set_up(desk.vault.top, desk.room)


def prompts(desk: Desk) -> list[str]:
    """The instructions of each call."""
    return [call["messages"][0]["content"] for call in desk.room.calls()]


def read(desk: Desk, name: str) -> str:
    path = document(desk.vault, name)
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def test_from_a_case_to_an_experience(desk: Desk) -> None:
    script(desk, *ALL)
    report = desk.ingest()
    assert (report.waiting, report.problems) == ((), ())
    (session,) = report.sessions
    assert (session.trained, session.problems) == (4, ())
    assert len(prompts(desk)) == 3
    assert "how the case" in prompts(desk)[1] or '"trajectories"' in prompts(desk)[1]
    assert '"experiences"' in prompts(desk)[2]
    assert "outcome: success" in read(desk, "trajectories/mend-parser-py.md")
    assert "look at the end of the loop first" in read(desk, "experiences/dropped-last-rows.md")
    (commit,) = merge_commits(desk.vault.top, "training")
    message = git(desk.vault.top, "log", "-1", "--format=%B", commit)
    assert message.startswith("coding-assistant: learned 1 trajectory, 1 experience\n")
    assert "Memfs-Tokens: 1400 in, 120 out" in message
    assert "added claude-code/s1#s1-prompt-0,s1-prompt-1" in message
    assert "Memfs-Cursor" not in message
    assert tokens_used(LocalState(desk.vault.layout), IDENTITY, desk.vault.now().date().isoformat()) == 2280


def test_each_step_is_shown_what_the_one_before_gave(desk: Desk) -> None:
    script(desk, *ALL)
    desk.ingest()
    _, work, lesson = desk.sent()
    assert "- Parser drops the last row: task_signature: a parser drops the last row" in work
    assert "[1] 2026-03-01 09:00 user: Please find out why parser.py" in work
    assert "case: Parser drops the last row: " in lesson
    assert "trajectory: Mend parser.py: outcome: success; task_query: why" in lesson
    assert "Please find out" not in lesson, "the turns are read once"


def test_without_a_case_all_three_are_skipped_and_no_call_is_made(desk: Desk) -> None:
    desk.say(FIRST, SECOND)
    script(desk, GOOD_FIRST, {})
    report = desk.ingest()
    assert len(desk.sent()) == 2, "one for each segment"
    assert report.sessions[0].trained == 0
    assert DECIDED in desk.texts()
    assert merge_commits(desk.vault.top, "training") == []


def test_where_self_memory_is_off_there_is_no_case_and_nobody_to_ask_about(desk: Desk) -> None:
    desk = policy(desk, "self = { enabled = false }")
    script(desk, CASES)
    desk.ingest()
    assert desk.sent() == []
    assert desk.entries() == []
    assert desk.offset() == desk.path.stat().st_size


@pytest.mark.parametrize("types", [["experiences"], ["trajectories", "experiences", "skills"]])
def test_a_list_of_execution_types_alone_asks_nothing_and_trains_nothing(
    desk: Desk, types: list[str]
) -> None:
    desk = policy(desk, f"memory_types = {json.dumps(types)}")
    script(desk, *ALL)
    desk.ingest()
    assert desk.sent() == []
    assert desk.offset() == desk.path.stat().st_size
    assert desk.entries() == []


def test_experiences_beside_an_ordinary_type_bring_cases_and_trajectories(desk: Desk) -> None:
    desk = policy(desk, 'memory_types = ["notes", "experiences"]')
    script(desk, *ALL)
    desk.ingest()
    assert '"cases"' in prompts(desk)[0]
    assert '"decisions"' not in prompts(desk)[0]
    assert {each.type for each in desk.entries()} == {"cases", "trajectories", "experiences"}


def test_cases_without_experiences_train_only_what_is_allowed(desk: Desk) -> None:
    desk = policy(desk, 'memory_types = ["cases", "trajectories"]')
    script(desk, *ALL)
    desk.ingest()
    assert len(desk.sent()) == 2
    assert {each.type for each in desk.entries()} == {"cases", "trajectories"}


def test_skills_when_enabled_count_how_often_they_were_used(desk: Desk) -> None:
    types = desk.vault.layout.templates / "types"
    types.mkdir(parents=True)
    built_in = (Path(__file__).parents[3] / "templates" / "types" / "skills.md").read_text(encoding="utf-8")
    (types / "skills.md").write_text(built_in.replace("enabled: false", "enabled: true"), encoding="utf-8")
    desk = Desk.set_up(desk.vault.top, desk.room)
    script(desk, *ALL, SKILLS)
    desk.ingest()
    assert "experience: Dropped last rows: content: When" in desk.sent()[3]
    put(desk, "Please look at csv.py, it drops the last row.", "All tests pass.", session="s2", day=1)
    again = {"name": "Find an off-by-one", "content": None, "total": 1, "success": 3, "fail": 1}
    script(desk, {"cases": [{**CASE, "name": "Rows of csv.py"}]}, {}, {}, {"skills": [again]})
    desk.ingest()
    assert "known skill: Find an off-by-one: content: Write a test with one row" in desk.sent()[-1]
    told = read(desk, "skills/find-an-off-by-one/SKILL.md")
    for line in ("content: Write a test with one row", "total: 5", "success: 4", "fail: 1"):
        assert f"- {line} ^" in told


def test_an_experience_that_is_replaced_stays_as_superseded(desk: Desk) -> None:
    script(desk, *ALL)
    desk.ingest()
    put(desk, "Please look at csv.py, it drops the last row.", "All tests pass.", session="s2", day=1)
    newer = {
        "name": "Rows lost at the end",
        "content": "Files without a final newline lose the last row: look at that first",
        "supersedes": "Dropped last rows",
    }
    unknown = {"name": "Another", "content": "Read the loop", "supersedes": "Never heard of"}
    script(desk, {"cases": [{**CASE, "name": "Rows of csv.py"}]}, {}, {"experiences": [newer, unknown]})
    report = desk.ingest()
    assert "known experience: Dropped last rows: When a parser" in desk.sent()[-1]
    held = {each.text.partition(":")[0]: each.status for each in desk.entries() if each.type == "experiences"}
    assert held == {"Dropped last rows": "superseded", "Rows lost at the end": None, "Another": None}
    assert "## Superseded\n\nWhen a parser" in read(desk, "experiences/dropped-last-rows.md")
    assert any("which there is not" in each.reason for each in report.sessions[0].dropped)
    commit = merge_commits(desk.vault.top, "training")[0]
    assert undo(desk.vault, commit).commit is not None
    held = {each.text.partition(":")[0]: each.status for each in desk.entries() if each.type == "experiences"}
    assert held == {"Dropped last rows": None}


def test_a_persons_experience_is_not_replaced(desk: Desk) -> None:
    script(desk, *ALL)
    desk.ingest()
    path = document(desk.vault, "experiences/dropped-last-rows.md")
    mine = path.read_text(encoding="utf-8").replace("look at the end", "look hard at the end")
    path.write_text(mine, encoding="utf-8")
    put(desk, "Please look at csv.py, it drops the last row.", "All tests pass.", session="s2", day=1)
    newer = {"name": "Rows", "content": "Look at the final newline", "supersedes": "Dropped last rows"}
    script(desk, {"cases": [{**CASE, "name": "Rows of csv.py"}]}, {}, {"experiences": [newer]})
    report = desk.ingest()
    assert any("not memfs's to replace" in each.reason for each in report.sessions[0].dropped)
    assert path.read_text(encoding="utf-8") == mine


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        (({"status": 500},), "does not answer"),
        ((TRAJECTORIES, {"status": 500}), "does not answer"),
        (("I have learned a lot.",), "no JSON that can be read"),
        ((TRAJECTORIES, {"insights": ["x"]}), "none of the lists"),
    ],
)
def test_a_failure_is_told_moves_no_cursor_back_and_can_be_retried(
    desk: Desk, answers: tuple[Any, ...], reason: str
) -> None:
    script(desk, CASES, *answers)
    report = desk.ingest()
    assert report.waiting == ()
    (problem,) = report.sessions[0].problems
    assert reason in problem
    assert desk.offset() == desk.path.stat().st_size
    assert {each.type for each in desk.entries()} == {"cases"}, "all of a lesson or nothing"
    assert any(reason in warning for warning in status(desk.vault).warnings)
    script(desk, {"status": 500})
    ((assignment, again),) = desk.retry().unlearned
    assert "does not answer" in again
    assert assignment.cases[0].startswith("Parser drops the last row: ")
    script(desk, TRAJECTORIES, EXPERIENCES)
    assert [each.identity for each in desk.retry().learned] == [IDENTITY]
    assert {each.type for each in desk.entries()} == {"cases", "trajectories", "experiences"}
    assert list(open_assignments(desk.vault)) == []
    assert status(desk.vault).warnings == ()


def test_a_used_up_budget_only_defers(desk: Desk) -> None:
    desk = Desk.set_up(desk.vault.top, desk.room, "max_tokens_per_identity_per_day = 2600")
    desk.room.script({"content": json.dumps(CASES), "usage": [2500, 60]})
    report = desk.ingest()
    assert "the budget of coding-assistant for today is used up" in report.sessions[0].problems[0]
    assert {each.type for each in desk.entries()} == {"cases"}
    assert len(list(open_assignments(desk.vault))) == 1


def test_each_batch_trains_on_its_own_segments(desk: Desk) -> None:
    """The case is proved in the second segment; the first is no part of the work on it."""
    desk.say(("Good morning, the weather is fine.",), SAID)
    script(desk, {}, *ALL)
    desk.ingest()
    work = desk.sent()[2]
    assert "the weather is fine" not in work
    assert "Please find out why parser.py" in work


def test_training_writes_no_peer_and_nothing_with_the_rules(desk: Desk) -> None:
    made = {**TRAJECTORIES["trajectories"][0], "peer": "bob"}
    script(desk, CASES, {"trajectories": [made]}, {})
    desk.ingest()
    assert {each.peer for each in desk.entries()} == {None}
    assert "peer" not in json.dumps(desk.room.calls()[1]["response_format"])
