"""The index on disk: a Tantivy folder and a manifest behind a version stamp.

A stamp that does not fit, or anything unreadable, counts as an empty index.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memfs.search.chunking import CHUNKER_VERSION
from memfs.search.lexicon import SCHEMA_VERSION, create_index, open_index, to_document
from memfs.search.manifest import Manifest

_HEAP_BYTES = 30_000_000


class Storage:
    """What lies in ``folder``/v<version>. Readers may open it while one writer changes it."""

    def __init__(self, folder: Path, root: str) -> None:
        self._folder = folder
        self.home = folder / f"v{SCHEMA_VERSION}"
        self.manifest = Manifest(self.home / "manifest.sqlite")
        self._lexicon = self.home / "tantivy"
        self._stamp = {"schema": SCHEMA_VERSION, "chunker": CHUNKER_VERSION, "root": root}
        self._opened: tuple[int, Any] | None = None

    def fits(self) -> bool:
        """Say whether there is an index, made by this version for this root."""
        return bool(self.note("stamp") == self._stamp) and self.manifest.exists()

    def prepare(self) -> None:
        """Make an empty index where there is none that fits; drop those of other versions. Writer only."""
        if self.fits():
            return
        self.clear()
        for other in self._folder.glob("v[0-9]*"):
            shutil.rmtree(other, ignore_errors=True)
        self._lexicon.mkdir(parents=True)
        self.manifest.change((), ())
        create_index(self._lexicon)
        self.write_note("stamp", self._stamp)

    def close(self) -> None:
        """Let go of what is open; the next use opens it again."""
        self._opened = None

    def clear(self) -> None:
        """Delete the index."""
        self.close()
        shutil.rmtree(self.home, ignore_errors=True)

    def commit(self, paths: Iterable[str], chunks: Iterable[dict[str, Any]], *, everything: bool) -> None:
        """Replace the chunks of ``paths`` (or of everything) by ``chunks`` (fields), seen by readers at once."""
        with panics_as_damage():
            writer = self._index().writer(_HEAP_BYTES, 1)
            if everything:
                writer.delete_all_documents()
            for path in () if everything else paths:
                writer.delete_documents_by_term("path", path)
            for chunk in chunks:
                writer.add_document(to_document(chunk))
            writer.commit()
            writer.wait_merging_threads()

    def searcher(self) -> Any:
        """Return a searcher of the last commit. Raises ValueError or OSError when it cannot be read."""
        with panics_as_damage():
            index = self._index()
            index.reload()
            return index.searcher()

    def note(self, name: str) -> Any:
        """Return a small record that lies beside the index; None where there is none."""
        try:
            return json.loads((self.home / f"{name}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def write_note(self, name: str, value: Any) -> None:
        """Write a small record beside the index, whole or not at all."""
        self.home.mkdir(parents=True, exist_ok=True)
        temporary = self.home / f"{name}.json.new"
        temporary.write_text(json.dumps(value), encoding="utf-8")
        temporary.replace(self.home / f"{name}.json")

    def _index(self) -> Any:
        inode = self._lexicon.stat().st_ino  # another process may have cleared it and begun anew
        if self._opened is None or self._opened[0] != inode:
            self._opened = (inode, open_index(self._lexicon))
        return self._opened[1]


@contextmanager
def panics_as_damage() -> Iterator[None]:
    """Turn a panic inside Tantivy (it reads damaged files) into a ValueError."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ == "PanicException":
            raise ValueError(f"the index is damaged: {error}") from None
        raise
