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
from .newton_euler import required_wrench
from .small_matrices import (
    ZERO_3,
    add_3,
    add_cross,
    add_to_3,
    dot,
    read_3,
    scale_3,
    values_of_3,
    write_3,
)

articulate_values = values_only(articulated_inertias)


@inlined
def with_tangents_3(v, change):
    """Vector of dual numbers: v with its tangent increased by that of `change`."""
    return carried(v[0], change[0]), carried(v[1], change[1]), carried(v[2], change[2])


@helper
def accelerations_at_fixed_qdd(m, d):
    """Forward pass, world to tips: qdd in values, accelerations of the rows with the tangents they have at fixed
    qdd.
    """
    for i in range(m.topo.shape[0]):
        alpha, a = velocity_product(m, d, i)
        if m.topo[i, f.MODE] == f.FREE:
            d.row[i, f.QDD] = value_of(joint_acceleration(d, i, alpha, a))
        store_acceleration(m, d, i, alpha, a)


@helper
def residual_pass(m, d):
    """Backward pass, tips to world: u of each FREE row, the inverse-dynamics residual that carries the tangents.

    The sum that a row passes to its parent stays in local variables, as in `articulated_inertias`.
    """
    topo = m.topo
    for i in range(topo.shape[0]):
        if topo[i, f.BRANCHED]:
            write_3(d.row, i, f.pA, ZERO_3)
            write_3(d.row, i, f.pA + f.LINEAR, ZERO_3)
    passed = False
    t, F = ZERO_3, ZERO_3
    for i in range(topo.shape[0] - 1, -1, -1):
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
            s = read_3(d.row, i, f.AXIS)
            needed = dot(s, F) if topo[i, f.KIND] == f.PRISMATIC else dot(s, t)
            left = d.row[i, f.TAU] - m.row[i, f.COORDINATE + f.ARMATURE] * d.row[i, f.QDD] - needed
            d.row[i, f.u] = left
            push = value_of(d.row[i, f.D_INV]) * left
            t = add_3(t, scale_3(push, values_of_3(read_3(d.row, i, f.U))))
            F = add_3(F, scale_3(push, values_of_3(read_3(d.row, i, f.U + f.LINEAR))))
        k = topo[i, f.PARENT]
        passed = k >= 0 and k == i - 1
        if k >= 0:
            t = add_cross(t, read_3(d.row, i, f.p_parent), F)
            if not passed:
                add_to_3(d.row, k, f.pA, t)
                add_to_3(d.row, k, f.pA + f.LINEAR, F)


@helper
def correction_pass(m, d):
    """Forward pass, world to tips: add M^-1 residual to qdd and to ACC; REACTION holds the corrections of the rows."""
    topo = m.topo
    for i in range(topo.shape[0]):
        k = topo[i, f.PARENT]
        alpha, a = ZERO_3, ZERO_3
        if k >= 0:
            alpha = read_3(d.row, k, f.REACTION)
            a = read_3(d.row, k, f.REACTION + f.LINEAR)
            a = add_cross(a, alpha, values_of_3(read_3(d.row, i, f.p_parent)))
        if topo[i, f.MODE] == f.FREE:
            u, g = values_of_3(read_3(d.row, i, f.U)), values_of_3(read_3(d.row, i, f.U + f.LINEAR))
            rate = value_of(d.row[i, f.D_INV]) * (d.row[i, f.u] - dot(u, alpha) - dot(g, a))
            own = scale_3(rate, values_of_3(read_3(d.row, i, f.AXIS)))
            if topo[i, f.KIND] == f.PRISMATIC:
                a = add_3(a, own)
            else:
                alpha = add_3(alpha, own)
            d.row[i, f.QDD] = carried(d.row[i, f.QDD], rate)
        write_3(d.row, i, f.REACTION, alpha)
        write_3(d.row, i, f.REACTION + f.LINEAR, a)
        write_3(d.row, i, f.ACC, with_tangents_3(read_3(d.row, i, f.ACC), alpha))
        write_3(d.row, i, f.ACC + f.LINEAR, with_tangents_3(read_3(d.row, i, f.ACC + f.LINEAR), a))


@helper
def accelerations_with_tangents(m, d):
    """qdd and ACC of all rows with their tangents."""
    articulate_values(m, d)
    accelerations_at_fixed_qdd(m, d)
    residual_pass(m, d)
    correction_pass(m, d)
