"""Which source a transcript belongs to: the first that has it, wherever one looks from."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memfs.services.ingesting.sources import find_all, find_transcripts, list_sources, named_files, source_of
from memfs.services.opening import Vault
from tests.daemon.watching import IDENTITY, source_settings, start_vault


def vault_with(tmp_path: Path, *blocks: str) -> Vault:
    return start_vault(tmp_path / "vault", "\n".join(blocks))


def put(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("User: hello\nAssistant: hello\n", encoding="utf-8")


def owners(vault: Vault) -> dict[str, list[str]]:
    """Path -> the sources that find it, each asked alone."""
    found: dict[str, list[str]] = {}
    for source in list_sources(vault):
        for file in find_transcripts(vault, source):
            found.setdefault(os.path.realpath(file.path), []).append(source.name)
    return found


def by_all(vault: Vault) -> dict[str, list[str]]:
    return {os.path.realpath(file.path): [source.name] for source, files in find_all(vault) for file in files}


@pytest.mark.parametrize("spelled", ["inbox/coding-assistant", "inbox/coding-assistant/old", "inbox"])
def test_a_source_in_the_inbox_has_its_files_alone(tmp_path: Path, spelled: str) -> None:
    vault = vault_with(tmp_path, source_settings(Path(spelled), name="mine", me=["Ana"]))
    put(vault.layout.inbox / IDENTITY, "old/a.txt", "b.txt")
    found = owners(vault)
    assert len(found) == 2
    assert found[str(vault.layout.inbox / IDENTITY / "old" / "a.txt")] == ["mine"]
    assert found == by_all(vault)


def test_what_the_first_leaves_out_is_the_next_ones(tmp_path: Path) -> None:
    root = tmp_path / "chats"
    put(root, "work/a.txt", "work/b.md", "c.txt")
    vault = vault_with(
        tmp_path,
        source_settings(root / "work", name="notes", include=["*.md"]),
        source_settings(root, name="rest", exclude=["c.*"]),
        source_settings(root, name="last"),
    )
    found = {Path(path).name: names for path, names in owners(vault).items()}
    assert found == {"a.txt": ["rest"], "b.md": ["notes"], "c.txt": ["last"]}


def test_a_root_by_another_name_is_the_same_root(tmp_path: Path) -> None:
    put(tmp_path / "chats", "a.txt")
    (tmp_path / "link").symlink_to(tmp_path / "chats")
    vault = vault_with(
        tmp_path,
        source_settings(tmp_path / "link", name="first"),
        source_settings(tmp_path / "chats", name="second"),
    )
    assert list(owners(vault).values()) == [["first"]]


def test_a_path_named_by_hand_belongs_to_the_source_that_finds_it(tmp_path: Path) -> None:
    root = tmp_path / "chats"
    put(root, "a.txt", "b.md")
    vault = vault_with(
        tmp_path,
        source_settings(root, name="notes", include=["*.md"]),
        source_settings(root, name="rest"),
    )
    for path in (root / "a.txt", root / "b.md"):
        (file,) = named_files(vault, [path], None)
        assert [file.source.name] == owners(vault)[str(path)]
    found = source_of(list_sources(vault), root / "no.bin")
    assert found is not None
    assert found.name == "rest"
