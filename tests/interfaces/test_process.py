"""The program as a process: what it imports, its streams, its exit codes, signals and pipes."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Git
from tests.interfaces.conftest import age

LISTING = """
import json, sys
from memfs.interfaces.cli import main
try:
    main(sys.argv[1:], prog_name="memfs")
except SystemExit as end:
    code = end.code
print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)
"""
SERVERS = {"http.server", "uvicorn", "fastapi", "starlette", "aiohttp", "mcp", "socketserver"}
HEAVY = {"numpy", "tantivy", "onnxruntime", "tokenizers", "orjson", "jinja2", "yaml", "watchdog", "tomlkit"}


def memfs(
    *arguments: str | Path, environment: dict[str, str] | None = None, encoding: str = "utf-8"
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "memfs", *map(str, arguments)],
        capture_output=True,
        encoding=encoding,
        env={**os.environ, **(environment or {})},
        check=False,
    )


def imported(*arguments: str | Path) -> set[str]:
    """The modules that a command line loads in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", LISTING, *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code == 0
    return set(modules)


def test_help_imports_neither_rich_nor_git_nor_any_use_case() -> None:
    modules = imported("--help")
    assert not modules & {"rich", "git", "torch", "subprocess", "importlib.metadata", *HEAVY, *SERVERS}
    assert not [
        name for name in modules if name.startswith(("memfs.services", "memfs.vault", "memfs.history"))
    ]


@pytest.mark.parametrize("command", ["search", "ingest", "log"])
def test_help_of_a_command_imports_no_use_case(command: str) -> None:
    modules = imported(command, "--help")
    assert not modules & {"rich", "git", "torch", *HEAVY, *SERVERS}
    assert not [name for name in modules if name.startswith("memfs.services")]


def test_hybrid_search_imports_neither_git_nor_torch_nor_a_server(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMFS_EMBEDDINGS_ENGINE", "minilm")
    modules = imported("search", "--vault", vault, "tide cache")
    assert {"onnxruntime", "tantivy"} <= modules
    assert not modules & {"git", "torch", "sentence_transformers", "rich", "watchdog", *SERVERS}


def test_importing_the_library_costs_nothing() -> None:
    code = (
        "import sys, memfs; print(memfs.__version__, sorted(n for n in sys.modules if n.startswith('memfs')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == "0.1.0 ['memfs']\n"


def test_data_goes_to_stdout_and_progress_to_stderr(vault: Path) -> None:
    chat = vault / "inbox/home-aide/new.md"
    chat.write_text("User: I prefer rye bread over wheat bread.\n\nAssistant: Noted.\n", encoding="utf-8")
    age(chat.parent)
    done = memfs("ingest", "--vault", vault, "--json")
    assert done.returncode == 0
    [session] = json.loads(done.stdout)["sessions"]
    assert session["added"] == 1
    assert "1 added" in done.stderr
    assert session["commit"][:8] in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--version",), 0),
        (("nosuch",), 2),
        (("config", "no.such"), 3),
        (("why", "m-nothere"), 6),
        (("ingest", "no-such-file"), 7),
    ],
)
def test_exit_codes_of_the_process(vault: Path, arguments: tuple[str, ...], code: int) -> None:
    done = memfs("--vault", vault, *arguments)
    assert done.returncode == code
    assert "Traceback" not in done.stderr


def test_codes_of_a_broken_setting_a_missing_vault_and_a_held_branch(
    vault: Path, tmp_path: Path, git: Git
) -> None:
    assert memfs("list", environment={"MEMFS_VAULT": str(tmp_path)}).returncode == 4
    assert memfs("list", environment={"MEMFS_VAULT": str(vault)}).returncode == 0
    memfs("config", "--vault", vault, "git.branch", "main")
    git(vault, "switch", "-q", "-c", "other")
    busy = memfs("remember", "--vault", vault, "x", "--identity", "home-aide")
    assert busy.returncode == 5
    assert "waits while other is checked out" in busy.stderr
    (vault / "memfs.toml").write_text("languag = 'en'\n", encoding="utf-8")
    broken = memfs("list", "--vault", vault)
    assert broken.returncode == 3
    first, second = broken.stderr.splitlines()
    assert first == f"error: {vault / 'memfs.toml'}:1: no setting is called languag"
    assert second == "  try: did you mean language?"


def test_what_waits_is_code_10_and_says_why(vault: Path) -> None:
    memfs("config", "--vault", vault, "extract.model", "")
    done = memfs("ingest", "--vault", vault)
    assert done.returncode == 10
    assert done.stderr.startswith("waits: extraction is turned off")


def test_a_reader_that_goes_away_is_no_error(vault: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "memfs", "list", "--json", "--vault", vault],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        told = process.stderr.read()
    assert (process.returncode, told) == (141, b"")


def test_an_interrupt_ends_with_code_130() -> None:
    code = (
        "import signal, sys\n"
        "class Keyboard:\n"
        "    def read(self): signal.raise_signal(signal.SIGINT)\n"
        "from memfs.interfaces.cli import main\n"
        "sys.stdin = Keyboard()\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a background job ignores it from birth
        "main(['remember', '-'], prog_name='memfs')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_watch_ends_cleanly_on_a_signal(vault: Path, number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "memfs", "watch", "--json", "--vault", vault],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        assert str(vault) in json.loads(process.stdout.readline())["event"]
        process.send_signal(number)
        rest, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    assert errors == ""
    assert json.loads(rest.splitlines()[-1])["event"]


def test_output_that_the_terminal_cannot_write_is_escaped(vault: Path) -> None:
    memfs("remember", "--vault", vault, "钥匙在门厅", "--identity", "home-aide")
    done = memfs("list", "--vault", vault, environment={"PYTHONIOENCODING": "latin-1"}, encoding="latin-1")
    assert done.returncode == 0
    assert r"\u94a5\u5319" in done.stdout


def on_terminal(*arguments: str | Path, columns: int = 60, **environment: str) -> str:
    """What a command prints on a terminal of so many columns."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "memfs", *map(str, arguments)],
        stdout=theirs,
        env={**os.environ, "COLUMNS": str(columns), "TERM": "xterm", **environment},
    ) as process:
        os.close(theirs)
        shown = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    assert process.returncode == 0
    return shown.decode("utf-8")


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 4096)
    except OSError:  # Linux ends a terminal whose other side is closed so
        return b""


def test_a_table_fits_the_terminal(vault: Path) -> None:
    shown = on_terminal("types", "--vault", vault, NO_COLOR="1")
    assert "decisions" in shown
    assert max(map(len, shown.splitlines())) <= 60


def test_colours_only_on_a_terminal_that_wants_them(vault: Path) -> None:
    assert "\x1b[33m" in on_terminal("log", "--vault", vault)
    assert "\x1b" not in on_terminal("log", "--vault", vault, NO_COLOR="1")
    assert "\x1b[1mtide" in on_terminal("search", "--vault", vault, "tide cache")
    assert "\x1b" not in memfs("search", "--vault", vault, "tide cache").stdout


def test_a_name_that_is_no_utf8_is_told_as_such(vault: Path) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    done = memfs("ingest", "--vault", vault, "--identity", "home-aide", name)
    assert done.returncode == 7
    assert done.stderr == r"error: caf\xe9.txt: no such file or folder" + "\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_and_what_they_complete(shell: str) -> None:
    assert "_MEMFS_COMPLETE" in memfs("completion", shell).stdout
    words = {"COMP_WORDS": "memfs ses se", "COMP_CWORD": "1", "_MEMFS_COMPLETE": "bash_complete"}
    assert "plain,search" in memfs(environment={**words, "COMP_WORDS": "memfs sea"}).stdout


def test_completion_knows_the_identities_of_the_vault(vault: Path) -> None:
    words = {"COMP_WORDS": "memfs list --identity ho", "COMP_CWORD": "3", "_MEMFS_COMPLETE": "bash_complete"}
    done = memfs(environment={**words, "MEMFS_VAULT": str(vault)})
    assert done.stdout == "plain,home-aide\n"
