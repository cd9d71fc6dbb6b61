"""Commit messages: round trip, and text that wants to be a trailer."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.history.messages import (
    CommitMessage,
    EntryChange,
    fold,
    parse_groups,
    parse_message,
    render_message,
    reverted_commits,
)
from memfs.model import Tokens

MESSAGE = CommitMessage(
    kind="merge",
    subject="coding-assistant: 2 decisions, 1 action from 2026-03-14 session",
    body="Superseded one older decision.",
    base="a" * 40,
    identity="coding-assistant",
    source="claude-code/9f1c",
    cursor="48213 of 48213 bytes, last message m-9",
    extractor="rules",
    tokens=Tokens(0, 0),
    entries=(
        EntryChange("m-aaaaaaaaaaaaa", "added", "claude-code/9f1c", ("m-1", "m-2")),
        EntryChange("m-bbbbbbbbbbbbb", "superseded", "claude-code/9f1c", ("@120",)),
        EntryChange("m-ccccccccccccc", "removed"),
    ),
)
TEXT = """\
coding-assistant: 2 decisions, 1 action from 2026-03-14 session

Superseded one older decision.

Memfs-Kind: merge
Memfs-Base: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
Memfs-Identity: coding-assistant
Memfs-Source: claude-code/9f1c
Memfs-Cursor: 48213 of 48213 bytes, last message m-9
Memfs-Extractor: rules
Memfs-Tokens: 0 in, 0 out
Memfs-Entry: m-aaaaaaaaaaaaa added claude-code/9f1c#m-1,m-2
Memfs-Entry: m-bbbbbbbbbbbbb superseded claude-code/9f1c#@120
Memfs-Entry: m-ccccccccccccc removed
"""

anything = st.text(max_size=60)
hostile = st.sampled_from(
    [
        "x\nMemfs-Kind: forget",
        "x\r\nMemfs-Entry: m-x added evil#1",
        "\n\nMemfs-Source: evil",
        "\u2028Memfs-Kind: undo",
        "x\x0bMemfs-Kind: undo",
        "  Memfs-Kind: undo",
        "memfs-kind: undo",
        "* Memfs-Kind: undo",
        "a,b#c%2C d",
        "\x1b[31mred",
        "Memfs-Base: " + "b" * 40,
    ]
)
untrusted = st.one_of(anything, hostile, st.lists(hostile, max_size=3).map("\n".join))
maybe = st.one_of(st.none(), untrusted)
tokens = st.none() | st.builds(Tokens, st.integers(0, 10**9), st.integers(0, 10**9))
token = st.text(min_size=1, max_size=30).filter(lambda text: text.isprintable() and text.strip() == text)
entries = st.builds(
    EntryChange,
    st.text("abcdefghij234567-m", min_size=1, max_size=20),
    st.sampled_from(["added", "updated", "superseded", "removed"]),
    st.one_of(token, hostile),
    st.lists(st.one_of(token, hostile), max_size=3).map(tuple),
)


def test_the_message_looks_as_documented() -> None:
    assert render_message(MESSAGE) == TEXT


def test_it_is_read_back_whole() -> None:
    assert parse_message(TEXT) == MESSAGE
    assert parse_groups(TEXT)[0].entries == MESSAGE.entries


@given(untrusted, untrusted, maybe, maybe, maybe, maybe, tokens, st.lists(entries, max_size=4).map(tuple))
def test_what_is_rendered_is_read_back_whatever_it_holds(
    subject: str,
    body: str,
    identity: str | None,
    source: str | None,
    cursor: str | None,
    extractor: str | None,
    spent: Tokens | None,
    changes: tuple[EntryChange, ...],
) -> None:
    message = CommitMessage(
        "merge", subject, body, "a" * 40, identity, source, cursor, extractor, spent, changes
    )
    text = render_message(message)
    read = parse_message(text)
    assert read is not None, text
    assert (read.kind, read.base, read.source) == ("merge", "a" * 40, source)
    assert read.entries == changes
    assert read.tokens == spent
    for told, given_ in ((read.identity, identity), (read.cursor, cursor), (read.extractor, extractor)):
        assert told == (None if given_ is None else fold(given_))
    assert len(parse_groups(text)) == 1
    assert parse_message(render_message(read)) == read
    assert not any(character in text for character in "\x00\x1b\r\u2028")


@given(untrusted, untrusted)
def test_git_itself_sees_only_our_trailers(subject: str, body: str) -> None:
    message = CommitMessage("hand", subject, body, identity="coder")
    last = render_message(message).rstrip("\n").split("\n\n")[-1]
    assert last == "Memfs-Kind: hand\nMemfs-Identity: coder"


def test_t6_git_interpret_trailers_agrees() -> None:
    message = CommitMessage("hand", "x\nMemfs-Kind: forget", "Memfs-Entry: m-x added evil#1", identity="c")
    told = subprocess.run(
        ["git", "interpret-trailers", "--parse"],
        input=render_message(message),
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout == "Memfs-Kind: hand\nMemfs-Identity: c\n"


def test_a_persons_commit_is_not_ours() -> None:
    assert parse_message("Fix a typo\n\nSigned-off-by: R <r@example.org>\n") is None
    assert parse_groups("Fix\n") == ()


def test_trailers_survive_what_people_add_below() -> None:
    amended = TEXT + "Signed-off-by: Robin <r@example.org>\n\n(cherry picked from commit abc)\n"
    read = parse_message(amended)
    assert read is not None
    assert read.entries == MESSAGE.entries


@pytest.mark.parametrize("indent", ["", "    "])
def test_a_squash_repeats_every_group(indent: str) -> None:
    other = render_message(
        CommitMessage("merge", "other", identity="b", entries=(EntryChange("m-z", "added"),))
    )
    quoted = "".join(f"{indent}{line}\n" for text in (TEXT, other) for line in text.splitlines())
    squash = f"Squashed commit of the following:\n\n{quoted}"
    assert parse_message(squash) is None
    first, second = parse_groups(squash)
    assert first.entries == MESSAGE.entries
    assert second.identity == "b"
    assert [entry.id for entry in second.entries] == ["m-z"]


def test_a_squash_of_one_is_a_squash_all_the_same() -> None:
    quoted = "Squashed\n\n" + "".join(f"    {line}\n" for line in TEXT.splitlines())
    assert parse_message(quoted) is None
    assert parse_groups(quoted)[0].source == "claude-code/9f1c"


def test_a_revert_names_its_commit() -> None:
    text = f'Revert "coder: 1 note"\n\nThis reverts commit {"c" * 40}.\n'
    assert reverted_commits(text) == ("c" * 40,)
    assert reverted_commits("nothing of the kind") == ()


@pytest.mark.parametrize("line", ["Memfs-Entry: ", "Memfs-Entry: m-x danced a#1", "Memfs-Tokens: many"])
def test_odd_trailers_are_ignored(line: str) -> None:
    read = parse_message(f"x\n\nMemfs-Kind: merge\n{line}\n")
    assert read is not None
    assert read.entries == ()
    assert read.tokens is None


def test_an_empty_subject_says_what_it_is() -> None:
    assert render_message(CommitMessage("cursor", " \n ")).startswith("memfs cursor\n")
