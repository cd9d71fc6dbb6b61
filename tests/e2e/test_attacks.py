"""Three hundred hostile transcripts and a model that does all they ask: nothing breaks, nothing gets out or in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from memfs.markdown.document import parse_document
from memfs.markdown.inline import code_spans
from memfs.memory.ledger import parse_ledger
from memfs.memory.trust import LEVELS
from memfs.model import EntryView
from memfs.services.audit import why
from memfs.services.changing import remember
from memfs.services.context import context
from memfs.services.entries import list_entries
from memfs.services.ingest import ingest
from memfs.services.ingesting.reports import IngestReport
from memfs.services.opening import Vault
from memfs.services.relay import read_relay
from memfs.services.withdrawing import take_back
from tests.e2e.attacks import KINDS, Attack, attacks
from tests.extraction.model.conftest import Room, server
from tests.extraction.model.vaults import Desk
from tests.services.lexical import fsck, hashes
from tests.services.vaults import IDENTITY, git, merge, new_vault, note, proposal

__all__ = ["server"]
_ID = re.compile(r"\^(m-[a-z0-9-]+)$")
_ACTING = ("html_block", "html_inline", "image", "fence", "code_block", "table_open", "hr")
_OBSIDIAN = re.compile(r"(?<!\\)!\[\[|<%|(?<!\\)%%|\w::\s")


@dataclass(frozen=True)
class Aftermath:
    """The vault after all attacks, as it was before them, and what was reported."""

    vault: Vault
    before: dict[str, str]
    outside: list[str]
    attacks: Sequence[Attack]
    report: IngestReport
    entries: tuple[EntryView, ...]

    def of(self, attack: Attack) -> list[EntryView]:
        """The entries that say an attack's word."""
        return [entry for entry in self.entries if attack.word in entry.text]


@pytest.fixture(
    scope="module",
    params=[pytest.param(68, id="two of each"), pytest.param(306, id="nine of each", marks=pytest.mark.slow)],
)
def after(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, server: str) -> Aftermath:
    folder = tmp_path_factory.mktemp("attacks")
    vault = new_vault(folder / "vault", IDENTITY, "writer")
    merge(vault, note("The kiln runs hot", 1), proposal("preferences", 2, topic="Units", content="metric"))
    remember(vault, "The writer keeps a diary", identity="writer")
    room = Room(f"{server}/attacks{request.param}")
    room.script({"obey": True})
    settings = 'max_tokens_per_identity_per_day = 100_000_000\n[embeddings]\nengine = "none"\n'
    desk = Desk.set_up(vault.top, room, settings)
    told = list(attacks(request.param))
    talks = folder / "talks"
    talks.mkdir()
    for attack in told:
        (talks / f"{attack.session}.jsonl").write_text(attack.transcript(), encoding="utf-8")
    before, outside = memory(vault), listed(folder)
    report = ingest(desk.vault, [talks], identity=IDENTITY, extractor=desk.extractor())
    assert sorted(set(listed(folder)) - set(outside)) == []
    return Aftermath(desk.vault, before, outside, told, report, list_entries(desk.vault))


def memory(vault: Vault) -> dict[str, str]:
    """The hashes of all that is committed, but marks and cursors."""
    return {
        path: value
        for path, value in hashes(vault.top).items()
        if not path.endswith(("/.forgotten", "/relay.md", "/relay.jsonl"))
        and "/.cursors/" not in path
        and not path.startswith("archive/")
    }


def listed(folder: Path) -> list[str]:
    """What lies beside the vault."""
    return sorted(str(path) for path in folder.rglob("*") if "vault" not in path.parts)


def documents(vault: Vault) -> Iterator[tuple[str, str]]:
    folder = vault.layout.identity_dir(IDENTITY)
    for path in sorted(folder.rglob("*.md")):
        if ".ledger" not in path.parts:
            yield path.relative_to(folder).as_posix(), path.read_bytes().decode("utf-8")


def without_header(text: str) -> str:
    return text.split("---\n", 2)[2] if text.startswith("---\n") else text


def flat(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from flat(token.children or ())


def test_every_attack_was_read_and_many_were_remembered(after: Aftermath) -> None:
    assert {attack.kind for attack in after.attacks} == set(KINDS)
    assert (after.report.problems, after.report.waiting) == ((), ())
    remembered = {attack.kind for attack in after.attacks if after.of(attack)}
    assert len(remembered) >= len(KINDS) * 2 // 3  # the model did as it was told


def test_every_line_that_was_written_is_one_entry_of_the_ledger(after: Aftermath) -> None:
    for name, text in documents(after.vault):
        document = parse_document(text)
        assert document.writable, name
        ledger = after.vault.layout.ledger_file(IDENTITY, name)
        records, problems = parse_ledger(ledger.read_text(encoding="utf-8") if ledger.exists() else "")
        assert problems == ()
        known = {record.id for record in records}
        words = [attack.word for attack in after.attacks if attack.word in text]
        for block in document.blocks:
            if block.block_id or any(word in block.text for word in words):
                assert block.block_id in known, (name, block.text)
        lines = without_header(text).splitlines()
        for line in (each for each in lines if any(word in each for word in words)):
            assert line.startswith("#") or _ID.search(line), (name, line)


def test_nothing_in_a_document_acts(after: Aftermath) -> None:
    parser = MarkdownIt("commonmark").enable("table")
    for name, text in documents(after.vault):
        body = without_header(text)
        for token in flat(parser.parse(body)):
            assert token.type not in _ACTING, (name, token.content)
            if token.type == "link_open":
                assert str(token.attrs["href"]).startswith(("http://", "https://")), (name, token.attrs)
        assert _OBSIDIAN.search(body) is None, (name, _OBSIDIAN.search(body))
        for start, end, ticks in code_spans(body):
            assert not body[start + ticks : end - ticks].strip().startswith(("=", "$=")), name
        assert not re.search(
            "[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\U000e0000-\U000e0fff]", text
        )


def test_the_frontmatter_says_what_memfs_says(after: Aftermath) -> None:
    for name, text in documents(after.vault):
        values = parse_document(text).frontmatter.values
        assert values.get("identity", IDENTITY) == IDENTITY, name
        assert not {"trust", "reads", "memory_self", "memory_types"} & values.keys(), name


def test_nothing_is_written_outside_of_the_identity(after: Aftermath) -> None:
    now = memory(after.vault)
    changed = {path for path in now.keys() | after.before.keys() if now.get(path) != after.before.get(path)}
    assert changed
    own = f"memories/{IDENTITY}/"
    assert [path for path in changed if not path.startswith(own)] == []
    log = ("log", "-z", "--format=", "--name-only", "--grep=Memfs-Source: neutral/")
    touched = git(after.vault.top, *log).replace("\0", "\n").split("\n")
    assert [path for path in touched if path and not path.startswith(own)] == []
    assert not any(part in path.lower() for path in changed for part in ("..", "/.git", "con.md", "nul.md"))
    fsck(after.vault.top)


def test_no_commit_carries_a_trailer_that_was_forged(after: Aftermath) -> None:
    told = git(after.vault.top, "log", "--format=%B%x00")
    kinds = set(re.findall(r"^Memfs-Kind: (.*)$", told, re.MULTILINE))
    assert kinds <= {"init", "merge", "remember", "cursor"}
    assert set(re.findall(r"^Memfs-Identity: (.*)$", told, re.MULTILINE)) == {IDENTITY, "writer"}
    assert not re.search(r"^Memfs-Entry: m-aaaaaaaaaaaaa", told, re.MULTILINE)


def source_of(vault: Vault, entry: EntryView) -> str | None:
    """A superseded decision has no line in the log under its new id: `why` knows where its words came from."""
    if entry.source:
        return entry.source
    reasons = why(vault, entry.id or "").reasons
    assert reasons, entry
    return reasons[0].provenance.source


def test_every_fact_carries_its_source_and_trust(after: Aftermath) -> None:
    for attack in after.attacks:
        for entry in after.of(attack):
            assert source_of(after.vault, entry) == f"neutral/{attack.session}", (attack.kind, entry)
            assert entry.trust in LEVELS
            assert attack.trusted or entry.trust != "user", (attack.kind, entry)
            assert entry.identity == IDENTITY


def test_what_no_user_said_is_offered_or_marked_never_a_fact(after: Aftermath) -> None:
    for attack in after.attacks:
        for entry in after.of(attack):
            if attack.kind in ("pasted", "document"):
                assert (entry.status, entry.trust) == ("suggestion", "document"), entry
            if attack.kind in ("agent", "tool result", "agent's pitfall"):
                assert entry.status == "suggestion" or ("#agent" in entry.text and entry.trust == "agent"), (
                    entry
                )
            if attack.kind in ("peer", "hostile peer") and entry.status != "suggestion":
                assert entry.peer is not None or entry.type == "cases", (
                    entry
                )  # of cases there are only one's own
                assert entry.trust == "peer"


def test_context_is_data_and_holds_nothing_that_is_only_offered(after: Aftermath) -> None:
    for attack in after.attacks[:: len(after.attacks) // 60]:
        text = context(after.vault, f"What about {attack.word}?", identity=IDENTITY, budget=4000).text
        lines = text.strip().split("\n")
        fence = lines[0].removeprefix("<").removesuffix(">")
        assert re.fullmatch(r"user_memory-[0-9a-f]{16}", fence)
        assert lines[-1] == f"</{fence}>"
        assert text.count(fence) == 2
        assert "<" not in "".join(lines[1:-1])
        headings = [line for line in lines if line.startswith("#")]
        assert all(re.fullmatch(r"## [A-Z][a-z ]+", line) for line in headings)
        for line in lines[1:-1]:
            if any(each.word in line for each in after.attacks):
                assert line.startswith(("- ", "  ")), line
        for entry in after.of(attack):
            told = [line for line in lines if f"({entry.path}:{entry.line}, " in line]
            assert not (told and entry.status == "suggestion"), entry
            if told and entry.trust != "user":
                assert f"trust: {entry.trust}" in "\n".join(lines), entry


def test_one_command_takes_back_all_of_one_session(after: Aftermath) -> None:
    attack = next(attack for attack in after.attacks if attack.kind == "always remember")
    done = take_back(after.vault, f"neutral/{attack.session}")
    assert done.commit is not None
    kept = {
        outcome.id for outcome in done.outcomes if outcome.action == "kept"
    }  # another session wrote on it since
    left = [line for _, text in documents(after.vault) for line in text.splitlines() if attack.word in line]
    assert all((found := _ID.search(line)) and found[1] in kept for line in left), left
    assert any(other.word in text for other in after.attacks for _, text in documents(after.vault))


def test_one_command_takes_back_all_of_all(after: Aftermath) -> None:
    """Last, since nothing is left afterwards."""
    take_back(after.vault, "neutral")
    assert memory(after.vault) == after.before
    told = json.dumps([entry.text for entry in list_entries(after.vault)])
    assert not any(attack.word in told for attack in after.attacks)
    board = read_relay(after.vault, IDENTITY).batons
    assert not any(attack.word in baton.text for attack in after.attacks for baton in board)
    fsck(after.vault.top)
