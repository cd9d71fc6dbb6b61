"""Random worlds for property tests: operations, the person's edits, and snapshots that follow from them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from hypothesis import strategies as st

from memfs.memory.merge import MergeResult, Snapshot, merge_drafts, missing_ids
from memfs.model import Draft
from tests.memory.conftest import TODAY, draft_of, on_day

WORDS = st.sampled_from(
    ["alpha", "beta", "in production", "Redis", "# Kafka", "- x", "用蓝绿发布", "C++ ^m-a", "[[Will]]"]
)
_OPERATIONS = st.one_of(
    st.fixed_dictionaries({"topic": st.sampled_from(["Queue", "Money"]), "decision": WORDS}).map(
        lambda f: ("decisions", f)
    ),
    st.fixed_dictionaries(
        {"task": st.sampled_from(["Write the runbook", "订机票"])},
        optional={
            "status": st.sampled_from(["pending", "in_progress", "done"]),
            "priority": st.sampled_from(["high", "low"]),
            "due": st.sampled_from(["2026-04-01", "2026-05-01"]),
        },
    ).map(lambda f: ("actions", f)),
    st.fixed_dictionaries(
        {"project": st.just("Mercury")}, optional={"stage": WORDS, "tech_stack": st.tuples(WORDS, WORDS)}
    )
    .filter(lambda f: len(f) > 1)
    .map(lambda f: ("projects", f)),
    st.fixed_dictionaries({"topic": st.sampled_from(["Tests", "Git"]), "content": WORDS}).map(
        lambda f: ("preferences", f)
    ),
    st.fixed_dictionaries(
        {
            "content": st.sampled_from(
                [
                    "the port of staging is 5433",
                    "the port of staging is 5433, I think",
                    "use make proto first",
                ]
            )
        },
        optional={"tags": st.just(("pitfall",))},
    ).map(lambda f: ("notes", f)),
    st.fixed_dictionaries({"category": st.just("people"), "name": st.just("Will"), "content": WORDS}).map(
        lambda f: ("entities", f)
    ),
)


def _drafts(day: int, operation: tuple[str, dict[str, object]], inferred: bool) -> list[Draft]:
    name, fields = operation
    return [replace(draft, inferred=inferred) for draft in draft_of(day, name, **fields)]  # type: ignore[arg-type]


BATCHES = st.lists(
    st.builds(_drafts, st.integers(1, 28), _OPERATIONS, st.sampled_from([False, False, False, True])),
    max_size=5,
).map(lambda lists: [draft for drafts in lists for draft in drafts])
EDITS = st.lists(
    st.tuples(
        st.sampled_from(
            ["edit", "delete", "tick", "copy", "prose", "link", "crlf", "unend", "own", "callout"]
        ),
        st.integers(0, 30),
    ),
    max_size=4,
)


def merge(snapshot: Snapshot, drafts: Sequence[Draft]) -> MergeResult:
    return merge_drafts(snapshot, drafts, identity="demo", language="en", today=TODAY)


def after(snapshot: Snapshot, result: MergeResult) -> Snapshot:
    """The snapshot that the next merge would see."""
    return replace(
        snapshot,
        documents={**snapshot.documents, **result.documents},
        ledgers={**snapshot.ledgers, **result.ledgers},
        marks=snapshot.marks if result.marks is None else result.marks,
    )


def edited(snapshot: Snapshot, edits: Sequence[tuple[str, int]], *, at: datetime | None = None) -> Snapshot:
    """The snapshot after a person's edits; ids that went are dated."""
    documents = dict(snapshot.documents)
    for kind, number in edits:
        if documents:
            path = sorted(documents)[number % len(documents)]
            documents[path] = _edit(documents[path] or "", kind, number)
    gone = missing_ids(documents, snapshot.ledgers)
    return replace(snapshot, documents=documents, deleted_at=dict.fromkeys(gone, at or on_day(15)))


def _edit(text: str, kind: str, number: int) -> str:
    lines = text.splitlines(keepends=True)
    entries = [at for at, line in enumerate(lines) if re.search(r"\^m-\S+\s*$", line)]
    if kind == "prose":
        return text + "\nSome words of my own.\n"
    if kind == "own":
        return text + "\n## Own\n\n- a line of my own\n"
    if kind == "crlf":
        return text.replace("\r\n", "\n").replace("\n", "\r\n")
    if kind == "unend":
        return text.rstrip("\r\n")
    if not entries:
        return text
    at = entries[number % len(entries)]
    if kind == "delete":
        del lines[at]
    elif kind == "copy":
        lines.insert(at, lines[at] if lines[at].endswith("\n") else lines[at] + "\n")
    elif kind == "callout":
        lines = [line for line in lines if "[!question]" not in line]
    elif kind == "tick":
        lines[at] = lines[at].replace("[ ]", "[x]", 1)
    elif kind == "link":
        lines[at] = re.sub(r"\b(production|Redis|runbook)\b", r"[[\1]]", lines[at], count=1)
    else:
        lines[at] = re.sub(r" \^", ", as I say ^", lines[at], count=1)
    return "".join(lines)
