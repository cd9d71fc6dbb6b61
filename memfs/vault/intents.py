"""The intent log: what a commit under way means to do, so that a crash is rolled forward (protocol 3.1).

One JSON record, durable before the first document is touched, dropped after the commit is acknowledged.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from memfs.errors import VaultError
from memfs.processes import Process
from memfs.vault.files import remove_file, write_atomic
from memfs.vault.layout import Layout

INTENT_NAME = "intent.json"
_VERSION = 1


@dataclass(frozen=True, slots=True)
class IntentTarget:
    """One file of the commit; ``path`` is relative to the vault.

    ``data`` are the new bytes on disk (None: the file goes), ``old_hash`` and ``new_hash`` SHA-256 of the
    bytes on disk (None: absent), ``old_blob`` and ``new_blob`` git object ids, ``mode`` the permission bits,
    ``git_mode`` as in a tree. ``temp`` is the temp file's name beside the target, ``displaced`` where the old
    file went.
    """

    path: str
    old_hash: str | None
    new_hash: str | None
    data: bytes | None
    old_blob: str | None = None
    new_blob: str | None = None
    mode: int = 0o644
    git_mode: str = "100644"
    temp: str | None = None
    displaced: str | None = None
    placed: bool = False


@dataclass(frozen=True, slots=True)
class Intent:
    """A commit under way on ``branch`` (full ref name) whose tip was ``old`` (None: unborn).

    ``author`` and ``extra`` are the committing service's own (JSON values), ``children`` its git processes.
    """

    id: str
    branch: str
    old: str | None
    message: str
    targets: tuple[IntentTarget, ...]
    author: Mapping[str, Any] = field(default_factory=dict)
    children: tuple[Process, ...] = ()
    stage: str = "prepared"
    extra: Mapping[str, Any] = field(default_factory=dict)

    def at(self, stage: str) -> Intent:
        """The same commit, further on."""
        return replace(self, stage=stage)

    def with_target(self, target: IntentTarget) -> Intent:
        """The same commit with the target of that path replaced."""
        return replace(self, targets=tuple(target if t.path == target.path else t for t in self.targets))


def write_intent(layout: Layout, intent: Intent) -> None:
    """Make the record durable, in place of an earlier state of the same commit.

    Raises VaultError while another commit's record is there: recover it first.
    """
    current = read_intent(layout)
    if current is not None and current.id != intent.id:
        raise VaultError("an unfinished commit must be recovered first", path=str(layout.local / INTENT_NAME))
    write_atomic(layout.local / INTENT_NAME, render_intent(intent))


def read_intent(layout: Layout) -> Intent | None:
    """The commit under way, None when there is none. Raises VaultError when the record cannot be read."""
    path = layout.local / INTENT_NAME
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise VaultError(f"cannot read the intent log: {error.strerror}", path=str(path)) from error
    try:
        return parse_intent(data)
    except (ValueError, KeyError, TypeError) as error:
        raise VaultError(
            "the intent log cannot be read",
            path=str(path),
            hint="another version of memfs wrote it, or a person; move it away to go on without that commit",
        ) from error


def drop_intent(layout: Layout) -> None:
    """Forget the record, durably; nothing happens when there is none."""
    remove_file(layout.local / INTENT_NAME)


def render_intent(intent: Intent) -> bytes:
    """JSON; bytes as base64."""
    record = asdict(intent)
    for target in record["targets"]:
        if target["data"] is not None:
            target["data"] = base64.b64encode(target["data"]).decode("ascii")
    return json.dumps({"version": _VERSION, **record}).encode()


def parse_intent(data: bytes) -> Intent:
    """The inverse of `render_intent`. Raises ValueError, KeyError or TypeError on anything else."""
    record = json.loads(data)
    if not isinstance(record, dict) or record.pop("version") != _VERSION:
        raise ValueError("another version")
    targets = tuple(_target(item) for item in record.pop("targets"))
    children = tuple(Process(int(c["pid"]), str(c["start"])) for c in record.pop("children"))
    return Intent(targets=targets, children=children, **record)


def _target(item: dict[str, Any]) -> IntentTarget:
    known = {f.name for f in fields(IntentTarget)}
    values = {key: value for key, value in item.items() if key in known}
    if values["data"] is not None:
        values["data"] = base64.b64decode(values["data"], validate=True)
    return IntentTarget(**values)
