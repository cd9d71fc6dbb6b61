"""memfs as a Python library: what a person changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memfs.services.changing import Changed
    from memfs.services.opening import Vault
    from memfs.services.purging import Forgotten
    from memfs.services.undo import Undone


class Correcting:
    """What a person changes."""

    vault: Vault

    def forget(self, entry: str) -> Changed:
        """Take an entry out, and keep it from coming back."""
        from memfs.services.changing import forget

        return forget(self.vault, entry)

    def purge(self, entry: str) -> Forgotten:
        """Forget an entry for good: out of every commit, copy and cache, with proof. History is rewritten."""
        from memfs.services.purging import purge

        return purge(self.vault, entry)

    def move(self, entry: str, to: str) -> Changed:
        """Move an entry to the identity ``to``."""
        from memfs.services.changing import move

        return move(self.vault, entry, to)

    def edit(self, entry: str, text: str) -> Changed:
        """Put ``text`` in the place of an entry's own, as if you had edited its line: it is never rewritten."""
        from memfs.services.editing import edit

        return edit(self.vault, entry, text)

    def accept(self, entry: str) -> Changed:
        """Put the wording that is offered for an entry in its place."""
        from memfs.services.changing import accept

        return accept(self.vault, entry)

    def reject(self, entry: str) -> Changed:
        """Take the wording that is offered for an entry away."""
        from memfs.services.changing import reject

        return reject(self.vault, entry)

    def undo(
        self, commit: str | None = None, *, source: str | None = None, identity: str | None = None
    ) -> Undone:
        """Take back what one ``commit`` of memfs did; or everything that came from a ``source``.

        The source is a session as `why` names it, or the part before its slash; ``identity`` limits it to one.
        """
        from memfs.errors import InvalidRequest
        from memfs.services.undo import undo
        from memfs.services.withdrawing import take_back

        if (commit is None) == (source is None):
            raise InvalidRequest("undo takes either a commit or a source")
        if identity is not None:
            self.vault.known_identity(identity)
        if source is not None:
            return take_back(self.vault, source, identity=identity)
        return undo(self.vault, commit or "")
