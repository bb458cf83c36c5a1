"""A lift of the offshore crane, driven by a sequence: it ends where it must, by way of all its states."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import luff

MODEL = Path(luff.__file__).resolve().parent / "library" / "crane_offshore_cycle.yaml"
STATES = ("ready", "lift", "slew", "lower", "compensate", "land", "landed", "done")
MASS, DISPLACED, G, STIFFNESS = 12e3, 4e3, 9.81, 2e6
DEPTH, HIGH, OVER = 40.0, 1.5, np.pi / 2
REACH = 28.0 * np.cos(np.radians(50.0))


@pytest.fixture(scope="module")
def lift() -> luff.Result:
    return luff.compile(MODEL).run(step=5e-3, output_step=50e-3)


def within(lift: luff.Result, state: str) -> np.ndarray:
    return lift["state"] == STATES.index(state) + 1


def test_the_cycle_goes_through_its_states_to_the_sea_bed(lift: luff.Result) -> None:
    assert lift.status == "finished"
    assert lift.remarks == []
    changes = np.flatnonzero(np.diff(lift["state"]))
    assert list(lift["state"][[0, *(changes + 1)]]) == list(range(1, len(STATES) + 1))
    x, y, z = (lift[f"at_load.position[{k}]"] for k in range(3))
    # on the sea bed, which gives way under what the water does not carry, below where the tip is on a level vessel
    assert z[-1] == pytest.approx(-DEPTH + HIGH / 2 - (MASS - DISPLACED) * G / STIFFNESS, abs=1e-3)
    assert np.hypot(x[-1] + 15.0, y[-1] - 9.0 - REACH) < 0.5  # it swings a little as it lands
    assert lift["tension"][-1] == 0.0
    still = lift.time > lift.time[-1] - 10.0
    assert max(np.ptp(each[still]) for each in (x, y, z)) < 1e-2


def test_transitions_come_where_they_are_written(lift: luff.Result) -> None:
    begins = {name: np.flatnonzero(within(lift, name))[0] for name in STATES}
    z = lift["at_load.position[2]"]
    row = 0.7 * 50e-3  # of what moves by that speed, between two rows
    assert lift.time[begins["lift"]] == pytest.approx(20.0, abs=1e-9)
    assert z[begins["slew"]] == pytest.approx(10.5, abs=row)
    assert lift["slewed"][begins["lower"]] > OVER - 0.002
    assert z[begins["compensate"]] == pytest.approx(3.0, abs=row)
    assert z[begins["land"]] == pytest.approx(-33.0, abs=row)
    assert lift["tension"][begins["landed"] - 1] > 0.2 * MASS * G >= lift["tension"][begins["landed"]]
    assert lift.time[begins["done"]] - lift.time[begins["landed"]] == pytest.approx(6.0, abs=50e-3 + 1e-9)


def test_limits_of_motions_hold_and_the_winch_compensates(lift: luff.Result) -> None:
    assert np.abs(lift["slew.velocity"]).max() <= 0.06 * (1 + 1e-12)
    assert np.abs(lift["slew.acceleration"]).max() <= 0.01 * (1 + 1e-9)
    late = within(lift, "compensate") & (lift["at_load.position[2]"] < -5.0)
    load, tip = (lift[f"{name}.velocity[2]"][late] for name in ("at_load", "tip_motion"))
    assert load.mean() == pytest.approx(-0.5, abs=0.02)
    assert load.std() < 0.2 * tip.std()
    assert lift["tension"].max() < 1.3 * MASS * G  # no jerk pulls at it
