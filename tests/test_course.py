"""The course: each model is right, its three mistakes are told as the sheet says, and its script runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import luff
from luff.blocks.errors import LuffError
from luff.solver.flat.flatten import flatten
from luff.tests.conftest import hours_as_plain_python

FOLDER = Path(luff.__file__).resolve().parent / "docs" / "course"
SHEETS = sorted(path.name for path in FOLDER.glob("[0-9]*.md"))


def part(text: str, pattern: str) -> list[str]:
    return re.findall(pattern, text, re.DOTALL | re.MULTILINE)


def model_of(text: str) -> tuple[str, str]:
    ((name, netlist),) = re.findall(r'^```yaml title="([^"]+)"\n(.*?)^```', text, re.DOTALL | re.MULTILINE)
    return name, netlist


def test_there_are_twelve_sheets_in_the_list() -> None:
    assert len(SHEETS) == 12
    index = (FOLDER / "index.md").read_text()
    assert all(f"]({name})" in index for name in SHEETS)


@pytest.mark.parametrize("sheet", SHEETS)
def test_three_mistakes_are_told_as_the_answers_say(sheet: str) -> None:
    text = (FOLDER / sheet).read_text()
    _, netlist = model_of(text)
    changes = re.findall(r"^- `(.*)` becomes `(.*)`$", text, re.MULTILINE)
    answers = part(text.split("words of the check:")[1], r"^- `(.*?)`$")
    assert len(changes) == len(answers) == 3
    for (right, wrong), answer in zip(changes, answers, strict=True):
        assert netlist.count(right) == 1, right
        with pytest.raises(LuffError) as caught:
            flatten(luff.loads(netlist.replace(right, wrong)))
        assert [str(problem).removeprefix("<text>:") for problem in caught.value.problems] == [answer]


@hours_as_plain_python
@pytest.mark.parametrize("sheet", SHEETS)
def test_the_script_of_a_sheet_runs(sheet: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (FOLDER / sheet).read_text()
    name, netlist = model_of(text)
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(netlist)
    (script,) = part(text, r"^```python\n(.*?)^```")
    exec(compile(script, sheet, "exec"), {})
