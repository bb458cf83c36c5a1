"""A load in the splash zone against momentum, Archimedes, terminal velocity, and water that carries it along."""

from __future__ import annotations

import math

import numpy as np
import pytest

import luff
from luff.blocks import NetlistError

G, RHO = 9.81, 1025.0


def load(
    mass: float,
    water: str,
    start: str = "",
    gravity: float = G,
    simulation: str = "stop: 2, step: 1e-3",
    more: str = "",
    wires: str = "",
) -> luff.Simulation:
    """A load that moves up and down alone, its bottom at the rail's position."""
    return luff.compile(
        luff.loads(f"""
luff: 1
blocks:
  world: {{gravity: [0, 0, -{gravity}]}}
  guide: {{type: prismatic, axis: z, {start}}}
  body: {{type: rigid_link, mass: {mass}}}
  water: {{type: splash_zone, {water}}}
  {more}
connect: [world.frame -- guide.frame_a, guide.frame_b -- body.frame_a, body.frame_a -- water.frame_b{wires}]
simulation: {{{simulation}}}
""")
    )


ENTERS = "height: 1, area: 1, added_mass: 800, drag: 0, slamming: 4"


STEP = 2e-4
# a step that begins within rounding of a jump of A' weighs the force there by up to 1/6: A' v h / 6 m; there are two
JUMPS = 2.0 * 2050.0 * 2.0 * STEP / 6.0 / 1000.0


@pytest.mark.parametrize("method", ["rk4", "implicit"])
def test_slamming_keeps_the_momentum_of_load_and_water(method: str) -> None:
    """von Karman (1929): (m + A(h)) v is constant on the way in."""
    run = load(
        1000.0,
        ENTERS,
        "initial: {position: 0.503, velocity: -2}",
        0.0,
        f"stop: 1, step: {STEP}, method: {method}, events: locate",
    ).run()
    A = run["water.moving_water"]
    # complete at 2 A / (rho area C_s) = 0.39 m
    np.testing.assert_allclose(
        A, 800.0 * np.clip(run["water.depth"] * RHO * 2.0 / 800.0, 0.0, 1.0), atol=1e-9
    )
    np.testing.assert_allclose((1000.0 + A) * run["guide.velocity"], -2000.0, rtol=JUMPS)
    # half of what slamming takes goes with the spray, half into the added mass
    assert run.quality["energy"]["relative_residual"] < JUMPS
    assert run.quality["energy"]["end"]["kinetic"] == pytest.approx(0.5 * 2000.0**2 / 1800.0, rel=2.0 * JUMPS)
    assert run.quality["newton_euler_residual"] < 1e-9


def test_a_load_that_leaves_the_water_leaves_its_added_mass_there() -> None:
    run = load(
        1000.0,
        ENTERS,
        "initial: {position: -0.603, velocity: 2}",
        0.0,
        f"stop: 1, step: {STEP}, events: locate",
    ).run()
    np.testing.assert_allclose(run["guide.velocity"], 2.0, rtol=1e-12)
    assert run["water.moving_water"][0] == 800.0
    assert run["water.moving_water"][-1] == 0.0
    assert run.quality["energy"]["relative_residual"] < JUMPS
    assert run.quality["energy"]["dissipated"] == pytest.approx(0.5 * 800.0 * 2.0**2, rel=JUMPS)


FLOATS = "height: 2, volume: 4, area: 2, added_mass: 1500"


def test_it_floats_and_bobs_by_archimedes() -> None:
    mass = 3000.0
    sim = load(mass, FLOATS, "initial: {position: -1}")
    modes = luff.modes(sim)
    draught = mass / (RHO * 2.0)
    # A at the draught; it is complete at 2 * 1500 / (1025 * 2 * 5) = 0.29 m
    assert draught > 0.3
    stiffness = RHO * G * 2.0
    assert max(modes.frequencies) == pytest.approx(math.sqrt(stiffness / (mass + 1500.0)), rel=1e-6)


@pytest.mark.parametrize(("mass", "start"), [(6000.0, -3.0), (2000.0, -60.0)], ids=["sinks", "rises"])
def test_it_sinks_and_rises_at_its_terminal_velocity(mass: float, start: float) -> None:
    run = load(mass, FLOATS, f"initial: {{position: {start}}}", simulation="stop: 12, step: 5e-3").run()
    weight = (mass - RHO * 4.0) * G
    # v' = (weight - k |v| v) / (m + A): v = v_e tanh(t v_e k / (m + A))
    k = 0.5 * RHO * 2.5 * 2.0
    end = math.sqrt(abs(weight) / k)
    expected = -math.copysign(end, weight) * np.tanh(run.time * end * k / (mass + 1500.0))
    np.testing.assert_allclose(run["guide.velocity"], expected, atol=1e-7)
    assert run["guide.position"].max() < -2.0
    lost = np.trapezoid(k * abs(run["guide.velocity"]) ** 3, run.time)
    # the ledger counts water as what drives: buoyancy gives, drag takes, whichever way it moves
    given = RHO * G * 4.0 * (run["guide.position"][-1] - start)
    # rows of 5 ms by straight lines: (h v_e k / (m + A))^2 / 12
    assert run.quality["energy"]["drives"] == pytest.approx(given - lost, rel=1e-4)
    assert run.quality["energy"]["relative_residual"] < 1e-8


def test_water_carries_along_what_weighs_as_much() -> None:
    """A load below the surface with the water's density: no force by waves but those that move the water itself."""
    wave, wire = (
        "wave: {type: sine, amplitude: 0.5, frequency: 1 rad/s, unit: m}",
        ", wave.trajectory -> water.surface",
    )
    start, simulation = "initial: {position: -5, velocity: 0.5}", "stop: 5, step: 5e-3"
    run = load(RHO * 4.0, FLOATS, start, simulation=simulation, more=wave, wires=wire).run()
    np.testing.assert_allclose(run["guide.position"], -5.0 + 0.5 * np.sin(run.time), atol=1e-9)
    assert run.quality["newton_euler_residual"] < 1e-9


def test_rows_are_the_same_law_as_the_few_numbers() -> None:
    start = "initial: {position: 1.003, velocity: -1}"
    few = load(3000.0, FLOATS, start).run()
    full = 2.0 * 1500.0 / (RHO * 2.0 * 5.0)
    rows = [[0, 0, 0, 0], [full, 2.0 * full, 1500.0, 2.5 * full], [2, 4, 1500, 5]]
    many = load(3000.0, f"rows: {rows}", start).run()
    np.testing.assert_allclose(many["guide.position"], few["guide.position"], atol=1e-9)


def test_derivatives_are_exact_where_it_is_half_wetted() -> None:
    sim = load(3000.0, FLOATS, "initial: {position: -0.2, velocity: -0.3}")
    linear = luff.linearise(sim, x="initial")
    assert linear.derivatives == "exact"

    def rate(z: float, v: float) -> float:
        A = 1500.0 * -z * RHO * 5.0 / 1500.0
        drag = 0.5 * RHO * 2.5 * -z * v * v
        return (RHO * G * 2.0 * -z + RHO * 5.0 * v * v + drag) / (3000.0 + A) - 3000.0 * G / (3000.0 + A)

    e = 1e-5
    by_z = (rate(-0.2 + e, -0.3) - rate(-0.2 - e, -0.3)) / (2 * e)
    by_v = (rate(-0.2, -0.3 + e) - rate(-0.2, -0.3 - e)) / (2 * e)
    np.testing.assert_allclose(linear.A[1], [by_z, by_v], rtol=1e-7)


@pytest.mark.parametrize(
    ("water", "words"),
    [
        ("height: 1", "found neither rows nor area"),
        ("rows: [[0, 0, 0, 0], [1, 1, 1, 1]], drag: 2", "found drag beside rows"),
        ("rows: [[0, 0, 0], [1, 1, 1]]", "found 3 numbers, expected .depth, V, A, CA"),
        ("rows: [[0.1, 0, 0, 0], [1, 1, 1, 1]]", "found depths that do not grow from 0"),
        ("rows: [[0, 0, 0, 0], [1, 1, -1, 1]]", "found a number below 0"),
    ],
)
def test_wrong_numbers_are_refused(water: str, words: str) -> None:
    with pytest.raises(NetlistError, match=words):
        load(1.0, water)
