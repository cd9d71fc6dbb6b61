"""From proposals to drafts: the entries that operations would be, before the merge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from memfs.memory.drafts import draft_entries
from memfs.model import Draft, Dropped

if TYPE_CHECKING:
    from memfs.services.ingesting.extracting import Proposal
    from memfs.services.opening import Vault

_NONE: Mapping[str, str] = {}


def draft_proposals(
    vault: Vault,
    proposals: Iterable[Proposal],
    *,
    names: Mapping[str, str] = _NONE,
    existing: Mapping[str, str] = _NONE,
) -> Iterator[tuple[Proposal, tuple[Draft, ...] | Dropped]]:
    """Each proposal with its entries, or why there are none.

    ``names`` are known names to link, with their documents; ``existing`` the texts that patches and sums start from.
    """
    for proposal in proposals:
        yield (
            proposal,
            draft_entries(
                proposal.operation,
                proposal.target,
                vault.registry,
                proposal.evidence,
                language=vault.language,
                today=proposal.evidence.time.astimezone(vault.zone).date(),
                names=names,
                existing=existing,
                peer_name=proposal.operation.peer,
            ),
        )
