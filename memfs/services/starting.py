"""Init: making a folder a vault, with its repository and first commit. Nothing that is there is changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.services.opening import Language, Vault, open_vault

if TYPE_CHECKING:
    from memfs.vault.setup import NewVault

DEFAULT_IDENTITY = "assistant"


@dataclass(frozen=True, slots=True)
class Started:
    """What init did: the open vault, the files it made, names that were taken, its commit (None: no news)."""

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

    An existing repository or Obsidian vault keeps every byte; run again, it adds only what is missing. The
    branch that memfs commits to is ``branch``, else the one that is checked out.

    Raises:
        VaultError: the folder lies inside another repository, or memfs's names are all taken.
        RepositoryBusy: nothing can be committed to that branch now; nothing was written.
        HistoryError: git cannot be used.
    """
    from memfs.config.changing import set_setting
    from memfs.history.repository import init_repository
    from memfs.vault.names import safe_name
    from memfs.vault.setup import check_top_level, init_vault

    for identity in identities:
        safe_name(identity)
    check_top_level(folder)
    folder.mkdir(parents=True, exist_ok=True)
    init_repository(folder, branch or "main")
    known, here, self_files = _require_ready(folder, branch)
    names = tuple(identities) or known or (DEFAULT_IDENTITY,)
    today = (clock or (lambda: datetime.now(UTC)))().date()
    made = init_vault(
        folder, identities=names, today=today, language=language, branch=here, self_files=self_files
    )
    vault = open_vault(folder, clock=clock)
    if not vault.config.git.branch:  # settings that came without one, say from a copied vault
        set_setting(vault.layout.config.parent, "git.branch", here)
        vault = open_vault(folder, clock=clock)
    subject = _subject(vault, known, [name for name in names if name not in known])
    return Started(vault, made.created, made.taken, _commit(vault, made, names, subject))


def _require_ready(folder: Path, branch: str | None) -> tuple[tuple[str, ...], str, bool]:
    """The identities that are there already, the branch that is checked out, which must be the vault's, and whether
    memory of one's own is allowed.

    Raises RepositoryBusy.
    """
    from memfs.config.reading import load_config
    from memfs.config.zones import local_zone
    from memfs.services.commit import require_branch
    from memfs.vault.layout import config_file, open_layout

    settings = config_file(folder)
    config = load_config(settings.parent, {})
    wanted = replace(config.git, branch=branch) if branch and not settings.is_file() else config.git
    layout = open_layout(folder, config.root)
    vault = Vault(layout, replace(config, git=wanted), lambda: datetime.now(UTC), local_zone("", {}))
    head = require_branch(vault)
    known = vault.identities() if settings.is_file() else ()
    return known, (head.ref or "").removeprefix("refs/heads/"), config.memory_policy.self_enabled


def _subject(vault: Vault, known: Sequence[str], new: Sequence[str]) -> tuple[str, str]:
    """What the commit of init is called: its kind and of what; the first one starts the vault."""
    if not known:
        return "init", vault.top.name
    return ("identity", ", ".join(new)) if new else ("init again", vault.top.name)


def _commit(vault: Vault, made: NewVault, identities: Sequence[str], said: tuple[str, str]) -> str | None:
    """Commit the files that init made, those of an earlier one that came no further too."""
    from memfs.history.messages import CommitMessage
    from memfs.history.subjects import action_subject
    from memfs.services.commit import open_transaction

    layout = vault.layout
    own = [layout.config, layout.memories / ".gitignore", layout.memories / ".gitattributes"]
    own += [layout.document(identity, "identity.md") for identity in identities]
    paths = dict.fromkeys((*made.tracked, *(layout.rel(path) for path in own if path.is_file())))
    with open_transaction(vault) as transaction:
        committed = vault.repository.blob_ids(transaction.head.commit, list(paths))
        files = {path: transaction.read(path) for path in paths if committed[path] is None}
        if not files:
            return None
        subject = action_subject(*said, language=vault.language)
        return transaction.commit(files, CommitMessage("init", subject)).commit
