from __future__ import annotations

import pytest

from memfs.errors import ConfigError
from memfs.vault.globs import compile_globs


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("**/*.md", "a.md", True),
        ("**/*.md", "x/y/a.md", True),
        ("**/*.md", "x/a.txt", False),
        ("*.md", "x/a.md", False),
        ("notes/**", "notes/x/a.md", True),
        ("notes/**", "notebook/a.md", False),
        ("notes/*/a.md", "notes/x/a.md", True),
        ("notes/*/a.md", "notes/x/y/a.md", False),
        ("./notes/?.md", "notes/a.md", True),
        ("/notes/[ab].md", "notes/b.md", True),
        ("[!ab].md", "c.md", True),
        ("[!ab].md", "a.md", False),
        ("a[!b]c", "a/c", False),
        ("[]x].md", "].md", True),
        ("*.{md,markdown}", "a.markdown", True),
        ("*.{md,markdown}", "a.mdx", False),
        ("a+(b).md", "a+(b).md", True),
        ("A.md", "a.md", False),
        ("caf\u00e9.md", "cafe\u0301.md", True),
        ("[.md", "[.md", True),
    ],
)
def test_globs(glob: str, path: str, expected: bool) -> None:
    assert compile_globs([glob])(path) is expected


def test_any_of_several_and_none_of_none() -> None:
    matches = compile_globs(["a/*", "b/*"])
    assert [matches(path) for path in ("a/x", "b/x", "c/x")] == [True, True, False]
    assert not compile_globs([])("a")


def test_a_range_the_wrong_way_round_is_an_error() -> None:
    with pytest.raises(ConfigError):
        compile_globs(["[z-a]"])
