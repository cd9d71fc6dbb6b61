"""What is only shown to people, read with GitPython: diffs, the documents of a commit, the configuration.

GitPython hands its children the whole environment, so every GIT_* variable is set here to what this
repository needs, or to nothing; the overrides that keep a repository from running programs are the runner's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memfs.errors import HistoryError
from memfs.history.objects import chunks
from memfs.history.repository import Repository
from memfs.history.runner import OVERRIDES, SECONDS, git_binary, scrubbed_environment

if TYPE_CHECKING:
    import git

_NO_PROGRAMS = ("--no-ext-diff", "--no-textconv", "--no-color")
# Settings through which plain git would start a program, or look elsewhere, in somebody's repository.
_RISKY = re.compile(
    r"core\.(fsmonitor|hookspath|sshcommand|editor|pager|askpass|gitproxy|alternaterefscommand|worktree)"
    r"|(alias|pager|include|includeif|url|credential|man|browser|difftool|mergetool|sendemail)\..+"
    r"|sequence\.editor|interactive\.difffilter|gc\.recentobjectshook|uploadpack\.packobjectshook"
    r"|diff\.external|diff\..+\.(command|textconv)|filter\..+\.(clean|smudge|process)|merge\..+\.driver"
    r"|gpg\.(.+\.)?(program|defaultkeycommand)|trailer\..+\.(cmd|command)"
    r"|remote\..+\.(uploadpack|receivepack|vcs|proxy)|protocol\.(.+\.)?allow"
)
_HARMLESS = ("", "true", "false", "yes", "no", "0", "1")


@contextmanager
def opened(repository: Repository) -> Iterator[git.Repo]:
    """GitPython's view of this repository, its environment pinned; its children end with the block."""
    binary = git_binary()
    import git  # 0.13 s: only when something is shown

    git.refresh(binary)
    try:
        repo = git.Repo(repository.top, expand_vars=False)
        repo.git.update_environment(**pinned_environment(repository))
        try:
            yield repo
        finally:
            repo.git.clear_cache()
    except (git.exc.GitError, OSError, ValueError) as error:
        raise HistoryError(f"the history could not be read: {error}", path=str(repository.top)) from error


def pinned_environment(repository: Repository) -> dict[str, str]:
    """Variables that make GitPython's children answer from this repository only, and run nothing of its."""
    emptied = {name: "" for name in os.environ if name.startswith("GIT_")}
    settings: dict[str, str] = {"GIT_CONFIG_COUNT": str(len(OVERRIDES)), "GIT_CONFIG_PARAMETERS": ""}
    for number, (key, value) in enumerate(OVERRIDES):
        settings[f"GIT_CONFIG_KEY_{number}"], settings[f"GIT_CONFIG_VALUE_{number}"] = key, value
    places = {
        "GIT_DIR": str(repository.git_dir),
        "GIT_COMMON_DIR": str(repository.common_dir),
        "GIT_WORK_TREE": str(repository.top),
        "GIT_INDEX_FILE": str(repository.git_dir / "index"),
        "GIT_OBJECT_DIRECTORY": str(repository.common_dir / "objects"),
        "GIT_EXTERNAL_DIFF": "",
    }
    inherited = emptied.keys() - settings.keys() - places.keys()
    return {**{name: "" for name in inherited}, **scrubbed_environment(), **settings, **places}


def diff_text(repository: Repository, old: str | None, new: str, paths: Sequence[str] = ()) -> str:
    """The patch from one commit to another (``old`` None: from nothing), as `git diff` shows it."""
    first = old or repository.empty_tree
    with opened(repository) as repo:
        parts = [
            repo.git.diff(
                *_NO_PROGRAMS,
                "--find-renames",
                "--src-prefix=a/",
                "--dst-prefix=b/",
                first,
                new,
                "--",
                *portion,
                strip_newline_in_stdout=False,
                kill_after_timeout=SECONDS,
            )
            for portion in (chunks(paths) if paths else [()])
        ]
    return "".join(str(part) for part in parts)


def documents_at(repository: Repository, commit: str, under: str = "") -> tuple[str, ...]:
    """The paths of all files in a commit, below a folder when one is given."""
    with opened(repository) as repo:
        told = repo.git.ls_tree(
            "-r", "-z", "--name-only", "--full-tree", commit, "--", *([f"{under}/"] if under else []),
            strip_newline_in_stdout=False, kill_after_timeout=SECONDS,
        )  # fmt: skip
    return tuple(filter(None, str(told).split("\0")))


def risky_settings(repository: Repository) -> tuple[str, ...]:
    """What in this repository would run a program under plain git: settings by name, and hooks.

    memfs runs none of them; a vault that came from somebody else is worth this look before a person uses it.
    """
    import git

    found: set[str] = set()
    for place in (repository.common_dir / "config", repository.git_dir / "config.worktree"):
        if not place.is_file():
            continue
        try:
            with git.GitConfigParser([str(place)], read_only=True, merge_includes=True) as parser:
                for section in parser.sections():
                    found.update(_risky_names(section, parser.items_all(section)))
        except (OSError, ValueError, git.exc.GitError, _parser_error()) as error:
            raise HistoryError(f"the git configuration cannot be read: {error}", path=str(place)) from error
    hooks = repository.common_dir / "hooks"
    found |= {f"hook {path.name}" for path in hooks.glob("*") if path.suffix != ".sample" and path.is_file()}
    return tuple(sorted(found))


def _parser_error() -> type[Exception]:
    import configparser

    return configparser.Error


def _risky_names(section: str, items: Sequence[tuple[str, Sequence[str | None]]]) -> Iterator[str]:
    kind, _, name = section.partition(" ")
    prefix = f"{kind.lower()}.{name.strip(chr(34))}." if name else f"{kind.lower()}."
    for key, values in items:
        full = f"{prefix}{key.lower()}"
        told = [str(value).strip().lower() for value in values if value is not None]
        if _RISKY.fullmatch(full) and any(value not in _HARMLESS for value in told):
            yield full
