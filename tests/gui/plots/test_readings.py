"""Numbers that plots show, without a window: spectra of uneven rows, readings of a stretch, axes beside holes."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from luff.gui.plots.compared_runs import ComparedRuns
from luff.gui.plots.readings import Asked, Source, measures_of
from luff.gui.plots.second_axis import fit_values
from luff.gui.plots.spectrum import amplitudes
from luff.gui.run.run_history import History


def test_the_spectrum_of_uneven_rows_has_the_line_of_its_sine() -> None:
    """3 sin(2 pi 5 t), rows twice as far apart in the second half: interpolation takes 1 % of it at 50 rows a turn."""
    time = np.concatenate([np.arange(0.0, 2.0, 0.002), np.arange(2.0, 4.0, 0.004)])
    frequency, amplitude = amplitudes(time, 3.0 * np.sin(2.0 * math.pi * 5.0 * time))
    k = int(np.argmax(amplitude))
    assert frequency[k] == pytest.approx(5.0, abs=frequency[1])
    assert amplitude[k] == pytest.approx(3.0, rel=0.01)


def test_a_stretch_is_measured_without_the_rows_beside_it() -> None:
    """1 to 2 s of a history that is 5 outside: the rms of a ramp from 0 to 1 is 1/sqrt 3."""
    time = np.linspace(0.0, 3.0, 3001)
    values = np.where((time >= 1.0) & (time <= 2.0), time - 1.0, 5.0)
    history = History(["x"], {"x": "m"})
    history.append(time, values[:, None])
    (row,) = Asked(stretch=(1.0, 2.0)).rows([Source("x", history, "mm")])
    assert (row.unit, row.numbers) == ("mm", ["0", "1000", "500", "577.4"])
    assert measures_of(history, "x", 4.0, 5.0) == pytest.approx([math.nan] * 4, nan_ok=True)  # no rows


def test_an_axis_fits_the_numbers_beside_holes() -> None:
    ranges: list[tuple[float, float]] = []
    box = SimpleNamespace(
        viewRange=lambda: [[0.0, 1.0], [0.0, 1.0]],
        setYRange=lambda low, high, padding: ranges.append((low, high)),
    )
    holes = np.array([math.nan, 2.0, math.inf, -2.0])
    fit_values(box, [holes, np.array([math.nan])])  # type: ignore[arg-type]
    ((low, high),) = ranges
    assert -3.0 < low < -2.0 < 2.0 < high < 3.0


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([0.0, 0.0], (-1.0, 1.0)),
        ([-1e-13, 1e-13], (-1.0, 1.0)),  # noise about zero
        ([5.0, 5.0], (4.5, 5.5)),
        ([-2e9, -2e9 + 1e-3], (-2.2e9, -1.8e9)),  # its last digits
        ([1e-10, 3e-10], (1e-10, 3e-10)),  # small, and not constant
    ],
)
def test_a_constant_stands_in_the_middle_of_its_axis(values: list[float], shown: tuple[float, float]) -> None:
    ranges: list[tuple[float, float]] = []
    box = SimpleNamespace(
        viewRange=lambda: [[0.0, 1.0], [-1e12, 1e12]],
        setYRange=lambda low, high, padding: ranges.append((low, high)),
    )
    fit_values(box, [np.array(values)])  # type: ignore[arg-type]
    ((low, high),) = ranges
    room = shown[1] - shown[0]
    # with a margin of 8 % on both sides
    assert (low, high) == pytest.approx((shown[0] - 0.08 * room, shown[1] + 0.08 * room), rel=1e-9)


def test_a_number_that_neither_run_was_given_is_no_difference() -> None:
    runs, history = ComparedRuns(), History(["x"])
    history.append(np.arange(2.0), np.zeros((2, 1)))
    runs.begin(history, {"given": 1.0, "left out": math.nan, "new": math.nan})
    runs.begin(history, {"given": 2.0, "left out": math.nan, "new": 3.0})
    (first,) = runs.earlier
    told = runs.differences(first)
    assert [*told] == ["given", "new"]
    assert told["given"] == (1.0, 2.0)
    # the oldest of six goes, one that is pinned stays
    first.pinned = True
    for _ in range(6):
        runs.begin(history, {})
    assert [run.name for run in runs.earlier] == ["Run 1", "Run 3", "Run 4", "Run 5", "Run 6", "Run 7"]


def test_a_number_that_was_moved_and_is_alike_now_is_a_difference() -> None:
    """From 1 to 3 during the first run; the second one begins with 3."""
    runs, history = ComparedRuns(), History(["x"])
    history.append(np.arange(2.0), np.zeros((2, 1)))
    runs.begin(history, {"k": 1.0})
    runs.note_set("k", 3.0)
    runs.begin(history, {"k": 3.0})
    (first,) = runs.earlier
    assert (runs.differences(first), first.moved) == ({"k": (3.0, 3.0)}, {"k": (1.0, 1.0)})
