"""luff beside other engines: models written twice; docs/validation.md states the differences."""

from __future__ import annotations

import re

import pytest

from luff.tests.conftest import hours_as_plain_python
from luff.tests.systems import validation_cases as cases
from luff.tests.systems.validation_cases import HERE

pytestmark = hours_as_plain_python

# figures by the first column of the page's tables
PAGE = (HERE.parents[2] / "docs" / "validation.md").read_text()
STATED = dict(re.findall(r"^\| (.+?) \|.*?\| ([\d.e+-]+)(?: rad| m| N)? \|", PAGE, re.MULTILINE))


def check_rounding(row: str, found: float) -> None:
    """The page's figure is the size of what is found; rounding differs from machine to machine."""
    assert found < 10 * float(STATED[row])


def test_vessel_moves_as_in_pinocchio() -> None:
    angles, forces = cases.vessel()
    # the other integration's tolerance is 1e-10, and the vessel falls from an unstable position
    assert angles.difference < 1e-8
    assert forces.difference < 1e-7 * forces.size
    assert angles.size > 0.02
    check_rounding("crane on a vessel, angles", angles.difference)
    check_rounding("crane on a vessel, forces in the slewing joint", forces.difference)


def test_overhead_crane_moves_as_in_mujoco() -> None:
    found = cases.overhead()
    # both by RK4 of 1 ms; the load swings far
    assert abs(found.other[:, 2:]).max() > 0.3
    assert found.difference < 1e-8
    check_rounding("overhead crane, pushed", found.difference)


@pytest.mark.parametrize(("divisions", "tolerance"), [(4, 1e-3), (8, 4e-4)])
def test_beam_swings_as_in_exudyn(divisions: int, tolerance: float) -> None:
    """Two discretisations that share nothing; the other's own step of 0.05 ms is good for some 0.2 mm."""
    found = cases.beam(divisions)
    rigid = cases.beam(divisions, "rigid: true")
    assert rigid.difference > 5 * tolerance  # bending matters
    assert found.difference < tolerance
    # no rounding in this: both are converged in time to less
    assert found.difference == pytest.approx(
        float(STATED[f"beam that swings, {divisions} divisions"]), rel=0.05
    )


@pytest.mark.parametrize("kind", ["planar", "spatial"])
def test_loops_move_as_in_maximal_coordinates(kind: str) -> None:
    names = cases.FLAT if kind == "planar" else cases.SPATIAL
    found = max(map(cases.loop, names))
    assert found < 1e-9  # the twin's least squares loses some digits
    check_rounding(f"{kind} loops", found)
