"""Init: making a folder a vault, with its repository and first commit. Nothing that is there is changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.services.opening import Language, Vault, open_vault

if TYPE_CHECKING:
    from memfs.vault.setup import NewVault

DEFAULT_IDENTITY = "assistant"


@dataclass(frozen=True, slots=True)
class Started:
    """What init did: the open vault, the files it made, names that were taken, and its commit (None: nothing new)."""

    vault: Vault
    created: tuple[str, ...]
    taken: tuple[str, ...]
    commit: str | None


def init(
    folder: Path,
    *,
    identities: Sequence[str] = (),
    language: Language = "en",
    branch: str | None = None,
    clock: Callable[[], datetime] | None = None,
) -> Started:
    """Make ``folder`` a vault: a repository if it is none, memfs's own files, one commit of these.

    An existing repository or Obsidian vault keeps every byte; run again, it adds only what is missing. The branch
    that memfs commits to is ``branch``, else the one that is checked out.

    Raises:
        VaultError: the folder lies inside another repository, or memfs's names are all taken.
        HistoryError: git cannot be used.
    """
    from memfs.history.repository import init_repository
    from memfs.vault.setup import check_top_level, init_vault

    now = (clock or (lambda: datetime.now(UTC)))()
    folder.mkdir(parents=True, exist_ok=True)
    check_top_level(folder)
    repository = init_repository(folder, branch or "main")
    here = (repository.head().ref or "refs/heads/main").removeprefix("refs/heads/")
    made = init_vault(
        folder,
        identities=identities or _known(folder) or (DEFAULT_IDENTITY,),
        today=now.date(),
        language=language,
        branch=branch or here,
    )
    vault = open_vault(folder, clock=clock)
    commit = _commit(vault, made)
    return Started(vault, made.created, made.taken, commit)


def _known(folder: Path) -> tuple[str, ...]:
    """The identities that a vault has already."""
    from memfs.vault.layout import config_file

    return open_vault(folder, environ={}).identities() if config_file(folder).is_file() else ()


def _commit(vault: Vault, made: NewVault) -> str | None:
    from memfs.history.messages import CommitMessage
    from memfs.history.subjects import action_subject
    from memfs.services.commit import open_transaction

    if not made.tracked:
        return None
    with open_transaction(vault) as transaction:
        files = {path: transaction.read(path) for path in made.tracked}
        subject = action_subject("init", vault.top.name, language=vault.language)
        return transaction.commit(files, CommitMessage("init", subject)).commit
