"""The index against files as they come, change and go."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from memfs.model import Stat
from memfs.search.index import SearchIndex
from memfs.search.lexicon import Filters
from memfs.search.searching import SearchResult
from memfs.search.updating import INDEXING
from memfs.search.writing import hold_writer
from tests.search.fakes import WordEmbedder

NOTES = "memories/a/notes.md"
OLD = Stat(10, 1_000, 1_000, 7)


@pytest.fixture
def index(tmp_path: Path) -> SearchIndex:
    return SearchIndex(tmp_path / "index", WordEmbedder())


def note(*lines: str) -> str:
    return "# Notes\n\n" + "".join(f"- {line}\n" for line in lines)


def texts(result: SearchResult) -> list[str]:
    return [hit.view.text for hit in result.hits]


def test_a_hit_says_where_it_is_from(index: SearchIndex) -> None:
    index.update({NOTES: note("the parking stream keeps letters 14 days ^m-aaaaaaaaaaaaa", "other")})
    (hit, *_) = index.search("parking letters").hits
    assert (hit.view.path, hit.view.line, hit.view.id) == (NOTES, 3, "m-aaaaaaaaaaaaa")
    assert 0 < hit.score <= 1
    marked = [hit.snippet.text[start:end] for start, end in hit.snippet.highlights]
    assert marked == ["parking", "letters"]


@pytest.mark.parametrize("query", ["", "  ", "the of and", "什么", "zebra quagga"])
def test_nothing_asked_or_nothing_there_gives_nothing(tmp_path: Path, query: str) -> None:
    index = SearchIndex(tmp_path, None)
    index.update({NOTES: note("redis streams")})
    assert index.search(query).hits == ()


def test_degraded_is_said(tmp_path: Path) -> None:
    words = SearchIndex(tmp_path / "x", None)
    assert words.search("redis").degraded == ("nothing is indexed yet",)
    words.update({NOTES: note("redis")})
    assert "no embedding engine" in words.search("redis").degraded[0]
    embedder = WordEmbedder(broken=True)
    broken = SearchIndex(tmp_path / "y", embedder)
    assert broken.update({NOTES: note("redis")}).degraded == ("the model is away",)
    assert "the model is away" in broken.search("redis").degraded[0]
    assert texts(broken.search("redis")) == ["redis"]
    embedder.broken = False
    assert broken.vectors_missing()
    assert "being rebuilt" in broken.search("redis").degraded[0]
    broken.fill_vectors()
    assert not broken.vectors_missing()
    assert broken.search("redis").degraded == ()


def test_filters(index: SearchIndex) -> None:
    index.update(
        {
            "memories/a/decisions.md": note("**Q**: redis #infra (2026-03-11)", "**R**: redis (2026-05-02)"),
            "memories/a/peers/kim/notes.md": "# K\n\n- redis for kim\n",
            "memories/b/notes.md": "# N\n\n- redis of b\n",
            "Garden/soil.md": "redis in prose\n",
        }
    )

    def found(**filters: object) -> list[str]:
        return sorted(texts(index.search("redis", Filters(**filters))))  # type: ignore[arg-type]

    q, r, kim, b, prose = (
        "Q: redis #infra (2026-03-11)",
        "R: redis (2026-05-02)",
        "redis for kim",
        "redis of b",
        "",
    )
    prose = "redis in prose"
    assert found() == sorted([q, r, kim, b, prose])
    assert found(identities=("a",)) == sorted([q, r, kim])
    assert found(identities=("a", "")) == sorted([q, r, kim, prose])
    assert found(identities=()) == []
    assert found(identities=("a",), peer="") == sorted([q, r])
    assert found(peer="kim") == [kim]
    assert found(type="decisions") == sorted([q, r])
    assert found(tag="#Infra") == [q]
    assert found(since=date(2026, 4, 1)) == [r]
    assert found(until=date(2026, 3, 11)) == [q]
    assert found(path="memories/b") == [b]
    assert found(path="memories/a/decisions.md") == sorted([q, r])
    assert found(path="memories/a/dec") == []


def test_se_02_se_04_se_13_se_28_no_syntax_makes_a_query_fail(tmp_path: Path) -> None:
    index = SearchIndex(tmp_path / "words", None)
    lines = [
        "y (y 25)",
        "abc:def",
        "Downloads/x",
        "don't",
        "foo bar",
        "cats AND dogs",
        "IN deep",
        "re",
        "a^b",
        "TO",
    ]
    index.update({NOTES: note(*lines)})
    assert "y (y 25)" in texts(index.search("y+(y+25)"))
    assert texts(index.search("abc\\:def"))[:1] == ["abc:def"]
    assert texts(index.search("Downloads/x"))[:1] == ["Downloads/x"]
    assert texts(index.search("don't"))[:1] == ["don't"]
    assert texts(index.search("foo:bar"))[:1] == ["foo bar"]
    for query in (
        "foo:bar",
        "(foo",
        '"foo',
        "AND",
        "IN",
        "/re/",
        "a^b",
        "[a TO",
        "nosuch:foo",
        "-foo",
        "*",
        "\\",
    ):
        assert isinstance(index.search(query), SearchResult)
    for query in ("(foo", '"foo', "nosuch:foo", "-foo"):
        assert "foo bar" in texts(index.search(query)), query


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    index = SearchIndex(tmp_path_factory.mktemp("any-query"), WordEmbedder())
    index.update({NOTES: note("redis streams 成语接龙 café 🎉 [x] foo:bar Straße ﬁn １２ עברית ไทย")})
    return index


def check_query(index: SearchIndex, query: str) -> None:
    result = index.search(query)
    assert all(0 <= hit.score <= 1 for hit in result.hits)
    assert result.degraded == ()


@settings(max_examples=500)
@given(query=st.text(max_size=60))
def test_any_query_at_all(query: str, small: SearchIndex) -> None:
    check_query(small, query)


@pytest.mark.slow
@settings(max_examples=10_000, deadline=2_000)  # milliseconds: no query may take for ever
@given(
    query=st.text(st.characters(), max_size=200)
    | st.text(st.sampled_from("()[]{}+-:\\^\"'~*? a成é"), max_size=80)
)
def test_ten_thousand_queries(query: str, small: SearchIndex) -> None:
    check_query(small, query)


def test_se_09_se_10_se_29_cjk_emoji_and_accents_are_found(tmp_path: Path) -> None:
    index = SearchIndex(tmp_path, None)
    index.update(
        {NOTES: note("他爱用成语接龙", "前端用React写", "launch 🎉 done", "le café noir", "レシートの軽減")}
    )
    for query, text in {
        "成语": "他爱用成语接龙",
        "react": "前端用React写",
        "🎉": "launch 🎉 done",
        "cafe": "le café noir",
        "軽減": "レシートの軽減",
    }.items():
        assert texts(index.search(query))[:1] == [text], query


def test_se_14_an_exact_id_comes_first(index: SearchIndex) -> None:
    index.update(
        {
            NOTES: note(
                "the bench is at 100821 BENCH street", "BENCH-100821 is closed", "bench bench", "plain ^m-abc"
            )
        }
    )
    assert texts(index.search("BENCH-100821"))[0] == "BENCH-100821 is closed"
    for query in ("m-abc", "^m-abc", "abc"):
        (hit, *_) = index.search(query).hits
        assert (hit.view.text, hit.score) == ("plain", 1.0)


def test_se_17_a_rate_does_not_find_a_plural(tmp_path: Path) -> None:
    index = SearchIndex(tmp_path, None)
    index.update({NOTES: note("the disk does 3 GB/s", "many GBs are free")})
    assert texts(index.search("GB/s")) == ["the disk does 3 GB/s"]


def test_se_26_a_note_named_like_syntax(index: SearchIndex) -> None:
    index.update({"[.md": "# [\n\n- redis\n"})
    assert [hit.view.path for hit in index.search("[ redis").hits] == ["[.md"]
    assert [hit.view.path for hit in index.search("redis", Filters(path="[.md")).hits] == ["[.md"]


def test_wa_26_a_deleted_file_is_gone(index: SearchIndex) -> None:
    index.update({NOTES: note("redis"), "memories/a/x.md": note("redis too")}, {NOTES: OLD})
    assert index.stale({}).gone == (NOTES, "memories/a/x.md")
    index.update({NOTES: None})
    assert texts(index.search("redis")) == ["redis too"]
    assert index.stale({}).gone == ("memories/a/x.md",)


def test_se_23_a_shorter_document_leaves_nothing_behind(index: SearchIndex) -> None:
    index.update({NOTES: note("redis one", "redis two", "redis three")})
    index.update({NOTES: note("redis one")})
    assert texts(index.search("redis")) == ["redis one"]


def test_se_24_equal_sections_are_both_indexed(index: SearchIndex) -> None:
    index.update(
        {
            "n.md": "## Same\n\nredis is here\n\n## Same\n\nredis is here\n",
            "o.md": "## Same\n\nredis is here\n",
        }
    )
    assert (
        len({(hit.view.path, hit.view.line) for hit in index.search("redis", Filters(path="n.md")).hits}) == 1
    )
    assert index.search("redis").hits[0].view.line == 3


def test_fm_35_a_note_that_is_not_text_is_reported_and_the_rest_indexed(index: SearchIndex) -> None:
    report = index.update(
        {"bad.md": b"redis \xff\xfe", "good.md": "redis\n"}, {"bad.md": OLD, "good.md": OLD}
    )
    assert report.indexed == ("good.md",)
    assert report.problems == index.problems() == (("bad.md", "not UTF-8 text (byte 6)"),)
    assert len(index.search("redis").hits) == 1
    assert not index.stale({"bad.md": OLD, "good.md": OLD})
    index.update({"bad.md": b"redis mended\n"})
    assert index.problems() == ()


def test_what_utf8_cannot_hold_harms_nothing(index: SearchIndex) -> None:
    report = index.update({"n\udcff.md": "redis\n", "good.md": "redis \ud800 here\n"})
    assert (report.indexed, report.problems) == (("good.md",), (("n\udcff.md", "its name is not UTF-8"),))
    assert index.stale({"n\udcff.md": OLD}).changed == ()
    assert len(index.search("redis \udcff").hits) == 1
    assert index.search("\udcff").hits == ()
    assert index.search("redis", Filters(identities=("\udcff",), tag="\udcff", path="\udcff")).hits == ()
    assert len(index.search("redis").hits) == 1


def test_a_whole_page_as_a_question(index: SearchIndex) -> None:
    index.update({NOTES: note("redis streams")})
    assert texts(index.search("redis " + "streams and more words " * 5000)) == ["redis streams"]


def test_what_differs_from_the_index_is_stale(index: SearchIndex) -> None:
    assert index.stale({NOTES: OLD}).changed == (NOTES,)
    index.update({NOTES: note("x")}, {NOTES: OLD})
    assert not index.stale({NOTES: OLD})
    for changed in (OLD._replace(size=11), OLD._replace(ctime_ns=2), OLD._replace(inode=8)):
        assert index.stale({NOTES: changed}).changed == (NOTES,)
    index.update({NOTES: note("x")}, {NOTES: OLD._replace(inode=8)})
    assert not index.stale({NOTES: OLD._replace(inode=8)})


def test_a_file_written_a_moment_ago_is_looked_at_again(index: SearchIndex, tmp_path: Path) -> None:
    path = tmp_path / "n.md"
    path.write_text(note("x"), encoding="utf-8")
    found = path.stat()
    stat = Stat(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
    index.update({"n.md": note("x")}, {"n.md": stat})
    assert index.stale({"n.md": stat}).changed == ("n.md",)


def test_nothing_is_embedded_twice_and_se_22_nothing_empty(tmp_path: Path) -> None:
    embedder = WordEmbedder()
    index = SearchIndex(tmp_path, embedder)
    index.update({NOTES: note("redis", "rabbit") + "\n-\n\n## Empty\n\n***\n"})
    assert all(text.strip() for text in embedder.asked)
    before = list(embedder.asked)
    index.update({NOTES: note("rabbit", "redis") + "\nmore\n", "memories/a/moved.md": note("redis")})
    assert embedder.asked[len(before) :] == ["Notes: more"]
    index.clear()
    index.update({NOTES: note("redis", "rabbit")})
    assert len(embedder.asked) == len(before) + 1


def test_se_18_a_model_with_other_dimensions_searches_by_words_until_vectors_are_made(tmp_path: Path) -> None:
    SearchIndex(tmp_path, WordEmbedder()).update({NOTES: note("redis streams")})
    wider = SearchIndex(tmp_path, WordEmbedder(dimensions=32))
    result = wider.search("redis streams")
    assert texts(result) == ["redis streams"]
    assert "being rebuilt" in result.degraded[0]
    wider.fill_vectors()
    assert wider.search("redis streams").degraded == ()


def test_se_25_another_version_is_rebuilt_and_never_mixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    SearchIndex(tmp_path, None).update(
        {NOTES: note("redis"), "other.md": "redis\n"}, {NOTES: OLD, "other.md": OLD}
    )
    monkeypatch.setattr("memfs.search.storage.CHUNKER_VERSION", 999)
    newer = SearchIndex(tmp_path, None)
    assert newer.search("redis").degraded == ("nothing is indexed yet",)
    assert newer.stale({NOTES: OLD, "other.md": OLD}).changed == (NOTES, "other.md")
    newer.update({NOTES: note("redis")}, {NOTES: OLD})
    assert texts(newer.search("redis")) == ["redis"]
    assert newer.stale({NOTES: OLD, "other.md": OLD}).changed == ("other.md",)


def test_another_root_is_another_index(tmp_path: Path) -> None:
    SearchIndex(tmp_path, None).update({"memfs/memories/a/notes.md": note("redis")})
    moved = SearchIndex(tmp_path, None, root="memfs")
    moved.update({"memfs/memories/a/notes.md": note("redis")})
    assert texts(moved.search("redis", Filters(identities=("a",)))) == ["redis"]


def test_whatever_is_damaged_is_rebuilt(tmp_path: Path) -> None:
    files = {f"memories/a/n{n}.md": note(f"redis {n}") for n in range(3)}
    stats = dict.fromkeys(files, OLD)
    fresh = SearchIndex(tmp_path / "fresh", WordEmbedder())
    fresh.update(files, stats)
    for path in sorted(path for path in (tmp_path / "fresh" / "v1").rglob("*") if path.is_file()):
        folder = tmp_path / path.name
        index = SearchIndex(folder, WordEmbedder())
        index.update(files, stats)
        for victim in folder.rglob(f"*{path.suffix or path.name}"):
            victim.write_bytes(b"\x00garbage")
        assert isinstance(index.search("redis"), SearchResult)
        while stale := index.stale(stats):
            index.update({name: files[name] for name in stale.changed}, stats)
        assert sorted(texts(index.search("redis"))) == ["redis 0", "redis 1", "redis 2"], path


def test_se_06_se_07_a_second_writer_waits_and_then_leaves_it_stale(tmp_path: Path) -> None:
    index = SearchIndex(tmp_path, None, patience=0.0)
    with hold_writer(tmp_path, 0.0) as held:
        assert held
        report = index.update({NOTES: note("redis")}, {NOTES: OLD})
        assert report.deferred == (NOTES,)
        assert index.stale({NOTES: OLD}).changed == (NOTES,)
    assert index.update({NOTES: note("redis")}, {NOTES: OLD}).indexed == (NOTES,)


def test_se_06_writers_of_several_processes_lose_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from memfs.search.index import SearchIndex\n"
        "index = SearchIndex(Path(sys.argv[1]), None, patience=60)\n"
        "for n in range(5):\n"
        "    name = f'{sys.argv[2]}-{n}'\n"
        "    index.update({f'memories/a/{name}.md': f'# N\\n\\n- redis {name}\\n'})"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), name]) for name in ("x", "y", "z")
    ]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert len(SearchIndex(tmp_path, None).search("redis", limit=50).hits) == 15


def test_se_08_a_lock_file_left_behind_locks_nothing(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from memfs.search.writing import hold_writer\n"
        "with hold_writer(Path(sys.argv[1]), 0) as held: os._exit(0 if held else 1)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False).returncode == 0
    assert (tmp_path / "writer.lock").exists()
    assert SearchIndex(tmp_path, None, patience=0.0).update({NOTES: note("redis")}).indexed == (NOTES,)


def test_readers_go_on_while_another_writes(tmp_path: Path) -> None:
    reader, writer = SearchIndex(tmp_path, None), SearchIndex(tmp_path, None)
    writer.update({NOTES: note("redis one")})
    assert texts(reader.search("redis")) == ["redis one"]
    writer.update({NOTES: note("redis two")})
    assert texts(reader.search("redis")) == ["redis two"]
    writer.clear()
    assert reader.search("redis").degraded
    writer.update({NOTES: note("redis three")})
    assert texts(reader.search("redis")) == ["redis three"]


PATHS = st.sampled_from(
    [NOTES, "memories/a/decisions.md", "memories/a/journal/2026-01-02.md", "memories/b/n.md", "z.md"]
)
LINES = st.lists(
    st.sampled_from(
        [
            "redis streams",
            "**Q**: redis (2026-03-01)",
            "~~**Q**: rabbit (2025-01-01)~~",
            "缓存用成语",
            "x ^m-abc",
            "rabbit",
        ]
    ),
    max_size=4,
)
QUESTIONS = ("redis", "rabbit streams", "成语 缓存", "m-abc", "decided in March")


class IncrementalEqualsRebuild(RuleBasedStateMachine):
    """Whatever happens to the files or the index: once brought up, it answers as one built from them at once."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="memfs-index-"))
        self.index = SearchIndex(self.folder / "one", WordEmbedder())
        self.state: dict[str, str] = {}
        self.stats: dict[str, Stat] = {}
        self.clock = 1_000

    @rule(path=PATHS, lines=LINES, prose=st.booleans())
    def write(self, path: str, lines: list[str], prose: bool) -> None:
        self.state[path] = note(*lines) + ("\nfree redis prose\n" if prose else "")
        self.clock += 1
        self.stats[path] = Stat(len(self.state[path]), self.clock, self.clock, 1)

    @rule(path=PATHS)
    def delete(self, path: str) -> None:
        self.state.pop(path, None)
        self.stats.pop(path, None)

    @rule(old=PATHS, new=PATHS)
    def rename(self, old: str, new: str) -> None:
        if old != new and old in self.state:
            self.state[new], self.stats[new] = self.state.pop(old), self.stats.pop(old)._replace(inode=2)

    @rule()
    def restart(self) -> None:
        self.index = SearchIndex(self.folder / "one", WordEmbedder())

    @rule()
    def lose_the_index(self) -> None:
        self.index.clear()

    @rule()
    def lose_the_vectors(self) -> None:
        shutil.rmtree(self.folder / "one" / "vectors", ignore_errors=True)

    @rule(dimensions=st.sampled_from([16, 24]))
    def change_the_model(self, dimensions: int) -> None:
        self.index = SearchIndex(self.folder / "one", self._model(dimensions))

    @rule(number=st.integers(0, 100))
    def damage(self, number: int) -> None:
        held = sorted(path for path in (self.folder / "one").rglob("*") if path.is_file())
        if held:
            held[number % len(held)].write_bytes(b"\x00garbage")
            self.index = SearchIndex(self.folder / "one", WordEmbedder())
            self.index.verify()

    @rule()
    def look(self) -> None:
        """Bring the index up as every command does, and compare."""
        while stale := self.index.stale(self.stats):
            files = {path: self.state.get(path) for path in (*stale.changed, *stale.gone)}
            self.index.update(files, self.stats)
        if self.index.vectors_missing():
            self.index.fill_vectors()
        embedder = self._model(getattr(self.index.embedder, "dimensions", 24))
        rebuilt = SearchIndex(Path(tempfile.mkdtemp(dir=self.folder)), embedder)
        rebuilt.rebuild(self.state)
        for question in QUESTIONS if self.state else ():
            today = date(2026, 11, 30)
            assert self.index.search(question, today=today) == rebuilt.search(question, today=today), question

    @staticmethod
    def _model(dimensions: int) -> WordEmbedder:
        return WordEmbedder(name="words" if dimensions == 24 else "other", dimensions=dimensions)

    def teardown(self) -> None:
        self.look()
        shutil.rmtree(self.folder, ignore_errors=True)


IncrementalEqualsRebuild.TestCase.settings = settings(max_examples=25, stateful_step_count=10, deadline=None)
TestIncrementalEqualsRebuild = IncrementalEqualsRebuild.TestCase


def test_who_meets_another_writer_is_told_how_far_it_is(tmp_path: Path) -> None:
    files = {f"memories/a/n{number}.md": note(f"redis {number}") for number in range(120)}
    index, other = SearchIndex(tmp_path, None), SearchIndex(tmp_path, None, patience=0.0)
    met: list[tuple[str, ...]] = []

    def meet(done: int, _count: int) -> None:
        if done == 60:
            met.append(other.update({NOTES: note("redis")}).degraded)

    index.update(files, tell=meet)
    assert met == [(INDEXING, "50 %")]
    with hold_writer(tmp_path, 0.0):
        assert other.update({NOTES: note("redis")}).degraded == (INDEXING,), "that was another time"
