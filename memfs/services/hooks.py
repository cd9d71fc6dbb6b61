"""What the hooks of coding agents ask for: memory when a session starts, a merge when it ends.

Claude Code and Codex write one JSON object to a hook's standard input, with the same names for what counts here:
``session_id``, ``transcript_path`` (may be null), ``cwd``, ``hook_event_name``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import InvalidRequest, TranscriptError
from memfs.services.ingesting.queued import queue_transcript
from memfs.services.ingesting.sources import FROM_CWD, list_sources, source_of
from memfs.services.serving import is_watched

if TYPE_CHECKING:
    from memfs.search.context import Context
    from memfs.services.opening import Vault


@dataclass(frozen=True, slots=True)
class HookInput:
    """What a client told its hook. ``transcript`` is None where it keeps none."""

    session: str | None
    transcript: Path | None
    cwd: Path | None


def parse_hook(text: str) -> HookInput:
    """Read what stands on a hook's standard input.

    Raises:
        InvalidRequest: it is no JSON object, or a path in it is none.
    """
    try:
        told = json.loads(text)
    except ValueError as error:
        raise InvalidRequest(f"the hook's input is no JSON: {error}") from error
    if not isinstance(told, dict):
        raise InvalidRequest("the hook's input is no JSON object")

    def path(name: str) -> Path | None:
        value = told.get(name)
        if not isinstance(value, str | None):
            raise InvalidRequest(f"{name} in the hook's input is no path: {json.dumps(value)[:80]}")
        return Path(value).expanduser() if value else None

    session = told.get("session_id")
    return HookInput(session if isinstance(session, str) else None, path("transcript_path"), path("cwd"))


def start_session(vault: Vault, hook: HookInput, *, identity: str | None, budget: int | None) -> Context:
    """What an agent should read before its session begins: the context of the identity that the session feeds."""
    from memfs.services.context import DEFAULT_BUDGET, context

    return context(vault, identity=identity or _identity_fed(vault, hook), budget=budget or DEFAULT_BUDGET)


def end_session(vault: Vault, hook: HookInput, *, identity: str | None) -> Path | None:
    """Queue the session's transcript, and see that some process merges it. Its path; None where there is none.

    Nothing is read or merged here: a running watch takes it up, else a process of its own is started.

    Raises:
        TranscriptError: the file is not there.
    """
    if hook.transcript is None:
        return None
    if not hook.transcript.is_file():
        raise TranscriptError("the client keeps no transcript there", path=str(hook.transcript))
    source = source_of(list_sources(vault), hook.transcript.resolve())
    if source is None:
        queue_transcript(vault, hook.transcript, identity)
    if not is_watched(vault.layout) and vault.config.extract.when == "live":
        _start_ingest(vault, hook.transcript, None if source else identity)
    return hook.transcript


def _start_ingest(vault: Vault, transcript: Path, identity: str | None) -> None:
    """Merge one transcript in a process that outlives this one."""
    command = [sys.executable, "-m", "memfs", "ingest", str(transcript), "--vault", str(vault.top)]
    command += ["--identity", identity] if identity else []
    subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd=vault.top,
    )


def _identity_fed(vault: Vault, hook: HookInput) -> str | None:
    source = source_of(list_sources(vault), hook.transcript.resolve()) if hook.transcript else None
    if source is None or source.identity != FROM_CWD:
        return source.identity if source else None
    from memfs.vault.paths import slug

    return slug(hook.cwd.name) if hook.cwd else None
