"""Generalised forces Q + Delta-Q: terms that differentiating sum Q_i qd_i by the rates adds where Q depends on them.

Cf. the GPME (crane with a flexible link, eq. 20; manipulator and RPSUP mechanism, eq. 26), where Nielsen's form
freezes Q. Linear dampers count twice: m a + 2 c v + k q. Their power is booked once.
"""

from __future__ import annotations

from . import model_data as f
from .kinematics import velocities
from .model_data import kernel
from .passive_forces import forces_of_motion


@kernel
def delta_q(m, d):
    """Delta-Q of all dampers, after kinematics: wrenches of dampers between frames doubled, DELTA_EFFORT of
    coordinates.
    """
    n = d.row.shape[0]
    for i in range(n):
        d.row[i, f.REACTION], d.row[i, f.V] = d.row[i, f.V], 0.0
    velocities(m, d)
    forces_of_motion(m, d)
    for i in range(n):
        d.row[i, f.V] = d.row[i, f.REACTION]
        for j in range(6):
            d.row[i, f.IA + j] = d.row[i, f.WRENCH_EXT + j]
    velocities(m, d)
    forces_of_motion(m, d)
    for i in range(n):
        d.row[i, f.DELTA_EFFORT] = d.row[i, f.DAMPER_EFFORT]
        for j in range(6):
            d.row[i, f.WRENCH_EXT + j] += d.row[i, f.WRENCH_EXT + j] - d.row[i, f.IA + j]
