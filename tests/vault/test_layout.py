from __future__ import annotations

from pathlib import Path

import pytest

from memfs.errors import UnsafePath, VaultError
from memfs.vault.layout import Layout, config_file, find_vault, open_layout


def test_every_place_of_the_vault(layout: Layout) -> None:
    top = layout.top
    assert layout.config == top / "memfs.toml"
    assert layout.local_config == top / "memfs.local.toml"
    assert layout.document("a", "projects/x.md") == top / "memories/a/projects/x.md"
    assert layout.document_rel("a", "peers/bob/profile.md") == "memories/a/peers/bob/profile.md"
    assert layout.ledger_file("a", "projects/x.md") == top / "memories/a/.ledger/projects/x.md"
    assert layout.cursor_file("a", "codex", "0f", "s-1") == top / "memories/a/.cursors/codex/0f/s-1"
    assert layout.forgotten_file("a") == top / "memories/a/.forgotten"
    assert layout.relay_board("a") == top / "memories/a/relay.md"
    assert layout.relay_records("a") == top / "memories/a/relay.jsonl"
    assert layout.inbox_dir("a") == top / "inbox/a"
    assert (layout.archive, layout.templates, layout.derived) == (
        top / "archive",
        top / "templates",
        top / ".memfs",
    )
    assert layout.local == top / ".git" / "memfs"


def test_a_root_moves_memfs_folders_only(repo: Path) -> None:
    layout = open_layout(repo, "memfs")
    assert layout.memories == layout.top / "memfs" / "memories"
    assert layout.derived == layout.top / "memfs" / ".memfs"
    assert layout.config == layout.top / "memfs.toml"
    for root in ("../x", "/etc", ".git", "a/../.."):
        with pytest.raises(UnsafePath):
            open_layout(repo, root)


@pytest.mark.parametrize("identity", ["..", ".git", "a/b", "", "con"])
def test_an_identity_is_a_safe_name(layout: Layout, identity: str) -> None:
    for place in (layout.identity_dir, layout.inbox_dir, layout.relay_board, layout.forgotten_file):
        with pytest.raises(UnsafePath):
            place(identity)
    with pytest.raises(UnsafePath):
        layout.document("a", "../b/profile.md")
    with pytest.raises(UnsafePath):
        layout.cursor_file("a", "codex", "0f", "../../x")


def test_the_vault_is_found_from_below_and_through_links(repo: Path, tmp_path: Path) -> None:
    (repo / "memfs.toml").write_text("")
    below = repo / "memories" / "a"
    below.mkdir(parents=True)
    (tmp_path / "link").symlink_to(below)
    assert find_vault(tmp_path / "link") == repo.resolve()
    with pytest.raises(VaultError, match="memfs init"):
        find_vault(tmp_path)


def test_settings_in_the_nested_folder_mark_the_folder_above(repo: Path) -> None:
    (repo / "memfs").mkdir()
    (repo / "memfs" / "memfs.toml").write_text("")
    assert config_file(repo) == repo / "memfs" / "memfs.toml"
    assert find_vault(repo / "memfs") == repo.resolve()


def test_a_vault_that_is_itself_called_memfs(tmp_path: Path, repo: Path) -> None:
    vault = repo.rename(tmp_path / "memfs")
    (vault / "memfs.toml").write_text("")
    assert find_vault(vault) == vault.resolve()


def test_a_worktree_has_its_own_local_state_and_the_shared_directory(repo: Path, tmp_path: Path, git) -> None:  # type: ignore[no-untyped-def]
    git(repo, "commit", "-q", "--allow-empty", "-m", "x")
    git(repo, "worktree", "add", "-q", str(tmp_path / "tree"))
    layout = open_layout(tmp_path / "tree")
    assert layout.git_dir == (repo / ".git" / "worktrees" / "tree").resolve()
    assert layout.common_dir == (repo / ".git").resolve()
    assert layout.local == layout.git_dir / "memfs"


def test_no_repository_is_an_error_with_a_way_on(tmp_path: Path) -> None:
    with pytest.raises(VaultError, match="memfs init"):
        open_layout(tmp_path)
    (tmp_path / ".git").write_text("nonsense")
    with pytest.raises(VaultError):
        open_layout(tmp_path)


def test_identities_are_the_plain_folders_of_memories(layout: Layout) -> None:
    assert layout.identities() == ()
    for name in ("b", "a", ".hidden", "My drafts", "小明"):
        (layout.memories / name).mkdir(parents=True)
    (layout.memories / "c").symlink_to(layout.memories / "a")
    (layout.memories / "note.md").write_text("")
    assert layout.identities() == ("a", "b")
