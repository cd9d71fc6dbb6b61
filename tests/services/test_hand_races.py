"""A person saves a document in the same moment as a merge comes to it: nothing of either is lost, nothing doubled.

Seven ways to save, seeded. In the paced races the person opens, saves and finishes at chosen steps of the merge; in
the free ones another process saves whenever it happens to.
"""

from __future__ import annotations

import os
import random
import re
import select
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memfs.memory.ledger import parse_ledger
from memfs.model import FieldValue, Target
from memfs.services.commit import open_transaction
from memfs.services.committing import failpoints
from memfs.services.ingesting.extracting import Proposal
from memfs.services.merging.merges import Merged, MergeWork, merge_proposals
from memfs.services.opening import Vault
from memfs.vault.intents import read_intent
from tests.services.editing import GONE, SCENES, STYLES, Edit, Editor, Scene, edits
from tests.services.vaults import copy_vault, git, new_vault, proposal

SEED = 20261130
IDENTITIES = 12
PACED, FREE = 22, 6  # groups of races, each in a vault of its own; a race per identity
STEPS = 34  # the steps that a merge reaches, and a few moments after it
ID = re.compile(r"\^(m-[a-z0-9-]+)[ \t]*$", re.MULTILINE)


class Clock:
    """The real time and what is added to it: a save is a moment ago until the clock is moved on."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@dataclass(frozen=True)
class Race:
    """What happens in one race; ``opened``, ``saved`` and ``finished`` are steps of the merge, counted."""

    identity: str
    scene: Scene
    style: str
    edit: Edit
    held: bool
    opened: int
    saved: int
    finished: int

    def __str__(self) -> str:
        moments = f"opened {self.opened}, saved {self.saved}, finished {self.finished}"
        return f"{self.scene.document}: {self.style}{' (held)' * self.held}, {self.edit.name}; {moments}"


def name_of(number: int) -> str:
    return f"agent-{number:02}"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault of many identities, each with its documents and a person's own line in each."""
    folder = tmp_path_factory.mktemp("races") / "vault"
    vault = new_vault(folder, *(name_of(number) for number in range(IDENTITIES)))
    for number in range(IDENTITIES):
        for scene in SCENES:
            bring(vault, name_of(number), scene.first, 1)
            path = vault.layout.document(name_of(number), scene.document)
            text = path.read_text(encoding="utf-8")
            first = ID.search(text)
            assert first is not None
            path.write_text(text[: first.end()] + f"\n- {scene.own}" + text[first.end() :], encoding="utf-8")
    git(folder, "commit", "-q", "-a", "-m", "Write by hand")
    return folder


def proposals(
    identity: str, said: tuple[tuple[str, dict[str, FieldValue]], ...], day: int
) -> Iterator[Proposal]:
    for type, fields in said:
        yield replace(proposal(type, day, f"s{day}", **fields), target=Target(identity))


def bring(
    vault: Vault, identity: str, said: tuple[tuple[str, dict[str, FieldValue]], ...], day: int
) -> Merged:
    """Merge as ingest does; a document saved a moment ago is not waited for."""
    work = MergeWork(identity, proposals=tuple(proposals(identity, said, day)), source=f"claude-code/s{day}")
    return merge_proposals(vault, work)


def draw(identity: str, chance: random.Random) -> Race:
    scene, style = chance.choice(SCENES), chance.choice(STYLES)
    known = edits(scene, f"of {identity}")
    if style == "append":
        name = "at the end"
    elif style == "in place":
        name = chance.choice(["own line", "reword"])
    else:
        name = chance.choice(sorted(known))
    opened, saved, finished = sorted(chance.choices(range(STEPS), k=3))
    return Race(identity, scene, style, known[name], chance.random() < 0.5, opened, saved, finished)


def editor_for(vault: Vault, race: Race) -> Editor:
    path = vault.layout.document(race.identity, race.scene.document)
    return Editor(path, race.style, race.edit, race.held, path.with_name(f"old-{path.name}"))


def run_paced(vault: Vault, race: Race) -> Merged:
    """Merge while the person opens, saves and finishes, each at its step."""
    editor, count = editor_for(vault, race), 0

    def act(moment: int) -> None:
        for at, do in ((race.opened, editor.open), (race.saved, editor.save), (race.finished, editor.finish)):
            if at == moment:
                do()

    def observer(_: str) -> None:
        nonlocal count
        count += 1
        act(count)

    act(0)
    failpoints.observe(observer)
    try:
        merged = bring(vault, race.identity, race.scene.second, 2)
    finally:
        failpoints.observe(None)
    for moment in range(count + 1, STEPS):
        act(moment)
    return merged


def run_free(vault: Vault, race: Race) -> Merged:
    """Merge while another process opens, saves and finishes whenever it comes to it."""
    (ended, end), moments = os.pipe(), (race.opened, race.saved, race.finished)
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            editor = editor_for(vault, race)
            signs = signs_of(vault, race, ended)
            for moment, act in zip(moments, (editor.open, editor.save, editor.finish), strict=True):
                while not any(sign() for sign in signs[moment * len(signs) // STEPS :]):
                    pass
                act()
            code = 0
        finally:
            os._exit(code)
    merged = bring(vault, race.identity, race.scene.second, 2)
    os.write(end, b".")
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    os.close(ended)
    os.close(end)
    return merged


def signs_of(vault: Vault, race: Race, ended: int) -> list[Callable[[], bool]]:
    """By what another process sees how far a merge is."""
    path = vault.layout.document(race.identity, race.scene.document)
    before, head = inode(path), vault.top / ".git/refs/heads/main"
    tip = head.read_bytes()
    return [
        lambda: True,
        lambda: any(name.startswith(".memfs-") for name in os.listdir(path.parent)),
        lambda: (vault.layout.local / "intent.json").exists(),
        lambda: inode(path) != before,
        lambda: head.read_bytes() != tip,
        lambda: bool(select.select([ended], [], [], 0)[0]),
    ]


def inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


def settle(vault: Vault, clock: Clock, race: Race, merged: Merged) -> Merged:
    """What comes later: displaced files are looked at, what waited is merged again, another merge comes."""
    clock.ahead += timedelta(seconds=5)
    with open_transaction(vault):
        pass
    if merged.waiting:
        merged = bring(vault, race.identity, race.scene.second, 2)
    bring(vault, race.identity, race.scene.third, 3)
    return merged


def texts_of(vault: Vault, identity: str) -> dict[str, str]:
    folder = vault.layout.identity_dir(identity)
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*.md"))
        if ".ledger" not in path.parts
    }


def lines_with(texts: dict[str, str], words: str) -> list[str]:
    """The lines of entries and prose that hold these words; suggestions and struck decisions are no entries."""
    every = (line for text in texts.values() for line in text.splitlines())
    return [line for line in every if words in line and not line.lstrip().startswith((">", "- ~~"))]


def check_saved(vault: Vault, race: Race) -> None:
    """Every line of the person's, every memory, once."""
    texts, scene = texts_of(vault, race.identity), race.scene
    expected = dict.fromkeys((scene.own, scene.kept[0], scene.new, scene.later, *race.edit.once), 1)
    expected |= dict.fromkeys(race.edit.gone, 0)
    if scene.updated is not None:
        before, after, words = scene.updated
        expected |= {before: 0, after: int(words not in race.edit.once)}
    found = {words: len(lines_with(texts, words)) for words in expected}
    assert found == expected, (
        f"{ {words: count for words, count in found.items() if count != expected[words]} }"
    )


def check_sound(vault: Vault, race: Race) -> None:
    """No marks of conflicts, no litter, ids once, index, HEAD and ledger at one with the document."""
    texts = texts_of(vault, race.identity)
    whole = "".join(texts.values())
    assert "<<<<" not in whole
    assert ">>>>" not in whole
    ids = ID.findall(whole)
    assert len(ids) == len(set(ids)), "an id stands twice"
    litter = [path for path in vault.layout.memories.rglob("*") if path.name.startswith(".memfs-")]
    assert not litter
    assert read_intent(vault.layout) is None
    assert not git(vault.top, "diff", "--cached", "--name-only")
    folder = vault.layout.identity_dir(race.identity)
    known = {
        record.id
        for ledger in (folder / ".ledger").rglob("*.md")
        for record in parse_ledger(ledger.read_text(encoding="utf-8"))[0]
    }
    assert known == set(ids), "the ledger and the documents do not agree"


def check_gone(vault: Vault, clock: Clock, race: Race, merged: Merged) -> None:
    """A removed document is waited for, not mourned: put back, it has all that was merged."""
    path = vault.layout.document(race.identity, race.scene.document)
    if race.style == "delete":
        assert not path.exists(), "the document came back by itself"
        again = bring(vault, race.identity, race.scene.third, 3)
        assert again.waiting
        assert "missing" in again.waiting[0]
        git(vault.top, "checkout", "-q", "HEAD", "--", vault.layout.rel(path))
        clock.ahead += timedelta(seconds=5)
        if merged.waiting:
            assert not bring(vault, race.identity, race.scene.second, 2).waiting
        assert not bring(vault, race.identity, race.scene.third, 3).waiting
    check_saved(vault, replace(race, edit=Edit("nothing", str)))
    check_sound(vault, race)


def play(vault: Vault, clock: Clock, race: Race, *, free: bool) -> None:
    clock.ahead = timedelta()
    merged = run_free(vault, race) if free else run_paced(vault, race)
    merged = settle(vault, clock, race, merged)
    if race.style in GONE:
        check_gone(vault, clock, race, merged)
        return
    assert not merged.waiting
    check_saved(vault, race)
    check_sound(vault, race)
    head = git(vault.top, "rev-parse", "HEAD")
    bring(vault, race.identity, race.scene.third, 3)
    assert git(vault.top, "rev-parse", "HEAD") == head, "merged twice"


def play_group(template: Path, folder: Path, group: int, *, free: bool) -> None:
    """A race per identity in one vault; all that failed are told of."""
    clock = Clock()
    vault = replace(copy_vault(template, folder), clock=clock)
    chance, failed = random.Random(SEED + group + 1000 * free), []
    for number in range(IDENTITIES):
        race = draw(name_of(number), chance)
        try:
            play(vault, clock, race, free=free)
        except AssertionError as error:
            failed.append(f"{race}: {str(error).splitlines()[0] if str(error) else error!r}")
    assert not failed, "\n".join(failed)
    fsck = subprocess.run(["git", "-C", str(folder), "fsck", "--strict"], capture_output=True, check=False)
    assert fsck.returncode == 0


@pytest.mark.parametrize("group", range(PACED))
def test_a_save_at_any_step_of_a_merge(template: Path, tmp_path: Path, group: int) -> None:
    play_group(template, tmp_path / "vault", group, free=False)


@pytest.mark.parametrize("group", range(FREE))
def test_a_save_of_another_process_at_any_time(template: Path, tmp_path: Path, group: int) -> None:
    play_group(template, tmp_path / "vault", group, free=True)


@pytest.mark.slow
@pytest.mark.parametrize("group", range(PACED, PACED + 200))
def test_many_more_saves(template: Path, tmp_path: Path, group: int) -> None:
    play_group(template, tmp_path / "vault", group, free=group % 4 == 0)
