"""Any sentence-transformers model (an extra). A hub is asked only for a model that was given by name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from memfs.errors import SearchIndexError
from memfs.search.analysis import cjk_share
from memfs.search.embeddings import normalise
from memfs.search.minilm import FOREIGN

if TYPE_CHECKING:
    from memfs.search.embeddings import Vectors

_RETRY_SECONDS = 300.0
_BATCH = 16
_SMALL_VOCABULARY = 60_000


class SentenceTransformers:
    """Any sentence-transformers model. A hub is asked only for a model that the user gave by name."""

    def __init__(self, model: str) -> None:
        self._path = Path(model).expanduser()
        self._local = self._path.exists()
        self._model_name = model
        self._model: Any = None
        self._failure: tuple[float, SearchIndexError] | None = None
        self.name = f"sentence-transformers {self._path.resolve() if self._local else model}"

    @property
    def dimensions(self) -> int:
        """Length of the vectors; loads the model."""
        return int(self._load().get_embedding_dimension())

    def serves(self, text: str) -> bool:
        """Say whether the model knows the script of ``text``: it does where its vocabulary is a large one."""
        return cjk_share(text) < FOREIGN or len(self._load().tokenizer) > _SMALL_VOCABULARY

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 per text. Raises SearchIndexError when the model cannot be had."""
        import numpy as np

        model = self._load()
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return normalise(
            model.encode(list(texts), batch_size=_BATCH, show_progress_bar=False, convert_to_numpy=True)
        )

    def _load(self) -> Any:
        if self._model is None:
            if self._failure and monotonic() - self._failure[0] < _RETRY_SECONDS:
                raise self._failure[1]  # nobody waits for a dead network at every search
            try:
                self._model = self._open()
            except SearchIndexError as error:
                self._failure = (monotonic(), error)
                raise
        return self._model

    def _open(self) -> Any:
        os.environ.setdefault("HF_HUB_ETAG_TIMEOUT", "5")
        os.environ.setdefault("HF_HUB_DOWNLOAD_TIMEOUT", "20")
        if self._local:
            os.environ.setdefault("HF_HUB_OFFLINE", "1")
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            hint = "pip install 'memfs-vault[sentence-transformers]'"
            raise SearchIndexError("sentence-transformers is not installed", hint=hint) from error
        import_module("transformers.utils.logging").disable_progress_bar()
        source = str(self._path) if self._local else self._model_name
        try:  # cached first: a model that is here must not wait for a network that is not
            return SentenceTransformer(source, device="cpu", local_files_only=True)
        except (OSError, ValueError, RuntimeError) as error:
            if self._local:
                raise SearchIndexError(f"the model at {source} does not load: {error}") from error
        try:
            return SentenceTransformer(source, device="cpu")
        except (OSError, ValueError, RuntimeError) as error:
            raise SearchIndexError(f"the model {source} cannot be had: {error}") from error
