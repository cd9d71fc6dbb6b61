"""The lightest engine: static word vectors of WordLlama (an extra). English; very fast, a little less sharp."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memfs.errors import SearchIndexError, extra_hint
from memfs.search.analysis import FOREIGN, cjk_share
from memfs.search.embeddings import Scale, normalise

if TYPE_CHECKING:
    from memfs.search.embeddings import Vectors


class Static:
    """WordLlama's 256 dimensions, from the weights in its package; no hub is asked."""

    name = "wordllama-l2-256"
    dimensions = 256
    scale = Scale(0.15, 0.75)
    origin = ("static", "")

    def __init__(self) -> None:
        self._model: Any = None

    def serves(self, text: str) -> bool:
        """Say whether ``text`` is in a script that the model knows."""
        return bool(text.strip()) and cjk_share(text) < FOREIGN

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 per text. Raises SearchIndexError when the model cannot be loaded."""
        import numpy as np

        model = self._load()
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return normalise(model.embed(list(texts)))

    def _load(self) -> Any:
        if self._model is None:
            found = find_spec("wordllama")
            if found is None or found.origin is None:
                raise SearchIndexError(
                    "the embedding engine is not installed: wordllama", hint=extra_hint("static")
                )
            from wordllama import WordLlama

            try:
                self._model = WordLlama.load(cache_dir=Path(found.origin).parent, disable_download=True)
            except (OSError, ValueError, RuntimeError) as error:
                raise SearchIndexError(f"the embedding model does not load: {error}") from error
        return self._model
