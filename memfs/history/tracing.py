"""Following a document or a line back through history: what it was called, and which commit brought it."""

from __future__ import annotations

from collections.abc import Iterator

from memfs.history.log import LogEntry, read_commit
from memfs.history.repository import Repository


def name_at(repository: Repository, commit: str, path: str) -> str | None:
    """The path that a document of now had in ``commit``, also under another name; None when it was not there."""
    if repository.blob_ids(commit, [path])[path] is not None:
        return path
    head = repository.head().commit
    options = (
        "--follow",
        "-z",
        "--name-status",
        "--format=",
        "--diff-filter=R",
        "--no-ext-diff",
        "--no-textconv",
    )
    asked = ("--end-of-options", head or commit, f"^{commit}")
    told = repository.git.run("log", *options, *asked, "--", path, seconds=120).out
    fields = told.decode("utf-8", "surrogateescape").split("\0")
    for _, old, new in zip(fields[0::3], fields[1::3], fields[2::3], strict=False):
        path = old if new == path else path
    return path if repository.blob_ids(commit, [path])[path] is not None else None


def line_author(repository: Repository, path: str, line: str) -> LogEntry | None:
    """The newest commit that brought this line into a document; None when it is not committed."""
    head = repository.head().commit
    data = repository.read_blob(head, path) if head else None
    if head is None or data is None or line.encode("utf-8", "surrogateescape") not in data:
        return None
    options = ("-n1", "--format=%H", "--no-textconv", "--no-ext-diff", f"-S{line}")
    found = repository.git.run("log", *options, "--end-of-options", head, "--", path, seconds=120).out
    return read_commit(repository, found.decode("ascii").strip()) if found.strip() else None


def versions_with_id(repository: Repository, block_id: str) -> Iterator[bytes]:
    """Every version of every file, in the commits of all refs, that changed a line with ``^block_id``."""
    options = (
        "-z",
        "-m",
        "--root",
        "--name-only",
        "--no-renames",
        "--no-textconv",
        "--no-ext-diff",
        "--diff-filter=d",
    )
    wanted = (*options, "--format=%x01%H", "-G", rf"\^{block_id}")
    told = repository.git.run("log", "--all", *wanted, seconds=600).out.decode("utf-8", "surrogateescape")
    for record in filter(None, told.split("\1")):
        commit, *paths = (field.strip("\n") for field in record.split("\0"))
        for path in filter(None, paths):
            data = repository.read_blob(commit, path)
            if data is not None:
                yield data


def markdown_versions(repository: Repository) -> Iterator[tuple[str, str, bytes]]:
    """Every version of every Markdown file in the commits of all refs, newest first: commit, path, content."""
    options = ("-z", "-m", "--root", "--raw", "--no-renames", "--no-abbrev", "--diff-filter=d")
    plain = ("--no-textconv", "--no-ext-diff", "--format=%x01%H")
    told = repository.git.run("log", "--all", *options, *plain, seconds=600).out
    seen: set[tuple[str, str]] = set()
    for record in filter(None, told.decode("utf-8", "surrogateescape").split("\1")):
        commit, *fields = (field.strip("\n") for field in record.split("\0") if field.strip("\n"))
        for about, path in zip(fields[0::2], fields[1::2], strict=False):
            oid = about.split(" ")[3]
            if path.endswith(".md") and (path, oid) not in seen:
                seen.add((path, oid))
                yield commit, path, repository.read_object(oid)
