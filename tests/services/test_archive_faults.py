"""Whatever happens while files are archived, no byte of an original is lost: faults, other writers, kill -9."""

from __future__ import annotations

import itertools
import os
import random
import resource
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import pytest

from memfs.services.archive import archive
from memfs.services.archiving.copying import STEPS
from memfs.services.committing import failpoints
from memfs.services.opening import Vault
from tests.services.filing import filing_vault, message, put_file, put_session, refreshed, work_folder
from tests.services.vaults import copy_vault, new_vault

SEED = 20261130
ROUNDS = 40
DAY = date(2026, 3, 14)
NAMES = ("a.txt", "sub/a.txt", "b.bin", "报告.pdf")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("faults") / "v"
    new_vault(folder)
    return folder


@dataclass
class World:
    """A vault, originals outside of it, and what must be found somewhere as long as it was not overwritten."""

    vault: Vault
    work: Path
    backup: Path
    wanted: dict[str, bytes] = field(default_factory=dict)

    def contents(self) -> list[bytes]:
        """Everything that lies in the workspace or the archive, under whatever name."""
        folders = (self.work, self.backup)
        return [path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()]

    def lost(self) -> list[str]:
        there = self.contents()
        return [name for name, data in self.wanted.items() if data not in there]

    def leftovers(self) -> list[Path]:
        return [path for folder in (self.work, self.backup) for path in folder.rglob(".memfs-*")]


def make_world(template: Path, folder: Path) -> World:
    folder.mkdir()
    work, backup = work_folder(folder), folder / "backup"
    vault = filing_vault(copy_vault(template, folder / "v"), work, archive=backup)
    world = World(vault, work, backup)
    for name in NAMES:
        world.wanted[name] = f"{folder.name} {name} ".encode() * 20_000
        put_file(work, name, world.wanted[name])
    put_session(vault, message(1, "x", attachments=[{"path": name} for name in NAMES]), cwd=work)
    return world


def in_child(work: Callable[[], object]) -> int:
    """Run ``work`` in a forked process; its exit code, negative for the signal that ended it."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def run(world: World) -> None:
    archive(refreshed(world.vault), day=DAY)


@pytest.fixture(autouse=True)
def _unobserved() -> None:
    failpoints.observe(None)


@pytest.mark.parametrize(("step", "nth"), [(step, nth) for step in STEPS for nth in (1, 3)])
def test_kill_9_at_every_step(template: Path, tmp_path: Path, step: str, nth: int) -> None:
    world = make_world(template, tmp_path / "w")

    def work() -> None:
        left = itertools.count(1)

        def observer(reached: str) -> None:
            if reached == step and next(left) == nth:
                os.kill(os.getpid(), signal.SIGKILL)

        failpoints.observe(observer)
        run(world)

    assert in_child(work) == -signal.SIGKILL
    assert world.lost() == []
    run(world)
    assert world.lost() == []
    assert world.leftovers() == []
    assert [path for path in world.work.rglob("*") if path.is_file()] == []  # finished after all
    assert sorted(world.contents()) == sorted(world.wanted.values())  # and no copy twice


@pytest.mark.parametrize("limit", [1, 100_000, 150_000])
def test_killed_in_the_middle_of_a_copy(template: Path, tmp_path: Path, limit: int) -> None:
    world = make_world(template, tmp_path / "w")

    def work() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # the write that goes beyond the limit ends the process
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        run(world)

    assert in_child(work) == -signal.SIGXFSZ
    assert world.lost() == []
    run(world)
    assert world.lost() == []
    assert world.leftovers() == []


class Broken(OSError):
    """A fault that was injected."""


def meddle(world: World, dice: random.Random) -> None:
    """What another program may do to an original at any moment. What it has overwritten itself is not wanted."""
    name = dice.choice(NAMES)
    path = world.work / name
    key = f"{name} {dice.random()}"
    fresh = f"fresh {key} ".encode() * dice.randrange(1, 3000)
    act = dice.choice(["append", "replace", "write", "remove"])
    if act == "append":
        before = path.read_bytes() if path.exists() else b""
        with path.open("ab") as file:
            file.write(fresh)
        forget(world, before)
        world.wanted[key] = before + fresh
    elif act == "replace":
        beside = path.with_name(f"beside-{dice.random()}")
        before = path.read_bytes() if path.exists() else b""
        beside.write_bytes(fresh)
        beside.replace(path)
        forget(world, before)
        world.wanted[key] = fresh
    elif act == "write":
        before = path.read_bytes() if path.exists() else b""
        path.write_bytes(fresh)
        forget(world, before)
        world.wanted[key] = fresh
    elif path.exists():
        forget(world, path.read_bytes())
        path.unlink()


def forget(world: World, data: bytes) -> None:
    world.wanted = {name: wanted for name, wanted in world.wanted.items() if wanted != data}


def test_seeded_faults_and_other_writers_lose_nothing(template: Path, tmp_path: Path) -> None:
    dice = random.Random(SEED)
    for number in range(ROUNDS):
        world = make_world(template, tmp_path / f"w{number}")
        for _ in range(3):

            def observer(_: str, world: World = world) -> None:
                chance = dice.random()
                if chance < 0.15:
                    meddle(world, dice)
                elif chance < 0.25:
                    raise Broken(5, "injected")

            failpoints.observe(observer)
            run(world)
            failpoints.observe(None)
            assert world.lost() == [], (number, world.lost())
        run(world)
        assert world.lost() == [], number
        assert world.leftovers() == [], number


def test_a_new_file_under_the_name_of_one_that_was_taken(template: Path, tmp_path: Path) -> None:
    world = make_world(template, tmp_path / "w")

    def work() -> None:
        def observer(reached: str) -> None:
            if reached == "archive.taken":
                (world.work / "a.txt").write_bytes(b"new")
                os.kill(os.getpid(), signal.SIGKILL)

        failpoints.observe(observer)
        run(world)

    assert in_child(work) == -signal.SIGKILL
    world.wanted["new"] = b"new"
    assert world.lost() == []
    run(world)
    assert world.lost() == []
    assert world.leftovers() == []


def test_seeded_kills_lose_nothing(template: Path, tmp_path: Path) -> None:
    dice = random.Random(SEED)
    for number in range(ROUNDS // 2):
        world = make_world(template, tmp_path / f"w{number}")
        for _ in range(3):
            at = dice.randrange(1, 26)

            def work(world: World = world, at: int = at) -> None:
                left = itertools.count(1)

                def observer(_: str) -> None:
                    if next(left) == at:
                        os.kill(os.getpid(), signal.SIGKILL)

                failpoints.observe(observer)
                run(world)

            in_child(work)
            assert world.lost() == [], number
        run(world)
        assert world.lost() == []
        assert world.leftovers() == []
