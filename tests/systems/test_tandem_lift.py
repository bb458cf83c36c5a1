"""Two hoists with one load against the least potential energy in the plane; a working zone against v^2/(2 a)."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

import luff

LOAD, SPAN, OFFSET, BELOW, EA, TOP = 20e3, 10.0, 1.0, -1.5, 60e6, 30.0


def at_rest(lengths: tuple[float, float]) -> tuple[float, float]:
    """Tilt [rad] and share of the first rope, from the least energy of weight and ropes in the plane."""

    def stretched(q: np.ndarray) -> np.ndarray:
        x, z, tilt = q
        c, s = math.cos(tilt), math.sin(tilt)
        eyes = [(x + side * c, z + side * s) for side in (SPAN / 2, -SPAN / 2)]
        return np.array(
            [math.hypot(a - side, b - TOP) for (a, b), side in zip(eyes, (SPAN / 2, -SPAN / 2), strict=True)]
        )

    def energy(q: np.ndarray) -> float:
        height = q[1] + OFFSET * math.sin(q[2]) + BELOW * math.cos(q[2])
        extra = np.maximum(stretched(q) - lengths, 0.0)
        return (LOAD * 9.81 * height + 0.5 * float(np.sum(EA / np.array(lengths) * extra**2))) / 1e6

    first = [0.0, TOP - np.mean(lengths), math.asin((lengths[1] - lengths[0]) / SPAN)]
    found = minimize(
        energy, first, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-13, "maxiter": 4000}
    )
    tensions = EA / np.array(lengths) * (stretched(found.x) - lengths)
    return float(found.x[2]), float(tensions[0] / tensions.sum())


def test_a_tandem_lift_tilts_and_shares_as_by_least_energy() -> None:
    result = luff.compile("library/tandem_lift.yaml").run()
    for row in (0, -1):
        lengths = tuple(float(result[f"rope_{k}.natural_length"][row]) for k in (1, 2))
        tilt, share = at_rest(lengths)
        # the swing is damped to below a tenth of a degree's hundredth by the end; the search ends at 1e-6
        assert result["tilt.y"][row] == pytest.approx(tilt, abs=2e-5)
        assert result["share.y"][row] == pytest.approx(share, abs=1e-4)
    # by hand: level, the first carries (L/2 + offset)/L; tilted by asin(0.8/10)
    assert result["share.y"][0] == pytest.approx(0.6, abs=1e-3)
    tilted = result["tilt.y"][-1] - result["tilt.y"][0]  # at first the ropes stretch by unequal loads
    assert tilted == pytest.approx(math.asin(0.08), rel=0.01)
    # the centre of mass, below the lifting points, moves to the higher hook; ropes that incline bear a little less
    by_hand = 0.5 + (OFFSET - BELOW * math.tan(math.asin(0.08))) / SPAN
    assert result["share.y"][-1] == pytest.approx(by_hand, abs=5e-4)
    # the drum reaches its middle's x + (L/2 - r) cos + (R - r) sin + r towards the walls at 6.5 m, r 1 % of 3 m
    w, _, j, _ = result["free.orientation"].T
    pitch, x = 2.0 * np.arctan2(j, w), result["free.position"][:, 0]
    reach = 5.47 * np.cos(pitch) + 1.47 * np.abs(np.sin(pitch)) + 0.03
    middle = x - 1.5 * np.sin(pitch)
    assert result["room.distance"] == pytest.approx(6.5 - np.abs(middle) - reach, abs=1e-6)


ZONE = """\
luff: 1
blocks:
  wanted: {type: constant, value: 0.2}
  zone: {type: working_zone, lower: -1, upper: 1.5, deceleration: 0.05}
  axis: {type: integrator}
connect: [wanted.y -> zone.command, axis.y -> zone.x, zone.y -> axis.u]
simulation: {stop: 30 s, step: 1 ms, output_step: 10 ms}
"""


@pytest.mark.parametrize(("speed", "border"), [(0.2, 1.5), (-0.2, -1.0)])
def test_a_motion_brakes_to_a_stop_at_the_border(tmp_path: Path, speed: float, border: float) -> None:
    """At v until v^2/(2 a) = 0.4 before the border, then by a to its end, 4 s later."""
    path = tmp_path / "zone.yaml"
    path.write_text(ZONE)
    result = luff.compile(path, **{"wanted.value": speed}).run()
    time, x = result.time, result["axis.y"]
    begins = (abs(border) - 0.4) / 0.2
    braked = np.clip(time - begins, 0.0, 4.0)
    by_hand = np.sign(speed) * (0.2 * np.minimum(time, begins) + 0.2 * braked - 0.5 * 0.05 * braked**2)
    # near the border sqrt has no slope: a step of 1 ms leaves (a h^2) of it, and rows lie 10 ms apart
    assert np.abs(x - by_hand).max() < 1e-5
    assert abs(x[-1]) <= abs(border) + 0.05 * 1e-3**2  # a step from v = a h passes by less than a h^2


def test_beyond_a_border_only_the_way_back_is_free(tmp_path: Path) -> None:
    path = tmp_path / "zone.yaml"
    path.write_text(ZONE)
    out = luff.compile(path, **{"axis.initial": 2.0}).run(stop=1.0)
    assert out["axis.y"].max() == 2.0
    back = luff.compile(path, **{"axis.initial": 2.0, "wanted.value": -0.2}).run(stop=1.0)
    assert back["axis.y"][-1] == pytest.approx(1.8, abs=1e-12)


TURNS = """
luff: 1
blocks:
  wanted: {type: constant, value: SPEED}
  frees: {type: step, start: 20 s, height: 1}
  border: {type: expression, inputs: [free], expr: "SIGN*(0.4 + 10*free)"}
  zone: {type: working_zone, lower: -0.8, upper: 0.8, deceleration: 0.05}
  drive: {type: transfer_function, num: [1], den: [0.2, 1]}
  axis: {type: integrator}
connect:
  - wanted.y -> zone.command
  - frees.y -> border.free
  - border.y -> zone.PORT
  - axis.y -> zone.x
  - zone.y -> drive.u
  - drive.y -> axis.u
simulation: {stop: 40 s, step: 1 ms, output_step: 10 ms}
"""


@pytest.mark.parametrize(("sign", "port"), [(1.0, "narrow_upper"), (-1.0, "narrow_lower")])
def test_a_border_of_a_signal_holds_until_it_lets_go(sign: float, port: str) -> None:
    """A lag T ends 2.3125 a T^2 behind the border: the limit of T^2 x'' + T x' = sqrt(2 a max(-x, 0)) T from afar."""
    text = TURNS.replace("SPEED", str(sign * 0.12)).replace("SIGN", str(sign)).replace("PORT", port)
    run = luff.compile(luff.loads(text)).run()
    x = sign * run["axis.y"]
    behind = 2.3125 * 0.05 * 0.2**2
    # it brakes 72 a T^2 before the border: from 50 a T^2 the limit is met to 0.2 %; steps leave a h^2 = 5e-8
    assert x[np.searchsorted(run.time, 19.9)] - 0.4 == pytest.approx(behind, rel=5e-3)
    assert x[-1] - 0.8 == pytest.approx(behind, rel=5e-3)
