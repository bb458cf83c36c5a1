"""Tables of several inputs: against SciPy's, at their edges, and what is told of mistakes."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import RegularGridInterpolator
from scipy.sparse.linalg import spsolve

import luff
from luff.blocks import registered
from luff.blocks.signals.grid_interpolation import MOST, grid_problems, size_problems
from luff.tests.blocks.bench import Bench, make

GRIDS = [
    [[-1.0, 0.5, 1.0, 2.5, 4.0], [0.0, 0.3, 0.9, 2.0]],
    [[0.0, 1.0, 1.5, 4.0], [-2.0, -1.0, 0.5, 3.0, 3.2], [10.0, 20.0, 25.0, 30.0]],
]


def values_over(grids: list[list[float]]) -> np.ndarray:
    return np.random.default_rng(5).normal(size=[len(grid) for grid in grids])


def bench(grids: list[list[float]], values: np.ndarray, jit: bool = False, **raw: Any) -> Bench:
    rows = values.reshape(-1, values.shape[-1]).tolist()
    return Bench(make(registered()["table"], over="inputs", grids=grids, data=rows, **raw), jit=jit)


def looked_up(table: Bench, points: np.ndarray) -> np.ndarray:
    return np.array([table.y(0.0, **{f"u{k}": x for k, x in enumerate(p, 1)})[0] for p in points])


def points_of(grids: list[list[float]], beyond: float = 0.0) -> np.ndarray:
    """The points of the grids themselves, and some at random, also this far outside."""
    draw = np.random.default_rng(8)
    inside = [draw.uniform(grid[0] - beyond, grid[-1] + beyond, 60) for grid in grids]
    return np.vstack([np.stack(inside, axis=-1), np.array(list(product(*grids)))])


@pytest.mark.parametrize("grids", GRIDS, ids=["two", "three"])
@pytest.mark.parametrize("jit", [False, True], ids=["plain", "compiled"])
def test_both_interpolations_are_scipys(grids: list[list[float]], jit: bool) -> None:
    values, points = values_over(grids), points_of(grids)
    wanted = RegularGridInterpolator(grids, values)(points)
    np.testing.assert_allclose(looked_up(bench(grids, values, jit), points), wanted, rtol=0, atol=1e-12)
    # its own solver is an iteration that stops at 1e-6
    cubic = RegularGridInterpolator(grids, values, method="cubic", solver=spsolve)(points)
    table = bench(grids, values, jit, interpolation="cubic")
    np.testing.assert_allclose(looked_up(table, points), cubic, rtol=0, atol=1e-12)


@pytest.mark.parametrize("grids", GRIDS, ids=["two", "three"])
def test_each_input_follows_the_rule_beyond_its_own_ends(grids: list[list[float]]) -> None:
    values, points = values_over(grids), points_of(grids, beyond=3.0)
    ends = [(grid[0], grid[-1]) for grid in grids]
    inside = np.clip(points, [a for a, _ in ends], [b for _, b in ends])
    scipys = RegularGridInterpolator(grids, values, bounds_error=False, fill_value=None)  # type: ignore[arg-type]
    np.testing.assert_allclose(looked_up(bench(grids, values), points), scipys(inside), rtol=0, atol=1e-12)
    on = bench(grids, values, beyond="linear")
    # the products of distances beyond two ends and more: up to 1e3 times the values
    np.testing.assert_allclose(looked_up(on, points), scipys(points), rtol=1e-12, atol=1e-10)
    turned = np.stack([a + np.mod(p - a, b - a) for p, (a, b) in zip(points.T, ends, strict=True)], axis=-1)
    # at the seam of one round and the next either end holds
    away = (turned > [a + 1e-9 for a, _ in ends]).all(axis=1)
    round_ = bench(grids, values, beyond="periodic")
    np.testing.assert_allclose(looked_up(round_, points[away]), scipys(turned[away]), rtol=0, atol=1e-11)


def test_a_curve_goes_on_as_the_tangent_at_its_end() -> None:
    grids = [[0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 3.0]]
    # a cubic of x times a square of y, which splines through four points have exactly
    values = np.array([[x**3 * y**2 for y in grids[1]] for x in grids[0]])
    table = bench(grids, values, interpolation="cubic", beyond="linear")
    points = np.array([[4.5, 1.7], [-2.0, 1.7], [1.2, 5.0], [4.0, -1.0]])
    tangent = [(27 + 27 * 1.5) * 1.7**2, 0.0, 1.2**3 * (9 + 6 * 2), 0.0]
    np.testing.assert_allclose(looked_up(table, points), tangent, rtol=1e-12, atol=1e-12)


def test_three_points_are_joined_by_one_parabola() -> None:
    grids = [[0.0, 1.0, 3.0], [0.0, 2.0]]
    values = np.array([[x * x + y for y in grids[1]] for x in grids[0]])
    table = bench(grids, values, interpolation="cubic")
    assert looked_up(table, np.array([[2.0, 0.5]])) == pytest.approx([4.5], abs=1e-13)


def test_what_is_no_number_gives_none() -> None:
    table = bench(GRIDS[0], values_over(GRIDS[0]))
    assert np.isnan(looked_up(table, np.array([[np.nan, 1.0], [1.0, np.nan]]))).all()


def test_a_run_reads_rows_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "gains.csv").write_text("10, 20, 30\n40, 50, 60\n")
    text = """luff: 1
blocks:
  a: {type: constant, value: 0.25}
  b: {type: ramp, slope: 1}
  k: {type: table, over: inputs, grids: [[0, 1], [0 m, 1 m, 300 cm]], file: gains.csv}
connect: [a.y -> k.u1, b.y -> k.u2]
simulation: {stop: 4 s, step: 10 ms, output_step: 1 s}
"""
    (tmp_path / "model.yaml").write_text(text)
    result = luff.compile(tmp_path / "model.yaml").run()
    np.testing.assert_allclose(result["k.y"], [17.5, 27.5, 32.5, 37.5, 37.5], rtol=1e-14)


TEXT = "luff: 1\nblocks:\n  k: {type: table, %s}\nsimulation: {stop: 1 s}\n"


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ("over: inputs, data: [[1, 2], [3, 4]]", r"blocks\.k\.over: found no grids with over: inputs"),
        ("grids: [[0, 1], [0, 1]], data: [[1, 2], [3, 4]]", r"found grids with over: time"),
        ("over: inputs, grids: [[0, 1]], data: [[1, 2], [3, 4]]", r"grids: found 1 grids, expected two or more"),
        ("over: inputs, grids: [[0, 1], [0]], data: [[1], [3]]", r"grids\[1\]: found 1 points, expected at least 2"),
        (
            "over: inputs, grids: [[0, 1, 1], [0, 1]], data: [[1, 2], [3, 4], [5, 6]]",
            r"grids\[0\]\[2\]: found 1 after 1, expected a grid that grows",
        ),
        (
            "over: inputs, grids: [[0, 1, 2], [0, 1]], data: [[1, 2], [3, 4]]",
            r"data: found 2 rows, expected 3: 3, one for each point of the grids but the last",
        ),
        (
            "over: inputs, grids: [[0, 1], [0, 1], [0, 1]], data: [[1, 2], [3, 4]]",
            r"data: found 2 rows, expected 4: 2 x 2, one for",
        ),
        (
            "over: inputs, grids: [[0, 1], [0, 1]], data: [[1, 2, 3], [3, 4, 5]]",
            r"found rows of 3 numbers, expected 2, one for each point of the last grid",
        ),
    ],
)  # fmt: skip
def test_mistakes_are_told_where_they_are(entries: str, message: str) -> None:
    with pytest.raises(luff.LuffError, match=message):
        luff.compile(luff.loads(TEXT % entries))


def test_a_table_that_would_not_fit_is_told() -> None:
    grids = [list(range(60))] * 3
    rows = np.zeros((3600, 60)).tolist()
    assert not list(grid_problems(grids)) + list(size_problems(grids, rows, "linear", ".data"))
    (problem,) = size_problems(grids, rows, "cubic", ".data")
    assert f"at most {MOST}" in problem.message
