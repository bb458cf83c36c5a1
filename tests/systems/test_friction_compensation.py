"""The crane that tracks a programmed motion: what compensation leaves of the error that friction causes."""

from __future__ import annotations

import numpy as np
import pytest

import luff
from luff.tests.conftest import hours_as_plain_python
from luff.tests.systems.paper_cases import results, study

pytestmark = hours_as_plain_python
CASES = (
    "no friction", "not compensated", "LuGre", "Coulomb", "LuGre, a fifth too small", "LuGre, a fifth too large",
)  # fmt: skip


@pytest.fixture(scope="module")
def runs() -> dict[str, luff.Result]:
    return results(study("crane_tracking"), only=CASES)


def at_rest(result: luff.Result) -> np.ndarray:
    """The error of links 2 and 3 at the end, where the plan has stood for a second."""
    return result["error.y"][-1, 1:]


def test_compensation_leaves_little_of_the_error_at_rest(runs: dict[str, luff.Result]) -> None:
    free, held, lugre = (np.abs(at_rest(runs[name])) for name in ("no friction", "not compensated", "LuGre"))
    # the page says 1.4 and 1.95 mrad; e = -M^-1 t / kp, whatever the law that holds the joint
    assert (held > 1e-3).all()
    assert (lugre < held / 40).all()
    assert (free < 1e-5).all()
    # a law without bristle gives nothing at rest, and the joint stays where friction holds it
    assert (np.abs(at_rest(runs["Coulomb"])) > 0.2 * held).all()
    # too little leaves the error its sign, too much turns it
    wrong = [at_rest(runs[f"LuGre, a fifth too {size}"]) for size in ("small", "large")]
    assert (wrong[0] * at_rest(runs["not compensated"]) > 0.0).all()
    assert (wrong[1] * at_rest(runs["not compensated"]) < 0.0).all()


def test_estimate_is_the_friction_that_the_joint_has(runs: dict[str, luff.Result]) -> None:
    """The joint's friction comes from the kernel, the estimate from the block, by the same law."""
    result = runs["LuGre"]
    late = result.time > 0.5  # the estimate of the load begins at zero, and is there after some 10 ms
    for k, joint in enumerate(("column_joint", "boom_joint", "jib_joint")):
        real, found = result[f"{joint}.friction"][late], -result["compensation.friction"][late, k]
        # the dead zone of 1e-4 rad/s, and the lag of 10 ms on a load that changes in a second
        assert np.abs(real - found).max() < 0.05 * np.abs(real).max()
