"""What went wrong in the hooks of agents: said on stderr, which nobody reads, so noted too and told by status."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from memfs.vault.local import LocalState

if TYPE_CHECKING:
    from memfs.services.opening import Vault

_RECORD = "hooks"
_KEPT = timedelta(days=7)
_MOST = 20


def note_failure(vault: Vault, event: str, told: str) -> None:
    """Note that a hook failed and why; the same failure again is the same note."""
    now = vault.clock().timestamp()

    def change(record: dict[str, Any]) -> None:
        times = record.get(f"{event}: {told}", {}).get("times", 0)
        record[f"{event}: {told}"] = {"times": times + 1, "last": now}
        for old in sorted(record, key=lambda each: float(record[each]["last"]))[:-_MOST]:
            del record[old]

    LocalState(vault.layout).update_record(_RECORD, change)


def told_failures(vault: Vault) -> Iterator[str]:
    """The failures of the last days, oldest first."""
    now = vault.clock().timestamp()
    record = LocalState(vault.layout).read_record(_RECORD)
    for what, noted in sorted(record.items(), key=lambda each: float(each[1]["last"])):
        if now - noted["last"] <= _KEPT.total_seconds():
            last = datetime.fromtimestamp(noted["last"], vault.zone).strftime("%Y-%m-%d %H:%M")
            often = f", {noted['times']} times" if noted["times"] > 1 else ""
            yield f"the hook {what} (last at {last}{often})"
