"""Init on new folders, Obsidian vaults and repositories: it adds, and changes nothing that is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.errors import RepositoryBusy, UnsafePath, VaultError
from memfs.services.opening import open_vault
from memfs.services.starting import init
from tests.services.lexical import fsck, hashes
from tests.services.vaults import far_clock, git


def obsidian(folder: Path) -> Path:
    """An Obsidian vault as a person has it: settings, CRLF, a byte order mark, an attachment, Latin-1."""
    files = {
        ".obsidian/app.json": b'{"alwaysUpdateLinks": true}',
        ".obsidian/workspace.json": b"{}",
        ".gitignore": b"*.tmp",
        "Welcome.md": b"\xef\xbb\xbf---\r\ntags: [a]\r\n---\r\nhi \r\n",
        "old/latin.md": b"caf\xe9\n",
        "attachments/a.png": bytes(range(256)),
        "Empty.md": b"",
    }
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def test_an_obsidian_vault_without_git_keeps_every_byte(tmp_path: Path) -> None:
    vault = obsidian(tmp_path / "notes")
    before = hashes(vault)
    started = init(vault, identities=["coder"], clock=far_clock())
    after = hashes(vault)
    assert {name: after[name] for name in before} == before
    assert set(started.created) == after.keys() - before.keys() | {".memfs/.gitignore"}
    assert started.taken == ()
    tracked = git(vault, "ls-files").split()
    assert sorted(tracked) == [
        "memfs.toml",
        "memories/.gitattributes",
        "memories/.gitignore",
        "memories/coder/identity.md",
    ]
    assert "Welcome.md" in git(vault, "status", "--short")
    assert fsck(vault) == ""


def test_a_repository_keeps_what_is_staged_and_changed(repo: Path) -> None:
    (repo / "note.md").write_text("one\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "Begin")
    (repo / "note.md").write_text("two\n")
    git(repo, "add", "note.md")
    (repo / "note.md").write_text("three\n")
    (repo / "new.md").write_text("new\n")
    before = git(repo, "status", "--porcelain"), git(repo, "diff", "--cached")
    started = init(repo, clock=far_clock())
    assert (git(repo, "status", "--porcelain"), git(repo, "diff", "--cached")) == before
    assert git(repo, "show", "--format=", "--name-only", started.commit or "").split() == [
        "memfs.toml",
        "memories/.gitattributes",
        "memories/.gitignore",
        "memories/assistant/identity.md",
    ]


@pytest.mark.parametrize("name", ["Memories", "MEMORIES", "Inbox", "archive", "templates"])
def test_a_taken_name_in_any_case_moves_memfs_below_its_own_folder(tmp_path: Path, name: str) -> None:
    vault = tmp_path / "notes"
    (vault / name).mkdir(parents=True)
    (vault / name / "mine.md").write_text("mine\n")
    started = init(vault, clock=far_clock())
    assert started.taken == (name,)
    assert started.vault.layout.root == "memfs"
    assert (vault / "memfs/memories/assistant/identity.md").is_file()
    assert (vault / name / "mine.md").read_text() == "mine\n"
    assert [path.name for path in (vault / name).iterdir()] == ["mine.md"]


def test_inside_another_repository_it_names_the_top_and_makes_nothing(repo: Path) -> None:
    before = sorted(repo.rglob("*"))
    for folder in ("sub", "sub/deeper"):
        with pytest.raises(VaultError) as caught:
            init(repo / folder)
        assert str(repo) in (caught.value.hint or "")
    assert sorted(repo.rglob("*")) == before


def test_a_second_init_changes_nothing_and_an_identity_is_added(tmp_path: Path) -> None:
    first = init(tmp_path / "v", identities=["coder"], clock=far_clock())
    before = hashes(tmp_path / "v")
    again = init(tmp_path / "v", clock=far_clock())
    assert (again.created, again.commit) == ((), None)
    assert hashes(tmp_path / "v") == before
    added = init(tmp_path / "v", identities=["writer"], clock=far_clock())
    assert added.created == ("memories/writer/identity.md",)
    assert added.commit is not None
    assert added.vault.identities() == ("coder", "writer")
    assert git(tmp_path / "v", "rev-list", "--count", "HEAD").strip() == "2"
    assert git(tmp_path / "v", "status", "--short") == ""
    assert first.commit == git(tmp_path / "v", "rev-parse", "HEAD~1").strip()


def test_where_self_memory_is_off_an_identity_begins_without_files_about_itself(tmp_path: Path) -> None:
    init(tmp_path, identities=["coding-assistant"], clock=far_clock())
    settings = tmp_path / "memfs.toml"
    settings.write_text(settings.read_text("utf-8") + "\n[memory_policy.self]\nenabled = false\n", "utf-8")
    vault = init(tmp_path, identities=["home-aide"], clock=far_clock()).vault
    assert vault.identities() == ("coding-assistant", "home-aide")
    assert vault.layout.document("coding-assistant", "identity.md").is_file(), "what is there stays"
    assert not vault.layout.document("home-aide", "identity.md").exists()


def test_a_deleted_file_of_init_comes_back(tmp_path: Path) -> None:
    init(tmp_path / "v", clock=far_clock())
    (tmp_path / "v/memories/.gitattributes").unlink()
    again = init(tmp_path / "v", clock=far_clock())
    assert again.created == ("memories/.gitattributes",)
    assert git(tmp_path / "v", "status", "--short") == ""


def test_files_of_an_init_that_came_no_further_are_committed(tmp_path: Path) -> None:
    started = init(tmp_path / "v", clock=far_clock())
    git(tmp_path / "v", "update-ref", "-d", "refs/heads/main")
    git(tmp_path / "v", "rm", "-q", "-r", "--cached", ".")
    again = init(tmp_path / "v", clock=far_clock())
    assert again.created == ()
    assert git(tmp_path / "v", "ls-tree", "-r", "--name-only", "HEAD") == git(
        tmp_path / "v", "ls-tree", "-r", "--name-only", started.commit or ""
    )


def test_chinese(tmp_path: Path) -> None:
    started = init(tmp_path / "库", language="zh", clock=far_clock())
    assert started.vault.language == "zh"
    assert git(tmp_path / "库", "log", "-1", "--format=%s").strip() == "建立记忆库 库"
    text = (tmp_path / "库/memories/assistant/identity.md").read_text(encoding="utf-8")
    assert "|偏好]]" in text


def test_an_unborn_branch_becomes_the_vaults(tmp_path: Path) -> None:
    folder = tmp_path / "v"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "notes")
    started = init(folder, clock=far_clock())
    assert started.vault.config.git.branch == "notes"
    assert git(folder, "rev-parse", "notes").strip() == started.commit


def test_a_new_repository_gets_the_branch_that_is_named(tmp_path: Path) -> None:
    started = init(tmp_path / "v", branch="memory", clock=far_clock())
    assert started.vault.config.git.branch == "memory"
    assert git(tmp_path / "v", "branch", "--show-current").strip() == "memory"


def busy(folder: Path, state: str) -> str | None:
    """Bring a repository into a state in which nothing can be committed; gives the branch to ask for."""
    (folder / "note.md").write_text("one\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "Begin")
    if state == "detached":
        git(folder, "checkout", "-q", "--detach")
    elif state == "merge":
        git(folder, "switch", "-q", "-c", "other")
        git(folder, "commit", "-q", "--allow-empty", "-m", "Other")
        git(folder, "switch", "-q", "main")
        git(folder, "merge", "-q", "--no-ff", "--no-commit", "other")
    return "other" if state == "branch" else None


@pytest.mark.parametrize("state", ["detached", "merge", "branch"])
def test_where_nothing_can_be_committed_nothing_is_written(repo: Path, state: str) -> None:
    branch = busy(repo, state)
    before = hashes(repo)
    with pytest.raises(RepositoryBusy):
        init(repo, branch=branch, clock=far_clock())
    assert hashes(repo) == before
    assert not (repo / "memories").exists()


def test_an_identity_is_not_added_on_another_branch(tmp_path: Path) -> None:
    init(tmp_path / "v", clock=far_clock())
    git(tmp_path / "v", "switch", "-q", "-c", "draft")
    with pytest.raises(RepositoryBusy, match="main"):
        init(tmp_path / "v", identities=["writer"], clock=far_clock())
    assert not (tmp_path / "v/memories/writer").exists()


@pytest.mark.parametrize("identity", ["../x", "a/b", "..", "CON", ".git"])
def test_ar_05_a_bad_identity_makes_no_repository(tmp_path: Path, identity: str) -> None:
    with pytest.raises(UnsafePath):
        init(tmp_path / "v", identities=[identity], clock=far_clock())
    assert not (tmp_path / "v").exists()


def test_gi_06_a_repository_without_a_person_is_no_obstacle(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(repo.parent))
    init(repo, clock=far_clock())
    assert git(repo, "log", "-1", "--format=%an").strip() == "memfs"
    assert "user" not in (repo / ".git/config").read_text()


def test_a_vault_is_opened_from_any_folder_in_it(tmp_path: Path) -> None:
    init(tmp_path / "v", identities=["coder"], clock=far_clock())
    opened = open_vault(tmp_path / "v/memories/coder", environ={})
    assert opened.top == tmp_path / "v"
    assert open_vault(environ={"MEMFS_VAULT": str(tmp_path / "v")}).top == tmp_path / "v"
    with pytest.raises(VaultError, match="no vault"):
        open_vault(tmp_path, environ={})
