"""Links between documents: out of one, back to it, those that lead nowhere, and notes that nothing links to."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from memfs.errors import DocumentNotFound, EntryNotFound
from memfs.markdown.linking import LinkMap, State
from memfs.markdown.outline import Outline, PlacedLink
from memfs.memory.views import locate
from memfs.services.finding.outlines import read_outlines
from memfs.services.recall import visible
from memfs.services.showing import find_document

if TYPE_CHECKING:
    from memfs.services.opening import Vault


@dataclass(frozen=True, slots=True)
class FollowedLink:
    """A link from a line of ``path`` and where it leads: ``to`` a path with its place (``notes.md#^m-abc``).

    ``target`` is as written. ``state``: ok, external (not looked at), no_document, no_heading, no_block.
    """

    path: str
    line: int
    target: str
    state: State
    to: str | None
    embed: bool = False


@dataclass(frozen=True, slots=True)
class Links:
    """The links out of a document or an entry, and back to it.

    For a whole vault (``document`` None): ``out`` are the links that lead nowhere, ``orphans`` the notes that nothing
    links to and that link nowhere.
    """

    document: str | None = None
    entry: str | None = None
    out: tuple[FollowedLink, ...] = ()
    back: tuple[FollowedLink, ...] = ()
    orphans: tuple[str, ...] = ()


def links(vault: Vault, reference: str | None = None, *, identity: str | None = None) -> Links:
    """The links of an entry or a document, in both directions; without ``reference`` what is broken, and orphans.

    ``identity`` limits it to documents that this identity may see.

    Raises:
        EntryNotFound, DocumentNotFound: there is none that may be seen.
    """
    graph = LinkGraph(vault, visible(vault, identity) if identity else None)
    if reference is None:
        return Links(out=tuple(graph.broken()), orphans=tuple(graph.orphans()))
    path, entry = graph.find(reference)
    if path not in graph.seen:
        if entry:
            raise EntryNotFound(f"no entry has the id {entry}", hint="the list of entries shows the ids")
        raise DocumentNotFound("no such document", path=reference)
    lines = _lines_of(vault, path, entry) if entry else None
    out = (one for one in graph.followed if one.path == path and (lines is None or one.line in lines))
    wanted = f"{path}#^{entry}" if entry else path
    back = (
        one
        for one in graph.followed
        if one.to and (one.to == wanted if entry else _document_of(one.to, path)) and one.path != path
    )
    return Links(path, entry, tuple(out), tuple(back))


@dataclass
class LinkGraph:
    """All links that may be seen. ``identities``: whose documents; None: all."""

    vault: Vault
    identities: tuple[str, ...] | None = None
    seen: Mapping[str, Outline] = field(init=False)

    def __post_init__(self) -> None:
        outlines = read_outlines(self.vault)
        self.seen = {path: each for path, each in outlines.items() if self._may_see(path)}
        self._map = LinkMap(self.seen, self._other_files)

    @cached_property
    def followed(self) -> tuple[FollowedLink, ...]:
        """Every link of what may be seen, by path and line; what may not be is as if it was not there."""
        return tuple(self._follow(path, link) for path in sorted(self.seen) for link in self.seen[path].links)

    def find(self, reference: str) -> tuple[str, str | None]:
        """The document that a person names, or the entry in it; by an alias too, as wikilinks do.

        Raises:
            EntryNotFound, DocumentNotFound: there is none.
        """
        try:
            return find_document(self.vault, reference)
        except DocumentNotFound:
            goal = self._map.resolve("", PlacedLink(1, reference))
            if goal.state != "ok" or goal.path is None or goal.path not in self.seen or goal.anchor:
                raise
            return goal.path, None

    def broken(self) -> Iterator[FollowedLink]:
        """Links that lead nowhere. The pages that identity.md names in advance are none."""
        for one in self.followed:
            if one.state not in ("ok", "external") and not self._is_page_to_come(one):
                yield one

    def orphans(self) -> Iterator[str]:
        """Notes of the person's own that nothing links to and that link nowhere; none where no note links."""
        root = self.vault.layout.root
        notes = [path for path in sorted(self.seen) if locate(path, root=root) is None]
        linked = {one.to.partition("#")[0] for one in self.followed if one.to and one.to != one.path}
        linking = {one.path for one in self.followed if one.state != "external"}
        if linking & set(notes):
            yield from (path for path in notes if path not in linked and path not in linking)

    def _may_see(self, path: str) -> bool:
        place = locate(path, root=self.vault.layout.root)
        return self.identities is None or (place.identity if place else "") in self.identities

    def _follow(self, path: str, link: PlacedLink) -> FollowedLink:
        goal = self._map.resolve(path, link)
        to = f"{goal.path}#{goal.anchor}" if goal.path and goal.anchor else goal.path
        return FollowedLink(path, link.line, link.target, goal.state, to, link.embed)

    def _other_files(self) -> Iterator[str]:
        """Every other file and folder that is not hidden: what can be embedded or linked besides notes."""
        top = str(self.vault.top)
        for folder, folders, files in os.walk(top):
            folders[:] = [name for name in folders if not name.startswith(".")]
            prefix = os.path.relpath(folder, top).replace(os.sep, "/")
            for name in (*files, *folders):
                path = name if prefix == "." else f"{prefix}/{name}"
                if not name.startswith(".") and self._may_see(path):
                    yield path

    def _is_page_to_come(self, link: FollowedLink) -> bool:
        place = locate(link.path, root=self.vault.layout.root)
        if place is None or place.below != "identity.md" or link.state != "no_document":
            return False
        return link.target.startswith(self.vault.layout.rel(self.vault.layout.identity_dir(place.identity)))


def _document_of(to: str, path: str) -> bool:
    return to == path or to.startswith(f"{path}#")


def _lines_of(vault: Vault, path: str, entry: str) -> range:
    """The lines (from 1) of an entry, with what is nested in it."""
    from memfs.markdown.document import parse_document

    text = (vault.top / path).read_bytes().decode("utf-8", "replace")
    block = parse_document(text).find(entry)[0]
    return range(block.line, max(block.end, block.tail) + 1)
