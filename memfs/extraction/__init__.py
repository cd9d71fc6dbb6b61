"""From turns to operations: redaction, segments, the offline rules."""

from __future__ import annotations

from memfs.extraction.redaction import Redacted, redact_text, redact_turn
from memfs.extraction.request import Extractor, Request
from memfs.extraction.segments import Segment, cut_segments, estimate_tokens

__all__ = [
    "Extractor",
    "Redacted",
    "Request",
    "Segment",
    "cut_segments",
    "estimate_tokens",
    "redact_text",
    "redact_turn",
]
