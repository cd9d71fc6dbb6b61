"""JSON shapes of the server: who may call it, and where it answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfs.interfaces.shapes.values import Json

if TYPE_CHECKING:
    from memfs.services.background import Background
    from memfs.services.tokens import Granted


def token_json(granted: Granted) -> Json:
    """A token; ``token`` itself only where it was just made."""
    return {
        "id": granted.id,
        "identity": granted.identity,
        "name": granted.name,
        "created": granted.created,
        "token": granted.token,
    }


def background_json(background: Background) -> Json:
    """A service as it is, or would be."""
    return {
        "name": background.name,
        "path": str(background.path),
        "installed": background.installed,
        "text": background.text,
    }
