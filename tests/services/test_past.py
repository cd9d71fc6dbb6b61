"""Memory as it was: searched in the tree of a commit, by date or by name."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from memfs.errors import CommitNotFound
from memfs.services.changing import forget, remember
from memfs.services.finding.indexing import document_stats
from memfs.services.finding.past import Past, open_past, searched_paths
from memfs.services.opening import Vault
from memfs.services.purging import purge
from memfs.services.recall import search
from tests.services.lexical import edit, lexical_vault, the_entry
from tests.services.vaults import IDENTITY, document, git, merge, note, proposal


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    vault = lexical_vault(tmp_path / "v", IDENTITY, "writer")
    merge(
        vault,
        note("Deploys on Friday need a second reviewer", 1),
        proposal("decisions", 2, topic="Queue", decision="Use Redis", reason="operations run it"),
    )
    remember(vault, "Deploys of the site are on Monday", identity="writer")
    return vault


def head(vault: Vault) -> str:
    return git(vault.top, "rev-parse", "HEAD").strip()


def found(vault: Vault, query: str, **options: object) -> list[str]:
    return [hit.view.text for hit in search(vault, query, **options).hits]  # type: ignore[arg-type]


def test_an_entry_is_found_as_it_was_and_not_as_it_is(vault: Vault) -> None:
    then = head(vault)
    merge(vault, proposal("decisions", 10, topic="Queue", decision="Use Kafka"))
    forget(vault, the_entry(vault, "second reviewer").id or "")
    assert found(vault, "reviewer") == []
    answer = search(vault, "reviewer", at=then)
    assert answer.commit == then
    [hit] = answer.hits
    assert hit.view.text == "Deploys on Friday need a second reviewer"
    assert (hit.view.origin, hit.view.source, hit.view.commit) == (
        "extracted",
        "claude-code/s1",
        then_wrote(vault),
    )
    assert hit.view.date == "2026-03-01"
    [redis] = search(vault, "queue redis", at=then).hits
    assert redis.view.status is None
    assert not found(vault, "kafka", at=then)
    assert found(vault, "kafka")


def then_wrote(vault: Vault) -> str:
    """The commit that first wrote the notes."""
    path = vault.layout.rel(document(vault, "notes.md"))
    return git(vault.top, "log", "--format=%H", "--diff-filter=A", "--", path).strip()


def test_what_was_not_committed_then_was_not_there(vault: Vault) -> None:
    (vault.top / "Mine.md").write_text("# Mine\n\nHow deploys work here.\n")
    assert "How deploys work here." in found(vault, "deploys")
    assert "How deploys work here." not in found(vault, "deploys", at="HEAD")
    git(vault.top, "add", "Mine.md")
    git(vault.top, "commit", "-q", "-m", "Mine")
    assert "How deploys work here." in found(vault, "deploys", at="HEAD")


def test_a_day_means_its_end_and_words_for_times_are_read_on_that_day(vault: Vault) -> None:
    today = vault.now().date().isoformat()
    answer = search(vault, "deploys yesterday", at=today)
    assert answer.commit == head(vault)
    assert [(span.words, span.until) for span in answer.understood] == [
        ("yesterday", date.fromordinal(date.fromisoformat(today).toordinal() - 1))
    ]
    with pytest.raises(CommitNotFound):
        search(vault, "deploys", at="2001-01-01")
    with pytest.raises(CommitNotFound):
        search(vault, "deploys", at="feedbee1")
    with pytest.raises(CommitNotFound, match="was not understood"):
        search(vault, "deploys", at="the day before")


def test_identities_are_as_far_apart_in_the_past_as_now(vault: Vault) -> None:
    assert found(vault, "deploys", at="HEAD", identity="writer") == ["Deploys of the site are on Monday"]
    assert found(vault, "deploys", at="HEAD", identity=IDENTITY) == [
        "Deploys on Friday need a second reviewer"
    ]


def test_the_same_commit_is_read_once_and_the_present_stays(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    then = head(vault)
    first = search(vault, "deploys", at=then).hits
    read: list[str] = []
    kept = Past._read

    def listening(self: Past, paths: object) -> dict[str, bytes | None]:
        read.extend(listed := list(paths))  # type: ignore[call-overload]
        return kept(self, listed)

    monkeypatch.setattr(Past, "_read", listening)
    assert search(vault, "deploys", at=then).hits == first
    assert {path for path in read if "/.ledger/" not in path} == {hit.view.path for hit in first}
    edit(document(vault, "notes.md"), "Friday", "Sunday")
    assert "Deploys on Sunday need a second reviewer" in found(vault, "deploys")
    assert search(vault, "deploys", at=then).hits == first


def test_only_the_last_few_commits_are_kept(vault: Vault) -> None:
    for number in range(6):
        remember(vault, f"Deploys number {number}", identity="writer")
        search(vault, "deploys", at="HEAD")
    assert len(list((vault.layout.derived / "past").iterdir())) == 4


def test_a_damaged_index_of_the_past_is_made_anew(vault: Vault) -> None:
    expected = found(vault, "deploys", at="HEAD")
    for file in (vault.layout.derived / "past").rglob("*"):
        if file.is_file() and file.suffix in (".store", ".idx", ".term", ".json"):
            file.write_bytes(b"damage")
    assert found(vault, "deploys", at="HEAD") == expected != []


def test_a_purge_takes_it_out_of_the_indexes_of_the_past_too(vault: Vault) -> None:
    then = head(vault)
    assert found(vault, "reviewer", at=then)
    purge(vault, the_entry(vault, "second reviewer").id or "")
    held = b"".join(file.read_bytes() for file in vault.layout.derived.rglob("*") if file.is_file())
    assert b"second reviewer" not in held
    assert found(vault, "reviewer", at="HEAD") == []


def test_paths_of_a_commit_are_chosen_as_those_on_disk(vault: Vault) -> None:
    for path in ("a/b.md", "inbox/x/t.md", "templates/types/n.md", "archive/a.md", ".hidden/h.md", "c.txt"):
        (vault.top / path).parent.mkdir(parents=True, exist_ok=True)
        (vault.top / path).write_text("words\n")
    everything = {path.relative_to(vault.top).as_posix() for path in vault.top.rglob("*") if path.is_file()}
    wanted = searched_paths(vault.layout, vault.config.search.include)
    assert {path for path in everything if wanted(path)} == set(document_stats(vault))


def test_a_commit_can_be_named_in_every_way(vault: Vault) -> None:
    whole = head(vault)
    moment = git(vault.top, "log", "-1", "--format=%cI").strip()
    for name in (whole, whole[:8], "HEAD", "main", moment):
        assert open_past(vault, name).commit == whole
