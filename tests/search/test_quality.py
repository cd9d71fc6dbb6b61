"""What the default engine must find in a small vault: words, meaning, dates, names, what holds now."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from memfs.search.embeddings import load_embedder
from memfs.search.index import SearchIndex
from memfs.search.lexicon import Filters

FILES = {
    "memories/a/decisions.md": """\
# Decisions

## Service

- **Queue**: Redis Streams in place of RabbitMQ, because operations already run Redis. (2026-03-11) ^m-queue
- **Retries**: a webhook is tried six times within 40 minutes, then parked. (2026-05-24) ^m-retry
- **损失函数**：Dice 加 clDice，权重 0.7 比 0.3。（2026-05-09） ^m-loss

## Superseded

- ~~**Queue**: RabbitMQ with quorum queues. (2025-09-04)~~ (superseded 2026-03-11) ^m-queue-ab12
""",
    "memories/a/preferences.md": """\
# Preferences

## Style

- Line length 100; the formatter is ruff and nothing else ^m-line
- Home office: two days a week ^m-home
- Do not suggest moving to Kubernetes again ^m-kube
""",
    "memories/a/projects/mercury.md": """\
# Mercury

- stage: beta ^m-stage
- known_issues: search by recipient is slow above two million rows ^m-issue
- tech_stack: FastAPI ^m-stack
""",
    "memories/a/actions.md": """\
# Actions

## Open

- [ ] Renew the certificate of the gateway, high, due 2026-12-04 ^m-cert
- [x] Write the runbook, due 2026-10-01 ^m-book
""",
    "memories/a/entities/people/will-hope.md": """\
# Will Hope

Director of platform, dislikes slides. ^m-will
""",
    "memories/a/notes.md": """\
# Notes

- `asyncpg.exceptions.TooManyConnectionsError` on staging: cap the pool with `pool_max=5` ^m-pool
- 组会改到每周二下午三点，在 412 房间 ^m-meet
- Staging Postgres listens on port 5433 ^m-port
""",
    "memories/b/notes.md": "# Notes\n\n- The queue of b is Kafka ^m-other\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    folder = tmp_path_factory.mktemp("quality")
    found = SearchIndex(folder, load_embedder(state=folder))
    assert found.update(FILES).degraded == ()
    return found


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("which queue do we use", "m-queue"),
        ("rabbitmq quorum", "m-queue"),
        ("how often may staff work from their own flat", "m-home"),
        ("who is in charge of the platform", "m-will"),
        ("TooManyConnectionsError", "m-pool"),
        ("pool_max", "m-pool"),
        ("who is Will", "m-will"),
        ("stagging postgress port", "m-port"),
        ("known issues of mercury", "m-issue"),
        ("open tasks", "m-cert"),
        ("due in December", "m-cert"),
        ("decisions in March", "m-queue"),
        ("损失函数用什么", "m-loss"),
        ("组会几点，在哪个房间？", "m-meet"),
        ("^m-stage", "m-stage"),
    ],
)
def test_the_answer_comes_first(index: SearchIndex, query: str, first: str) -> None:
    hits = index.search(query, Filters(identities=("a",)), today=date(2026, 11, 30)).hits
    assert hits
    assert hits[0].view.id == first, [(hit.view.id, hit.score) for hit in hits[:3]]


def test_what_nothing_answers_scores_low(index: SearchIndex) -> None:
    sure = index.search("which queue do we use", Filters(identities=("a",))).hits[0].score
    for query in ("mongodb sharding setup", "solar panels on the roof", "房租押金交了多少"):
        hits = index.search(query, Filters(identities=("a",))).hits
        assert all(hit.score < sure / 2 for hit in hits), query


def test_another_identity_is_never_shown(index: SearchIndex) -> None:
    assert all(
        hit.view.identity == "a" for hit in index.search("kafka queue", Filters(identities=("a",))).hits
    )


def test_languages_find_each_other(index: SearchIndex) -> None:
    for query, wanted in (("what loss function did we choose", "m-loss"), ("可以在家办公几天", "m-home")):
        hits = index.search(query, Filters(identities=("a",))).hits
        assert wanted in [hit.view.id for hit in hits[:3]], query


def test_a_language_without_vectors_is_searched_by_words_and_says_so(tmp_path: Path) -> None:
    index = SearchIndex(tmp_path, load_embedder("static"))
    index.update(FILES)
    reason = "the meaning half of search knows English; this query was searched by its words"
    assert index.search("损失函数用什么").degraded == (reason,)
    assert index.search("which queue").degraded == ()
