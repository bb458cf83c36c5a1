"""Pads on soil: sinkage along the curve, settlement that stays, energy, modes, and a crane whose ground gives way."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.blocks import CompileError, NetlistError

G = 9.81
CURVE = [[0.005, 1e5], [0.02, 2e5], [0.06, 3e5]]  # 20, 6.7 and 2.5 kPa/mm
AREA = 0.8
AGAIN = 2e7 * AREA  # stiffness of loading again: that of the first part [N/m]


def foot(
    mass: float = 1000.0,
    simulation: str = "stop: 1, step: 1e-3",
    guide: str = "",
    soil: str = f"curve: {CURVE}",
    path: str = "",
) -> str:
    """A mass that stands on a pad and moves up and down alone; with a `path` it is led there."""
    lead = f"path: {{type: {path}, unit: m}}" if path else ""
    return f"""
luff: 1
blocks:
  guide: {{type: prismatic, axis: z{", driven: true" if path else guide}}}
  body: {{type: rigid_link, mass: {mass!r}}}
  pad: {{type: pad, soil: {{area: {AREA}, {soil}}}}}
  {lead}
connect: [world.frame -- guide.frame_a, guide.frame_b -- body.frame_a, world.frame -- pad.frame_a,
          body.frame_a -- pad.frame_b{", path.trajectory -> guide.follow" if path else ""}]
initial: {{solve: {"assemble" if path or guide else "static"}}}
simulation: {{{simulation}}}
"""


def compiled(text: str) -> luff.Simulation:
    return luff.compile(luff.loads(text))


@pytest.mark.parametrize("pressure", [2e4, 1e5, 1.6e5, 2e5, 2.99e5])
def test_foot_at_rest_has_sunk_along_the_curve(pressure: float) -> None:
    rest = compiled(foot(pressure * AREA / G)).evaluate()
    depth = np.interp(pressure, [0.0, *(p for _, p in CURVE)], [0.0, *(z for z, _ in CURVE)])
    assert rest["pad.sinkage"] == pytest.approx(depth, rel=1e-9)
    assert rest["pad.settlement"] == pytest.approx(depth - pressure / 2e7, rel=1e-9, abs=1e-15)
    assert rest["pad.pressure"] == pytest.approx(pressure, rel=1e-9)
    assert rest["pad.bearing_ratio"] == pytest.approx(pressure / 3e5, rel=1e-9)
    assert rest["pad.lifted"] == 0.0


def test_more_than_the_curve_has_no_rest() -> None:
    with pytest.raises(CompileError, match=r"at most 2.4e.05 N below a pad .take larger pads"):
        compiled(foot(1.001 * 3e5 * AREA / G))


@pytest.mark.parametrize("method", ["rk4", "implicit"])
def test_settlement_follows_the_curve_with_its_time_constant(method: str) -> None:
    """Pressed down at a constant rate within the first part: s = b v (t - tau (1 - e^(-t/tau)))."""
    speed, tau = 0.004, 0.05
    soil = f"curve: {CURVE}, reloading: 5e7, settling: {tau}"
    path = f"table, data: [[0, 0], [1, {-speed}]], interpolation: linear"
    run = compiled(foot(1000.0, f"stop: 1, step: 1e-3, method: {method}", "", soil, path)).run()
    t = run.time
    settled = (1.0 - 2e7 / 5e7) * speed * (t - tau * (1.0 - np.exp(-t / tau)))
    # implicit is of second order: its error of a decaying mode is (h/tau)^2/12 of 0.12 mm at most
    np.testing.assert_allclose(run["pad.settlement"], settled, atol=1e-8)
    np.testing.assert_allclose(run["pad.normal_force"], 5e7 * AREA * (speed * t - settled), atol=0.5)


def test_work_of_loading_and_unloading_is_the_area_of_the_loop() -> None:
    """Slowly down to 40 mm, up until it lifts, and down again: only the first loading takes work."""
    soil = f"curve: {CURVE}, settling: 0.002"
    path = "table, data: [[0, 0], [4, -0.04], [5, 0], [9, -0.04]], interpolation: linear"
    run = compiled(foot(1000.0, "stop: 9, step: 1e-3, output_step: 1e-3", "", soil, path)).run()
    depth, push = run["pad.sinkage"], run["pad.normal_force"]
    work = np.concatenate([[0.0], np.cumsum(0.5 * (push[1:] + push[:-1]) * np.diff(depth))])
    # by hand: triangle and trapeziums below the curve, less what comes back from 250 kPa
    first = AREA * (0.5 * 0.005 * 1e5 + 0.015 * 1.5e5 + 0.02 * 2.25e5)
    back = 0.5 * (2.5e5 * AREA) ** 2 / AGAIN
    # the force lies above the curve by k s' tau <= 2e7 * 0.01 * 0.002 = 400 Pa of 250 kPa
    assert work[4000] == pytest.approx(first, rel=4e-3)
    assert work[5000] == pytest.approx(first - back, rel=4e-3)
    assert run["pad.lifted"][4990] == 1.0
    assert run["pad.settlement"][5000] == pytest.approx(0.04 - 2.5e5 / 2e7, rel=4e-3)
    # the second time it lifts from the settled place and is loaded along the line of unloading
    assert work[-1] == pytest.approx(first, rel=4e-3)
    assert abs(run["pad.settlement"][-1] - run["pad.settlement"][5000]) < 2e-5


@pytest.mark.parametrize("events", ["step", "locate"])
def test_energy_of_a_foot_that_is_dropped_is_accounted_for(events: str) -> None:
    soil, start = f"curve: {CURVE}, settling: 0.01", ", initial: {position: 0.2}"
    run = compiled(foot(2000.0, f"stop: 3, step: 5e-4, events: {events}", start, soil)).run()
    # a corner of the force within a step, here k v h^2 / 2, leaves k (v h)^3 / 6 = 3 mJ of 4 kJ; there are ten of them
    assert run.quality["energy"]["relative_residual"] < 1e-5
    assert np.all(np.diff(run["pad.settlement"]) >= 0.0)
    assert run["pad.settlement"][-1] > 0.004


def test_small_motion_is_that_of_soil_loaded_again() -> None:
    mass = 1.5e5 * AREA / G
    found = luff.modes(compiled(foot(mass))).frequencies
    assert max(found) == pytest.approx(math.sqrt(AGAIN / mass), rel=1e-6)


def crane(load: str) -> str:
    """A crane in a plane: two outriggers on soil, a load beside them."""
    soil = f"soil: {{area: {AREA}, curve: {CURVE}, bearing: 2e5}}"
    support = f"stiffness: [1e7, 1e7, 0], damping: [1e5, 1e5, 4e5], {soil}"
    return f"""
luff: 1
blocks:
  stand:
    type: base_support
    mass: 12000
    com: [0, 0, 1]
    inertia: [6e4, 6e4, 6e4]
    coordinates: [x, z, theta]
    one_sided: true
    supports: [{{at: [3, 0, 0], {support}}}, {{at: [-3, 0, 0], {support}}}]
    frame_b: {{at: [6, 0, 1]}}
  weight: {{type: rigid_link, mass: {load}, inertia: [1, 1, 1]}}
connect: [world.frame -- stand.frame_a, stand.frame_b -- weight.frame_a]
initial: {{solve: static}}
simulation: {{stop: 1, step: 1e-3}}
"""


def test_outriggers_of_a_crane_settle_by_their_loads() -> None:
    rest = compiled(crane("4000")).evaluate()
    near, far = rest["stand.pressure_1"] * AREA, rest["stand.pressure_2"] * AREA
    # moments about the other pad; the lean of 1 mrad moves both masses by 1 mm
    assert near == pytest.approx((12000 * 3 + 4000 * 9) / 6 * G, rel=1e-3)
    assert near + far == pytest.approx(16000 * G, rel=1e-9)
    sunk = [np.interp(rest[f"stand.pressure_{k}"], [0.0, 1e5, 2e5], [0.0, 0.005, 0.02]) for k in (1, 2)]
    # 6 m apart
    assert rest["stand.theta"] == pytest.approx(math.asin((sunk[0] - sunk[1]) / 6.0), rel=1e-6)
    assert rest["stand.bearing_ratio_1"] == pytest.approx(near / AREA / 2e5, rel=1e-9)


def test_load_is_rated_by_the_bearing_of_the_ground(tmp_path: Path) -> None:
    path = tmp_path / "crane.yaml"
    path.write_text(crane("=load").replace("blocks:", "parameters: {load: 4 t}\nblocks:"))
    limit = {"title": "ground", "metric": "maximum", "of": "stand.bearing_ratio_1", "below": 1.0}
    document = tmp_path / "desk.yaml"
    document.write_text(f"luff: 1\nname: desk\nmodel: ./crane.yaml\nlimits: [{limit}]\n".replace("'", '"'))
    chart = luff.chart(document, "load", {"stand.mass": ["12 t"]}, lower="1 t", upper="40 t")
    # 160 kN below the near pad: 12 t on 3 m of 6 m, the load on 9 m
    by_hand = (160e3 / G * 6.0 - 12000 * 3.0) / 9.0
    assert chart.rated[0] == pytest.approx(by_hand, rel=2e-3)  # the lean of 3 mrad moves both masses by 3 mm


@pytest.mark.parametrize(
    ("soil", "words"),
    [
        ("curve: [[1, 2, 3]]", "found 3 numbers, expected"),
        ("curve: []", "found no row behind the origin"),
        ("curve: [[0, 0]]", "found no row behind the origin"),
        ("curve: [[0.01, 1e5], [0.01, 2e5]]", "found a sinkage of 0.01 m behind 0.01 m"),
        ("curve: [[0.01, 1e5], [0.02, 9e4]]", "found a pressure of 90000 Pa behind 100000 Pa"),
        ("curve: [[0.01, 0]]", "found no pressure above zero"),
        ("curve: [[0.01, 1e5]], reloading: 9e6", "less than the curve's steepest slope of 1e.07"),
        (f"curve: {[[k, k] for k in range(1, 10)]}", "found 9 rows behind the origin, expected at most 8"),
    ],
)
def test_wrong_curves_are_refused(soil: str, words: str) -> None:
    with pytest.raises(NetlistError, match=words):
        compiled(foot(soil=soil))


def test_soil_stands_below_what_pushes_alone() -> None:
    text = crane("1")
    with pytest.raises(NetlistError, match="soil below a support that also pulls"):
        compiled(text.replace("one_sided: true", "one_sided: false"))
    with pytest.raises(NetlistError, match="found a stiffness of 5 N/m along z beside soil"):
        compiled(text.replace("1e7, 0]", "1e7, 5]"))


JACK = """
luff: 1
blocks:
  guide: {type: prismatic, axis: z, initial: {position: 2.85}}
  frame: {type: rigid_link, mass: 5000, inertia: [1, 1, 1]}
  down: {type: fixed, rotate: [[x, 180 deg]]}
  leg: {type: hydraulic_cylinder, barrel: {length: 0.9, mass: 10}, piston: {mass: 10}, initial: {position: 2},
        fluid: {bore: 0.1, rod: 0.05, stroke: 3}}
  foot: {type: rigid_link, mass: 20, inertia: [1, 1, 1]}
  pad: {type: pad, soil: {area: 0.1, curve: [[0.1, 1e6]]}}
connect: [world.frame -- guide.frame_a, guide.frame_b -- frame.frame_a, frame.frame_a -- down.frame_a,
          down.frame_b -- leg.frame_a, leg.frame_b -- foot.frame_a, world.frame -- pad.frame_a,
          foot.frame_a -- pad.frame_b]
"""


def test_jack_on_a_pad_starts_with_the_pressure_that_it_needs() -> None:
    """The cylinder presses what the pad, at 1e6 N/m, leaves of its push above piston and foot."""
    start = compiled(JACK).evaluate()
    push = 1e6 * start["pad.sinkage"]
    assert 1e4 < push < 1e5
    assert start["pad.normal_force"] == pytest.approx(push, rel=1e-12)
    area = 0.25 * math.pi * 0.1**2
    assert start["leg.cap_pressure"] == pytest.approx((push - 30 * G) / area, rel=1e-9)
