"""The one way memfs starts git for plumbing.

A repository may arrive with a configuration that runs programs (hooks, fsmonitor, filters, signing, external
diff). So each call has an absolute binary, an argument list, an environment built from nothing, overrides for
every setting that starts a program, no terminal, a time limit and a cap on its output. What a setting cannot
turn off (filters, external diff, textconv) is avoided by the callers' choice of commands.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from memfs.errors import CommitNotFound, HistoryError
from memfs.history.locks import Child, child_of
from memfs.history.pipes import drain

# Settings that win over the repository's own. Values are texts as `-c key=value` takes them.
OVERRIDES: tuple[tuple[str, str], ...] = (
    ("core.fsync", "all"),  # git's default makes no fsync call at all on a commit
    ("core.hooksPath", os.devnull),
    ("core.fsmonitor", "false"),
    ("core.untrackedCache", "keep"),
    ("core.safecrlf", "false"),
    ("core.quotePath", "false"),
    ("core.pager", "cat"),
    ("core.sshCommand", "false"),
    ("core.filesRefLockTimeout", "5000"),  # milliseconds
    ("core.packedRefsTimeout", "5000"),
    ("core.protectHFS", "true"),
    ("core.protectNTFS", "true"),
    ("core.warnAmbiguousRefs", "false"),
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    ("log.showSignature", "false"),
    ("log.mailmap", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("credential.helper", ""),
    ("protocol.allow", "never"),  # a partial clone must not fetch
    ("submodule.recurse", "false"),
    ("i18n.commitEncoding", "UTF-8"),
    ("i18n.logOutputEncoding", "UTF-8"),
)
# Variables that say where and how, never what; all GIT_* are left out on purpose.
_KEPT = (
    "PATH",
    "HOME",
    "XDG_CONFIG_HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
)
_FIXED = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_ASKPASS": "",  # set and empty: neither core.askPass nor SSH_ASKPASS is asked
    "GIT_EDITOR": "false",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}
SECONDS = 30.0
_NO_SUCH_COMMIT = ("bad object", "not a valid object name", "unknown revision", "not a tree object")


@cache
def git_binary() -> str:
    """The absolute path of git, looked for once, in absolute folders of PATH only."""
    folders = [part for part in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(part)]
    found = shutil.which("git", path=os.pathsep.join(folders))
    if found is None:
        raise HistoryError("git is not installed", hint="install git 2.36 or later and try again")
    return found


def scrubbed_environment() -> dict[str, str]:
    """The environment of every git child: nothing inherited that names a repository or a program."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, **_FIXED}


@dataclass(frozen=True, slots=True)
class Result:
    """What a git child left: its exit code, standard output, and the start of its standard error as text."""

    code: int
    out: bytes
    err: str


@dataclass(frozen=True, slots=True)
class Git:
    """git for one work tree. ``git_dir`` None is for discovery only: git then checks who owns the repository.

    ``on_child`` is told of every child that takes locks, as soon as it runs: a crash record can name it.
    """

    top: Path
    git_dir: Path | None = None
    on_child: Callable[[Child], None] | None = None
    variables: Mapping[str, str] = field(default_factory=dict)

    def run(
        self,
        *arguments: str,
        stdin: bytes | None = None,
        env: Mapping[str, str] | None = None,
        ok: tuple[int, ...] = (0,),
        seconds: float = SECONDS,
        record: bool = False,
    ) -> Result:
        """Run ``git ARGUMENTS``; raise HistoryError when its exit code is not in ``ok``.

        ``record`` tells ``on_child`` of the child. ``seconds`` is the time limit.
        """
        command = self._command(arguments)
        environment = {**scrubbed_environment(), **self.variables, **(env or {})}
        started = time.time()
        try:
            child = subprocess.Popen(
                command,
                cwd=self.top,
                env=environment,
                stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # no terminal to prompt on; no signal meant for memfs
            )
        except OSError as error:
            raise HistoryError(f"git could not be started: {error}", path=str(self.top)) from error
        with child:
            if record and self.on_child is not None:
                self.on_child(child_of(child.pid, started, arguments[0]))
            out, err = drain(child, stdin, time.monotonic() + seconds, arguments[0])
        result = Result(child.returncode, out, err.decode("utf-8", "replace").strip())
        if result.code not in ok:
            raise translate(result, arguments[0], self.top)
        return result

    def _command(self, arguments: tuple[str, ...]) -> list[str]:
        places = [] if self.git_dir is None else [f"--git-dir={self.git_dir}", f"--work-tree={self.top}"]
        settings = [part for key, value in OVERRIDES for part in ("-c", f"{key}={value}")]
        return [git_binary(), *places, "--no-pager", *settings, *arguments]


def translate(result: Result, name: str, top: Path) -> HistoryError:
    """The error that a failed git child means, in plain words."""
    text = result.err
    if "dubious ownership" in text or "unsafe repository" in text:
        return HistoryError(
            "the repository belongs to another user, so git will not use it",
            path=str(top),
            hint=f"if you trust it: git config --global --add safe.directory '{top}'",
        )
    if any(sign in text.lower() for sign in _NO_SUCH_COMMIT):
        return CommitNotFound(text.removeprefix("fatal: "), hint="the log lists the commits there are")
    if "not a git repository" in text:
        return HistoryError("not a git repository", path=str(top), hint="run `memfs init` there")
    if "No space left on device" in text:
        return HistoryError(
            f"git {name}: the disk is full", path=str(top), hint="free some space and try again"
        )
    reason = text.removeprefix("fatal: ") or f"exit code {result.code}"
    return HistoryError(f"git {name} failed: {reason}", path=str(top))
