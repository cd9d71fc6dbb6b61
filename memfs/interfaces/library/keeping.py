"""memfs as a Python library: how the vault does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memfs.config.changing import Given
    from memfs.config.settings import Config
    from memfs.search.index import UpdateReport
    from memfs.services.checking import Checked
    from memfs.services.opening import Vault
    from memfs.services.redacting import Redaction
    from memfs.services.review import ReviewReport
    from memfs.services.status import Status
    from memfs.services.tokens import Granted


class Keeping:
    """How the vault does."""

    vault: Vault

    def status(self) -> Status:
        """How the vault does: what its identities and sources are at, what waits, what needs a person."""
        from memfs.services.status import status

        return status(self.vault)

    def check(self) -> Checked:
        """Verify vault, repository and index; what is derived is mended, what is a person's only reported."""
        from memfs.services.checking import check

        return check(self.vault)

    def review(
        self, *, identity: str | None = None, announce: Callable[[str], None] | None = None
    ) -> ReviewReport:
        """Unite or offer what says the same, mark stale tasks, archive what is over; one commit per identity."""
        from memfs.services.review import review

        return review(self.vault, identity=identity, announce=announce)

    def redact(self, *, scan: bool = False, history: bool = False, hand: bool = False) -> Redaction:
        """Put placeholders in the place of secrets in memfs's own entries, with ``hand`` in a person's lines too.

        ``scan`` only tells where they stand, with ``history`` also in earlier versions of the files.
        """
        from memfs.services.redacting import redact, scan_secrets

        return scan_secrets(self.vault, history=history) if scan else redact(self.vault, hand=hand)

    def reindex(self, *, announce: Callable[[str], object] | None = None) -> UpdateReport:
        """Build the search index anew; ``announce`` is told how far that is."""
        from memfs.services.finding.indexing import reindex

        return reindex(self.vault, announce)

    def token_add(self, identity: str, *, name: str = "") -> Granted:
        """Make a token for `memfs up` that sees only ``identity``; its ``token`` is told this once."""
        from memfs.services.tokens import add_token

        return add_token(self.vault, identity, name=name)

    def token_list(self) -> tuple[Granted, ...]:
        """The tokens of identities, without the tokens themselves."""
        from memfs.services.tokens import list_tokens

        return list_tokens(self.vault)

    def token_remove(self, id: str) -> None:
        """Make a token worthless at once; ``owner`` means the owner's own."""
        from memfs.services.tokens import remove_token

        remove_token(self.vault, id)

    def config(self) -> Config:
        """The settings as they are in force."""
        return self.vault.config

    def set_config(self, key: str, value: Given, *, local: bool = False) -> Path:
        """Set ``key`` in ``memfs.toml`` (``local``: ``memfs.local.toml``), or remove it (None).

        ``value`` is of the setting's kind, or text as a person types it.

        It counts when the vault is opened anew.
        """
        from memfs.services.configuring import change_setting

        return change_setting(self.vault, key, value, local=local)
