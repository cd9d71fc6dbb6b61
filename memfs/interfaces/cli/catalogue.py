"""All commands with the module each lives in, so that ``--help`` loads none of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Listed(NamedTuple):
    """A command in the list of commands: its module beside this one, and what it does in a few words."""

    module: str
    summary: str


SECTIONS: Mapping[str, Mapping[str, Listed]] = {
    "Start": {
        "init": Listed("setup", "Make a folder a vault; what is there stays as it is."),
        "config": Listed("setup", "Show the settings, or change one."),
        "types": Listed("setup", "Show the types of memory that this vault keeps."),
        "completion": Listed("setup", "Print the script that completes memfs commands in your shell."),
    },
    "Remember": {
        "ingest": Listed("feeding", "Merge what is new in transcripts into memory."),
        "watch": Listed("feeding", "Merge transcripts as they grow, until stopped."),
        "hook": Listed("hooking", "Serve a hook of Claude Code or Codex."),
        "retry": Listed("feeding", "Try again what could not be extracted."),
        "remember": Listed("changing", "Keep a text as a memory."),
        "relay": Listed("relaying", "Hand over to the next agent: the relay board."),
        "transcript": Listed("trying", "Show how a transcript is read; nothing is remembered."),
        "extract": Listed("trying", "Show what would be remembered of a transcript; nothing is written."),
        "eval": Listed("evaluating", "Measure an extractor on labelled conversations."),
    },
    "Recall": {
        "search": Listed("recalling", "Find memories by words and meaning."),
        "similar": Listed("relating", "Find entries that say nearly the same."),
        "links": Listed("relating", "Show what an entry or a document links to, and what links to it."),
        "context": Listed("recalling", "Print what an agent should read before it begins or answers."),
        "list": Listed("recalling", "List entries, yours and memfs's."),
        "show": Listed("recalling", "Print an entry or a document, now or as it was."),
    },
    "Correct": {
        "forget": Listed("changing", "Take an entry out, and keep it from coming back."),
        "move": Listed("changing", "Move an entry to another identity."),
        "edit": Listed("changing", "Put a text in the place of an entry's own."),
        "accept": Listed("changing", "Put an offered wording in the place of an entry."),
        "reject": Listed("changing", "Take an offered wording away."),
        "review": Listed(
            "reviewing", "Tidy memory: what says the same, contradicts itself, is stale or over."
        ),
        "undo": Listed("auditing", "Take back what one commit of memfs did, or all from a source."),
    },
    "Ask": {
        "why": Listed("auditing", "Tell where an entry comes from."),
        "log": Listed("auditing", "List what was remembered, when, and by whom."),
        "diff": Listed("auditing", "Show what a commit changed in memory."),
    },
    "Serve": {
        "up": Listed("serving", "Serve the vault: watch, keep the schedule, answer HTTP and MCP."),
        "mcp": Listed("serving", "Speak MCP over standard input and output, for an agent's client to start."),
        "token": Listed("serving", "Make, list or remove tokens for `memfs up`."),
        "service": Listed("serving", "Keep `memfs up` running in the background, from login on."),
    },
    "Keep well": {
        "daily": Listed("daily", "Condense the day into memory now, then archive its files."),
        "archive": Listed("archiving", "Archive the files that conversations mention."),
        "status": Listed("upkeep", "Show how the vault does, and what waits."),
        "check": Listed("upkeep", "Verify vault, git and index; mend what is derived."),
        "redact": Listed("redacting", "Find secrets in the vault; put placeholders in their place."),
        "reindex": Listed("upkeep", "Build the search index anew."),
    },
}

COMMANDS: Mapping[str, Listed] = {
    name: listed for section in SECTIONS.values() for name, listed in section.items()
}
