"""Which language a text in Latin letters is in, told by its small words, so that its words can be stemmed. Pure."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

_SMALL = {
    "english": "the and of to is in that for with are was not this but have from they which what when who how",
    "german": "der die das und ist nicht ein eine mit für auf den von zu wird sind wir ich auch im dem wann wo wer",
    "french": "le la les des est et une dans que pour pas qui sur avec au du nous vous sont ce quand où",
    "spanish": "el los las del que una por para con está es se como más pero cuándo dónde quién y su al",
    "italian": "il gli che di una per non con sono della è nel dei come più quando dove chi e lo ha",
    "portuguese": "o os as que não uma para com do da em por é no na mais quando onde quem dos são",
    "dutch": "de het een van en niet dat voor met zijn op te wordt wij ook aan wanneer waar wie er",
    "swedish": "och att det som en på är av för med inte den till har jag var när vem hur",
    "russian": "и в не на что с по это как для мы он она они когда где кто из у но",
}
_WORD = re.compile(r"\w+")
_LEAST = 2  # small words that a language must show


def _by_word() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for language, words in _SMALL.items():
        for word in words.split():
            found[word] = (*found.get(word, ()), language)
    return found


_LANGUAGES = _by_word()


@lru_cache(maxsize=4096)
def other_language(text: str) -> str | None:
    """Return the language of ``text`` where it is clearly not English; None for English and for what is unsure."""
    words = _WORD.findall(text[:2000].lower())
    if _LANGUAGES.keys().isdisjoint(words):
        return None
    seen = Counter(language for word in words for language in _LANGUAGES.get(word, ()))
    language, count = seen.most_common(1)[0]
    return language if language != "english" and count >= _LEAST and count > seen["english"] else None
