"""`memfs up` as a service of the person's own: a systemd user unit, or a launchd agent. No root is needed."""

from __future__ import annotations

import hashlib
import os
import plistlib
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import InvalidRequest, VaultError
from memfs.vault.names import slug

if TYPE_CHECKING:
    from memfs.vault.layout import Layout

_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Background:
    """A service as it is, or would be: its name, file, text, and how it is started and ended.

    ``installed``: the file is there.
    """

    name: str
    path: Path
    text: str
    start: tuple[tuple[str, ...], ...]
    end: tuple[tuple[str, ...], ...]

    @property
    def installed(self) -> bool:
        """Whether its file is there."""
        return self.path.exists()


def plan_background(
    layout: Layout, *, platform: str = sys.platform, environ: Mapping[str, str] = os.environ
) -> Background:
    """The service that would keep this vault served.

    Raises:
        InvalidRequest: there are no such services on this system.
    """
    command = (sys.executable, "-m", "memfs", "up", "--vault", str(layout.top), "--json")
    digest = hashlib.sha256(os.fsencode(layout.top)).hexdigest()[:6]
    name = f"memfs-{slug(layout.top.name)}-{digest}"
    home = Path(environ.get("HOME") or Path.home())
    if platform == "darwin":
        path = home / "Library" / "LaunchAgents" / f"org.{name}.plist"
        domain = f"gui/{os.getuid()}"
        start = (("launchctl", "bootstrap", domain, str(path)),)
        end = (("launchctl", "bootout", f"{domain}/org.{name}"),)
        return Background(name, path, _agent(name, command, home), start, end)
    if not platform.startswith("linux"):
        raise InvalidRequest("services are installed on Linux (systemd) and macOS (launchd) only")
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    unit = f"{name}.service"
    reload = ("systemctl", "--user", "daemon-reload")
    return Background(
        name,
        config / "systemd" / "user" / unit,
        _unit(layout.top, command),
        (reload, ("systemctl", "--user", "enable", "--now", unit)),
        (("systemctl", "--user", "disable", "--now", unit), reload),
    )


def install_background(background: Background) -> tuple[str, ...]:
    """Write the service's file and start it. Gives what could not be done, as the commands to run by hand.

    Raises:
        VaultError: the file cannot be written.
    """
    try:
        background.path.parent.mkdir(parents=True, exist_ok=True)
        background.path.write_text(background.text, encoding="utf-8")
    except OSError as error:
        reason = f"the service cannot be written: {error.strerror}"
        raise VaultError(reason, path=str(background.path)) from error
    return _run(background.start)


def uninstall_background(background: Background) -> tuple[str, ...]:
    """End the service and take its file away. Gives what could not be done, as commands."""
    failed = _run(background.end[:1]) if background.installed else ()
    with suppress(FileNotFoundError):
        background.path.unlink()
    return (*failed, *_run(background.end[1:]))


def _run(commands: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    failed = []
    for command in commands:
        program = shutil.which(command[0])
        try:
            code = (
                program
                and subprocess.run(
                    [program, *command[1:]], capture_output=True, check=False, timeout=_SECONDS
                ).returncode
            )
        except (OSError, subprocess.TimeoutExpired):
            code = None
        if code != 0:
            failed.append(" ".join(command))
    return tuple(failed)


def _unit(top: Path, command: Sequence[str]) -> str:
    return f"""\
[Unit]
Description=memfs: the memory in {_plain(str(top))}

[Service]
Type=exec
ExecStart={" ".join(map(_quoted, command))}
Restart=on-failure
RestartSec=5
TimeoutStopSec=10
UMask=0077
NoNewPrivileges=yes
Nice=5

[Install]
WantedBy=default.target
"""


def _quoted(word: str) -> str:
    """A word as systemd reads it back: nothing in it is a specifier, a variable or the end of the word."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{_plain(escaped, keep_percent=True)}"'


def _plain(text: str, *, keep_percent: bool = False) -> str:
    if any(ord(char) < 32 for char in text):
        raise InvalidRequest("a vault whose path holds control characters cannot be a service")
    return text if keep_percent else text.replace("%", "%%")


def _agent(name: str, command: Sequence[str], home: Path) -> str:
    log = home / "Library" / "Logs" / f"{name}.log"
    agent = {
        "Label": f"org.{name}",
        "ProgramArguments": list(command),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ProcessType": "Background",
        "Umask": 0o077,
        "StandardOutPath": str(log),
        "StandardErrorPath": str(log),
    }
    return plistlib.dumps(agent).decode()
