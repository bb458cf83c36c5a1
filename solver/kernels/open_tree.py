"""The operations of a mechanism without closed loops."""

from __future__ import annotations

from ..machine import fields as f
from ..machine.fields import kernel
from ..machine.jit import helper
from ..machine.numbers.forms import in_slopes_of
from .articulated import accelerate, articulate
from .forces import efforts, passive_forces
from .kinematics import inertias, positions, velocities
from .linearised import accelerations


@helper
def unpack(m, d):
    """State vector -> coordinates and rates."""
    for j in range(m.state.shape[0]):
        kind, i = m.state[j, f.ST_KIND], m.state[j, f.ST_ROW]
        if kind == f.QUAT_STATE:
            d.quat[m.topo[i, f.QUAT], m.state[j, f.ST_COMPONENT]] = d.x[j]
        elif kind == f.SLIP_STATE:
            d.element_out[i, f.SLIP + m.state[j, f.ST_COMPONENT]] = d.x[j]
        else:
            d.row[i, kind] = d.x[j]


@helper
def rates(m, d):
    """Rates of the mechanical states: velocities, quaternion, accelerations, bristles."""
    for j in range(m.state.shape[0]):
        i, c = m.state[j, f.ST_ROW], m.state[j, f.ST_COMPONENT]
        if m.state[j, f.ST_KIND] == f.QUAT_STATE:
            # q' = q w / 2 with w in body axes
            k = m.topo[i, f.QUAT]
            w, x, y, z = d.quat[k, 0], d.quat[k, 1], d.quat[k, 2], d.quat[k, 3]
            ox, oy, oz = d.row[i, f.V], d.row[i + 1, f.V], d.row[i + 2, f.V]
            if c == 0:
                d.dx[j] = -0.5 * (x * ox + y * oy + z * oz)
            elif c == 1:
                d.dx[j] = 0.5 * (w * ox + y * oz - z * oy)
            elif c == 2:
                d.dx[j] = 0.5 * (w * oy + z * ox - x * oz)
            else:
                d.dx[j] = 0.5 * (w * oz + x * oy - y * ox)
        elif m.state[j, f.ST_KIND] == f.SLIP_STATE:
            d.dx[j] = d.element_out[i, f.SLIP_RATE + c]
        else:
            d.dx[j] = d.row[i, c]


@kernel
def kinematics(m, d):
    """All that follows from the state alone: poses, velocities, passive forces, sensors."""
    unpack(m, d)
    positions(m, d)
    velocities(m, d)
    passive_forces(m, d)


@helper
def forward(m, d):
    """Accelerations from the state and the efforts of the drives."""
    efforts(m, d)
    inertias(m, d)
    articulate(m, d)
    accelerate(m, d)


@kernel
def dynamics(m, d):
    """Accelerations, and with them the rates of the states."""
    forward(m, d)
    rates(m, d)


@in_slopes_of(dynamics)
def dynamics_in_slopes(m, d):
    """The same where numbers carry tangents."""
    efforts(m, d)
    inertias(m, d)
    accelerations(m, d)
    rates(m, d)
