"""Extraction by a language model: prompt, call, tolerant reading of the answer, judgement of each operation.

Nothing here imports a provider's library before a call is made.
"""

from __future__ import annotations

from memfs.extraction.model.answers import read_answer
from memfs.extraction.model.extractor import Meter, ModelExtractor, Unmetered
from memfs.extraction.model.names import ModelName, parse_name
from memfs.extraction.model.prompts import Page, Prompter

__all__ = [
    "Meter",
    "ModelExtractor",
    "ModelName",
    "Page",
    "Prompter",
    "Unmetered",
    "parse_name",
    "read_answer",
]
