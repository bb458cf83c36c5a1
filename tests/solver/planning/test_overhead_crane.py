"""Overhead crane within the forces and rates of a plan by stable inversion, with and without a pillar in its way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

import luff
from luff.solver.planning.flight import Flown

pytest.importorskip("ipyopt")

# [s] crane_overhead.yaml along the same line by poly7, whose peaks are the limits of the plans
BY_INVERSION = 4.0


@pytest.mark.parametrize("name", ["crane_overhead", "crane_overhead_pillar"])
def test_plan_is_faster_than_stable_inversion(name: str) -> None:
    """At least d / v by the bridge's rate limit; less than stable inversion takes within the same peaks."""
    made = luff.plan(f"library/plans/{name}.yaml")
    assert made.status == "finished"
    assert 1.2 / 0.576 < made.duration < BY_INVERSION
    assert made.result is not None
    sway = np.hypot(made.result["crane.sway.alpha"], made.result["crane.sway.beta"])
    rate = np.hypot(made.result["crane.sway.alpha_rate"], made.result["crane.sway.beta_rate"])
    residual = np.hypot(sway[-1], rate[-1] / np.sqrt(9.81 / 0.8))
    assert residual < 1e-5  # rad, of an independent integrator
    x, y = made.result["load.position[0]"], made.result["load.position[1]"]
    distance = np.hypot(x - 0.6, y - 0.25) - 0.075 - 0.07 * 0.8  # pillar's and load's radius
    if "pillar" in name:
        assert np.min(distance) > 0.05 - 5e-5  # m: a thousandth of the limit, between points
    else:
        assert np.min(distance) < 0.0  # the straight way leads through the pillar


def swing(one: Flown, length: float) -> float:
    """Amplitude of the sway left in a flight [rad]: angles and rates over sqrt(g / l)."""
    angles = np.hypot(one.end["crane.sway.alpha"][1], one.end["crane.sway.beta"][1])
    rates = np.hypot(one.end["crane.sway.alpha_rate"][1], one.end["crane.sway.beta_rate"][1])
    return float(np.hypot(angles, rates / np.sqrt(9.81 / length)))


def test_one_motion_for_a_range_of_ropes_swings_far_less_on_those_between() -> None:
    """Beside the fastest motion for the middle rope alone, flown on the others; the mass only moves where it ends."""
    made = luff.plan("library/plans/crane_overhead_ropes.yaml")
    assert made.status == "finished"
    document = yaml.safe_load(Path("library/plans/crane_overhead_ropes.yaml").read_text())
    document["plan"] |= {"cases": {"middle": {"length": "0.8 m"}}}
    alone = luff.plan(document)
    assert alone.duration < made.duration < BY_INVERSION
    assert [one.case for one in made.flights[:2]] == ["between", "above"]
    for length, robust, single in zip((0.75, 0.85), made.flights, alone.flights, strict=False):
        assert 10.0 * swing(robust, length) < swing(single, length)
    # forces move the sum of the masses: 5.5 kg by 1.2 m, which are 5.4 kg by 1.2 m 5.5 / 5.4
    lighter = made.flights[2].end["crane.bridge.position"][1]
    assert lighter == pytest.approx(1.2 * 5.5 / 5.4, abs=1e-3)  # m: less the sway that is left
    ends = [one.end["crane.bridge.position"][1] for one in (*made.flown, *made.flights)]
    words = f"over 7 models crane.bridge.position ends between {min(ends):.6g} and {max(ends):.6g} m"
    assert words in made.table()
