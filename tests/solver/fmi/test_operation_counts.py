"""What the header of a library says of the cost of a step, against operations counted by hand, and in runs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.fmi.exported_model import ExportedModel
from luff.solver.fmi.fmu_variables import parameters as parameters_of
from luff.solver.fmi.operation_counts import bounds_of, constant_words
from luff.solver.integrators.run_data import COUNT, EVERY, FILM, FIRST
from luff.tests.conftest import about_compiling
from luff.tests.shared.counted_operations import CountedRun
from luff.tests.shared.loop_cases import FOUR_BAR
from luff.tests.shared.netlists import HELD_WAVE, SWINGING_ROD

pytestmark = about_compiling
ROW = re.compile(
    r"^   ([\w ]+): (\d+)(?: and \d+ functions of mathematics)? in (one|\d+) calls?$", re.MULTILINE
)
SYSTEM = """luff: 1
blocks:
  s: {{type: state_space, A: {A}, B: {B}, C: {C}}}
  one: {{type: constant, value: 1}}
connect: [one.y -> s.u]
simulation: {{stop: 1 s, step: 1 ms, method: rk4}}
"""
# branches that hang on the state: a stop, a relay, a table, a chart and friction that is balanced with reactions
SWITCHING = """luff: 1
blocks:
  push: {type: sine, amplitude: 40, frequency: 5 rad/s}
  slide: {type: prismatic, axis: x, limits: {lower: -0.02, upper: 0.02, stiffness: 1e4, damping: 50},
    friction: {model: coulomb, mu_s: 0.2, mu_k: 0.15}}
  body: {type: rigid_link, mass: 2, inertia: [0.1, 0.1, 0.1]}
  over: {type: relay, lower: -0.01, upper: 0.01}
  shape: {type: table, over: input, data: [[-1, 0], [-0.01, 1], [0, 3], [0.01, 4], [1, 0]]}
  logic:
    type: state_machine
    inputs: [high]
    outputs: {gain: {initial: 1}}
    states: {low: {during: {gain: 1 + sin(t)}}, up: {entry: {gain: 2}}}
    transitions: [{from: low, to: up, when: high}, {from: up, to: low, when: not high, after: 20 ms}]
  force: {type: expression, inputs: [u, k, s], expr: k*u if u > 0 else u*sqrt(s + 1)}
connect:
  - world.frame -- slide.frame_a
  - slide.frame_b -- body.frame_a
  - slide.position -> over.u
  - slide.position -> shape.u
  - over.y -> logic.high
  - push.y -> force.u
  - logic.gain -> force.k
  - shape.y -> force.s
  - force.y -> slide.effort
simulation: {stop: 1 s, step: 1 ms}
"""


def exported(text: str, parameters: tuple[str, ...] = ()) -> ExportedModel:
    def choose(sim: luff.Simulation) -> list:
        return [one for one in parameters_of(sim, parameters, set()) if one.reaches]

    return ExportedModel(luff.loads(text), {}, [], choose)


def told(text: str, folder: Path, **changes: object) -> tuple[str, dict[str, tuple[int, int]]]:
    """The header, and of each kernel its operations and calls in a step."""
    luff.export_library(luff.loads(text), folder / "made.a", parameters=(), **changes)
    header = (folder / "made.h").read_text()
    rows = ROW.findall(header)
    return header, {name: (int(many), 1 if calls == "one" else int(calls)) for name, many, calls in rows}


def check(model: ExportedModel, steps: int, endless: int = 0) -> float:
    """That no step costs more, in any kernel, and what is taken as constant is; the bound over the dearest step."""
    code = model.bitcode()
    bound = bounds_of(model, code)
    assert len(bound.endless) == endless
    run, dearest = CountedRun(model, code), 0
    constant = constant_words(model)
    constant[[model.image.number + k for k in (FIRST, COUNT, EVERY, FILM)]] = False  # which the caller writes
    before = run.words[: len(constant)].copy()
    for k in range(steps):
        assert run.step(k)
        costs = {symbol: one.cost() for symbol, one in run.counted.items() if symbol not in bound.endless}
        for symbol, cost in costs.items():
            assert np.all(cost <= bound.kernels.get(symbol, (0, 0, 0))), (symbol, k)
        total = int(sum(cost[1] for cost in costs.values()))
        assert total <= bound.total
        dearest = max(dearest, total)
    assert np.array_equal(run.words[: len(constant)][constant], before[constant])
    return bound.total / dearest


@pytest.mark.parametrize("n", [3, 8])
def test_operations_of_a_linear_system_are_those_of_its_formula(n: int, tmp_path: Path) -> None:
    """x' = A x + B u: n^2 products and sums for A x, n products for B u (the sums begin with them); RK4 takes four."""
    text = SYSTEM.format(A=(-np.eye(n)).tolist(), B=[[1.0]] * n, C=[[1.0] * n])
    header, kernels = told(text, tmp_path)
    assert kernels["state_space_der"] == (4 * (2 * n * n + n), 4)
    assert "in a step and its outputs: at most" in header


def test_each_evaluation_of_a_mechanism_costs_the_same(tmp_path: Path) -> None:
    """Without loops and friction: four evaluations and that of the outputs cost five, one and it two."""
    found = [told(SWINGING_ROD, tmp_path, **{"simulation.method": name})[1] for name in ("rk4", "euler")]
    five, two = ({name: row for name, row in each.items() if name.startswith("kernels_")} for each in found)
    assert two
    # what is called once is for the outputs alone
    assert five == {
        name: (many, calls) if calls == 1 else (5 * many // 2, 5 * calls // 2)
        for name, (many, calls) in two.items()
    }


@pytest.mark.parametrize(("text", "factor"), [(SWINGING_ROD, 1.05), (HELD_WAVE, 1.0)])
def test_bound_of_what_has_no_branches_is_what_each_step_costs(text: str, factor: float) -> None:
    assert 1.0 <= check(exported(text), 50) <= factor


@pytest.mark.parametrize(("text", "factor", "endless"), [(FOUR_BAR, 10.0, 0), (SWITCHING, 10.0, 2)])
def test_bound_of_what_goes_on_until_it_is_near_enough_holds(text: str, factor: float, endless: int) -> None:
    """Every parameter may be changed; what a chart costs hangs on its state, and has no bound."""
    assert 1.0 < check(exported(text, ("*",)), 400, endless) <= factor


def test_what_goes_on_until_it_is_near_enough_is_told_with_its_limit(tmp_path: Path) -> None:
    header, kernels = told(FOUR_BAR, tmp_path)
    assert "Counted with all 30 rounds of Newton's method" in header
    assert kernels["kernels_closure_kinematics_closed"][0] > 0


@pytest.mark.parametrize("text", [SWINGING_ROD, HELD_WAVE, FOUR_BAR])
def test_the_run_that_is_counted_is_that_of_the_model(text: str) -> None:
    model = exported(text)
    run, session = CountedRun(model, model.bitcode()), model.sim.start()
    for k in range(100):
        assert run.step(k)
    session.advance(steps=100)
    count = len(model.program.x0)
    # the same operations, by another choice of instructions
    np.testing.assert_allclose(run.reals[model.image.x :][:count], session.x[:count], rtol=1e-12, atol=1e-15)
