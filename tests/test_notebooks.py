"""The notebooks run from top to bottom, and what their cells end with can be shown."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

import luff
from luff.tests.conftest import hours_as_plain_python

FOLDER = Path(luff.__file__).resolve().parent / "docs" / "notebooks"


def shown(value: Any) -> str:
    """What a notebook would make of a value."""
    for name in ("_repr_svg_", "_repr_html_"):
        text = getattr(value, name)() if hasattr(value, name) else None
        if text is not None:
            return text
    return repr(value)


def run(code: str, name: str, space: dict[str, Any]) -> str:
    """Run a cell; what its last expression shows."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), space)
    if last is None:
        return ""
    value = eval(compile(ast.Expression(last.value), name, "eval"), space)
    return shown(value) if value is not None else ""


@hours_as_plain_python
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cells = json.loads(path.read_text())["cells"]
    space: dict[str, Any] = {}
    told = []
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []  # they are made where they are looked at
            told.append(run("".join(cell["source"]), f"{path.name}, {cell['id']}", space))
    assert any(told)
    # no object that has nothing to say but its address
    assert not [text for text in told if " object at 0x" in text]
