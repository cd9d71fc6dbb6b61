"""Several memfs processes at one vault: one worker an identity, a straight history, every turn extracted once."""

from __future__ import annotations

import os
import random
import signal
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memfs.errors import LeaseLost
from memfs.extraction.request import Request
from memfs.model import Extraction
from memfs.services.committing import failpoints
from memfs.services.ingest import ingest
from memfs.services.ingesting.reports import IngestReport
from memfs.services.opening import Vault, open_vault
from memfs.vault.leases import Lease, acquire_lease
from tests.services.talks import Script, Talk, inbox, put_talk, says, talk, turn_id
from tests.services.vaults import git, merge_commits, new_vault

SEED = 20261130
IDENTITIES = ("coding-assistant", "travel-planner")
SESSIONS = 6


@dataclass(frozen=True)
class Noting(Script):
    """`Script`, which notes each turn that it reads in a file that several processes share."""

    log: Path = Path()
    before: Callable[[], None] = lambda: None

    def extract(self, request: Request) -> Extraction:
        self.before()
        line = "".join(f"{request.identity} {turn.id}\n" for turn in request.turns)
        with self.log.open("a") as file:
            file.write(line)
        return super().extract(request)


def the_talks(identity: str) -> list[Talk]:
    return [
        talk(
            f"{identity}-{number}",
            says("notes", content=f"Fact {number} that {identity} was told"),
            says(
                "decisions",
                topic=f"Topic {number % 3}",
                decision=f"Choose option {number}",
                reason="it is best",
            ),
            day=number,
        )
        for number in range(SESSIONS)
    ]


def a_vault(folder: Path) -> Vault:
    vault = new_vault(folder / "vault", *IDENTITIES)
    for identity in IDENTITIES:
        for each in the_talks(identity):
            put_talk(inbox(vault, identity), each)
    return vault


def opened(vault: Vault, ahead: float = 0) -> Vault:
    """The vault as another process opens it, its clock so many seconds ahead of the real one."""
    return open_vault(
        vault.top, environ={}, clock=lambda: datetime.now(UTC) + timedelta(minutes=10, seconds=ahead)
    )


def in_process(work: Callable[[], None]) -> int:
    """Start ``work`` in a process of its own."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return pid


def exit_code(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def check_whole(vault: Vault, log: Path, *, once: bool = True) -> None:
    """All was merged, in a straight line, each turn read once and each memory there once."""
    assert not git(vault.top, "rev-list", "--min-parents=2", "HEAD")
    assert not git(vault.top, "status", "--porcelain")
    assert len(merge_commits(vault.top)) == len(IDENTITIES) * SESSIONS
    read = Counter(log.read_text().splitlines())
    assert set(read) == {
        f"{identity} {turn_id(each, at, part)}"
        for identity in IDENTITIES
        for each in the_talks(identity)
        for at in range(2)
        for part in ("prompt", "reply")
    }
    assert not once or set(read.values()) == {1}
    for identity in IDENTITIES:
        notes = vault.layout.document(identity, "notes.md").read_text(encoding="utf-8")
        assert [notes.count(f"Fact {number} ") for number in range(SESSIONS)] == [1] * SESSIONS


@pytest.mark.parametrize("seed", range(5))
def test_two_processes_ingest_the_same_inbox_at_once(tmp_path: Path, seed: int) -> None:
    vault, log = a_vault(tmp_path), tmp_path / "log"
    chance = random.Random(SEED + seed)

    def work(pause: int) -> None:
        mine = opened(vault)
        for _ in range(3):
            for _ in range(pause):
                os.getppid()
            report = ingest(mine, extractor=Noting(log=log))
            assert not report.problems
            assert all("another memfs process" in reason for reason in report.waiting)

    workers = [in_process(lambda: work(chance.randrange(0, 60_000))) for _ in range(2)]
    assert [exit_code(pid) for pid in workers] == [0, 0]
    assert ingest(opened(vault), extractor=Noting(log=log)).waiting == ()
    check_whole(vault, log)


@pytest.mark.parametrize(
    "step", ["locked", "temp.written", "place.displaced", "commit.written", "ref.moved", "synced"]
)
def test_a_killed_owner_is_taken_over_at_once(tmp_path: Path, step: str) -> None:
    vault, log = a_vault(tmp_path), tmp_path / "log"

    def work() -> None:
        left = iter(range(3))

        def observer(reached: str) -> None:
            if reached == step and next(left, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)

        failpoints.observe(observer)
        ingest(opened(vault), extractor=Noting(log=log))

    assert exit_code(in_process(work)) == -signal.SIGKILL
    report = ingest(opened(vault), extractor=Noting(log=log))
    assert report.waiting == ()
    check_whole(vault, log, once=False)


def paused_worker(vault: Vault, log: Path, outcome: Path) -> tuple[int, int, int]:
    """A worker that stands still in its first extraction: its pid, where it says so, how it is told to go on."""
    (said, say), (wait, go) = os.pipe(), os.pipe()

    def pause() -> None:
        if not log.exists():
            os.write(say, b".")
            os.read(wait, 1)

    def work() -> None:
        try:
            ingest(opened(vault), extractor=Noting(log=log, before=pause))
        except LeaseLost as error:
            outcome.write_text(str(error))

    pid = in_process(work)
    os.read(said, 1)
    return pid, said, go


def test_an_expired_owner_ends_with_lease_lost_and_commits_nothing(tmp_path: Path) -> None:
    vault, log, outcome = a_vault(tmp_path), tmp_path / "log", tmp_path / "outcome"
    pid, _, go = paused_worker(vault, tmp_path / "log of the first", outcome)
    early = ingest(opened(vault), extractor=Noting(log=tmp_path / "early"))
    assert any(f"pid {pid}" in reason for reason in early.waiting)
    assert {session.identity for session in early.sessions} == {IDENTITIES[1]}
    report: IngestReport = ingest(opened(vault, ahead=700), extractor=Noting(log=log))
    assert report.waiting == ()
    head = git(vault.top, "rev-parse", "HEAD")
    os.write(go, b".")
    assert exit_code(pid) == 0
    assert "another worker took over" in outcome.read_text()
    assert git(vault.top, "rev-parse", "HEAD") == head
    log.write_text(log.read_text() + (tmp_path / "early").read_text())
    check_whole(vault, log)


def test_the_epoch_grows_with_each_change_of_hands(tmp_path: Path) -> None:
    vault = a_vault(tmp_path)

    def epoch() -> int:
        lease = acquire_lease(vault.layout, IDENTITIES[0], clock=lambda: 0.0, seconds=0)
        assert isinstance(lease, Lease)
        return lease.epoch

    before = epoch()
    ingest(opened(vault), extractor=Script())
    assert epoch() == before + 2


def test_a_worker_that_nobody_followed_goes_on_after_a_long_extraction(tmp_path: Path) -> None:
    vault, log = a_vault(tmp_path), tmp_path / "log"
    late = [0.0]

    def take_long() -> None:
        late[0] += 580

    slow = replace(opened(vault), clock=lambda: datetime.now(UTC) + timedelta(minutes=10, seconds=late[0]))
    assert ingest(slow, extractor=Noting(log=log, before=take_long)).waiting == ()
    check_whole(vault, log)
