"""What the header of a library says of the cost of a step, against operations counted by hand."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.fmi.costs import CountedRun
from luff.solver.fmi.model import ExportedModel
from luff.tests.conftest import about_compiling
from luff.tests.shared.loop_cases import FOUR_BAR
from luff.tests.shared.netlists import HELD_WAVE, SWINGING_ROD

pytestmark = about_compiling
ROW = re.compile(
    r"^   ([\w ]+): (\d+)(?: and \d+ functions of mathematics)? in (one|\d+) calls?$", re.MULTILINE
)


def told(text: str, folder: Path, **changes: object) -> tuple[str, dict[str, tuple[int, int]]]:
    """The header, and of each kernel its operations and calls in a step."""
    luff.export_library(luff.loads(text), folder / "made.a", parameters=(), **changes)
    header = (folder / "made.h").read_text()
    rows = ROW.findall(header)
    return header, {name: (int(many), 1 if calls == "one" else int(calls)) for name, many, calls in rows}


@pytest.mark.parametrize("n", [3, 8])
def test_operations_of_a_linear_system_are_those_of_its_formula(n: int, tmp_path: Path) -> None:
    """x' = A x + B u: n^2 products and sums for A x, n products for B u (the sums begin with them); RK4 takes four."""
    columns, row = [[1.0]] * n, [[1.0] * n]
    system = f"{{type: state_space, A: {(-np.eye(n)).tolist()}, B: {columns}, C: {row}}}"
    text = f"luff: 1\nblocks: {{s: {system}, one: {{type: constant, value: 1}}}}\nconnect: [one.y -> s.u]\n"
    text += "simulation: {stop: 1 s, step: 1 ms, method: rk4}\n"
    header, kernels = told(text, tmp_path)
    assert kernels["state_space_der"] == (4 * (2 * n * n + n), 4)
    total = sum(many for many, _ in kernels.values())
    assert f"in a step: {total}, in the first 1000 steps" in header


def test_each_evaluation_of_a_mechanism_costs_the_same(tmp_path: Path) -> None:
    """Without loops and friction: four evaluations cost four times one."""
    found = [told(SWINGING_ROD, tmp_path, **{"simulation.method": name})[1] for name in ("rk4", "euler")]
    four, one = ({name: row for name, row in each.items() if name.startswith("kernels_")} for each in found)
    assert one
    assert four == {name: (4 * many, 4 * calls) for name, (many, calls) in one.items()}


def test_what_goes_on_until_it_is_near_enough_is_told_with_its_bound(tmp_path: Path) -> None:
    header, kernels = told(FOUR_BAR, tmp_path)
    assert "Loops are closed by Newton's method, in at most 30 rounds an evaluation." in header
    assert kernels["kernels_closure_kinematics_closed"][0] > 0


@pytest.mark.parametrize("text", [SWINGING_ROD, HELD_WAVE, FOUR_BAR])
def test_the_run_that_is_counted_is_that_of_the_model(text: str) -> None:
    model = ExportedModel(luff.loads(text), {}, [], lambda _: [])
    run, session = CountedRun(model, model.bitcode()), model.sim.start()
    for k in range(100):
        assert run.step(k)
    session.advance(steps=100)
    count = len(model.program.x0)
    # the same operations, by another choice of instructions
    np.testing.assert_allclose(run.reals[model.image.x :][:count], session.x[:count], rtol=1e-12, atol=1e-15)
