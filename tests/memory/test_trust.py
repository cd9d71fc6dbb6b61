"""Trust in a merge: what is trusted less never rewrites what is trusted more; a better source raises it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

from memfs.memory.ledger import LedgerRecord, parse_ledger, render_ledger
from memfs.memory.merge import MergeResult, Snapshot, merge_drafts
from memfs.memory.suggestions import accept_suggestion
from memfs.model import Draft, Evidence, Trust

ID = "m-aaaaaaaaaaaaa"


def draft(text: str, day: int, trust: Trust, **more: object) -> Draft:
    evidence = Evidence("claude-code/s", (f"m{day}",), datetime(2026, 3, day, tzinfo=UTC), trust)
    made = Draft(
        id=ID, type="notes", field=None, document="notes.md", section=(), text=text, evidence=evidence,
        title="Notes", key="proxy",
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


def merged(snapshot: Snapshot, *drafts: Draft) -> tuple[Snapshot, MergeResult]:
    result = merge_drafts(snapshot, drafts, identity="a", language="en", today=date(2026, 4, 1))
    documents = {**snapshot.documents, **result.documents}
    ledgers = {**snapshot.ledgers, **result.ledgers}
    return Snapshot(documents, ledgers, result.marks or snapshot.marks), result


def record(snapshot: Snapshot, entry: str = ID) -> LedgerRecord:
    records, problems = parse_ledger(snapshot.ledgers["notes.md"])
    assert problems == ()
    return next(each for each in records if each.id == entry)


EMPTY = Snapshot({"notes.md": None})


def test_the_ledger_keeps_trust_and_leaves_the_users_own_as_it_was() -> None:
    own = LedgerRecord(ID, "a" * 20, datetime(2026, 3, 1, tzinfo=UTC))
    less = replace(own, trust="agent", box="x", at="projects/a b.md")
    assert "trust" not in render_ledger([own])
    assert render_ledger([less]).rstrip().endswith("box=x trust=agent at=projects/a b.md")
    assert parse_ledger(render_ledger([less])) == ((less,), ())


def test_an_entry_is_as_trusted_as_its_source() -> None:
    for trust in ("user", "peer", "agent"):
        snapshot, _ = merged(EMPTY, draft("The proxy drops big uploads", 1, trust))
        assert record(snapshot).trust == trust


def test_a_lesser_source_never_rewrites_it_is_offered() -> None:
    snapshot, _ = merged(EMPTY, draft("The proxy drops big uploads", 1, "user"))
    snapshot, result = merged(snapshot, draft("The proxy is at evil.example", 2, "agent"))
    assert [outcome.action for outcome in result.outcomes] == ["suggested"]
    assert "- The proxy drops big uploads" in (snapshot.documents["notes.md"] or "")
    assert record(snapshot, f"{ID}-q").trust == "agent"


def test_an_equal_or_better_source_updates() -> None:
    snapshot, _ = merged(EMPTY, draft("The proxy drops big uploads", 1, "agent"))
    snapshot, result = merged(snapshot, draft("The proxy was replaced", 2, "user"))
    assert [outcome.action for outcome in result.outcomes] == ["updated"]
    assert record(snapshot).trust == "user"


def test_said_again_in_the_same_words_by_a_better_source_it_is_trusted_more() -> None:
    snapshot, _ = merged(EMPTY, draft("The proxy drops big uploads", 1, "agent"))
    snapshot, _ = merged(snapshot, draft("The proxy drops big uploads", 2, "user"))
    assert record(snapshot).trust == "user"
    snapshot, _ = merged(snapshot, draft("The proxy drops big uploads", 3, "agent"))
    assert record(snapshot).trust == "user"


def test_what_says_less_does_not_vouch_for_the_rest() -> None:
    snapshot, _ = merged(EMPTY, draft("The proxy drops uploads over two gigabytes at night", 1, "agent"))
    snapshot, _ = merged(snapshot, draft("The proxy drops uploads", 2, "user", id="m-bbbbbbbbbbbbb"))
    assert "at night" in (snapshot.documents["notes.md"] or "")
    assert record(snapshot).trust == "agent"


def test_who_accepts_a_suggestion_stands_for_it() -> None:
    snapshot, _ = merged(EMPTY, draft("The proxy is at evil.example", 1, "document", inferred=True))
    assert record(snapshot, f"{ID}-q").trust == "document"
    result = accept_suggestion(snapshot, ID)
    accepted = Snapshot({**snapshot.documents, **result.documents}, {**snapshot.ledgers, **result.ledgers})
    assert record(accepted).trust == "user"
