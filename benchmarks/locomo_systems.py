"""The systems that `locomo` compares: memfs, its parts alone, and peers, all given the same turns."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from locomo import Conversation, Said, System

from memfs.config.settings import EmbeddingsConfig
from memfs.search.embeddings import Embedder, load_embedder
from memfs.search.index import SearchIndex
from memfs.search.lexicon import Filters


def choose_systems(names: Sequence[str], engine: str, folder: Path) -> list[System]:
    """Return the systems of these names, in their order."""
    engine = engine or EmbeddingsConfig().engine
    embedder = load_embedder(engine, state=folder)
    makers: dict[str, Any] = {
        "memfs": lambda: Memfs(folder / "memfs", embedder, f"memfs ({engine})"),
        "words": lambda: Memfs(folder / "words", None, "memfs (words only)"),
        "tantivy": lambda: Tantivy(folder / "tantivy"),
        "dense": lambda: Dense(embedder, f"dense alone ({engine})"),
        "bm25s": Bm25s,
        "chromadb": Chroma,
    }
    return [makers[name]() for name in names]


def as_line(turn: Said) -> str:
    """Return a turn as the systems without fields get it."""
    return f"[{turn.at:%d %B %Y}] {turn.speaker}: {turn.text}"


class Memfs:
    """The index of memfs as it ships: a journal for each conversation."""

    def __init__(self, folder: Path, embedder: Embedder | None, name: str) -> None:
        self.name = name
        self.searcher = SearchIndex(folder, embedder)

    def index(self, conversations: Sequence[Conversation]) -> None:
        files: dict[str, str] = {}
        for conversation in conversations:
            files |= as_journal(conversation)
        self.searcher.rebuild(files)

    def ask(self, conversation: Conversation, question: str, limit: int) -> Sequence[str]:
        last = conversation.turns[-1].at.date()
        filters = Filters(identities=(conversation.name,))
        hits = self.searcher.search(
            question, filters, limit, today=date(last.year, last.month, last.day)
        ).hits
        return [(hit.view.id or "").replace("-", ":") for hit in hits]


def as_journal(conversation: Conversation) -> dict[str, str]:
    """Return a conversation as journal files: a day each, a heading per session, an item per turn."""
    days: dict[str, list[str]] = defaultdict(list)
    session = 0
    for turn in conversation.turns:
        lines = days[turn.at.date().isoformat()]
        if turn.session != session:
            session = turn.session
            lines += ["", f"## {turn.at:%H:%M}", ""]
        lines.append(f"- {turn.speaker}: {' '.join(turn.text.split())} ^{turn.id.replace(':', '-')}")
    return {
        f"memories/{conversation.name}/journal/{day}.md": f"# {day}\n" + "\n".join(lines) + "\n"
        for day, lines in days.items()
    }


class Tantivy:
    """Plain Tantivy: its default tokenizer, one text field, any of the words."""

    name = "plain Tantivy"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def index(self, conversations: Sequence[Conversation]) -> None:
        from tantivy import Document, Index, SchemaBuilder

        builder = SchemaBuilder()
        builder.add_text_field("text", tokenizer_name="default")
        builder.add_text_field("of", tokenizer_name="raw")
        builder.add_text_field("id", tokenizer_name="raw", stored=True)
        self._folder.mkdir(parents=True)
        self._index = Index(builder.build(), path=str(self._folder))
        writer = self._index.writer(50_000_000, 1)
        for conversation in conversations:
            for turn in conversation.turns:
                writer.add_document(Document(text=as_line(turn), of=conversation.name, id=turn.id))
        writer.commit()
        self._index.reload()

    def ask(self, conversation: Conversation, question: str, limit: int) -> Sequence[str]:
        from tantivy import Occur, Query

        schema = self._index.schema
        words = re.findall(r"\w+", question.lower())
        asked = Query.boolean_query(
            [(Occur.Should, Query.term_query(schema, "text", word)) for word in dict.fromkeys(words)]
        )
        of = Query.const_score_query(Query.term_query(schema, "of", conversation.name), 0.0)
        searcher = self._index.searcher()
        found = searcher.search(Query.boolean_query([(Occur.Must, asked), (Occur.Must, of)]), limit)
        return [searcher.doc(address).get_first("id") for _, address in found.hits]


class Dense:
    """Only vectors: the nearest turns of the conversation."""

    def __init__(self, embedder: Embedder | None, name: str) -> None:
        if embedder is None:
            raise SystemExit("dense needs an engine")
        self.name = name
        self._embedder = embedder

    def index(self, conversations: Sequence[Conversation]) -> None:
        self._rows = {
            conversation.name: self._embedder.embed([as_line(turn) for turn in conversation.turns])
            for conversation in conversations
        }

    def ask(self, conversation: Conversation, question: str, limit: int) -> Sequence[str]:
        near = self._rows[conversation.name] @ self._embedder.embed([question])[0]
        return [conversation.turns[row].id for row in (-near).argsort()[:limit]]


class Bm25s:
    """bm25s with stop words and the English stemmer, an index for each conversation."""

    name = "bm25s"

    def index(self, conversations: Sequence[Conversation]) -> None:
        import bm25s
        import Stemmer

        self._bm25s, self._stemmer = bm25s, Stemmer.Stemmer("english")
        self._indexes = {}
        for conversation in conversations:
            index = bm25s.BM25()
            index.index(self._tokens([as_line(turn) for turn in conversation.turns]), show_progress=False)
            self._indexes[conversation.name] = index

    def ask(self, conversation: Conversation, question: str, limit: int) -> Sequence[str]:
        index = self._indexes[conversation.name]
        rows, _ = index.retrieve(self._tokens([question]), k=limit, show_progress=False)
        return [conversation.turns[row].id for row in rows[0]]

    def _tokens(self, texts: list[str]) -> Any:
        return self._bm25s.tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)


class Chroma:
    """chromadb with vectors of all-MiniLM-L6-v2 (its own default model, here from memfs's engine)."""

    name = "chromadb"

    def index(self, conversations: Sequence[Conversation]) -> None:
        import chromadb

        embedder = load_embedder("minilm")
        assert embedder is not None
        self._embedder = embedder
        self._turns = chromadb.EphemeralClient().create_collection(
            "turns", configuration={"hnsw": {"space": "cosine"}}
        )
        for conversation in conversations:
            lines = [as_line(turn) for turn in conversation.turns]
            self._turns.add(
                ids=[f"{conversation.name} {turn.id}" for turn in conversation.turns],
                documents=lines,
                embeddings=embedder.embed(lines),
                metadatas=[{"of": conversation.name}] * len(lines),
            )

    def ask(self, conversation: Conversation, question: str, limit: int) -> Sequence[str]:
        found = self._turns.query(
            query_embeddings=self._embedder.embed([question]),
            n_results=limit,
            where={"of": conversation.name},
        )
        return [key.partition(" ")[2] for key in found["ids"][0]]
