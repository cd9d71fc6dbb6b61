"""All files of a commit, and their contents, in a few children. Only regular files: no links, no submodules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memfs.history.objects import chunks, read_objects
from memfs.history.repository import Repository

_REGULAR = ("100644", "100755")


def list_blobs(repository: Repository, commit: str) -> Mapping[str, str]:
    """The regular files of a commit: path -> blob id. Raises HistoryError."""
    out = repository.git.run("ls-tree", "-r", "-z", "--full-tree", commit, seconds=120).out
    found: dict[str, str] = {}
    for record in filter(None, out.split(b"\0")):
        head, _, name = record.partition(b"\t")
        mode, _, oid = head.decode("ascii").split(" ")
        if mode in _REGULAR:
            found[name.decode("utf-8", "surrogateescape")] = oid
    return found


def read_blob_contents(repository: Repository, oids: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """The contents of blobs, as many at a time as fit a child; one that is missing is left out."""
    for portion in chunks(list(dict.fromkeys(oids))):
        for oid, found in read_objects(repository.git, portion).items():
            if found is not None:
                yield oid, found[1]
