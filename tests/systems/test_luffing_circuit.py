"""The library's luffing circuit: load sensing, a load that is held, the step that `luff info` asks for."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.tests.process import call

MODEL = Path(luff.__file__).parent / "library" / "luffing_circuit.yaml"


def test_load_is_held_while_the_valve_is_closed() -> None:
    sim = luff.compile(luff.load(MODEL))
    result = sim.run(stop=10)
    time, position, cap = result.time, result["cylinder.position"], result["cylinder.cap_pressure"]
    raised = (time > 3) & (time < 5)
    # load sensing: gallery = load + 20 bar, less the share of the regulator's band of 20 bar that the flow needs
    over = (result["gallery.pressure"] - result["valve.load"])[raised]
    assert over.min() > 0
    assert over.max() < 2e6
    # the oil that is pumped lifts: flow over the area of the bore, less what leaks from edge to edge
    speed = result["cylinder.velocity"][raised].mean()
    area = np.pi / 4 * 0.125**2
    # which is weighed at no pressure: 0.7 % more; and the boom still swings
    assert speed == pytest.approx(result["valve.flow_a"][raised].mean() / area, rel=0.02)
    # it rests on the closed counterbalance valve; past the piston leak 1e-14 m^3/s/Pa x 88 bar: 14 um in 2 s
    held = time > 8
    assert position[held].mean() > 1.0
    assert abs(position[held][-1] - position[held][0]) < 2e-4
    # the cap carries the boom: moments about the hinge, from the geometry of the netlist
    assert (
        abs(cap[held].mean() * area - weight_on_the_cylinder(position[held].mean()) - rod_force(result, held))
        < 2e3
    )
    assert result.quality["energy"]["relative_residual"] < 1e-4  # ROS34PW2 at 1 ms
    sinking = luff.compile(luff.load(MODEL), setting=1e5).run(stop=10)["cylinder.position"]
    # without it the load sinks through the leaking spool: half a per cent of 1 l/s at 10 bar, at some 90 bar
    assert sinking[held][0] - sinking[held][-1] > 5e-4


def rod_force(result: luff.Result, rows: np.ndarray) -> float:
    area = np.pi / 4 * (0.125**2 - 0.08**2)
    return float(result["cylinder.rod_pressure"][rows].mean() * area)


def weight_on_the_cylinder(extension: float) -> float:
    """Push along the cylinder that holds boom and load at rest, the cylinder's own mass left out (1 %)."""
    barrel, rod, arm = np.array([1.0, -2.0]), np.array([0.5, 2.5]), np.hypot(0.5, 2.5)
    base, length = np.hypot(*barrel), 2.3 + extension
    # triangle of hinge, barrel's pin and rod's pin: the rod's pin stands at that angle from the barrel's
    angle = np.arccos((base**2 + arm**2 - length**2) / (2 * base * arm))
    rod_at = np.arctan2(barrel[1], barrel[0]) + angle  # from y towards z
    lean = np.arctan2(rod[0], rod[1])  # of the pin from the boom's axis, towards y
    boom_at = rod_at + lean
    moment = 9.81 * (2000 * 3.7 + 2000 * 7.5) * np.cos(boom_at)
    lever = base * arm * np.sin(angle) / length
    return float(moment / lever)


def test_info_names_the_oil_that_limits_the_step() -> None:
    advice = json.loads(call("info", MODEL, "--json", cwd=MODEL.parent).stdout)
    step = find(advice, "largest_rk4_step")
    # oil of 0.3 l behind a laminar hose: K / V R = 1.07e5 1/s; the hose's own oil on its other side adds to it
    R = 128 * 4.6e-5 * 870 * 3 / (np.pi * 0.019**4)
    assert 0.7 * 2.785 < step * 1.2e9 / (0.3e-3 * R) < 2.785


def find(tree: object, name: str) -> float:
    """The first entry of that name anywhere in nested mappings."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            if key == name:
                return float(value)
            if isinstance(value, dict) and (found := find(value, name)) == found:
                return found
    return float("nan")
