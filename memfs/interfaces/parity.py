"""Every use case with the name it has in each way in: one name everywhere, and a reason where there is none.

A test compares this table with the command line, the Python library, the HTTP description, the MCP tools and the
pages that are generated from them; none of these has anything that is not here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UseCase:
    """A use case and its name in each way in; None where it has none there, and then ``why`` says why.

    ``cli``: words of the command line. ``python``: method of `Memory`. ``http``: operation id. ``mcp``: tools.
    """

    name: str
    cli: str | None
    python: str | None
    http: str | None
    mcp: tuple[str, ...] = ()
    why: str = ""


_PERSONS = "an agent needs it in no conversation: it is a person's to do, by command or through HTTP"
_PROCESS = "it is a process of its own, not a call to one"
_FILES = "it reads a file of this machine that is named by hand"


def _same(name: str, *mcp: str, why: str = "") -> UseCase:
    return UseCase(name, name.replace("_", " "), name, name, mcp, why or ("" if mcp else _PERSONS))


USE_CASES: Mapping[str, UseCase] = {
    case.name: case
    for case in (
        # what agents and persons share
        _same("search", "memory_search", "search"),
        _same("context", "memory_context"),
        _same("list", "memory_list"),
        _same("show", "memory_get", "fetch"),
        _same("remember", "remember"),
        _same("forget", "forget"),
        _same("why", "memory_why"),
        _same("log", "memory_recent"),
        _same("relay_add", "relay_add"),
        _same("relay_show", "relay_read"),
        UseCase(
            "push",
            None,
            "push",
            "push",
            ("push_turns",),
            "on the command line it is a file dropped into inbox/, or `memfs ingest FILE`",
        ),
        # what is a person's
        _same("similar"),
        _same("links"),
        _same("edit"),
        _same("move"),
        _same("accept"),
        _same("reject"),
        _same("undo"),
        _same("diff"),
        _same("review"),
        _same("redact"),
        _same("ingest"),
        _same("retry"),
        _same("daily"),
        _same("archive"),
        _same("status"),
        _same("check"),
        _same("reindex"),
        _same("types"),
        _same("config"),
        _same("token_add"),
        _same("token_list"),
        _same("token_remove"),
        UseCase(
            "set_config",
            None,
            "set_config",
            "set_config",
            why="on the command line: `memfs config KEY VALUE`",
        ),
        UseCase(
            "daily_status", None, "daily_status", "daily_status", why="on the command line: `memfs status`"
        ),
        UseCase(
            "purge",
            None,
            "purge",
            None,
            why="`memfs forget --purge`; it rewrites history, so never by a server",
        ),
        UseCase("entry", None, None, "entry", why="elsewhere an entry is one of `list`, or shown by `show`"),
        UseCase("identities", None, None, "identities", why="elsewhere they are in `status`"),
        UseCase(
            "file_archive_path",
            None,
            None,
            "file_archive_path",
            why="a route that the daily job fixes; elsewhere: `config file_archive_path`",
        ),
        UseCase(
            "daily_events",
            None,
            None,
            "daily_events",
            why="a stream; elsewhere `daily` itself tells progress",
        ),
        # files and models that only the person at the machine can name
        UseCase("transcript", "transcript", "transcript", None, why=_FILES),
        UseCase("extract", "extract", "extract", None, why=_FILES),
        UseCase("estimate", None, "estimate", None, why=f"`memfs extract --estimate`; {_FILES}"),
        UseCase("eval", "eval", "eval", None, why=_FILES),
        # processes
        UseCase("init", "init", None, None, why="it makes the vault that all others need"),
        UseCase("watch", "watch", None, None, why=_PROCESS),
        UseCase("up", "up", None, None, why=_PROCESS),
        UseCase("mcp", "mcp", None, None, why=_PROCESS),
        UseCase("hook", "hook", None, None, why="it speaks the protocol of a client's hooks"),
        UseCase("completion", "completion", None, None, why="it is about the shell"),
        UseCase("service_show", "service show", None, None, why="it is about this machine's services"),
        UseCase("service_install", "service install", None, None, why="it is about this machine's services"),
        UseCase(
            "service_uninstall", "service uninstall", None, None, why="it is about this machine's services"
        ),
        # for those who look after the server
        UseCase("health", None, None, "health", why="it is about the server"),
        UseCase("ready", None, None, "ready", why="it is about the server"),
        UseCase("metrics", None, None, "metrics", why="it is about the server"),
        UseCase("openapi", None, None, "openapi", why="it is about the server"),
    )
}
