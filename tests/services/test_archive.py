"""The archive: which files, to where, what is deleted and what is left; every row AR of the real faults."""

from __future__ import annotations

import json
import os
import resource
import shutil
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from memfs.errors import InvalidRequest, UnsafePath, VaultLocked
from memfs.services.archive import ArchiveReport, archive
from memfs.services.archiving.places import archive_folder, target_folder
from memfs.services.ingest import ingest
from memfs.services.opening import Vault
from memfs.vault.lock import hold_file
from tests.services.filing import (
    MODEL,
    filing_vault,
    message,
    put_file,
    put_session,
    refreshed,
    with_settings,
    work_folder,
)
from tests.services.talks import Script, put_talk, says, talk
from tests.services.vaults import IDENTITY, copy_vault, git, new_vault

DAY = date(2026, 3, 14)
PLACE = f"{IDENTITY}_{MODEL}/2026-03-14"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archive") / "v"
    new_vault(folder)
    return folder


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return work_folder(tmp_path)


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    return tmp_path / "backup"


@pytest.fixture
def vault(template: Path, tmp_path: Path, work: Path, backup: Path) -> Vault:
    """Originals under ``workspace`` may be archived to ``backup`` and deleted."""
    return filing_vault(copy_vault(template, tmp_path / "v"), work, archive=backup)


def run(vault: Vault, **more: object) -> ArchiveReport:
    return archive(vault, **{"day": DAY, **more})  # type: ignore[arg-type]


def copies(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def reasons(report: ArchiveReport) -> dict[str, str]:
    return {Path(path).name: why for path, why in report.skipped}


def test_files_of_metadata_go_to_the_right_place_and_originals_go_away(
    vault: Vault, work: Path, backup: Path
) -> None:
    first, second = put_file(work, "file1.txt", "one"), put_file(work, "图 2.pdf", "two")
    put_session(
        vault,
        message(1, "see this", file_path=str(first)),
        message(2, "and", attachments=[{"path": "图 2.pdf"}]),
        cwd=work,
    )
    lines: list[str] = []
    report = run(vault, announce=lines.append)
    assert copies(backup) == {f"{PLACE}/file1.txt": b"one", f"{PLACE}/图 2.pdf": b"two"}
    assert (report.files, report.size, report.deleted, report.errors) == (2, 6, 2, ())
    assert not first.exists()
    assert not second.exists()
    assert lines == [
        "[FileArchiver] found 2 files to archive",
        f"[FileArchiver] archived: {first} -> {backup}/{PLACE}/file1.txt",
        f"[FileArchiver] deleted the original: {first}",
        f"[FileArchiver] archived: {second} -> {backup}/{PLACE}/图 2.pdf",
        f"[FileArchiver] deleted the original: {second}",
        "[FileArchiver] archived 2 files (6 B in all)",
    ]
    assert run(refreshed(vault)) == ArchiveReport()


def test_log_lines_in_chinese_are_those_of_the_daily_job(vault: Vault, work: Path, backup: Path) -> None:
    settings = vault.layout.local_config
    settings.write_text('language = "zh"\n' + settings.read_text())
    original = put_file(work, "file1.txt")
    put_session(vault, message(1, "看", file_path=str(original)))
    lines: list[str] = []
    run(refreshed(vault), announce=lines.append)
    assert lines[:3] == [
        "[FileArchiver] 发现 1 个文件需要归档",
        f"[FileArchiver] 归档文件: {original} -> {backup}/{PLACE}/file1.txt",
        f"[FileArchiver] 删除原文件: {original}",
    ]


def test_a_copy_keeps_its_time_and_is_recorded(vault: Vault, work: Path, backup: Path) -> None:
    original = put_file(work, "a.txt")
    put_session(vault, message(1, "x", file_path=str(original)))
    run(vault)
    assert (backup / PLACE / "a.txt").stat().st_mtime == 1_700_000_000
    rows = [json.loads(line) for line in (vault.layout.local / "archive.jsonl").read_text().splitlines()]
    assert [(row["original"], row["deleted"]) for row in rows] == [
        (str(original), False),
        (str(original), True),
    ]


def test_originals_stay_unless_settings_say_otherwise(
    template: Path, tmp_path: Path, work: Path, backup: Path
) -> None:
    vault = filing_vault(copy_vault(template, tmp_path / "v"), work, archive=backup, delete=False)
    original = put_file(work, "a.txt", "one")
    session = put_session(vault, message(1, "x", file_path=str(original)))
    assert run(vault).files == 1
    assert original.exists()
    os.utime(session, (1_700_000_100, 1_700_000_100))  # it grew: all of it is looked through again
    later = run(refreshed(vault), day=date(2026, 3, 15))
    assert (later.files, later.known) == (0, 1)  # not copied again
    assert list(copies(backup)) == [f"{PLACE}/a.txt"]
    original.write_text("changed")
    os.utime(original, (1_700_000_200, 1_700_000_200))
    os.utime(session, (1_700_000_200, 1_700_000_200))
    assert run(refreshed(vault), day=date(2026, 3, 15)).files == 1  # other content
    assert sorted(copies(backup).values()) == [b"changed", b"one"]


def test_deleting_can_be_turned_on_later(template: Path, tmp_path: Path, work: Path, backup: Path) -> None:
    vault = filing_vault(copy_vault(template, tmp_path / "v"), work, archive=backup, delete=False)
    original = put_file(work, "a.txt", "one")
    put_session(vault, message(1, "x", file_path=str(original)))
    run(vault)
    settings = vault.layout.local_config
    settings.write_text(settings.read_text().replace("delete_originals = false", "delete_originals = true"))
    report = run(refreshed(vault), day=date(2026, 3, 15))
    assert (report.files, report.deleted, report.known) == (0, 1, 1)
    assert list(copies(backup)) == [f"{PLACE}/a.txt"]


def test_a_damaged_copy_is_made_anew_before_the_original_goes(
    template: Path, tmp_path: Path, work: Path, backup: Path
) -> None:
    vault = filing_vault(copy_vault(template, tmp_path / "v"), work, archive=backup, delete=False)
    original = put_file(work, "a.txt", "one")
    put_session(vault, message(1, "x", file_path=str(original)))
    run(vault)
    copy = backup / PLACE / "a.txt"
    copy.write_text("bad")
    settings = vault.layout.local_config
    settings.write_text(settings.read_text().replace("delete_originals = false", "delete_originals = true"))
    run(refreshed(vault))
    assert not original.exists()
    assert b"one" in copies(backup).values()
    assert copy.read_text() == "bad"  # nothing in the archive is overwritten


def test_a_file_known_only_from_text_is_copied_and_never_deleted(
    vault: Vault, work: Path, backup: Path
) -> None:
    names = ["a.txt", "报告.pdf", "b.csv", "c d.txt"]
    originals = [put_file(work, name) for name in names]
    said = 'file: a.txt，附件：报告.pdf。 Upload: b.csv, attachment: "c d.txt" profile: no.toml'
    put_session(vault, message(1, said), cwd=work)
    assert run(vault).files == 4
    assert all(path.exists() for path in originals)
    assert sorted(copies(backup)) == sorted(f"{PLACE}/{name}" for name in names)


def test_told_by_metadata_and_by_text_counts_as_told_by_metadata(vault: Vault, work: Path) -> None:
    original = put_file(work, "a.txt")
    put_session(vault, message(1, "file: a.txt"), message(2, "x", file_path=str(original)), cwd=work)
    assert run(vault).deleted == 1


def test_nothing_in_a_repository_is_deleted(vault: Vault, work: Path) -> None:
    tracked, beside = put_file(work, "repo/a.txt"), put_file(work, "repo/sub/b.txt")
    git(work / "repo", "init", "-q")
    git(work / "repo", "add", "a.txt")
    put_session(vault, message(1, "x", attachments=[{"path": str(tracked)}, {"path": str(beside)}]))
    report = run(vault)
    assert (report.files, report.deleted) == (2, 0)
    assert tracked.exists()
    assert beside.exists()


def test_equal_names_with_other_content_get_a_suffix(vault: Vault, work: Path, backup: Path) -> None:
    paths = [put_file(work, f"{n}/a.tar.gz", text) for n, text in enumerate(["one", "two", "one"])]
    put_session(vault, message(1, "x", attachments=[{"path": str(path)} for path in paths]))
    report = run(vault)
    assert (report.files, report.known, report.deleted) == (2, 1, 3)
    assert sorted(copies(backup).values()) == [b"one", b"two"]
    assert {Path(name).suffix for name in copies(backup)} == {".gz"}


@pytest.mark.parametrize(
    ("model", "label"),
    [
        ("claude-3-7-sonnet", "claude-3-7-sonnet"),
        (None, "unknown"),
        ("a/b:c d", "a-b-c-d"),
        ("../..", "unknown"),
        ("", "unknown"),
    ],
)
def test_the_model_is_a_label_in_the_path(tmp_path: Path, model: str | None, label: str) -> None:
    assert target_folder(tmp_path, "writer", model, DAY) == tmp_path / f"writer_{label}" / "2026-03-14"


def test_only_the_identity_asked_for(vault: Vault, work: Path, backup: Path) -> None:
    mine, others = put_file(work, "a.txt"), put_file(work, "b.txt")
    put_session(vault, message(1, "x", file_path=str(mine)))
    row = {**message(2, "x", file_path=str(others)), "agentRoleKey": "writer", "session_id": "session-2"}
    put_session(vault, row, identity="writer", name="two")
    assert run(vault, identity="writer").files == 1
    assert list(copies(backup)) == [f"writer_{MODEL}/2026-03-14/b.txt"]
    assert run(vault).files == 1
    assert mine.name in {Path(name).name for name in copies(backup)}


def test_the_default_archive_is_the_vaults_and_git_leaves_it_alone(
    template: Path, tmp_path: Path, work: Path
) -> None:
    vault = filing_vault(copy_vault(template, tmp_path / "v"), work)
    put_session(vault, message(1, "x", file_path=str(put_file(work, "a.txt", "one"))))
    run(vault)
    assert copies(vault.layout.archive)[f"{PLACE}/a.txt"] == b"one"
    assert git(vault.top, "status", "--porcelain") == ""


def test_another_archive_this_once_lies_under_the_roots(vault: Vault, work: Path, tmp_path: Path) -> None:
    put_session(vault, message(1, "x", file_path=str(put_file(work, "a.txt", "one"))))
    with pytest.raises(InvalidRequest, match=r"archive\.roots"):
        run(vault, archive_path=tmp_path / "elsewhere")
    with pytest.raises(InvalidRequest, match=r"archive\.roots"):
        run(vault, archive_path=f"{work}/../elsewhere")
    run(vault, archive_path=work / "kept")
    assert copies(work / "kept") == {f"{PLACE}/a.txt": b"one"}


@pytest.mark.parametrize("folder", ["memories/x", "inbox", ".git/x", "archive/../.git"])
def test_nothing_is_archived_into_memory_or_git(vault: Vault, folder: str) -> None:
    with pytest.raises(UnsafePath):
        archive_folder(with_settings_path(vault, folder), None)


def with_settings_path(vault: Vault, folder: str) -> Vault:
    vault.layout.local_config.write_text(f'file_archive_path = "{folder}"\n')
    return refreshed(vault)


def test_off_the_record_is_not_archived(vault: Vault, work: Path, backup: Path) -> None:
    first, second = put_file(work, "a.txt"), put_file(work, "b.txt")
    put_session(vault, message(1, "off the record: this one", file_path=str(first)))
    put_session(
        vault, {**message(2, "<private>file: b.txt</private>"), "session_id": "s2"}, cwd=work, name="two"
    )
    assert run(vault).files == 0
    assert first.exists()
    assert second.exists()
    assert not backup.exists()


def test_a_dry_run_says_what_it_would_do_and_writes_nothing(vault: Vault, work: Path, backup: Path) -> None:
    original = put_file(work, "a.txt")
    put_session(vault, message(1, "x", file_path=str(original)))
    lines: list[str] = []
    report = run(vault, dry_run=True, announce=lines.append)
    assert (report.files, report.archived[0].copy) == (1, f"{backup}/{PLACE}/a.txt")
    assert lines[1] == f"[FileArchiver] would archive: {original} -> {backup}/{PLACE}/a.txt"
    assert not backup.exists()
    assert run(vault).files == 1


def test_a_dry_run_says_what_the_run_after_it_deletes(
    template: Path, tmp_path: Path, work: Path, backup: Path
) -> None:
    vault = filing_vault(copy_vault(template, tmp_path / "v"), work, archive=backup, delete=False)
    before, new, kept = (put_file(work, name) for name in ("before.txt", "new.txt", "kept.txt"))
    put_session(vault, message(1, "x", file_path=str(before)))
    run(vault)
    settings = vault.layout.local_config
    settings.write_text(settings.read_text().replace("delete_originals = false", "delete_originals = true"))
    put_session(vault, message(2, f"file: {kept}", file_path=str(new)), name="two")
    lines: list[str] = []
    planned = run(refreshed(vault), dry_run=True, announce=lines.append)
    assert all(place.exists() for place in (before, new, kept))
    told = [line.rpartition("/")[2] for line in lines if "would delete the original" in line]
    assert sorted(told) == ["before.txt", "new.txt"]
    done = run(refreshed(vault))
    assert (planned.files, planned.known, planned.deleted) == (done.files, done.known, done.deleted)
    assert (done.files, done.known, done.deleted) == (2, 1, 2)
    gone = {one.original: one.deleted for one in planned.archived}
    assert gone == {str(new): True, str(kept): False}
    assert [place.exists() for place in (before, new, kept)] == [False, False, True]


def test_one_run_at_a_time(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memfs.services.archive.LOCK_SECONDS", 0.0)
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with hold_file(vault.layout.local / "archive.lock"):
            held.set()
            done.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(60)
    with pytest.raises(VaultLocked, match="the archive"):
        run(vault)
    done.set()
    thread.join()


def test_attachments_with_text_of_their_own_and_addresses_are_no_files(vault: Vault) -> None:
    put_session(vault, message(1, "see file: https://example.org/a.pdf and upload: s3://bucket/b.csv"))
    assert run(vault) == ArchiveReport()


# Merged transcripts


def test_merged_transcripts_move_only_where_their_source_says_so(
    template: Path, tmp_path: Path, backup: Path
) -> None:
    moving, staying = tmp_path / "moving", tmp_path / "staying"
    sources = [
        f'[[sources]]\npath = "{folder}"\nname = "{folder.name}"\nidentity = "{IDENTITY}"\narchive = {flag}'
        for folder, flag in ((moving, "true"), (staying, "false"))
    ]
    vault = with_settings(copy_vault(template, tmp_path / "v"), f'file_archive_path = "{backup}"', *sources)
    paths = [put_talk(moving, talk("a", says("notes", content="Deploys need a reviewer")))]
    paths += [put_talk(moving, talk("b", "fail")), put_talk(staying, talk("c", "hello there"))]
    for path in paths:
        os.utime(path, (1_700_000_000, 1_700_000_000))
    assert run(vault).files == 0  # nothing is merged yet
    ingest(vault, extractor=Script())
    data = paths[0].read_bytes()
    report = run(refreshed(vault))
    assert [path.exists() for path in paths] == [False, True, True]
    assert copies(backup) == {f"{IDENTITY}_m-1/2026-03-14/a.jsonl": data}
    assert (report.files, report.deleted) == (1, 1)


def test_a_transcript_stays_while_its_conversation_goes_on(
    template: Path, tmp_path: Path, backup: Path
) -> None:
    folder = tmp_path / "moving"
    source = f'[[sources]]\npath = "{folder}"\nidentity = "{IDENTITY}"\narchive = true'
    vault = with_settings(copy_vault(template, tmp_path / "v"), f'file_archive_path = "{backup}"', source)
    path = put_talk(folder, talk("a", "hello there"))
    ingest(vault, extractor=Script())
    assert run(refreshed(vault)).files == 0
    assert path.exists()


# Real faults


def test_ar_03_a_target_that_exists_is_never_overwritten(vault: Vault, work: Path, backup: Path) -> None:
    there = put_file(backup / PLACE, "a.txt", "older")
    same = put_file(backup / PLACE, "b.txt", "equal")
    first, second = put_file(work, "a.txt", "newer"), put_file(work, "b.txt", "equal")
    put_session(vault, message(1, "x", attachments=[{"path": str(first)}, {"path": str(second)}]))
    report = run(vault)
    assert there.read_text() == "older"
    assert sorted(copies(backup).values()) == [b"equal", b"newer", b"older"]
    assert same.exists()
    assert (report.files, report.known, report.deleted) == (1, 1, 2)


def in_child(limit: int, vault: Vault) -> ArchiveReport:
    """Run the archive in a process whose files cannot grow beyond ``limit`` bytes: a disk that is full."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        report = run(vault)
        os.write(write, json.dumps([report.files, report.deleted, list(report.errors)]).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as told:
        files, deleted, errors = json.loads(told.read())
    assert os.waitpid(pid, 0)[1] == 0
    return ArchiveReport(files=files, deleted=deleted, errors=tuple(errors))


def test_ar_04_a_full_disk_deletes_nothing_and_stops_no_other_file(
    vault: Vault, work: Path, backup: Path
) -> None:
    large, small = put_file(work, "large.bin", b"x" * 300_000), put_file(work, "small.txt", "s")
    put_session(vault, message(1, "x", attachments=[{"path": str(large)}, {"path": str(small)}]))
    report = in_child(100_000, vault)
    assert (report.files, report.deleted, len(report.errors)) == (1, 1, 1)
    assert str(large) in report.errors[0]
    assert large.read_bytes() == b"x" * 300_000
    assert copies(backup) == {f"{PLACE}/small.txt": b"s"}  # no half of it is left
    assert run(refreshed(vault)).files == 1  # tried again, now that there is room
    assert not large.exists()


@pytest.mark.parametrize("name", ["../../etc/x.txt", "/etc/hostname", "sub/../../outside.txt"])
def test_ar_05_a_path_that_leaves_the_roots_is_refused_after_resolving(
    vault: Vault, work: Path, backup: Path, name: str
) -> None:
    (work / "sub").mkdir()
    outside = put_file(work.parent, "outside.txt", "secret")
    put_session(vault, message(1, "x", file_path=name), cwd=work)
    report = run(vault)
    assert report.files == 0
    assert set(reasons(report).values()) <= {"outside archive.roots", "missing"}
    assert outside.read_text() == "secret"
    assert not backup.exists()


def test_ar_05_without_roots_nothing_is_archived(template: Path, tmp_path: Path, work: Path) -> None:
    vault = filing_vault(copy_vault(template, tmp_path / "v"))
    for name in ("a.txt", "b.txt"):
        put_session(vault, message(1, "x", file_path=str(put_file(work, name))), name=name)
    said: list[str] = []
    report = archive(vault, day=DAY, announce=said.append)
    [(place, why)] = report.skipped
    assert place == "archive.roots"
    assert why.startswith(
        "no folder is named from which files may be archived, so 2 mentioned files stayed; "
    )
    assert "roots = [" in why
    assert said == [f"[FileArchiver] archive.roots: {why}"]


def test_ar_06_symbolic_links_are_reported_and_left(vault: Vault, work: Path, tmp_path: Path) -> None:
    real, secret = put_file(work, "real.txt"), put_file(tmp_path, "secret.txt")
    (work / "out.txt").symlink_to(secret)
    (work / "in.txt").symlink_to(real)
    (work / "dangling.txt").symlink_to("nowhere")
    names = ("out.txt", "in.txt", "dangling.txt")
    put_session(vault, message(1, "x", attachments=[{"path": name} for name in names]), cwd=work)
    report = run(vault)
    assert report.files == 0
    assert reasons(report) == dict.fromkeys(names, "a symbolic link")
    assert secret.exists()


def test_ar_08_a_file_in_a_linked_folder_counts_where_it_really_lies(
    vault: Vault, work: Path, tmp_path: Path, backup: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    put_file(elsewhere, "a.txt")
    (work / "link").symlink_to(elsewhere)
    put_session(vault, message(1, "x", file_path=str(work / "link" / "a.txt")))
    assert reasons(run(vault)) == {"a.txt": "outside archive.roots"}
    (work / "kept").symlink_to(elsewhere)
    with pytest.raises(InvalidRequest):
        run(vault, archive_path=work / "kept" / "new" / "folder")
    assert not backup.exists()


def test_ar_09_a_persons_linked_folder_is_opened_by_the_list(
    template: Path, tmp_path: Path, backup: Path
) -> None:
    real = tmp_path / "real"
    original = put_file(real, "a.txt")
    (tmp_path / "mine").symlink_to(real)
    vault = filing_vault(copy_vault(template, tmp_path / "v"), tmp_path / "mine", archive=backup)
    put_session(vault, message(1, "x", file_path=str(tmp_path / "mine" / "a.txt")))
    assert run(vault).deleted == 1
    assert not original.exists()


def test_ar_10_a_missing_file_is_reported_and_stops_no_other(vault: Vault, work: Path) -> None:
    there = put_file(work, "there.txt")
    session = put_session(
        vault,
        message(1, "x", attachments=[{"path": "gone.txt"}, {"path": str(there)}, {"path": "a\0b.txt"}]),
        cwd=work,
    )
    report = run(vault)
    assert report.files == 1
    assert reasons(report) == {"gone.txt": "missing"}
    put_file(work, "gone.txt")
    os.utime(session, (1_700_000_100, 1_700_000_100))
    later = run(refreshed(vault))
    assert (later.files, later.skipped) == (1, ())  # what was deleted after archiving is not "missing"


def test_ar_10_a_relative_name_without_a_folder_is_reported(vault: Vault) -> None:
    put_session(vault, message(1, "file: nowhere.txt"))
    assert "no folder" in reasons(run(vault))["nowhere.txt"]


@pytest.fixture
def other_disk(tmp_path: Path) -> Iterator[Path]:
    shared = Path("/dev/shm")
    if not os.access(shared, os.W_OK) or shared.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no second file system here (/dev/shm)")
    folder = shared / f"memfs-test-{os.getpid()}"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


def test_ar_11_an_archive_on_another_disk(
    template: Path, tmp_path: Path, work: Path, other_disk: Path
) -> None:
    vault = filing_vault(copy_vault(template, tmp_path / "v"), work, archive=other_disk)
    original = put_file(work, "a.bin", os.urandom(3_000_000))
    data = original.read_bytes()
    put_session(vault, message(1, "x", file_path=str(original)))
    assert run(vault).deleted == 1
    assert copies(other_disk) == {f"{PLACE}/a.bin": data}


def test_ar_17_long_names_are_cut_by_bytes_and_keep_their_extension(
    vault: Vault, work: Path, backup: Path
) -> None:
    name = "会" * 83 + ".pdf"  # 253 bytes
    paths = [put_file(work, f"{n}/{name}", f"content {n}") for n in range(2)]
    put_session(vault, message(1, "x", attachments=[{"path": str(path)} for path in paths]))
    assert run(vault).deleted == 2
    made = sorted(path.name for path in (backup / PLACE).iterdir())
    assert {Path(one).suffix for one in made} == {".pdf"}
    assert max(len(one.encode()) for one in made) <= 255


def test_ar_18_packed_attachments_are_found_by_their_id_and_named_by_what_they_are(
    template: Path, tmp_path: Path, backup: Path
) -> None:
    vault = copy_vault(template, tmp_path / "v")
    vault = filing_vault(vault, vault.layout.inbox, archive=backup)
    folder = vault.layout.inbox / IDENTITY
    put_file(folder, "file-AbCdEfGh1234.dat", b"\x89PNG\r\n\x1a\n....")
    put_file(folder, "file_000000009999-photo.jpeg", b"\xff\xd8\xff...")
    put_session(
        vault,
        message(
            1,
            "x",
            attachments=[
                {"path": "file-service://file-AbCdEfGh1234"},
                {"path": "sediment://file_000000009999"},
            ],
        ),
    )
    report = run(vault)
    assert (report.files, report.deleted) == (2, 0)  # the inbox lies in the vault's own repository
    assert sorted(Path(name).name for name in copies(backup)) == [
        "file-AbCdEfGh1234.png",
        "file_000000009999-photo.jpeg",
    ]


def test_ar_19_what_is_no_regular_file_or_too_large_is_left(vault: Vault, work: Path) -> None:
    os.mkfifo(work / "pipe.txt")
    (work / "folder.txt").mkdir()
    with (work / "huge.bin").open("wb") as huge:
        huge.truncate(20_000_000_000)
    names = ("pipe.txt", "folder.txt", "huge.bin")
    put_session(vault, message(1, "x", attachments=[{"path": name} for name in names]), cwd=work)
    assert reasons(run(vault)) == {
        "pipe.txt": "no regular file",
        "folder.txt": "no regular file",
        "huge.bin": "larger than archive.max_megabytes",
    }


def test_ar_19_a_device_is_not_opened(template: Path, tmp_path: Path, backup: Path) -> None:
    vault = filing_vault(copy_vault(template, tmp_path / "v"), Path("/dev"), archive=backup)
    put_session(vault, message(1, "x", file_path="/dev/zero"))
    assert reasons(run(vault)) == {"zero": "no regular file"}


def test_ar_19_addresses_of_files_are_decoded_and_fragments_cut(
    vault: Vault, work: Path, backup: Path
) -> None:
    names = ["x y.pdf", "报告.pdf", "100%25.txt", "z.pdf"]
    for name in names:
        put_file(work, name, name)
    told = [
        f"file://{work}/x%20y.pdf#page=3",
        f"file://localhost{work}/%E6%8A%A5%E5%91%8A.pdf",
        "100%25.txt",
        "z.pdf#page=3",
    ]
    put_session(
        vault, message(1, "file:///C:/x%20y.pdf", attachments=[{"path": path} for path in told]), cwd=work
    )
    report = run(vault)
    assert sorted(Path(name).name for name in copies(backup)) == sorted(names)
    assert reasons(report) == {"x%20y.pdf": "missing"}


def test_ar_19_a_file_that_somebody_has_open_is_copied_and_stays(
    vault: Vault, work: Path, backup: Path
) -> None:
    original = put_file(work, "log.txt", "first\n")
    session = put_session(vault, message(1, "x", file_path=str(original)))
    with original.open("ab") as writer:
        report = run(vault)
        assert (report.files, report.deleted) == (1, 0)
        assert "stays" in reasons(report)["log.txt"]
        writer.write(b"second\n")
    os.utime(original, (1_700_000_300, 1_700_000_300))
    os.utime(session, (1_700_000_300, 1_700_000_300))
    assert run(refreshed(vault)).deleted == 1
    assert sorted(copies(backup).values()) == [b"first\n", b"first\nsecond\n"]


def test_ar_19_a_file_that_changes_while_it_is_copied_waits(
    vault: Vault, work: Path, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memfs.vault import copies as copying

    original = put_file(work, "a.txt", "first")
    put_session(vault, message(1, "x", file_path=str(original)))
    copy = copying._copy

    def growing(source: int, target: int) -> str:
        with original.open("ab") as writer:
            writer.write(b" second")
        return copy(source, target)

    monkeypatch.setattr(copying, "_copy", growing)
    assert reasons(run(vault)) == {"a.txt": "still being written"}
    assert copies(backup) == {}
    monkeypatch.undo()
    assert run(refreshed(vault)).deleted == 1  # it is looked at again although the transcript is the same
    assert list(copies(backup).values()) == [b"first second"]
