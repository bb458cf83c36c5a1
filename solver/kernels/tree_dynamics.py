"""Kinematics and forward dynamics of mechanisms without closed loops; state vector and its rates."""

from __future__ import annotations

from ..codegen.jit import helper
from ..codegen.transforms.entry_point_variants import replaces_in_duals
from . import model_data as f
from .articulated_body import acceleration_pass, articulated_inertias
from .dynamics_tangents import accelerations_with_tangents
from .kinematics import inertias, positions, velocities
from .model_data import kernel
from .passive_forces import efforts, passive_forces


@helper
def unpack_state(m, d):
    """State vector x -> coordinates, rates, quaternions and bristles but those of pairs of shapes (`touch.py`)."""
    for j in range(m.state.shape[0] - m.option[f.O_PAIR_BRISTLES]):
        kind, i, at = m.state[j, f.ST_KIND], m.state[j, f.ST_ROW], m.state[j, f.ST_AT]
        if kind == f.QUAT_STATE:
            d.quat[m.topo[i, f.QUAT], m.state[j, f.ST_COMPONENT]] = d.x[at]
        elif kind == f.SLIP_STATE:
            d.element_out[i, f.SLIP + m.state[j, f.ST_COMPONENT]] = d.x[at]
        else:
            d.row[i, kind] = d.x[at]


@helper
def state_rates(m, d):
    """dx: rates of the mechanical states (v, quaternion rates, qdd, bristle rates) but those of pairs of shapes."""
    for j in range(m.state.shape[0] - m.option[f.O_PAIR_BRISTLES]):
        i, c, at = m.state[j, f.ST_ROW], m.state[j, f.ST_COMPONENT], m.state[j, f.ST_AT]
        if m.state[j, f.ST_KIND] == f.QUAT_STATE:
            # q' = q w / 2 with w in body axes
            k = m.topo[i, f.QUAT]
            w, x, y, z = d.quat[k, 0], d.quat[k, 1], d.quat[k, 2], d.quat[k, 3]
            ox, oy, oz = d.row[i, f.V], d.row[i + 1, f.V], d.row[i + 2, f.V]
            if c == 0:
                d.dx[at] = -0.5 * (x * ox + y * oy + z * oz)
            elif c == 1:
                d.dx[at] = 0.5 * (w * ox + y * oz - z * oy)
            elif c == 2:
                d.dx[at] = 0.5 * (w * oy + z * ox - x * oz)
            else:
                d.dx[at] = 0.5 * (w * oz + x * oy - y * ox)
        elif m.state[j, f.ST_KIND] == f.SLIP_STATE:
            d.dx[at] = d.element_out[i, f.SLIP_RATE + c]
        else:
            d.dx[at] = d.row[i, c]


@kernel
def kinematics(m, d):
    """Kinematics of a tree: poses, velocities and passive forces of coordinates, from the state alone."""
    unpack_state(m, d)
    d.scalar[f.EVALUATIONS] += 1.0
    positions(m, d)
    velocities(m, d)
    passive_forces(m, d)


@helper
def forward_dynamics(m, d):
    """qdd of a tree from state and drive efforts (articulated-body algorithm)."""
    efforts(m, d)
    inertias(m, d)
    articulated_inertias(m, d)
    acceleration_pass(m, d)


@kernel
def dynamics(m, d):
    """qdd of a tree, and the state rates."""
    forward_dynamics(m, d)
    state_rates(m, d)


@replaces_in_duals(dynamics)
def dynamics_with_tangents(m, d):
    """`dynamics` for dual numbers: qdd with its tangents, and the state rates."""
    efforts(m, d)
    inertias(m, d)
    accelerations_with_tangents(m, d)
    state_rates(m, d)
