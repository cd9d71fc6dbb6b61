"""An identity's memory as the files of an agent's memory tool: ``/memories`` is its folder, each change one commit.

What an agent writes here is text of its own making: no extraction rewrites it, and secrets in it are replaced before
it reaches the disk. memfs's own records, hidden files and the relay board are not shown and cannot be named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import DocumentNotFound, InvalidDocument, InvalidRequest, UnsafePath, VaultError
from memfs.services.agent_text import insert_after, number_lines, replace_once
from memfs.services.commit import Transaction, open_transaction
from memfs.vault.paths import resolve_beneath

if TYPE_CHECKING:
    from memfs.services.opening import Vault

ROOT = "/memories"
_DEPTH = 2
_HIDDEN = re.compile(r"(^|/)(\.|node_modules(/|$))")
_RELAY = ("relay.md", "relay.jsonl")
_OWN = "identity.md"
_UNITS = ("B", "K", "M", "G")


@dataclass(frozen=True, slots=True)
class AgentFiles:
    """The memory of one identity as files. ``agent`` is what the commits say of who asked.

    Every method answers with the text for the model; InvalidRequest and its kin carry the text of its error.
    """

    vault: Vault
    identity: str
    agent: str = "memory tool"

    def view(self, path: str, view_range: tuple[int, int] | None = None) -> str:
        """A file with numbered lines, or what lies up to two levels deep in a folder."""
        place = self._place(path)
        if place.is_dir() or self._name(path) == "":
            return self._listing(path, place)
        text = self._text(self._read_now(place, path), path)
        try:
            return f"Here's the content of {path} with line numbers:\n{number_lines(text, view_range)}"
        except InvalidRequest as error:
            raise InvalidRequest(f"File {path}: {error.message}") from error

    def create(self, path: str, text: str) -> str:
        """Make a new file."""
        name = self._file_name(path)
        with open_transaction(self.vault) as transaction:
            if self._place(path).exists() or self._read(transaction, name) is not None:
                raise InvalidRequest(f"File {path} already exists")
            clean = self._commit(transaction, f"create {path}", {name: text})
        return f"File created successfully at: {path}{clean}"

    def str_replace(self, path: str, old: str, new: str) -> str:
        """Replace the one place where a file says ``old``."""
        name = self._file_name(path)
        with open_transaction(self.vault) as transaction:
            text = self._text(self._existing(transaction, name, path), path)
            clean, note = _clean(new)
            changed, snippet = replace_once(text, old, clean, path)
            self._commit(transaction, f"edit {path}", {name: changed}, was=text)
        told = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
        return f"{told}\n{snippet}{note}"

    def insert(self, path: str, line: int, new: str) -> str:
        """Insert lines behind line ``line``; 0 is the beginning."""
        name = self._file_name(path)
        with open_transaction(self.vault) as transaction:
            clean, note = _clean(new)
            text = self._text(self._existing(transaction, name, path), path)
            self._commit(transaction, f"edit {path}", {name: insert_after(text, line, clean)}, was=text)
        return f"The file {path} has been edited.{note}"

    def delete(self, path: str) -> str:
        """Delete a file, or a folder with all that is shown in it."""
        name = self._name(path)
        if not name:
            raise InvalidRequest(f"Cannot delete the {ROOT} directory itself")
        with open_transaction(self.vault) as transaction:
            files = self._files(path)
            if not files:
                raise DocumentNotFound(f"The path {path} does not exist")
            self._commit(transaction, f"delete {path}", dict.fromkeys(files))
        return f"Successfully deleted {path}"

    def rename(self, old_path: str, new_path: str) -> str:
        """Rename or move a file or folder."""
        if not self._name(old_path):
            raise InvalidRequest(f"Cannot rename the {ROOT} directory itself")
        new = self._file_name(new_path)
        with open_transaction(self.vault) as transaction:
            files = self._files(old_path)
            if not files:
                raise DocumentNotFound(f"The path {old_path} does not exist")
            if self._place(new_path).exists():
                raise InvalidRequest(f"The destination {new_path} already exists")
            old = self._file_name(old_path)
            changes: dict[str, bytes | str | None] = {}
            for name in files:
                moved = new + name.removeprefix(old)
                self._check(moved, new_path)
                changes[moved] = self._read(transaction, name)
                changes[name] = None
            self._commit(transaction, f"rename {old_path} to {new_path}", changes)
        return f"Successfully renamed {old_path} to {new_path}"

    # Paths

    def _name(self, path: str) -> str:
        """The path below the identity's folder; "" is the folder itself. Raises UnsafePath."""
        if path != ROOT and not path.startswith(f"{ROOT}/"):
            raise UnsafePath(f"Path must start with {ROOT}, got: {path}")
        name = path.removeprefix(ROOT).strip("/")
        if name:
            self._check(name, path)
        return name

    def _check(self, name: str, path: str) -> None:
        inside = name.removeprefix(self._root() + "/")
        if _HIDDEN.search(inside) or inside in _RELAY:
            raise UnsafePath(f"The path {path} is not a memory file: it is kept by memfs")
        if _clean(inside)[0] != inside:
            raise UnsafePath("The path holds what looks like a secret")

    def _file_name(self, path: str) -> str:
        """The path in the vault of a file that may be written."""
        name = self._name(path)
        if not name:
            raise InvalidRequest(f"The path {path} is not a file.")
        if name == _OWN:
            raise UnsafePath(f"The file {path} says what this identity may see: only its owner changes it")
        return f"{self._root()}/{name}"

    def _root(self) -> str:
        return self.vault.layout.rel(self.vault.layout.identity_dir(self.identity))

    def _place(self, path: str) -> Path:
        """Where a path lies on disk. Raises UnsafePath where a link leads on from the identity's folder."""
        name = self._name(path)
        place = resolve_beneath(self.vault.top, f"{self._root()}/{name}" if name else self._root())
        home = self.vault.layout.identity_dir(self.identity)
        if name and place.resolve() != home.resolve() / name:
            raise UnsafePath(f"The path {path} leads through a link, and is not a memory file")
        return place

    def _files(self, path: str) -> list[str]:
        """The files that a path means, by path in the vault."""
        place = self._place(path)
        if place.is_file():
            return [self._file_name(path)]
        return [self.vault.layout.rel(file) for file, _ in self._walk(place) if file.is_file()]

    # Folders

    def _listing(self, path: str, folder: Path) -> str:
        shown = path.rstrip("/")
        lines = [f"{_size(self._bytes(folder))}\t{shown}"]
        for item, depth in self._walk(folder):
            if depth <= _DEPTH:
                name = f"{shown}/{item.relative_to(folder).as_posix()}" + ("/" if item.is_dir() else "")
                lines.append(f"{_size(self._bytes(item))}\t{name}")
        header = f"Here're the files and directories up to {_DEPTH} levels deep in {shown}"
        return f"{header}, excluding hidden items and node_modules:\n" + "\n".join(lines)

    def _bytes(self, place: Path) -> int:
        if place.is_file():
            return place.stat().st_size
        return sum(item.stat().st_size for item, _ in self._walk(place) if item.is_file())

    def _walk(self, folder: Path) -> Iterator[tuple[Path, int]]:
        """What is shown below a folder, with its depth, sorted; links are not followed."""
        pending = [(item, 1) for item in self._shown(folder)]
        while pending:
            item, depth = pending.pop(0)
            yield item, depth
            if item.is_dir():
                pending = [(each, depth + 1) for each in self._shown(item)] + pending

    def _shown(self, folder: Path) -> list[Path]:
        layout = self.vault.layout
        relay = (layout.relay_board(self.identity), layout.relay_records(self.identity))
        found = sorted(folder.iterdir()) if folder.is_dir() else []
        return [
            item for item in found if not (_HIDDEN.search(item.name) or item.is_symlink() or item in relay)
        ]

    # Texts

    def _read_now(self, place: Path, path: str) -> bytes:
        if not place.exists():
            raise DocumentNotFound(f"The path {path} does not exist. Please provide a valid path.")
        if not place.is_file():
            raise InvalidRequest(f"The path {path} is not a file.")
        return place.read_bytes()

    def _read(self, transaction: Transaction, name: str) -> bytes | None:
        if reason := transaction.obstacles([name]).get(name):
            raise VaultError(reason, path=name)
        return transaction.read(name)

    def _existing(self, transaction: Transaction, name: str, path: str) -> bytes:
        if self._place(path).is_dir():
            raise InvalidRequest(f"The path {path} is not a file.")
        data = self._read(transaction, name)
        if data is None:
            raise DocumentNotFound(f"The path {path} does not exist. Please provide a valid path.")
        return data

    def _text(self, data: bytes, path: str) -> str:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidDocument(f"The file {path} is not UTF-8 text.", path=path) from error

    def _commit(
        self,
        transaction: Transaction,
        what: str,
        changes: Mapping[str, bytes | str | None],
        *,
        was: str | None = None,
    ) -> str:
        """Commit the files; a remark when secrets in them were replaced.

        ``was``: the text that was edited, whose own lines stay as they are; no edit may put a secret together.
        """
        from memfs.extraction.locating import brings_secrets
        from memfs.history.messages import CommitMessage
        from memfs.history.subjects import action_subject

        files: dict[str, bytes | None] = {}
        note = ""
        for name, content in changes.items():
            if isinstance(content, str):
                if was is None:
                    content, note = _clean(content)
                for line, kind in () if was is None else brings_secrets(was, content):
                    raise InvalidRequest(f"The edit would put a secret ({kind}) into line {line}")
                files[name] = _encoded(content)
            else:
                files[name] = content
        if all(transaction.read(name) == data for name, data in files.items()):
            return note
        subject = action_subject("agent", what, identity=self.identity, language=self.vault.language)
        message = CommitMessage("agent", subject, identity=self.identity, source=self.agent)
        transaction.commit(files, message)
        return note


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InvalidRequest("The text holds half of a character (a lone surrogate)") from error


def _clean(text: str) -> tuple[str, str]:
    from memfs.extraction.redaction import redact_text

    clean = redact_text(text).text
    return clean, "" if clean == text else "\nNote: what looked like a secret was replaced by a placeholder."


def _size(count: int) -> str:
    """A size as people read it: 512B, 1.5K."""
    unit = min(max(count.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    value = count / 1024**unit
    return f"{value:.0f}{_UNITS[unit]}" if value == int(value) else f"{value:.1f}{_UNITS[unit]}"
