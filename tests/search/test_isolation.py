"""A thousand identities in one index: nobody is ever shown what is another's."""

from __future__ import annotations

import random

import pytest

from memfs.search.index import SearchIndex
from memfs.search.lexicon import Filters
from tests.search.fakes import WordEmbedder

IDENTITIES = 1_000
WORDS = [
    f"{a}{b}"
    for a in ["kiln", "glaze", "clay", "oven", "cone", "ramp", "shelf", "wheel"]
    for b in "abcdefghij"
]
ODD = ["", "^m-entry", "缓存", "🎉", "(", "AND", "notes", "last week", "m-7-1"]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    """Three entries and a peer's to each identity, of the same words in every one."""
    chance = random.Random(1)

    def entry(number: int, place: int) -> str:
        return f"- {' '.join(chance.choices(WORDS, k=6))} 缓存 🎉 ^m-{number}-{place}\n"

    files = {}
    for number in range(IDENTITIES):
        own = "".join(entry(number, place) for place in range(3))
        files[f"memories/id-{number}/notes.md"] = f"# Notes\n\n{own}"
        files[f"memories/id-{number}/peers/kim/notes.md"] = f"# Notes\n\n{entry(number, 9)}"
    found = SearchIndex(tmp_path_factory.mktemp("isolation"), WordEmbedder())
    found.update(files)
    return found


def foreign(index: SearchIndex, queries: int, seed: int) -> list[tuple[str, str]]:
    """Ask so many random questions; gives (asker, owner) of every hit that is not the asker's."""
    chance = random.Random(seed)
    wrong, shown = [], 0
    for _ in range(queries):
        asker = f"id-{chance.randrange(IDENTITIES)}"
        query = chance.choice([" ".join(chance.choices(WORDS, k=chance.randint(1, 5))), chance.choice(ODD)])
        for hit in index.search(query, Filters(identities=(asker, "")), 20).hits:
            shown += 1
            if hit.view.identity != asker or not hit.view.path.startswith(f"memories/{asker}/"):
                wrong.append((asker, hit.view.identity))
    assert shown > queries / 2
    return wrong


def test_random_queries_show_nothing_foreign(index: SearchIndex) -> None:
    assert foreign(index, 1_000, seed=2) == []


@pytest.mark.slow
def test_ten_thousand_random_queries_show_nothing_foreign(index: SearchIndex) -> None:
    assert foreign(index, 10_000, seed=3) == []


def test_an_identity_that_reads_another_sees_those_two(index: SearchIndex) -> None:
    hits = index.search("缓存", Filters(identities=("id-1", "id-2")), 20).hits
    assert {hit.view.identity for hit in hits} == {"id-1", "id-2"}
