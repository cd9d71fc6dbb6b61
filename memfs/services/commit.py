"""Merge and commit: protocol 3.1. Every use case that writes goes through here.

One writer at a time holds the vault's lock for as long as it takes to read the targets, compute their new texts and
commit them. Files come first, then the index, then the branch; only then is anything acknowledged.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memfs.errors import RepositoryBusy, UnsafePath
from memfs.services.committing.failpoints import reach
from memfs.services.committing.places import linked, resolve_file
from memfs.services.committing.rollforward import Committed, look_again, prepare, recover, roll_forward
from memfs.services.committing.settling import settle_displaced
from memfs.services.committing.threeway import is_record_file
from memfs.vault.files import FileState, hash_bytes, read_state
from memfs.vault.intents import Intent, IntentTarget
from memfs.vault.lock import hold_vault
from memfs.vault.setup import ensure_ignores

if TYPE_CHECKING:
    from memfs.history.index import IndexEntry
    from memfs.history.messages import CommitMessage
    from memfs.history.refs import Head
    from memfs.history.trees import Blob
    from memfs.services.opening import Vault

_TRIES = 10
_MOVED_TO = re.compile(rb" at=(.+)$")
_LINK = FileState("special")
NO_BASE = "none"


@dataclass
class Transaction:
    """The vault under its lock, on one commit of one branch. Read first, then commit once."""

    vault: Vault
    head: Head
    states: dict[str, FileState] = field(default_factory=dict)
    hand_commit: str | None = None
    _blobs: dict[str, Blob | None] = field(default_factory=dict)

    def read(self, path: str) -> bytes | None:
        """The bytes of a file now (None: absent); remembered, so that the commit can tell what it replaces.

        What lies behind a symbolic link is not read: an obstacle, as any other special file.
        """
        if path not in self.states:
            is_linked = linked(self.vault.top, path) is not None
            self.states[path] = _LINK if is_linked else read_state(resolve_file(self.vault.top, path))
        return self.states[path].data

    def blobs(self, paths: Iterable[str]) -> Mapping[str, Blob | None]:
        """Mode and blob id of files in the commit that this stands on; each is looked up once."""
        names = list(paths)
        if unknown := [name for name in names if name not in self._blobs]:
            self._blobs |= self.vault.repository.blob_ids(self.head.commit, unknown)
        return {name: self._blobs[name] for name in names}

    def obstacles(self, paths: Iterable[str]) -> Mapping[str, str]:
        """Why memfs does not write into some of these files now: a filter, a partly staged or conflicted state."""
        names = list(paths)
        repository = self.vault.repository
        filtered = repository.filtered(names)
        staged = repository.staged(self.head.commit, names, self.blobs(names))
        entries = repository.index_entries(sorted(staged)) if staged else {}
        found: dict[str, str] = {}
        for name in names:
            data = self.read(name)
            reason = linked(self.vault.top, name) or _file_obstacle(self.states[name])
            if name in filtered:
                reason = "the file has a git filter"
            elif not reason and name in staged and not self._is_staged_whole(name, data, entries[name]):
                reason = "the file is partly staged or in conflict"
            if reason:
                found[name] = reason
        return found

    def _is_staged_whole(self, name: str, data: bytes | None, entries: tuple[IndexEntry, ...]) -> bool:
        if len(entries) != 1 or entries[0].stage or data is None:
            return not entries and data is None
        return self.vault.repository.matches(name, data, entries[0].oid)

    def commit(self, files: Mapping[str, bytes | None], message: CommitMessage) -> Committed:
        """Write ``files`` (None: remove) in one commit with ``message``; hand edits in them are committed before.

        Raises:
            RepositoryBusy: git cannot take it now; where the log was written already the merge is pending.
            UnsafePath: a symbolic link stands on the way to a file; nothing was written.
        """
        for path in files:
            self.read(path)
            if reason := linked(self.vault.top, path):
                raise UnsafePath(reason, path=path, hint="put the file itself in the place of the link")
        # The files of init are memfs's own, not yet committed; a secret that is taken out must never be.
        if message.kind not in ("init", "redact"):
            self._commit_hand_edits({**files, **dict.fromkeys(self._noticed(files))})
        intent = prepare(self.vault, self._intent(files, message))
        return roll_forward(self.vault, intent)

    def _noticed(self, files: Mapping[str, bytes | None]) -> Iterator[str]:
        """The documents of ledgers that change: a deletion or move that a ledger follows is a hand edit of theirs."""
        for path, data in files.items():
            folder, ledger, name = path.partition("/.ledger/")
            if ledger:
                known = set((self.read(path) or b"").splitlines())
                new = [line for line in (data or b"").splitlines() if line not in known]
                moved = [match[1].decode() for line in new if (match := _MOVED_TO.search(line))]
                for document in (name, *moved):
                    self.read(f"{folder}/{document}")
                    yield f"{folder}/{document}"

    def _intent(self, files: Mapping[str, bytes | None], message: CommitMessage) -> Intent:
        from memfs.history.messages import render_message

        old = self.head.commit
        return Intent(
            id=secrets.token_hex(8),
            branch=self.head.ref or "",
            old=old,
            message=render_message(replace(message, base=old or NO_BASE)),
            targets=self._targets(files),
        )

    def _targets(self, files: Mapping[str, bytes | None]) -> tuple[IntentTarget, ...]:
        committed = self.blobs(files)
        targets = []
        for path, data in files.items():
            state, entry = self.states[path], committed[path]
            targets.append(
                IntentTarget(
                    path=path,
                    old_hash=state.hash,
                    new_hash=None if data is None else hash_bytes(data),
                    data=data,
                    old_blob=entry[1] if entry else None,
                    mode=state.mode if state.data is not None else 0o644,
                    git_mode=entry[0] if entry else "100644",
                )
            )
        return tuple(targets)

    def _commit_hand_edits(self, paths: Iterable[str]) -> None:
        """Commit what a person changed in these files, as the person, so that the merge's commit is memfs's alone."""
        names = list(paths)
        for _ in range(_TRIES):
            edited = self._hand_edits(names)
            if not edited:
                return
            self._commit_edited({**self._rewound(edited), **edited})
        raise RepositoryBusy("the branch keeps moving", hint="try again in a moment")

    def _rewound(self, edited: Mapping[str, Blob]) -> Mapping[str, Blob | None]:
        """What is staged of a merge that a person took off the branch (`reset --soft`): told by its records.

        It goes with them, or a cursor would be committed ahead of its memory.
        """
        from memfs.history.log import staged_blobs

        if not any(map(is_record_file, edited)):
            return {}
        layout = self.vault.layout
        return staged_blobs(self.vault.repository, self.head.commit, layout.rel(layout.memories))

    def _commit_edited(self, edited: Mapping[str, Blob | None]) -> None:
        from memfs.history.messages import CommitMessage, render_message
        from memfs.history.subjects import action_subject

        repository, base, branch = self.vault.repository, self.head.commit, self.head.ref or ""
        targets = self._targets({name: self.states[name].data for name in edited if name in self.states})
        repository.set_index(edited)
        reach("hand.indexed")
        tree = repository.write_tree(base, edited)
        what = ", ".join(sorted(name.rpartition("/")[2] for name in edited))
        subject = action_subject("hand", what, language=self.vault.language)
        text = render_message(CommitMessage("hand", subject, base=base or NO_BASE))
        when = self.vault.now()
        commit = repository.write_commit(tree, (base,) if base else (), text, author="person", when=when)
        require_branch(self.vault, branch)
        if repository.move_ref(branch, commit, base, when=when):
            self.hand_commit = commit
            reach("hand.committed")
            placed = tuple(self._placed(target, edited[target.path]) for target in targets)
            look_again(self.vault, Intent(commit, branch, base, text, placed))
        self.head, self._blobs = require_branch(self.vault, branch), {}

    def _placed(self, target: IntentTarget, blob: Blob | None) -> IntentTarget:
        """A hand edit as something placed: it replaces the committed text, to which a stash would go back."""
        old = None
        if target.old_blob is not None:
            old = hash_bytes(self.vault.repository.checkout_form(target.path, target.old_blob))
        return replace(target, old_hash=old, new_blob=blob[1] if blob else None)

    def _hand_edits(self, names: list[str]) -> dict[str, Blob]:
        repository, committed = self.vault.repository, self.blobs(names)
        edited: dict[str, Blob] = {}
        for name in names:
            data, entry = self.states[name].data, committed[name]
            if data is None or (entry is not None and repository.matches(name, data, entry[1])):
                continue
            blob = repository.write_blob(name, data)
            if entry is None or entry[1] != blob:
                edited[name] = (entry[0] if entry else "100644", blob)
        return edited


@contextmanager
def open_transaction(vault: Vault) -> Iterator[Transaction]:
    """Hold the vault, finish what a crash left, and stand on the branch that memfs writes to.

    Raises:
        VaultLocked: another process holds it for too long.
        RepositoryBusy: another branch, a detached HEAD, or git is in the middle of something.
    """
    with hold_vault(vault.layout):
        reach("locked")
        ensure_ignores(vault.layout)
        recover(vault)
        settle_displaced(vault.layout, vault.read_object, vault.clock().timestamp())
        yield Transaction(vault, require_branch(vault))


def require_branch(vault: Vault, branch: str | None = None) -> Head:
    """The head memfs may commit to; ``branch`` (full ref name): it must still be this one.

    Raises:
        RepositoryBusy: it is not the vault's branch, or a merge, rebase and the like is under way.
    """
    head = vault.repository.head()
    wanted = branch or (f"refs/heads/{vault.config.git.branch}" if vault.config.git.branch else None)
    if head.state is not None:
        raise RepositoryBusy(
            f"memfs waits: {_state_words(head.state)}", hint="finish it with git, then run the command again"
        )
    if head.ref is None or (wanted and head.ref != wanted):
        here, there = ((ref or "").removeprefix("refs/heads/") for ref in (head.ref, wanted))
        raise RepositoryBusy(
            f"memfs commits to the branch {there or 'of the vault'} "
            f"and waits while {here or 'no branch'} is checked out",
            hint=f"git switch {there}" if there else "switch to a branch",
        )
    return head


def _state_words(state: str) -> str:
    return "HEAD is detached" if state == "detached" else f"a {state} is under way"


def _file_obstacle(state: FileState) -> str | None:
    if state.kind == "special":
        return "it is no regular file"
    return "the file is too large" if state.kind == "too_large" else None
