"""Forces on the tree: springs, dampers and stops of coordinates, wrenches from signals, and the sum of efforts."""

from __future__ import annotations

import math

from ..codegen.jit import helper
from . import model_data as f
from .added_mass import added_mass, immersed
from .frame_kinematics import angular_velocity, apply_wrench, frame_axes, frame_position, point_velocity
from .membrane_stiffening import stiffen
from .model_data import kernel
from .rail_contact import rail_forces
from .rope_segments import rope_ways, segment_pull
from .small_matrices import ZERO_3, dot, matrix_times
from .spring_dampers import mount_forces
from .unilateral_contacts import contact_forces, write_element_output


@helper
def coordinate_forces(m, d, i):
    """Spring, damper and end-stop effort of coordinate i [N, N m]."""
    q, v = d.row[i, f.Q], d.row[i, f.V]
    off = q - m.row[i, f.COORDINATE + f.REST]
    d.row[i, f.SPRING_EFFORT] = (
        -(m.row[i, f.COORDINATE + f.STIFFNESS] + m.row[i, f.COORDINATE + f.CUBIC] * off * off) * off
    )
    d.row[i, f.DAMPER_EFFORT] = -m.row[i, f.COORDINATE + f.DAMPING] * v
    d.row[i, f.STOP_EFFORT] = 0.0
    if m.row[i, f.COORDINATE + f.STOP_STIFFNESS] > 0.0:
        depth, side = q - m.row[i, f.COORDINATE + f.UPPER], 1.0
        if m.row[i, f.COORDINATE + f.LOWER] - q > depth:
            depth, side = m.row[i, f.COORDINATE + f.LOWER] - q, -1.0
        w = m.row[i, f.COORDINATE + f.STOP_WIDTH]
        d.row[i, f.STOP_DEPTH], d.row[i, f.STOP_BEYOND] = depth, depth - w
        if depth > 0.0:
            stiffness, shown = m.row[i, f.COORDINATE + f.STOP_STIFFNESS], min(depth / w, 1.0)
            # the spring fades in over the width w, and is that from the limit on behind it: s = depth
            s = depth * shown * (2.0 - shown) if depth < w else depth
            # the damper fades in with it, and never pulls: at most it takes away the push of the spring
            rate = m.row[i, f.COORDINATE + f.STOP_DAMPING] / stiffness * side * v
            damped = stiffness * max(shown * rate, -s)
            # positive while it pushes
            d.row[i, f.STOP_DEPTH] = depth / w * (depth * (2.0 - shown) + rate)
            d.row[i, f.STOP_EFFORT] = -side * stiffness * s
            d.row[i, f.DAMPER_EFFORT] -= side * damped
            # fingerprint of the active stops and of the pieces of their law: where it differs between the stages of a
            # step, a stop was met or left. Roots of whole numbers: other sets have other sums but for rare chances
            # (lower stops of the rows {0, 20} and of {2, 12}), which a step would have to change from one to the other
            pieces = 0.5 * (depth < w) + 0.25 * (damped + stiffness * s <= 0.0)
            d.scalar[f.END_STOPS] += math.sqrt(4.0 * i + 2.0 + side + pieces)


@helper
def linear_spring(m, d, s):
    """Spring with stretch e = c . q of its coordinates; each row i takes the effort -c_i (k e + d e')."""
    count = m.spring[s, f.SP_COUNT]
    stiffness, damping = m.spring_value[s, f.SP_STIFFNESS], m.spring_value[s, f.SP_DAMPING]
    stretch = rate = 0.0
    for k in range(count):
        i, c = m.spring[s, f.SP_ROWS + k], m.spring_value[s, f.SP_COEFFICIENTS + k]
        stretch += c * d.row[i, f.Q]
        rate += c * d.row[i, f.V]
    for k in range(count):
        i, c = m.spring[s, f.SP_ROWS + k], m.spring_value[s, f.SP_COEFFICIENTS + k]
        d.row[i, f.SPRING_EFFORT] -= c * stiffness * stretch
        d.row[i, f.DAMPER_EFFORT] -= c * damping * rate
    d.spring_out[s, f.STRETCH] = stretch
    d.spring_out[s, f.SPRING_FORCE] = -stiffness * stretch - damping * rate


@kernel
def passive_forces(m, d):
    """Springs, dampers and stops of coordinates; zeroes WRENCH_EXT, to which elements between frames then add."""
    d.scalar[f.END_STOPS] = 0.0
    for i in range(d.row.shape[0]):
        if m.topo[i, f.KIND] != f.MODAL:  # which bodies have
            for j in range(6):
                d.row[i, f.WRENCH_EXT + j] = 0.0
        coordinate_forces(m, d, i)
    for s in range(m.spring.shape[0]):
        linear_spring(m, d, s)
    for b in range(m.flex.shape[0]):
        stiffen(m, d, b)


@helper
def forces_of_motion(m, d):
    """All passive forces: coordinates and elements between frames."""
    passive_forces(m, d)
    if m.element.shape[0] > 0:
        mount_forces(m, d)
        contact_forces(m, d)
        rail_forces(m, d)
        rope_ways(m, d)
        added_mass(m, d)


@kernel
def applied_forces(m, d):
    """Wrenches of the elements whose forces come from signals, added to WRENCH_EXT; shares of added masses."""
    for e in range(m.element.shape[0]):
        kind = m.element[e, f.E_KIND]
        if kind == f.SEGMENT:
            segment_pull(m, d, e)
        if kind == f.FLUID and m.element_value[e, f.A_SHARED] > 0.0:
            immersed(m, d, e)
        if kind < f.FORCE_WORLD or kind >= f.SEGMENT:
            continue
        b, first = m.element[e, f.E_FRAME_B], m.element[e, f.E_INPUT]
        given = d.inputs[first], d.inputs[first + 1], d.inputs[first + 2]
        if kind == f.FORCE_B or kind == f.TORQUE_B:
            given = matrix_times(frame_axes(m, d, b), given)
        at = frame_position(m, d, b)
        if kind == f.FORCE_WORLD or kind == f.FORCE_B:
            apply_wrench(m, d, b, at, ZERO_3, given, 1.0)
            write_element_output(d, e, ZERO_3, given)
            rate = point_velocity(m, d, b, at)
        else:
            apply_wrench(m, d, b, at, given, ZERO_3, 1.0)
            write_element_output(d, e, given, ZERO_3)
            rate = angular_velocity(m, d, b)
        d.element_out[e, f.POWER_IN] = dot(given, rate)


@kernel
def efforts(m, d):
    """TAU, sum of all efforts on each row, and the powers of all forces known so far."""
    drive = lost = friction = 0.0
    for i in range(d.row.shape[0]):
        given, damping, rubbing = d.row[i, f.DRIVE], d.row[i, f.DAMPER_EFFORT], d.row[i, f.FRICTION_EFFORT]
        d.row[i, f.SERVO] = 0.0
        d.row[i, f.TAU] = (
            given
            + d.row[i, f.SPRING_EFFORT]
            + damping
            + d.row[i, f.STOP_EFFORT]
            + rubbing
            + d.row[i, f.DELTA_EFFORT]
        )
        v = d.row[i, f.V]
        drive, lost, friction = drive + given * v, lost - damping * v, friction - rubbing * v
    for e in range(m.element.shape[0]):
        lost += d.element_out[e, f.POWER_LOST]
        drive += d.element_out[e, f.POWER_IN]
    d.scalar[f.DRIVE_POWER], d.scalar[f.DISSIPATION] = drive, lost
    d.scalar[f.FRICTION_POWER], d.scalar[f.CONSTRAINT_POWER] = friction, 0.0
