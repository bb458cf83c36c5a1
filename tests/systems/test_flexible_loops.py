"""Closed loops with a flexible link: energy, the stiff limit, and friction under the reactions that bending makes."""

from __future__ import annotations

import numpy as np
import pytest

import luff
from luff.solver.initial.row_masks import elastic_rows
from luff.tests.shared.compile_text import plain

FOUR_BAR = """
luff: 1
name: four-bar with a flexible coupler
blocks:
  world: {{gravity: [0, -9.81, 0]}}
  crank_pin: {{type: revolute, axis: z, initial: {{position: 60 deg, velocity: 4}}{rubbing}}}
  crank: {{type: rigid_link, mass: 0.5, com: [0.15, 0, 0], inertia: [2e-3, 4e-3, 4e-3], frame_b: {{at: [0.3, 0, 0]}}}}
  first: {{type: revolute, axis: z, guess: {{position: -45 deg}}}}
  coupler:
    type: rfem_link
    length: 0.8
    section: {{shape: rectangle, width: 12 mm, height: 12 mm}}
    E: {E}
    G: {G}
    divisions: 3
    {more}
  second: {{type: revolute, axis: z, cut: true}}
  rocker: {{type: rigid_link, mass: 0.8, com: [0.3, 0, 0], inertia: [0.01, 0.03, 0.03], frame_b: {{at: [0.6, 0, 0]}}}}
  rocker_pin: {{type: revolute, axis: z, guess: {{position: 95 deg}}}}
  post: {{type: fixed, at: [0.9, 0, 0]}}
connect:
  - world.frame -- crank_pin.frame_a
  - crank_pin.frame_b -- crank.frame_a
  - crank.frame_b -- first.frame_a
  - first.frame_b -- coupler.frame_a
  - coupler.frame_b -- second.frame_a
  - second.frame_b -- rocker.frame_b
  - world.frame -- post.frame_a
  - post.frame_b -- rocker_pin.frame_a
  - rocker_pin.frame_b -- rocker.frame_a
simulation:
  stop: 0.3
  step: 20 us
  output_step: 0.1 ms
"""
LUGRE = ", friction: {model: lugre, mu_s: 0.3, mu_k: 0.2, sigma_0: 200, diameter: 40 mm}"


def four_bar(E: float = 7e10, rubbing: str = "", more: str = "damping: 0") -> str:
    return FOUR_BAR.format(E=E, G=0.4 * E, rubbing=rubbing, more=more)


def test_a_link_starts_straight_and_unbent_by_the_rates_that_close_its_loop() -> None:
    """Only the crank's speed is given: joints follow as around the rigid link, and no rate goes into deformation."""
    bending, rigid = plain(four_bar()), plain(four_bar(more="rigid: true"))
    values, wanted = bending.evaluate(), rigid.evaluate()
    for joint in ("crank_pin", "first", "rocker_pin"):
        for what in ("position", "velocity"):
            # closed to 1e-11, times the lever of the crank
            assert values[f"{joint}.{what}"] == pytest.approx(wanted[f"{joint}.{what}"], abs=1e-9)
    rows = elastic_rows(bending.program.mechanism)
    assert rows.sum() == 10
    assert abs(bending.instance.data.q[rows]).max() < 1e-12
    assert abs(bending.instance.data.v[rows]).max() < 1e-9


def test_energy_is_kept_around_a_loop_that_bends() -> None:
    result = luff.compile(luff.loads(four_bar())).run()
    energy = result.quality["energy"]
    # twisting is the fastest motion; RK4 at a fifteenth of its stable step loses (omega h)^6 / 144 a step of it
    assert energy["relative_residual"] < 1e-6
    assert result.quality["constraint_violation"] < 1e-10
    assert np.ptp(result["coupler.psi[2]"]) > 1e-4  # it does bend
    assert result["coupler.stored_energy"].max() > 1e-3


def test_a_stiffer_coupler_moves_as_the_rigid_one_does() -> None:
    """Bending falls with 1/E, and the motion of the crank comes nearer to that of the rigid twin with it."""
    rigid = luff.compile(luff.loads(four_bar(more="rigid: true"))).run(step=1e-4)
    off = []
    for E in (7e9, 7e10):
        # damped in proportion to stiffness, so that what the sudden start excites dies out
        sim = luff.compile(luff.loads(four_bar(E, more="damping: {ratio: 0.05}")))
        result = sim.run(step=2e-5, method="implicit")
        off.append(abs(result["crank_pin.position"] - rigid["crank_pin.position"]).max())
    assert off[1] < 0.2 * off[0]
    assert off[1] < 2e-3


@pytest.mark.parametrize("method", ["reduced", "baumgarte"])
def test_friction_in_a_loop_that_bends_takes_what_the_ledger_says(method: str) -> None:
    text = four_bar(rubbing=LUGRE) + f"  constraints: {{method: {method}, alpha: 100, beta: 100}}\n"
    result = luff.compile(luff.loads(text)).run()
    energy = result.quality["energy"]
    power, t = result["crank_pin.friction_power"], result.time
    lost = -float(np.trapezoid(power, t))
    assert energy["friction"] > 0.01 * energy["start"]["kinetic"]
    # trapezoids of 0.1 ms over a load that swings with the coupler
    assert energy["friction"] == pytest.approx(lost, rel=1e-3)
    # Baumgarte's forces do work where constraints are off by rounding and the step's error
    assert energy["relative_residual"] < 1e-6
    # the load of the pin is the resultant of its own reaction across its axis
    force = np.hypot(result["crank_pin.constraint_force[0]"], result["crank_pin.constraint_force[1]"])
    np.testing.assert_allclose(result["crank_pin.normal_force"], force, rtol=1e-9)
