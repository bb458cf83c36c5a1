"""Derivatives of forward dynamics for dual numbers: tangents of qdd without those of the articulated inertias.

The articulated-body algorithm on duals costs several times too much: its inertias have 21 numbers, each with a
derivative a direction. But qdd solves M qdd = e, so that its tangent x solves M x = e' - M' qdd. The right-hand side
is the tangent of the inverse-dynamics residual at fixed qdd, and M is factored in values alone (Carpentier and Mansard
2018).
"""

from __future__ import annotations

from ..codegen.intrinsics import carried, value_of
from ..codegen.jit import helper, inlined
from ..codegen.transforms.entry_point_variants import values_only
from . import model_data as f
from .added_mass import add_fluid_wrench
from .articulated_body import articulated_inertias, joint_acceleration, store_acceleration, velocity_product
from .flexible_body import face_acceleration
from .modal_elimination import modal_accelerations
from .modal_tangents import face_correction, modal_corrections, modal_residuals, store_correction
from .newton_euler import required_wrench
from .small_matrices import (
    ZERO_3,
    add_3,
    add_cross,
    add_to_3,
    dot,
    read_3,
    scale_3,
    values_of_dual_3,
    write_3,
)

articulate_values = values_only(articulated_inertias)
modal_values = values_only(modal_accelerations)


@helper
def accelerations_at_fixed_qdd(m, d):
    """Forward pass, world to tips: qdd in values, accelerations of the rows with the tangents they have at fixed
    qdd.
    """
    for s in range(m.segment.shape[0]):
        if m.segment[s, f.SEG_FACE] >= 0:
            face_acceleration(m, d, m.segment[s, f.SEG_FACE], f.ACC, 1)
        for i in range(m.segment[s, f.SEG_FIRST], m.segment[s, f.SEG_LAST]):
            alpha, a = velocity_product(m, d, i)
            if m.topo[i, f.MODE] == f.FREE:
                d.row[i, f.QDD] = value_of(joint_acceleration(d, i, alpha, a))
            store_acceleration(m, d, i, alpha, a)
        b = m.segment[s, f.SEG_BODY]
        if b >= 0:
            modal_values(m, d, b)
            for j in range(m.flex[b, f.X_FIRST], m.flex[b, f.X_FIRST] + m.flex[b, f.X_COUNT]):
                d.row[j, f.QDD] = value_of(d.row[j, f.QDD])


@inlined
def clear_branch_wrenches(m, d):
    """Zero p_A of the rows that several children add to."""
    for i in range(m.topo.shape[0]):
        if m.topo[i, f.BRANCHED]:
            write_3(d.row, i, f.pA, ZERO_3)
            write_3(d.row, i, f.pA + f.LINEAR, ZERO_3)


@inlined
def residual_of_row(m, d, i, t, F):
    """u of FREE row i, whose body needs the wrench (t, F) with all that it carries; returns what it passes on."""
    axis = read_3(d.row, i, f.AXIS)
    needed = dot(axis, F) if m.topo[i, f.KIND] == f.PRISMATIC else dot(axis, t)
    left = d.row[i, f.TAU] - m.row[i, f.COORDINATE + f.ARMATURE] * d.row[i, f.QDD] - needed
    d.row[i, f.u] = left
    push = value_of(d.row[i, f.D_INV]) * left
    t = add_3(t, scale_3(push, values_of_dual_3(read_3(d.row, i, f.U))))
    F = add_3(F, scale_3(push, values_of_dual_3(read_3(d.row, i, f.U + f.LINEAR))))
    return t, F


@helper
def residual_pass(m, d):
    """Backward pass, tips to world: u of each FREE row, the inverse-dynamics residual that carries the tangents.

    The sum that a row passes to its parent stays in local variables, as in `articulated_inertias`.
    """
    topo = m.topo
    clear_branch_wrenches(m, d)
    for s in range(m.segment.shape[0] - 1, -1, -1):
        if m.segment[s, f.SEG_BODY] >= 0:
            modal_residuals(m, d, m.segment[s, f.SEG_BODY])
        passed = False
        t, F = ZERO_3, ZERO_3
        for i in range(m.segment[s, f.SEG_LAST] - 1, m.segment[s, f.SEG_FIRST] - 1, -1):
            if not passed:
                t, F = ZERO_3, ZERO_3
            if topo[i, f.BRANCHED]:
                t = add_3(t, read_3(d.row, i, f.pA))
                F = add_3(F, read_3(d.row, i, f.pA + f.LINEAR))
            alpha, a = read_3(d.row, i, f.ACC), read_3(d.row, i, f.ACC + f.LINEAR)
            torque, force = required_wrench(d, i, alpha, a)
            if m.option[f.O_ADDED] > 0:
                torque, force = add_fluid_wrench(m, d, i, alpha, a, torque, force)
            t, F = add_3(t, torque), add_3(F, force)
            if topo[i, f.MODE] == f.FREE:
                t, F = residual_of_row(m, d, i, t, F)
            k = topo[i, f.PARENT]
            passed = k >= 0 and k == i - 1
            if k >= 0:
                t = add_cross(t, read_3(d.row, i, f.p_parent), F)
                if not passed:
                    add_to_3(d.row, k, f.pA, t)
                    add_to_3(d.row, k, f.pA + f.LINEAR, F)
        if m.segment[s, f.SEG_FACE] >= 0:
            if not passed:
                t, F = ZERO_3, ZERO_3
            residual_of_face(m, d, m.segment[s, f.SEG_FACE], t, F)


@inlined
def residual_of_face(m, d, p, t, F):
    """Wrench that interface p needs, to its p_A and to that of its body; (t, F) is what its first row passes on."""
    i = m.interface[p, f.FACE_ROW]
    k = m.topo[i, f.PARENT]
    torque, force = required_wrench(d, i, read_3(d.row, i, f.ACC), read_3(d.row, i, f.ACC + f.LINEAR))
    t, F = add_3(t, torque), add_3(F, force)
    t, F = add_3(t, read_3(d.row, i, f.pA)), add_3(F, read_3(d.row, i, f.pA + f.LINEAR))
    write_3(d.row, i, f.pA, t)
    write_3(d.row, i, f.pA + f.LINEAR, F)
    add_to_3(d.row, k, f.pA, add_cross(t, read_3(d.row, i, f.p_parent), F))
    add_to_3(d.row, k, f.pA + f.LINEAR, F)


@helper
def correction_pass(m, d):
    """Forward pass, world to tips: add M^-1 residual to qdd and to ACC; REACTION holds the corrections of the rows."""
    topo = m.topo
    for s in range(m.segment.shape[0]):
        if m.segment[s, f.SEG_FACE] >= 0:
            face_correction(m, d, m.segment[s, f.SEG_FACE])
        for i in range(m.segment[s, f.SEG_FIRST], m.segment[s, f.SEG_LAST]):
            k = topo[i, f.PARENT]
            alpha, a = ZERO_3, ZERO_3
            if k >= 0:
                alpha = read_3(d.row, k, f.REACTION)
                a = read_3(d.row, k, f.REACTION + f.LINEAR)
                a = add_cross(a, alpha, values_of_dual_3(read_3(d.row, i, f.p_parent)))
            if topo[i, f.MODE] == f.FREE:
                u, g = (
                    values_of_dual_3(read_3(d.row, i, f.U)),
                    values_of_dual_3(read_3(d.row, i, f.U + f.LINEAR)),
                )
                rate = value_of(d.row[i, f.D_INV]) * (d.row[i, f.u] - dot(u, alpha) - dot(g, a))
                own = scale_3(rate, values_of_dual_3(read_3(d.row, i, f.AXIS)))
                if topo[i, f.KIND] == f.PRISMATIC:
                    a = add_3(a, own)
                else:
                    alpha = add_3(alpha, own)
                d.row[i, f.QDD] = carried(d.row[i, f.QDD], rate)
            store_correction(d, i, alpha, a)
        if m.segment[s, f.SEG_BODY] >= 0:
            modal_corrections(m, d, m.segment[s, f.SEG_BODY])


@helper
def accelerations_with_tangents(m, d):
    """qdd and ACC of all rows with their tangents."""
    articulate_values(m, d)
    accelerations_at_fixed_qdd(m, d)
    residual_pass(m, d)
    correction_pass(m, d)
