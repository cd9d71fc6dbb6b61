"""One use case, one name: the table agrees with every way in, and none has anything that is not in it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from memfs.interfaces.cli import main
from memfs.interfaces.http.app import describe
from memfs.interfaces.library import Memory
from memfs.interfaces.mcp.tools import TOOLS
from memfs.interfaces.parity import USE_CASES
from memfs.services.opening import open_vault
from tests.conftest import PROJECT
from tests.interfaces.http.conftest import build


def commands(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[str]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        if isinstance(found, click.Group):
            yield from commands(found, (*words, name))
        else:
            yield " ".join((*words, name))


def test_the_command_line_has_these_and_no_others() -> None:
    assert sorted(commands(main)) == sorted(case.cli for case in USE_CASES.values() if case.cli)


def test_python_has_these_and_no_others() -> None:
    methods = {name for name, _ in inspect.getmembers(Memory, inspect.isfunction) if not name.startswith("_")}
    assert methods == {case.python for case in USE_CASES.values() if case.python}


def test_http_has_these_and_no_others(vault: Path) -> None:
    paths = describe(build(open_vault(vault))[1].app)["paths"]
    operations = [told["operationId"] for methods in paths.values() for told in methods.values()]
    assert sorted(operations) == sorted(case.http for case in USE_CASES.values() if case.http)


def test_mcp_has_these_and_no_others() -> None:
    assert {tool.name: tool.use_case for tool in TOOLS.values()} == {
        name: case.name for case in USE_CASES.values() for name in case.mcp
    }


@pytest.mark.parametrize("case", USE_CASES.values(), ids=lambda case: case.name)
def test_a_use_case_has_one_name_and_a_reason_where_it_has_none(case: object) -> None:
    from memfs.interfaces.parity import UseCase

    assert isinstance(case, UseCase)
    names = {name.replace(" ", "_") for name in (case.cli, case.python, case.http) if name}
    assert names <= {case.name}
    complete = case.cli and case.python and case.http and case.mcp
    assert bool(case.why) != bool(complete)


def test_the_generated_page_has_every_command() -> None:
    page = (PROJECT / "docs" / "commands.md").read_text(encoding="utf-8")
    for case in USE_CASES.values():
        assert case.cli is None or f"\n## memfs {case.cli}\n" in page, case.name


def test_the_page_of_interfaces_has_every_route_and_tool(vault: Path) -> None:
    page = (PROJECT / "docs" / "serving.md").read_text(encoding="utf-8")
    for path, methods in describe(build(open_vault(vault))[1].app)["paths"].items():
        for method in methods:
            assert f"`{method.upper()} {path}`" in page, (method, path)
    for name in TOOLS:
        assert f"`{name}`" in page, name
