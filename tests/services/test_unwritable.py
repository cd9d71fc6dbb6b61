"""Documents that memfs does not write into: every change that is asked for names the file and the line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memfs.errors import InvalidDocument
from memfs.services.changing import accept, forget, move, reject, remember
from memfs.services.merging.unwritable import find_obstacles
from memfs.services.opening import Vault
from tests.services.lexical import edit, lexical_vault, the_entry
from tests.services.vaults import document, merge, note

NOTES = "memories/coding-assistant/notes.md"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    vault = lexical_vault(tmp_path / "v", "coding-assistant", "writer")
    merge(vault, note("Deploys need a reviewer", 1))
    return vault


def header(path: Path) -> int:
    edit(path, "type: notes\n", "type: notes\ntitle: tea : green\n")
    return path.read_text().splitlines().index("title: tea : green") + 1


def conflict(path: Path) -> int:
    line = len(path.read_text().splitlines()) + 1
    path.write_text(path.read_text() + "<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> other\n")
    return line


def latin(path: Path) -> int:
    line = len(path.read_text().splitlines()) + 1
    path.write_bytes(path.read_bytes() + "- caf\u00e9\n".encode("cp1252"))
    return line


BREAK = pytest.mark.parametrize("broken", [header, conflict, latin])


@BREAK
def test_a_change_names_file_and_line(vault: Vault, broken: Callable[[Path], int]) -> None:
    entry = the_entry(vault, "Deploys").id or ""
    path = document(vault, "notes.md")
    path.write_text(path.read_text() + f"\n> [!question] Deploys need two ^{entry}-q\n")
    line = broken(path)
    before = path.read_bytes()
    changes: list[Callable[[], object]] = [
        lambda: forget(vault, entry),
        lambda: accept(vault, entry),
        lambda: reject(vault, entry),
        lambda: move(vault, entry, "writer"),
    ]
    for change in changes:
        with pytest.raises(InvalidDocument) as caught:
            change()
        assert (caught.value.path, caught.value.line) == (NOTES, line)
        assert f"{NOTES}:{line}: " in str(caught.value)
    assert path.read_bytes() == before


@pytest.mark.parametrize("broken", [header, conflict])
def test_what_cannot_be_remembered_is_an_error_that_names_the_place(
    vault: Vault, broken: Callable[[Path], int]
) -> None:
    line = broken(document(vault, "notes.md"))
    with pytest.raises(InvalidDocument) as caught:
        remember(vault, "Staging is reset on Monday", identity="coding-assistant")
    assert (caught.value.path, caught.value.line) == (NOTES, line)


@BREAK
def test_documents_of_memory_that_cannot_be_written_are_found(
    vault: Vault, broken: Callable[[Path], int]
) -> None:
    (vault.top / "mine.md").write_text("---\ntitle: tea : green\n---\n")
    assert list(find_obstacles(vault)) == []
    line = broken(document(vault, "notes.md"))
    assert [(each.path, each.line) for each in find_obstacles(vault)] == [(NOTES, line)]
