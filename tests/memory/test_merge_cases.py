"""Runs the golden cases of ``merge_cases.md``."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memfs.memory.ids import text_hash, written_hash
from memfs.memory.ledger import LedgerRecord, render_ledger
from memfs.memory.marks import Mark, render_marks
from memfs.memory.merge import MergeResult, Snapshot, merge_drafts
from memfs.model import Draft
from tests.memory.conftest import TODAY, draft_of, on_day

CASES = Path(__file__).with_name("merge_cases.md")
_BLOCK = re.compile(r"^```(\w+)( crlf)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Case:
    title: str
    blocks: dict[str, str]

    @property
    def drafts(self) -> list[Draft]:
        return [draft for line in self.blocks["theirs"].splitlines() for draft in _drafts(line)]

    @property
    def document(self) -> str:
        return self.drafts[0].document

    @property
    def snapshot(self) -> Snapshot:
        return Snapshot(
            {self.document: self.blocks.get("ours")},
            {self.document: render_ledger(map(_record, self.blocks.get("ledger", "").splitlines()))},
            marks=render_marks(map(_mark, self.blocks.get("marks", "").splitlines())),
            deleted_at=dict(_deletion(line) for line in self.blocks.get("deleted", "").splitlines()),
        )


def _drafts(line: str) -> list[Draft]:
    day, type_name, rest = line.split(" ", 2)
    pairs = dict(part.split("=", 1) for part in rest.split("; "))
    lists = ("tags", "tech_stack", "known_issues")
    fields = {name: tuple(text.split(",")) if name in lists else text for name, text in pairs.items()}
    drafts = draft_of(int(day), type_name.rstrip("!"), **fields)
    return [replace(draft, insist=type_name.endswith("!")) for draft in drafts]


def _record(line: str) -> LedgerRecord:
    entry, day, text, *box = line.split(" | ")
    hashed = written_hash(text)
    return LedgerRecord(entry.lstrip("^"), hashed, on_day(int(day)), box=box[0][1] if box else None)


def _mark(line: str) -> Mark:
    kind, rest = line.split(" ", 1)
    if kind == "text":
        return Mark("text", text_hash(rest))
    entry, day = rest.split()
    return Mark("entry", entry.lstrip("^"), on_day(int(day)))


def _deletion(line: str) -> tuple[str, object]:
    entry, day = line.split(" | ")
    return entry.lstrip("^"), on_day(int(day))


def read_cases() -> list[Case]:
    parts = CASES.read_text(encoding="utf-8").split("\n## ")[1:]
    return [_case(part) for part in _rejoin(parts)]


def _rejoin(parts: list[str]) -> list[str]:
    """A heading inside a fenced block begins no case."""
    whole: list[str] = []
    for part in parts:
        if whole and whole[-1].count("\n```") % 2:
            whole[-1] += "\n## " + part
        else:
            whole.append(part)
    return whole


def _case(part: str) -> Case:
    blocks = {}
    for name, crlf, body in _BLOCK.findall(part):
        blocks[name] = body[:-1].replace("\n", "\r\n") if crlf else body
    return Case(part.split("\n", 1)[0], blocks)


def run(case: Case) -> MergeResult:
    return merge_drafts(case.snapshot, case.drafts, identity="demo", language="en", today=TODAY)


def told(result: MergeResult) -> str:
    return "".join(f"{each.action}{f': {each.reason}' if each.reason else ''}\n" for each in result.outcomes)


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.title)
def test_case(case: Case) -> None:
    result = run(case)
    assert told(result) == case.blocks["outcome"]
    written = result.documents.get(case.document)
    expected = case.blocks["result"]
    if expected == "same\n":
        assert written is None
    else:
        assert written == expected


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.title)
def test_merging_twice_changes_nothing(case: Case) -> None:
    first, before = run(case), case.snapshot
    after = Snapshot(
        {**before.documents, **first.documents},
        {**before.ledgers, **first.ledgers},
        before.marks if first.marks is None else first.marks,
        deleted_at=before.deleted_at,
    )
    again = merge_drafts(after, case.drafts, identity="demo", language="en", today=TODAY)
    assert not again.changed
