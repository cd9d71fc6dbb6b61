"""`memfs up` as a service: a unit that systemd reads as meant, an agent that launchd does, and both of one's own."""

from __future__ import annotations

import os
import plistlib
import shlex
import stat
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from memfs.errors import InvalidRequest
from memfs.services.background import install_background, plan_background, uninstall_background
from memfs.vault.layout import Layout
from tests.services.vaults import new_vault


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return new_vault(tmp_path / "vault").layout


@pytest.fixture
def home(tmp_path: Path) -> Mapping[str, str]:
    return {"HOME": str(tmp_path / "home")}


def test_a_unit_of_systemd(layout: Layout, home: Mapping[str, str]) -> None:
    planned = plan_background(layout, platform="linux", environ=home)
    assert planned.path == Path(home["HOME"]) / ".config/systemd/user" / f"{planned.name}.service"
    (line,) = [line for line in planned.text.splitlines() if line.startswith("ExecStart=")]
    command = shlex.split(line.removeprefix("ExecStart="))
    assert command == [sys.executable, "-m", "memfs", "up", "--vault", str(layout.top), "--json"]
    assert "WantedBy=default.target" in planned.text
    assert not planned.installed


def test_names_that_systemd_would_read_as_more(tmp_path: Path, home: Mapping[str, str]) -> None:
    layout = new_vault(tmp_path / 'a "b" %h $HOME \\n').layout
    text = plan_background(layout, platform="linux", environ=home).text
    assert 'a \\"b\\" %%h $$HOME \\\\n"' in text
    with pytest.raises(InvalidRequest, match="control characters"):
        plan_background(Layout(tmp_path / "a\nExecStart=x", "", tmp_path), platform="linux", environ=home)


def test_an_agent_of_launchd(layout: Layout, home: Mapping[str, str]) -> None:
    planned = plan_background(layout, platform="darwin", environ=home)
    agent = plistlib.loads(planned.text.encode())
    assert agent["Label"] == planned.path.stem
    assert agent["ProgramArguments"][-3:] == ["--vault", str(layout.top), "--json"]
    assert agent["RunAtLoad"] is True
    assert planned.path.parent == Path(home["HOME"]) / "Library/LaunchAgents"


def test_two_vaults_of_one_name_are_two_services(tmp_path: Path, home: Mapping[str, str]) -> None:
    names = {
        plan_background(new_vault(tmp_path / each / "memory").layout, platform="linux", environ=home).name
        for each in ("a", "b")
    }
    assert len(names) == 2


def test_another_system_has_none(layout: Layout) -> None:
    with pytest.raises(InvalidRequest, match="Linux"):
        plan_background(layout, platform="win32")


def test_install_and_uninstall(
    layout: Layout, home: Mapping[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no systemd here: a program of its name writes down what it is told."""
    told = tmp_path / "told"
    tool = tmp_path / "bin" / "systemctl"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\necho "$@" >> {told}\n')
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tool.parent}{os.pathsep}{os.environ['PATH']}")
    planned = plan_background(layout, platform="linux", environ=home)
    assert install_background(planned) == ()
    assert planned.installed
    assert planned.path.read_text() == planned.text
    unit = planned.path.name
    assert told.read_text().splitlines() == ["--user daemon-reload", f"--user enable --now {unit}"]
    assert uninstall_background(planned) == ()
    assert not planned.installed
    assert told.read_text().splitlines()[2:] == [f"--user disable --now {unit}", "--user daemon-reload"]


def test_what_cannot_be_run_is_told(
    layout: Layout, home: Mapping[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    planned = plan_background(layout, platform="linux", environ=home)
    failed = install_background(planned)
    assert failed == ("systemctl --user daemon-reload", f"systemctl --user enable --now {planned.path.name}")
    assert planned.installed
