"""Exit codes: each error has one, and the help tells them all."""

from __future__ import annotations

import inspect

import pytest

from memfs import errors
from memfs.errors import MemfsError
from memfs.interfaces.cli import exits
from tests.interfaces.conftest import run_memfs

CLASSES = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, MemfsError) and kind.__module__ == errors.__name__
]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_error_has_an_exit_code(kind: type[MemfsError]) -> None:
    assert kind in exits.EXIT_CODES
    assert exits.exit_code(kind("x")) in exits.MEANINGS


def test_no_error_looks_like_success_or_like_waiting() -> None:
    assert {exits.DONE, exits.WAITING, exits.INTERRUPTED, exits.PIPE_CLOSED}.isdisjoint(
        exits.EXIT_CODES.values()
    )


def test_an_error_of_a_plug_in_has_the_code_of_the_class_above() -> None:
    class BrokenExport(errors.UnknownFormat):
        """A parser's own."""

    assert exits.exit_code(BrokenExport("x")) == exits.TRANSCRIPT


def test_help_documents_every_code() -> None:
    told = run_memfs("--help").out.partition("Exit codes:")[2]
    for code, meaning in exits.MEANINGS.items():
        assert f"  {code} " in told
        assert meaning.split(";")[0] in " ".join(told.split())
