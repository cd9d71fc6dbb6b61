"""Made-up memory for speed: entries of some 20 words in files of 50, one file to an identity, and questions to it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from memfs.search.embeddings import Embedder, Scale

if TYPE_CHECKING:
    from memfs.search.embeddings import Vectors

PER_FILE = 50
_SYLLABLES = [
    "ka",
    "lo",
    "mi",
    "ne",
    "ru",
    "sa",
    "to",
    "vi",
    "wen",
    "zor",
    "bel",
    "dra",
    "fin",
    "gul",
    "hep",
    "jot",
    "plim",
    "quar",
    "stav",
    "tras",
]
_HAN = "订单缓存模型数据接口测试会议项目部署日志重试队列超时配置版本"


def vocabulary(size: int = 20_000) -> list[str]:
    """Words that look like words; the first are the frequent ones."""
    chance = random.Random(11)
    words: dict[str, None] = {}
    while len(words) < size:
        words["".join(chance.choices(_SYLLABLES, k=chance.randint(1, 4)))] = None
    return list(words)


WORDS = vocabulary()
_WEIGHTS = list(accumulate(1 / (rank + 10) for rank in range(len(WORDS))))


def entry_texts(count: int) -> Iterator[str]:
    """Texts of 12 to 30 words; one in ten has Chinese in it, one in five a day."""
    chance = random.Random(5)
    for number in range(count):
        words = chance.choices(WORDS, cum_weights=_WEIGHTS, k=chance.randint(12, 30))
        if number % 10 == 0:
            words.insert(2, "".join(chance.choices(_HAN, k=6)))
        day = f" (2026-{1 + number % 12:02}-{1 + number % 28:02})" if number % 5 == 0 else ""
        yield " ".join(words) + day


def vault_files(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The texts as documents: path and Markdown."""
    for first in range(0, len(texts), PER_FILE):
        lines = (
            f"- {text} ^m-{first + place:013d}" for place, text in enumerate(texts[first : first + PER_FILE])
        )
        yield f"memories/person-{first // PER_FILE}/notes.md", "# Notes\n\n" + "\n".join(lines) + "\n"


def questions(texts: Sequence[str], count: int = 200) -> list[str]:
    """Three to six words of an entry each, with some of the little words that people use."""
    chance = random.Random(3)
    asked = []
    for _ in range(count):
        words = chance.choice(texts).split()
        asked.append("what is the " + " ".join(chance.sample(words, chance.randint(3, 6))))
    return asked


class Synthetic:
    """Vectors out of nothing, at once: for sizes at which a model would take hours. Equal texts have equal ones."""

    name = "synthetic"
    dimensions = 512
    scale = Scale(0.1, 0.6)
    origin = ("", "")

    def serves(self, text: str) -> bool:
        """Say yes to any text."""
        return bool(text)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one of 4,096 directions, turned a little, for each text."""
        import zlib

        import numpy as np

        if not hasattr(self, "_base"):
            chance = np.random.default_rng(1)
            self._base = chance.normal(size=(4096, self.dimensions)).astype(np.float32)
        seeds = np.array([zlib.crc32(text.encode("utf-8", "replace")) for text in texts], dtype=np.int64)
        rows = self._base[seeds % 4096] + 0.5 * self._base[(seeds >> 12) % 4096]
        vectors: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return vectors


def embedder_of(name: str) -> Embedder | None:
    """The engine of that name; also ``synthetic``."""
    from memfs.search.embeddings import load_embedder

    return Synthetic() if name == "synthetic" else load_embedder(name)
