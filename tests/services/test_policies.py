"""Policy and routing from transcript to documents: a row for each rule; nothing lands where it is forbidden."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memfs.config.changing import set_setting
from memfs.errors import ConfigError
from memfs.services.entries import list_entries
from memfs.services.ingest import ingest
from memfs.services.ingesting.policies import read_policy
from memfs.services.ingesting.reports import IngestReport
from memfs.services.opening import Vault, open_vault
from tests.services.talks import Script, inbox, says
from tests.services.vaults import IDENTITY, copy_vault, document, new_vault

ON, OFF = {"enabled": True}, {"enabled": False}
ME = {"role": "user", "text": says("notes", content="I water the ferns"), "id": "m1"}
BOB = {
    "role": "participant",
    "peer": "bob",
    "text": says("notes", content="The hose leaks"),
    "id": "m2",
}
EVE = {"role": "participant", "peer": "Eve Lin", "text": says("notes", content="Eve prunes"), "id": "m3"}
CASE = {"role": "user", "text": says("cases", name="Leak", rubric="It is dry"), "id": "m4"}
ALL = (ME, BOB, EVE, CASE)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_vault(tmp_path_factory.mktemp("policies") / "vault").top


@pytest.fixture
def vault(template: Path, tmp_path: Path) -> Vault:
    return copy_vault(template, tmp_path / "vault")


def configured(vault: Vault, policy: str) -> Vault:
    """The vault with a policy in its settings."""
    path = vault.top / "memfs.toml"
    path.write_text(path.read_text(encoding="utf-8") + f"\n[memory_policy]\n{policy}\n", encoding="utf-8")
    return copy_vault(vault.top, vault.top.with_name("configured"))


def of_identity(vault: Vault, lines: str) -> None:
    """More frontmatter in identity.md."""
    path = document(vault, "identity.md")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("type: identity\n", f"type: identity\n{lines}\n"), encoding="utf-8")


def run(
    vault: Vault,
    *turns: Mapping[str, Any],
    session: Mapping[str, Any] | None = None,
    call: Mapping[str, Any] | None = None,
) -> IngestReport:
    head = {"memfs": 1, "session": "s1", **({"memory_policy": session} if session else {})}
    rows = [json.dumps(each, ensure_ascii=False) for each in (head, *(turns or ALL))]
    inbox(vault).mkdir(parents=True, exist_ok=True)
    (inbox(vault) / "s1.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return ingest(vault, extractor=Script(), policy=call)


def places(vault: Vault) -> set[str]:
    """The documents that were written, below the identity."""
    prefix = f"memories/{IDENTITY}/"
    return {each.path.removeprefix(prefix) for each in list_entries(vault)}


EVERYWHERE = {"notes.md", "peers/bob/notes.md", "peers/eve-lin/notes.md", "cases/leak.md"}
PEERS = {"peers/bob/notes.md", "peers/eve-lin/notes.md"}
OWN = {"notes.md", "cases/leak.md"}


@pytest.mark.parametrize(
    ("rule", "settings", "identity", "session", "call", "written"),
    [
        ("by default everything", "", "", None, None, EVERYWHERE),
        ("settings: no peers", "peer = { enabled = false }", "", None, None, OWN),
        ("settings: no self", "self = { enabled = false }", "", None, None, PEERS),
        ("settings: only some types", 'memory_types = ["cases"]', "", None, None, {"cases/leak.md"}),
        ("settings: no type at all", "memory_types = []", "", None, None, set()),
        (
            "identity before settings",
            "peer = { enabled = false }",
            "memory_peer: true",
            None,
            None,
            EVERYWHERE,
        ),
        ("identity: no self", "", "memory_self: false", None, None, PEERS),
        ("identity: only some types", "", "memory_types: [cases]", None, None, {"cases/leak.md"}),
        ("a session narrows", "", "", {"peer": OFF}, None, OWN),
        ("a session narrows the types", "", "", {"memory_types": ["cases"]}, None, {"cases/leak.md"}),
        ("a session never widens", "peer = { enabled = false }", "", {"peer": ON}, None, OWN),
        (
            "a session never widens the types",
            'memory_types = ["cases"]',
            "",
            {"memory_types": ["cases", "notes"]},
            None,
            {"cases/leak.md"},
        ),
        (
            "a call before all",
            "peer = { enabled = false }",
            "memory_self: no",
            {"self": OFF},
            {"self": ON},
            OWN,
        ),
        ("a call narrows too", "", "", None, {"self": OFF, "memory_types": ["notes"]}, PEERS),
        (
            "self and peers off: nothing, and it is read all the same",
            "self = { enabled = false }\npeer = { enabled = false }",
            "",
            None,
            None,
            set(),
        ),
    ],
)
def test_rule(
    vault: Vault,
    rule: str,
    settings: str,
    identity: str,
    session: Mapping[str, Any] | None,
    call: Mapping[str, Any] | None,
    written: set[str],
) -> None:
    if identity:
        of_identity(vault, identity)
    if settings:
        vault = configured(vault, settings)
    report = run(vault, session=session, call=call)
    assert (report.problems, report.waiting) == ((), ()), rule
    assert places(vault) == written, rule
    assert ingest(vault, extractor=Script()).sessions == (), "its turns were read"


def test_where_self_is_off_no_file_of_ones_own_is_made(vault: Vault) -> None:
    vault = configured(vault, "self = { enabled = false }")
    before = {path.name for path in vault.layout.identity_dir(IDENTITY).glob("*.md")}
    run(vault)
    assert (
        {path.name for path in vault.layout.identity_dir(IDENTITY).glob("*.md")} == before == {"identity.md"}
    )


def test_without_self_what_names_nobody_goes_to_the_only_peer(vault: Vault) -> None:
    vault = configured(vault, "self = { enabled = false }")
    mine = {**BOB, "text": "hello", "id": "m9"}
    run(vault, ME, mine)
    assert places(vault) == {"peers/bob/notes.md"}


@pytest.mark.parametrize("where", ["settings", "identity", "session", "call"])
@pytest.mark.parametrize(
    ("mistake", "right"),
    [({"memory_types": ["note"]}, "notes"), ({"memory_types": ["experience"]}, "experiences")],
)
def test_a_mistake_names_the_nearest_and_nothing_is_written(
    vault: Vault, where: str, mistake: dict[str, Any], right: str
) -> None:
    listed = json.dumps(mistake["memory_types"])
    if where == "settings":
        vault = configured(vault, f"memory_types = {listed}")
    elif where == "identity":
        of_identity(vault, f"memory_types: {listed}")
    told = {where: mistake} if where in ("session", "call") else {}
    try:
        report = run(vault, **told)
        reasons = " ".join((*report.problems, *report.waiting))
    except ConfigError as error:
        reasons = str(error)
    assert f"did you mean {right}?" in reasons
    assert places(vault) == set()


@pytest.mark.parametrize(
    ("mistake", "right"),
    [
        ({"peers": OFF}, "peer"),
        ({"memory_types": ["nots"]}, "notes"),
        ({"self": {"enable": False}}, "enabled"),
    ],
)
@pytest.mark.parametrize("model", ["rules", ""])
def test_a_mistake_in_a_call_is_told_though_nothing_is_new(
    vault: Vault, model: str, mistake: dict[str, Any], right: str
) -> None:
    set_setting(vault.top, "extract.model", model)
    with pytest.raises(ConfigError) as raised:
        ingest(open_vault(vault.top, environ={}), policy=mistake)
    assert f"did you mean {right}?" in str(raised.value)


def test_the_policy_that_holds_can_be_looked_up(vault: Vault) -> None:
    of_identity(vault, "memory_types: [notes]\nmemory_working: off")
    policy = read_policy(vault, IDENTITY, {"self": OFF}, {"peer": OFF})
    assert policy.memory_types == ("notes",)
    assert (policy.self_enabled, policy.peer_enabled, policy.working_memory_enabled) == (False, False, False)


@pytest.mark.parametrize(("peers", "told"), [(True, True), (False, False)])
def test_the_journal_leaves_out_peers_where_they_may_not_be_remembered(
    vault: Vault, *, peers: bool, told: bool
) -> None:
    mine = {"role": "user", "text": "Please rename parser.py to reader.py", "id": "m1"}
    theirs = {"role": "participant", "peer": "bob", "text": "Please fix the hose in the yard", "id": "m2"}
    run(vault, mine, theirs, call={"peer": {"enabled": peers}})
    (journal,) = vault.layout.identity_dir(IDENTITY).glob("journal/*.md")
    text = journal.read_text(encoding="utf-8")
    assert "- Please rename parser.py to reader.py ^" in text
    assert ("hose" in text) is told
