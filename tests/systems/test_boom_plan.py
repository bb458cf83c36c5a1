"""The plan of a flexible boom, flown by the equations of a plane chain of rods that are written down here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import make_interp_spline

import luff

PAGE = Path(luff.__file__).resolve().parent / "docs" / "linearisation.md"
LENGTHS = np.array([0.75, 1.5, 0.75])  # of rigid finite elements: halves at the ends
DIAMETER, RHO, E, LOAD = 0.04, 7850.0, 2.1e11, 5.0
BEND = np.pi * DIAMETER**4 / 64
STIFF, DAMP = E * BEND / 1.5, 2e-3 * E * BEND / 1.5


def inertias() -> tuple[np.ndarray, np.ndarray]:
    """W of M_ij = W_ij cos(q_i - q_j) + I_i, over absolute angles, and I of the rods, their sections' own included."""
    masses = RHO * np.pi * DIAMETER**2 / 4 * LENGTHS
    arms = np.tril(np.tile(LENGTHS, (3, 1)), -1) + np.diag(LENGTHS / 2)
    W = arms.T @ np.diag(masses) @ arms + LOAD * np.outer(LENGTHS, LENGTHS)
    return W, masses * LENGTHS**2 / 12 + RHO * BEND * LENGTHS


def test_the_tip_rests_after_a_plan_that_another_program_flies() -> None:
    text = PAGE.read_text("utf-8").partition('title="flexible_boom.yaml"\n')[2].partition("```")[0]
    text = text.replace("record: [slew.position]\n", "")
    plan = luff.bounded_inversion(luff.compile(luff.loads(text))).result
    t, (W, own) = plan.time, inertias()
    root, speed = (make_interp_spline(t, plan[f"slew.{name}"], 5) for name in ("position", "velocity"))
    pull = speed.derivative()

    def moments(at: float, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Angles, M, and moments of springs less terms of velocities."""
        q, w = np.array([float(root(at)), *s[:2]]), np.array([float(speed(at)), *s[2:]])
        spring = STIFF * np.diff(q) + DAMP * np.diff(w)
        apart = q[:, None] - q
        drive = np.array([spring[0], spring[1] - spring[0], -spring[1]])
        return W * np.cos(apart) + np.diag(own), drive - (W * np.sin(apart)) @ (w * w), q

    def rates(at: float, s: np.ndarray) -> np.ndarray:
        M, drive, _ = moments(at, s)
        turn = np.linalg.solve(M[1:, 1:], drive[1:] - M[1:, 0] * float(pull(at)))
        return np.array([*s[2:], *turn])

    flown = solve_ivp(rates, (0, 4), np.zeros(4), "DOP853", t, rtol=1e-9, atol=1e-12, max_step=2e-3).y
    q = np.array([plan["slew.position"], *flown[:2]])
    tip = np.arctan2(LENGTHS @ np.sin(q), LENGTHS @ np.cos(q))
    # what a spline through rows of 1 ms leaves of a motion with roots of 400 1/s
    assert abs(tip - plan["law.y"]).max() < 1e-6
    assert np.ptp(tip[t > 3.0]) < 1e-6 * 0.5
    assert abs(np.diff(q, axis=0)).max() > 0.005  # it bends
    # the torque at the root at one time on the way
    k = 1400
    M, drive, _ = moments(t[k], flown[:, k])
    turns = np.array([float(pull(t[k])), *rates(t[k], flown[:, k])[2:]])
    assert plan["tip.effort"][k] == pytest.approx(M[0] @ turns - drive[0], rel=1e-4)
