"""A tiny embedder that really works: texts that share words are near. No model, no disk."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from memfs.errors import SearchIndexError
from memfs.search.embeddings import Scale, normalise

if TYPE_CHECKING:
    from memfs.search.embeddings import Vectors


@dataclass
class WordEmbedder:
    """Adds up one fixed vector per word. ``asked`` keeps every text it was given."""

    name: str = "words"
    dimensions: int = 24
    origin: tuple[str, str] = ("", "")  # no process can make it anew
    scale: Scale = field(default_factory=lambda: Scale(0.18, 0.70))
    asked: list[str] = field(default_factory=list)
    broken: bool = False

    def serves(self, text: str) -> bool:
        return bool(text.strip())

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.broken:
            raise SearchIndexError("the model is away")
        self.asked += texts
        return normalise(np.array([self._sum(text) for text in texts]).reshape(len(texts), self.dimensions))

    def _sum(self, text: str) -> Vectors:
        total = np.zeros(self.dimensions, dtype=np.float32)
        for word in text.lower().split():
            seed = int.from_bytes(hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()[:4], "big")
            total += np.random.default_rng(seed).normal(size=self.dimensions).astype(np.float32)
        return total
