"""A person's programs at a document: how they save, and what they change."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from memfs.model import FieldValue

STYLES = ("in place", "truncate", "rename", "backup", "append", "delete", "move")
GONE = ("delete", "move")


@dataclass(frozen=True)
class Scene:
    """A document with two entries of memfs's and a line of the person's, and a merge that comes to it.

    ``first``, ``second`` and ``third`` are what merges bring, in order: (type, fields). ``kept``: an entry that
    the merge leaves alone, and the person's words for it. ``updated``: the same for one that it changes, with its
    new words between. ``new``: an entry of the second merge, ``later``: one of the third.
    """

    document: str
    first: tuple[tuple[str, dict[str, FieldValue]], ...]
    second: tuple[tuple[str, dict[str, FieldValue]], ...]
    third: tuple[tuple[str, dict[str, FieldValue]], ...]
    kept: tuple[str, str]
    new: str
    later: str
    updated: tuple[str, str, str] | None = None

    @property
    def own(self) -> str:
        """The person's own line, of which there is a version two."""
        return f"The person's own line in {self.document.removesuffix('.md')}, version one"


def _project(**fields: FieldValue) -> tuple[tuple[str, dict[str, FieldValue]], ...]:
    return (("projects", {"project": "Tidewater", **fields}),)


SCENES = (
    Scene(
        "projects/tidewater.md",
        first=_project(stage="alpha", known_issues=("slow start",)),
        second=_project(stage="delta", known_issues=("leaks memory",)),
        third=_project(known_issues=("no dark mode",)),
        kept=("slow start", "slow boots"),
        new="leaks memory",
        later="no dark mode",
        updated=("stage: alpha", "stage: delta", "stage: omega"),
    ),
    Scene(
        "notes.md",
        first=(
            ("notes", {"content": "The staging database listens on port 5433"}),
            ("notes", {"content": "The printer is on the second floor"}),
        ),
        second=(("notes", {"content": "Deploys on Friday need a second reviewer"}),),
        third=(("notes", {"content": "The coffee machine wants descaling"}),),
        kept=("port 5433", "port 6544"),
        new="Deploys on Friday need a second reviewer",
        later="The coffee machine wants descaling",
    ),
    Scene(
        "decisions.md",
        first=(
            ("decisions", {"topic": "Queue", "decision": "Use RabbitMQ", "reason": "we know it"}),
            ("decisions", {"topic": "Cache", "decision": "Use memcached", "reason": "it is small"}),
        ),
        second=(
            ("decisions", {"topic": "Queue", "decision": "Use Redis Streams", "reason": "it runs already"}),
            ("decisions", {"topic": "Editor", "decision": "Use Helix", "reason": "it is quick"}),
        ),
        third=(("decisions", {"topic": "Licence", "decision": "Use Apache", "reason": "lawyers like it"}),),
        kept=("Use memcached", "Use mycached2"),
        new="Use Helix",
        later="Use Apache",
        updated=(
            "Use RabbitMQ, because we know it.",
            "Use Redis Streams, because it runs already.",
            "Use ZeroMQ12, because we know it.",
        ),
    ),
)


@dataclass(frozen=True)
class Edit:
    """What the person means: a new text from what their editor shows; words that must stand once, words gone."""

    name: str
    change: Callable[[str], str]
    once: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


def edits(scene: Scene, token: str) -> dict[str, Edit]:
    """The changes a person may make in a scene; ``token`` makes their new lines their own."""
    kept, mine = scene.kept
    line, later = f"A line of the person {token}", scene.own.replace("version one", "version two")
    found = {
        "at the end": Edit("at the end", lambda text: text.rstrip("\n") + f"\n- {line}\n", (line,)),
        "below an entry": Edit("below an entry", lambda text: _below(text, kept, f"- {line}"), (line,)),
        "prose": Edit(
            "prose", lambda text: re.sub(r"(?m)^(# .*\n)", rf"\1\n{line}.\n", text, count=1), (line,)
        ),
        "own line": Edit("own line", lambda text: text.replace(scene.own, later), (later,), (scene.own,)),
        "reword": Edit("reword", lambda text: text.replace(kept, mine), (mine,), (kept,)),
        "drop": Edit("drop", lambda text: _without(text, kept), (), (kept,)),
    }
    if scene.updated is not None:
        before, after, words = scene.updated
        pattern = re.compile(rf"(?m)^(- (?!~~).*)(?:{re.escape(before)}|{re.escape(after)})")
        found["reword what is updated"] = Edit(
            "reword what is updated", lambda text: pattern.sub(rf"\g<1>{words}", text), (words,)
        )
    return found


def _below(text: str, words: str, line: str) -> str:
    return "".join(f"{each}{line}\n" if words in each else each for each in text.splitlines(keepends=True))


def _without(text: str, words: str) -> str:
    return "".join(each for each in text.splitlines(keepends=True) if words not in each)


@dataclass
class Editor:
    """A program that has a document open and saves it later. ``held``: it writes to the file it opened, not by name."""

    path: Path
    style: str
    edit: Edit
    held: bool = False
    moved_to: Path | None = None
    _text: str = ""
    _file: int | None = None
    _left: bytes = b""
    _beside: Path = field(default_factory=Path)

    def open(self) -> None:
        """Read what is there; an editor by whose hand it is saved in place keeps the file open."""
        self._text = self.path.read_text(encoding="utf-8") if self.path.exists() else ""
        if self.style in ("in place", "append") or (self.held and self.style == "truncate"):
            self._file = os.open(self.path, os.O_RDWR | (os.O_APPEND if self.style == "append" else 0))

    def save(self) -> None:
        """Begin to save: all of it, or as far as the next system call."""
        new = self.edit.change(self._text).encode()
        if self.style == "in place":
            self._write_region(new)
        elif self.style == "append":
            assert self._file is not None
            os.write(self._file, new[len(self._text.rstrip("\n").encode()) + 1 :])
        elif self.style == "truncate":
            self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT) if self._file is None else self._file
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, new[: len(new) // 2], 0)
            self._left = new
        elif self.style == "delete":
            self.path.unlink(missing_ok=True)
        elif self.style == "move":
            assert self.moved_to is not None
            if self.path.exists():
                os.rename(self.path, self.moved_to)
        else:
            self._begin_replacing(new)

    def finish(self) -> None:
        """End the save."""
        if self.style == "truncate" and self._file is not None:
            os.pwrite(self._file, self._left[len(self._left) // 2 :], len(self._left) // 2)
        elif self.style == "rename":
            os.replace(self._beside, self.path)
        elif self.style == "backup":
            self.path.write_bytes(self._left)
            self._beside.unlink(missing_ok=True)
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _write_region(self, new: bytes) -> None:
        assert self._file is not None
        old = self._text.encode()
        assert len(new) == len(old), "an edit in place keeps the length"
        differs = [at for at in range(len(old)) if old[at] != new[at]]
        if differs:
            os.pwrite(self._file, new[differs[0] : differs[-1] + 1], differs[0])

    def _begin_replacing(self, new: bytes) -> None:
        self._left = new
        if self.style == "rename":
            self._beside = self.path.with_name(f"{self.path.name}.tmp{os.getpid()}")
            self._beside.write_bytes(new)
        else:
            self._beside = self.path.with_name(f"{self.path.name}~")
            if self.path.exists():
                os.rename(self.path, self._beside)
