"""Which folders are watched, which files in them count: the vault's areas, as its settings have them now."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.daemon.areas import Area, read_stat
from memfs.model import Stat
from memfs.services.ingesting import backfill
from memfs.services.ingesting.sources import TranscriptFile, TranscriptSource, find_transcripts, list_sources
from memfs.transcripts.sniff import ignored_name
from memfs.vault.globs import compile_globs
from memfs.vault.scan import Scan, scan_documents

if TYPE_CHECKING:
    from memfs.services.opening import Vault


def real_sources(vault: Vault) -> tuple[TranscriptSource, ...]:
    """The sources, each root under its one real path, whatever links lead to it."""
    return tuple(replace(source, root=Path(os.path.realpath(source.root))) for source in list_sources(vault))


def own_folders(vault: Vault) -> tuple[str, ...]:
    """Folders that memfs itself or git writes in: never watched."""
    layout = vault.layout
    moved = vault.config.file_archive_path
    archive = layout.top / os.path.expanduser(moved) if moved else layout.archive
    identities = [layout.identity_dir(name) for name in vault.identities()]
    records = [folder / part for folder in identities for part in (".ledger", ".cursors")]
    folders = (layout.git_dir, layout.top / ".git", layout.derived, layout.archive, archive, *records)
    return tuple(dict.fromkeys(os.path.normpath(folder) for folder in folders))


def watched_roots(vault: Vault, sources: tuple[TranscriptSource, ...]) -> tuple[str, ...]:
    """The vault and the folders of the sources; for a source that is one file, the folder it lies in."""
    folders = [str(source.root.parent if source.root.is_file() else source.root) for source in sources]
    return (str(vault.top), *folders)


class DocumentArea(Area):
    """The documents of the vault; ``last`` is what its last whole look found, conflict copies included."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self.last = Scan({})
        included = compile_globs(vault.config.search.include)
        apart = tuple(vault.layout.rel(folder) + "/" for folder in (vault.layout.inbox, vault.layout.archive))
        super().__init__(
            str(vault.top), self._find, lambda path: included(path) and not path.startswith(apart)
        )

    def _find(self) -> Mapping[str, Stat]:
        self.last = scan_documents(self._vault.layout, self._vault.config.search.include)
        return {os.path.join(self.root, path): stat for path, stat in self.last.documents.items()}

    def name(self, path: str) -> str:
        """The path relative to the vault."""
        return os.path.relpath(path, self.root)


class SourceArea(Area):
    """The transcripts of one source that may be read; ``question`` is what a person must choose first."""

    def __init__(self, vault: Vault, source: TranscriptSource) -> None:
        self.vault = vault
        self.source = source
        self.question: str | None = None
        matches = source.matches()
        super().__init__(
            str(source.root),
            self._find,
            lambda path: matches(path) and not ignored_name(os.path.basename(path)),
        )

    def _find(self) -> Mapping[str, Stat]:
        files = list(find_transcripts(self.vault, self.source))
        allowed, self.question = backfill.allow(self.vault, self.source, files, None)
        return {str(file.path): file.stat for file in allowed}

    def file(self, path: str) -> TranscriptFile:
        """A known file as ingest takes it."""
        place = Path(path)
        rel = place.name if place == self.source.root else place.relative_to(self.source.root).as_posix()
        return TranscriptFile(self.source, place, rel, self.known[path])


def settings_area(vault: Vault) -> Area:
    """The files whose change means that the vault is opened anew: settings, its own types and prompts."""
    layout = vault.layout
    names = {layout.rel(path) for path in (layout.config, layout.local_config)}
    templates = layout.rel(layout.templates) + "/"

    def find() -> Mapping[str, Stat]:
        own = (path for path in layout.templates.rglob("[!.]*") if path.is_file())
        stats = {str(path): read_stat(str(path)) for path in (layout.config, layout.local_config, *own)}
        return {path: stat for path, stat in stats.items() if stat is not None}

    return Area(str(layout.top), find, lambda path: path in names or path.startswith(templates))
