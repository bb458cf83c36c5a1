"""The entry points that generated code calls for a mechanism without closed loops."""

from __future__ import annotations

from ..jit import compiled
from ..layout import (
    BRISTLE,
    BRISTLE_RATE,
    BRISTLE_STATE,
    DRIVE,
    KERNEL,
    PASSIVE,
    Q_STATE,
    QDD,
    QUAT,
    QUAT_STATE,
    ST_COMPONENT,
    ST_KIND,
    ST_ROW,
    STATE_KERNEL,
    TAU,
    Q,
    V,
)
from .articulated import accelerate, articulate
from .forces import applied_forces, passive_forces
from .kinematics import inertias, positions, velocities


@compiled(STATE_KERNEL)
def unpack(x, m, d):
    """State vector -> coordinates and rates."""
    for j in range(m.state.shape[0]):
        kind, i = m.state[j, ST_KIND], m.state[j, ST_ROW]
        if kind == Q_STATE:
            d.row[i, Q] = x[j]
        elif kind == QUAT_STATE:
            d.quat[m.topo[i, QUAT], m.state[j, ST_COMPONENT]] = x[j]
        elif kind == BRISTLE_STATE:
            d.row[i, BRISTLE] = x[j]
        else:
            d.row[i, V] = x[j]


@compiled(STATE_KERNEL)
def rates(dx, m, d):
    """Rates of the state vector: velocities, quaternion rates, accelerations, bristle rates."""
    for j in range(m.state.shape[0]):
        kind, i = m.state[j, ST_KIND], m.state[j, ST_ROW]
        if kind == Q_STATE:
            dx[j] = d.row[i, V]
        elif kind == QUAT_STATE:
            # q' = q w / 2 with w in body axes
            k, c = m.topo[i, QUAT], m.state[j, ST_COMPONENT]
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
        elif kind == BRISTLE_STATE:
            dx[j] = d.row[i, BRISTLE_RATE]
        else:
            dx[j] = d.row[i, QDD]


@compiled(KERNEL)
def settle(m, d):
    """After a step: a tree has nothing to settle."""


@compiled(STATE_KERNEL)
def project(x, m, d):
    """After a step: a tree has nothing to project on."""


@compiled(KERNEL)
def kinematics(m, d):
    """All that follows from the state alone: poses, velocities, passive forces, sensors."""
    positions(m, d)
    velocities(m, d)
    passive_forces(m, d)


@compiled(KERNEL)
def dynamics(m, d):
    """Accelerations from the state and the efforts of the drives."""
    applied_forces(m, d)
    for i in range(d.row.shape[0]):
        d.row[i, TAU] = (
            d.row[i, DRIVE]
            + d.row[i, PASSIVE]
            + d.row[i, PASSIVE + 1]
            + d.row[i, PASSIVE + 2]
            + d.row[i, PASSIVE + 3]
        )
    inertias(m, d)
    articulate(m, d)
    accelerate(m, d)
