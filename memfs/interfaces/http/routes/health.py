"""Routes for those who look after the process: health, readiness, metrics."""

from __future__ import annotations

from typing import Any

from fastapi import Response

from memfs import __version__
from memfs.errors import RepositoryBusy
from memfs.interfaces.answers.serving import Health
from memfs.interfaces.http.calling import Calls
from memfs.interfaces.http.metrics import CONTENT_TYPE
from memfs.interfaces.http.routes.asking import router_of
from memfs.services.commit import require_branch

router = router_of("process")


@router.get("/health", response_model=Health)
async def health() -> Any:
    """Whether the process answers at all."""
    return {"status": "ok", "version": __version__}


@router.get("/ready", response_model=Health)
def ready(calls: Calls) -> Any:
    """Whether all of it works: the watch, the schedule, and the repository. 503 says what does not."""
    if reasons := calls.shared.unready():
        raise RepositoryBusy(f"not ready: {'; '.join(reasons)}")
    with calls.reach() as reach:
        require_branch(reach.memory.vault)
    return {"status": "ready", "version": __version__}


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
def metrics(calls: Calls) -> Response:
    """Counters and gauges for Prometheus; the owner's alone."""
    with calls.whole() as memory:
        page = calls.shared.metrics.render(memory.status())
    return Response(page, media_type=CONTENT_TYPE)
