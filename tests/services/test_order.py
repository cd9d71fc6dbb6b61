"""Evidence counts in the order in which it was said, whatever order transcripts arrive in."""

from __future__ import annotations

import os
import random
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.memory.ledger import parse_ledger
from memfs.services.ingest import ingest
from memfs.services.ingesting.reports import IngestReport
from memfs.services.opening import Vault
from tests.services.talks import Script, Talk, inbox, put_talk, put_talks, says, talk
from tests.services.vaults import IDENTITY, copy_vault, document, git, merge_commits, new_vault

SEED = 20261130
QUEUES = ("RabbitMQ", "Redis Streams", "Kafka", "NATS", "Pulsar")
STAGES = ("idea", "prototype", "beta", "released")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("order") / "vault"
    new_vault(folder)
    return folder


def a_talk(number: int, chance: random.Random) -> Talk:
    """A session about things that change over time, and one that is new; an hour after the one before."""
    tasks = ("renew the certificate", "write the runbook", "rotate the tapes")
    said = (
        says(
            "decisions",
            topic="Queue",
            # No decision returns to an earlier one: which of two like ones is kept as past is told by arrival.
            decision=f"Use {chance.choice(QUEUES)} {number}",
            reason="operations run it already",
        ),
        says("notes", content=f"Host number {number} listens on port {5000 + number}"),
        says(
            "preferences", topic="Indentation", content=f"Uses {chance.choice(['tabs', 'two spaces'])} in Go"
        ),
        says(
            "projects", project="Tidewater", stage=chance.choice(STAGES), known_issues=[f"issue {number % 7}"]
        ),
        says("actions", task=chance.choice(tasks), status=chance.choice(["pending", "done"])),
    )
    return talk(
        f"s{number:04}",
        *chance.sample(said, chance.randint(1, 3)),
        day=number // 24,
        minutes=60 * (number % 24),
    )


def talks_of(count: int, seed: int = SEED) -> list[Talk]:
    chance = random.Random(seed)
    return [a_talk(number, chance) for number in range(count)]


def put_in_disorder(vault: Vault, talks: list[Talk], seed: int = SEED) -> None:
    """Write sessions under names, in folders and with times of last change that say nothing of when they were."""
    chance = random.Random(seed)
    for number, each in enumerate(chance.sample(talks, len(talks))):
        folder = inbox(vault) / chance.choice(["a", "b", "c/d"])
        path = put_talk(folder, each, f"{chance.randrange(10**6):06}-{number}")
        moment = 1_780_000_000 + chance.randrange(10**6)
        os.utime(path, (moment, moment))


def ingested(vault: Vault) -> IngestReport:
    report = ingest(vault, extractor=Script())
    assert not report.waiting
    assert not report.problems
    return report


def memory_of(vault: Vault) -> dict[str, list[Any]]:
    """The identity's memory apart from where a line stands, when a document was begun, and when something old was
    noticed to be superseded: these follow the order of arrival."""
    folder = vault.layout.identity_dir(IDENTITY)
    found: dict[str, list[Any]] = {}
    for path in sorted(folder.rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(folder).as_posix()
        if ".ledger" in path.parts:
            found[name] = [
                (r.id, None if r.id.count("-") > 1 else (r.hash, r.box), r.time)
                for r in parse_ledger(text)[0]
            ]
        else:
            lines = (re.sub(r"\(superseded [\d-]+\)", "(superseded)", line) for line in text.splitlines())
            # When a document was begun, and under which heading a task was heard of first, is told by arrival.
            told = ("created:", "## Open", "## Done")
            found[name] = sorted(line for line in lines if line.strip() and not line.startswith(told))
    return found


def test_old_sessions_after_new_ones_change_nothing_newer(template: Path, tmp_path: Path) -> None:
    vault = copy_vault(template, tmp_path / "vault")
    new = talk(
        "new", says("decisions", topic="Queue", decision="Use Kafka", reason="it keeps the log"), day=20
    )
    old = talk("old", says("decisions", topic="Queue", decision="Use RabbitMQ", reason="we know it"), day=1)
    put_talks(vault, [new])
    ingested(vault)
    before = document(vault, "decisions.md").read_text(encoding="utf-8")
    put_talks(vault, [old])
    report = ingested(vault)
    after = document(vault, "decisions.md").read_text(encoding="utf-8")
    assert after.startswith(before.rstrip("\n"))
    current, _, past = after.partition("## Superseded")
    assert "RabbitMQ" not in current
    assert re.search(r"- ~~.*RabbitMQ.*~~", past)
    assert [session.session for session in report.sessions] == ["old"]
    assert ingested(vault).sessions == ()


def test_a_history_is_ingested_in_the_order_of_its_evidence(template: Path, tmp_path: Path) -> None:
    ingest_history(template, tmp_path, 100)


@pytest.mark.slow
def test_a_thousand_sessions_are_ingested_in_the_order_of_their_evidence(
    template: Path, tmp_path: Path
) -> None:
    ingest_history(template, tmp_path, 1000)


def ingest_history(template: Path, folder: Path, count: int) -> None:
    vault, talks = copy_vault(template, folder / "vault"), talks_of(count)
    put_in_disorder(vault, talks)
    report = ingested(vault)
    names = [each.session for each in talks]
    assert [session.session for session in report.sessions] == names
    told = git(
        vault.top, "log", "--reverse", "--format=%(trailers:key=Memfs-Source,valueonly)", "HEAD"
    ).split()
    merged = [source.rpartition("/")[2] for source in told]
    assert merged == [name for name in names if name in set(merged)], "commits out of order"
    hosts = re.findall(r"Host number (\d+)", document(vault, "notes.md").read_text(encoding="utf-8"))
    assert [int(host) for host in hosts] == sorted(int(host) for host in hosts)
    last = [text for each in talks for text in each.said if text.startswith("decisions")][-1]
    current = document(vault, "decisions.md").read_text(encoding="utf-8").partition("## Superseded")[0]
    assert last.split('"Use ')[1].split('"')[0] in current
    assert ingested(vault).sessions == ()
    check_linear(vault)


def check_linear(vault: Vault) -> None:
    assert not git(vault.top, "rev-list", "--min-parents=2", "HEAD")
    assert not git(vault.top, "status", "--porcelain")


@settings(max_examples=8 if settings.default.max_examples < 1000 else 60)
@given(st.integers(0, 10**6), st.integers(3, 12))
def test_arrival_in_any_order_comes_to_the_same_memory(template: Path, seed: int, count: int) -> None:
    talks = talks_of(count, seed)
    with tempfile.TemporaryDirectory() as folder:
        ordered, shuffled = (copy_vault(template, Path(folder) / name) for name in ("ordered", "shuffled"))
        put_talks(ordered, talks)
        ingested(ordered)
        chance = random.Random(seed)
        late = chance.sample(talks, len(talks))
        while late:
            part = chance.randint(1, 4)
            put_talks(shuffled, late[:part])
            ingested(shuffled)
            late = late[part:]
        assert memory_of(shuffled) == memory_of(ordered)
        assert len(merge_commits(ordered.top)) <= count
