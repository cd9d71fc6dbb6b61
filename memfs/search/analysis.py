"""Text to search terms: the one function used when indexing, when asking, and when marking a snippet.

Latin words are folded and stemmed as English words, and as words of the language that a text is clearly in;
identifiers (``foo_bar``, ``utils.py``, ``--flag``, ``C++``) give themselves and their parts; Chinese, Japanese and
Korean runs give single characters and pairs; emoji are terms of their own. A term never holds white space, so the
terms of a text can be joined by blanks and split again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memfs.search.languages import other_language
from memfs.search.stopwords import CJK_STOP_WORDS, STOP_CHARACTERS, STOP_WORDS

_CJK = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_EMOJI = "\u2190-\u21ff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_WORD = rf"(?:(?![{_CJK}])[\w\u0300-\u036f])+"
_JOINERS = r"[-./\\:@+#'’&=~%]"
_WRITTEN = (
    rf"(?:(?<!\w)(?:--?|~?/|[.@#$%]))?{_WORD}(?:(?:,(?=\d{{3}})|{_JOINERS}{{1,2}}){_WORD})*(?:\+\+|\#(?!\w))?"
)
_TOKEN = re.compile(rf"(?P<cjk>[{_CJK}]+)|(?P<emoji>[{_EMOJI}])|(?P<word>{_WRITTEN})")
_CJK_CHARACTER = re.compile(f"[{_CJK}]")
_OTHER_LETTER = re.compile(rf"(?![{_CJK}])[^\W\d_]")
_MAJOR = re.compile(r"[/\\:@=&%~]+")
_MINOR = re.compile(r"[-.+#_'’]+")
_CAMEL = re.compile(r"(?<=[a-z]{2})(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_ISO_DATE = re.compile(r"(\d{4})-(\d{2})-\d{2}(?!\d)")
_STOPPED = STOP_WORDS | STOP_CHARACTERS
_MAX_TERM = 120
_MOST_KNOWN, _LONGEST_KNOWN = 50_000, 40
SINGLE = 0.35  # what a single character counts beside the pairs that hold it
PART = 0.6  # what a part of an identifier counts beside the whole
FOREIGN = 0.3  # from this share of CJK on, an English model does not serve a text


@dataclass(frozen=True, slots=True)
class Term:
    """A search term, where it stands (characters, end exclusive), and its ``weight`` in a question."""

    text: str
    start: int
    end: int
    weight: float = 1.0


def analyse(text: str) -> Iterator[Term]:
    """Yield the terms of ``text`` in order of their start; any text will do."""
    language = other_language(text)
    for match in _TOKEN.finditer(text):
        yield from _of_match(match, language)


def _of_match(match: re.Match[str], language: str | None) -> Iterator[Term]:
    if match.lastgroup == "cjk":
        yield from _pairs(match.group(), match.start())
    elif match.lastgroup == "emoji":
        yield Term(match.group(), match.start(), match.end())
    else:
        for form, weight in _word_forms(match.group(), language):
            yield Term(form, match.start(), match.end(), weight)


@lru_cache(maxsize=256)
def terms_of(text: str) -> str:
    """Return the terms of ``text`` joined by blanks, as the index stores them.

    No term crosses white space, so what stands between blanks is analysed once and known from then on.
    """
    known = _known_pieces(other_language(text))
    return " ".join(filter(None, map(known.__getitem__, text.split())))


class _Pieces(dict[str, str]):
    """The terms of what stands between two blanks in texts of one language, for those that were seen."""

    def __init__(self, language: str | None) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, piece: str) -> str:
        terms = _terms_of_piece(piece, self._language)
        if len(piece) <= _LONGEST_KNOWN:
            if len(self) >= _MOST_KNOWN:
                self.clear()
            self[piece] = terms
        return terms


_known_pieces = lru_cache(maxsize=16)(_Pieces)


def _terms_of_piece(piece: str, language: str | None) -> str:
    if piece.isascii() and piece.isalpha():  # one word, as most
        return " ".join(form for form, _ in _word_forms(piece, language))
    terms: list[str] = []
    for match in _TOKEN.finditer(piece):
        if match.lastgroup == "cjk":
            terms += _cjk_forms(match.group())
        elif match.lastgroup == "emoji":
            terms.append(match.group())
        else:
            terms += [form for form, _ in _word_forms(match.group(), language)]
    return " ".join(terms)


def query_terms(query: str, limit: int = 64) -> dict[str, float]:
    """Return the terms to look for and how much each counts; nothing when there are only stop words.

    A capitalised word inside the question is a name, also where it looks like a stop word ("who is Will").
    """
    chosen: dict[str, float] = {}
    masked = _mask_stop_words(query)
    first = len(masked) - len(masked.lstrip())
    for term in analyse(masked):
        written = masked[term.start : term.end]
        named = term.start > first and _is_name(written, query)
        if not named and (written.lower() in STOP_WORDS or term.text in _STOPPED):
            continue
        chosen[term.text] = max(chosen.get(term.text, 0.0), term.weight)
        if len(chosen) >= limit:
            break
    return chosen


def encodable(text: str) -> str:
    """Return ``text`` with what UTF-8 cannot hold replaced: lone surrogates of odd names and shells."""
    return text.encode("utf-8", "replace").decode("utf-8")


def has_content(text: str) -> bool:
    """Say whether anything in ``text`` can be looked for."""
    return next(analyse(text), None) is not None


def count_cjk(text: str) -> int:
    """Return how many Chinese, Japanese and Korean characters ``text`` has."""
    return len(_CJK_CHARACTER.findall(text))


def cjk_share(text: str) -> float:
    """Return the share of CJK in what ``text`` says, 0 to 1; three Latin letters weigh as one character."""
    cjk = count_cjk(text)
    other = len(_OTHER_LETTER.findall(text))
    return cjk / (cjk + other / 3) if cjk else 0.0


def _is_name(word: str, query: str) -> bool:
    if word.isupper():
        return len(word) > 1 and word not in {"AND", "OR", "NOT", "IN", "TO"} and not query.isupper()
    return word[:1].isupper()


def _pairs(run: str, offset: int) -> Iterator[Term]:
    single = 1.0 if len(run) == 1 else SINGLE
    for at, form in enumerate(_cjk_forms(run)):
        start, length = offset + at // 2, len(form)
        yield Term(form, start, start + length, single if length == 1 else 1.0)


def _cjk_forms(run: str) -> list[str]:
    """Return every character of a run and, after it, the pair that it begins."""
    usual = unicodedata.normalize("NFKC", run)
    run = usual if len(usual) == len(run) else run
    forms = [run[at : at + length] for at in range(len(run)) for length in (1, 2)]
    return forms[:-1]  # the last character begins no pair


@lru_cache(maxsize=50_000)
def _word_forms(word: str, language: str | None = None) -> tuple[tuple[str, float], ...]:
    """Return a word's terms: the whole, then parts of identifiers; each once."""
    if language is None and word.isascii() and word.isalpha() and word.islower():
        return ((_stem(word), 1.0),)  # most words: they have no parts
    if date := _ISO_DATE.match(word):
        return (word.lower(), 1.0), (f"{date[1]}-{date[2]}", PART), (date[1], PART)
    if _NUMBER.fullmatch(word):
        return ((word.replace(",", ""), 1.0),)
    word = re.sub(r"['’]s$", "", word)
    pieces = [piece for chunk in _MAJOR.split(word) for piece in _MINOR.split(chunk) if piece]
    pieces = [part for piece in pieces for part in _CAMEL.split(piece)]
    if pieces == [word]:
        stems = dict.fromkeys((_stem(word), _stem_in(language, word) if language else _stem(word)))
        return tuple((stem, 1.0 / len(stems)) for stem in stems)
    if re.fullmatch(r"\w+['’]\w+", word):
        return ((_fold(re.sub(r"['’]", "", word)), 1.0),)
    wholes = [word, *(chunk for chunk in _MAJOR.split(word) if _MINOR.search(chunk) and chunk != word)]
    forms = dict.fromkeys((_fold(whole)[:_MAX_TERM] for whole in wholes), 1.0)
    for piece in pieces:
        if len(piece) > 1 or piece.isdigit():
            forms.setdefault(_stem(piece), PART)
    return tuple(forms.items())


def _fold(word: str) -> str:
    if word.isascii():
        return word.lower()
    plain = unicodedata.normalize("NFKD", word.replace("’", "'")).casefold()
    folded = "".join(char for char in plain if not unicodedata.combining(char) and not char.isspace())
    return folded or word.strip() or "\ufffd"


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    """Fold and stem one plain word. Short words and acronyms stay whole: ``GBs`` is not ``GB``."""
    folded = _fold(word)[:_MAX_TERM]
    if len(folded) <= 3 or not folded.isascii() or not folded.isalpha() or word[1:].upper() == word[1:]:
        return folded
    stemmed: list[str] = _stemmer().analyze(folded)
    return stemmed[0] if stemmed else folded


def _stem_in(language: str, word: str) -> str:
    """Stem a word as one of ``language``, then fold it, so that accents do not matter."""
    lower = unicodedata.normalize("NFC", word).lower()[:_MAX_TERM]
    if len(lower) <= 3 or not lower.isalpha():
        return _fold(lower)
    stemmed: list[str] = _stemmer(language).analyze(lower)
    return _fold(stemmed[0] if stemmed else lower)


@lru_cache(maxsize=16)
def _stemmer(language: str = "english"):  # type: ignore[no-untyped-def]
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    return TextAnalyzerBuilder(Tokenizer.raw()).filter(Filter.stemmer(language)).build()


def _mask_stop_words(query: str) -> str:
    """Blank out the stop words of CJK text, so that no pair crosses them."""
    return CJK_STOP_WORDS.sub(lambda match: " " * len(match.group()), query)
