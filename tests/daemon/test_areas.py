"""Looks at the disk: what changed is found whatever the hints were, once, and nothing is taken for gone too soon."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.daemon.areas import ABSENCE_SECONDS, SETTLE_SECONDS, Area, Difference, read_stat
from memfs.daemon.hints import Hints
from memfs.model import Stat

LATER = 10**19  # as wall time: everything was written long ago, so nothing is fresh
NAMES = ("a.md", "b.md", "B.md", "sub/c.md", "sub/d.md")


def area_of(folder: Path) -> Area:
    def scan() -> Mapping[str, Stat]:
        found = {str(path): read_stat(str(path)) for path in folder.rglob("*.md")}
        return {path: stat for path, stat in found.items() if stat is not None}

    return Area(str(folder), scan, lambda rel: rel.endswith(".md"))


def names(paths: tuple[str, ...]) -> list[str]:
    return sorted(Path(path).name for path in paths)


def wall_of(path: Path, seconds_later: float) -> int:
    return path.stat().st_ctime_ns + int(seconds_later * 1e9)


def test_first_look_reports_everything_then_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x")
    area = area_of(tmp_path)
    later = wall_of(tmp_path / "a.md", 10)
    assert names(area.look(0, later).changed) == ["a.md"]
    assert area.look(1, later) == Difference()


def test_written_a_moment_ago_is_reported_once_more_when_settled(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("x")
    area = area_of(tmp_path)
    assert names(area.look(100, wall_of(path, 0.5)).changed) == ["a.md"]
    assert area.next_look() == 100 + SETTLE_SECONDS
    assert area.follow(Hints(), 101, wall_of(path, 1.5)) == Difference()
    assert names(area.follow(Hints(), 102, wall_of(path, 2.5)).settled) == ["a.md"]
    assert area.next_look() is None
    assert area.follow(Hints(), 103, wall_of(path, 3.5)) == Difference()


def test_absent_is_gone_only_when_it_stays_absent(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("x")
    area = area_of(tmp_path)
    area.look(0, wall_of(path, 10))
    path.unlink()
    hints = Hints(frozenset({str(path)}))
    assert area.follow(hints, 100, LATER) == Difference()
    assert area.follow(Hints(), 100 + ABSENCE_SECONDS / 2, LATER) == Difference()
    assert names(area.follow(Hints(), 100 + ABSENCE_SECONDS, LATER).gone) == ["a.md"]
    assert area.known == {}


def test_back_within_the_moment_is_a_change(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("x")
    area = area_of(tmp_path)
    area.look(0, wall_of(path, 10))
    path.unlink()
    assert area.look(100, LATER) == Difference()
    path.write_text("y")
    assert names(area.follow(Hints(frozenset({str(path)})), 100.1, wall_of(path, 9)).changed) == ["a.md"]
    assert area.look(200, wall_of(path, 100)) == Difference()


def test_a_rename_is_the_same_file(tmp_path: Path) -> None:
    (tmp_path / "Note.md").write_text("x")
    area = area_of(tmp_path)
    area.look(0, wall_of(tmp_path / "Note.md", 10))
    os.rename(tmp_path / "Note.md", tmp_path / "note.md")
    found = area.look(1, wall_of(tmp_path / "note.md", 10))
    assert found.renamed == ((str(tmp_path / "Note.md"), str(tmp_path / "note.md")),)
    assert found.gone == ()
    assert list(area.known) == [str(tmp_path / "note.md")]


def test_a_failing_scan_forgets_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x")
    broken = [False]

    def scan() -> Mapping[str, Stat]:
        if broken[0]:
            raise OSError("unplugged")
        return {str(tmp_path / "a.md"): Stat(1, 1, 1, 1)}

    area = Area(str(tmp_path), scan)
    area.look(0, LATER)
    broken[0] = True
    with pytest.raises(OSError, match="unplugged"):
        area.look(1, LATER)
    broken[0] = False
    assert area.look(2, LATER) == Difference()


def test_hints_that_concern_nothing_cost_no_look(tmp_path: Path) -> None:
    looks: list[int] = []

    def scan() -> Mapping[str, Stat]:
        looks.append(1)
        return {}

    area = Area(str(tmp_path), scan, lambda rel: rel.endswith(".md"))
    top = str(tmp_path)
    area.follow(Hints(frozenset({f"{top}/.git/x.md", f"{top}/a.tmp", "/elsewhere/b.md"})), 0, LATER)
    area.follow(Hints(folders=frozenset({f"{top}/.obsidian", "/elsewhere"})), 0, LATER)
    assert not looks
    area.follow(Hints(frozenset({f"{top}/new.md"})), 0, LATER)
    area.follow(Hints(folders=frozenset({f"{top}/sub"})), 0, LATER)
    area.follow(Hints(folders=frozenset({str(tmp_path.parent)})), 0, LATER)
    area.follow(Hints(everything=True), 0, LATER)
    assert len(looks) == 4


ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["write", "delete", "rename", "look", "hint"]),
        st.sampled_from(NAMES),
        st.sampled_from(NAMES),
    ),
    max_size=25,
)


@settings(max_examples=60)
@given(ACTIONS)
def test_after_any_history_what_is_known_is_what_is_there(actions: list[tuple[str, str, str]]) -> None:
    """Whatever was hinted at or not: a look knows the disk, and all that differs was reported."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        area, now, told = area_of(folder), 0.0, dict[str, Stat]()
        for action, one, other in [*actions, ("look", NAMES[0], NAMES[0])]:
            path, target = folder / one, folder / other
            now += 1
            if action == "write":
                path.parent.mkdir(exist_ok=True)
                path.write_text(f"{now}")
            elif action == "delete":
                path.unlink(missing_ok=True)
            elif action == "rename" and path.exists() and target.parent.exists():
                os.rename(path, target)
            elif action in ("look", "hint"):
                hints = Hints(frozenset({str(path), str(target)}))
                for moment in (now, now + ABSENCE_SECONDS):
                    found = (
                        area.look(moment, LATER) if action == "look" else area.follow(hints, moment, LATER)
                    )
                    for gone in (*found.gone, *(old for old, _ in found.renamed)):
                        del told[gone]
                    for changed in (*found.changed, *(new for _, new in found.renamed)):
                        told[changed] = area.known[changed]
        there = {str(path): read_stat(str(path)) for path in folder.rglob("*.md")}
        assert area.known == there == told
