"""Documents cut up for the index, here and by processes of their own."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Collection, Mapping
from pathlib import Path

import pytest

from memfs.search import cutting as cutting_module
from memfs.search.cutting import Cutting
from memfs.search.index import SearchIndex

FILES = {
    f"memories/a/{name}.md": f"# {name}\n\n- the queue of {name} is redis ^m-{number:013d}\n- 用 React 写的 {name}\n\n"
    f"Prose on **{name}** with `code` and [[links|others]].\n"
    for number, name in enumerate(
        ["notes", "decisions", "actions", *(f"projects/p{number}" for number in range(40))]
    )
}


def days(_path: str, ids: Collection[str]) -> Mapping[str, str]:
    """Every entry with an even number was said on one day."""
    return {each: "2026-03-11" for each in ids if int(each[-1]) % 2 == 0}


def test_processes_make_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    cutting = Cutting(dates=days)
    here = list(cutting.pieces(FILES))
    assert len(here) == 3 * len(FILES)
    monkeypatch.setattr(cutting_module, "_MUCH", 1)
    assert list(cutting.pieces(FILES)) == here


@pytest.mark.parametrize("program", [shutil.which("false"), "/no/such/program"])
def test_processes_that_fail_are_done_without(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    here = list(Cutting().pieces(FILES))
    monkeypatch.setattr(cutting_module, "_MUCH", 1)
    monkeypatch.setattr(sys, "executable", program)
    assert list(Cutting().pieces(FILES)) == here


def test_progress_is_told_document_by_document(monkeypatch: pytest.MonkeyPatch) -> None:
    for much in (10**9, 1):
        monkeypatch.setattr(cutting_module, "_MUCH", much)
        told: list[tuple[int, int]] = []
        list(Cutting().pieces(FILES, lambda done, count, told=told: told.append((done, count))))  # type: ignore[misc]
        assert told == [(done, len(FILES)) for done in range(len(FILES))]


def test_the_day_an_entry_was_said_is_its_date_but_for_actions() -> None:
    dates = {
        fields["path"]: fields.get("day")
        for fields, _ in Cutting(dates=days).pieces(FILES)
        if fields.get("block") and fields["block"].endswith(("0", "2"))
    }
    assert dates["memories/a/notes.md"] == 20260311
    assert dates["memories/a/actions.md"] is None


def test_who_stops_in_the_middle_leaves_no_process_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cutting_module, "_MUCH", 1)
    pieces = Cutting().pieces(FILES)
    next(pieces)
    pieces.close()  # type: ignore[attr-defined]
    index = SearchIndex(tmp_path, None)
    index.update(FILES)
    assert len(index.search("redis", limit=100).hits) == len(FILES)
