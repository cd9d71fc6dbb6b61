"""Steps 4 to 7 of protocol 3.1: from a durable intent log to an acknowledged commit. Recovery is the same walk.

Every step may be repeated: a process killed anywhere in here leaves a log from which the next one finishes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import RepositoryBusy
from memfs.services.committing.children import recorded_children
from memfs.services.committing.failpoints import reach
from memfs.services.committing.places import resolve_file
from memfs.services.committing.placing import drop_temp, place_target, settle_temp
from memfs.services.committing.threeway import is_record_file, merge_files, merge_removed
from memfs.vault.displaced import sweep_temps
from memfs.vault.files import hash_bytes, read_state, temp_name, write_temp
from memfs.vault.intents import Intent, IntentTarget, drop_intent, read_intent, write_intent

if TYPE_CHECKING:
    from memfs.services.opening import Vault

_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Committed:
    """A commit that stands: its id, and the files it wrote (relative to the vault)."""

    commit: str
    files: tuple[str, ...]


def recover(vault: Vault) -> Committed | None:
    """Finish the commit that a crash interrupted, if there is one. The vault lock is held.

    Raises:
        RepositoryBusy: its branch is not the current one, or git is in the middle of something; nothing was touched.
    """
    intent = read_intent(vault.layout)
    if intent is None:
        _sweep(vault)
        return None
    vault.repository.remove_stale_locks(recorded_children(intent))
    committed = roll_forward(vault, intent)
    sweep_temps(vault.layout, (), time=vault.clock().timestamp())
    return committed


def roll_forward(vault: Vault, intent: Intent) -> Committed:
    """Place the files, set the index, move the branch, look again, drop the log."""
    repository = vault.repository
    for _ in range(_ROUNDS):
        _require_branch(vault, intent)
        tip = repository.read_ref(intent.branch)
        commit = _made_before(vault, intent, tip)
        if commit is None:
            with vault.children.recording(vault.layout, intent):
                intent, commit = _attempt(vault, intent, tip)
        if commit is not None:
            reach("ref.moved")
            look_again(vault, intent)
            reach("verified")
            repository.sync(intent.branch)
            reach("synced")
            drop_intent(vault.layout)
            reach("log.dropped")
            _marker(vault).unlink(missing_ok=True)
            return Committed(commit, tuple(target.path for target in intent.targets))
    raise RepositoryBusy(
        f"{intent.branch} keeps moving", hint="the merge is logged and finishes with the next memfs command"
    )


def prepare(vault: Vault, intent: Intent) -> Intent:
    """Step 3: blobs and temp files, then the log, all durable. From here on the commit rolls forward."""
    files = {target.path: target.data for target in intent.targets if target.data is not None}
    blobs = vault.repository.write_blobs(files)
    targets = [
        replace(target, new_blob=blobs.get(target.path), temp=_temp_for(target)) for target in intent.targets
    ]
    reach("blobs.written")
    _marker(vault).touch()
    for target in targets:
        if target.data is not None and target.temp is not None:
            place = resolve_file(vault.top, target.path)
            write_temp(place, target.data, target.mode, name=target.temp)
    reach("temp.written")
    prepared = replace(intent, targets=tuple(targets))
    write_intent(vault.layout, prepared)
    reach("log.written")
    return prepared


def _temp_for(target: IntentTarget) -> str | None:
    """A temp file's name for what will be exchanged; memfs's own records are replaced, the log holds them."""
    return None if target.data is None or is_record_file(target.path) else temp_name()


def _sweep(vault: Vault) -> None:
    """Take away the temp files of a commit that died before its log was written."""
    if _marker(vault).exists():
        sweep_temps(vault.layout, (), time=vault.clock().timestamp())
        _marker(vault).unlink(missing_ok=True)


def _marker(vault: Vault) -> Path:
    """There while temp files may lie about: looking for them in a large vault takes too long to do it always."""
    return vault.layout.local / "preparing"


def _attempt(vault: Vault, intent: Intent, tip: str | None) -> tuple[Intent, str | None]:
    if tip != intent.old:
        intent = _follow(vault, intent, tip)
    _place(vault, intent)
    reach("index.before")
    _require_branch(vault, intent)
    vault.repository.set_index(_changes(intent))
    reach("index.set")
    tree = vault.repository.write_tree(intent.old, _changes(intent))
    reach("tree.written")
    commit = vault.repository.write_commit(
        tree,
        () if intent.old is None else (intent.old,),
        intent.message,
        author="memfs",
        when=vault.now(),
    )
    intent = replace(intent, extra={**intent.extra, "commits": [*intent.extra.get("commits", ()), commit]})
    write_intent(vault.layout, intent)
    vault.children.intent = intent
    reach("commit.written")
    vault.repository.sync_objects()  # a ref must never name what a power cut could take away
    _require_branch(vault, intent)
    reach("ref.before")
    moved = vault.repository.move_ref(intent.branch, commit, intent.old, when=vault.now())
    return intent, commit if moved else None


def _made_before(vault: Vault, intent: Intent, tip: str | None) -> str | None:
    """The commit of an earlier life of this intent, when the branch holds it."""
    from memfs.history.log import is_ancestor

    if tip is None:
        return None
    for commit in reversed(list(intent.extra.get("commits", ()))):
        if commit == tip or is_ancestor(vault.repository, commit, tip):
            return str(commit)
    return None


def _follow(vault: Vault, intent: Intent, tip: str | None) -> Intent:
    """The person moved the branch meanwhile: stand on their commit, merged with ours where both changed a file.

    After an amend or a reset the branch may be behind ``old``: a text from there is nothing that they changed.
    """
    from memfs.history.log import merge_base

    repository, paths = vault.repository, [target.path for target in intent.targets]
    ground = merge_base(repository, intent.old, tip) if intent.old and tip else None
    before, there = repository.blob_ids(ground, paths), repository.blob_ids(tip, paths)
    now = vault.clock().timestamp()
    moved = []
    for target in intent.targets:
        target = settle_temp(vault.layout, target, vault.read_object, now)
        found = there[target.path]
        known = found == before[target.path] or (found and found[1] in (target.old_blob, target.new_blob))
        if target.data is not None and not known:
            target = _merge_target(vault, target, found[1] if found else None)
        moved.append(target)
    followed = prepare(vault, replace(intent, old=tip, targets=tuple(moved)))
    for target in intent.targets:
        drop_temp(vault.layout, target)
    return followed


def _merge_target(vault: Vault, target: IntentTarget, blob: str | None) -> IntentTarget:
    """Our text on top of the one that the person committed (None: they removed the file)."""
    assert target.data is not None
    base, path = vault.read_object(target.old_blob), resolve_file(vault.top, target.path)
    if blob is None:
        theirs, merged = None, merge_removed(target.path, base, target.data)
    else:
        there = vault.repository.checkout_form(target.path, blob)
        theirs, merged = hash_bytes(there), merge_files(target.path, base, there, target.data)
    on_disk = read_state(path).hash
    return replace(
        target,
        data=merged,
        new_hash=hash_bytes(merged),
        old_hash=on_disk if on_disk in (target.new_hash, theirs) else theirs,
        old_blob=blob,
        placed=False,
    )


def _place(vault: Vault, intent: Intent) -> None:
    now = vault.clock().timestamp()
    for target in intent.targets:
        _require_branch(vault, intent)  # asked each time: it is cheap, and a switch may come in between
        place_target(vault.layout, target, vault.read_object, now)
    reach("place.done")


def look_again(vault: Vault, intent: Intent) -> None:
    """Step 7: a file or its index entry that fell back to the old text (a stash in the window) is set again.

    Only where the branch still has our text: what a person changed or reverted since is theirs.
    """
    repository = vault.repository
    head = repository.head()
    if head.ref != intent.branch or head.commit is None:
        return
    paths = [target.path for target in intent.targets]
    committed, staged = repository.blob_ids(head.commit, paths), repository.index_entries(paths)
    now, fallen = vault.clock().timestamp(), {}
    for target in intent.targets:
        found = committed[target.path]
        if target.data is None or found is None or found[1] != target.new_blob:
            continue
        place_target(vault.layout, replace(target, temp=None, placed=True), vault.read_object, now)
        entries = staged[target.path]  # several are a conflict, which is the person's
        if not entries or (len(entries) == 1 and entries[0].oid == target.old_blob):
            fallen[target.path] = (target.git_mode, target.new_blob or "")
    if fallen:
        repository.set_index(fallen)


def _require_branch(vault: Vault, intent: Intent) -> None:
    if vault.repository.is_on(intent.branch):
        return
    head = vault.repository.head()
    busy = f"a {head.state} is under way" if head.state else f"the current branch is {head.ref}"
    raise RepositoryBusy(
        f"a merge into {intent.branch} waits: {busy}",
        hint=f"it finishes with the next memfs command on {intent.branch.removeprefix('refs/heads/')}",
    )


def _changes(intent: Intent) -> Mapping[str, tuple[str, str] | None]:
    return {
        target.path: None
        if target.new_blob is None or target.data is None
        else (target.git_mode, target.new_blob)
        for target in intent.targets
    }
