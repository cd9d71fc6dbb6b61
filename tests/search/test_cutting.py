"""Documents cut up for the index."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from memfs.search.cutting import Cutting

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


def test_progress_is_told_document_by_document() -> None:
    told: list[tuple[int, int]] = []
    list(Cutting().pieces(FILES, lambda done, count: told.append((done, count))))
    assert told == [(done, len(FILES)) for done in range(len(FILES))]


def test_the_day_an_entry_was_said_is_its_date_but_for_actions() -> None:
    dates = {
        fields["path"]: fields.get("day")
        for _, fields in Cutting(dates=days).pieces(FILES)
        if fields.get("block") and fields["block"].endswith(("0", "2"))
    }
    assert dates["memories/a/notes.md"] == 20260311
    assert dates["memories/a/actions.md"] is None
