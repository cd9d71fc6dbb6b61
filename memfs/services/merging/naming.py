"""The names an identity knows: its projects, entities and peers, each with its document, to be linked in entries."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memfs.services.opening import Vault

_Signature = tuple[tuple[str, int], ...]


@dataclass
class NameBook:
    """The names of each identity, read again only when a folder of theirs has changed."""

    _known: dict[str, tuple[_Signature, Mapping[str, str], Mapping[str, str]]] = field(default_factory=dict)

    def mentioned(self, vault: Vault, identity: str, text: str) -> Mapping[str, str]:
        """The names that occur in ``text``, in any letter case: name -> document in the vault."""
        folder = vault.layout.identity_dir(identity)
        signature = tuple(_folders(folder))
        known = self._known.get(identity)
        if known is None or known[0] != signature:
            paths = dict(_names(folder, vault.layout.rel(folder)))
            known = signature, {name: name.casefold() for name in paths}, paths
            self._known[identity] = known
        said = text.casefold()
        return {name: known[2][name] for name, folded in known[1].items() if folded in said}


def _folders(folder: Path) -> Iterator[tuple[str, int]]:
    """The folders that hold names, with the time of their last change."""
    places = [folder / "projects", folder / "peers", folder / "entities"]
    entities = folder / "entities"
    if entities.is_dir():
        places += [Path(entry.path) for entry in os.scandir(entities) if entry.is_dir()]
    for place in sorted(places):
        try:
            yield str(place), place.stat().st_mtime_ns
        except FileNotFoundError:
            continue


def _names(folder: Path, rel: str) -> Iterator[tuple[str, str]]:
    """Each name as its file spells it, and with blanks for hyphens."""
    for pattern in ("projects/*.md", "entities/*/*.md", "peers/*/profile.md"):
        for path in folder.glob(pattern):
            stem = path.parent.name if path.name == "profile.md" else path.stem
            place = f"{rel}/{path.relative_to(folder).as_posix()}"
            yield stem, place
            if "-" in stem:
                yield stem.replace("-", " "), place
