"""Arm that tests of the 3-D view show."""

from __future__ import annotations

import pytest

import luff
from luff.tests.gui.view3d.arm_model import ARM


@pytest.fixture(scope="module")
def sim() -> luff.Simulation:
    return luff.compile(luff.loads(ARM))
