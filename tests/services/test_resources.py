"""Templates and the sample vault are found in a checkout (`test_wheel.py`: in a wheel)."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.errors import MemfsError
from memfs.services.resources import find_resource, read_builtin_templates, read_vault_templates
from memfs.vault.layout import Layout

PROJECT = Path(__file__).parents[2]


@pytest.mark.parametrize("kind", ["types", "prompts"])
def test_every_template_of_the_checkout_is_found_by_name(kind: str) -> None:
    files = (PROJECT / "templates" / kind).glob("*.md")
    assert list(read_builtin_templates(kind)) == sorted(path.stem for path in files)


def test_the_sample_vault_is_found() -> None:
    assert find_resource("sample_vault") == PROJECT / "sample_vault"
    with pytest.raises(MemfsError, match="lacks its nothing"):
        find_resource("nothing")


def test_a_vaults_own_templates(tmp_path: Path) -> None:
    layout = Layout(top=tmp_path, root="", git_dir=tmp_path / ".git")
    assert read_vault_templates(layout, "types") == {}
    folder = layout.templates / "types"
    folder.mkdir(parents=True)
    (folder / "recipes.md").write_text("---\nname: recipes\n---\n", encoding="utf-8")
    (folder / "notes.txt").write_text("no template", encoding="utf-8")
    (folder / "bad.md").write_bytes("记".encode("gb18030"))
    assert read_vault_templates(layout, "types") == {"bad": "", "recipes": "---\nname: recipes\n---\n"}
