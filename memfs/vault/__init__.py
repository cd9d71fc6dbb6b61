"""Files on disk: safe paths, writes that lose nobody's bytes, locks, leases, intent log, local state."""

from memfs.processes import Process, process_start
from memfs.vault.displaced import Displaced, keep_displaced, list_displaced, sweep_temps, write_displaced
from memfs.vault.files import (
    FileState,
    exchange,
    fsync_folder,
    hash_bytes,
    put_new,
    read_state,
    remove_file,
    take_away,
    temp_name,
    write_atomic,
    write_temp,
)
from memfs.vault.intents import Intent, IntentTarget, drop_intent, read_intent, write_intent
from memfs.vault.layout import Layout, config_file, find_git_dir, find_vault, open_layout
from memfs.vault.leases import Held, Lease, acquire_lease, check_lease, release_lease, renew_lease
from memfs.vault.local import LocalState
from memfs.vault.lock import hold_file, hold_vault
from memfs.vault.names import is_protected, nfc, safe_name, slug
from memfs.vault.paths import resolve_beneath
from memfs.vault.records import Quarantine
from memfs.vault.scan import Scan, find_ids, find_temps, is_conflict_copy, scan_documents
from memfs.vault.setup import NewVault, check_top_level, ensure_ignores, init_vault

__all__ = [
    "Displaced",
    "FileState",
    "Held",
    "Intent",
    "IntentTarget",
    "Layout",
    "Lease",
    "LocalState",
    "NewVault",
    "Process",
    "Quarantine",
    "Scan",
    "acquire_lease",
    "check_lease",
    "check_top_level",
    "config_file",
    "drop_intent",
    "ensure_ignores",
    "exchange",
    "find_git_dir",
    "find_ids",
    "find_temps",
    "find_vault",
    "fsync_folder",
    "hash_bytes",
    "hold_file",
    "hold_vault",
    "init_vault",
    "is_conflict_copy",
    "is_protected",
    "keep_displaced",
    "list_displaced",
    "nfc",
    "open_layout",
    "process_start",
    "put_new",
    "read_intent",
    "read_state",
    "release_lease",
    "remove_file",
    "renew_lease",
    "resolve_beneath",
    "safe_name",
    "scan_documents",
    "slug",
    "sweep_temps",
    "take_away",
    "temp_name",
    "write_atomic",
    "write_displaced",
    "write_intent",
    "write_temp",
]
