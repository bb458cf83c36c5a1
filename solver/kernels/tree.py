"""The entry points that generated code calls for a mechanism without closed loops."""

from __future__ import annotations

from ..jit import compiled, jit
from ..layout import (
    KERNEL,
    QUAT,
    QUAT_STATE,
    ST_COMPONENT,
    ST_KIND,
    ST_ROW,
    STATE_KERNEL,
    V,
)
from .articulated import accelerate, articulate
from .forces import applied_forces, efforts, passive_forces
from .kinematics import inertias, positions, velocities


@jit
def unpack(x, m, d):
    """State vector -> coordinates and rates."""
    for j in range(m.state.shape[0]):
        kind, i = m.state[j, ST_KIND], m.state[j, ST_ROW]
        if kind == QUAT_STATE:
            d.quat[m.topo[i, QUAT], m.state[j, ST_COMPONENT]] = x[j]
        else:
            d.row[i, kind] = x[j]


@jit
def rates(dx, m, d):
    """Rates of the state vector, if there is room for them: velocities, quaternion, accelerations, bristles."""
    for j in range(min(m.state.shape[0], dx.shape[0])):
        i, c = m.state[j, ST_ROW], m.state[j, ST_COMPONENT]
        if m.state[j, ST_KIND] == QUAT_STATE:
            # q' = q w / 2 with w in body axes
            k = m.topo[i, QUAT]
            w, x, y, z = d.quat[k, 0], d.quat[k, 1], d.quat[k, 2], d.quat[k, 3]
            ox, oy, oz = d.row[i, V], d.row[i + 1, V], d.row[i + 2, V]
            if c == 0:
                dx[j] = -0.5 * (x * ox + y * oy + z * oz)
            elif c == 1:
                dx[j] = 0.5 * (w * ox + y * oz - z * oy)
            elif c == 2:
                dx[j] = 0.5 * (w * oy + z * ox - x * oz)
            else:
                dx[j] = 0.5 * (w * oz + x * oy - y * ox)
        else:
            dx[j] = d.row[i, c]


@compiled(KERNEL)
def settle(m, d):
    """After a step: a tree has nothing to settle."""


@compiled(STATE_KERNEL)
def project(x, m, d):
    """After a step: a tree has nothing to project on."""


@compiled(STATE_KERNEL)
def kinematics(x, m, d):
    """All that follows from the state alone: poses, velocities, passive forces, sensors."""
    unpack(x, m, d)
    positions(m, d)
    velocities(m, d)
    passive_forces(m, d)


@jit
def forward(m, d):
    """Accelerations from the state and the efforts of the drives."""
    applied_forces(m, d)
    efforts(m, d)
    inertias(m, d)
    articulate(m, d)
    accelerate(m, d)


@compiled(STATE_KERNEL)
def dynamics(dx, m, d):
    """Accelerations, and with them the rates of the states."""
    forward(m, d)
    rates(dx, m, d)
