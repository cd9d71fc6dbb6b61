"""Redaction on a made-up corpus: secrets of many kinds, and what only looks like one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from memfs.extraction.redaction import redact_text
from tests.extraction.secret_corpus import SEED, Sample, lookalikes, secrets
from tests.extraction.secret_kinds import KINDS
from tests.extraction.secret_scanner import format_rules, taken_out

OTHER_SEED = 4711


@pytest.mark.parametrize("seed", [SEED, OTHER_SEED])
def test_recall_and_precision_on_the_corpus(seed: int) -> None:
    told, harmless = list(secrets(seed)), list(lookalikes(seed))
    assert len(told) >= 1000
    assert len(harmless) >= 5000
    missed = [sample for sample in told if sample.leaks(redact_text(sample.text).text)]
    taken = [sample for sample in harmless if redact_text(sample.text).findings]
    found = len(told) - len(missed)
    assert found / len(told) >= 0.98, Counter(sample.kind for sample in missed)
    assert found / (found + len(taken)) >= 0.95, Counter(sample.kind for sample in taken)


def test_every_kind_is_known() -> None:
    assert len(KINDS) >= 40
    tried = Counter(sample.kind for sample in secrets())
    missed = Counter(sample.kind for sample in secrets() if sample.leaks(redact_text(sample.text).text))
    assert {kind: missed[kind] for kind in KINDS if missed[kind] > tried[kind] // 4} == {}


def test_what_was_redacted_stays_as_it_is() -> None:
    for sample in secrets():
        once = redact_text(sample.text).text
        assert redact_text(once).text == once


def test_findings_never_tell_the_secret() -> None:
    for sample in secrets():
        assert not any(sample.leaks(finding) for finding in redact_text(sample.text).findings)


def test_the_formats_that_a_well_kept_scanner_knows_are_known_here_too(tmp_path: Path) -> None:
    def only_there(sample: Sample) -> bool:
        return not sample.leaks(taken_out(sample.text, tmp_path)) and sample.leaks(
            redact_text(sample.text).text
        )

    with format_rules():
        assert [sample.text for sample in secrets() if only_there(sample)] == []
