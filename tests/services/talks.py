"""Small transcripts of Claude Code, written as the client writes them; for the tests of ingest and its order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memfs.errors import ModelUnavailable
from memfs.extraction.request import Request
from memfs.model import Extraction, Operation, Tokens
from memfs.services.opening import Vault
from tests.services.vaults import IDENTITY

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Talk:
    """A session: when it began, and what the user said, a minute apart."""

    session: str
    began: datetime
    said: tuple[str, ...]
    cwd: str = "/home/robin/tidewater"


def talk(session: str, *said: str, day: int = 0, minutes: int = 0) -> Talk:
    """A session that began so many days and minutes after the first of March."""
    return Talk(session, START + timedelta(days=day, minutes=minutes), said)


def rows(talk: Talk, first: int = 0) -> list[dict[str, Any]]:
    """The session's records from the user's message ``first`` on, each followed by the assistant's "Noted."."""
    made: list[dict[str, Any]] = []
    for at, text in enumerate(talk.said):
        if at >= first:
            made += [_user(talk, at, text), _assistant(talk, at)]
    return made


def turn_id(talk: Talk, at: int, part: str = "prompt") -> str:
    """The message id of a user's message, or of the reply to it."""
    return f"{talk.session}-{part}-{at}"


def _user(talk: Talk, at: int, text: str) -> dict[str, Any]:
    return {
        **_about(talk, at, 0),
        "type": "user",
        "uuid": turn_id(talk, at),
        "message": {"role": "user", "content": text},
    }


def _assistant(talk: Talk, at: int) -> dict[str, Any]:
    name = turn_id(talk, at, "reply")
    message = {
        "id": name,
        "role": "assistant",
        "model": "m-1",
        "content": [{"type": "text", "text": "Noted."}],
    }
    return {
        **_about(talk, at, 5),
        "type": "assistant",
        "uuid": name,
        "parentUuid": turn_id(talk, at),
        "message": message,
    }


def _about(talk: Talk, at: int, seconds: int) -> dict[str, Any]:
    moment = talk.began + timedelta(minutes=at, seconds=seconds)
    return {
        "parentUuid": turn_id(talk, at - 1, "reply") if at else None,
        "isSidechain": False,
        "userType": "external",
        "cwd": talk.cwd,
        "sessionId": talk.session,
        "version": "2.1.270",
        "timestamp": moment.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
    }


def jsonl(records: Iterable[dict[str, Any]]) -> str:
    """One record a line."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def put_talk(folder: Path, talk: Talk, name: str | None = None) -> Path:
    """Write a session as a file; the name is the session's, unless another is given."""
    path = folder / f"{name or talk.session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(jsonl(rows(talk)), encoding="utf-8")
    return path


def inbox(vault: Vault, identity: str = IDENTITY) -> Path:
    """The folder that an identity's transcripts are dropped in."""
    return vault.layout.inbox / identity


def put_talks(vault: Vault, talks: Sequence[Talk]) -> None:
    """Write sessions into the inbox."""
    for each in talks:
        put_talk(inbox(vault), each)


def says(type: str, **fields: str | list[str]) -> str:
    """What a user says for `Script` to make an operation of."""
    return f"{type} {json.dumps(fields, ensure_ascii=False)}"


@dataclass(frozen=True)
class Script:
    """An extractor that takes users at their word: a turn "type {fields}" is an operation, anything else is nothing.

    A session's order and evidence are tested with it, whatever the built-in extractor makes of a phrase.
    """

    name: str = "script"

    def extract(self, request: Request) -> Extraction:
        """An operation for each turn that says one. "fail" fails."""
        operations = []
        for at, turn in enumerate(request.turns):
            type, _, fields = turn.text.partition(" ")
            if turn.role == "user" and turn.text == "fail":
                raise ModelUnavailable("the model is away")
            if turn.role in ("user", "participant") and fields.startswith("{"):
                values = {k: tuple(v) if isinstance(v, list) else v for k, v in json.loads(fields).items()}
                operations.append(Operation(type, values, turns=(at,), peer=turn.peer))
        return Extraction(tuple(operations), (), Tokens())
