"""memfs as a Python library: what agents hand over, and the files that they leave."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memfs.services.archive import ArchiveReport
    from memfs.services.opening import Vault
    from memfs.services.relay import Baton, BatonRole, Board


class Relaying:
    """What agents hand over, and the files that they leave."""

    vault: Vault

    def relay_add(
        self,
        text: str,
        *,
        channel: str,
        identity: str | None = None,
        role: BatonRole = "assistant",
        session: str | None = None,
        message: str | None = None,
        reply_to: str | None = None,
    ) -> Baton:
        """Hand something over to the next agent, in at most 400 characters; ``session`` and ``message`` name the turn.

        A baton whose ``dropped`` is set was not put on the board, and that says why.
        """
        from memfs.services.relay import add_baton

        return add_baton(
            self.vault,
            text,
            identity=identity,
            channel=channel,
            role=role,
            session=session,
            message=message,
            reply_to=reply_to,
        )

    def relay_show(self, *, identity: str | None = None) -> Board:
        """What is on the relay board of an identity, oldest first."""
        from memfs.services.relay import read_relay

        return read_relay(self.vault, identity)

    def archive(
        self,
        *,
        identity: str | None = None,
        archive_path: Path | str | None = None,
        day: date | None = None,
        announce: Callable[[str], None] | None = None,
        dry_run: bool = False,
    ) -> ArchiveReport:
        """Archive the files that conversations mention; ``archive_path`` is for this call, under ``archive.roots``."""
        from memfs.services.archive import archive

        return archive(
            self.vault,
            identity=identity,
            archive_path=archive_path,
            day=day,
            announce=announce,
            dry_run=dry_run,
        )
