"""A model with a joystick in other homes: what the operator moves is an input there, and drives the same."""

from __future__ import annotations

from pathlib import Path

import fmpy
import numpy as np
import pytest

import luff
from luff.gui.html_page.page import Page
from luff.tests.conftest import about_compiling

pytestmark = about_compiling
LEVER = """
luff: 1
name: lever
blocks:
  levers: {type: joystick, axes: [x, ry], dead_band: 0.2, scale: [3, 1]}
  sum: {type: sum, signs: "++"}
  lag: {type: transfer_function, num: [1], den: [0.1, 1]}
connect:
  - levers.y[0] -> sum.u1
  - levers.y[1] -> sum.u2
  - sum.y -> lag.u
simulation: {stop: 0.5, step: 10 ms}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "lever.yaml"
    made.write_text(LEVER)
    return made


def test_fmu_has_the_axes_as_inputs_and_goes_to_rest_when_they_are_lost(path: Path, tmp_path: Path) -> None:
    with pytest.warns(luff.ModelWarning, match="inputs instead: levers_u, levers_lost"):
        file = luff.export_fmu(path, tmp_path / "lever.fmu")
    inputs = [v.name for v in fmpy.read_model_description(str(file)).modelVariables if v.causality == "input"]
    assert inputs == ["levers_u[0]", "levers_u[1]", "levers_lost"]
    given = np.array(
        [(0.0, 0.6, 0.0, 0.0), (0.2, 0.6, 0.0, 0.0), (0.2, 0.6, 0.0, 1.0), (0.5, 0.6, 0.0, 1.0)],
        dtype=[(name, float) for name in ("time", *inputs)],
    )
    rows = fmpy.simulate_fmu(
        str(file), stop_time=0.5, output_interval=0.01, input=given, fmi_type="CoSimulation"
    )
    lever = dict(zip(np.round(rows["time"], 6), rows["levers.y[0]"], strict=True))
    assert lever[0.1] == pytest.approx(3 * 0.5)  # half of the way behind the dead band
    assert lever[0.4] == 0.0
    # the lag of 0.1 s: up for 0.2 s, and 0.3 s down from there; the levers are seen at steps of 10 ms
    assert rows["lag.y"][-1] == pytest.approx(1.5 * (1 - np.exp(-2)) * np.exp(-3), rel=0.15)


def test_library_has_the_axes_in_its_header(path: Path, tmp_path: Path) -> None:
    luff.export_library(path, tmp_path / "lever.a")
    (header,) = tmp_path.rglob("*.h")
    text = header.read_text()
    assert "levers_u" in text
    assert "levers_lost" in text


def test_page_has_the_axes_as_sliders(path: Path) -> None:
    sliders = {one.name: one for one in Page(luff.load(path), {}, [], []).sliders}
    assert {"levers_u[0]", "levers_u[1]", "levers_lost"} <= {*sliders}
    for name in ("levers_u[0]", "levers_u[1]"):
        assert (sliders[name].low, sliders[name].high) == (-1.0, 1.0), name
