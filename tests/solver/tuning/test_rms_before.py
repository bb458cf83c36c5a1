"""Residuals of a fit beside those of the model as it is."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.tuning.tuning_report import change_words, figure_rows, table

from .cases import HIDDEN, TASK, position, write


def test_residuals_are_told_beside_those_of_the_model_as_it_is(tmp_path: Path) -> None:
    task = TASK + "    - {file: heavy.csv, signals: {rail.position: place}, set: {body.mass: 5 kg}}\n"
    path = write(tmp_path, seed=7, task=task)
    t = np.linspace(0.0, 3.0, 100)
    rows = np.column_stack([t, position(t, *HIDDEN.values(), m=5.0)])
    np.savetxt(tmp_path / "heavy.csv", rows, delimiter=",", header="time,place", comments="")
    found = luff.fit(path)
    for experiment, m in zip(found.experiments, (2.0, 5.0), strict=True):
        data = experiment.measured
        off = position(data.time, 90.0, 1.5, m) - data.values[0]
        # of rows that are 20 ms apart and straight between: w^2 h^2 / 8 = 0.3 % of a curve, as the residuals have it
        assert experiment.rms_before()["rail.position"] == pytest.approx(np.sqrt(np.mean(off**2)), rel=0.02)
    (name, value, told), *_ = figure_rows(found)
    assert name == "experiment 1, rms of rail.position"
    assert re.fullmatch(r"0\.00\d+ m", value), value
    before, after = found.experiments[0].rms_before(), found.experiments[0].rms()
    change = 100.0 * (after["rail.position"] / before["rail.position"] - 1.0)
    assert told.startswith("before 0.0")
    assert told.endswith(f" m ({change:+.3g} %)")
    assert found.as_dict()["rms_before"] == [each.rms_before() for each in found.experiments]
    # a start is none of the model's values, and a number that the model has not is not known
    assert "before" in "".join(table(found))


def test_residuals_before_are_not_known_where_the_model_has_no_number(tmp_path: Path) -> None:
    path = write(tmp_path, seed=1)
    model = tmp_path / "oscillator.yaml"
    model.write_text(
        model.read_text().replace("damping: 1.5 N*s/m", "damping: 1.5 N*s/m, limits: {upper: 1 m}")
    )
    path.write_text(
        path.read_text()
        .replace("rail.damping:", "rail.limits.lower:")
        .replace("0.1, upper: 10", "-9 m, upper: -1 m")
        .replace(", scale: log, start: 2", "")
    )
    (experiment,) = luff.fit(path).experiments
    assert experiment.rms_before() == {}


def test_changes_have_three_digits_and_no_exponent() -> None:
    assert [change_words(5.0, after) for after in (100.0, 4.0, 5.0006, 5.0)] == [
        "+1900 %",
        "-20 %",
        "+0.012 %",
        "+0 %",
    ]
    assert change_words(-2.0, -1.0) == "+50 %"
    assert change_words(0.0, 1.0) == ""
