"""JSON shapes of links."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from memfs.interfaces.shapes.values import Json

if TYPE_CHECKING:
    from memfs.services.finding.linking import FollowedLink, Links


def links_json(links: Links) -> Json:
    """The links of a document or an entry; of a whole vault those that are broken (``out``), and orphans."""
    return {
        "document": links.document,
        "entry": links.entry,
        "out": _links(links.out),
        "back": _links(links.back),
        "orphans": list(links.orphans),
    }


def _links(links: Iterable[FollowedLink]) -> list[Json]:
    return [
        {
            "path": one.path,
            "line": one.line,
            "target": one.target,
            "state": one.state,
            "to": one.to,
            "embed": one.embed,
        }
        for one in links
    ]
