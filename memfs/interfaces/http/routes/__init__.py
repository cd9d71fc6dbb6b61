"""The routes, by subject. Each is named as its use case is everywhere; `interfaces.parity` lists them."""

from __future__ import annotations

from memfs.interfaces.http.routes import changing, daily, health, history, recalling, relay, turns, upkeep

ROUTERS = (
    recalling.router,
    changing.router,
    history.router,
    turns.router,
    relay.router,
    daily.router,
    upkeep.router,
    health.router,
)
