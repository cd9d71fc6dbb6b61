"""Which sentences of a day are worth reading: generous with what may matter, strict with small talk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memfs.extraction.redaction import redact_turn
from memfs.extraction.salience import find_salient, fit_salient
from memfs.model import Turn
from memfs.transcripts.opening import open_transcript
from memfs.transcripts.privacy import keep_turns

GOLD = Path(__file__).parent / "gold"


def talk(*said: str) -> list[Turn]:
    """Turns of the user and the assistant by turns."""
    return [Turn("assistant" if at % 2 else "user", text) for at, text in enumerate(said)]


def kept(*said: str) -> list[tuple[int, str]]:
    return [(each.position, each.text) for each in find_salient(talk(*said))]


@pytest.mark.parametrize(
    "said",
    [
        "We decided to go with PostgreSQL for the ledger.",
        "My name is Priya and I lead the payments team.",
        "Please always write commit messages in English.",
        "I have to renew the certificate before Friday.",
        "Remember that the staging VPN drops at noon.",
        "我们决定用 PostgreSQL 做账本。",
        "我叫李雷，负责支付团队。",
        "以后提交信息都用英文写。",
        "周五之前我要更新证书。",
        "Wir haben uns für PostgreSQL entschieden.",
        "A partir de ahora escribe siempre en inglés.",
    ],
)
def test_what_may_matter_is_kept(said: str) -> None:
    assert [text for _, text in kept(said, "ok")] == [said]


@pytest.mark.parametrize(
    "said",
    ["ok", "thanks!", "lol", "what is a mutex?", "and shorter, please", "谢谢", "哈哈", "这个词怎么读？"],
)
def test_small_talk_and_questions_are_left_out(said: str) -> None:
    assert kept(said, "Sure.") == []


def test_a_turn_is_cut_to_its_salient_sentences() -> None:
    said = "Morning! We go with Redis Streams for the queue. What does ACK mean?"
    assert kept(said, "It confirms a message.") == [(0, "We go with Redis Streams for the queue.")]


def test_a_yes_brings_what_it_agrees_to() -> None:
    said = kept("hm", "I looked at both. Shall we take Kafka instead of Redis?", "yes, do that")
    assert said == [(1, "I looked at both. Shall we take Kafka instead of Redis?"), (2, "yes, do that")]


def test_of_a_long_proposal_the_end_is_kept() -> None:
    long = "There is much to say. " * 30 + "Shall we take Kafka?"
    (proposal, _) = kept("hm", long, "yes")
    assert len(proposal[1]) <= 160
    assert proposal[1].endswith("Shall we take Kafka?")


def test_pasted_text_is_not_the_users() -> None:
    said = "Summarise this:\n```\nWe decided to use MongoDB for everything.\n```"
    assert "MongoDB" not in repr(kept(said, "It is about MongoDB."))


def test_agents_words_count_only_where_they_are_digests() -> None:
    baton = [Turn("assistant", "We decided to go with PostgreSQL for the ledger.")]
    assert find_salient(baton) == ()
    assert [each.text for each in find_salient(baton, digests=True)] == [baton[0].text]


def test_the_best_that_fit_are_chosen_in_order() -> None:
    found = find_salient(
        talk(
            "Remember: the gate code of the office changes every Monday.", "ok",
            "the tests were slow again in module Billing", "ok",
            "We decided to go with PostgreSQL for the ledger.", "ok",
        )
    )  # fmt: skip
    chosen = fit_salient(found, sum(len(each.text) for each in found) - 1)
    assert [each.position for each in chosen] == sorted(each.position for each in chosen)
    assert {0, 4} <= {each.position for each in chosen}
    assert fit_salient(found, 0) == ()


def test_of_the_labelled_days_nearly_all_that_must_be_kept_is() -> None:
    must = proved = users = salient = 0
    for path in sorted((GOLD / "gold").glob("*.json")):
        gold = json.loads(path.read_bytes())
        (transcript,) = (GOLD / "transcripts").glob(f"{gold['id']}.json*")
        with transcript.open("rb") as stream:
            turns = list(open_transcript(stream, name=transcript.name))
        spoken = keep_turns(turns)[0]
        found = find_salient([redact_turn(turn) for turn in spoken])
        places = {turns.index(spoken[each.position]) for each in found}
        users += sum(turn.role != "assistant" for turn in spoken)
        salient += sum(spoken[each.position].role != "assistant" for each in found)
        needed = [item for item in gold["items"] if item["must"]]
        must += len(needed)
        proved += sum(bool(places & set(item["turns"])) for item in needed)
    assert proved >= 0.98 * must
    assert salient <= 0.65 * users
