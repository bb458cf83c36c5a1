"""Heave compensation of the offshore crane, against what the drive's lag leaves of the tip's motion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import luff

MODEL = Path(luff.__file__).resolve().parent / "library" / "crane_offshore.yaml"
LAG, DRUM = 0.12, 0.6


@pytest.fixture(scope="module")
def runs() -> tuple[luff.Result, luff.Result]:
    still, moved = (
        luff.compile(MODEL, compensation=share).run(stop=100.0, step=4e-3, output_step=0.1)
        for share in (0, 1)
    )
    return still, moved


def test_winch_takes_back_all_but_a_tenth(runs: tuple[luff.Result, luff.Result]) -> None:
    still, moved = runs
    left = [run["load_rms.deviation"][-1] for run in runs]
    assert left[0] == pytest.approx(still["tip_rms.deviation"][-1], rel=0.1)
    assert left[0] > 10.0 * left[1]
    assert still["rope.slack"].max() == moved["rope.slack"].max() == 0.0
    assert np.ptp(moved["rope.tension"]) < 0.2 * np.ptp(still["rope.tension"])


def test_what_is_left_is_the_lag(runs: tuple[luff.Result, luff.Result]) -> None:
    """T dw/dt = u - w: the tip less the rope paid out is T times the drive's speed, and the load follows it.

    The rope is a spring: at w = 0.7 rad/s it adds (w / w_0)^2 with w_0 = sqrt(EA / (l m)) = 4.9 rad/s, 2 %, and the
    faster waves of the spectrum more; swinging and the drag of the water are in the rest.
    """
    moved = runs[1]
    late = moved.time > 40.0
    load = moved["depth_sensor.position[2]"][late]
    behind = -LAG * DRUM * moved["drive.y"][late]
    assert np.std(load) == pytest.approx(np.std(behind), rel=0.1)
    assert np.corrcoef(load, behind)[0, 1] > 0.95


def test_deck_balances_and_energy_closes(runs: tuple[luff.Result, luff.Result]) -> None:
    for run in runs:
        assert run.quality["newton_euler_residual"] < 1e-9
        assert abs(run.quality["energy"]["relative_residual"]) < 1e-6
