"""list, show, search, context."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from memfs.interfaces.cli import main
from tests.conftest import PROJECT
from tests.interfaces.conftest import Memfs, edit, run_memfs

TURN = {
    "identity", "session", "message", "role", "peer", "date", "path", "line", "score", "snippet", "before", "after",
}  # fmt: skip
LISTED = {
    "id", "identity", "peer", "type", "field", "text", "status", "date", "path", "line", "origin", "source", "commit",
    "trust",
}  # fmt: skip


def test_list_has_the_fixed_fields_and_the_lines_they_name(memfs: Memfs, vault: Path) -> None:
    entries = memfs("list", "--json").json
    assert {frozenset(entry) for entry in entries} == {frozenset(LISTED)}
    assert {entry["origin"] for entry in entries} == {"hand", "extracted"}
    for entry in entries:
        line = (vault / entry["path"]).read_text("utf-8").splitlines()[entry["line"] - 1]
        assert (
            entry["id"] is None or f"^{entry['id']}" in line or entry["type"] in ("entities", "experiences")
        )


def test_list_by_identity_type_and_peer(memfs: Memfs) -> None:
    decisions = memfs("list", "--identity", "coding-assistant", "--type", "decisions", "--json").json
    assert {(entry["identity"], entry["type"]) for entry in decisions} == {("coding-assistant", "decisions")}
    about_jonas = memfs("list", "--peer", "jonas", "--json").json
    assert {entry["peer"] for entry in about_jonas} == {"jonas"}


def test_list_for_people_names_documents_lines_and_ids(memfs: Memfs) -> None:
    shown = memfs("list", "--type", "actions").out
    assert "memories/coding-assistant/actions.md\n" in shown
    assert "[ ] " in shown
    assert "  ^m-" in shown


def test_an_empty_list_says_so(memfs: Memfs) -> None:
    done = memfs("list", "--identity", "home-aide", "--type", "cases")
    assert (done.code, done.out, done.err) == (0, "No entries.\n", "")


@pytest.mark.parametrize("command", [("list",), ("search", "tide"), ("context",), ("log",), ("review",)])
def test_an_identity_that_there_is_not_is_refused_with_those_that_are(
    memfs: Memfs, command: tuple[str, ...]
) -> None:
    nobody = memfs(*command, "--identity", "nobody")
    assert (nobody.code, nobody.out) == (2, "")
    assert nobody.err == (
        "error: no identity is called nobody\n"
        "  try: one of home-aide, coding-assistant; memfs init . --identity nobody makes a new one\n"
    )


@pytest.mark.parametrize("command", [("list",), ("search", "tide")])
def test_a_type_that_there_is_not_is_refused_with_those_that_are(
    memfs: Memfs, command: tuple[str, ...]
) -> None:
    bogus = memfs(*command, "--type", "bogus")
    assert (bogus.code, bogus.out) == (2, "")
    assert bogus.err.startswith("error: no memory type 'bogus'\n  try: one of actions, cases, decisions, ")


def test_types_of_the_vaults_own_can_be_asked_for(memfs: Memfs, vault: Path) -> None:
    notes = (PROJECT / "templates/types/notes.md").read_text("utf-8").replace("notes.md", "recipes.md")
    (vault / "templates/types").mkdir(parents=True, exist_ok=True)
    (vault / "templates/types/recipes.md").write_text(notes, encoding="utf-8")
    assert memfs("list", "--type", "recipes").code == 0
    saved = memfs(
        "remember", "Tide soup", "--identity", "home-aide", "--type", "recipes", "--field", "tags=food"
    )
    assert saved.code == 0, saved.err
    [entry] = memfs("list", "--type", "recipes", "--json").json
    assert (entry["text"], entry["type"]) == ("Tide soup #food", "recipes")
    assert [hit["id"] for hit in memfs("search", "soup", "--type", "recipes", "--json").json["hits"]] == [
        entry["id"]
    ]


def test_search_has_the_list_fields_a_score_and_a_snippet(memfs: Memfs) -> None:
    found = memfs("search", "which database holds the tide cache", "--limit", "2", "--json").json
    assert set(found) == {"hits", "degraded", "understood", "commit", "turns"}
    assert {frozenset(hit) for hit in found["hits"]} == {frozenset(LISTED | {"score", "snippet"})}
    assert len(found["hits"]) == 2
    assert "tide cache" in found["hits"][0]["text"]
    assert 0 <= found["hits"][0]["score"] <= 1


def test_search_says_how_it_understood_times(memfs: Memfs) -> None:
    done = memfs("search", "tide cache in March 2026")
    assert "understood: in March 2026 = 2026-03-01 .. 2026-03-31" in done.err
    told = memfs("search", "tide cache in March 2026", "--json").json["understood"]
    assert told == [{"words": "in March 2026", "since": "2026-03-01", "until": "2026-03-31"}]
    assert memfs("search", "tide cache").err.count("understood") == 0


def test_search_can_tell_what_a_score_is_made_of(memfs: Memfs) -> None:
    plain = memfs("search", "tide cache", "--limit", "1", "--json").json["hits"][0]
    hit = memfs("search", "tide cache", "--limit", "1", "--why-score", "--json").json["hits"][0]
    assert set(hit) == set(plain) | {"parts"}
    assert 0 < hit["parts"]["words"] <= 1
    assert "   score: words " in memfs("search", "tide cache", "--limit", "1", "--why-score").out


def test_search_shows_where_a_hit_stands_as_it_opens_from_here(
    memfs: Memfs, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def places() -> list[str]:
        lines = memfs("search", "tide cache").out.splitlines()
        return [line.split()[0] for line in lines if ".md:" in line.split("  ")[1 if line[:1] == " " else 0]]

    for folder in (vault, vault / "memories", vault.parent, Path("/")):
        monkeypatch.chdir(folder)
        assert places(), folder
        for place in places():
            path, _, line = place.rpartition(":")
            assert Path(path).read_text("utf-8").splitlines()[int(line) - 1]


def test_words_asked_for_are_bold_on_a_terminal_only(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ["search", "--vault", str(vault), "tide cache", "--limit", "1"]
    shown = CliRunner().invoke(main, arguments, color=True, prog_name="memfs").output
    assert "\x1b[1m" in shown
    assert "\x1b" not in CliRunner().invoke(main, arguments, prog_name="memfs").output
    monkeypatch.setenv("NO_COLOR", "1")
    plain = CliRunner().invoke(main, arguments, color=True, prog_name="memfs").output
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[\d*m", "", shown) == plain


def test_search_in_memory_as_it_was(memfs: Memfs, vault: Path) -> None:
    then = memfs("log", "--json").json[0]["commit"]
    edit(vault / "memories/coding-assistant/decisions.md", "plain REST", "plain gRPC")
    assert memfs("check").code == 0
    found = memfs("search", "plain REST", "--at", then[:8], "--limit", "1", "--json").json
    assert found["commit"] == then
    assert "plain REST" in found["hits"][0]["text"]
    done = memfs("search", "plain REST", "--at", then[:8])
    assert f"memory as it was in commit {then[:8]}" in done.err
    assert memfs("search", "REST", "--at", "1999-01-01").code == 6


def test_search_in_conversations(memfs: Memfs) -> None:
    found = memfs("search", "tide cache", "--sessions", "--limit", "2", "--json").json
    assert {frozenset(turn) for turn in found["turns"]} == {frozenset(TURN)}
    for turn in found["turns"]:
        assert Path(turn["path"]).read_text("utf-8").splitlines()[turn["line"] - 1]
    shown = memfs("search", "tide cache", "--sessions", "--limit", "2").out
    assert "\nSaid in conversations (not memory):\n" in shown
    done = memfs("search", "zyxwv")
    assert done.err == "search is degraded: searched by words only: no embedding engine is set\n" + (
        "what was said in conversations: --sessions\n"
    )
    assert "--sessions" not in memfs("search", "zyxwv", "--no-sessions").err


def test_similar_entries(memfs: Memfs) -> None:
    [entry] = [
        e for e in memfs("list", "--type", "decisions", "--json").json if e["id"] and "SQLite" in e["text"]
    ]
    found = memfs("similar", f"^{entry['id']}", "--json").json
    assert found["hits"]
    assert entry["id"] not in {hit["id"] for hit in found["hits"]}
    assert memfs("similar", entry["id"], "--limit", "1").out.startswith("1. ")
    assert memfs("similar", "m-nothere").code == 6
    hidden = memfs("similar", entry["id"], "--identity", "home-aide")
    assert (hidden.code, hidden.out) == (6, "")


def test_links_of_documents_and_entries(memfs: Memfs, vault: Path) -> None:
    assert memfs("links").out == "No link is broken.\n"
    [entry] = [
        e for e in memfs("list", "--type", "decisions", "--json").json if e["id"] and "SQLite" in e["text"]
    ]
    note = vault / "Linking.md"
    note.write_text(f"- [[{entry['path']}#^{entry['id']}]]\n- [[Nowhere]]\n", encoding="utf-8")
    found = memfs("links", entry["id"], "--json").json
    assert set(found) == {"document", "entry", "out", "back", "orphans"}
    assert (found["document"], found["entry"]) == (entry["path"], entry["id"])
    [back] = found["back"]
    assert set(back) == {"path", "line", "target", "state", "to", "embed"}
    assert (back["path"], back["line"], back["to"]) == ("Linking.md", 1, f"{entry['path']}#^{entry['id']}")
    shown = memfs("links", "Linking")
    assert shown.out.splitlines()[0] == "Links to:"
    assert f"{note}:2  Nowhere  (no such note or file)" in shown.out
    assert memfs("links").out.startswith("Broken links:\n")
    assert "mind: Linking.md:2: the link to Nowhere: no such note or file" in memfs("check").out
    assert memfs("links", "nothing/there.md").code == 6


def test_search_takes_several_words_without_quotes_and_any_filter(memfs: Memfs) -> None:
    found = memfs("search", "tide", "cache", "--type", "decisions", "--since", "2026-11-01", "--json").json[
        "hits"
    ]
    assert found
    assert {hit["type"] for hit in found} == {"decisions"}
    assert all(hit["date"] >= "2026-11-01" for hit in found)
    garden = memfs("search", "cache", "--identity", "home-aide", "--json").json["hits"]
    assert not [hit for hit in garden if hit["identity"] == "coding-assistant"]


def test_no_query_can_make_search_fail(memfs: Memfs) -> None:
    for query in ("", "the", '"(AND', "a:b^2~*?", "-", "\x00", "^m-"):
        done = memfs("search", "--json", "--", query)
        assert done.code == 0, query
        assert isinstance(done.json["hits"], list)
    assert memfs("search", "zyxwv").out == "Nothing found.\n"


def test_search_follows_a_hand_edit(memfs: Memfs, vault: Path) -> None:
    edit(vault / "memories/coding-assistant/decisions.md", "plain REST", "plain gRPC")
    [hit] = memfs("search", "gRPC", "--json").json["hits"]
    assert hit["path"] == "memories/coding-assistant/decisions.md"


def test_context_is_fenced_and_within_its_budget(memfs: Memfs) -> None:
    answer = memfs(
        "context", "tide cache", "--identity", "coding-assistant", "--budget", "300", "--json"
    ).json
    assert set(answer) == {"text", "tokens", "left_out"}
    assert answer["tokens"] <= 300
    assert answer["text"].startswith("<user_memory-")
    shown = memfs("context", "--identity", "coding-assistant")
    assert shown.out.rstrip().endswith(">")
    assert memfs("context").code == 2


def test_an_empty_context_says_so(memfs: Memfs, vault: Path) -> None:
    for folder in ("memories/home-aide", "inbox/home-aide"):
        for document in (vault / folder).rglob("*.*"):
            if document.is_file():
                document.unlink()
    done = memfs("context", "zyxwv", "--identity", "home-aide")
    assert (done.code, done.out) == (0, "")
    assert done.err == "nothing is remembered that would help here\n"


def test_show_an_entry_a_document_and_the_past(memfs: Memfs, vault: Path) -> None:
    [entry] = [
        e for e in memfs("list", "--type", "decisions", "--json").json if e["id"] and "SQLite" in e["text"]
    ]
    assert memfs("show", entry["id"]).out == memfs("show", f"^{entry['id']}").out
    assert "SQLite" in memfs("show", entry["id"]).out
    path = vault / entry["path"]
    assert memfs("show", entry["path"]).out == path.read_text("utf-8")
    assert memfs("show", "coding-assistant/decisions").code == 6
    before = path.read_text("utf-8")
    edit(path, "plain REST", "plain gRPC")
    assert "gRPC" in memfs("show", entry["path"]).out
    assert memfs("show", entry["path"], "--at", "HEAD", "--json").json["text"] == before


def test_what_is_not_there_is_code_6(memfs: Memfs) -> None:
    for arguments in (
        ("show", "m-nothere"),
        ("show", "no/such.md"),
        ("show", "notes.md", "--at", "feedbee1"),
    ):
        done = memfs(*arguments)
        assert (done.code, done.out) == (6, "")
        assert done.err.startswith("error: ")


def test_escapes_in_a_memory_are_shown_not_obeyed(memfs: Memfs) -> None:
    memfs("remember", "watch \x1b]0;owned\x07 the title", "--identity", "home-aide")
    for arguments in (("list",), ("search", "watch the title"), ("show", "notes.md"), ("log",), ("diff",)):
        assert not set(memfs(*arguments).out) & {"\x1b", "\x07"}, arguments


def test_vault_is_taken_before_and_after_the_command(vault: Path) -> None:
    assert run_memfs("--vault", vault, "list").out == run_memfs("list", "--vault", vault).out != ""
