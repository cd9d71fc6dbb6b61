"""Any sentence-transformers model (an extra). A hub is asked only for a model that was given by name."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies

from memfs.errors import SearchIndexError, extra_hint
from memfs.search.analysis import FOREIGN, cjk_share
from memfs.search.embeddings import Scale, normalise

if TYPE_CHECKING:
    from memfs.search.embeddings import Vectors

_RETRY_SECONDS = 300.0
_CONNECT_SECONDS = 5.0
_BATCH = 16
_SMALL_VOCABULARY = 60_000


class SentenceTransformers:
    """Any sentence-transformers model. A hub is asked only for a model that the user gave by name."""

    scale = Scale(0.18, 0.70)  # of the MiniLM family; the models differ

    def __init__(self, model: str) -> None:
        self._path = Path(model).expanduser()
        self._local = self._path.exists()
        self._model_name = model
        self.origin = ("sentence-transformers", model)
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
        try:
            rows = model.encode(list(texts), batch_size=_BATCH, show_progress_bar=False)
        except (RuntimeError, ValueError) as error:
            raise SearchIndexError(f"the embedding model failed: {error}") from error
        return normalise(rows)

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
            hint = extra_hint("sentence-transformers")
            raise SearchIndexError("sentence-transformers is not installed", hint=hint) from error
        import_module("transformers.utils.logging").disable_progress_bar()
        source = str(self._path) if self._local else self._model_name
        try:  # cached first: a model that is here must not wait for a network that is not
            return SentenceTransformer(source, device="cpu", local_files_only=True)
        except (OSError, ValueError, RuntimeError) as error:
            if self._local:
                raise SearchIndexError(f"the model at {source} does not load: {error}") from error
        require_hub(source)
        try:
            return SentenceTransformer(source, device="cpu")
        except (OSError, ValueError, RuntimeError) as error:
            raise SearchIndexError(f"the model {source} cannot be had: {error}") from error


def require_hub(model: str) -> None:
    """Fail at once where the hub cannot be reached; its own client would try for more than a minute."""
    constants = import_module("huggingface_hub.constants")
    if constants.HF_HUB_OFFLINE:
        raise SearchIndexError(
            f"the model {model} cannot be had: it is not on this machine, and the hub is off"
        )
    address = urlsplit(constants.ENDPOINT)
    if getproxies().get(address.scheme):
        return
    try:
        port = address.port or {"http": 80}.get(address.scheme, 443)
        socket.create_connection((address.hostname or "", port), timeout=_CONNECT_SECONDS).close()
    except OSError as error:
        raise SearchIndexError(f"the model {model} cannot be had: {address.hostname}: {error}") from error
