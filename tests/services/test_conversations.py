"""Search in conversations: turns where they lie or in kept copies, with neighbours, apart by identity, out of git."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from memfs.search import planning
from memfs.search.sessions import TurnHit
from memfs.services.changing import remember
from memfs.services.context import context
from memfs.services.finding import conversations
from memfs.services.ingest import ingest
from memfs.services.opening import Vault
from memfs.services.purging import purge
from memfs.services.recall import search
from tests.services.lexical import lexical_vault, reopened, the_entry
from tests.services.talks import put_talk, talk
from tests.services.vaults import IDENTITY, git

SECRET = "sk-proj-" + "a1B2c3D4" * 6


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return lexical_vault(tmp_path / "v", IDENTITY, "writer")


def put(vault: Vault, name: str, *said: str, identity: str = IDENTITY, day: int = 0) -> Path:
    """A transcript in an inbox."""
    return put_talk(vault.layout.inbox_dir(identity), talk(name, *said, day=day))


def turns(vault: Vault, query: str, **options: object) -> list[str]:
    return [hit.snippet.text for hit in said(vault, query, **options)]


def said(vault: Vault, query: str, **options: object) -> tuple[TurnHit, ...]:
    return search(vault, query, sessions=True, **options).turns  # type: ignore[arg-type]


def test_a_turn_is_found_with_its_neighbours_and_its_place(vault: Vault) -> None:
    path = put(vault, "s1", "we had rain", "the zebra crossing was repainted", "and then lunch")
    [hit] = said(vault, "who repainted the zebra crossing")
    assert hit.snippet.text == "the zebra crossing was repainted"
    assert hit.before == "assistant: Noted."
    assert hit.after == "assistant: Noted."
    assert (hit.identity, hit.session, hit.role, hit.date) == (
        IDENTITY,
        "claude-code/s1",
        "user",
        "2026-03-01",
    )
    assert hit.path == str(path)
    assert "zebra" in path.read_text().splitlines()[hit.line - 1]
    assert hit.message in path.read_text().splitlines()[hit.line - 1]
    assert [one.message for one in said(vault, hit.message)][:1] == [hit.message]


def test_a_turn_of_a_file_that_is_read_whole_is_found_on_its_line(vault: Vault) -> None:
    chat = "# Streets\n\n## User\n\nWhat is new?\n\n## Assistant\n\nThe zebra crossing was repainted.\n"
    messages = [
        {"role": "user", "content": "What is new?"},
        {"role": "assistant", "content": "The quay was repaved."},
    ]
    folder = vault.layout.inbox_dir(IDENTITY)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "chat.md").write_text(chat, encoding="utf-8")
    (folder / "release.json").write_text(json.dumps({"messages": messages}, indent=1), encoding="utf-8")
    assert [(Path(hit.path).name, hit.line) for hit in said(vault, "zebra crossing")] == [("chat.md", 7)]
    assert [(Path(hit.path).name, hit.line) for hit in said(vault, "quay")] == [("release.json", 7)]


def test_chinese_is_found_too(vault: Vault) -> None:
    put(vault, "s1", "我们昨天把缓存换成了本地文件", "今天天气不错")
    assert turns(vault, "缓存换成了什么")[0] == "我们昨天把缓存换成了本地文件"


def test_turns_of_other_identities_are_never_found(vault: Vault) -> None:
    put(vault, "s1", "the zebra crossing was repainted")
    put(vault, "s2", "the zebra crossing is behind the school", identity="writer")
    document = vault.layout.document("writer", "identity.md")
    document.write_text(
        document.read_text().replace("type: identity\n", f"type: identity\nreads: [{IDENTITY}]\n")
    )
    assert turns(vault, "zebra crossing", identity="writer") == ["the zebra crossing is behind the school"]
    assert turns(vault, "zebra crossing", identity=IDENTITY) == ["the zebra crossing was repainted"]
    assert len(turns(vault, "zebra crossing")) == 2


def test_private_and_off_the_record_turns_are_left_out_and_secrets_redacted(vault: Vault) -> None:
    put(
        vault,
        "s1",
        "the zebra is <private>in the cellar</private> today",
        f"the zebra token is {SECRET} as you know",
        "this is off the record: the zebra is ill",
    )
    put(vault, "s2", "the zebra sleeps", "this whole conversation is off the record")
    texts = " ".join(turns(vault, "zebra"))
    assert "zebra is" in texts
    for hidden in ("cellar", SECRET, "ill", "sleeps"):
        assert hidden not in texts
        assert turns(vault, hidden) == []
    held = b"".join(file.read_bytes() for file in vault.layout.derived.rglob("*") if file.is_file())
    assert SECRET.encode() not in held


def test_nothing_enters_git(vault: Vault) -> None:
    before = git(vault.top, "rev-parse", "HEAD")
    put(vault, "s1", "the zebra crossing was repainted")
    assert turns(vault, "zebra")
    assert git(vault.top, "rev-parse", "HEAD") == before
    assert git(vault.top, "status", "--porcelain") == ""


def test_what_grows_is_read_again_and_only_that(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    put(vault, "s1", "the zebra crossing was repainted")
    put(vault, "s2", "the giraffe was fed")
    assert turns(vault, "zebra")
    read: list[str] = []
    kept = conversations._Pass._text

    def listening(self: conversations._Pass, path: str) -> str:
        read.append(Path(path).name)
        return kept(self, path)

    monkeypatch.setattr(conversations._Pass, "_text", listening)
    monkeypatch.setattr(planning, "_UNSETTLED_NS", 0)  # else files of this moment are looked at again
    turns(vault, "zebra")
    read.clear()
    put(vault, "s1", "the zebra crossing was repainted", "the okapi came too")
    assert turns(vault, "okapi") == ["the okapi came too"]
    assert set(read) == {"s1.jsonl"}


def test_a_deleted_transcript_falls_out_unless_a_copy_was_kept(vault: Vault) -> None:
    merged = put(vault, "s1", "remember that the zebra crossing was repainted")
    ingest(vault)
    unmerged = put(vault, "s2", "the zebra is striped")
    assert len(turns(vault, "zebra")) == 2
    unmerged.unlink()
    assert turns(vault, "zebra") == ["remember that the zebra crossing was repainted"]
    merged.unlink()
    [hit] = said(vault, "zebra")
    assert hit.path.endswith(".jsonl.zst")
    assert (hit.identity, hit.session) == (IDENTITY, "claude-code/s1")
    Path(hit.path).unlink()
    assert turns(vault, "zebra") == []


def test_a_purge_takes_the_proving_turn_out(vault: Vault) -> None:
    path = put(vault, "s1", "remember that the zebra crossing was repainted")
    ingest(vault)
    path.unlink()
    assert turns(vault, "zebra")
    purge(vault, the_entry(vault, "zebra").id or "")
    held = b"".join(file.read_bytes() for file in vault.layout.derived.rglob("*") if file.is_file())
    assert b"zebra" not in held
    assert turns(vault, "zebra") == []


def test_a_lost_note_or_a_damaged_index_only_costs_reading_again(vault: Vault) -> None:
    put(vault, "s1", "remember that the zebra crossing was repainted")
    ingest(vault)
    expected = turns(vault, "zebra")
    folder = vault.layout.derived / "sessions"
    (folder / "covers.json").unlink()
    assert turns(vault, "zebra") == expected != []
    for file in folder.rglob("*"):
        if file.is_file():
            file.write_bytes(b"damage")
    assert turns(vault, "zebra") == expected


def test_filters_and_times_hold_for_turns(vault: Vault) -> None:
    put(vault, "s1", "the zebra crossing was repainted")
    put(vault, "s2", "the zebra left", day=40)
    assert turns(vault, "zebra", since=date(2026, 4, 1)) == ["the zebra left"]
    assert turns(vault, "zebra", until=date(2026, 3, 31)) == ["the zebra crossing was repainted"]
    assert turns(vault, "zebra", type="notes") == []
    assert turns(vault, "zebra", limit=1) == turns(vault, "zebra")[:1]


def test_in_memory_as_it_was_only_what_was_said_by_then_is_found(vault: Vault) -> None:
    put(vault, "s1", "the zebra crossing was repainted")
    today = vault.now().date()
    put(vault, "s2", "the zebra left", day=(today - date(2026, 3, 1)).days + 9)
    assert len(turns(vault, "zebra")) == 2
    assert turns(vault, "zebra", at="HEAD") == ["the zebra crossing was repainted"]


def test_turns_are_the_last_resort_where_the_settings_allow_it(vault: Vault) -> None:
    put(vault, "s1", "the zebra crossing was repainted in March")
    put(vault, "s2", "it rains", "it pours", "it snows")  # the latest messages stand in a context anyhow
    remember(vault, "The heron nests by the pond", identity=IDENTITY)
    assert search(vault, "zebra crossing").turns == ()
    assert "Said in" not in context(vault, "zebra crossing", identity=IDENTITY).text
    vault.layout.local_config.write_text(
        "[search]\nsessions = true\n" + vault.layout.local_config.read_text()
    )
    allowed = reopened(vault)
    answer = search(allowed, "zebra crossing")
    assert answer.hits == ()
    assert [hit.snippet.text for hit in answer.turns] == ["the zebra crossing was repainted in March"]
    told = context(allowed, "was the zebra crossing repainted", identity=IDENTITY).text
    assert (
        "## Said in conversations (not memory)\n- [user] the zebra crossing was repainted in March (" in told
    )
    assert search(allowed, "heron").turns == ()
    assert "Said in" not in context(allowed, "where does the heron nest", identity=IDENTITY).text


def test_a_session_that_must_not_be_remembered_is_not_searched(vault: Vault) -> None:
    path = vault.layout.inbox_dir(IDENTITY) / "neutral.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    header = {
        "memfs": 1,
        "id": "n1",
        "memory_policy": {"self": {"enabled": False}, "peer": {"enabled": False}},
    }
    row = {"role": "user", "text": "the zebra crossing was repainted", "id": "1"}
    path.write_text(f"{json.dumps(header)}\n{json.dumps(row)}\n")
    assert turns(vault, "zebra") == []
    del header["memory_policy"]
    path.write_text(f"{json.dumps(header)}\n{json.dumps(row)}\n")
    assert turns(vault, "zebra") == ["the zebra crossing was repainted"]


def test_se_23_a_transcript_that_gets_shorter_leaves_nothing_behind(vault: Vault) -> None:
    put(vault, "s1", "the zebra crossing was repainted", "the okapi came too")
    assert turns(vault, "okapi")
    put(vault, "s1", "the zebra crossing was repainted")
    assert turns(vault, "okapi") == []
    assert turns(vault, "zebra") == ["the zebra crossing was repainted"]


def test_se_24_equal_turns_of_one_session_keep_their_own_neighbours(vault: Vault) -> None:
    put(vault, "s1", "yes, the zebra one", "something else", "yes, the zebra one", "and a last word")
    [hit] = said(vault, "zebra")  # near-duplicates are shown once
    assert hit.before == "" or hit.before.startswith("assistant")
    index = conversations.open_turns(vault)
    held = [one.view.id for one in index.search("zebra", limit=50).hits]
    assert len(held) == len(set(held))


def test_se_26_se_28_no_query_fails(vault: Vault) -> None:
    put(vault, "s1", "the file is called [a TO z] (foo")
    for query in ("[", "(foo", "a^b", "AND", '"foo', "/re/", "foo:bar", "", " ", "\x00", "-"):
        assert isinstance(said(vault, query), tuple)
    assert turns(vault, "(foo") == ["the file is called [a TO z] (foo"]


def test_progress_is_told_when_there_is_much_to_read(vault: Vault) -> None:
    for number in range(9):
        put(vault, f"s{number}", f"the zebra number {number}")
    told: list[str] = []
    search(vault, "zebra", sessions=True, announce=told.append)
    assert told == ["0/9"]
    told.clear()
    search(vault, "zebra", sessions=True, announce=told.append)
    assert len(told) <= 1


def test_what_is_no_transcript_is_passed_over(vault: Vault) -> None:
    put(vault, "s1", "the zebra crossing was repainted")
    (vault.layout.inbox_dir(IDENTITY) / "photo.jsonl").write_bytes(b"\x89PNG\r\n\x1a\n\0\0zebra")
    (vault.layout.inbox_dir(IDENTITY) / "empty.jsonl").write_bytes(b"")
    assert turns(vault, "zebra") == ["the zebra crossing was repainted"]
