"""Where a document went that a person moved or renamed: told by its text, else by the ids of its entries."""

from __future__ import annotations

import re

from memfs.vault.files import read_state
from memfs.vault.layout import Layout
from memfs.vault.scan import find_ids, scan_documents

_ID = re.compile(rb"\^(m-[a-z0-9-]+)[ \t]*\r?$", re.MULTILINE)


def find_moved(layout: Layout, path: str, text: bytes) -> str | None:
    """The document of the same identity that is now what ``path`` (in the vault) was when it had this text.

    It has the very text, or most of the ids in it. None: there is none, the document was removed.
    """
    folder = layout.rel(layout.memories)
    identity = path.removeprefix(f"{folder}/").partition("/")[0]
    documents = dict(scan_documents(layout, [f"{folder}/{identity}/**/*.md"]).documents)
    documents.pop(path, None)
    for name, stat in documents.items():
        if text and stat.size == len(text) and read_state(layout.top / name).data == text:
            return name
    ids = {found.decode() for found in _ID.findall(text)}
    places = [name for found in find_ids(layout, ids, documents).values() for name in found]
    best = max(sorted(set(places)), key=places.count, default=None)
    return best if best is not None and 2 * places.count(best) > len(ids) else None
