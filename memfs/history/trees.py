"""A new tree from a commit and some changed paths.

Only the trees on the way to the changed paths are read and written, so the cost does not grow with the vault.
Their ids are computed here and checked against what `git mktree` answers: one child reads, one writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from memfs.errors import HistoryError
from memfs.history.objects import check_objects, hash_bytes, read_objects
from memfs.history.runner import Git

Blob = tuple[str, str]
"""Mode and object id."""

_TREE = "40000"
_FILE_MODES = ("100644", "100755", "120000")


@dataclass(slots=True)
class _Folder:
    entries: dict[bytes, Blob] = field(default_factory=dict)
    children: set[str] = field(default_factory=set)


def write_trees(
    git: Git, base: str | None, changes: Mapping[str, Blob | None], object_format: str
) -> list[str]:
    """Write the tree that is ``base`` (a commit; None: empty) with ``changes`` (None removes a path).

    Returns the ids of all trees written; the last one is the whole. Raises HistoryError when a changed path
    runs through a file or another repository, or a blob is missing.
    """
    for path, blob in changes.items():
        _check(path, blob)
    check_objects(git, sorted({blob[1] for blob in changes.values() if blob is not None}))
    folders = _read_folders(git, base, _folders_of(changes), object_format)
    for path, blob in changes.items():
        _apply(folders, path, blob)
    return _write_folders(git, folders, object_format)


def _check(path: str, blob: Blob | None) -> None:
    parts = path.split("/")
    if (
        any(part in ("", ".", "..") or part.lower() == ".git" for part in parts)
        or "\n" in path
        or "\0" in path
    ):
        raise HistoryError("not a path that can be committed", path=path)
    if blob is not None and blob[0] not in _FILE_MODES:
        raise HistoryError(f"not a file mode: {blob[0]}", path=path)


def _folders_of(paths: Iterable[str]) -> list[str]:
    """Every folder on the way to the paths, "" (the top) included, parents first."""
    found = {""}
    for path in paths:
        while "/" in path:
            path = path.rpartition("/")[0]
            found.add(path)
    return sorted(found, key=lambda folder: (folder.count("/") + bool(folder), folder))


def _read_folders(git: Git, base: str | None, names: list[str], object_format: str) -> dict[str, _Folder]:
    folders = {name: _Folder() for name in names}
    if base is not None:
        read = read_objects(git, [f"{base}:{name}" for name in names])
        if read[f"{base}:"] is None:
            raise HistoryError(f"commit {base} cannot be read")
        for name in names:
            found = read[f"{base}:{name}"]
            if found is not None and found[0] != "tree":
                raise HistoryError("a file is where a folder should be", path=name)
            if found is not None:
                folders[name].entries = _parse(found[1], 32 if object_format == "sha256" else 20)
    for name in names[1:]:
        parent, _, leaf = name.rpartition("/")
        folders[parent].children.add(name)
        entry = folders[parent].entries.get(leaf.encode("utf-8", "surrogateescape"))
        if entry is not None and entry[0] != _TREE:  # a submodule: its content is another repository's
            raise HistoryError("a nested repository is where a folder should be", path=name)
    return folders


def _parse(tree: bytes, oid_size: int) -> dict[bytes, Blob]:
    entries: dict[bytes, Blob] = {}
    position = 0
    while position < len(tree):
        space = tree.index(b" ", position)
        end = tree.index(b"\0", space)
        oid = tree[end + 1 : end + 1 + oid_size]
        entries[tree[space + 1 : end]] = tree[position:space].decode("ascii"), oid.hex()
        position = end + 1 + oid_size
    return entries


def _apply(folders: Mapping[str, _Folder], path: str, blob: Blob | None) -> None:
    parent, _, leaf = path.rpartition("/")
    entries = folders[parent].entries
    name = leaf.encode("utf-8", "surrogateescape")
    if path in folders or entries.get(name, ("", ""))[0] in (_TREE, "160000"):
        raise HistoryError("a folder is where a file should be", path=path)
    if blob is None:
        entries.pop(name, None)
    else:
        entries[name] = blob


def _write_folders(git: Git, folders: Mapping[str, _Folder], object_format: str) -> list[str]:
    """Write the folders, children first; a folder without entries is left out of its parent."""
    batch = bytearray()
    oids: list[str] = []
    for name in sorted(folders, key=lambda folder: folder.count("/") + bool(folder), reverse=True):
        entries = folders[name].entries
        if entries or name == "":
            oids.append(hash_bytes("tree", _serialise(entries), object_format))
            batch += _records(entries) + b"\0"
        if name:
            parent, _, leaf = name.rpartition("/")
            key = leaf.encode("utf-8", "surrogateescape")
            if entries:
                folders[parent].entries[key] = _TREE, oids[-1]
            else:
                folders[parent].entries.pop(key, None)
    written = git.run("mktree", "-z", "--missing", "--batch", stdin=bytes(batch)).out.decode("ascii").split()
    if written != oids:
        raise HistoryError("git wrote another tree than was asked for")
    return oids


def _serialise(entries: Mapping[bytes, Blob]) -> bytes:
    ordered = sorted(entries.items(), key=lambda item: item[0] + b"/" if item[1][0] == _TREE else item[0])
    return b"".join(
        b"%s %s\0%s" % (mode.encode("ascii"), name, bytes.fromhex(oid)) for name, (mode, oid) in ordered
    )


def _records(entries: Mapping[bytes, Blob]) -> bytes:
    kinds = {_TREE: b"tree", "160000": b"commit"}
    return b"".join(
        b"%s %s %s\t%s\0" % (mode.encode("ascii"), kinds.get(mode, b"blob"), oid.encode("ascii"), name)
        for name, (mode, oid) in entries.items()
    )
