"""What every test stands on: an environment of its own, no network, and the Hypothesis profiles."""

from __future__ import annotations

import ipaddress
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

PROJECT = Path(__file__).resolve().parent.parent
Git = Callable[..., str]

# "ci" is the same run every time; "dev" looks for something new; "slow" is for `make test-slow`.
_SLOW_START = [HealthCheck.too_slow]
settings.register_profile("dev", deadline=None, max_examples=50, suppress_health_check=_SLOW_START)
settings.register_profile(
    "ci",
    deadline=None,
    max_examples=100,
    derandomize=True,
    database=None,
    print_blob=True,
    suppress_health_check=_SLOW_START,
)
settings.register_profile("slow", deadline=None, max_examples=1000, suppress_health_check=_SLOW_START)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))

_GITCONFIG = """\
[user]
\tname = Robin Person
\temail = robin@example.org
[init]
\tdefaultBranch = main
[commit]
\tgpgsign = false
"""


@pytest.fixture(scope="session", autouse=True)
def own_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home folder with a git identity, no inherited git or memfs variables, UTC, and no model hub."""
    home = tmp_path_factory.mktemp("home")
    (home / ".gitconfig").write_text(_GITCONFIG, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("GIT_", "MEMFS_", "XDG_")):
                patch.delenv(name)
        patch.setenv("HOME", str(home))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        patch.setenv("TZ", "UTC")
        patch.setenv("LC_ALL", "C.UTF-8")
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setenv("HF_HUB_DISABLE_TELEMETRY", "1")
        patch.setenv("TOKENIZERS_PARALLELISM", "false")
        time.tzset()
        yield home
    time.tzset()


def _is_loopback(address: Any) -> bool:
    if not isinstance(address, tuple):
        return True  # a Unix socket's path
    host = str(address[0]).split("%")[0]
    if host in {"", "localhost"}:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(scope="session")
def _outside_connections() -> Iterator[list[str]]:
    """Connections to anywhere but this machine fail, and are written down."""
    attempts: list[str] = []
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def check(address: Any) -> None:
        if not _is_loopback(address):
            attempts.append(str(address))
            raise OSError(f"tests must not connect to {address}")

    def guarded_connect(self: socket.socket, address: Any) -> None:
        check(address)
        connect(self, address)

    def guarded_connect_ex(self: socket.socket, address: Any) -> int:
        check(address)
        return connect_ex(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded_connect)
        patch.setattr(socket.socket, "connect_ex", guarded_connect_ex)
        yield attempts


@pytest.fixture(autouse=True)
def _no_network(_outside_connections: list[str]) -> Iterator[None]:
    """Fail the test that tried to leave the machine, even when its code swallowed the error."""
    _outside_connections.clear()
    yield
    assert not _outside_connections, f"connections outside this machine: {_outside_connections}"


@pytest.fixture(scope="session")
def git() -> Git:
    """Run the person's git: ``git(folder, "commit", "-m", "x")`` gives its output; failure fails the test."""

    def run(folder: Path, *arguments: str, stdin: str | None = None) -> str:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, f"git {' '.join(arguments)}: {done.stderr.strip()}"
        return done.stdout

    return run


@pytest.fixture
def repo(tmp_path: Path, git: Git) -> Path:
    """An empty git repository on branch main, in a folder named ``vault``."""
    folder = tmp_path / "vault"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    return folder


@pytest.fixture
def sample_vault(tmp_path: Path, git: Git) -> Path:
    """A copy of the sample vault as a git repository with one commit by the person."""
    folder = tmp_path / "sample"
    shutil.copytree(PROJECT / "sample_vault", folder)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Start from the sample vault")
    return folder
