"""Where links lead: by path, by name, by alias, to a heading or a block, as people's editors resolve them. Pure.

A wikilink names a note by its path from the vault's top, by the end of its path, by its name, or by an alias; a
Markdown link by its path from the note's folder. ``.md`` may be left out, letter case and Unicode form do not count,
and ``%20`` is a blank.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal
from urllib.parse import unquote

from memfs.markdown.outline import Outline, PlacedLink, heading_key, heading_slug

State = Literal["ok", "external", "no_document", "no_heading", "no_block"]
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")  # in double brackets: a note's name may hold a colon


@dataclass(frozen=True, slots=True)
class Goal:
    """Where a link leads: a document or another file of the vault (``path``), a place in it (``anchor``)."""

    state: State
    path: str | None = None
    anchor: str = ""


class LinkMap:
    """The documents of a vault by what links call them. ``others``: its other files, asked for when needed."""

    def __init__(self, documents: Mapping[str, Outline], others: Callable[[], Iterable[str]] = tuple) -> None:
        self._documents = documents
        self._others = others
        self._notes = _Names(documents)

    def resolve(self, source: str, link: PlacedLink) -> Goal:
        """Follow a link that stands in the document ``source``."""
        target = link.target.strip()
        if (_ADDRESS if link.wiki else _ELSEWHERE).match(target):
            return Goal("external")
        if "#" in target and (path := self._find(source, target, link.wiki)) is not None:
            return Goal("ok", path)  # a note called C#
        name, _, anchor = target.partition("#")
        if not name.strip():
            return self._at(source, anchor)
        if not link.wiki:
            name = name.partition("?")[0]
        for spelled in dict.fromkeys((name, unquote(name))):
            path = self._find(source, spelled, link.wiki)
            if path is not None:
                return self._at(path, anchor)
        return Goal("external") if _leads_out(source, unquote(name)) else Goal("no_document")

    def _find(self, source: str, name: str, wiki: bool) -> str | None:
        folder = posixpath.dirname(source)
        from_here, from_top = posixpath.normpath(posixpath.join(folder, name)), name.strip("/")
        orders = [from_top, from_here] if wiki and not name.startswith(".") else [from_here, from_top]
        if name.startswith("/"):
            orders = [from_top]
        for names in (self._notes, self._files):
            for order in orders:
                if (path := names.exact(order)) is not None:
                    return path
            if (path := names.by_end(name.strip("/"), folder)) is not None:
                return path
        return self._aliases.get(_key(name))

    def _at(self, path: str, anchor: str) -> Goal:
        """The place in a document that an anchor means; in other files every anchor will do."""
        found = self._documents.get(path)
        if found is None or not anchor.strip():
            return Goal("ok", path)
        anchor = unquote(anchor).strip()
        if "^" in anchor:
            block = anchor.rpartition("^")[2]
            return Goal("ok" if block in found.blocks else "no_block", path, f"^{block}")
        wanted = [heading_key(part) for part in anchor.split("#") if part.strip()]
        return Goal("ok" if _has_headings(found.headings, wanted) else "no_heading", path, anchor)

    @cached_property
    def _files(self) -> _Names:
        return _Names(self._others())

    @cached_property
    def _aliases(self) -> Mapping[str, str]:
        """Other names of documents; of two documents with the same one the first by path has it."""
        found: dict[str, str] = {}
        for path in sorted(self._documents):
            for alias in self._documents[path].aliases:
                found.setdefault(_key(alias), path)
        return found


class _Names:
    """Paths by the ways they can be written."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._exact: dict[str, str] = {}
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for path in sorted(paths, key=lambda path: (path.count("/"), path)):
            for written in _written(_key(path)):
                self._exact.setdefault(written, path)
                self._by_name[posixpath.basename(written)].append(path)

    def exact(self, name: str) -> str | None:
        """The file of this path, with or without ``.md``."""
        return self._exact.get(_key(name))

    def by_end(self, name: str, folder: str) -> str | None:
        """The file whose path ends so: in the same folder, else the one nearest to the top."""
        key = _key(name)
        found = [
            path
            for path in self._by_name.get(posixpath.basename(key), ())
            if any(f"/{written}".endswith(f"/{key}") for written in _written(_key(path)))
        ]
        beside = [path for path in found if posixpath.dirname(path) == folder]
        return next(iter(beside or found), None)


def _written(key: str) -> Iterator[str]:
    yield key
    if key.endswith(".md"):
        yield key.removesuffix(".md")


def _key(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold().strip()


def _leads_out(source: str, name: str) -> bool:
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), name)).startswith("../")


def _has_headings(headings: tuple[str, ...], wanted: list[str]) -> bool:
    """Whether these headings follow one another in a document, as a chain or written as a slug."""
    if len(wanted) == 1 and any(heading_slug(heading) == wanted[0] for heading in headings):
        return True
    rest = iter(headings)
    return all(any(heading == one for heading in rest) for one in wanted)
