"""The notebooks run from top to bottom, and what their cells end with can be shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import luff
from luff.docs import notebook_pages
from luff.tests.conftest import hours_as_plain_python

FOLDER = Path(luff.__file__).resolve().parent / "docs" / "notebooks"


@hours_as_plain_python
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cells = json.loads(path.read_text())["cells"]
    assert all(cell["outputs"] == [] for cell in cells if cell["cell_type"] == "code"), (
        "made when they are shown"
    )
    told = [output for output in notebook_pages.outputs(path) if output is not None]
    assert any(output.kind for output in told)
    # no object that has nothing to say but its address
    assert not [output.shown for output in told if " object at 0x" in output.shown]
