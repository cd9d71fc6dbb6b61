"""Review, pure: what is alike, what is over, and that no verdict whatever touches a person's line."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.markdown.document import parse_document
from memfs.memory.desk import Desk
from memfs.memory.expiry import Patience, is_over, last_valid_day, stale_since
from memfs.memory.ids import entry_id, normalise_key, written_hash
from memfs.memory.ledger import LedgerRecord, render_ledger
from memfs.memory.likeness import ALIKE, NEAR, kind_of_pair, likeness
from memfs.memory.registry import build_registry
from memfs.memory.reviewing import Verdict, keep_time, settle
from memfs.memory.snapshot import Snapshot
from memfs.memory.standing import alike, stand
from memfs.memory.types import MemoryType
from memfs.memory.uniting import Bench
from memfs.model import Trust

TODAY = date(2026, 11, 30)
ID = "coding-assistant"
TEMPLATES = Path(__file__).resolve().parents[2] / "templates" / "types"
TYPES = dict(build_registry({p.stem: p.read_text("utf-8") for p in sorted(TEMPLATES.glob("*.md"))}, {}).types)

# text, text, how alike: the same thing said twice, possibly, two things
PAIRS = [
    ("The staging database is reset every Monday", "Every Monday the staging database gets reset", "alike"),
    ("Answers should be short and in English", "Keep answers short, in English", "alike"),
    ("回答要简短，用中文", "用中文回答，要简短", "alike"),
    ("每周二晚上部署生产环境", "生产环境每周二晚上部署", "alike"),
    ("Deploys to production run on Fridays at noon", "Production deploys never run on Fridays", "alike"),
    ("The gateway runs in Lisbon", "The gateway of Lisbon was slow on Monday", "near"),
    ("The API key rotates every 30 days", "The office in Lisbon has 30 desks", "apart"),
    ("Uses pytest for tests", "Uses Rust for the parser", "apart"),
    ("用户喜欢简短的回答", "用户的团队在上海", "apart"),
]


@pytest.mark.parametrize(("one", "other", "how"), PAIRS)
def test_how_alike_two_texts_are(one: str, other: str, how: str) -> None:
    value = likeness(normalise_key(one), normalise_key(other))
    assert {"alike": value >= ALIKE, "near": NEAR <= value < ALIKE, "apart": value < NEAR}[how], value
    assert value == likeness(normalise_key(other), normalise_key(one))


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("The limit is 50 transfers a day", "The limit is 80 transfers a day", "near"),
        (
            "The sandbox account limit is 50 transfers",
            "The sandbox account limit is 80 transfers",
            "contradiction",
        ),
        (
            "Deploys of the gateway happen on Fridays",
            "Deploys of the gateway never happen on Fridays",
            "contradiction",
        ),
        ("Sprint 12 ends on Friday", "Sprint 13 ends on Friday", "near"),
        ("The gateway runs in Lisbon and Porto", "The gateway runs in Porto and Lisbon", "duplicate"),
    ],
)
def test_what_a_pair_seems_to_be(one: str, other: str, kind: str) -> None:
    assert kind_of_pair("notes", one, other) == kind
    if kind == "contradiction" and any(char.isdigit() for char in one):
        assert kind_of_pair("actions", one, other) == "near", "numbers in tasks name things"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Code SPRING works (valid until 2026-11-29)", date(2026, 11, 29)),
        ("Code SPRING works (expires 2026-11-29) for all", date(2026, 11, 29)),
        ("Code SPRING works (Expires on: 2026-11-29)", date(2026, 11, 29)),
        ("优惠码 SPRING 可用（有效期至 2026-11-29）", date(2026, 11, 29)),
        ("优惠码 SPRING 可用（截至：2026-11-29）", date(2026, 11, 29)),
        ("Code SPRING works until 2026-11-29", None),
        ("Code SPRING works (valid until 2026-13-45)", None),
        ("We decided on Postgres. (2026-01-01)", None),
    ],
)
def test_how_long_an_entry_holds(text: str, day: date | None) -> None:
    assert last_valid_day(parse_document("# Notes\n"), text) == day


def test_a_day_that_an_entry_holds_is_not_over_before_it_ends() -> None:
    document, patience = parse_document("# Notes\n"), Patience()
    for days, over in ((-1, True), (0, False), (1, False)):
        text = f"It holds (valid until {(TODAY + timedelta(days=days)).isoformat()})"
        assert is_over(document, "notes", text, None, TODAY, TODAY, patience) == over


@pytest.mark.parametrize(
    ("days", "box", "text", "stale"),
    [
        (45, " ", "Renew it", False),
        (46, " ", "Renew it", True),
        (46, "/", "Renew it", True),
        (46, "x", "Renew it", False),
        (46, None, "Renew it", False),
        (46, " ", "Renew it, due 2026-11-01", False),
        (90, " ", "Renew it, due 2026-09-30", True),
        (90, " ", "Renew it (stale since 2026-09-01)", False),
    ],
)
def test_when_a_task_is_stale(days: int, box: str | None, text: str, stale: bool) -> None:
    since = stale_since(text, box, TODAY - timedelta(days=days), TODAY, Patience())
    assert (since is not None) == stale


WORDS = st.sampled_from(
    (
        "staging",
        "database",
        "reset",
        "Monday",
        "job",
        "gateway",
        "never",
        "50",
        "80",
        "deploy",
        "部署",
        "生产环境",
    )
)
TEXTS = st.lists(WORDS, min_size=2, max_size=7).map(" ".join)
LINES = st.lists(
    st.tuples(TEXTS, st.sampled_from(["own", "edited", "hand", "hand-id"]), st.integers(1, 200)), max_size=9
)
VERDICTS = st.sampled_from([None, "same", "contradiction", "different"])


def make_bench(lines: list[tuple[str, str, int]]) -> tuple[Bench, frozenset[str]]:
    """A document of notes, and the lines in it that are a person's."""
    rows, records, persons = [], {}, set()
    for number, (text, whose, ago) in enumerate(lines):
        entry = entry_id(ID, None, "notes", f"{number} {text}")
        if whose in ("own", "edited"):
            said = text if whose == "own" else f"{text} once"
            time = datetime(2026, 11, 30, 9, tzinfo=UTC) - timedelta(days=ago)
            records[entry] = LedgerRecord(entry, written_hash(said), time)
            rows.append(f"- {text} ^{entry}")
        else:
            rows.append(f"- {text}" + (f" ^mine-{number}" if whose == "hand-id" else ""))
        if whose != "own":
            persons.add(rows[-1])
    body = (
        "---\nidentity: coding-assistant\ntype: notes\n---\n\n# Notes\n\n## Notes\n\n"
        + "\n".join(rows)
        + "\n"
    )
    snapshot = Snapshot({"notes.md": body}, {"notes.md": render_ledger(records.values())})
    return Bench(Desk(snapshot), ID, "en", TODAY), frozenset(persons)


def play(bench: Bench, verdict: str | None, text: str) -> list[str]:
    """Settle all pairs by one verdict; the actions."""
    said = None if verdict is None else Verdict(verdict, text)  # type: ignore[arg-type]
    outcomes = []
    for pair in alike(stand(bench.desk, ID, types())):
        outcomes += [each for each in settle(bench, pair, said) if each.action != "kept"]
    outcomes += [
        each for each in keep_time(bench, stand(bench.desk, ID, types()), Patience()) if each.action != "kept"
    ]
    return [each.action for each in outcomes]


def types() -> dict[str, MemoryType]:
    return TYPES


@given(LINES, VERDICTS, TEXTS)
def test_no_verdict_changes_a_persons_line_or_loses_a_ledger_entry(
    lines: list[tuple[str, str, int]], verdict: str | None, text: str
) -> None:
    bench, persons = make_bench(lines)
    before = dict(bench.desk.records)
    play(bench, verdict, text)
    after = bench.desk.text("notes.md") or ""
    assert persons <= set(after.splitlines()), "every line of a person is there, byte for byte"
    stood = {block.block_id for block in parse_document(after).blocks if block.block_id}
    for entry in bench.desk.records:
        assert entry in stood, "what the ledger knows stands in the document"
    marked = {mark.value for mark in bench.desk.marks}
    assert before.keys() - bench.desk.records.keys() <= marked, "what goes leaves a mark"


@given(LINES)
def test_by_words_alone_a_second_review_changes_nothing(lines: list[tuple[str, str, int]]) -> None:
    bench, _ = make_bench(lines)
    for _ in range(10):
        if not play(bench, None, ""):
            break
    first = bench.desk.result()
    again = Bench(
        Desk(
            Snapshot(
                {"notes.md": bench.desk.text("notes.md")},
                {"notes.md": bench.desk.ledger("notes.md")},
                first.marks or "",
            )
        ),
        ID,
        "en",
        TODAY,
    )
    assert play(again, None, "") == []
    assert not again.desk.result().changed


def test_what_is_compared_is_kept_apart_by_peer_and_type() -> None:
    body = "---\ntype: notes\n---\n\n# Notes\n\n- The staging database is reset every Monday\n"
    snapshot = Snapshot(
        {
            "notes.md": body,
            "peers/sam/notes.md": body,
            "preferences.md": body.replace("type: notes", "type: preferences"),
        }
    )
    assert alike(stand(Desk(snapshot), ID, types())) == ()
    twice = Snapshot({"notes.md": body, "notes-2.md": body.replace("every Monday", "each Monday")})
    assert len(alike(stand(Desk(twice), ID, types()))) == 1


def two_trusted(first: tuple[str, int, Trust], second: tuple[str, int, Trust]) -> tuple[Bench, str, str]:
    """A review of two entries of memfs's, each with its text, its age in days and its trust; and their ids."""
    bench, _ = make_bench([(text, "own", days) for text, days, _ in (first, second)])
    ids = [entry_id(ID, None, "notes", f"{at} {text}") for at, (text, _, _) in enumerate((first, second))]
    for entry, (_, _, trust) in zip(ids, (first, second), strict=True):
        bench.desk.record("notes.md", replace(bench.desk.records[entry], trust=trust))
    return bench, ids[0], ids[1]


@pytest.mark.parametrize("trust", ["agent", "document", "peer"])
def test_what_is_trusted_less_goes_where_the_better_says_it_all(trust: Trust) -> None:
    full, part = (
        "The staging database is reset every Monday at noon",
        "The staging database is reset every Monday",
    )
    bench, gone, kept = two_trusted((part, 1, trust), (full, 9, "user"))
    play(bench, "same", full)
    assert gone not in bench.desk.records
    assert bench.desk.records[kept].trust == "user"
    assert f"- {full} ^{kept}" in (bench.desk.text("notes.md") or "")


@pytest.mark.parametrize("verdict", ["same", "contradiction"])
def test_what_is_trusted_less_is_offered_and_never_takes_the_place_of_the_better(verdict: str) -> None:
    old, new = "The staging database is reset every Monday", "The staging database is never reset on a Monday"
    bench, kept, _ = two_trusted((old, 9, "user"), (new, 1, "document"))
    assert play(bench, verdict, f"{new} at all") == ["suggested"]
    text = bench.desk.text("notes.md") or ""
    assert f"- {old} ^{kept}\n" in text
    assert f"^{kept}-q" in text
