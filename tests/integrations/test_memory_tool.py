"""Anthropic's memory tool over a vault: each command as a row of a table, each change one commit that can be undone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memfs.errors import InvalidRequest
from memfs.integrations.memory_tool import Answer, answer_command
from memfs.services.agent_files import AgentFiles
from memfs.services.audit import log
from memfs.services.changing import remember
from memfs.services.opening import Vault
from memfs.services.starting import init
from memfs.services.undo import undo
from tests.conftest import Git

NOTES = "# Tide\n\n- the cache holds 24 hours\n- the parser reads CSV\n- the cache holds 24 hours\n"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return init(tmp_path / "vault", identities=["robin", "other"]).vault


@pytest.fixture
def files(vault: Vault) -> AgentFiles:
    return AgentFiles(vault, "robin", "test agent")


@pytest.fixture
def tide(files: AgentFiles) -> AgentFiles:
    assert not do(files, command="create", path="/memories/projects/tide.md", file_text=NOTES).is_error
    return files


def do(files: AgentFiles, **told: Any) -> Answer:
    return answer_command(files, told)


def commits(vault: Vault) -> list[tuple[str, str | None, str]]:
    return [(one.kind, one.message.source if one.message else None, one.subject) for one in log(vault)]


def text(vault: Vault, name: str) -> str:
    return (vault.layout.identity_dir("robin") / name).read_text(encoding="utf-8")


# What each command answers

T = "/memories/projects/tide.md"


def view(path: str, *lines: int) -> dict[str, Any]:
    return {"command": "view", "path": path} | ({"view_range": list(lines)} if lines else {})


def create(path: str, text: str) -> dict[str, Any]:
    return {"command": "create", "path": path, "file_text": text}


def replace(path: str, old: str, new: str) -> dict[str, Any]:
    return {"command": "str_replace", "path": path, "old_str": old, "new_str": new}


def insert(path: str, line: int, text: str) -> dict[str, Any]:
    return {"command": "insert", "path": path, "insert_line": line, "insert_text": text}


def delete(path: str) -> dict[str, Any]:
    return {"command": "delete", "path": path}


def rename(old: str, new: str) -> dict[str, Any]:
    return {"command": "rename", "old_path": old, "new_path": new}


GOOD: list[tuple[dict[str, Any], str]] = [
    (view(T), "Here's the content of /memories/projects/tide.md"),
    (view(T), "     3\t- the cache holds 24 hours"),
    (view(T, 4, 4), "     4\t- the parser reads CSV"),
    (view(T, 4, -1), "     5\t- the cache"),
    (view("/memories"), T),
    (view("/memories/"), "/memories/projects/\n"),
    (create("/memories/todo.txt", "a\n"), "File created successfully at: /memories/todo.txt"),
    (create("/memories/潮汐/笔记.md", "一\n"), "File created successfully"),
    (
        replace(T, "CSV", "JSON"),
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
        "     2\t\n     3\t- the cache holds 24 hours\n     4\t- the parser reads JSON\n",
    ),
    ({"command": "str_replace", "path": T, "old_str": " reads CSV"}, "     4\t- the parser\n"),
    (
        insert(T, 2, "- first\n"),
        "The file /memories/projects/tide.md has been edited.",
    ),
    (delete(T), "Successfully deleted /memories/projects/tide.md"),
    (delete("/memories/projects"), "Successfully deleted /memories/projects"),
    (
        rename(T, "/memories/old/tide.md"),
        "Successfully renamed /memories/projects/tide.md to /memories/old/tide.md",
    ),
    (rename("/memories/projects", "/memories/done"), "Successfully renamed"),
]


@pytest.mark.parametrize(("told", "answer"), GOOD)
def test_a_command_answers_as_models_are_used_to(tide: AgentFiles, told: dict[str, Any], answer: str) -> None:
    before = len(commits(tide.vault))
    said = do(tide, **told)
    assert not said.is_error
    assert answer in said.text
    assert len(commits(tide.vault)) - before == (told["command"] != "view")


BAD: list[tuple[dict[str, Any], str]] = [
    (view("/memories/none.md"), "The path /memories/none.md does not exist. Please provide a valid path."),
    (view(T, 9, 12), "Invalid `view_range` parameter: [9, 12]"),
    (view(T, 1), "Invalid `view_range"),
    (create(T, "x"), f"File {T} already exists"),
    (create("/memories/projects", "x"), "already exists"),
    (create("/memories", "x"), "is not a file"),
    ({"command": "create", "path": f"{T}/below.md", "file_text": "x"}, ""),
    ({"command": "create", "path": "/memories/a.md"}, "Invalid `file_text` parameter"),
    (replace(T, "XML", "y"), f"No replacement was performed, old_str `XML` did not appear verbatim in {T}."),
    (replace(T, "24 hours", "y"), "Multiple occurrences of old_str `24 hours` in lines: 3, 5. Please ensure"),
    (replace(T, "", "y"), "old_str is empty"),
    (replace("/memories/none.md", "a", "b"), "does not exist"),
    (replace("/memories/projects", "a", "b"), "is not a file"),
    (insert(T, 6, "x"), "Invalid `insert_line` parameter: 6. It should be within the range [0, 5]."),
    (insert(T, -1, "x"), "Invalid `insert_line` parameter: -1"),
    (insert("/memories/none.md", 0, "x"), "does not exist"),
    (delete("/memories/none.md"), "The path /memories/none.md does not exist"),
    (delete("/memories"), "Cannot delete the /memories directory itself"),
    (rename("/memories/none.md", "/memories/b.md"), "The path /memories/none.md does not exist"),
    (rename(T, "/memories/projects"), "The destination /memories/projects already exists"),
    (rename("/memories", "/memories/b"), "Cannot rename the /memories directory itself"),
    (view("/etc/passwd"), "Path must start with /memories, got: /etc/passwd"),
    (view("/memoriesx"), "Path must start with /memories"),
    (view("/memories/../../other/notes.md"), ""),
    (view("/memories/%2e%2e/other"), ""),
    (create("/memories/../other/x.md", "x"), ""),
    (create("/memories/a/./../../../x.md", "x"), ""),
    (create("/memories/.git/config", "x"), ""),
    (view("/memories/.ledger/notes.md"), "kept by memfs"),
    (delete("/memories/.forgotten"), "kept by memfs"),
    (create("/memories/relay.md", "x"), "kept by memfs"),
    (rename(T, "/memories/.hidden.md"), "kept by memfs"),
    ({"command": "view"}, "Invalid `path` parameter"),
    ({"command": "copy", "path": T}, "Unknown command: copy"),
    ({}, "Unknown command: None"),
]


@pytest.mark.parametrize(("told", "answer"), BAD)
def test_a_command_that_cannot_be_done_says_why_and_changes_nothing(
    tide: AgentFiles, git: Git, told: dict[str, Any], answer: str
) -> None:
    before = git(tide.vault.top, "rev-parse", "HEAD^{tree}"), len(commits(tide.vault))
    said = do(tide, **told)
    assert said.is_error
    assert said.text.startswith("Error: ")
    assert answer in said.text
    assert (git(tide.vault.top, "rev-parse", "HEAD^{tree}"), len(commits(tide.vault))) == before
    assert git(tide.vault.top, "status", "--porcelain") == ""


# What stands behind the answers


def test_every_change_is_a_commit_that_says_who_asked(tide: AgentFiles) -> None:
    do(tide, command="insert", path=T, insert_line=0, insert_text="- new")
    do(tide, command="rename", old_path=T, new_path="/memories/tide.md")
    do(tide, command="delete", path="/memories/tide.md")
    kinds = commits(tide.vault)[:4]
    assert [kind for kind, _, _ in kinds] == ["agent"] * 4
    assert {source for _, source, _ in kinds} == {"test agent"}
    assert kinds[0][2] == "robin: the agent asked to delete /memories/tide.md"


def test_a_replacement_that_changes_nothing_makes_no_commit(tide: AgentFiles) -> None:
    before = commits(tide.vault)
    assert not do(tide, command="str_replace", path=T, old_str="CSV", new_str="CSV").is_error
    assert commits(tide.vault) == before


def test_hand_edits_are_committed_first_and_survive(tide: AgentFiles) -> None:
    place = tide.vault.layout.identity_dir("robin") / "projects" / "tide.md"
    place.write_text(NOTES + "- by hand\n", encoding="utf-8")
    do(tide, command="str_replace", path=T, old_str="CSV", new_str="JSON")
    assert place.read_text(encoding="utf-8") == NOTES.replace("CSV", "JSON") + "- by hand\n"
    assert [kind for kind, _, _ in commits(tide.vault)[:2]] == ["agent", "hand"]


@pytest.mark.parametrize("command", ["create", "str_replace", "insert"])
def test_a_secret_never_reaches_the_disk(tide: AgentFiles, git: Git, command: str) -> None:
    secret = "ghp_" + "a8Kd93jfLq02Zx7Vb5Nm1Rt6Yw4Pc0Hs2E"[:36]
    told = {
        "create": {"path": "/memories/k.md", "file_text": f"token = {secret}\n"},
        "str_replace": {"path": T, "old_str": "CSV", "new_str": f"token = {secret}"},
        "insert": {"path": T, "insert_line": 0, "insert_text": f"token = {secret}"},
    }[command]
    said = do(tide, command=command, **told)
    assert not said.is_error
    assert "replaced by a placeholder" in said.text
    assert secret not in git(tide.vault.top, "log", "-p", "--all")
    assert secret not in said.text


def test_line_ends_and_the_missing_last_one_stay(files: AgentFiles, vault: Vault) -> None:
    do(files, command="create", path="/memories/crlf.md", file_text="a\r\nb\r\nc")
    do(files, command="str_replace", path="/memories/crlf.md", old_str="b", new_str="B")
    assert (vault.layout.identity_dir("robin") / "crlf.md").read_bytes() == b"a\r\nB\r\nc"


def test_an_entry_that_an_agent_edits_is_not_rewritten_and_one_that_it_deletes_stays_away(
    vault: Vault,
) -> None:
    files = AgentFiles(vault, "robin")
    first = remember(vault, "The cache holds 24 hours", identity="robin")
    remember(vault, "The parser reads CSV", identity="robin")
    said = do(files, command="str_replace", path="/memories/notes.md", old_str="24 hours", new_str="48 hours")
    assert f"^{first.id}" in said.text
    remember(vault, "The office closes at five", identity="robin")
    assert "48 hours" in text(vault, "notes.md")
    assert "The parser reads CSV" in text(vault, "notes.md")


def test_undo_takes_back_each_kind_of_change(tide: AgentFiles) -> None:
    vault = tide.vault
    do(tide, command="insert", path=T, insert_line=5, insert_text="- inserted")
    inserted = log(vault)[0].commit
    do(tide, command="str_replace", path=T, old_str="CSV", new_str="JSON")
    assert undo(vault, inserted).commit
    assert text(vault, "projects/tide.md") == NOTES.replace("CSV", "JSON")
    do(tide, command="delete", path="/memories/projects")
    assert undo(vault, log(vault)[0].commit).commit
    assert text(vault, "projects/tide.md") == NOTES.replace("CSV", "JSON")
    do(tide, command="rename", old_path=T, new_path="/memories/moved.md")
    undo(vault, log(vault)[0].commit)
    assert text(vault, "projects/tide.md") == NOTES.replace("CSV", "JSON")
    assert not (vault.layout.identity_dir("robin") / "moved.md").exists()


def test_undo_twice_finds_nothing_left(tide: AgentFiles) -> None:
    made = log(tide.vault)[0].commit
    assert undo(tide.vault, made).commit
    assert undo(tide.vault, made).commit is None


def test_a_link_that_leads_out_is_neither_shown_nor_followed(tide: AgentFiles, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret", encoding="utf-8")
    (tide.vault.layout.identity_dir("robin") / "out").symlink_to(outside)
    assert "out" not in do(tide, command="view", path="/memories").text.replace("without", "")
    assert do(tide, command="view", path="/memories/out/secret.md").is_error
    assert do(tide, command="create", path="/memories/out/new.md", file_text="x").is_error
    assert [path.name for path in outside.iterdir()] == ["secret.md"]


def test_a_link_to_another_identity_is_not_followed(vault: Vault) -> None:
    remember(vault, "Only the other one knows this", identity="other")
    layout = vault.layout
    layout.identity_dir("robin").mkdir(exist_ok=True)
    (layout.identity_dir("robin") / "link").symlink_to(layout.identity_dir("other"))
    (layout.identity_dir("robin") / "one.md").symlink_to(layout.identity_dir("other") / "notes.md")
    files = AgentFiles(vault, "robin")
    assert "link" not in do(files, command="view", path="/memories").text
    for told in (
        view("/memories/link"),
        view("/memories/link/notes.md"),
        view("/memories/one.md"),
        create("/memories/link/new.md", "x"),
        insert("/memories/one.md", 0, "x"),
        replace("/memories/one.md", "Only", "x"),
        delete("/memories/link"),
        delete("/memories/link/notes.md"),
        delete("/memories/one.md"),
        rename("/memories/link/notes.md", "/memories/mine.md"),
        rename("/memories/one.md", "/memories/mine.md"),
    ):
        answer = do(files, **told)
        assert answer.is_error, told
        assert "knows" not in answer.text
    assert "knows this" in (layout.identity_dir("other") / "notes.md").read_text(encoding="utf-8")


def test_a_secret_is_not_put_together_by_edits_nor_told_in_a_name(tide: AgentFiles, git: Git) -> None:
    halves = "ghp_a8Kd93jfLq02Zx7V", "b5Nm1Rt6Yw4Pc0Hs2EqT"
    assert not do(tide, **create("/memories/k.md", f"token {halves[0]} and {halves[1]}\n")).is_error
    said = do(tide, **replace("/memories/k.md", " and ", ""))
    assert said.is_error or "".join(halves) not in text(tide.vault, "k.md")
    assert do(tide, **create("/memories/AKIA7Q3ZP2LMNXR4VTKE.md", "x")).is_error
    told = git(tide.vault.top, "log", "-p", "--all")
    assert "".join(halves) not in told
    assert "AKIA7Q3ZP2LMNXR4VTKE" not in told


def test_an_identity_does_not_grant_itself_anothers_memory(vault: Vault) -> None:
    remember(vault, "Only the other one knows this", identity="other")
    remember(vault, "Something of its own", identity="robin")
    files = AgentFiles(vault, "robin")
    (vault.layout.identity_dir("robin") / "identity.md").write_text(
        "---\ntype: identity\n---\n", encoding="utf-8"
    )
    path = "/memories/identity.md"
    for told in (
        replace(path, "type: identity", "type: identity\nreads: [other]"),
        insert(path, 2, "reads: [other]"),
        delete(path),
        rename(path, "/memories/was.md"),
        rename("/memories/notes.md", path),
    ):
        assert do(files, **told).is_error
    assert not do(files, **view(path)).is_error


def test_half_a_character_is_an_answer_not_a_fault(files: AgentFiles) -> None:
    assert "surrogate" in do(files, **create("/memories/a.md", "a \ud800 b")).text


def test_undo_of_an_undo_brings_the_file_back(tide: AgentFiles) -> None:
    do(tide, command="insert", path=T, insert_line=5, insert_text="- inserted")
    undo(tide.vault, log(tide.vault)[0].commit)
    undo(tide.vault, log(tide.vault)[0].commit)
    assert text(tide.vault, "projects/tide.md") == NOTES + "- inserted\n"


def test_undo_brings_no_secret_back(tide: AgentFiles) -> None:
    place = tide.vault.layout.identity_dir("robin") / "mine.md"
    place.write_text("- key AKIA7Q3ZP2LMNXR4VTKE\n", encoding="utf-8")
    do(
        tide,
        command="str_replace",
        path="/memories/mine.md",
        old_str="- key AKIA7Q3ZP2LMNXR4VTKE",
        new_str="- gone",
    )
    with pytest.raises(InvalidRequest, match="secret"):
        undo(tide.vault, log(tide.vault)[0].commit)
    assert place.read_text(encoding="utf-8") == "- gone\n"


def test_an_identity_never_reaches_anothers_files(vault: Vault) -> None:
    remember(vault, "Only the other one knows this", identity="other")
    files = AgentFiles(vault, "robin")
    assert "notes.md" not in do(files, command="view", path="/memories").text
    assert do(files, command="view", path="/memories/notes.md").is_error


def test_sizes_are_shown_as_people_read_them(files: AgentFiles) -> None:
    do(files, command="create", path="/memories/big.md", file_text="x" * 1536)
    assert "1.5K\t/memories/big.md" in do(files, command="view", path="/memories").text


def test_a_file_that_is_no_text_is_left_alone(files: AgentFiles, vault: Vault) -> None:
    (vault.layout.identity_dir("robin") / "raw.md").write_bytes(b"\xff\xfe\x00")
    assert "not UTF-8" in do(files, command="view", path="/memories/raw.md").text
    assert do(files, command="insert", path="/memories/raw.md", insert_line=0, insert_text="x").is_error
