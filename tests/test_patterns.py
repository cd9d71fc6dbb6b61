"""Every regular expression of the package ends in time, whatever long line it meets.

What people paste is long: encoded data, tables, logs. A pattern that tries each place of such a line anew takes
minutes for it. Each is run as the code runs it, in a child process that has a few seconds of its own CPU time for each
line and is ended by the kernel when they are used up; linear ones take a hundredth of that.
"""

from __future__ import annotations

import ast
import importlib
import os
import pkgutil
import re
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import memfs
from memfs.memory.wording import split_tags

LONG = 100_000
SECONDS = 3.0  # of CPU, for a line that takes milliseconds
# fmt: off
UNITS = (
    "a", "A", "1", "_", "我", "é", "\u200b", "aA", "a1", "1 ", "a ", "Aa ", "我 ", "a b ", " ", "\t", "\n",
    "\r\n", " \n", "- ", "- a\n", "* ", "> ", "# ", "#", " #a", "-", "=", "_ ", "*", "**", "~", "~~", "[",
    "[[", "![[", "](", "[a](", "[]", "(", "((", "()", "（", "{", "{{", "${", "<", "<a", "<!--", "|", "| a",
    "`", "` ", "`a", "``` ", '"', "'", "“", "\\", "$", "^", "^m-", "%", "%%", "&", "&amp;", "?", "!", "+",
    ".", "。", "，", ", ", ",", ":", "：", "a:", "a: ", "=", "a=", "key=", "/", "/a", "//", "a.", "a@", "@",
    "a-", "a/", "http://", "www.", "data:", "-----BEGIN ", "1-", "1.", "1:", "2026-", "(2026-", "due ", "at ",
    " on", "a\n",
)
# fmt: on
ENDS = ("", "!\n")
METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")

# Patterns that need not bear such lines, and why
SPARED = {
    "memfs.markdown.inline._COMMENT": "it is only given a text up to the last end of a comment",
    "memfs.transcripts.chat_log._ACCOUNT": "a speaker's name has at most forty characters",
    "memfs.vault.globs._TOKEN": "it reads what the vault's owner set",
}


@cache
def patterns() -> dict[str, re.Pattern[Any]]:
    """The compiled patterns of all modules, by the name they have there; equal ones once."""
    found: dict[str, re.Pattern[Any]] = {}
    seen: set[re.Pattern[Any]] = set()
    for module in pkgutil.walk_packages(memfs.__path__, "memfs."):
        if not module.name.endswith("__main__"):
            for name, value in vars(importlib.import_module(module.name)).items():
                for at, pattern in enumerate(_inside(value)):
                    if pattern not in seen:
                        seen.add(pattern)
                        found[f"{module.name}.{name}" + (f"[{at}]" if pattern is not value else "")] = pattern
    return {name: pattern for name, pattern in found.items() if name not in SPARED}


def _inside(value: object) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _inside(each)
    elif isinstance(value, tuple | list):
        for each in value:
            yield from _inside(each)
    elif hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        for name in value.__dataclass_fields__:
            yield from _inside(getattr(value, name, None))


@cache
def uses() -> dict[tuple[str, str], set[str]]:
    """How the patterns of a name are used in each module, and (module "") anywhere."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    top = Path(memfs.__path__[0])
    for path in top.rglob("*.py"):
        module = ".".join(path.relative_to(top.parent).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in METHODS
            ):
                for name in ast.walk(node.func.value):
                    if isinstance(name, ast.Name | ast.Attribute):
                        called = name.id if isinstance(name, ast.Name) else name.attr
                        found[module, called].add(node.func.attr)
                        found["", called].add(node.func.attr)
    return found


def _runs(name: str) -> list[Callable[[str], object]]:
    """The pattern, as the code runs it: from the beginning of a text only, or anywhere in it."""
    pattern = patterns()[name]
    module, _, called = re.sub(r"\[\d+\]$", "", name).rpartition(".")
    used = RUN_BY.get(f"{module}.{called}") or uses().get(
        (module if called.startswith("_") else "", called), set()
    )
    runs: list[Callable[[str], object]] = [
        getattr(pattern, each) for each in ("match", "fullmatch") if each in used
    ]
    return (
        runs if used and used <= {"match", "fullmatch"} else [*runs, lambda text: all(pattern.finditer(text))]
    )


def _lines(units: Sequence[str]) -> Iterator[str]:
    for unit in units:
        for end in ENDS:
            yield (unit * (LONG // len(unit) + 1))[:LONG] + end


def _run_all(name: str, units: Sequence[str]) -> None:
    runs, data = _runs(name), isinstance(patterns()[name].pattern, bytes)
    for line in _lines(units):
        text: Any = line.encode() if data else line
        for run in runs:
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)  # the signal ends the process
            run(text)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _ends(name: str, units: Sequence[str] = UNITS) -> bool:
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
        try:
            _run_all(name, units)
        finally:
            os._exit(0 if sys.exc_info()[0] is None else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


# How patterns are run that stand in a table, where it is not told by their name
RUN_BY = {"memfs.transcripts.chat_log._STYLES": {"match"}}

# Patterns that once took minutes, with lines that did it: tried each time, all others in the long suites
MENDED = {
    "memfs.extraction.acknowledgement.QUESTIONS": ("a", "["),
    "memfs.extraction.foreign._RULE": ("-", "_"),
    "memfs.extraction.operations._CLOCK": (" ", ", ", " on"),
    "memfs.extraction.salience._NAMED": ("a",),
    "memfs.history.messages._FORGED": (" ",),
    "memfs.history.messages._REVERTS": ("\n", "\r\n"),
    "memfs.memory.journal._ANCHOR": ("a", "-", "a/"),
    "memfs.memory.names._OPAQUE": ("a", "[", "[a](", "<"),
    "memfs.memory.wording._META": (" ", "due "),
    "memfs.transcripts.markdown_chat._SEPARATOR": ("\n", " \n"),
    "memfs.transcripts.markdown_chat._HEADING": ("# ",),
    "memfs.transcripts.speakers._WHEN": (" ",),
    "memfs.transcripts.speakers._VERSION": (" ", "1 "),
}


@pytest.mark.parametrize(("name", "units"), MENDED.items())
def test_a_pattern_that_was_mended_ends_for_long_lines(name: str, units: tuple[str, ...]) -> None:
    assert _ends(name, units), f"{name} is not linear: {patterns()[name].pattern!r:.200}"


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(patterns()))
def test_a_pattern_ends_for_every_long_line(name: str) -> None:
    assert _ends(name), f"{name} is not linear: {patterns()[name].pattern!r:.200}"


@pytest.mark.parametrize("mark", [" #tag", " #", "#", " "])
def test_the_tags_at_the_end_of_a_long_note_are_read_in_time(mark: str) -> None:
    line = "n" + mark * (LONG // len(mark)) + " x"
    assert split_tags(line) == (line, ())


def test_a_pattern_that_tries_each_place_anew_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(patterns(), "memfs.slow", re.compile(r"(?:\w|-)*[?]"))
    assert not _ends("memfs.slow", ("a",))
