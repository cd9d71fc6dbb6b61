"""Vaults that search by words only, and looks at their bytes: what the tests of the use cases share."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

from memfs.model import EntryView
from memfs.services.entries import list_entries
from memfs.services.opening import Vault, open_vault
from tests.services.vaults import IDENTITY, far_clock, new_vault

LEXICAL = '[embeddings]\nengine = "none"\n'


def lexical_vault(folder: Path, *identities: str, settings: str = "") -> Vault:
    """A new vault without vectors; ``settings`` are this machine's own (TOML)."""
    vault = new_vault(folder, *(identities or (IDENTITY,)))
    vault.layout.local_config.write_text(settings + LEXICAL, encoding="utf-8")
    return reopened(vault)


def reopened(vault: Vault) -> Vault:
    """The same vault as another process opens it, with its clock ahead of the files' times."""
    return open_vault(vault.top, environ={}, clock=far_clock())


def hashes(folder: Path, *, apart: tuple[str, ...] = (".git", ".memfs")) -> dict[str, str]:
    """The hash of each file, those in folders of the names ``apart`` left out."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in _files(folder)
        if not set(apart) & set(path.relative_to(folder).parts)
    }


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def texts(vault: Vault, **filters: str) -> list[str]:
    """The texts that are listed."""
    return [view.text for view in list_entries(vault, **filters)]


def the_entry(vault: Vault, part: str, *, status: str | None = None) -> EntryView:
    """The one listed entry that holds ``part`` (with that status, where one is given)."""
    found = [
        view
        for view in list_entries(vault)
        if part in view.text and (view.status == status if status else view.status != "suggestion")
    ]
    assert len(found) == 1, f"{part!r} stands in {[view.text for view in found]}"
    return found[0]


def edit(path: Path, old: str, new: str) -> None:
    """A person's edit: the one place where ``old`` stands says ``new``."""
    text = path.read_bytes().decode("utf-8")
    assert text.count(old) == 1, text
    path.write_bytes(text.replace(old, new).encode("utf-8"))


def fsck(folder: Path) -> str:
    """What ``git fsck --strict`` has to say: nothing, in a sound repository."""
    done = subprocess.run(
        ["git", "-C", str(folder), "fsck", "--strict", "--no-dangling"],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr if done.returncode else ""


def memory_hashes(vault: Vault) -> dict[str, str]:
    """The hashes of all files under memories/ but the marks, ledgers included."""
    return {
        path: value
        for path, value in hashes(vault.top).items()
        if path.startswith("memories/") and not path.endswith("/.forgotten")
    }
