"""The overhead crane that follows a path: published accuracy, and the planner against the general method."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.analysis.natural_modes import modes
from luff.tests.conftest import hours_as_plain_python
from luff.tests.systems.crane_cases import CASES, LIBRARY, METHODS, crane, errors, numbers

DOCS = Path(luff.__file__).resolve().parent / "docs" / "overhead_crane.md"


@pytest.fixture(scope="module")
def table() -> dict[tuple[str, str], list[float]]:
    """RMS and greatest tracking errors in x and y, RMS and greatest contour error [mm]."""
    return {(case, method): numbers(case, method) for case in CASES for method in METHODS}


@hours_as_plain_python
def test_circle_in_8_s_is_followed_as_published(table: dict[tuple[str, str], list[float]]) -> None:
    """RMS 0.004 mm and maximum 0.008 mm in each direction: seventh-degree law, RK4 of 1 ms, beta 0.9999."""
    rms_x, rms_y, max_x, max_y, contour, _ = table["circle in 8 s", "stable inversion"]
    assert max(rms_x, rms_y) <= 0.004
    assert max(max_x, max_y) <= 0.008
    assert contour <= 0.004


@hours_as_plain_python
@pytest.mark.parametrize("case", CASES)
def test_stable_inversion_beats_shaping_beats_nothing(
    case: str, table: dict[tuple[str, str], list[float]]
) -> None:
    inversion, shaping, nothing = (np.array(table[case, method]) for method in METHODS)
    assert np.all(inversion < 0.02 * shaping)
    assert np.all(shaping < 0.6 * nothing)


@hours_as_plain_python
def test_documented_table_is_what_the_model_gives(table: dict[tuple[str, str], list[float]]) -> None:
    rows = re.findall(r"^\| (\w+ in \d s) \| ([\w ]+?) \|((?: [\d.]+ \|){6})", DOCS.read_text(), re.M)
    documented = {
        (case, method): [float(cell) for cell in cells.split("|")[:-1]] for case, method, cells in rows
    }
    assert documented.keys() == table.keys()
    for key, values in table.items():
        # three digits are printed
        np.testing.assert_allclose(documented[key], values, rtol=6e-3, err_msg=str(key))


@hours_as_plain_python
def test_carriage_follows_its_plan(table: dict[tuple[str, str], list[float]]) -> None:
    """With the feed-forward of eq. 14 the position control has nothing to do."""
    run = crane("circle in 4 s", "stable inversion").run(output_step=0.01)
    carriage = np.column_stack([run["crane.bridge.position"], run["crane.trolley.position"]])
    assert np.abs(carriage - run["chosen.y"]).max() < 1e-8
    assert np.abs(run["drive.effort"] - run["plan.effort"]).max() < 1e-2


@pytest.mark.parametrize("case", ["circle in 8 s", "circle in 4 s"])
def test_block_and_servo_constraint_give_the_same_plan(case: str) -> None:
    """Closed form against a copy of the crane whose drives hold the redefined output on the path."""
    duration = {"path.duration": CASES[case].get("duration", "8 s")}
    planner = luff.compile(LIBRARY / "crane_overhead_planner.yaml", **duration).run(output_step=0.01)
    block = crane(case, "stable inversion", **{"plan.on_target": "redefined"}).run(output_step=0.01)
    for k, joint in enumerate(("bridge", "trolley")):
        # the same equations, the same integrator: only rounding is left, which the sway's 350 rad/s amplify little
        moved = planner[f"crane.{joint}.position"] - block["plan.command"][:, k]
        assert np.abs(moved).max() < 1e-9
        assert np.abs(planner["servo.effort"][:, k] - block["plan.effort"][:, k]).max() < 1e-7
    for k, angle in enumerate(("alpha", "beta")):
        swung = planner[f"crane.sway.{angle}"] - block["plan.sway"][:, k]
        assert np.abs(swung).max() < 1e-10
        # and the crane itself sways as planned, but for what its position control leaves
        assert np.abs(block[f"crane.sway.{angle}"] - block["plan.sway"][:, k]).max() < 1e-6
    assert np.abs(planner["servo.violation"]).max() < 1e-12


@hours_as_plain_python
def test_sampled_command_costs_a_quarter_of_a_millimetre() -> None:
    """Every 16 ms, joined by lines: off by the jerk over the sample time to the third power."""
    for case in CASES:
        run = crane(case, "stable inversion", **{"sampled.hold": "linear"}).run(output_step=1e-3)
        tracking, _ = errors(run)
        assert tracking.maximum.max() < 0.25e-3


def test_shaper_is_tuned_to_the_mode_of_the_model() -> None:
    sim = crane("circle in 8 s", "zv shaping")
    found = modes(sim)
    block = sim.program.flat.blocks["shaper"]
    for number in (1, 2):  # one in each plane
        tuned = found.tuning(number)
        # the position control gives way a little: load over its stiffness, m g / h / k_p = 2e-5
        assert tuned["frequency"] == pytest.approx(block.frequency, rel=3e-5)
        assert tuned["damping"] == pytest.approx(block.damping, rel=1e-3)
    assert found.shapers == ["shaper"]
