"""Vaults whose conversations mention files, for the tests of the archive."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from memfs.services.opening import Vault, open_vault
from tests.services.vaults import IDENTITY, far_clock

MODEL = "claude-3-7-sonnet"


def work_folder(folder: Path) -> Path:
    """The folder that agents work in, outside of the vault and of any repository."""
    place = folder / "workspace"
    place.mkdir(exist_ok=True)
    return place


def with_settings(vault: Vault, *lines: str) -> Vault:
    """The vault with more settings of this machine, as another process opens it."""
    settings = vault.layout.local_config
    before = settings.read_text() if settings.exists() else ""
    settings.write_text(before + "\n" + "\n".join(lines) + "\n")
    return open_vault(vault.top, environ={}, clock=vault.clock)


def filing_vault(vault: Vault, *roots: Path, delete: bool = True, archive: Path | None = None) -> Vault:
    """The vault with folders that may be archived from, and originals that may go."""
    listed = json.dumps([str(root) for root in roots])
    lines = [f'file_archive_path = "{archive}"'] if archive else []
    return with_settings(
        vault, *lines, "[archive]", f"roots = {listed}", f"delete_originals = {str(delete).lower()}"
    )


def put_file(folder: Path, name: str, data: bytes | str = "what it holds\n") -> Path:
    """A file that was written long ago."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    return path


def message(number: int, text: str, **metadata: Any) -> dict[str, Any]:
    """A message of a cowork session."""
    return {
        "id": f"message-{number:05d}",
        "session_id": "session-1",
        "role": "user",
        "content": text,
        "timestamp": f"2026-03-14T09:{number % 60:02d}:00Z",
        "agentRoleKey": IDENTITY,
        "modelId": MODEL,
        "channel": "feishu",
        "metadata": metadata,
    }


def put_session(
    vault: Vault,
    *messages: dict[str, Any],
    cwd: Path | None = None,
    identity: str = IDENTITY,
    name: str = "one",
) -> Path:
    """A cowork session in the inbox."""
    rows = list(messages)
    if cwd is not None:
        rows[0] = {**rows[0], "cwd": str(cwd)}
    path = vault.layout.inbox / identity / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    return path


def refreshed(vault: Vault) -> Vault:
    """The vault as another process opens it."""
    return open_vault(vault.top, environ={}, clock=far_clock())
