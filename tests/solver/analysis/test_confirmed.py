"""Verdicts on modes, margins and loci by a second way: Nyquist's count, closed forms, and runs beside the border."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.analysis import delay_eigenvalues, perturbed_runs
from luff.solver.analysis.confirmation import Confirmation, table
from luff.solver.analysis.linearise import linearise
from luff.solver.analysis.natural_modes import describe_modes, modes
from luff.solver.analysis.perturbed_runs import confirm_locus, confirm_margins, confirm_modes
from luff.tests.process import call
from luff.tests.shared.loops_by_chance import loop, mechanics

TWO_RATES = """luff: 1
blocks:
  goal: {{type: step, height: 1}}
  e: {{type: sum}}
  c: {{type: transfer_function, num: [1, -0.9], den: [1, -1], sample_time: 1 ms, discretised: none}}
  plant: {{type: transfer_function, num: [1], den: [0.002, 0.2]}}
  other: {{type: zero_order_hold, sample_time: {slow}}}
  outer: {{type: transfer_function, num: [1], den: [1, 1]}}
  o: {{type: sum}}
connect: [goal.y -> e.u1, plant.y -> e.u2, e.y -> c.u, c.y -> plant.u, {fed} -> o.u1, outer.y -> o.u2, o.y -> other.u,
  other.y -> outer.u]
simulation: {{stop: 1 s, step: 1 ms}}
"""
FAR = """luff: 1
blocks:
  one: {{type: constant, value: 1}}
  e: {{type: sum}}
  c: {{type: gain, k: {k!r}}}
  late: {{type: delay, delay: 5 ms}}
  plant: {{type: integrator}}
  two: {{type: constant, value: 1}}
  f: {{type: sum}}
  belt: {{type: delay, delay: {far}}}
  silo: {{type: transfer_function, num: [0.5], den: [5, 1]}}
  joined: {{type: gain, k: {joined!r}}}
  g: {{type: sum, signs: "++"}}
connect: [one.y -> e.u1, g.y -> e.u2, e.y -> c.u, c.y -> late.u, late.y -> plant.u, two.y -> f.u1, silo.y -> f.u2,
  f.y -> belt.u, belt.y -> silo.u, plant.y -> g.u1, joined.y -> g.u2, belt.y -> joined.u]
simulation: {{stop: 2 s, step: 1 ms}}
"""
DRIVE = """luff: 1
blocks:
  motor: {type: prismatic, axis: x, damping: 5 N*s/m}
  body: {type: rigid_link, mass: 10 kg}
  spring: {type: prismatic, axis: x, stiffness: 90 kN/m, damping: 3 N*s/m}
  load: {type: rigid_link, mass: 1 kg}
  hold: {type: zero_order_hold, sample_time: 20 ms}
  law: {type: gain, k: -50}
connect: [world.frame -- motor.frame_a, motor.frame_b -- body.frame_a, body.frame_b -- spring.frame_a,
  spring.frame_b -- load.frame_a, motor.position -> hold.u, hold.y -> law.u, law.y -> motor.effort]
simulation: {stop: 5 s, step: 0.5 ms}
"""
STIFF = """luff: 1
blocks:
  pin: {{type: revolute, axis: y}}
  rod: {{type: rigid_link, mass: 10 kg, com: [0, 0, 1], inertia: [1e-9, 1e-9, 1e-9]}}
  pd: {{type: expression, inputs: [q, v], expr: {expr}}}
  stiff: {{type: prismatic, axis: z, stiffness: 1e10 N/m{damping}}}
  block: {{type: rigid_link, mass: 100 kg}}
connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a, pin.position -> pd.q, pin.velocity -> pd.v,
  pd.y -> pin.effort, world.frame -- stiff.frame_a, stiff.frame_b -- block.frame_a]
simulation: {{stop: 1 s, step: 10 us}}
"""


def model(text: str) -> luff.Simulation:
    return luff.compile(luff.loads(text))


@pytest.mark.parametrize(
    ("slow", "fed"), [("1 ms", "goal.y"), ("20 ms", "plant.y"), ("100 ms", "goal.y"), ("19.993 s", "plant.y")]
)
def test_margins_of_a_fast_loop_do_not_hang_on_a_slow_sampler_beside_it(slow: str, fed: str) -> None:
    told = luff.margins(model(TWO_RATES.format(slow=slow, fed=fed)), "c.y")
    # L = (z - 0.9)/(z - 1) b/(z - a), by hand: the plant has a time constant of 10 ms
    a = math.exp(-0.1)
    b = 5.0 * (1.0 - a)

    def L(w: float) -> complex:
        z = np.exp(1e-3j * w)
        return complex((z - 0.9) / (z - 1.0) * b / (z - a))

    assert told.period == pytest.approx(1e-3)
    assert abs(L(told.phase_frequency)) == pytest.approx(1.0, rel=1e-9)
    assert told.phase == pytest.approx(float(np.angle(-L(told.phase_frequency))), rel=1e-9)
    assert told.delay == pytest.approx(2.749e-3, rel=1e-3)
    assert told.gain == pytest.approx(-1.0 / L(math.pi / 1e-3).real, rel=1e-9)
    assert told.stability == "stable"  # the slow one is judged with its own period


def test_responses_are_those_of_the_samplers_on_the_way() -> None:
    sim = model(TWO_RATES.format(slow="100 ms", fed="goal.y"))
    lin = linearise(sim, x="equilibrium", inputs=["goal.y"], outputs=["plant.y"])
    a, w = math.exp(-0.1), 100.0
    z = np.exp(1e-3j * w)
    loop_ = (z - 0.9) / (z - 1.0) * 5.0 * (1.0 - a) / (z - a)
    assert lin.bode([w]).values[0, 0, 0] == pytest.approx(loop_ / (1.0 + loop_), rel=1e-9)


def turns(k: float) -> int:
    """Roots of 1 + L = 0 to the right, L = k e^(-5 ms s) / s: the turns of s (1 + L) / (s + 1)."""
    s = 1j * np.linspace(1e-4, 4e4, 200_001)
    total = np.unwrap(np.angle((s + k * np.exp(-5e-3 * s)) / (s + 1.0)))
    # half of the contour: the other half is its mirror image
    return round(-total[-1] / math.pi)


@pytest.mark.parametrize(("far", "joined"), [("0.2 s", 0.0), ("0.7 s", 0.1), ("10 s", 0.0)])
def test_a_loop_with_a_short_delay_is_judged_beside_a_long_one(far: str, joined: float) -> None:
    # k e^(-s T) / s: stable below pi / 2 T; what the belt adds only feeds it
    for k, verdict in ((313.9, "stable"), (400.0, "unstable")):
        sim = model(FAR.format(k=k, far=far, joined=joined))
        assert linearise(sim, x="equilibrium").stability == verdict
        assert turns(k) == (0 if verdict == "stable" else 2)
        told = luff.margins(sim, "late.y")
        assert told.stability == verdict
        assert (told.phase > 0.0) == (verdict == "stable")
        assert told.phase == pytest.approx(math.pi / 2 - 5e-3 * k, rel=1e-9)
    sim = model(FAR.format(k=300.0, far=far, joined=joined))
    (limit,) = luff.locus(sim, "c.k", [100.0, 1000.0]).limits
    assert limit.value == pytest.approx(math.pi / 0.01, rel=1e-9)


def test_roots_that_were_found_and_counted_otherwise_are_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    sim = model(FAR.format(k=400.0, far="0.2 s", joined=0.0))
    assert linearise(sim, x="equilibrium").stability == "unstable"
    monkeypatch.setattr(delay_eigenvalues._Axis, "growing", lambda *_: 0)
    found = linearise(sim, x="equilibrium")
    assert found.stability == "unjudged"
    assert "2 roots of its delays were found to grow, 0 were counted" in found.unjudged


def test_two_delays_of_one_loop_a_thousand_times_apart() -> None:
    # x' = -a x(t - 5 ms) - b x(t - 5 s), with b < a: the long one alone would be unstable
    text = """luff: 1
blocks:
  x: {{type: integrator, initial: 1}}
  a: {{type: gain, k: {a!r}}}
  b: {{type: gain, k: {b!r}}}
  short: {{type: delay, delay: 5 ms}}
  long: {{type: delay, delay: 5 s}}
  sum: {{type: sum, signs: "--"}}
connect: [x.y -> short.u, x.y -> long.u, short.y -> a.u, long.y -> b.u, a.y -> sum.u1, b.y -> sum.u2, sum.y -> x.u]
simulation: {{stop: 60 s, step: 1 ms}}
"""
    for a, b, verdict in ((100.0, 50.0, "stable"), (330.0, 1.0, "unstable"), (10.0, 11.0, "unstable")):
        assert linearise(model(text.format(a=a, b=b)), x="initial").stability == verdict


HELD = """luff: 1
blocks:
  c: {{type: gain, k: -300}}
  hold: {{type: zero_order_hold, sample_time: 1 ms}}
  late: {{type: delay, delay: {late!r}}}
  plant: {{type: integrator}}
connect: [plant.y -> c.u, c.y -> hold.u, hold.y -> late.u, late.y -> plant.u]
simulation: {{stop: 1 s, step: 1 ms}}
"""


@pytest.mark.parametrize("steps", [5, 9, 20, 40])
def test_a_sampled_loop_with_a_delay_of_many_steps_is_judged(steps: int) -> None:
    """z^(d+1) - z^d + g = 0 of x(k+1) = x(k) - g x(k-d): stable below g = 2 sin(pi/(4 d + 2)) (Levin and May 1976)."""
    sim = luff.compile(luff.loads(HELD.format(late=1e-3 * steps)))
    found = luff.modes(sim)
    z = np.roots([1.0, -1.0, *[0.0] * (steps - 1), 0.3])
    growing = max(np.log(z) / 1e-3, key=lambda s: s.real)
    told = max(found.eigenvalues, key=lambda s: s.real)
    assert told == pytest.approx(complex(growing.real, abs(growing.imag)), rel=1e-9)
    border = 2.0 * math.sin(math.pi / (4 * steps + 2)) / 1e-3
    (limit,) = luff.locus(sim, "c.k", [-1.2 * border, -0.8 * border]).limits
    assert limit.value == pytest.approx(-border, rel=1e-8)
    assert not limit.stable_below


def test_a_mode_above_the_sampling_frequency_is_found_between_samples() -> None:
    sim = model(DRIVE)
    found = modes(sim)
    # the same with a law that is not sampled moves the stiff mode by less than 1e-4
    smooth = modes(model(DRIVE.replace("hold.y -> law.u", "motor.position -> law.u")))
    assert found.frequencies[1] == pytest.approx(smooth.frequencies[-1], rel=1e-4)
    assert found.damping[1] == pytest.approx(smooth.damping[-1], rel=5e-3)
    assert "mode 2 is above half of the sampling frequency, 157.08 rad/s" in "\n".join(describe_modes(found))
    rows = list(confirm_modes(sim, found))
    assert [row.agrees for row in rows] == [True, True], rows


@pytest.mark.parametrize("damping", [", damping: 1e5 N*s/m", ""])
def test_a_stiff_spring_beside_a_pendulum_hides_nothing(damping: str) -> None:
    def sim(k: float) -> luff.Simulation:
        return model(STIFF.format(expr=f"-{k} * q - 2 * v", damping=damping))

    told = luff.margins(sim(120.0), "pin.effort")
    # L = (2 s + 120) / (10 s^2 - 98.1)
    w = math.sqrt((-1962.0 + 4.0 + math.sqrt((1962.0 - 4.0) ** 2 + 4 * 100.0 * (14400.0 - 98.1**2))) / 200.0)
    assert told.phase_frequency == pytest.approx(w, rel=1e-9)
    loop_ = complex(120.0, 2.0 * w) / (-10.0 * w * w - 98.1)
    assert told.phase == pytest.approx(float(np.angle(-loop_)), rel=1e-6)
    assert told.gain_low == pytest.approx(98.1 / 120.0, rel=1e-9)
    found = modes(sim(120.0))
    assert found.frequencies[found.oscillating] == pytest.approx([math.sqrt(2.19), 1e4], rel=1e-6)
    assert found.signs.count("open") == (0 if damping else 1)
    assert told.stability == "stable"  # of what the cut reaches: the spring is no part of its loop
    words = linearise(sim(120.0), x="equilibrium").equilibrium
    assert ("not known whether this is stable" in words) is (not damping)


def test_an_rms_of_a_tension_hides_no_mode() -> None:
    sim = model("""luff: 1
blocks:
  top: {type: fixed, at: [0, 0, 20]}
  x: {type: prismatic, axis: x}
  z: {type: prismatic, axis: z}
  load: {type: rigid_link, mass: 10 t}
  ro: {type: rope, EA: 2e7 N, damping: 0.005 s, length: 20 m}
  effective: {type: rms}
connect: [world.frame -- top.frame_a, world.frame -- x.frame_a, x.frame_b -- z.frame_a, z.frame_b -- load.frame_a,
  top.frame_b -- ro.frame_a, load.frame_b -- ro.frame_b, ro.tension -> effective.u]
initial: {solve: static}
simulation: {stop: 10 s, step: 1 ms}
""")
    found = modes(sim)
    sag = 10e3 * 9.81 / 1e6  # EA / l = 1 MN/m
    wanted = [math.sqrt(9.81 / (20.0 + sag)), 10.0]
    assert found.frequencies[found.oscillating] == pytest.approx(wanted, rel=1e-6)
    assert found.damping[1] == pytest.approx(0.005 * 10.0 / 2.0, rel=1e-6)
    assert [next(iter(found.driving_states(k))).split(".")[0] for k in (1, 2)] == ["x", "z"]
    assert [row.agrees for row in confirm_modes(sim, found)] == [True, True]


def test_the_commands_show_their_runs(tmp_path: Path) -> None:
    (tmp_path / "far.yaml").write_text(FAR.format(k=250.0, far="0.2 s", joined=0.0))
    done = call("margins", "far.yaml", "--cut", "late.y", "--confirm", cwd=tmp_path)
    assert "confirmed by runs: 4 of 4 agree" in done.stdout
    told = json.loads(
        call(
            "locus",
            "far.yaml",
            "--over",
            "c.k=100..1000",
            "--points",
            "5",
            "--confirm",
            "--json",
            cwd=tmp_path,
        ).stdout
    )
    assert [(one["expected"], one["agrees"]) for one in told["confirmed"]] == [
        ("decays", True),
        ("grows", True),
    ]
    done = call("modes", "far.yaml", "--confirm", cwd=tmp_path)
    assert "2 of 2 agree" in done.stdout
    done = call("modes", "far.yaml", "--confirm", "--at", "initial", cwd=tmp_path, code=2)
    assert "expected the equilibrium at time 0" in done.stderr


def test_the_table_counts_what_differs_and_what_decides_nothing() -> None:
    rows = [
        Confirmation("k.k", "3", "decays", seen, agrees)
        for seen, agrees in (("a", True), ("b", False), ("c", None))
    ]
    lines = list(table(rows))
    assert lines[0] == "confirmed by runs: 1 of 3 agree, 1 DIFFER, 1 decide nothing"
    assert [line.split()[-1] for line in lines[2:]] == ["agrees", "DIFFERS", "seen"]
    assert list(table([])) == ["confirmed by runs: there is no border to run beside"]


@pytest.fixture
def short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of no more than some seconds: what they cannot decide is not counted."""
    monkeypatch.setattr(perturbed_runs, "STEPS", 100_000)


@pytest.mark.usefixtures("short_runs")
def test_loops_by_chance_do_beside_their_borders_what_is_told(seed: int, many: int) -> None:
    decided = 0
    for number in range(2 if many == 1 else 300):
        one = loop(np.random.default_rng([seed, number]))
        sim = model(one.text)
        told = luff.margins(sim, "k.y")
        found = luff.locus(sim, "k.k", np.geomspace(one.gain / 10.0, one.gain * 10.0, 3))
        rows = [*confirm_margins(sim, told), *confirm_locus(sim, found)]
        assert not [row for row in rows if row.agrees is False], (number, one.text, rows)
        decided += sum(row.agrees is True for row in rows)
    assert decided > 0


@pytest.mark.usefixtures("short_runs")
def test_modes_by_chance_ring_as_they_are_told(seed: int, many: int) -> None:
    decided = 0
    for number in range(1 if many == 1 else 300):
        text = mechanics(np.random.default_rng([seed, 1000 + number]), hardest=4.0)
        sim = model(text)
        rows = list(confirm_modes(sim, modes(sim)))
        assert not [row for row in rows if row.agrees is False], (number, text, rows)
        decided += sum(row.agrees is True for row in rows)
    assert decided > 0
