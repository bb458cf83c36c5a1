"""Closed loops against textbook formulas, and against bodies of six freedoms with a constraint for every joint."""

from __future__ import annotations

import math

import numpy as np
import pytest

import luff
from luff.tests.maximal import Twin, luff_accelerations
from luff.tests.plain import outputs, plain
from luff.tests.systems import loop_cases as cases
from luff.tests.systems.loop_cases import FLAT, SPATIAL

ALL = FLAT | SPATIAL
BOOKS = {"four-bar": cases.four_bar_by_hand, "slider-crank": cases.slider_crank_by_hand}
METHODS = ("reduced", "baumgarte", "projected")


def settings(text: str, method: str, more: str = "") -> str:
    """The netlist with its own run settings replaced."""
    body = "\n".join(line for line in text.splitlines() if not line.startswith("simulation:"))
    return body + f"\nsimulation: {{stop: 1 s, step: 1 ms, constraints: {{method: {method}{more}}}}}\n"


def efforts_of(sim: luff.Simulation, values: dict[str, float]) -> dict[str, float]:
    """Springs and dampers of one-coordinate joints, from their parameters."""
    found = {}
    for name, block in sim.program.flat.blocks.items():
        if block.type_name in ("revolute", "prismatic") and f"{name}.position" in values:
            q, v = values[f"{name}.position"], values[f"{name}.velocity"]
            found[name] = -block.stiffness * (q - block.rest) - block.damping * v
    return found


def check_against_twin(sim: luff.Simulation, values: dict[str, float], unique: bool) -> None:
    """Accelerations of all bodies; and reactions of all joints where the loop is not over-constrained."""
    twin = Twin(sim)
    spin, point = luff_accelerations(sim)
    answer = twin.solve(efforts_of(sim, values))
    assert answer.unbalanced < 1e-8 * max(1.0, max(abs(x).max() for x in answer.total.values()))
    assert answer.violated < 1e-11  # poses and rates close every joint
    assert answer.mobility == sim.summary["degrees_of_freedom"]
    for found, wanted in ((spin, answer.spin), (point, answer.point)):
        scale = max(abs(a).max() for a in wanted.values())
        for body, a in found.items():
            # the twin's own least squares loses some digits
            np.testing.assert_allclose(a, wanted[body], rtol=0, atol=1e-9 * scale, err_msg=body)
    if not unique:
        return
    scale = max(abs(wrench).max() for wrench in answer.total.values())
    for joint in answer.total:
        for kind, wanted in (("total", answer.total[joint]), ("constraint", answer.constraint[joint])):
            found = np.concatenate(
                [outputs(values, f"{joint}.{kind}_{part}") for part in ("force", "torque")]
            )
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9 * scale, err_msg=f"{kind} {joint}")


@pytest.mark.parametrize("name", FLAT)
def test_flat_loops_agree_with_the_textbook_all_the_way_round(name: str) -> None:
    book = BOOKS[name]()
    sim = plain(ALL[name])
    for q in np.linspace(0.6, 0.6 + 2 * math.pi, 9):
        v = 2.0 - q
        values = sim.evaluate(0.0, [q, v])
        a = book.acceleration(q, v)
        # closure to 1e-12, times the curvature of the coupler curves
        assert values["A.acceleration"] == pytest.approx(a, rel=1e-9, abs=1e-9)
        for joint in book.coordinates:
            if f"{joint}.position" not in values:
                continue
            wanted = book.motion(joint, q, v, a)
            found = [values[f"{joint}.{part}"] for part in ("position", "velocity", "acceleration")]
            found[0] = wanted[0] + math.remainder(found[0] - wanted[0], 2 * math.pi)
            assert found == pytest.approx(wanted, rel=1e-9, abs=1e-9), joint


def test_bricard_angles_follow_the_closed_form() -> None:
    sim = plain(SPATIAL["bricard"])
    for theta in (1.2, 1.7, 1.9, 2.05):
        values = sim.evaluate(0.0, [theta, 0.7])
        partner = cases.bricard_partner(theta, -1.0)
        assert [values[f"J{k}.position"] for k in range(5)] == pytest.approx(
            [theta, partner, theta, partner, theta], abs=1e-11
        )


@pytest.mark.parametrize("name", ALL)
def test_accelerations_and_reactions_agree_with_bodies_of_six_freedoms(name: str) -> None:
    sim = plain(ALL[name])
    values = sim.evaluate()
    check_against_twin(sim, values, unique=not sim.summary["redundant"])


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("method", ["baumgarte", "projected"])
def test_other_methods_have_the_same_accelerations(name: str, method: str) -> None:
    sim = plain(settings(ALL[name], method))
    check_against_twin(sim, sim.evaluate(), unique=not sim.summary["redundant"])
