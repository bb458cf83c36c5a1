"""Numbers of step responses: against closed forms, python-control, and through studies."""

from __future__ import annotations

import json
import math
from pathlib import Path

import control
import numpy as np
import pytest

import luff
from luff.blocks.errors import LuffError
from luff.solver.results.step_response import step_info
from luff.tests.process import call

ZETA, W = 0.3, 2.0
WD = W * math.sqrt(1 - ZETA**2)
MODEL = f"""luff: 1
name: second order
parameters: {{high: 3}}
blocks:
  source: {{type: step, start: 1 s, height: =high}}
  it: {{type: transfer_function, num: [{W**2}], den: [1, {2 * ZETA * W}, {W**2}]}}
connect: [source.y -> it.u]
simulation: {{stop: 31 s, step: 5 ms}}
"""


def response(time: np.ndarray) -> np.ndarray:
    return 1 - np.exp(-ZETA * W * time) * (np.cos(WD * time) + ZETA * W / WD * np.sin(WD * time))


@pytest.mark.parametrize("zeta", [0.1, 0.3, 0.7, 1.5])
@pytest.mark.parametrize("high", [2.0, -0.5])
def test_numbers_are_those_of_python_control(zeta: float, high: float) -> None:
    time = np.linspace(0.0, 60.0, 12001)
    values = high * control.step_response(control.tf([W**2], [1, 2 * zeta * W, W**2]), time).outputs
    ours, theirs = step_info(time, values, goal=high), control.step_info(values, time, yfinal=high)
    row = time[1]  # python-control takes the rows themselves, not the lines between them
    assert ours.overshoot * 100 == pytest.approx(theirs["Overshoot"], abs=1e-9)
    assert abs(ours.peak) == pytest.approx(theirs["Peak"], abs=1e-12)
    assert ours.rise_time == pytest.approx(theirs["RiseTime"], abs=row)
    assert ours.settling_time == pytest.approx(theirs["SettlingTime"], abs=row)
    assert theirs["SettlingTime"] > ours.rise_time > 10 * row


def test_an_undershoot_is_that_of_python_control() -> None:
    time = np.linspace(0.0, 20.0, 4001)
    values = control.step_response(control.tf([-1, 1], [1, 2, 1]), time).outputs
    ours, theirs = step_info(time, values, goal=1.0), control.step_info(values, time, yfinal=1.0)
    assert ours.undershoot * 100 == pytest.approx(theirs["Undershoot"], abs=1e-9)
    assert ours.undershoot > 0.1


def test_a_run_has_the_overshoot_of_the_closed_form() -> None:
    result = luff.compile(luff.loads(MODEL)).run()
    told = result.step_info("it.y", goal=3.0, start=1.0)
    # rows 5 ms apart miss the top by at most W^2 row^2 / 8
    assert told.overshoot == pytest.approx(math.exp(-math.pi * ZETA * W / WD), abs=W**2 * 0.005**2)
    assert told.peak_time == pytest.approx(math.pi / WD, abs=0.005)
    assert told.peak == pytest.approx(3 * (1 + told.overshoot))
    assert told.band == pytest.approx(3.0)
    assert abs(response(np.array([told.settling_time]))[0] - 1) == pytest.approx(0.02, abs=1e-5)


def test_lines_between_rows_and_what_never_comes() -> None:
    time, values = np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 1.5, 2.4, 2.0])
    told = step_info(time, values, within=0.2)
    assert told.rise_time == pytest.approx(1 + 0.4 / 0.9 - 0.2)
    assert told.settling_time == pytest.approx(2.5)  # 2.4 falls to 2.2 half a row later
    assert (told.overshoot, told.undershoot) == (pytest.approx(0.4), 0.0)
    far = step_info(time, values, goal=10.0)
    assert (far.rise_time, far.settling_time, far.steady_error) == (math.inf, math.inf, 8.0)
    assert step_info(time, values, goal=1.9, within=1.0).settling_time == 0.0
    # downwards the same, mirrored
    assert step_info(time, -values).overshoot == pytest.approx(step_info(time, values).overshoot)


def test_times_count_from_the_first_row_and_what_does_not_happen_is_zero() -> None:
    """A response on its way: it has not come to its goal, and never went the other way."""
    info = step_info(np.array([2.0, 3.0, 4.0, 5.0]), np.array([1.0, 2.0, 3.0, 2.5]), goal=5.0, initial=0.5)
    assert (info.overshoot, info.undershoot) == (0.0, 0.0)
    assert (info.peak, info.peak_time, info.steady_error) == (3.0, 2.0, 2.5)


def test_what_is_no_step_is_refused() -> None:
    with pytest.raises(LuffError, match="found no step: the signal begins at 2"):
        step_info(np.arange(3.0), np.array([2.0, 3.0, 2.0]))
    with pytest.raises(LuffError, match="not finite"):
        step_info(np.arange(2.0), np.array([2.0, np.nan]))
    result = luff.compile(luff.loads(MODEL)).run(stop=1.5)
    with pytest.raises(LuffError, match=r"it\.z"):
        result.step_info("it.z")


STUDY = """luff: 1
model: ./model.yaml
variants: {list: {up: {}, down: {high: -3}}}
require:
  - {metric: overshoot, of: it.y, start: 1 s, unit: "%", below: 38 %}
  - {metric: settling_time, of: it.y, start: 1 s, within: 5 %, below: 6 s}
  - {metric: steady_error, of: it.y, start: 1 s, goal: 5, below: 3, variants: [up]}
tables:
  - title: numbers
    columns:
      - {title: os, metric: overshoot, of: it.y, start: 1 s, unit: "%"}
      - {title: tr, metric: rise_time, of: it.y, start: 1 s, unit: ms}
      - {title: band, metric: band, of: it.y, start: 10 s, goal: 3}
"""


def test_studies_measure_and_require_them(tmp_path: Path) -> None:
    (tmp_path / "model.yaml").write_text(MODEL)
    (tmp_path / "study.yaml").write_text(STUDY)
    told = json.loads(call("study", "study.yaml", "--jobs", "1", "--json", cwd=tmp_path).stdout)
    share = 100 * math.exp(-math.pi * ZETA * W / WD)
    assert told["requirements"][0]["worst"] == pytest.approx(share, abs=0.01)
    assert all(verdict["holds"] for verdict in told["requirements"])
    assert {verdict["unit"] for verdict in told["requirements"]} == {"%", "s", ""}


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{metric: peak, of: it.y, goal: 3, below: 1}", "peak takes no `goal`"),
        ("{metric: overshoot, of: it.y, within: 5 %, below: 1}", "overshoot takes no `within`"),
        ("{metric: band, of: it.y, goal: 3 kg, below: 1}", "kg"),
    ],
)
def test_mistakes_in_a_study_are_told(tmp_path: Path, entry: str, message: str) -> None:
    (tmp_path / "model.yaml").write_text(MODEL)
    (tmp_path / "study.yaml").write_text(f"luff: 1\nmodel: ./model.yaml\nrequire:\n  - {entry}\n")
    done = call("study", "study.yaml", "--jobs", "1", cwd=tmp_path, code=None)
    assert done.returncode in (1, 2, 3)
    assert message in done.stderr
