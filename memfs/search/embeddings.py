"""Text to vectors, on this machine only: a Protocol and the engines behind it.

``multilingual``           the multilingual universal sentence encoder on numpy (the default; 16 languages)
``static``                 WordLlama's word vectors (an extra; English; the fastest)
``minilm``                 all-MiniLM-L6-v2 as int8 ONNX on onnxruntime (an extra; English)
``sentence-transformers``  any model by path, or by name where the user gave one (an extra)
``none``                   no vectors: lexical search

Models load at the first text, not before. What fails raises `SearchIndexError`; the index then searches by
words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from memfs.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

ENGINES = ("multilingual", "static", "minilm", "sentence-transformers", "none")


@dataclass(frozen=True, slots=True)
class Scale:
    """What a model's cosines mean: up to ``far`` nothing in common, from ``near`` on the same."""

    far: float
    near: float

    def likeness(self, cosine: float) -> float:
        """Return how much two texts with this cosine have in common, 0 to 1."""
        return min(1.0, max(0.0, (cosine - self.far) / (self.near - self.far)))


class Embedder(Protocol):
    """Makes vectors of texts. ``name`` changes whenever the vectors would."""

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def scale(self) -> Scale: ...

    @property
    def origin(self) -> tuple[str, str]:
        """What `load_embedder` made it from: engine and model."""
        ...

    def serves(self, text: str) -> bool:
        """Say whether the model knows the language of ``text``."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 per text, float32. Raises SearchIndexError."""
        ...


def load_embedder(
    engine: str = "multilingual", model: str = "", *, state: Path | None = None
) -> Embedder | None:
    """Return the engine of that name, not loaded yet; None for ``none``.

    Args:
        engine: one of `ENGINES`.
        model: path or name of the model, for ``sentence-transformers``.
        state: a folder for derived files, where the verified checksum of a model is remembered.

    Raises:
        ConfigError: no such engine, or no model given.
    """
    if engine == "none":
        return None
    if engine == "multilingual":
        from memfs.search.multilingual import Multilingual

        return Multilingual(state)
    if engine == "static":
        from memfs.search.static import Static

        return Static()
    if engine == "minilm":
        from memfs.search.minilm import MiniLM

        return MiniLM(state)
    if engine == "sentence-transformers":
        if not model:
            raise ConfigError("this engine needs a model: its path or name", key="embeddings.model")
        from memfs.search.sentence import SentenceTransformers

        return SentenceTransformers(model)
    raise ConfigError(
        f"no embedding engine {engine!r}", key="embeddings.engine", hint=f"one of {', '.join(ENGINES)}"
    )


def normalise(vectors: Any) -> Vectors:
    """Return ``vectors`` (rows) scaled to length 1; what is not finite or has no length becomes zeros."""
    import numpy as np

    rows = np.nan_to_num(np.asarray(vectors, dtype=np.float32), nan=0.0, posinf=0.0, neginf=0.0)
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    scaled: Vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 1e-9)
    return scaled
