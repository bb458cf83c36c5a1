"""Overhead crane within the forces and rates of a plan by stable inversion, with and without a pillar in its way."""

from __future__ import annotations

import numpy as np
import pytest

import luff

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
