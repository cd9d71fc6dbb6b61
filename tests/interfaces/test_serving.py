"""The commands edit, token and service, as a person uses them."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.services.opening import open_vault
from memfs.services.tokens import check_token
from tests.interfaces.conftest import Memfs, run_memfs


def test_edit(memfs: Memfs, vault: Path) -> None:
    kept = memfs("remember", "The meter stands in the hall", "--identity", "home-aide", "--json").json
    done = memfs("edit", kept["id"], "The meter stands in the cellar", "--json")
    assert done.json["action"] == "edit"
    assert f"- The meter stands in the cellar ^{kept['id']}" in (vault / kept["path"]).read_text()
    (entry,) = [one for one in memfs("list", "--json").json if one["id"] == kept["id"]]
    assert entry["origin"] == "hand"
    assert memfs("edit", kept["id"], "The meter stands in the cellar").out.startswith("known already")
    undone = memfs("undo", done.json["commit"], "--json").json
    assert [one["action"] for one in undone["entries"]] == ["updated"]
    assert memfs("edit", "m-aaaaaaaaaaaaa", "x").code == 6


def test_tokens_are_made_listed_and_removed(vault: Path) -> None:
    made = run_memfs("token", "add", "home-aide", "--name", "phone", "--vault", vault)
    assert made.code == 0
    token = made.out.strip()
    assert "sees only the memory of home-aide" in made.err
    layout = open_vault(vault).layout
    grant = check_token(layout, token)
    assert grant is not None
    assert grant.identity == "home-aide"
    listed = run_memfs("token", "list", "--vault", vault)
    assert token not in listed.out
    assert "home-aide" in listed.out
    assert "phone" in listed.out
    (one,) = run_memfs("token", "list", "--vault", vault, "--json").json
    assert one["token"] is None
    assert run_memfs("token", "remove", one["id"], "--vault", vault).code == 0
    assert check_token(layout, token) is None
    assert run_memfs("token", "remove", one["id"], "--vault", vault).code == 2
    assert "No tokens" in run_memfs("token", "list", "--vault", vault).out


def test_a_service_is_shown_and_asked_for(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("PATH", str(tmp_path))  # no systemd
    shown = run_memfs("service", "show", "--vault", vault, "--json").json
    assert not shown["installed"]
    assert "memfs" in shown["text"]
    asked = run_memfs("service", "install", "--vault", vault)
    assert asked.code == 2
    assert "--yes" in asked.err
    assert not Path(shown["path"]).exists()
    done = run_memfs("service", "install", "--yes", "--vault", vault)
    assert shown["text"].rstrip() in done.out  # shown before it is written
    assert done.code == 10
    assert "systemctl --user enable --now" in done.err
    assert Path(shown["path"]).read_text() == shown["text"]
    assert run_memfs("service", "uninstall", "--yes", "--vault", vault).code == 10
    assert not Path(shown["path"]).exists()
