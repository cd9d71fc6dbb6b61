"""Review by words alone: what is united, offered, marked and archived; hand edits, undo, and a second run."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from memfs.model import EntryView, Evidence, Operation, Target
from memfs.services.changing import accept, reject
from memfs.services.entries import list_entries
from memfs.services.ingesting.extracting import Proposal
from memfs.services.opening import Vault, open_vault
from memfs.services.review import IdentityReview, review
from memfs.services.undo import undo
from tests.services.lexical import LEXICAL, lexical_vault
from tests.services.vaults import IDENTITY, document, far_clock, git, merge, merge_commits, note, proposal

MONDAY = "The staging database is reset every Monday at 6"
FULLER = "The staging database is reset every Monday at 6 and seeded anew"
OFTEN = "Every Monday at 6 the staging database gets reset by a job"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lexical_vault(tmp_path_factory.mktemp("review") / "vault").top


@pytest.fixture
def vault(template: Path, tmp_path: Path) -> Vault:
    shutil.copytree(template, tmp_path / "vault", symlinks=True)
    return open_vault(tmp_path / "vault", environ={}, clock=far_clock())


def run(vault: Vault) -> IdentityReview:
    """One review; the one after it changes nothing."""
    report = review(vault)
    assert report.problems == ()
    head = git(vault.top, "rev-parse", "HEAD")
    (again,) = review(vault).identities
    assert (again.commit, git(vault.top, "rev-parse", "HEAD")) == (None, head), (
        "a second review changes nothing"
    )
    return report.identities[0]


def entries(vault: Vault, status: str | None = None) -> list[EntryView]:
    return [each for each in list_entries(vault) if each.status == status]


def texts(vault: Vault, status: str | None = None) -> list[str]:
    return [each.text for each in entries(vault, status)]


def edit(vault: Vault, name: str, change: Callable[[str], str]) -> None:
    path = document(vault, name)
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")


def task(text: str, days_ago: int, vault: Vault, **fields: str) -> Proposal:
    said = vault.now() - timedelta(days=days_ago)
    evidence = Evidence("claude-code/s1", (f"m{days_ago}",), said)
    return Proposal(Operation("actions", {"task": text, **fields}, turns=(0,)), Target(IDENTITY), evidence)


def test_an_empty_vault_has_nothing_to_review(vault: Vault) -> None:
    assert run(vault) == IdentityReview(IDENTITY)


def test_entries_that_say_the_same_are_offered_where_no_model_is_set(vault: Vault) -> None:
    merge(vault, note(MONDAY, day=1), note(OFTEN, day=2))
    done = run(vault)
    assert (done.suggested, done.united) == (1, 0)
    assert sorted(texts(vault)) == sorted([MONDAY, OFTEN])
    (offered,) = entries(vault, "suggestion")
    assert offered.text == OFTEN
    assert "> [!question] 2026-03-02: Every Monday" in document(vault, "notes.md").read_text(encoding="utf-8")
    (commit,) = merge_commits(vault.top, "review")
    assert git(vault.top, "log", "-1", "--format=%s", commit).strip() == f"{IDENTITY}: review: 1 offered"


def test_what_was_accepted_is_united_the_next_time(vault: Vault) -> None:
    merge(vault, note(MONDAY, day=1), note(OFTEN, day=2))
    review(vault)
    (offered,) = entries(vault, "suggestion")
    accept(vault, offered.id or "")
    done = run(vault)
    assert (done.united, done.suggested) == (1, 0)
    assert texts(vault) == [OFTEN]
    assert entries(vault)[0].id == (offered.id or "").removesuffix("-q"), "the first id stays"


def test_what_was_rejected_is_not_offered_again(vault: Vault) -> None:
    merge(vault, note(MONDAY, day=1), note(OFTEN, day=2))
    review(vault)
    reject(vault, entries(vault, "suggestion")[0].id or "")
    assert run(vault) == IdentityReview(IDENTITY)
    assert sorted(texts(vault)) == sorted([MONDAY, OFTEN])


def test_one_that_says_all_takes_the_others_place(vault: Vault) -> None:
    """A person wrote the fuller words into one of them, and accepted: now it is memfs's, and says all."""
    merge(vault, note(MONDAY, day=1), note("Payments deploy on Fridays", day=2))
    second = next(each for each in entries(vault) if "Payments" in each.text)
    edit(vault, "notes.md", lambda text: text.replace("Payments deploy on Fridays", FULLER))
    done = run(vault)
    assert done.united == 1, "a person's line says what memfs's says"
    assert [(each.text, each.id, each.origin) for each in entries(vault)] == [(FULLER, second.id, "hand")]


def test_a_persons_lines_are_never_rewritten_only_offered(vault: Vault) -> None:
    merge(vault, note("Payments deploy on Fridays", day=1))
    edit(vault, "notes.md", lambda text: f"{text.rstrip()}\n- {MONDAY}\n- {OFTEN}\n")
    before = document(vault, "notes.md").read_text(encoding="utf-8")
    done = run(vault)
    assert (done.suggested, done.united) == (1, 0)
    after = document(vault, "notes.md").read_text(encoding="utf-8")
    kept = [line for line in after.splitlines() if "[!question]" not in line]
    assert kept == before.splitlines()
    accept(vault, entries(vault, "suggestion")[0].id or "")
    assert run(vault).united == 1, "the one that memfs took over goes, since the person's line says the same"
    assert len(entries(vault)) == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "Deploys of the payments service happen on Fridays",
            "Never run deploys of the payments service on Fridays",
        ),
        (
            "The sandbox account limit is 50 transfers a day",
            "The sandbox account limit is 80 transfers a day",
        ),
        ("生产环境的部署窗口是每周二晚上 20 点", "生产环境的部署窗口是每周二晚上 22 点"),
    ],
)
def test_a_contradiction_is_offered_under_the_older_one(vault: Vault, old: str, new: str) -> None:
    merge(vault, note(old, day=1), note(new, day=9))
    assert run(vault).suggested == 1
    (offered,) = entries(vault, "suggestion")
    older = next(each for each in entries(vault) if each.text == old)
    assert (offered.text, offered.id) == (new, f"{older.id}-q")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Sprint 12 ends on a Friday", "Sprint 13 ends on a Friday"),
        ("The API gateway listens on port 8080", "The admin console listens on port 9090"),
        ("The staging database is reset every Monday", "The production database is backed up every Sunday"),
        ("Anna prefers tea in the morning", "Anna leads the payments team in Lisbon"),
        ("用户的测试环境在东京机房", "用户的办公室在上海浦东"),
    ],
)
def test_two_things_of_a_kind_are_left_alone(vault: Vault, one: str, other: str) -> None:
    merge(vault, note(one, day=1), note(other, day=2))
    assert run(vault) == IdentityReview(IDENTITY)


def test_types_and_peers_are_never_mixed(vault: Vault) -> None:
    said = Evidence("claude-code/s1", ("m1",), vault.now() - timedelta(days=3))
    merge(
        vault,
        note(MONDAY, day=1),
        proposal("preferences", 2, topic="Staging", content=OFTEN),
        Proposal(Operation("notes", {"content": OFTEN}, turns=(0,)), Target(IDENTITY, "sam"), said),
    )
    assert run(vault) == IdentityReview(IDENTITY)


def test_stale_tasks_are_marked_after_45_days_and_news_takes_the_mark_away(vault: Vault) -> None:
    merge(
        vault,
        task("Renew the certificate", 50, vault, priority="high"),
        task("Write the runbook", 44, vault),
        task("Call the auditor", 80, vault, due=(vault.now() - timedelta(days=10)).date().isoformat()),
        task("续签证书", 60, vault),
        task("Ship the report", 70, vault, status="done"),
    )
    since = (vault.now() - timedelta(days=50)).date().isoformat()
    long_since = (vault.now() - timedelta(days=60)).date().isoformat()
    assert run(vault).stale == 2
    marked = sorted(each.text for each in list_entries(vault) if "stale" in each.text or "进展" in each.text)
    assert marked == [
        f"Renew the certificate, high (stale since {since})",
        f"续签证书（自 {long_since} 起无进展）",
    ]
    (one,) = [each for each in list_entries(vault) if "Renew" in each.text]
    assert (one.status, one.priority) == ("pending", "high")
    merge(vault, task("Renew the certificate", 1, vault, status="in_progress"))
    (one,) = [each for each in list_entries(vault) if "Renew" in each.text]
    assert one.text == "Renew the certificate, in progress, high"
    assert run(vault).stale == 0


def test_a_persons_task_is_not_marked(vault: Vault) -> None:
    merge(vault, task("Renew the certificate", 50, vault))
    edit(
        vault, "actions.md", lambda text: text.replace("Renew the certificate", "Renew the certificate soon")
    )
    assert run(vault).stale == 0


def test_tasks_done_long_ago_are_archived_and_ranked_out(vault: Vault) -> None:
    from memfs.services.context import context
    from memfs.services.recall import search

    merge(vault, task("Ship the quarterly report", 120, vault, status="done"))
    merge(vault, task("Ship the yearly report", 10, vault, status="done"))
    assert run(vault).archived == 1
    assert texts(vault, "superseded") == ["Ship the quarterly report"]
    text = document(vault, "actions.md").read_text(encoding="utf-8")
    assert re.search(r"## Archived\n\n- \[x\] Ship the quarterly report \^m-[a-z2-7]{13}-[a-z2-7]{4}\n", text)
    assert [hit.view.text for hit in search(vault, "ship the report").hits][:1] == ["Ship the yearly report"]
    told = context(vault, "ship the report", identity=IDENTITY).text
    assert "yearly" in told
    assert told.index("yearly") < told.index("[superseded] Ship the quarterly report")


def test_what_says_how_long_it_holds_is_archived_when_that_is_over(vault: Vault) -> None:
    past = (vault.now() - timedelta(days=1)).date().isoformat()
    today = vault.now().date().isoformat()
    merge(
        vault,
        note(f"The promotion code SPRING works (valid until {past})"),
        note(f"The promotion code AUTUMN works (valid until {today})"),
        note(f"访客网络密码已更换（有效期至 {past}）"),
    )
    assert run(vault).archived == 2
    assert [text for text in texts(vault) if "AUTUMN" in text] == texts(vault)


def test_a_document_may_say_how_long_it_holds(vault: Vault) -> None:
    merge(vault, proposal("projects", 1, project="Mercury", description="The ledger of Tidewater Bank"))
    edit(
        vault, "projects/mercury.md", lambda text: text.replace("---\n", "---\nvalid_until: 2026-04-01\n", 1)
    )
    git(vault.top, "commit", "-qam", "It is over")
    assert run(vault).archived == 1


def test_later_evidence_brings_an_archived_task_back(vault: Vault) -> None:
    merge(vault, task("Ship the quarterly report", 120, vault, status="done"))
    run(vault)
    merge(vault, task("Ship the quarterly report", 120, vault, status="done"))
    assert texts(vault, "done") == [], "the same evidence does not"
    merge(vault, task("Ship the quarterly report", 1, vault, status="pending"))
    assert texts(vault, "pending") == ["Ship the quarterly report"]
    assert texts(vault, "superseded") == ["Ship the quarterly report"]
    run(vault)


def test_a_review_is_one_commit_and_can_be_undone_for_good(vault: Vault) -> None:
    merge(
        vault,
        note(MONDAY, day=1),
        note(OFTEN, day=2),
        task("Renew the certificate", 50, vault),
        task("Ship the quarterly report", 120, vault, status="done"),
    )
    documents = ("notes.md", "actions.md")
    before = {name: document(vault, name).read_bytes() for name in documents}
    done = run(vault)
    assert (done.suggested, done.stale, done.archived) == (1, 1, 1)
    (commit,) = merge_commits(vault.top, "review")
    message = git(vault.top, "log", "-1", "--format=%B", commit)
    assert f"Memfs-Identity: {IDENTITY}" in message
    assert len(re.findall("^Memfs-Entry: ", message, re.MULTILINE)) == 4
    undo(vault, commit)
    assert {name: document(vault, name).read_bytes() for name in documents} == before
    assert run(vault) == replace_kept(run(vault)), "what a person took back is not done again"
    assert {name: document(vault, name).read_bytes() for name in documents} == before


def replace_kept(one: IdentityReview) -> IdentityReview:
    return IdentityReview(IDENTITY, kept=one.kept)


def test_a_git_revert_counts_as_undo(vault: Vault) -> None:
    merge(vault, task("Renew the certificate", 50, vault), task("Ship the report", 120, vault, status="done"))
    run(vault)
    git(vault.top, "revert", "--no-edit", "HEAD")
    before = document(vault, "actions.md").read_bytes()
    run(vault)
    assert document(vault, "actions.md").read_bytes() == before


def test_an_entry_with_lines_below_it_is_not_moved(vault: Vault) -> None:
    merge(vault, task("Ship the quarterly report", 120, vault, status="done"))
    edit(vault, "actions.md", lambda text: text.rstrip() + "\n  - my own remark\n")
    done = run(vault)
    assert done.archived == 0
    assert [reason for _, reason in done.kept] == ["lines stand below it"]


def test_why_tells_of_the_review(vault: Vault) -> None:
    from memfs.services.audit import why

    merge(vault, task("Ship the quarterly report", 120, vault, status="done"))
    run(vault)
    (archived,) = entries(vault, "superseded")
    reasons = why(vault, archived.id or "").reasons
    assert reasons[0].provenance.kind in ("merge", "review")


def test_one_identitys_failure_stops_no_other(template: Path, tmp_path: Path) -> None:
    from memfs.services.starting import init

    shutil.copytree(template, tmp_path / "two", symlinks=True)
    init(tmp_path / "two", identities=("home-aide",), clock=far_clock())
    vault = open_vault(tmp_path / "two", environ={}, clock=far_clock())
    assert [each.identity for each in review(vault).identities] == [IDENTITY, "home-aide"]
    assert [each.identity for each in review(vault, identity="home-aide").identities] == ["home-aide"]


def test_settings_say_how_long(vault: Vault) -> None:
    settings = f"{LEXICAL}\n[review]\nstale_days = 0\narchive_days = 0\n"
    vault.layout.local_config.write_text(settings, encoding="utf-8")
    patient = open_vault(vault.top, environ={}, clock=far_clock())
    merge(patient, task("Renew the certificate", 400, patient), task("Ship it", 400, patient, status="done"))
    assert run(patient) == IdentityReview(IDENTITY)


def test_chinese_vaults_say_it_in_chinese(template: Path, tmp_path: Path) -> None:
    shutil.copytree(template, tmp_path / "zh", symlinks=True)
    (tmp_path / "zh" / "memfs.local.toml").write_text(f'language = "zh"\n{LEXICAL}', encoding="utf-8")
    vault = open_vault(tmp_path / "zh", environ={}, clock=far_clock())
    merge(vault, task("交季度报告", 120, vault, status="done"), task("续签证书", 50, vault))
    lines: list[str] = []
    review(vault, announce=lines.append)
    assert lines[0].startswith(f"{IDENTITY}：标记停滞 1，归档 1 [")
    assert "## 已归档" in document(vault, "actions.md").read_text(encoding="utf-8")
    assert texts(vault, "superseded") == ["交季度报告"]


def test_what_only_meaning_finds_alike_is_offered_too_and_near_opposites_are_not(tmp_path: Path) -> None:
    from tests.services.vaults import new_vault

    vault = new_vault(tmp_path / "vault")
    merge(
        vault,
        note("The office is closed in August", day=1),
        note("The office is shut in August", day=2),
        note("The user prefers dark mode", day=3),
        note("The user prefers light mode", day=4),
        note("每周二部署生产环境", day=5),
        note("生产环境每星期二发布", day=6),
    )
    assert run(vault).suggested == 2
    assert sorted(texts(vault, "suggestion")) == ["The office is closed in August", "生产环境每星期二发布"]
