"""The course: each model is right, its three mistakes are told as the sheet says, and its script runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import luff
from luff.blocks.errors import LuffError
from luff.docs import course_notebooks, notebook_pages
from luff.solver.flatten.flatten import flatten
from luff.tests.conftest import hours_as_plain_python

FOLDER = course_notebooks.FOLDER
SHEETS = [path.name for path in course_notebooks.sheets()]


def test_there_are_twelve_sheets_in_the_list() -> None:
    assert len(SHEETS) == 12
    index = (FOLDER / "index.md").read_text()
    assert all(f"]({name})" in index for name in SHEETS)


@pytest.mark.parametrize("sheet", SHEETS)
def test_three_mistakes_are_told_as_the_answers_say(sheet: str) -> None:
    text = (FOLDER / sheet).read_text()
    _, netlist = course_notebooks.parts_of(text)
    changes = course_notebooks.mistakes_of(text)
    answers = answers_of(text)
    assert len(changes) == len(answers) == 3
    for (right, wrong), answer in zip(changes, answers, strict=True):
        assert netlist.count(right) == 1, right
        with pytest.raises(LuffError) as caught:
            flatten(luff.loads(netlist.replace(right, wrong)))
        assert [str(problem).removeprefix("<text>:") for problem in caught.value.problems] == [answer]


def answers_of(text: str) -> list[str]:
    return re.findall(r"^- `(.*?)`$", text.split("words of the check:")[1], re.MULTILINE)


@hours_as_plain_python
@pytest.mark.parametrize("sheet", SHEETS)
def test_the_notebook_of_a_sheet_runs(sheet: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path(sheet).with_suffix(".ipynb")
    path.write_text(course_notebooks.notebook(FOLDER / sheet))
    told = [output for output in notebook_pages.outputs(path) if output is not None]
    assert told[0].kind == "html"  # what has been run
    for answer in answers_of((FOLDER / sheet).read_text()):
        assert answer in told[1].printed
    assert len(told) == 3
