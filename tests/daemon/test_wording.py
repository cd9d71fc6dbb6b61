"""Every line there is in both languages, with the same things filled in."""

from __future__ import annotations

import re
from string import Formatter

import pytest

from memfs.daemon import wording
from memfs.daemon.wording import notice, say


@pytest.mark.parametrize("word", sorted(wording._LINES))
def test_both_languages_fill_in_the_same(word: str) -> None:
    english, chinese = wording._LINES[word]
    names = [{name for _, name, _, _ in Formatter().parse(line) if name} for line in (english, chinese)]
    assert names[0] == names[1]
    assert "\n" not in english + chinese
    values = {name: 7 for name in names[0]}
    assert "7" in say("zh", notice(word, **values)) or not values
    if english != chinese:
        assert re.search("[一-鿿]", chinese)


def test_in_the_vaults_language() -> None:
    said = notice("indexed", count=3)
    assert say("en", said) == "index updated: 3 documents"
    assert say("en", notice("indexed", count=1)) == "index updated: 1 document"
    assert say("zh", said) == "索引已更新：3 篇文档"
