"""Which languages the users of a segment write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from memfs.extraction.phrasebook import LANGUAGES, Phrasebook, function_words, phrasebook
from memfs.model import Turn


def choose_languages(turns: Sequence[Turn]) -> tuple[Phrasebook, ...]:
    """The languages the users write, most used first, told by script and common words.

    Counting common words over a segment is surer than a language detector on chat of a few words a line.
    """
    text = " ".join(turn.text[:2000] for turn in turns if turn.role != "assistant")
    kana = sum("\u3040" <= char <= "\u30ff" for char in text)
    han = sum("\u3400" <= char <= "\u9fff" for char in text)
    counts = Counter(word.strip(",.!?;:()¿¡") for word in text.lower().replace("’", "'").split())
    scores = {language: sum(counts[word] for word in function_words(language)) for language in LANGUAGES}
    if kana > 3 and kana * 8 > han:
        return (phrasebook("ja"),)
    if han:
        english = sum(char.isascii() and char.isalpha() for char in text)
        return (phrasebook("zh"), phrasebook("en")) if english > han * 6 else (phrasebook("zh"),)
    best = max(scores, key=lambda language: (scores[language], language == "en"))
    return (phrasebook(best),)
