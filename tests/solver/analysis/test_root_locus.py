"""Roots over a parameter: against polynomials, the characteristic equation of a delay, and the map of a sampler."""

from __future__ import annotations

import cmath
import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

import luff
from luff.blocks.errors import LuffError
from luff.solver.analysis import root_locus
from luff.solver.analysis.linearise import Linear
from luff.solver.analysis.root_locus import describe_locus
from luff.tests.process import call
from luff.tests.solver.analysis.test_stability_margins import LATE, LOOP, loop

CLOSE = 1e-9  # derivatives of linear blocks are exact to 1e-12 or so


def test_roots_are_those_of_the_characteristic_polynomial_and_are_followed() -> None:
    # 1 + k / (s + 1)^3 = 0: s = -1 + (-k)^(1/3), which crosses the axis at k = 8 with sqrt(3) rad/s
    gains = np.linspace(0.5, 12.5, 13)
    told = luff.locus(loop(4.0, "[1]", "[1, 3, 3, 1]", "gain, k: 1"), "k.k", gains)
    for k, row in zip(gains, told.roots, strict=True):
        expected = np.sort_complex(np.roots([1, 3, 3, 1 + k]))
        np.testing.assert_allclose(np.sort_complex(row), expected, rtol=0, atol=1e-8)
    # each column is one branch: the real one and the two that leave at 60 degrees
    away = np.angle(told.roots + 1)
    assert np.ptp(away, axis=0) == pytest.approx(0.0, abs=1e-8)
    assert told.stability == ["stable"] * 8 + ["unstable"] * 5
    (limit,) = told.limits
    assert (limit.value, limit.frequency) == pytest.approx((8.0, math.sqrt(3)), rel=CLOSE)
    assert limit.stable_below


def test_a_border_among_values_without_a_verdict_is_not_told_as_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judge = root_locus.stability
    sim, gains = loop(4.0, "[1]", "[1, 3, 3, 1]", "gain, k: 1"), [1.0, 4.0, 12.0]

    def partly(lin: Linear) -> str:
        """No verdict where the slowest pair is near the axis, at k = 8."""
        near = abs(np.linalg.eigvals(lin.A).real).min() < 0.1
        return "unjudged" if near else judge(lin)

    monkeypatch.setattr(root_locus, "stability", partly)
    told = luff.locus(sim, "k.k", gains)
    assert (told.stability, told.limits) == (["stable", "stable", "unstable"], [])
    assert any("between 4 and 12 stability changes, and has no verdict at 8" in note for note in told.notes)
    told = luff.locus(sim, "k.k", [1.0, 8.0, 12.0])
    assert (told.stability, told.limits) == (["stable", "unjudged", "unstable"], [])
    assert any("between 1 and 12 stability changes" in note for note in told.notes)


def test_roots_with_a_delay_are_those_of_its_characteristic_equation() -> None:
    # s + 1 + k exp(-s / 2) = 0 has no end of roots; those shown are exact, although a coarse map began with them
    told = luff.locus(loop(), "k.k", [0.5, 2.0, 5.0])
    for k, row in zip(told.values, told.roots, strict=True):
        shown = row[np.isfinite(row)]
        assert len(shown) > 4
        for s in shown:
            assert abs(s + 1 + k * cmath.exp(-0.5 * s)) == pytest.approx(0.0, abs=1e-9 * max(1.0, abs(s)))
    w = brentq(lambda w: 0.5 * w + math.atan(w) - math.pi, 1, 6, xtol=1e-15)
    (limit,) = told.limits
    assert (limit.value, limit.frequency) == pytest.approx((math.sqrt(1 + w**2), w), rel=CLOSE)


def test_a_sampled_integrator_leaves_at_two_over_its_period_without_a_verdict_of_the_axis() -> None:
    # z = 1 - k T: at k = 2 / T it is -1, half of the sampling frequency
    told = luff.locus(
        loop(3.0, "[1]", "[1, 0]", "zero_order_hold, sample_time: 0.1 s"), "k.k", [1.0, 8.0, 30.0]
    )
    (limit,) = told.limits
    assert (limit.value, limit.frequency) == pytest.approx((20.0, math.pi / 0.1), rel=1e-8)


def test_what_becomes_stable_above_and_without_oscillation_is_told_so() -> None:
    # 1 / (s - 1) with k around it: s = 1 - k
    told = luff.locus(loop(3.0, "[1]", "[1, -1]", "gain, k: 1"), "k.k", [0.25, 0.5, 3.0])
    (limit,) = told.limits
    assert not limit.stable_below
    assert limit.value == pytest.approx(1.0, abs=1e-6)  # at 1 there is no equilibrium to look at
    assert limit.frequency == 0.0


def test_an_equilibrium_is_followed_from_that_of_the_value_before() -> None:
    text = """luff: 1
blocks:
  pin: {type: revolute, axis: y, stiffness: 100 N*m/rad, damping: 1 N*m*s/rad, initial: {position: 1 deg}}
  rod: {type: rigid_link, mass: 1, com: [0, 0, 1], inertia: [1, 1, 1]}
connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a]
"""
    masses = np.linspace(1.0, 10.0, 19)
    told = luff.locus(luff.compile(luff.loads(text)), "rod.mass", masses)
    # m g above its stiffness: the upright position buckles at m = 100 / 9.81; below, s^2 (1 + m) + s + 100 - m g = 0
    for m, row in zip(masses, told.roots, strict=True):
        expected = np.sort_complex(np.roots([1 + m, 1, 100 - 9.81 * m]))
        np.testing.assert_allclose(np.sort_complex(row), expected, rtol=0, atol=1e-7)
    assert not told.limits


def test_a_border_at_zero_and_verdicts_in_rows_are_told_as_such() -> None:
    """k / (s (s + 1)): stable above k = 0, which is found to 1e-10 of the range; at k = 0 an integrator is left."""
    sim = loop(1.0, "[1]", "[1, 1, 0]", "gain, k: 1")
    lines = [*describe_locus(luff.locus(sim, "k.k", [-1.0, -0.3, 0.7, 1.0]))]
    assert lines[0] == "k.k: stable above 0, without oscillation"
    assert lines[1].startswith("looked at 4 values from -1 to 1;")
    lines = [*describe_locus(luff.locus(sim, "k.k", [0.0, 0.5, 1.0]))]
    assert lines[:2] == ["k.k at 0: indifferent", "k.k from 0.5 to 1: stable"]


def test_what_cannot_be_varied_is_refused() -> None:
    with pytest.raises(LuffError, match="each above the one before"):
        luff.locus(loop(), "k.k", [1.0, 1.0])
    with pytest.raises(LuffError, match=r"k\.gain"):
        luff.locus(loop(), "k.gain", [1.0, 2.0])


def test_the_command_tells_and_draws(tmp_path: Path) -> None:
    (tmp_path / "late.yaml").write_text(LOOP.format(k=3, num="[1]", den="[1, 1]", back=LATE, step="10 ms"))
    command = ("locus", "late.yaml", "--over", "k.k=0.5..6", "--points", "12")
    done = call(*command, cwd=tmp_path)
    assert "k.k: stable below 3.8068829, at 3.67319 rad/s" in done.stdout  # the page shows this line
    assert "looked at 12 values from 0.5 to 6" in done.stdout
    assert (tmp_path / "late-locus.png").stat().st_size > 1000
    told = json.loads(call(*command, "--log", "--json", cwd=tmp_path).stdout)
    assert told["values"][0] * told["values"][-1] == pytest.approx(told["values"][3] * told["values"][-4])
    assert told["limits"][0]["value"] == pytest.approx(3.806882864824703, rel=CLOSE)
    for wrong, message in (("k.k", "expected BLOCK.PARAM=LOW..HIGH"), ("k.k=3..1", "a lower end first")):
        assert message in call("locus", "late.yaml", "--over", wrong, cwd=tmp_path, code=2).stderr


def test_branches_are_refined_where_they_bend() -> None:
    """s^2 + c s + 1 = 0: a circle until c = 2, where both roots meet at -1 and part along the axis."""
    text = """luff: 1
blocks:
  slide: {type: prismatic, axis: x, stiffness: 1, damping: 0.1}
  cart: {type: rigid_link, mass: 1}
connect: [world.frame -- slide.frame_a, slide.frame_b -- cart.frame_a]
"""
    sim, values = luff.compile(luff.loads(text)), np.linspace(0.1, 4.0, 9)
    coarse = luff.locus(sim, "slide.damping", values)
    fine = luff.locus(sim, "slide.damping", values, refine=True)
    assert coarse.values.tolist() == values.tolist()  # as asked for
    assert set(values) < set(fine.values)
    assert fine.between == len(fine.values) - len(values) <= root_locus.FINER * len(values)
    assert (
        f"looked at 9 values from 0.1 to 4 N*s/m, and at {fine.between} between"
        in [*describe_locus(fine)][-1]
    )
    picture = np.ptp(fine.roots.real)
    for told, meets in ((coarse, False), (fine, True)):
        assert bool(abs(told.roots + 1.0).min() < 0.02 * picture) is meets
    # beside it each chord is as near to the circle as was asked for
    turning = fine.roots[fine.values < 1.9]
    middle = 0.5 * (turning[1:] + turning[:-1])
    assert (1.0 - abs(middle)).max() < 2 * root_locus.CHORD * picture
    with_chords = luff.locus(sim, "slide.damping", [0.1, 0.2, 0.3], refine=True)
    assert with_chords.between == 0  # nothing bends: it is drawn as it is
