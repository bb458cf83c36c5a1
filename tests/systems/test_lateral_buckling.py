"""Bending and torsion of a flexible link together: a narrow cantilever under an end load tips over sideways."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import luff
from luff.blocks.geometry.cross_sections import rectangle
from luff.solver.analysis.step_advice import state_matrix
from luff.tests.shared.compile_text import plain

LENGTH, WIDTH, HEIGHT, E, G = 2.0, 0.005, 0.1, 2.1e11, 8.1e10


def closed_form() -> float:
    """Dead load at the end, at the centroid (Timoshenko and Gere, Theory of Elastic Stability, 1961, art. 6.3).

    It leaves out the bend of the stiff plane, which adds about (E I_z + G J) / 2 E I_y = 0.31 % here.
    """
    section = rectangle(WIDTH, HEIGHT)
    return 4.0126 * math.sqrt(E * section.I_z * G * section.J) / LENGTH**2


def buckling_load(divisions: int, twist: str) -> float:
    """Over the closed form: where an eigenvalue of the model, linearised about its loaded state, crosses zero."""
    return float(brentq(lambda load: least_stiffness(divisions, twist, load), 0.8, 1.4, xtol=1e-5))  # type: ignore[arg-type]


def least_stiffness(divisions: int, twist: str, load: float) -> float:
    """Least squared frequency about the static equilibrium under a load."""
    text = f"""
luff: 1
blocks:
  world: {{gravity: [0, 0, 0]}}
  beam:
    type: rfem_link
    length: {LENGTH}
    section: {{shape: rectangle, width: {WIDTH}, height: {HEIGHT}}}
    E: {E}
    G: {G}
    divisions: {divisions}
    twist: {twist}
  tip: {{type: applied_force}}
  load: {{type: constant, value: [0, 0, {-load * closed_form()!r}]}}
connect:
  - world.frame -- beam.frame_a
  - beam.frame_b -- tip.frame_b
  - load.y -> tip.force
"""
    sim = plain(text)
    x, half = sim.x0.copy(), len(sim.x0) // 2
    for _ in range(3):  # Newton, within the plane of the load; bent by 2 % of the length
        x -= np.linalg.solve(state_matrix(sim, x), sim.derivative(0.0, x))
    return float(np.linalg.eigvals(-state_matrix(sim, x)[half:, :half]).real.min())


@pytest.mark.parametrize(("divisions", "within"), [(6, 0.01), (12, 0.005)])
def test_narrow_cantilever_buckles_where_theory_says(divisions: int, within: float) -> None:
    # 0.31 % of it is the stiff plane's bend, the rest the error of the division
    assert buckling_load(divisions, "middle") == pytest.approx(1.0, abs=within)


def test_finest_division_of_the_table_buckles_there_too() -> None:
    """With 24 divisions: stable below what the stiff plane's bend adds, and not above it."""
    assert least_stiffness(24, "middle", 1.0 + 0.002) > 0.0 > least_stiffness(24, "middle", 1.0 + 0.004)


def test_load_above_the_axis_tips_the_beam_earlier() -> None:
    """1 - (a / l) sqrt(E I_z / G J) at a height a, to first order (Timoshenko and Gere, 1961, art. 6.3)."""
    section = rectangle(WIDTH, HEIGHT)
    found = {}
    for height in (-0.02, 0.0, 0.02):
        text = f"""
luff: 1
blocks:
  world: {{gravity: [0, 0, 0]}}
  beam: {{type: rfem_link, length: {LENGTH}, section: {{shape: rectangle, width: {WIDTH}, height: {HEIGHT}}},
         E: {E}, G: {G}, divisions: 6}}
  arm: {{type: fixed, at: [0, 0, {height}]}}
  plate: {{type: rigid_link, mass: 1e-3, inertia: [1e-6, 1e-6, 1e-6]}}
  tip: {{type: applied_force}}
  F: {{type: constant, value: [0, 0, {-closed_form()!r}]}}
connect: [world.frame -- beam.frame_a, beam.frame_b -- arm.frame_a, arm.frame_b -- plate.frame_a,
          plate.frame_a -- tip.frame_b, F.y -> tip.force]
"""
        found[height] = luff.buckling(luff.compile(luff.loads(text)), load="F.value").factor
    slope = math.sqrt(E * section.I_z / (G * section.J)) / LENGTH
    assert found[0.0] == pytest.approx(1.0, abs=0.01)
    # the mean of above and below: what is quadratic in the height falls out
    assert (found[-0.02] - found[0.02]) / 0.04 == pytest.approx(slope, rel=0.02)


def test_order_of_the_papers_converges_with_first_order() -> None:
    """All twist of a spring acts behind its bending: half a division of twist is missing, and the load too high."""
    errors = [buckling_load(n, "papers") - 1.0 for n in (6, 12)]
    assert errors[0] > 0.15
    # halved with the divisions; the bend of the stiff plane and the second order are small beside it
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.15)


def test_twist_under_a_torque_is_exact() -> None:
    """l T / G J for any division, whole elements and halves together."""
    section = rectangle(WIDTH, HEIGHT)
    for divisions in (1, 2, 5):
        sim = plain(
            f"luff: 1\nblocks:\n  beam: {{type: rfem_link, length: {LENGTH}, divisions: {divisions},"
            f" section: {{shape: rectangle, width: {WIDTH}, height: {HEIGHT}}}}}\n"
            "  tip: {type: applied_torque}\n  t: {type: constant, value: [2, 0, 0]}\n"
            "  world: {gravity: [0, 0, 0]}\n"
            "connect: [world.frame -- beam.frame_a, beam.frame_b -- tip.frame_b, t.y -> tip.torque]\n"
        )
        x = sim.x0 - np.linalg.solve(state_matrix(sim, sim.x0), sim.derivative(0.0, sim.x0))
        values = sim.evaluate(0.0, x)
        wanted = 2.0 * LENGTH / (G * section.J)
        # twist alone is linear: one step of Newton, differences good to 1e-8
        assert values["beam.tip_rotation[2]"] == pytest.approx(wanted, rel=1e-7)
        phi = [values[f"beam.phi[{k}]"] for k in range(divisions + 1)]
        # the springs of the short elements at the ends twist half as much
        shares = [1.0, *[2.0] * (divisions - 1), 1.0]
        np.testing.assert_allclose(phi, wanted * np.array(shares) / (2 * divisions), rtol=1e-7)


def test_twist_starts_with_one_value_for_each_element() -> None:
    text = (
        "luff: 1\nblocks:\n  beam: {{type: rfem_link, length: 2, divisions: 2, twist: {},"
        " section: {{shape: circle, diameter: 0.02}}, initial: {{phi: [0.1, 0.2, 0.3]}}}}\n"
        "connect: [world.frame -- beam.frame_a]\n"
    )
    values = plain(text.format("middle")).evaluate()
    assert values["beam.tip_rotation[2]"] == pytest.approx(0.6, rel=1e-14)
    with pytest.raises(luff.NetlistError, match="found 3 entries, expected 2: one for each division"):
        luff.compile(luff.loads(text.format("papers")))
