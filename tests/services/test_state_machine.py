"""A whole vault against a dictionary: merges, hand edits, renames, deletions, undo, forget, crashes, restarts."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memfs.model import EntryView, Evidence, Operation, Target
from memfs.services.changing import forget
from memfs.services.commit import open_transaction
from memfs.services.committing import failpoints
from memfs.services.entries import list_entries
from memfs.services.ingesting.extracting import Proposal
from memfs.services.merging.merges import Merged, MergeWork, merge_proposals
from memfs.services.recall import search
from memfs.services.undo import undo
from tests.services.lexical import lexical_vault
from tests.services.vaults import IDENTITY, Clock, copy_vault

TOPICS = {"Fruit": ("apples", "plums"), "Season": ("winter", "spring"), "Music": ("cellos", "trumpets")}
LIKES = st.sampled_from([(topic, like) for topic, likes in TOPICS.items() for like in likes])
FACTS = ("The barn is red", "Nine geese live by the pond", "The tractor needs oil", "Honey sells on Sundays")
LONG_AGO = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
CRASHES = st.sampled_from([step for step in failpoints.STEPS if not step.startswith("hand.")])


@dataclass(frozen=True)
class Known:
    """An entry as the model has it: what it says, what memfs last wrote, since when; what is offered for it."""

    text: str
    written: str
    time: datetime
    offered: str | None = None

    @property
    def edited(self) -> bool:
        return self.text != self.written


class VaultMachine(RuleBasedStateMachine):
    """The model: what each topic or fact says, texts that may not come back, when entries were removed."""

    template: Path

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.vault = copy_vault(self.template, self.folder / "vault")
        self.clock = Clock(datetime.now(UTC) + timedelta(minutes=10))
        self.vault = replace(self.vault, clock=self.clock)
        self.known: dict[str, Known] = {}
        self.refused: set[str] = set()
        self.removed: dict[str, datetime] = {}
        self.deleted = self.moved = False  # by hand, and not committed
        self.lines: set[str] = set()
        self.numbers = itertools.count(1)
        self.last: tuple[str, dict[str, Known], dict[str, Known]] | None = None

    def teardown(self) -> None:
        fsck = subprocess.run(
            ["git", "-C", str(self.vault.top), "fsck", "--strict"], capture_output=True, check=False
        )
        shutil.rmtree(self.folder)
        assert fsck.returncode == 0, fsck.stderr

    # What memfs is asked to do

    @initialize()
    def begin(self) -> None:
        self.merge({"The barn is red": "The barn is red", "Fruit": "Likes apples best"}, late=True)

    @rule(fact=st.sampled_from(FACTS), late=st.booleans())
    def merge_fact(self, fact: str, late: bool) -> None:
        self.merge({fact: fact}, late=late)

    @rule(choice=LIKES, late=st.booleans())
    def merge_preference(self, choice: tuple[str, str], late: bool) -> None:
        self.merge({choice[0]: f"Likes {choice[1]} best"}, late=late)

    @rule(choice=LIKES, fact=st.sampled_from(FACTS), step=CRASHES)
    def crash_in_a_merge(self, choice: tuple[str, str], fact: str, step: str) -> None:
        said = {choice[0]: f"Likes {choice[1]} best", fact: fact}
        self.clock.advance(3600)
        work = self.work(said, self.clock.now)
        in_process_killed_at(step, lambda: merge_proposals(self.vault, work))
        with open_transaction(self.vault):
            pass
        self.merge(said, late=True)
        self.last = None  # the crash may have made a commit of its own

    @precondition(lambda self: self.last)
    @rule()
    def undo_the_last_merge(self) -> None:
        assert self.last is not None
        commit, before, after = self.last
        self.clock.advance(3600)
        undo(self.vault, commit)
        for name in after:
            if self.known.get(name) == after[name] and before.get(name) != after[name]:
                self.refused.add(after[name].text)
                self.removed[name] = after[name].time
                if name in before:
                    self.known[name] = before[name]
                else:
                    del self.known[name]
        self.last = None

    @precondition(lambda self: any(not known.offered for known in self.known.values()))
    @rule(data=st.data())
    def forget_an_entry(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(n for n, known in self.known.items() if not known.offered)))
        self.clock.advance(3600)
        forget(self.vault, self.id_of(name))
        self.remove(name)

    # What the person does

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def edit_by_hand(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.known)))
        text = f"{self.known[name].written} (number {next(self.numbers)})"
        self.write(name, lambda line: line.replace(self.known[name].text, text))
        self.known[name] = replace(self.known[name], text=text)

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def delete_by_hand(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.known)))
        offered = self.known[name].offered
        self.commit_by_hand()
        if offered:
            self.write(name, lambda _: "", block=self.id_of_offer(name))
            self.refused.add(offered)
        self.write(name, lambda _: "")
        self.deleted = True
        self.remove(name)
        if self.moved:  # while its document's removal is not committed, nothing in it counts as deleted
            self.commit_by_hand()

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def add_a_line(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.known)))
        line = f"A line by hand, number {next(self.numbers)}"
        self.write(name, lambda text: f"- {line}\n{text}")
        self.lines.add(line)

    @precondition(lambda self: self.known)
    @rule(data=st.data(), commit=st.booleans())
    def rename_a_document(self, data: st.DataObject, commit: bool) -> None:
        path = self.document_of(data.draw(st.sampled_from(sorted(self.known))))
        path.rename(path.with_name(f"renamed-{next(self.numbers)}.md"))
        self.moved = True
        if commit or self.deleted:
            self.commit_by_hand()

    @rule()
    def commit_by_hand(self) -> None:
        self.deleted = self.moved = False
        self.clock.advance(3600)
        when = {f"GIT_{who}_DATE": self.clock.now.isoformat() for who in ("AUTHOR", "COMMITTER")}
        run = ["git", "-C", str(self.vault.top)]
        subprocess.run([*run, "add", "-A"], check=True, env={**os.environ, **when})
        subprocess.run(
            [*run, "commit", "-q", "--allow-empty", "-m", "By hand"], check=True, env={**os.environ, **when}
        )

    # What else happens

    @rule()
    def restart(self) -> None:
        from memfs.services.opening import open_vault

        self.vault = open_vault(self.vault.top, environ={}, clock=self.clock)

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def lose_the_index(self, data: st.DataObject) -> None:
        shutil.rmtree(self.vault.layout.derived, ignore_errors=True)
        text = self.known[data.draw(st.sampled_from(sorted(self.known)))].text
        assert text in {words(hit.view) for hit in search(self.vault, text).hits}

    # What must hold

    @invariant()
    def every_entry_says_what_it_should(self) -> None:
        views = [view for view in list_entries(self.vault) if view.type != "identity"]
        said = sorted(words(view) for view in views if view.status not in ("suggestion", "superseded"))
        assert said == sorted([*(known.text for known in self.known.values()), *self.lines])
        offered = sorted(words(view) for view in views if view.status == "suggestion")
        assert offered == sorted(known.offered for known in self.known.values() if known.offered)

    @invariant()
    def nothing_lies_about(self) -> None:
        assert not list(self.vault.layout.memories.rglob(".memfs-*"))
        ids = re.findall(
            r"\^m-[a-z0-9-]+$", "".join(path.read_text() for path in self.documents()), re.MULTILINE
        )
        assert len(ids) == len(set(ids))

    # The model

    def merge(self, said: dict[str, str], *, late: bool) -> None:
        self.clock.advance(3600)
        time = self.clock.now if late else LONG_AGO
        before = dict(self.known)
        merged: Merged = merge_proposals(self.vault, self.work(said, time))
        assert not merged.waiting
        for name, text in said.items():
            self.hear(name, text, time)
        suggested = any(outcome.action == "suggested" for outcome in merged.outcomes)
        self.last = (merged.commit, before, dict(self.known)) if merged.commit and not suggested else None

    def work(self, said: dict[str, str], time: datetime) -> MergeWork:
        evidence = Evidence("claude-code/s1", (f"message-{next(self.numbers)}",), time)
        operations = (
            Operation("notes", {"content": text})
            if name == text
            else Operation("preferences", {"topic": name, "content": text})
            for name, text in said.items()
        )
        proposals = tuple(Proposal(operation, Target(IDENTITY), evidence) for operation in operations)
        return MergeWork(IDENTITY, proposals=proposals, source="claude-code/s1")

    def hear(self, name: str, text: str, time: datetime) -> None:
        """What a merge makes of a text, by the table of spec 5."""
        known = self.known.get(name)
        if known is None:
            if text not in self.refused and time > self.removed.get(name, LONG_AGO - timedelta(1)):
                self.known[name] = Known(text, text, time)
        elif text == known.written:
            self.known[name] = replace(known, time=max(time, known.time))
        elif time > known.time and text not in self.refused:
            if known.edited:
                self.known[name] = replace(known, offered=text)
            else:
                self.known[name] = Known(text, text, time)

    def remove(self, name: str) -> None:
        known = self.known.pop(name)
        self.refused.update((known.written, known.text))
        self.removed[name] = self.clock.now

    def documents(self) -> list[Path]:
        folder = self.vault.layout.identity_dir(IDENTITY)
        return [path for path in folder.rglob("*.md") if ".ledger" not in path.parts]

    def id_of(self, name: str) -> str:
        (view,) = [view for view in list_entries(self.vault) if words(view) == self.known[name].text]
        return view.id or ""

    def id_of_offer(self, name: str) -> str:
        (view,) = [view for view in list_entries(self.vault) if words(view) == self.known[name].offered]
        return view.id or ""

    def document_of(self, name: str) -> Path:
        (path,) = [
            path for path in self.documents() if self.known[name].text in path.read_text(encoding="utf-8")
        ]
        return path

    def write(self, name: str, change: Callable[[str], str], block: str | None = None) -> None:
        """Change an entry's line as an editor does, at the machine's time.

        A deletion is a save of its own: together with other edits it could be a stale save.
        """
        if self.deleted:
            self.commit_by_hand()
        self.clock.advance(3600)
        path = self.document_of(name)
        needle = f"^{block}" if block else self.known[name].text
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(change(line) if needle in line else line for line in lines), encoding="utf-8")
        moment = self.clock.now.timestamp()
        os.utime(path, (moment, moment))


def words(view: EntryView) -> str:
    """What an entry says, without the topic that a list puts before it."""
    topic, _, said = view.text.partition(": ")
    return said if topic in TOPICS else view.text


def in_process_killed_at(step: str, work: Callable[[], object]) -> None:
    pid = os.fork()
    if pid == 0:

        def observer(reached: str) -> None:
            if reached == step:
                os.kill(os.getpid(), signal.SIGKILL)

        failpoints.observe(observer)
        try:
            work()
        finally:
            os._exit(0)
    os.waitpid(pid, 0)


@pytest.fixture(scope="module", autouse=True)
def template(tmp_path_factory: pytest.TempPathFactory) -> None:
    VaultMachine.template = tmp_path_factory.mktemp("machine") / "vault"
    lexical_vault(VaultMachine.template, IDENTITY)


def test_a_vault_does_what_its_model_does() -> None:
    few = settings(max_examples=12, stateful_step_count=14, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(VaultMachine, settings=few)


@pytest.mark.slow
def test_a_vault_does_what_its_model_does_for_long() -> None:
    many = settings(max_examples=150, stateful_step_count=40, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(VaultMachine, settings=many)
