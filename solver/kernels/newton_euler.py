"""Recursive Newton-Euler inverse dynamics and reactions, composite-rigid-body mass matrix, energies, powers.

Algorithms of Featherstone (2008), ch. 5 and 6, in world axes.
"""

from __future__ import annotations

import math

from ..codegen.jit import helper, inlined
from . import model_data as f
from .added_mass import add_fluid_mass, add_fluid_wrench, fluid_energy
from .flexible_body import add_modal_wrench, face_acceleration, flexible_energies, modal_mass, modal_reactions
from .frame_kinematics import frame_axes, frame_position, gravity
from .model_data import kernel
from .small_matrices import (
    ZERO_3,
    add_3,
    add_cross,
    add_symmetric_vector,
    add_to_3,
    cross,
    dot,
    read_3,
    read_6,
    scale_3,
    subtract_3,
    symmetric_times,
    transposed_times,
    write_3,
)  # fmt: skip


@helper
def along_axis(m, d, w, i):
    """Generalised force: component of the wrench in column w along the freedom of row i [N, N m]."""
    o = f.LINEAR if m.topo[i, f.KIND] == f.PRISMATIC else 0
    o += w
    return dot(read_3(d.row, i, o), read_3(d.row, i, f.AXIS))


@helper
def reject_span(m, d, first, last, slides, v):
    """Component of v orthogonal to the slide axes (or turn axes) of a joint's rows; the axes need not be orthogonal."""
    before = twice_before = ZERO_3
    for i in range(first, last + 1):
        if m.topo[i, f.KIND] == f.WELD or (m.topo[i, f.KIND] == f.PRISMATIC) != slides:
            continue
        # Gram-Schmidt: component of this axis orthogonal to the previous ones
        s = read_3(d.row, i, f.AXIS)
        a, b = dot(s, before), dot(s, twice_before)
        s = subtract_3(subtract_3(s, scale_3(a, before)), scale_3(b, twice_before))
        length = math.sqrt(dot(s, s))
        if length < 1e-9:
            continue  # singular position: the axis lies in the span of the previous ones
        s = s[0] / length, s[1] / length, s[2] / length
        v = subtract_3(v, scale_3(dot(s, v), s))
        before, twice_before = s, before
    return v


@helper
def inverse_dynamics_row(m, d, i):
    """Generalised force of row i (inverse dynamics), rotor inertia included [N, N m]."""
    return along_axis(m, d, f.REACTION, i) + m.row[i, f.COORDINATE + f.ARMATURE] * d.row[i, f.QDD]


@kernel
def joint_wrenches(m, d):
    """Wrench of each joint on b's body, at frame_b's origin, in the frame of its outputs: total, and constraint
    part.
    """
    for j in range(m.joint.shape[0]):
        first, last = m.joint[j, f.J_FIRST], m.joint[j, f.J_LAST]
        torque, force = read_3(d.row, last, f.REACTION), read_3(d.row, last, f.REACTION + f.LINEAR)
        # constraint part: without the efforts along the joint's freedoms (drive, spring, damper, stop, friction)
        ideal_torque = reject_span(m, d, first, last, False, torque)
        ideal_force = reject_span(m, d, first, last, True, force)
        b = m.joint[j, f.J_FRAME_B]
        if m.joint[j, f.J_REVERSED]:
            # the sweep ran from b to a: the row's body is a's, and its wrench acts at a's origin
            r = subtract_3(frame_position(m, d, m.joint[j, f.J_FRAME_A]), frame_position(m, d, b))
            torque = scale_3(-1.0, add_cross(torque, r, force))
            ideal_torque = scale_3(-1.0, add_cross(ideal_torque, r, ideal_force))
            force, ideal_force = scale_3(-1.0, force), scale_3(-1.0, ideal_force)
        B = frame_axes(m, d, m.joint[j, f.J_RESOLVE])
        out = d.joint_out
        write_3(out, j, f.TOTAL_FORCE, transposed_times(B, force))
        write_3(out, j, f.TOTAL_TORQUE, transposed_times(B, torque))
        write_3(out, j, f.CONSTRAINT_FORCE, transposed_times(B, ideal_force))
        write_3(out, j, f.CONSTRAINT_TORQUE, transposed_times(B, ideal_torque))
        # normal force: resultant across the axis of a one-coordinate joint
        axis = read_3(d.row, last, f.AXIS)
        x, y, z = subtract_3(ideal_force, scale_3(dot(ideal_force, axis), axis))
        out[j, f.NORMAL_FORCE] = math.sqrt(x**2 + y**2 + z**2)
        # effort that a drive along the last freedom has to add to springs, dampers and friction
        out[j, f.REQUIRED_EFFORT] = inverse_dynamics_row(m, d, last) - d.row[last, f.TAU]


@inlined
def required_wrench(d, i, alpha, a):
    """Newton-Euler wrench of row i's body at the acceleration (alpha, a): J alpha + h x a + bias, m a + alpha x h +
    bias.
    """
    h = read_3(d.row, i, f.FIRST_MOMENT)
    torque = add_symmetric_vector(read_3(d.row, i, f.BIAS_WRENCH), read_6(d.row, i, f.INERTIA), alpha)
    force = add_3(read_3(d.row, i, f.BIAS_WRENCH + f.LINEAR), scale_3(d.row[i, f.MASS], a))
    return add_cross(torque, h, a), add_cross(force, alpha, h)


@inlined
def inverse_dynamics_pass(m, d, column):
    """Backward pass, tips to world: REACTION, the parent's wrench on each row, from the accelerations in a column."""
    n = m.topo.shape[0]
    for i in range(n):
        alpha, a = read_3(d.row, i, column), read_3(d.row, i, column + f.LINEAR)
        torque, force = required_wrench(d, i, alpha, a)
        if m.option[f.O_ADDED] > 0:
            torque, force = add_fluid_wrench(m, d, i, alpha, a, torque, force)
        write_3(d.row, i, f.REACTION, torque)
        write_3(d.row, i, f.REACTION + f.LINEAR, force)
    if column == f.ACC:
        for b in range(m.flex.shape[0]):
            add_modal_wrench(m, d, b)
    for i in range(n - 1, -1, -1):
        k = m.topo[i, f.PARENT]
        if k < 0:
            continue
        force = read_3(d.row, i, f.REACTION + f.LINEAR)
        torque = add_cross(read_3(d.row, i, f.REACTION), read_3(d.row, i, f.p_parent), force)
        add_to_3(d.row, k, f.REACTION, torque)
        add_to_3(d.row, k, f.REACTION + f.LINEAR, force)
    for b in range(m.flex.shape[0]):
        modal_reactions(m, d, b, column)


@kernel
def inverse_dynamics_pass_bias(m, d):
    """REACTION at zero qdd of the FREE rows (bias forces C)."""
    inverse_dynamics_pass(m, d, f.ACC_BIAS)


@kernel
def newton_euler(m, d):
    """REACTION at the accelerations ACC of the solution."""
    inverse_dynamics_pass(m, d, f.ACC)


@kernel
def reactions(m, d):
    """Wrenches that rows and joints transmit."""
    newton_euler(m, d)
    joint_wrenches(m, d)


@inlined
def propagate_accelerations(m, d, column, free):
    """Forward pass: spatial acceleration of every row in `column`, from qdd of all rows (`free`) or of the DRIVEN
    ones.
    """
    for s in range(m.segment.shape[0]):
        if m.segment[s, f.SEG_FACE] >= 0:
            face_acceleration(m, d, m.segment[s, f.SEG_FACE], column, 1 if free else 0)
        for i in range(m.segment[s, f.SEG_FIRST], m.segment[s, f.SEG_LAST]):
            k = m.topo[i, f.PARENT]
            if k < 0:
                alpha, a = ZERO_3, scale_3(-1.0, gravity(m))
            else:
                alpha = read_3(d.row, k, column)
                a = add_cross(read_3(d.row, k, column + f.LINEAR), alpha, read_3(d.row, i, f.p_parent))
            o = f.LINEAR if m.topo[i, f.KIND] == f.PRISMATIC else 0
            write_3(d.row, i, column, add_3(alpha, read_3(d.row, i, f.VELOCITY_PRODUCT)))
            write_3(d.row, i, column + f.LINEAR, add_3(a, read_3(d.row, i, f.VELOCITY_PRODUCT + f.LINEAR)))
            if free or m.topo[i, f.MODE] == f.DRIVEN:
                add_to_3(d.row, i, column + o, scale_3(d.row[i, f.QDD], read_3(d.row, i, f.AXIS)))


@kernel
def propagate_all(m, d):
    """ACC of every row from qdd of all coordinates."""
    propagate_accelerations(m, d, f.ACC, True)


@kernel
def propagate_driven(m, d):
    """ACC_BIAS of every row: accelerations at zero qdd of the FREE rows."""
    propagate_accelerations(m, d, f.ACC_BIAS, False)


@inlined
def shift_composite(d, k, mass, h, J, r):
    """Add a composite body (m, h, J) to row k's, shifted by r: J + m (r.r 1 - r r^T) + 2 r.h 1 - r h^T - h r^T."""
    (rx, ry, rz), (hx, hy, hz), (jxx, jyy, jzz, jxy, jxz, jyz) = r, h, J
    around = 2.0 * dot(r, h) + mass * dot(r, r)
    d.row[k, f.COMPOSITE] += mass
    d.row[k, f.COMPOSITE + 1] += hx + mass * rx
    d.row[k, f.COMPOSITE + 2] += hy + mass * ry
    d.row[k, f.COMPOSITE + 3] += hz + mass * rz
    d.row[k, f.COMPOSITE + 4] += jxx + around - 2.0 * rx * hx - mass * rx * rx
    d.row[k, f.COMPOSITE + 5] += jyy + around - 2.0 * ry * hy - mass * ry * ry
    d.row[k, f.COMPOSITE + 6] += jzz + around - 2.0 * rz * hz - mass * rz * rz
    d.row[k, f.COMPOSITE + 7] += jxy - rx * hy - ry * hx - mass * rx * ry
    d.row[k, f.COMPOSITE + 8] += jxz - rx * hz - rz * hx - mass * rx * rz
    d.row[k, f.COMPOSITE + 9] += jyz - ry * hz - rz * hy - mass * ry * rz


@kernel
def mass_matrix(m, d):
    """Joint-space mass matrix M by the composite-rigid-body algorithm, into `mass`; needs `inertias`; DRIVEN rows
    too.
    """
    n, M = m.topo.shape[0], d.mass
    for i in range(n):
        for j in range(f.BODY_COLUMNS):
            d.row[i, f.COMPOSITE + j] = d.row[i, f.MASS + j]
        for j in range(n):
            M[i, j] = 0.0
    for i in range(n - 1, -1, -1):
        mass, h = d.row[i, f.COMPOSITE], read_3(d.row, i, f.COMPOSITE + 1)
        J, s = read_6(d.row, i, f.COMPOSITE + 4), read_3(d.row, i, f.AXIS)
        # momentum of the composite body at a unit rate: I_c s
        if m.topo[i, f.KIND] == f.PRISMATIC:
            linear, angular = scale_3(mass, s), cross(h, s)
        else:
            linear, angular = cross(s, h), symmetric_times(J, s)
        k = i if m.topo[i, f.KIND] != f.WELD else -1
        own = m.row[i, f.COORDINATE + f.ARMATURE]
        while k >= 0:
            M[i, k] = dot(linear if m.topo[k, f.KIND] == f.PRISMATIC else angular, read_3(d.row, k, f.AXIS))
            M[i, k] += own
            own = 0.0
            M[k, i] = M[i, k]
            angular = add_cross(angular, read_3(d.row, k, f.p_parent), linear)
            k = m.topo[k, f.PARENT]
        k = m.topo[i, f.PARENT]
        if k >= 0:
            shift_composite(d, k, mass, h, J, read_3(d.row, i, f.p_parent))
    if m.option[f.O_ADDED] > 0:
        add_fluid_mass(m, d)
    if m.flex.shape[0] > 0:
        modal_mass(m, d)


@inlined
def spring_energy(m, d, i):
    """Energy of the coordinate spring of row i: k e^2 / 2 + k_3 e^4 / 4 [J]."""
    off = d.row[i, f.Q] - m.row[i, f.COORDINATE + f.REST]
    linear, cubic = m.row[i, f.COORDINATE + f.STIFFNESS], m.row[i, f.COORDINATE + f.CUBIC]
    return (0.5 * linear + 0.25 * cubic * off * off) * off * off


@kernel
def energies(m, d):
    """Kinetic, gravitational and elastic energy of the mechanism [J]."""
    kinetic = gravity = elastic = 0.0
    for i in range(m.topo.shape[0]):
        mass, h = d.row[i, f.MASS], read_3(d.row, i, f.FIRST_MOMENT)
        w, v = read_3(d.row, i, f.TWIST), read_3(d.row, i, f.TWIST + f.LINEAR)
        angular = symmetric_times(read_6(d.row, i, f.INERTIA), w)
        kinetic += 0.5 * (dot(w, angular) + mass * dot(v, v))
        kinetic += dot(v, cross(w, h))
        gravity -= m.constant[f.G] * (mass * d.row[i, f.p_WB] + h[0])
        gravity -= m.constant[f.G + 1] * (mass * d.row[i, f.p_WB + 1] + h[1])
        gravity -= m.constant[f.G + 2] * (mass * d.row[i, f.p_WB + 2] + h[2])
        kinetic += 0.5 * m.row[i, f.COORDINATE + f.ARMATURE] * d.row[i, f.V] ** 2

        elastic += spring_energy(m, d, i)
        if m.row[i, f.COORDINATE + f.STOP_STIFFNESS] > 0.0:
            depth = max(
                d.row[i, f.Q] - m.row[i, f.COORDINATE + f.UPPER],
                m.row[i, f.COORDINATE + f.LOWER] - d.row[i, f.Q],
            )
            if depth > 0.0:
                w = m.row[i, f.COORDINATE + f.STOP_WIDTH]
                k = m.row[i, f.COORDINATE + f.STOP_STIFFNESS]
                if depth < w:
                    elastic += k * depth * depth * depth / w * (2.0 / 3.0 - 0.25 * depth / w)
                else:
                    elastic += k * (0.5 * depth * depth - w * w / 12.0)
    for s in range(m.spring.shape[0]):
        elastic += 0.5 * m.spring_value[s, f.SP_STIFFNESS] * d.spring_out[s, f.STRETCH] ** 2
    for e in range(m.element.shape[0]):
        elastic += d.element_out[e, f.STORED]
    for e in range(m.element.shape[0]):
        if m.element[e, f.E_KIND] == f.FLUID:
            i = m.frame_row[m.element[e, f.E_FRAME_B]]
            kinetic += fluid_energy(d, e, read_3(d.row, i, f.TWIST), read_3(d.row, i, f.TWIST + f.LINEAR))
    d.scalar[f.KINETIC], d.scalar[f.GRAVITY], d.scalar[f.ELASTIC] = kinetic, gravity, elastic
    for b in range(m.flex.shape[0]):
        flexible_energies(m, d, b)


@kernel
def stored_energies(m, d):
    """Energy stored in the springs of each block that reports it [J]."""
    for k in range(d.store_out.shape[0]):
        d.store_out[k] = 0.0
    for z in range(m.store.shape[0]):
        energy, of = d.store_out[m.store[z, f.S_OF]], m.store[z, f.S_KIND]
        for i in range(m.store[z, f.S_FIRST], m.store[z, f.S_LAST] + 1):
            if of == f.OF_ROWS:
                energy += spring_energy(m, d, i)
            elif of == f.OF_SPRINGS:
                energy += 0.5 * m.spring_value[i, f.SP_STIFFNESS] * d.spring_out[i, f.STRETCH] ** 2
            else:
                energy += d.element_out[i, f.STORED]
        d.store_out[m.store[z, f.S_OF]] = energy


@kernel
def powers(m, d):
    """Power of drives, dissipation, friction and moving constraints [W]."""
    drive = lost = friction = constraint = 0.0
    for i in range(m.topo.shape[0]):
        v = d.row[i, f.V]
        lost -= d.row[i, f.DAMPER_EFFORT] * v
        friction -= d.row[i, f.FRICTION_EFFORT] * v
        drive += (d.row[i, f.DRIVE] + d.row[i, f.SERVO]) * v
        if m.topo[i, f.MODE] == f.DRIVEN and m.topo[i, f.KIND] != f.WELD:
            constraint += (inverse_dynamics_row(m, d, i) - d.row[i, f.TAU]) * v
    for e in range(m.element.shape[0]):
        lost += d.element_out[e, f.POWER_LOST]
        drive += d.element_out[e, f.POWER_IN]
    for c in range(m.constraint.shape[0]):
        if m.constraint[c, f.C_SERVO] < 0:
            constraint += d.con[c, f.MULTIPLIER] * (d.con[c, f.PHI_RATE] - d.con[c, f.PHI_T])
    d.scalar[f.DRIVE_POWER], d.scalar[f.DISSIPATION] = drive, lost
    d.scalar[f.FRICTION_POWER], d.scalar[f.CONSTRAINT_POWER] = friction, constraint
