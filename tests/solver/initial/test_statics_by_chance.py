"""Verdicts of statics against damped runs, for cranes and ground that chance drew: what rests is kicked and comes back,
what tips falls over when it is flown from where the search began, and a light hook hangs below a heavy crane."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

import luff
from luff.solver.analysis.perturbed_rest import confirm_rest
from luff.solver.initial.static_report import NoEquilibrium

from ...conftest import SEED

FALLEN = math.radians(30.0)


@pytest.fixture
def count(request: pytest.FixtureRequest) -> int:
    """Models of each part: hundreds in a search."""
    return 60 if request.config.getoption(SEED) else 3


def footprint(draw: np.random.Generator) -> str:
    """A base on three to five one-sided feet of unlike places, heights and stiffness, on tilted ground."""
    number = int(draw.integers(3, 6))
    angles = np.sort(draw.uniform(0.0, 2.0 * math.pi, number))
    tilt, to = draw.uniform(0.0, 0.08), draw.uniform(0.0, 2.0 * math.pi)
    gravity = 9.81 * np.array([math.sin(tilt) * math.cos(to), math.sin(tilt) * math.sin(to), -math.cos(tilt)])
    com = [*draw.uniform(-1.6, 1.6, 2), draw.uniform(0.5, 3.0)]
    supports = []
    for angle in angles:
        out, k = draw.uniform(1.5, 4.0), 10.0 ** draw.uniform(6.0, 7.7)
        z = draw.uniform(-0.05, 0.05) if draw.random() < 0.5 else 0.0
        c = math.sqrt(k * 2e4)  # as heavy as the base on this foot alone
        at = out * math.cos(angle), out * math.sin(angle), z
        supports.append(
            f"{{at: {list(map(float, at))}, stiffness: [{k / 2}, {k / 2}, {k}], damping: [{c}, {c}, {c}]}}"
        )
    feet = "\n      - ".join(supports)
    return f"""luff: 1
blocks:
  world: {{gravity: {gravity.tolist()}}}
  stand:
    type: base_support
    mass: 20 t
    com: {list(map(float, com))}
    inertia: [6e4, 6e4, 6e4]
    one_sided: true
    supports:
      - {feet}
connect: [world.frame -- stand.frame_a]
simulation: {{stop: 30 s, step: 2 ms, output_step: 0.1 s, method: implicit}}
"""


def falls(diagram: luff.Diagram) -> bool | None:
    """Whether a run from the unloaded start leans beyond 30 degrees; None where it still moves at its end."""
    result = luff.compile(diagram, **{"initial.solve": "assemble"}).run()
    theta, phi = result["stand.theta"], result["stand.phi"]
    if (np.cos(theta) * np.cos(phi) < math.cos(FALLEN)).any():
        return True
    rate = max(abs(result["stand.theta_rate"][-1]), abs(result["stand.phi_rate"][-1]))
    return None if rate > 1e-4 else False


@pytest.mark.filterwarnings("ignore::luff.ModelWarning")
@pytest.mark.parametrize("part", range(6))
def test_what_rests_comes_back_and_what_tips_falls(part: int, seed: int, count: int) -> None:
    seen: Counter[str] = Counter()
    for k in range(count):
        draw = np.random.default_rng([seed, part, k])
        text = footprint(draw)
        diagram = luff.loads(text)
        about = f"seed {seed}, part {part}, model {k}:\n{text}"
        try:
            sim = luff.compile(diagram, **{"initial.solve": "static"})
        except NoEquilibrium as error:
            seen[error.verdict] += 1
            if error.verdict == "tips":
                assert falls(diagram) is not False, f"called tipping, and rests when it is flown; {about}"
            continue
        report = sim.program.static
        assert report is not None
        if report.unstable or report.undecided:
            seen["not stable, or not known"] += 1
            continue
        seen["at rest"] += 1
        runs = confirm_rest(sim)
        assert runs, about
        # a foot near its limit may creep under the kick, and rest a little beside: that run decides nothing
        assert all(run.agrees is not False for run in runs), f"{runs}; {about}"
        seen["runs that decide nothing"] += sum(run.agrees is None for run in runs)
    print(dict(seen))
    # a verdict is the rule: nothing of these models is beyond the search
    assert seen["unknown"] + seen["not stable, or not known"] <= 0.1 * count
    assert seen["runs that decide nothing"] <= 0.1 * 2 * count


def test_what_stands_on_a_slope_slides_beyond_the_angle_of_friction(seed: int, count: int) -> None:
    """Along a slope all feet slide alike, at unequal heights too: the weight holds up to tan(tilt) = mu, exactly."""
    seen: Counter[str] = Counter()
    for k in range(4 * count):
        draw = np.random.default_rng([seed, 99, k])
        text = footprint(draw)
        x, y, z = map(float, text.partition("gravity: [")[2].partition("]")[0].split(","))
        share = float(draw.choice([0.5, 0.95, 0.995, 1.005, 1.05, 1.5]))
        text = text.replace("one_sided: true", f"one_sided: true\n    grip: {share * math.hypot(x, y) / -z}")
        try:
            luff.compile(luff.loads(text), **{"initial.solve": "static"})
            verdict = "rests"
        except NoEquilibrium as error:
            verdict = error.verdict
        seen[verdict] += 1
        assert verdict in ("tips", "slides" if share < 1.0 else "rests"), (
            f"seed {seed}, model {k}, {share}:\n{text}"
        )
    print(dict(seen))
    assert seen["slides"] > 0, seed
    assert seen["rests"] > 0, seed


HOOK = """luff: 1
blocks:
  stand:
    type: base_support
    mass: {crane} t
    com: [0, 0, 1]
    inertia: [5e5, 5e5, 5e5]
    one_sided: {one_sided}
    supports:
      - {{at: [3, 3, 0], stiffness: [{k}, {k}, {k}]}}
      - {{at: [3, -3, 0], stiffness: [{k}, {k}, {k}]}}
      - {{at: [-3, 3, 0], stiffness: [{k}, {k}, {k}]}}
      - {{at: [-3, -3, 0], stiffness: [{k}, {k}, {k}]}}
    frame_b: {{at: [{out}, 0, {up}]}}
  pin: {{type: revolute, axis: y, guess: {{position: {angle}}}}}
  hook: {{type: rigid_link, mass: {hook}, com: [0, 0, -{length}], inertia: [1e-3, 1e-3, 1e-3]}}
connect: [world.frame -- stand.frame_a, stand.frame_b -- pin.frame_a, pin.frame_b -- hook.frame_a]
initial: {{solve: static}}
"""


def test_a_light_hook_hangs_below_a_heavy_crane(seed: int, count: int) -> None:
    """Its own weight holds it upright, however stiff all else is: stiffness in N m beside 1e12 N m is no zero."""
    for k in range(count):
        draw = np.random.default_rng([seed, 100, k])
        values = {
            "crane": draw.uniform(10.0, 200.0),
            "one_sided": str(bool(draw.random() < 0.5)).lower(),
            "k": 10.0 ** draw.uniform(8.0, 10.0),
            "out": draw.uniform(0.0, 2.0),
            "up": draw.uniform(5.0, 40.0),
            "angle": draw.uniform(-2.5, 2.5),
            "hook": 10.0 ** draw.uniform(-2.0, 1.0),
            "length": draw.uniform(0.1, 2.0),
        }
        found = luff.compile(luff.loads(HOOK.format(**values))).static()
        hangs = found["positions"]["pin.position"] + found["positions"]["stand.theta"]
        # 1e-6 of its own moment
        assert math.sin(hangs) == pytest.approx(0.0, abs=1e-6), (seed, k, values)
        assert math.cos(hangs) > 0.0, (seed, k, values)
        assert found["neutral"] == found["unstable"] == found["undecided"] == []
