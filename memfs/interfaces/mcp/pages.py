"""Memories as pages with an id, a title and an address, for clients that search and fetch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from memfs.errors import EntryNotFound

if TYPE_CHECKING:
    from memfs.interfaces.reach import Reach
    from memfs.model import EntryView

_TITLE = 90


def page_link(view: EntryView) -> dict[str, Any]:
    """What ``search`` tells of a memory. One without an id of its own is read as its document."""
    return {"id": view.id or view.path, "title": _title(view.text), "url": _address(view.path, view.id)}


def read_page(reach: Reach, id: str) -> dict[str, Any]:
    """The whole of what ``id`` names: an entry with what is known of it, or a document."""
    try:
        view = reach.entry(id)
    except EntryNotFound:
        text = reach.show(id)
        path = id.strip("/")
        return {
            "id": id,
            "title": path,
            "text": text,
            "url": _address(path, None),
            "metadata": {"path": path},
        }
    known = {
        "path": f"{view.path}:{view.line}",
        "identity": view.identity,
        "type": view.type,
        "date": view.date,
        "source": view.source,
        "origin": view.origin,
        "status": view.status,
    }
    metadata = {key: value for key, value in known.items() if value}
    return {**page_link(view), "text": view.text, "metadata": metadata}


def _title(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TITLE else f"{line[: _TITLE - 1].rstrip()}…"


def _address(path: str, entry: str | None) -> str:
    return f"memfs://vault/{quote(path)}" + (f"#^{entry}" if entry else "")
