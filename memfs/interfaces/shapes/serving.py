"""JSON shapes of the server: who may call it, and where it answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfs.interfaces.shapes.values import Json

if TYPE_CHECKING:
    from memfs.services.serving import Serving
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


def serving_json(serving: Serving) -> Json:
    """A running server."""
    return {"pid": serving.pid, "url": serving.url, "version": serving.version}
