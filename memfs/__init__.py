"""memfs: long-term memory for AI agents and their people, as Markdown files in git."""

from __future__ import annotations

__version__ = "0.1.0"
