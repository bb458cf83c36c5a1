"""Measures of histories that no run has made, by hand: two bounds, vectors, ratios; and what a fit does not explain."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from luff.blocks.errors import LuffError
from luff.blocks.expression_scope import Scope
from luff.blocks.params import convert_all
from luff.solver.results.result import Result
from luff.solver.studies.run_measures import beyond, measure_value
from luff.solver.studies.study_settings import Requirement
from luff.solver.tuning.goodness_of_fit import Experiment, fit_doubts
from luff.solver.tuning.measured_signals import MeasuredExperiment, given_columns, read_experiment
from luff.solver.tuning.tuning_settings import Data


def required(**values: object) -> Requirement:
    return Requirement(convert_all(Requirement.params, values, Scope(), "", "require"), frozenset(values))


@pytest.mark.parametrize(
    ("value", "excess"), [(5.0, 2.0), (3.0, 0.0), (2.0, -1.0), (1.0, 0.0), (0.5, 0.5), (math.nan, math.nan)]
)
def test_between_two_bounds_the_nearer_one_counts(value: float, excess: float) -> None:
    entry = required(metric="maximum", of="x", below=3, above=1)
    assert beyond(value, entry, "") == pytest.approx(excess, nan_ok=True)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_vector_is_worn_by_its_worst_element(order: tuple[int, int]) -> None:
    """Ten cycles of 2 and of 4 about zero, Woehler's line of slope 3 with 1000 cycles at 2: 10 (4/2)^3 / 1000."""
    wave = np.tile([-1.0, 1.0], 11)[:21]
    table = np.column_stack([wave, 2.0 * wave])[:, order]
    result = Result(np.arange(21.0), ["x[0]", "x[1]"], table)
    line = {"strength": 2, "reference": 1e3, "slope": 3}
    worn = required(metric="damage", of="x", fatigue=line, below=1, repeats=5)
    assert measure_value(result, worn) == pytest.approx(5.0 * 10.0 * 8.0 / 1e3)


def test_a_ratio_to_zero_is_no_number_but_an_error() -> None:
    result = Result(np.arange(3.0), ["x"], np.array([[0.0], [1.0], [2.0]]))
    with pytest.raises(LuffError, match="a ratio to zero: the initial of x"):
        measure_value(result, required(metric="ratio", of="x", by="maximum", below=9))


@pytest.mark.parametrize(
    ("off", "explained"), [(0.99, True), (1.01, False), (2.0, False), (math.nan, False), (0.0, True)]
)
def test_a_fit_explains_what_its_residuals_are_smaller_than(off: float, explained: bool) -> None:
    """Data of deviation 1 about their mean, residuals of an rms of `off`: R^2 = 1 - off^2."""
    data = np.tile([4.0, 6.0], 5)[None, :]
    measured = MeasuredExperiment(np.arange(10.0), ["x"], data, np.array([np.nan]), np.array([1.0]))
    said = fit_doubts([], [Experiment(measured, data + off)], {"x": "m"})
    assert (said == []) is explained
    assert all("does not explain x of experiment 1" in one for one in said)


def test_rows_in_which_a_signal_was_not_measured_are_left_out() -> None:
    raw = {"file": "none", "signals": {"x": {"column": "x"}}, "start": 1}
    data = Data(convert_all(Data.params, raw, Scope(), "", "data"), frozenset(raw))
    table = given_columns(
        {"time": np.arange(6.0), "x": np.array([0.0, 1.0, math.nan, 3.0, 4.0, math.inf])}, "data"
    )
    found = read_experiment(data, Path(), "data", table, (), {"x": ""})
    assert found.time.tolist() == [1.0, 3.0, 4.0]
    assert found.values.tolist() == [[1.0, 3.0, 4.0]]
