"""Wave forces and motions between the rows of tables, against the closed form by which the tables are made."""

from __future__ import annotations

import math
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


def doubts(it: FloatingBody | VesselMotion) -> list[str]:
    return [p.message for p in it.check() if "phases of neighbouring rows" in p.message]


@pytest.mark.parametrize("heading", [0.0, 90.0, 180.0])
def test_a_warning_tells_what_turning_phases_lose(heading: float) -> None:
    """Phases 45 m from the middle, rows 0.2 rad/s apart: told along the hull, not abeam nor from the middle."""
    coarse = np.arange(0.2, 1.81, 0.2)
    turning = heading != 90.0
    assert bool(doubts(barge(rows(coarse, (heading,)), heading))) == turning
    assert not doubts(barge(rows(coarse, (heading,), 0.0), heading))
    assert not doubts(barge(rows(np.arange(0.2, 1.81, 0.05), (heading,)), heading))


def test_a_sign_that_changes_between_rows_passes_through_zero() -> None:
    """Rows 1, 1, -1, -1 of phase 0 and 180 degrees: no turning, but a zero; a law of moduli would say 1 everywhere."""
    table = [[w, 0.0, 3, 1e5, phase] for w, phase in ((0.4, 0.0), (0.6, 0.0), (0.8, math.pi), (1.0, math.pi))]
    hull = barge(table, 0.0)
    found = hull.excitation_force(np.array([0.5, 0.7, 0.9]))[:, 2]
    np.testing.assert_allclose(found, [1e5, 0.0, -1e5], atol=1e-6 * 1e5)


def test_rows_that_say_too_little_are_told() -> None:
    """Two rows a third of a turn apart: the chord's modulus is half of the arc's in the middle, and nothing decides."""
    two = [[0.5, 0.0, 3, 1e5, 0.0], [1.0, 0.0, 3, 1e5, 2.0 * math.pi / 3.0]]
    hull = barge(two, 0.0)
    assert abs(hull.excitation_force(np.array([0.75]))[0, 2]) == pytest.approx(5e4)
    (told,) = doubts(hull)
    assert "wave forces" in told


def test_motions_of_a_vessel_are_told_too() -> None:
    near = block(VesselMotion, rao=[[0.3, 1.0, 0.0], [2.0, 1.0, 0.3]], axes=["heave"])
    assert not doubts(near)
    assert doubts(block(VesselMotion, rao=[[0.3, 1.0, 0.0], [2.0, 1.0, 2.0]], axes=["heave"]))
