"""Knuckle boom crane on its valves, within the rates and the torque of its motion laws; it begins at their run."""

from __future__ import annotations

import numpy as np
import pytest

import luff

pytest.importorskip("ipyopt")

BY_LAWS = 22.0  # [s] three laws of degree seven at once, whose peaks are the limits


def test_plan_is_faster_than_the_laws_it_begins_at() -> None:
    """At least angle / rate by the slewing limit; flown, it keeps its limits and ends where it was to be."""
    made = luff.plan("library/plans/crane_knuckle_boom.yaml")
    assert made.status in ("finished", "acceptable", "unconfirmed")
    assert np.pi / 2 / 0.157 < made.duration < BY_LAWS
    result = made.result  # flown by an adaptive method
    assert result is not None
    for name, limit in (
        ("king.slew.velocity", 0.157),
        ("inner.cylinder.velocity", 0.08),
        ("outer.cylinder.velocity", 0.08),
    ):
        assert np.max(abs(result[name])) < 1.001 * limit  # as the plan's own verdict has it
    for name, wanted in (
        ("king.slew.position", np.pi / 2),
        ("inner.cylinder.position", 1.2),
        ("outer.cylinder.position", 1.5),
    ):
        assert result[name][-1] == pytest.approx(
            wanted, abs=1e-3
        )  # rad or m: oil swings between the grid's times
    assert abs(result["king.slew.velocity"][-1]) < 1e-5
    # the flown run is the netlist's own, with the table in the place of the inputs
    played = luff.compile(made.to_netlist()).run()
    assert played["king.slew.position"][-1] == pytest.approx(result["king.slew.position"][-1], abs=1e-5)
