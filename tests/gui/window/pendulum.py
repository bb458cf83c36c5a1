"""Pendulum that a PD drives, with analyses in closed form, and a window that shows it."""

from __future__ import annotations

import math
from collections.abc import Callable

from luff.gui.window.main_window import Window
from luff.tests.gui.driver import LONG

G, LENGTH, MASS = 9.81, 2.0, 3.0
# a point mass on a rod, driven by a pd
PENDULUM = """luff: 1
blocks:
  pin: {type: revolute, axis: y, initial: {position: 0.3}}
  bob: {type: rigid_link, mass: 3, com: [0, 0, -2], inertia: [0, 0, 0]}
  goal: {type: constant, value: 0, unit: rad}
  drive: {type: pd, kp: 30, kd: 4}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- bob.frame_a
  - goal.trajectory -> drive.target
  - pin.trajectory -> drive.measured
  - drive.effort -> pin.effort
"""

HANGING = PENDULUM.replace(", initial: {position: 0.3}", "")
UPRIGHT = PENDULUM.replace("0.3", str(math.pi)).replace("value: 0", f"value: {math.pi}")


def pendulum_window(make_window: Callable[..., Window], qtbot) -> Window:
    """Window with the pendulum, once it can be analysed."""
    window = make_window(PENDULUM)
    qtbot.waitUntil(
        lambda: window.actions_["modes"].isEnabled() and window.view3d.model is not None, timeout=LONG
    )
    return window
