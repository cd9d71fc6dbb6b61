"""Text for a terminal: what stands in a memory is shown, never obeyed."""

from __future__ import annotations

import re

# Control characters, bidirectional overrides and undecodable bytes; line ends and tabs are text.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SPACE = re.compile(r"\s+")


def visible(text: str) -> str:
    """``text`` with everything that could steer a terminal written as an escape (``\\x1b``)."""
    return _CONTROL.sub(_escape, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """`visible` text on one line."""
    return visible(_SPACE.sub(" ", text).strip())


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is no UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def render_json(value: object) -> str:
    """JSON for people and programs: indented, in its own script, without raw control characters."""
    import json

    text = json.dumps(value, ensure_ascii=False, indent=2)
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def width(text: str) -> int:
    """How many columns ``text`` takes: East Asian wide characters take two."""
    import unicodedata

    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) > 0 for char in text)
