"""Accelerations of a tree whose numbers carry tangents.

Tangents of the articulated-body algorithm cost several times what they must: its articulated inertias have 21 numbers,
and each of these a derivative in each direction. But accelerations are the solution of linear equations, M q'' = e, so
that their tangents are that of M x = e' - M' q''. The right side is what Newton's and Euler's laws leave over when the
accelerations stay, and M is there as articulated inertias, in values alone (Carpentier and Mansard 2018 take the same
way).
"""

from __future__ import annotations

from ..machine import fields as f
from ..machine.jit import helper, inlined
from ..machine.numbers.forms import values_alone
from ..machine.primitives import carried, value_of
from .articulated import articulate, carried_along, keep_acceleration, own_rate
from .newton_euler import demanded
from .tuples import (
    ZERO_3,
    add_3,
    dot,
    increase_3,
    plus_cross,
    read_3,
    scaled,
    values_of_3,
    write_3,
)

articulate_values = values_alone(articulate)


@inlined
def carried_3(v, change):
    return carried(v[0], change[0]), carried(v[1], change[1]), carried(v[2], change[2])


@helper
def accelerate_with_rates_kept(m, d):
    """Accelerations of rows, world to tips, as tangents make them where those of free coordinates have none."""
    for i in range(m.topo.shape[0]):
        alpha, a = carried_along(m, d, i)
        if m.topo[i, f.MODE] == f.FREE:
            d.row[i, f.QDD] = value_of(own_rate(d, i, alpha, a))
        keep_acceleration(m, d, i, alpha, a)


@helper
def leave_over(m, d):
    """What is left over for each free row by what it and all beyond it need, tips to world: LEFT.

    What a row passes on stays in local variables, as in `articulate`.
    """
    topo = m.topo
    for i in range(topo.shape[0]):
        if topo[i, f.BRANCHED]:
            write_3(d.row, i, f.ART_WRENCH, ZERO_3)
            write_3(d.row, i, f.ART_WRENCH + f.LINEAR, ZERO_3)
    passed = False
    t, F = ZERO_3, ZERO_3
    for i in range(topo.shape[0] - 1, -1, -1):
        if not passed:
            t, F = ZERO_3, ZERO_3
        if topo[i, f.BRANCHED]:
            t = add_3(t, read_3(d.row, i, f.ART_WRENCH))
            F = add_3(F, read_3(d.row, i, f.ART_WRENCH + f.LINEAR))
        torque, force = demanded(d, i, read_3(d.row, i, f.ACC), read_3(d.row, i, f.ACC + f.LINEAR))
        t, F = add_3(t, torque), add_3(F, force)
        if topo[i, f.MODE] == f.FREE:
            s = read_3(d.row, i, f.AXIS)
            needed = dot(s, F) if topo[i, f.KIND] == f.PRISMATIC else dot(s, t)
            left = d.row[i, f.TAU] - m.row[i, f.COORDINATE + f.ARMATURE] * d.row[i, f.QDD] - needed
            d.row[i, f.LEFT] = left
            push = value_of(d.row[i, f.INV_D]) * left
            t = add_3(t, scaled(push, values_of_3(read_3(d.row, i, f.GAIN))))
            F = add_3(F, scaled(push, values_of_3(read_3(d.row, i, f.GAIN + f.LINEAR))))
        k = topo[i, f.PARENT]
        passed = k >= 0 and k == i - 1
        if k >= 0:
            t = plus_cross(t, read_3(d.row, i, f.ARM), F)
            if not passed:
                increase_3(d.row, k, f.ART_WRENCH, t)
                increase_3(d.row, k, f.ART_WRENCH + f.LINEAR, F)


@helper
def carry_on(m, d):
    """What that changes in the accelerations, world to tips; of each row it is kept in REACTION on the way."""
    topo = m.topo
    for i in range(topo.shape[0]):
        k = topo[i, f.PARENT]
        alpha, a = ZERO_3, ZERO_3
        if k >= 0:
            alpha = read_3(d.row, k, f.REACTION)
            a = read_3(d.row, k, f.REACTION + f.LINEAR)
            a = plus_cross(a, alpha, values_of_3(read_3(d.row, i, f.ARM)))
        if topo[i, f.MODE] == f.FREE:
            u, g = values_of_3(read_3(d.row, i, f.GAIN)), values_of_3(read_3(d.row, i, f.GAIN + f.LINEAR))
            rate = value_of(d.row[i, f.INV_D]) * (d.row[i, f.LEFT] - dot(u, alpha) - dot(g, a))
            own = scaled(rate, values_of_3(read_3(d.row, i, f.AXIS)))
            if topo[i, f.KIND] == f.PRISMATIC:
                a = add_3(a, own)
            else:
                alpha = add_3(alpha, own)
            d.row[i, f.QDD] = carried(d.row[i, f.QDD], rate)
        write_3(d.row, i, f.REACTION, alpha)
        write_3(d.row, i, f.REACTION + f.LINEAR, a)
        write_3(d.row, i, f.ACC, carried_3(read_3(d.row, i, f.ACC), alpha))
        write_3(d.row, i, f.ACC + f.LINEAR, carried_3(read_3(d.row, i, f.ACC + f.LINEAR), a))


@helper
def accelerations(m, d):
    """Of coordinates and rows, with their tangents."""
    articulate_values(m, d)
    accelerate_with_rates_kept(m, d)
    leave_over(m, d)
    carry_on(m, d)
