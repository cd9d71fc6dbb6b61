"""Where secrets stand, by line; and the document without them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memfs.extraction.locating import brings_secrets, secret_lines, without_secrets
from memfs.extraction.redaction import redact_text

CARD = "4242 4242 4242 4242"
KEY = "ghp_" + "4aZ9" * 9
PEM = "-----BEGIN RSA PRIVATE KEY-----\n" + "A1b2C3d4" * 8 + "\n-----END RSA PRIVATE KEY-----"
lines = st.sampled_from(
    ["", "# Head", "lunch", f"card {CARD}", f"use {KEY}", PEM, "- item ^m-aaaaaaaaaaaaa", "[redacted: token]"]
)
texts = st.lists(lines, max_size=12).map("\n".join)


def test_each_is_told_by_line_and_kind() -> None:
    text = f"lunch\ncard {CARD}\n{PEM}\nuse {KEY} and {CARD}\n"
    told = [place for part in secret_lines(text) for place in part.kinds]
    assert sorted(told) == [(1, "card number"), (2, "private key"), (5, "api key"), (5, "card number")]


@given(texts)
def test_without_all_of_them_it_reads_as_redacted(text: str) -> None:
    assert without_secrets(text, secret_lines(text)) == redact_text(text).text


@given(texts)
def test_lines_without_secrets_stay_byte_for_byte(text: str) -> None:
    parts = secret_lines(text)
    touched = {line for part in parts for line in range(part.start, part.end)}
    kept = [line for at, line in enumerate(text.splitlines(keepends=True)) if at not in touched]
    clean = without_secrets(text, parts).splitlines(keepends=True)
    assert all(line in clean for line in kept)


@given(texts)
def test_what_is_clean_brings_nothing_and_what_is_not_is_told(text: str) -> None:
    clean = redact_text(text).text
    assert brings_secrets(text, clean) == ()
    assert (brings_secrets(clean, text) == ()) == (secret_lines(text) == ())
