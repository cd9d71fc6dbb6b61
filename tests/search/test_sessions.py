"""Turns as units of search: cut, found with their neighbours, whatever is asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memfs.model import Stat
from memfs.search.lexicon import Filters
from memfs.search.sessions import Conversation, Said, TurnIndex, conversations_text, cut_turns

ANA = Conversation(
    "aide",
    "neutral/s1",
    "Fish market",
    (
        Said("1", "user", "where do we buy the mackerel", line=2, day="2026-03-04"),
        Said("2", "assistant", "At the stall by the quay.", line=3, day="2026-03-04"),
        Said("3", "participant", "鲭鱼卖完了", "Bo", "bo", 4, "2026-03-05"),
    ),
)
OTHER = Conversation("writer", "neutral/s2", None, (Said("9", "user", "the mackerel sky of the poem"),))


@pytest.fixture
def index(tmp_path: Path) -> TurnIndex:
    index = TurnIndex(tmp_path / "sessions")
    index.update({"/talks/a.jsonl": conversations_text([ANA, OTHER])}, {"/talks/a.jsonl": Stat(1, 1, 0, 1)})
    return index


def test_a_turn_is_a_chunk_and_conversations_stay_apart() -> None:
    chunks = cut_turns("a", conversations_text([ANA, OTHER]), "")
    assert [chunk.view.id for chunk in chunks] == ["1", "2", "3", "9"]
    assert [chunk.view.identity for chunk in chunks] == ["aide", "aide", "aide", "writer"]
    assert "mackerel" in " ".join(chunks[1].near)
    assert "鲭鱼" in " ".join(chunks[1].near)
    assert not chunks[3].near
    assert chunks[2].days == (20260305,)


def test_a_long_turn_is_cut_and_named_once_each() -> None:
    long = Conversation(
        "aide", "s", None, (Said("1", "assistant", "\n\n".join(f"Part {n}. " * 60 for n in range(9))),)
    )
    chunks = cut_turns("a", conversations_text([long]), "")
    assert len(chunks) > 3
    assert {chunk.view.id for chunk in chunks} == {"1"}
    assert len({chunk.id for chunk in chunks}) == len(chunks)


def test_a_hit_has_what_was_said_around_it(index: TurnIndex) -> None:
    [hit] = index.search_turns("quay stall", Filters(), 5)
    assert (hit.before, hit.after) == ("user: where do we buy the mackerel", "Bo: 鲭鱼卖完了")
    assert (hit.session, hit.message, hit.line, hit.path) == ("neutral/s1", "2", 3, "/talks/a.jsonl")
    [bo] = index.search_turns("鲭鱼", Filters(peer="bo"), 5)
    assert (bo.peer, bo.role, bo.after) == ("bo", "participant", "")
    assert not index.stale({"/talks/a.jsonl": Stat(1, 1, 0, 1)})


def test_filters_keep_identities_apart(index: TurnIndex) -> None:
    assert {hit.identity for hit in index.search_turns("mackerel", Filters(), 5)} == {"aide", "writer"}
    assert {hit.identity for hit in index.search_turns("mackerel", Filters(("writer",)), 5)} == {"writer"}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(query=st.text(max_size=60), identity=st.sampled_from(["aide", "writer", "nobody"]))
def test_any_text_is_a_query_and_finds_nothing_of_others(index: TurnIndex, query: str, identity: str) -> None:
    assert {hit.identity for hit in index.search_turns(query, Filters((identity,)), 5)} <= {identity}
