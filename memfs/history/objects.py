"""Blobs: reading them, writing them the way `git add` would, and comparing files with them.

Line endings follow the repository's rules (`text`, `eol`, `core.autocrlf`). A path with a `filter` attribute
is refused here, because its filter is a program that would run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence

from memfs.errors import CommitNotFound, HistoryError
from memfs.history.runner import Git

ATTRIBUTES = ("filter", "text", "eol", "crlf", "ident", "working-tree-encoding", "merge")
EMPTY_BLOBS = (
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)
_NO_FILTER = (None, "unset")
_CHUNK = 500  # paths an argument list may hold with room to spare


def hash_bytes(kind: str, data: bytes, object_format: str) -> str:
    """The object id git gives to these bytes, without any conversion."""
    return hashlib.new(object_format, b"%s %d\0" % (kind.encode("ascii"), len(data)) + data).hexdigest()


def chunks(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    """The paths in portions that fit a command line."""
    for start in range(0, len(paths), _CHUNK):
        yield paths[start : start + _CHUNK]


def read_attributes(git: Git, paths: Sequence[str]) -> dict[str, dict[str, str]]:
    """The attributes that change how memfs may write a path; those that are not specified are left out."""
    if not paths:
        return {}
    asked = b"".join(path.encode("utf-8", "surrogateescape") + b"\0" for path in paths)
    fields = git.run("check-attr", "-z", "--stdin", *ATTRIBUTES, stdin=asked).out.split(b"\0")
    found: dict[str, dict[str, str]] = {path: {} for path in paths}
    for place in range(0, len(fields) - 2, 3):
        path, name, value = (part.decode("utf-8", "surrogateescape") for part in fields[place : place + 3])
        if value != "unspecified":
            found.setdefault(path, {})[name] = value
    return found


def has_filter(attributes: Mapping[str, str]) -> bool:
    """Whether git stores a path otherwise than as it is: by a filter (git-crypt, LFS), or in another encoding.

    memfs leaves such a path alone.
    """
    return any(attributes.get(name) not in _NO_FILTER for name in ("filter", "working-tree-encoding"))


def write_blobs(git: Git, files: Mapping[str, bytes]) -> dict[str, str]:
    """Write each file's content as `git add` would store it; path -> blob id. Refuses paths with a filter."""
    attributes = read_attributes(git, list(files))
    for path in files:
        if has_filter(attributes[path]):
            raise HistoryError("its git filter would run a program, so memfs does not commit it", path=path)
    return {path: _hash(git, path, data, attributes[path], write=True) for path, data in files.items()}


def write_raw(git: Git, data: bytes) -> str:
    """Write these bytes as a blob, unconverted."""
    return git.run("hash-object", "-w", "--no-filters", "--stdin", stdin=data).out.decode("ascii").strip()


def is_same(git: Git, path: str, data: bytes, oid: str, object_format: str) -> bool:
    """Whether a file with this content would be stored as that blob."""
    if hash_bytes("blob", data, object_format) == oid:
        return True
    attributes = read_attributes(git, [path])[path]
    return not has_filter(attributes) and _hash(git, path, data, attributes, write=False) == oid


def checkout_form(git: Git, path: str, oid: str) -> bytes:
    """The bytes a checkout would write for this blob at this path (line endings of the work tree)."""
    if has_filter(read_attributes(git, [path])[path]):
        raise HistoryError("its git filter would run a program, so memfs does not read it", path=path)
    return git.run("cat-file", "--filters", f"--path={path}", oid).out


def read_object(git: Git, oid: str) -> bytes:
    """The content of one blob."""
    return git.run("cat-file", "blob", oid).out


def read_objects(git: Git, names: Sequence[str]) -> dict[str, tuple[str, bytes] | None]:
    """Many objects by id (or ``<commit>:<folder>`` without line breaks) in one child: kind and content."""
    if not names:
        return {}
    asked = "".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape")
    out = git.run("cat-file", "--batch", stdin=asked).out
    found: dict[str, tuple[str, bytes] | None] = {}
    position = 0
    for name in names:
        end = out.index(b"\n", position)
        head = out[position:end].rsplit(b" ", 2)
        if len(head) < 3 or not head[2].isdigit():
            found[name], position = None, end + 1
            continue
        size = int(head[2])
        found[name] = head[1].decode("ascii"), out[end + 1 : end + 1 + size]
        position = end + 1 + size + 1
    return found


def check_objects(git: Git, oids: Sequence[str]) -> None:
    """Raise unless every one of these objects is there: a commit must never name a missing one."""
    if not oids:
        return
    asked = "".join(f"{oid}\n" for oid in oids).encode("ascii")
    for line in git.run("cat-file", "--batch-check", stdin=asked).out.decode("ascii").splitlines():
        if line.endswith(" missing"):
            raise HistoryError(f"object {line.removesuffix(' missing')} is missing from the repository")


def read_blob_ids(git: Git, commit: str, paths: Sequence[str]) -> dict[str, tuple[str, str] | None]:
    """Mode and blob id of each path in a commit; None where it has none. Reads only the trees on the way."""
    found: dict[str, tuple[str, str] | None] = dict.fromkeys(paths)
    for portion in chunks(paths):
        out = git.run("ls-tree", "-z", "--full-tree", commit, "--", *portion).out
        for record in filter(None, out.split(b"\0")):
            head, _, name = record.partition(b"\t")
            mode, kind, oid = head.decode("ascii").split(" ")
            path = name.decode("utf-8", "surrogateescape")
            if kind == "blob" and path in found:
                found[path] = mode, oid
    return found


def read_blobs(git: Git, commit: str, paths: Sequence[str]) -> dict[str, bytes | None]:
    """The content of each path in a commit; None where it has none."""
    ids = read_blob_ids(git, commit, paths)
    contents = read_objects(git, sorted({found[1] for found in ids.values() if found is not None}))
    blobs: dict[str, bytes | None] = {}
    for path, found in ids.items():
        content = contents[found[1]] if found is not None else None
        if found is not None and content is None:
            raise CommitNotFound(f"object {found[1]} is missing from the repository", path=path)
        blobs[path] = content[1] if content is not None else None
    return blobs


def _hash(git: Git, path: str, data: bytes, attributes: Mapping[str, str], *, write: bool) -> str:
    keep = b"\r\n" in data and _keeps_crlf(git, path, attributes)
    arguments = ["hash-object", *(["-w"] if write else []), "--stdin"]
    arguments.append("--no-filters" if keep else f"--path={path}")
    return git.run(*arguments, stdin=data).out.decode("ascii").strip()


def _keeps_crlf(git: Git, path: str, attributes: Mapping[str, str]) -> bool:
    """git's own rule, which `hash-object` alone does not follow: where line endings are only guessed at
    (`text=auto`, `core.autocrlf`), a file whose blob in the index has CRLF keeps it."""
    guessed = attributes.get("text") in (None, "auto") and not (
        "text" not in attributes and attributes.get("eol") in ("lf", "crlf")
    )
    if not guessed or {"ident", "working-tree-encoding", "crlf"} & attributes.keys():
        return False
    stored = git.run("cat-file", "blob", f":0:{path}", ok=(0, 128))
    return stored.code == 0 and b"\r\n" in stored.out and b"\0" not in stored.out
