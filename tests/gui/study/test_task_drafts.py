"""Files of plans, fits and optimisations that forms edit: other lines and entries stay as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from luff import LuffError
from luff.gui.study.plan_draft import PlanDraft
from luff.gui.study.tuning_draft import FitDraft, OptimiseDraft, widened
from luff.tests.solver.tuning.cases import TASK

OPTIMISE = """luff: 1
model: ./move.yaml
optimise:
  parameters: {shaper.damping: {lower: 0, upper: 0.2}}  # dimensionless
  minimise: {metric: range, of: rope.position, start: 2.4 s, unit: deg}
  require: [{metric: peak, of: rope.position, below: 20 deg}]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "task.yaml"
    path.write_text(text)
    return path


def test_an_edited_row_keeps_what_no_column_shows(tmp_path: Path) -> None:
    draft = FitDraft.open(written(tmp_path, TASK))
    rows = draft.parameters()
    assert rows == [["k", "40 N/m", "200 N/m", "90"], ["rail.damping", "0.1", "10", "2"]]
    draft.set_parameters([rows[0], ["rail.damping", "0.2", "10", "2"]])
    assert draft.text() == TASK.replace("lower: 0.1,", "lower: 0.2,")  # scale: log stays
    draft.set_data("other.csv", draft.signals())
    assert draft.text().count("deviation: 2 mm") == 1
    assert draft.modified


def test_an_objective_keeps_its_window(tmp_path: Path) -> None:
    draft = OptimiseDraft.open(written(tmp_path, OPTIMISE))
    assert draft.goal() == ("minimise", "range", "rope.position")
    assert draft.others() == ["require"]
    assert not draft.modified
    draft.set_goal("minimise", "peak", "rope.position")
    assert draft.text() == OPTIMISE.replace("metric: range", "metric: peak")
    draft.set_goal("maximise", "peak", "rope.position")
    assert draft.task["maximise"] == {
        "metric": "peak",
        "of": "rope.position",
        "start": "2.4 s",
        "unit": "deg",
    }
    assert "minimise" not in draft.task


@pytest.mark.parametrize("kind", [FitDraft, PlanDraft])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, kind: type) -> None:
    with pytest.raises(LuffError, match=f"expected a file with `model:` and `{kind.section}:`"):
        kind.open(written(tmp_path, OPTIMISE))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("0.4kN/m", ["0.2 kN/m", "0.8 kN/m", "0.4kN/m"]), ("-2", ["-4", "-1", "-2"]), ("=k", ["", "", ""])],
)
def test_a_parameter_is_taken_in_between_half_and_twice_its_value(text: str, wanted: list[str]) -> None:
    assert widened(text, 0.5, 2.0) == wanted
