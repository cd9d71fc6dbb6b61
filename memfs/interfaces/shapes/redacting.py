"""JSON shape of secrets that are in the vault; never the secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfs.interfaces.shapes.values import Json

if TYPE_CHECKING:
    from memfs.services.redacting import Redaction


def redaction_json(done: Redaction) -> Json:
    """Where secrets stand, and which were replaced."""
    return {
        "files": done.files,
        "commit": done.commit,
        "found": [
            {
                "path": each.path,
                "line": each.line,
                "kind": each.kind,
                "by_hand": each.by_hand,
                "commit": each.commit,
                "replaced": each.replaced,
                "reason": each.reason,
            }
            for each in done.found
        ],
    }
