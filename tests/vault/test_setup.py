from __future__ import annotations

import hashlib
import tomllib
from datetime import date
from pathlib import Path

import pytest

from memfs.config.reading import load_config
from memfs.errors import ConfigError, UnsafePath, VaultError
from memfs.vault.layout import config_file, find_vault, open_layout
from memfs.vault.setup import NewVault, check_top_level, ensure_ignores, init_vault
from memfs.vault.skeleton import render_identity
from tests.conftest import Git

TODAY = date(2026, 11, 30)


def init(folder: Path, *identities: str, **options: str) -> NewVault:
    return init_vault(folder, identities=identities or ("coding-assistant",), today=TODAY, **options)  # type: ignore[arg-type]


def fingerprint(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(folder).parts[:1]
    }


def test_a_new_vault(repo: Path, git: Git) -> None:
    new = init(repo, branch="main")
    assert new.taken == ()
    assert new.created[:2] == ("memfs.toml", "memories/coding-assistant/identity.md")
    assert set(new.tracked) == {
        "memfs.toml",
        "memories/coding-assistant/identity.md",
        "memories/.gitignore",
        "memories/.gitattributes",
    }
    assert find_vault(repo / "memories") == repo.resolve()
    assert (repo / "inbox" / "coding-assistant").is_dir()
    status = git(repo, "status", "--porcelain", "-uall").splitlines()
    assert sorted(line[3:] for line in status) == sorted(new.tracked)


def test_the_settings_can_be_read_and_say_what_was_chosen(repo: Path) -> None:
    init(repo, language="zh", branch='fea"ture/名')
    config = load_config(repo, {})
    assert (config.language, config.git.branch, config.extract.model) == ("zh", 'fea"ture/名', "rules")
    assert all(
        line.isascii() for line in (repo / "memfs.toml").read_text().splitlines() if line.startswith("[")
    )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_identity_begins_with_links_to_its_documents(repo: Path, language: str) -> None:
    init(repo, "coding-assistant", "no", language=language)
    text = (repo / "memories/coding-assistant/identity.md").read_text()
    head, _, body = text.removeprefix("---\n").partition("\n---\n")
    assert head.splitlines() == [
        "identity: coding-assistant",
        "type: identity",
        "created: 2026-11-30",
        "updated: 2026-11-30",
    ]
    assert body.startswith("\n# coding-assistant\n")
    assert "[[memories/coding-assistant/decisions|" in body
    assert ("决策" in body) is (language == "zh")
    assert 'identity: "no"' in (repo / "memories/no/identity.md").read_text()


def test_init_again_adds_only_what_is_missing(repo: Path) -> None:
    init(repo)
    (repo / "memories/coding-assistant/identity.md").write_text("mine\n")
    (repo / "memfs.toml").write_text('language = "zh"\n')
    before = fingerprint(repo)
    again = init(repo, "coding-assistant", "second")
    assert again.created == ("memories/second/identity.md",)
    assert {path: hash_ for path, hash_ in fingerprint(repo).items() if path in before} == before


def test_nothing_that_is_there_changes(repo: Path, git: Git) -> None:
    for path, text in {"Daily/x.md": "a\r\n", ".gitignore": "*.tmp", ".obsidian/app.json": "{}"}.items():
        (repo / path).parent.mkdir(exist_ok=True)
        (repo / path).write_bytes(text.encode())
    git(repo, "add", "-A")
    before, staged = fingerprint(repo), git(repo, "status", "--porcelain")
    new = init(repo)
    after = fingerprint(repo)
    assert {path: after[path] for path in before} == before
    assert set(after) - set(before) == set(new.created)
    assert set(staged.splitlines()) <= set(git(repo, "status", "--porcelain").splitlines())


@pytest.mark.parametrize("name", ["memories", "Memories", "INBOX", "archive", "Templates", ".MemFS"])
@pytest.mark.parametrize("kind", ["folder", "file"])
def test_a_taken_name_moves_memfs_under_its_own_folder(repo: Path, name: str, kind: str) -> None:
    if kind == "folder":
        (repo / name).mkdir()
        (repo / name / "x.md").write_text("mine")
    else:
        (repo / name).write_text("mine")
    before = fingerprint(repo)
    new = init(repo)
    assert (new.layout.root, new.taken) == ("memfs", (name,))
    assert set(new.created) - {"memfs.toml"} == {
        f"memfs/{path}"
        for path in (
            "memories/coding-assistant/identity.md",
            "memories/.gitignore",
            "memories/.gitattributes",
            "inbox/.gitignore",
            "archive/.gitignore",
            ".memfs/.gitignore",
        )
    }
    assert tomllib.loads((repo / "memfs.toml").read_text())["root"] == "memfs"
    assert {path: hash_ for path, hash_ in fingerprint(repo).items() if path in before} == before
    assert (
        "[[memfs/memories/coding-assistant/profile|"
        in (new.layout.memories / "coding-assistant" / "identity.md").read_text()
    )
    assert init(repo).created == ()


def test_a_taken_settings_name_moves_the_settings_too(repo: Path) -> None:
    (repo / "MEMFS.toml").mkdir()
    new = init(repo)
    assert new.layout.root == "memfs"
    assert config_file(repo) == repo / "memfs" / "memfs.toml"
    assert find_vault(repo / "memfs" / "memories") == repo.resolve()
    assert load_config(config_file(repo).parent, {}).root == "memfs"
    assert init(repo).created == ()


@pytest.mark.parametrize("nested", ["memfs/inbox/x.md", "Memfs/x.md", "memfs"])
def test_when_the_other_folder_is_taken_too_init_says_so(repo: Path, nested: str) -> None:
    (repo / "templates").mkdir()
    place = repo / nested
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("mine")
    before = fingerprint(repo)
    with pytest.raises(VaultError, match="templates"):
        init(repo)
    assert fingerprint(repo) == before
    (repo / "memfs.toml").write_text('root = "assistant/memory"\n')
    assert init(repo).layout.memories == repo.resolve() / "assistant" / "memory" / "memories"


def test_a_folder_inside_a_repository_is_refused_and_the_top_named(repo: Path, tmp_path: Path) -> None:
    inner = repo / "docs" / "notes"
    inner.mkdir(parents=True)
    with pytest.raises(VaultError) as caught:
        init(inner)
    assert str(repo.resolve()) in str(caught.value)
    assert fingerprint(repo) == {}
    assert check_top_level(repo)
    assert not check_top_level(tmp_path)
    with pytest.raises(VaultError, match="git init"):
        init(tmp_path)


def test_a_worktree_and_a_submodule_are_top_levels(repo: Path, tmp_path: Path, git: Git) -> None:
    git(repo, "commit", "-q", "--allow-empty", "-m", "x")
    git(repo, "worktree", "add", "-q", str(tmp_path / "tree"))
    init(tmp_path / "tree")
    assert "/memfs.local.toml" in (repo / ".git" / "info" / "exclude").read_text().splitlines()
    (tmp_path / "tree" / "memfs.local.toml").write_text("")
    assert "memfs.local.toml" not in git(tmp_path / "tree", "status", "--porcelain")


@pytest.mark.parametrize("identity", ["..", ".git", "a/b", "con", ""])
def test_a_bad_identity_changes_nothing(repo: Path, identity: str) -> None:
    with pytest.raises(UnsafePath):
        init(repo, "good", identity)
    assert fingerprint(repo) == {}


def test_settings_that_cannot_be_read_are_named(repo: Path) -> None:
    for data in (b"root = [", b"root = 3", b"\xff"):
        (repo / "memfs.toml").write_bytes(data)
        with pytest.raises(ConfigError, match=r"memfs\.toml"):
            init(repo)
    (repo / "memfs.toml").write_text('root = "../x"')
    with pytest.raises(UnsafePath):
        init(repo)


def test_what_git_ignores_and_merges(repo: Path, git: Git) -> None:
    init(repo)
    ignored = [
        "memories/a/relay.md",
        "memories/a/relay.jsonl",
        "memories/a/.memfs-0123",
        "notes/.memfs-0123",
        "inbox/a/chat.md",
        "archive/x/y.pdf",
        ".memfs/index/meta.json",
        "memfs.local.toml",
    ]
    assert git(repo, "check-ignore", *ignored).splitlines() == ignored
    tracked = [
        "memories/a/profile.md",
        "memories/a/entities/tools/relay.md",
        "memories/a/.ledger/profile.md",
        "memories/a/.cursors/codex/0a/s",
        "memories/a/.forgotten",
        "memfs.toml",
    ]
    for path in tracked:
        (repo / path).parent.mkdir(parents=True, exist_ok=True)
        (repo / path).touch()
    git(repo, "add", *tracked)
    union = {
        "memories/a/.ledger/profile.md",
        "memories/a/.ledger/projects/deep/x.md",
        "memories/a/.forgotten",
        "memories/a/.cursors/codex/0a/s",
    }
    answers = git(repo, "check-attr", "merge", *union, "memories/a/profile.md").splitlines()
    assert {line.split(":")[0] for line in answers if line.endswith("merge: union")} == union


def test_ignore_files_come_back_and_keep_what_a_person_added(repo: Path) -> None:
    layout = init(repo).layout
    assert ensure_ignores(layout) == ()
    (layout.memories / ".gitignore").write_bytes(b"mine\r\n.memfs-*")
    (layout.inbox / ".gitignore").unlink()
    assert set(ensure_ignores(layout)) == {"memories/.gitignore", "inbox/.gitignore"}
    text = (layout.memories / ".gitignore").read_bytes()
    assert text == b"mine\r\n.memfs-*\n/*/relay.md\n/*/relay.jsonl\n"
    assert ensure_ignores(layout) == ()
    exclude = (repo / ".git" / "info" / "exclude").read_text()
    assert exclude.count("/memfs.local.toml") == 1


def test_an_archive_elsewhere_is_ignored_unless_it_holds_a_persons_things(repo: Path, tmp_path: Path) -> None:
    layout = init(repo).layout
    assert ensure_ignores(layout, repo.resolve() / "kept") == ("kept/.gitignore",)
    (repo / "attachments").mkdir()
    (repo / "attachments" / "x.png").write_text("mine")
    assert ensure_ignores(layout, repo.resolve() / "attachments") == ()
    assert ensure_ignores(layout, tmp_path / "outside") == ()
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize(
    "name", ["yes", "2026-01-01", "1e3", "null", "a@b", "-x", "a.b", "x-", "coding-assistant"]
)
def test_an_identity_stays_text_in_yaml(repo: Path, name: str) -> None:
    import yaml

    text = render_identity(open_layout(repo), name, "en", TODAY)
    assert yaml.safe_load(text.split("---\n")[1])["identity"] == name
