"""Forces on the tree: springs and stops of coordinates, wrenches given by signals, and the sum of them."""

from __future__ import annotations

import math

from ..machine.fields import (
    CONSTRAINT_POWER,
    COORDINATE,
    CUBIC,
    DAMPER_EFFORT,
    DAMPING,
    DELTA_EFFORT,
    DISSIPATION,
    DRIVE,
    DRIVE_POWER,
    E_FRAME_B,
    E_INPUT,
    E_KIND,
    FORCE_B,
    FORCE_WORLD,
    FRICTION_EFFORT,
    FRICTION_POWER,
    LOST,
    LOWER,
    OUTER,
    PUT_IN,
    REST,
    SEGMENT,
    SERVO,
    SP_COEFFICIENTS,
    SP_DAMPING,
    SP_FIRST,
    SP_LAST,
    SP_STIFFNESS,
    SPRING_EFFORT,
    SPRING_FORCE,
    STIFFNESS,
    STOP_BEYOND,
    STOP_DAMPING,
    STOP_DEPTH,
    STOP_EFFORT,
    STOP_STIFFNESS,
    STOP_WIDTH,
    STOPS,
    STRETCH,
    TAU,
    TORQUE_B,
    UPPER,
    Q,
    V,
    kernel,
)
from ..machine.jit import helper
from .contacts import contact_forces, write_out
from .frames import frame_axes, frame_position, point_velocity, push, spin
from .mounts import mount_forces
from .ropes import rope_ways, segment_pull


@helper
def coordinate_forces(m, d, i):
    """Spring, damper and stop of one coordinate."""
    q, v = d.row[i, Q], d.row[i, V]
    off = q - m.row[i, COORDINATE + REST]
    d.row[i, SPRING_EFFORT] = (
        -(m.row[i, COORDINATE + STIFFNESS] + m.row[i, COORDINATE + CUBIC] * off * off) * off
    )
    d.row[i, DAMPER_EFFORT] = -m.row[i, COORDINATE + DAMPING] * v
    d.row[i, STOP_EFFORT] = 0.0
    if m.row[i, COORDINATE + STOP_STIFFNESS] > 0.0:
        depth, side = q - m.row[i, COORDINATE + UPPER], 1.0
        if m.row[i, COORDINATE + LOWER] - q > depth:
            depth, side = m.row[i, COORDINATE + LOWER] - q, -1.0
        w = m.row[i, COORDINATE + STOP_WIDTH]
        d.row[i, STOP_DEPTH], d.row[i, STOP_BEYOND] = depth, depth - w
        if depth > 0.0:
            stiffness, shown = m.row[i, COORDINATE + STOP_STIFFNESS], min(depth / w, 1.0)
            # the spring fades in over the width w, and is that from the limit on behind it: s = depth
            s = depth * shown * (2.0 - shown) if depth < w else depth
            # the damper fades in with it, and never pulls: at most it takes away the push of the spring
            rate = m.row[i, COORDINATE + STOP_DAMPING] / stiffness * side * v
            damped = stiffness * max(shown * rate, -s)
            # positive while it pushes
            d.row[i, STOP_DEPTH] = depth / w * (depth * (2.0 - shown) + rate)
            d.row[i, STOP_EFFORT] = -side * stiffness * s
            d.row[i, DAMPER_EFFORT] -= side * damped
            # roots of unlike whole numbers: no two sets of pieces of the law have the same sum
            pieces = 0.5 * (depth < w) + 0.25 * (damped + stiffness * s <= 0.0)
            d.scalar[STOPS] += math.sqrt(4.0 * i + 2.0 + side + pieces)


@helper
def linear_spring(m, d, s):
    """Spring whose stretch is linear in neighbouring coordinates, e = c . q; each of them feels -c (k e + d de/dt)."""
    first, stiffness, damping = (
        m.spring[s, SP_FIRST],
        m.spring_value[s, SP_STIFFNESS],
        m.spring_value[s, SP_DAMPING],
    )
    stretch = rate = 0.0
    for i in range(first, m.spring[s, SP_LAST] + 1):
        c = m.spring_value[s, SP_COEFFICIENTS + i - first]
        stretch += c * d.row[i, Q]
        rate += c * d.row[i, V]
    for i in range(first, m.spring[s, SP_LAST] + 1):
        c = m.spring_value[s, SP_COEFFICIENTS + i - first]
        d.row[i, SPRING_EFFORT] -= c * stiffness * stretch
        d.row[i, DAMPER_EFFORT] -= c * damping * rate
    d.spring_out[s, STRETCH], d.spring_out[s, SPRING_FORCE] = stretch, -stiffness * stretch - damping * rate


@kernel
def passive_forces(m, d):
    """Springs, dampers and stops of coordinates; what stands between frames adds to `OUTER`, which is zero here."""
    d.scalar[STOPS] = 0.0
    for i in range(d.row.shape[0]):
        for j in range(6):
            d.row[i, OUTER + j] = 0.0
        coordinate_forces(m, d, i)
    for s in range(m.spring.shape[0]):
        linear_spring(m, d, s)


@helper
def forces_of_motion(m, d):
    """The same, and those of all that stands between frames."""
    passive_forces(m, d)
    if m.element.shape[0] > 0:
        mount_forces(m, d)
        contact_forces(m, d)
        rope_ways(m, d)


@kernel
def applied_forces(m, d):
    """Wrenches that signals give."""
    for e in range(m.element.shape[0]):
        kind = m.element[e, E_KIND]
        if kind == SEGMENT:
            segment_pull(m, d, e)
        if kind < FORCE_WORLD or kind == SEGMENT:
            continue
        b, first = m.element[e, E_FRAME_B], m.element[e, E_INPUT]
        x, y, z = d.inputs[first], d.inputs[first + 1], d.inputs[first + 2]
        if kind == FORCE_B or kind == TORQUE_B:
            B = frame_axes(m, d, b)
            x, y, z = (
                B[0] * x + B[1] * y + B[2] * z,
                B[3] * x + B[4] * y + B[5] * z,
                B[6] * x + B[7] * y + B[8] * z,
            )
        px, py, pz = frame_position(m, d, b)
        if kind == FORCE_WORLD or kind == FORCE_B:
            push(m, d, b, px, py, pz, 0.0, 0.0, 0.0, x, y, z, 1.0)
            write_out(d, e, 0.0, 0.0, 0.0, x, y, z)
            vx, vy, vz = point_velocity(m, d, b, px, py, pz)
        else:
            push(m, d, b, px, py, pz, x, y, z, 0.0, 0.0, 0.0, 1.0)
            write_out(d, e, x, y, z, 0.0, 0.0, 0.0)
            vx, vy, vz = spin(m, d, b)
        d.element_out[e, PUT_IN] = x * vx + y * vy + z * vz


@kernel
def efforts(m, d):
    """The sum of all efforts on each row; and, where nothing is added to them later, the powers of all forces."""
    drive = lost = friction = 0.0
    for i in range(d.row.shape[0]):
        given, damping, rubbing = d.row[i, DRIVE], d.row[i, DAMPER_EFFORT], d.row[i, FRICTION_EFFORT]
        d.row[i, SERVO] = 0.0
        d.row[i, TAU] = (
            given
            + d.row[i, SPRING_EFFORT]
            + damping
            + d.row[i, STOP_EFFORT]
            + rubbing
            + d.row[i, DELTA_EFFORT]
        )
        v = d.row[i, V]
        drive, lost, friction = drive + given * v, lost - damping * v, friction - rubbing * v
    for e in range(m.element.shape[0]):
        lost += d.element_out[e, LOST]
        drive += d.element_out[e, PUT_IN]
    d.scalar[DRIVE_POWER], d.scalar[DISSIPATION] = drive, lost
    d.scalar[FRICTION_POWER], d.scalar[CONSTRAINT_POWER] = friction, 0.0
