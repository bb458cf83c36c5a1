"""Wave forces and motions between the rows of tables, against the closed form by which the tables are made."""

from __future__ import annotations

import math
import re
from typing import Any, TypeVar

import numpy as np
import pytest

from luff.blocks.environment.floating_body import FloatingBody
from luff.blocks.environment.vessel_motion import VesselMotion
from luff.blocks.expression_scope import Scope
from luff.blocks.params import convert_all

RHO, G = 1025.0, 9.81
L, B, T = 100.0, 30.0, 6.0
AFT = 45.0  # of the barge's middle, where frame_b stands and the phases count [m]
Hull = TypeVar("Hull", FloatingBody, VesselMotion)
COARSE = np.arange(0.2, 1.61, 0.1)


def froude_krylov(w: np.ndarray, heading: float, ahead: float = AFT) -> np.ndarray:
    """Surge, sway and heave force per metre on a box of draught T whose middle lies ahead of the origin (n, 3).

    Integrals of the undisturbed pressure rho g e^(k z) e^(-i k x): over the bottom in heave, over the ends in surge and
    over the sides in sway.
    """
    k = w * w / G
    kx, ky = k * math.cos(heading), k * math.sin(heading)
    along, across = np.sinc(kx * L / 2 / math.pi), np.sinc(ky * B / 2 / math.pi)
    bottom = np.exp(-k * T)
    side = (1.0 - bottom) / k
    lift = RHO * G * L * B * bottom * along * across
    surge = RHO * G * B * side * across * 2j * np.sin(kx * L / 2)
    sway = RHO * G * L * side * along * 2j * np.sin(ky * B / 2)
    return np.stack([surge, sway, lift], axis=-1) * np.exp(-1j * kx * ahead)[:, None]


def rows(w: np.ndarray, degrees: tuple[float, ...], ahead: float = AFT) -> list[list[float]]:
    return [
        [float(at), math.radians(angle), axis + 1, float(abs(X)), float(np.angle(X))]
        for angle in degrees
        for at, forces in zip(w, froude_krylov(w, math.radians(angle), ahead), strict=True)
        for axis, X in enumerate(forces)
    ]


def block(cls: type[Hull], **raw: Any) -> Hull:
    """A block in a sea, with what it tells."""
    values = convert_all(cls.params, {"Hs": 2.0, "Tp": 9.0, **raw}, Scope(), "blocks.it", cls.type_name)
    return cls("it", values, frozenset(raw))


def barge(table: list[list[float]], degrees: float) -> FloatingBody:
    return block(FloatingBody, excitation=table, direction=math.radians(degrees))


def told(it: FloatingBody | VesselMotion) -> list[float]:
    """Shares that a warning says are lost between rows."""
    found = (re.search(r"may be (\d+) % larger", p.message) for p in it.check())
    return [0.01 * float(match[1]) for match in found if match]


@pytest.mark.parametrize(
    ("heading", "table"),
    [(0.0, (0.0,)), (180.0, (180.0,)), (90.0, (90.0,)), (22.5, (0.0, 15.0, 30.0)), (82.5, (75.0, 90.0))],
)
def test_forces_between_rows_are_those_of_the_hull_where_phases_count_at_its_middle(
    heading: float, table: tuple[float, ...]
) -> None:
    """0.1 rad/s and 15 degrees apart: what is left is the bend of the sinc along the hull, (k L / 2)^2 of it."""
    hull = barge(rows(COARSE, table, 0.0), heading)
    w = np.linspace(0.2, 1.6, 281)
    exact = froude_krylov(w, math.radians(heading), 0.0)
    found = hull.excitation_force(w)[:, :3]
    assert abs(found - exact).max() < 0.03 * abs(exact).max()
    assert told(hull) == []


def test_a_sign_that_changes_between_rows_passes_through_zero() -> None:
    """Rows 1, 1, -1, -1 of phase 0 and 180 degrees."""
    table = [[w, 0.0, 3, 1e5, phase] for w, phase in ((0.4, 0.0), (0.6, 0.0), (0.8, math.pi), (1.0, math.pi))]
    found = barge(table, 0.0).excitation_force(np.array([0.5, 0.7, 0.9]))[:, 2]
    np.testing.assert_allclose(found, [1e5, 0.0, -1e5], atol=1e-6 * 1e5)


def test_rows_that_say_too_little_are_told() -> None:
    """Two rows a third of a turn apart: the chord's modulus is half of the arc's in the middle."""
    hull = barge([[0.5, 0.0, 3, 1e5, 0.0], [1.0, 0.0, 3, 1e5, 2.0 * math.pi / 3.0]], 0.0)
    assert abs(hull.excitation_force(np.array([0.75]))[0, 2]) == pytest.approx(5e4)
    assert told(hull)
    # phases that count 45 m from the middle turn by 1.3 rad from row to row where this sea has its energy
    assert told(barge(rows(COARSE[::2], (0.0,)), 0.0))
    # neighbouring headings differ too
    assert told(barge(rows(COARSE[::4], (0.0, 90.0), 0.0), 45.0))


@pytest.mark.parametrize("apart", [0.05, 0.1, 0.4])
def test_the_share_that_is_told_is_what_straight_lines_lose(apart: float) -> None:
    """Heave of unit size whose phases count 60 m astern of where the waves act: its modulus is 1 everywhere."""
    rao = [[float(w), 1.0, float(-w * w / G * 60.0 % (2.0 * math.pi))] for w in np.arange(0.3, 2.01, apart)]
    vessel = block(VesselMotion, rao=rao, axes=["heave"])
    w, a, _ = vessel.waves()
    size = np.abs(vessel.responses(w).H[:, 2])
    lost = 1.0 - math.sqrt(np.sum((a * size) ** 2) / np.sum(a**2))
    shares = told(vessel)
    assert shares == ([pytest.approx(lost, abs=0.005)] if lost > 0.05 else [])
    assert (lost > 0.05) == (apart > 0.07)
