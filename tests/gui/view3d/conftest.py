"""Arm that tests of the 3-D view show, and views of a size that show it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

import luff
from luff.gui.run.run_control import RunControl
from luff.gui.view3d.view3d_panel import View3D
from luff.tests.gui.view3d.arm_model import ARM


@pytest.fixture(scope="module")
def sim() -> luff.Simulation:
    return luff.compile(luff.loads(ARM))


@pytest.fixture
def make_view(qtbot: QtBot) -> Callable[..., View3D]:
    """Make a view of a size that shows a model."""

    def make(sim: luff.Simulation, width: int = 480, height: int = 360) -> View3D:
        made = View3D(RunControl())
        qtbot.addWidget(made)
        made.resize(width, height)
        made.show()
        made.show_model(sim)
        return made

    return make


@pytest.fixture
def panel(make_view: Callable[..., View3D], sim: luff.Simulation) -> View3D:
    return make_view(sim)
