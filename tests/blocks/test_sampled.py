"""Sampled blocks, bit for bit against the same recursion by hand, in rings too, compiled and in plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest

import luff
from luff.blocks import registered
from luff.solver.analysis.eigenvalues import multipliers
from luff.solver.analysis.linearise import linearise
from luff.solver.analysis.steady_state import equilibrium
from luff.tests.blocks.bench import make

RING = """
luff: 1
blocks:
  a: {type: unit_delay, sample_time: 20 ms, initial: 1}
  b: {type: unit_delay, sample_time: 20 ms, initial: 0.5}
  next: {type: expression, inputs: [a, b], expr: 0.9*a - 0.7*b}
connect: [a.y -> next.a, b.y -> next.b, next.y -> a.u, a.y -> b.u]
simulation: {stop: 1 s, step: 5 ms, output_step: 5 ms}
"""


@pytest.mark.parametrize("swapped", [False, True])
def test_ring_of_unit_delays_is_its_recursion(swapped: bool) -> None:
    """x[k+1] = 0.9 x[k] - 0.7 x[k-1], whichever block is written first."""
    lines = RING.split("\n")
    if swapped:
        lines[3], lines[4] = lines[4], lines[3]
    result = luff.compile(luff.loads("\n".join(lines))).run()
    a, b, wanted = 1.0, 0.5, []
    for _ in range(51):
        wanted.append((a, b))
        a, b = 0.9 * a - 0.7 * b, a
    for k in range(201):
        assert (result["a.y"][k], result["b.y"][k]) == wanted[k // 4]


def test_unit_delays_one_behind_another() -> None:
    text = """
luff: 1
blocks:
  source: {type: sine, amplitude: 1, frequency: 1 Hz}
  a: {type: unit_delay, sample_time: 50 ms, initial: -3}
  b: {type: unit_delay, sample_time: 50 ms, initial: 7}
connect: [source.y -> a.u, a.y -> b.u]
simulation: {stop: 2 s, step: 10 ms, output_step: 10 ms}
"""
    result = luff.compile(luff.loads(text)).run()
    u = result["source.y"][::5]
    for k in range(201):
        sample = k // 5
        assert result["a.y"][k] == (u[sample - 1] if sample >= 1 else -3.0)
        assert result["b.y"][k] == (u[sample - 2] if sample >= 2 else -3.0 if sample == 1 else 7.0)


def test_discrete_integrator_rests_where_its_input_is_nothing() -> None:
    """y[k+1] = y[k] + 0.2 (1 - y[k]): z = 0.8, at rest at 1."""
    text = """
luff: 1
blocks:
  one: {type: constant, value: 1}
  miss: {type: sum, signs: "+-"}
  k: {type: gain, k: 0.2}
  add: {type: sum, signs: "++"}
  last: {type: unit_delay, sample_time: 0.1 s}
  lag: {type: transfer_function, num: [1], den: [1, 1]}
connect:
  - one.y -> miss.u1
  - last.y -> miss.u2
  - miss.y -> k.u
  - k.y -> add.u1
  - last.y -> add.u2
  - add.y -> last.u
  - last.y -> lag.u
simulation: {stop: 6 s, step: 10 ms, output_step: 0.1 s}
"""
    sim = luff.compile(luff.loads(text))
    assert equilibrium(sim)[0] == pytest.approx(1.0)
    lin = linearise(sim, x="equilibrium", outputs=["last.y"])
    z = sorted(abs(multipliers(lin.A)))
    # of the sample that is shown and the next one only one is remembered; the lag decays beside
    assert z == pytest.approx([0.0, 0.8, math.exp(-0.1)], abs=1e-9)
    y, wanted = 0.0, []
    for _ in range(61):
        wanted.append(y)
        y = 0.2 * (1.0 - y) + y
    np.testing.assert_array_equal(sim.run()["last.y"], wanted)


def test_quantizer_rounds_to_the_nearest_and_halves_upwards() -> None:
    out = make(registered()["quantizer"], interval=0.25).instance_functions()["out"]
    for u, y in (
        (0.0, 0.0),
        (0.124, 0.0),
        (0.125, 0.25),
        (-0.125, 0.0),
        (-0.126, -0.25),
        (7.9, 8.0),
        (1e9 + 0.1, 1e9),
    ):
        assert out(u, 0.25) == y
