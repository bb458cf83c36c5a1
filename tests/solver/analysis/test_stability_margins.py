"""Margins of loops: against closed forms with delays and samplers, python-control, and runs that just diverge."""

from __future__ import annotations

import json
import math
from pathlib import Path

import control
import numpy as np
import pytest
from scipy.optimize import brentq

import luff
from luff.blocks.errors import LuffError
from luff.solver.analysis import stability_margins
from luff.solver.analysis.stability_margins import margin_rows
from luff.tests.process import call

# k G(s) e^(-0.5 s) around a loop, G a rational function
LOOP = """luff: 1
name: loop
blocks:
  one: {{type: step, height: 1}}
  sum: {{type: sum, signs: "+-"}}
  k: {{type: gain, k: {k}}}
  plant: {{type: transfer_function, num: {num}, den: {den}}}
  back: {{type: {back}}}
connect: [one.y -> sum.u1, back.y -> sum.u2, sum.y -> k.u, k.y -> plant.u, plant.y -> back.u]
simulation: {{stop: 60 s, step: {step}}}
"""
LATE = "delay, delay: 0.5 s"
CLOSE = 1e-9  # as asked: derivatives of linear blocks are exact to 1e-12 or so


def loop(
    k: float = 3.0, num: object = "[1]", den: object = "[1, 1]", back: str = LATE, step: str = "10 ms"
) -> luff.Simulation:
    return luff.compile(luff.loads(LOOP.format(k=k, num=num, den=den, back=back, step=step)))


def test_a_lag_with_delay_has_the_margins_of_its_closed_form() -> None:
    told = luff.margins(loop(), "k.u")
    w = brentq(lambda w: 0.5 * w + math.atan(w) - math.pi, 1, 6, xtol=1e-15)
    assert told.gain_frequency == pytest.approx(w, rel=CLOSE)
    assert told.gain == pytest.approx(math.sqrt(1 + w**2) / 3, rel=CLOSE)
    wc = math.sqrt(8)
    phase = math.pi - math.atan(wc) - 0.5 * wc
    assert told.phase_frequency == pytest.approx(wc, rel=CLOSE)
    assert told.phase == pytest.approx(phase, rel=CLOSE)
    assert told.delay == pytest.approx(phase / wc, rel=CLOSE)
    assert told.gain_low == 0.0
    dense = np.linspace(3.4, 3.7, 30001)
    distance = abs(1 + 3 * np.exp(-0.5j * dense) / (1j * dense + 1)).min()
    assert told.modulus == pytest.approx(distance, rel=1e-8)  # of a parabola between points 1e-5 apart
    assert told.stability == "stable"


def test_a_conditionally_stable_loop_may_fall_to_the_nearest_of_two_gains() -> None:
    """L = k (s + 2)^2 / (s (s + 0.1) (s + 0.2) (s/50 + 1)^2) is stable between two gains, and below a third one.

    Its phase passes -180 degrees three times; borders are those of the polynomial's roots.
    """
    num = np.polymul([1.0, 2.0], [1.0, 2.0])
    den = np.polymul(np.polymul([1.0, 0.3, 0.02, 0.0], [0.02, 1.0]), [0.02, 1.0])

    def last(k: float) -> float:
        return float(np.roots(np.polyadd(den, k * num)).real.max())

    k = 20.0
    told = luff.margins(loop(k, num.tolist(), den.tolist(), "gain, k: 1", "1 ms"), "k.u")
    assert told.stability == "stable"
    assert [last(one) < 0.0 for one in (1e-4, 0.1, k, 1e3)] == [True, False, True, False]
    assert k * told.gain_low == pytest.approx(brentq(last, 0.1, k, xtol=1e-14), rel=1e-8)
    assert k * told.gain == pytest.approx(brentq(last, k, 1e3, xtol=1e-12), rel=1e-8)


def test_a_loop_is_cut_at_the_input_of_a_nested_netlist(tmp_path: Path) -> None:
    plant = (
        "luff: 1\ninputs: {u: {default: 0}}\noutputs: {y: lag.y}\nblocks: {lag: {type: transfer_function, "
    )
    (tmp_path / "plant.yaml").write_text(plant + "num: [3], den: [1, 1]}}\nconnect: [inputs.u -> lag.u]\n")
    (tmp_path / "loop.yaml").write_text(
        "luff: 1\nblocks:\n  plant: {type: ./plant.yaml}\n  late: {type: delay, delay: 0.5 s}\n"
        "  back: {type: gain, k: -1}\nconnect: [plant.y -> late.u, late.y -> back.u, back.y -> plant.u]\n"
        "simulation: {stop: 1 s, step: 10 ms}\n"
    )
    told = luff.margins(luff.compile(tmp_path / "loop.yaml"), "plant.u")
    assert [told.gain, told.phase] == pytest.approx(
        [luff.margins(loop(), "k.u").gain, luff.margins(loop(), "k.u").phase]
    )


def test_a_weak_sampled_loop_has_a_gain_margin_far_above_its_modes() -> None:
    """Its modes are below 1.5 rad/s, it turns to -180 deg at 19 rad/s, where its gain is 3e-5; modified z-transform."""
    from scipy.linalg import expm

    k, h = 0.058, 2e-3
    A, B = np.array([[0.0, 1.0], [-1.0 / 5.57, -8.2 / 5.57]]), np.array([[0.0], [1.0 / 5.57]])

    def over(t: float) -> tuple[np.ndarray, np.ndarray]:
        both = expm(t * np.block([[A, B], [np.zeros((1, 3))]]))
        return both[:2, :2], both[:2, 2:]

    # a delay of 1.5 periods: u(k - 2) acts in the first half of a period, u(k - 1) in the second
    (whole, _), (half, force) = over(h), over(0.5 * h)

    def L(w: float) -> complex:
        z = np.exp(1j * w * h)
        b = half @ force * z**-2 + force * z**-1
        return complex(k * np.linalg.solve(z * np.eye(2) - whole, b)[0, 0])

    w = brentq(lambda one: L(one).imag, 10.0, 40.0, xtol=1e-12)
    text = LOOP.format(k=k, num="[1]", den="[5.57, 8.2, 1]", back="delay, delay: 3 ms", step="1 ms")
    text = text.replace("k.y -> plant.u", "k.y -> hold.u, hold.y -> plant.u")
    text = text.replace("blocks:", "blocks:\n  hold: {type: zero_order_hold, sample_time: 2 ms}")
    found = luff.margins(luff.compile(luff.loads(text)), "k.y")
    assert found.gain_frequency == pytest.approx(w, rel=1e-6)  # sampled derivatives of a small gain
    assert found.gain == pytest.approx(-1.0 / L(w).real, rel=1e-6)
    assert found.phase == math.inf


def test_a_slow_loop_turns_far_beyond_its_modes() -> None:
    """k (1 - s/z) / (s + 1)^2: at -180 deg where 2 atan w + atan w/z = pi, thousands of times beyond its modes."""
    z = 1e9
    found = luff.margins(loop(1e-3, f"[{-1.0 / z!r}, 1]", "[1, 2, 1]", "gain, k: 1"), "k.y")
    w = brentq(lambda one: 2.0 * math.atan(one) + math.atan(one / z) - math.pi, 1e3, 1e6, xtol=1e-9)
    assert w == pytest.approx(math.sqrt(2.0 * z), rel=1e-3)
    # the gain there is 1e-3 / (1 + w^2) = 5e-13: below what is known
    assert found.gain == math.inf
    found = luff.margins(loop(0.5, f"[{-1.0 / 1e6!r}, 1]", "[1, 2, 1]", "gain, k: 1"), "k.y")
    w = brentq(lambda one: 2.0 * math.atan(one) + math.atan(one / 1e6) - math.pi, 10.0, 1e5, xtol=1e-9)
    assert found.gain_frequency == pytest.approx(w, rel=1e-4)
    assert found.gain == pytest.approx((1.0 + w * w) / math.hypot(1.0, w / 1e6) / 0.5, rel=1e-4)


def test_a_loop_that_turns_faster_than_it_is_followed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    # a resonance that the closed loop has no more: L turns by 180 deg within 1e-5 of its frequency
    sim = loop(3.0, "[1]", "[1, 2e-5, 1]", "gain, k: 1")
    assert luff.margins(sim, "k.u").notes == []
    monkeypatch.setattr(stability_margins, "MOST_POINTS", 500)
    (note,) = luff.margins(sim, "k.u").notes
    assert "a smaller margin, may lie there" in note


def test_a_gain_that_does_not_fall_is_told_where_the_search_ends() -> None:
    """L = (s + 1) / (2 s + 4) e^(-s/2): its gain rises to 1/2 with ever more crossings, so margins fall towards 2."""
    told = luff.margins(loop(0.5, "[1, 1]", "[1, 2]"), "k.u")
    (note,) = told.notes
    assert "the gain of the loop is still 0.5 at" in note
    assert told.gain > 2.0
    assert luff.margins(loop(), "k.u").notes == []


@pytest.mark.parametrize("cut", ["k.u", "k.y", "plant.y", "back.u", "sum.u2"])
def test_a_loop_is_the_same_wherever_it_is_cut(cut: str) -> None:
    told, first = luff.margins(loop(), cut), luff.margins(loop(), "plant.u")
    assert [told.gain, told.phase, told.delay] == pytest.approx(
        [first.gain, first.phase, first.delay], rel=CLOSE
    )


@pytest.mark.parametrize(
    ("k", "num", "den"),
    [
        (1.0, "[1]", "[1, 3, 3, 1]"),  # a gain margin alone: the gain is 1 at rest only
        (4.0, "[1]", "[1, 3, 3, 1]"),
        (2.0, "[1]", "[0.1, 1, 0]"),  # an integrator: a phase margin alone
        (1.0, "[1]", "[0.05, 0.6, 1, 0]"),
        (30.0, "[0.2, 1.2, 1]", "[1, 2, 1, 0, 0]"),
        (5.0, "[1, 1]", "[1, 0.2, 100, 0]"),  # several crossings at a resonance
    ],
)
def test_rational_loops_have_the_margins_of_python_control(k: float, num: str, den: str) -> None:
    told = luff.margins(loop(k, num, den, "gain, k: 1"), "k.u")
    rational = control.tf([k * c for c in json.loads(num)], json.loads(den))
    gains, phases, distances, wg, wp, _ = control.stability_margins(rational, returnall=True)
    above = [(gain, w) for gain, w in zip(gains, wg, strict=True) if gain > 1.0 and math.isfinite(gain)]
    low = max((gain for gain in gains if 0.0 < gain <= 1.0), default=0.0)
    if above:
        assert (told.gain, told.gain_frequency) == pytest.approx(min(above), rel=CLOSE)
    else:
        assert told.gain == math.inf
    assert told.gain_low == pytest.approx(low, rel=CLOSE)
    real = [(abs(phase), w) for phase, w in zip(phases, wp, strict=True) if w > 1e-6]
    if real:
        assert (abs(math.degrees(told.phase)), told.phase_frequency) == pytest.approx(min(real), rel=CLOSE)
        assert told.delay == pytest.approx(
            min(math.radians(p % 360) / w for p, w in zip(phases, wp, strict=True) if w > 1e-6), rel=CLOSE
        )
    else:
        assert told.phase == told.delay == math.inf
    assert told.modulus == pytest.approx(min(distances), rel=1e-6)  # its own search ends there


def test_a_sampled_integrator_is_unstable_at_half_of_the_sampling_frequency() -> None:
    # z = 1 - k T: the limit is k = 2 / T
    told = luff.margins(loop(3.0, "[1]", "[1, 0]", "zero_order_hold, sample_time: 0.1 s"), "back.y")
    assert told.period == pytest.approx(0.1)
    assert told.gain == pytest.approx(2 / 0.1 / 3, rel=CLOSE)
    assert told.gain_frequency == pytest.approx(math.pi / 0.1, rel=CLOSE)
    # L = 0.3 / (z - 1), of magnitude 1 where |z - 1| = 0.3
    w = 2 / 0.1 * math.asin(0.15)
    assert told.phase_frequency == pytest.approx(w, rel=CLOSE)
    assert told.phase == pytest.approx(math.pi / 2 - 0.05 * w, rel=CLOSE)


@pytest.mark.parametrize(("factor", "grows"), [(0.97, False), (1.03, True)])
def test_runs_just_do_not_and_just_do_diverge_at_the_gain_margin(factor: float, grows: bool) -> None:
    margin = luff.margins(loop(), "k.u").gain
    y = loop(3.0 * margin * factor).run()["plant.y"]
    first, last = (np.ptp(part) for part in (y[500:1500], y[-1000:]))
    assert (last > first) == grows


def test_runs_just_do_not_and_just_do_diverge_at_the_delay_margin() -> None:
    margin = luff.margins(loop(), "k.u").delay
    swings = []
    for factor in (0.9, 1.1):
        y = loop(back=f"delay, delay: {0.5 + factor * margin} s").run()["plant.y"]
        swings.append(np.ptp(y[-1000:]) / np.ptp(y[500:1500]))
    assert swings[0] < 1.0 < swings[1]


def test_an_unstable_plant_has_a_least_gain() -> None:
    # 3 / (s - 1): stable above a gain of 1
    told = luff.margins(loop(3.0, "[1]", "[1, -1]", "gain, k: 1"), "k.u")
    assert told.stability == "stable"
    assert (told.gain, told.gain_low) == (math.inf, pytest.approx(1 / 3, rel=CLOSE))
    assert told.phase == pytest.approx(math.atan(math.sqrt(8)), rel=CLOSE)


def test_a_pendulum_under_pd_has_the_margins_of_its_linear_model() -> None:
    netlist = """luff: 1
blocks:
  pin: {type: revolute, axis: y, initial: {position: 0.2}}
  rod: {type: rigid_link, mass: 2 kg, com: [0, 0, -0.7], inertia: [1e-9, 1e-9, 1e-9]}
  here: {type: expression, inputs: [q, v], expr: -40*q - 8*v}
connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a, pin.position -> here.q, pin.velocity -> here.v,
  here.y -> pin.effort]
"""
    told = luff.margins(luff.compile(luff.loads(netlist)), "pin.effort")
    J, g = 2 * 0.7**2 + 1e-9, 9.81
    gains, phases, distances, *_ = control.stability_margins(
        control.tf([8, 40], [J, 0, 2 * g * 0.7]), returnall=True
    )
    # differences of the mechanics have ten digits
    assert math.degrees(told.phase) == pytest.approx(min(phases), rel=1e-6)
    assert told.modulus == pytest.approx(min(distances), rel=1e-5)
    assert (told.gain, len(gains)) == (math.inf, 0)


def test_a_diagram_ends_a_decade_beyond_what_is_to_be_seen() -> None:
    """40 / s: the gain is 1 at its mode, 40 rad/s, and |1 + L| > 1 falls to 1 as the gain vanishes."""
    told = luff.margins(loop(40.0, "[1]", "[1, 0]", "gain, k: 1"), "k.u")
    assert told.drawn == pytest.approx((4.0, 400.0), rel=CLOSE)
    assert told.frequencies[-1] > 1e8  # up to where the search went
    assert list(margin_rows(told))[-1] == ("nearest to -1", "1", "high frequency")
    seen = told.plot().axes[0].lines[0].get_xdata()
    assert (seen[0], seen[-1]) == pytest.approx((4.0, 400.0), rel=0.1)  # neighbours of the ends
    wide = told.plot(span=(None, 1e6)).axes[0].lines[0].get_xdata()
    assert wide[0] == seen[0]
    assert wide[-1] > 1e5


def test_what_is_no_loop_is_refused() -> None:
    with pytest.raises(LuffError, match=r"one\.y: this signal is in no loop"):
        luff.margins(loop(), "one.y")
    with pytest.raises(LuffError, match="there is no such signal"):
        luff.margins(loop(), "k.z")


def test_the_command_tells_and_draws(tmp_path: Path) -> None:
    (tmp_path / "late.yaml").write_text(LOOP.format(k=3, num="[1]", den="[1, 1]", back=LATE, step="10 ms"))
    done = call("margins", "late.yaml", "--cut", "k.u", cwd=tmp_path)
    assert "gain margin: 1.26896 (2.069 dB) at 3.67319 rad/s" in done.stdout
    assert "phase margin: 28.4428 deg at 2.82843 rad/s" in done.stdout
    assert "delay margin: 0.175511 s at 2.82843 rad/s" in done.stdout
    assert "nearest to -1: 0.196761 at 3.53005 rad/s" in done.stdout  # the page shows these lines
    assert (tmp_path / "late-margins.png").stat().st_size > 1000
    told = json.loads(
        call("margins", "late.yaml", "--cut", "k.u", "--set", "k.k=5", "--json", cwd=tmp_path).stdout
    )
    assert told["stability"] == "unstable"
    assert told["gain_low"] == pytest.approx(1.2689609549419576 * 3 / 5, rel=CLOSE)
    done = call("margins", "late.yaml", cwd=tmp_path, code=2)
    assert "found no --cut" in done.stderr


@pytest.mark.parametrize("other", ["hold", "drift"])
def test_a_loop_is_stable_beside_what_its_cut_does_not_reach(other: str, tmp_path: Path) -> None:
    """k/s with a delay: PM 90 deg - k T, GM pi/(2 k T), beside a sampled loop at z = 1, or an integrator by itself."""
    blocks = {
        "hold": "far: {type: zero_order_hold, sample_time: 70 ms}\n"
        "  pole: {type: transfer_function, num: [1], den: [1, 1]}",
        "drift": "far: {type: integrator}\n  pole: {type: gain}",
    }[other]
    wires = {"hold": "pole.y -> far.u, far.y -> pole.u", "drift": "p.y -> far.u, far.y -> pole.u"}[other]
    (tmp_path / "loop.yaml").write_text(f"""luff: 1
blocks:
  e: {{type: sum}}
  goal: {{type: step, height: 1}}
  c: {{type: gain, k: 2}}
  d: {{type: delay, delay: 0.3 s}}
  p: {{type: integrator}}
  {blocks}
connect: [goal.y -> e.u1, p.y -> e.u2, e.y -> c.u, c.y -> d.u, d.y -> p.u, {wires}]
simulation: {{stop: 1 s, step: 1 ms}}
""")
    told = call("margins", "loop.yaml", "--cut", "c.y", "--at", "initial", "--json", cwd=tmp_path)
    found = json.loads(told.stdout)
    assert found["stability"] == "stable"
    assert found["gain"] == pytest.approx(math.pi / 1.2, rel=1e-6)
    assert any(
        "with what this cut does not reach the model is indifferent" in note for note in found["notes"]
    )
    unstable = call(
        "margins", "loop.yaml", "--cut", "c.y", "--at", "initial", "--json", "--set", "c.k=6", cwd=tmp_path
    )
    assert json.loads(unstable.stdout)["stability"] == "unstable"
