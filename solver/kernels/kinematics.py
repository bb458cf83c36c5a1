"""Where every row is, how it moves, and the inertia it carries there: three sweeps from the world outwards."""

from __future__ import annotations

from ..machine import fields as f
from ..machine.fields import kernel
from ..machine.jit import inlined
from ..machine.mathematics.sines import sine_cosine
from ..machine.numbers.forms import in_slopes_of
from ..machine.primitives import value_of
from .tuples import (
    ZERO_3,
    add_3,
    cross,
    less_3,
    matrix_product,
    matrix_times,
    read_3,
    read_6,
    read_9,
    scaled,
    symmetric_times,
    turned_symmetric,
    values_of_3,
    values_of_6,
    values_of_9,
    write_3,
    write_6,
    write_9,
)  # fmt: skip


@inlined
def turn_of(quat, j):
    """Matrix of a quaternion, which is normalised on use, so that its length never matters to the physics."""
    w, x, y, z = quat[j, 0], quat[j, 1], quat[j, 2], quat[j, 3]
    scale = 2.0 / (w * w + x * x + y * y + z * z)
    return (
        1 - scale * (y * y + z * z), scale * (x * y - w * z), scale * (x * z + w * y),
        scale * (x * y + w * z), 1 - scale * (x * x + z * z), scale * (y * z - w * x),
        scale * (x * z - w * y), scale * (y * z + w * x), 1 - scale * (x * x + y * y),
    )  # fmt: skip


@inlined
def turn(m, d):
    """Cosines and sines of the rows that turn: none waits for another, so that a processor works on several."""
    for i in range(m.topo.shape[0]):
        if m.topo[i, f.KIND] == f.REVOLUTE:
            d.row[i, f.SIN], d.row[i, f.COS] = sine_cosine(d.row[i, f.Q])


@inlined
def place_row(m, d, i, R, arm):
    """q -> pose, axis, arm of a row, with cosine and sine as they are there; R, arm: its joint frame in the parent."""
    k, kind, origin = m.topo[i, f.PARENT], m.topo[i, f.KIND], ZERO_3
    # the joint frame in the world: R_WJ = R_WP @ R_PJ
    if k >= 0:
        R_WP = read_9(d.row, k, f.POSE)
        R, arm, origin = matrix_product(R_WP, R), matrix_times(R_WP, arm), read_3(d.row, k, f.POSITION)
    axis = R[2], R[5], R[8]

    if kind == f.REVOLUTE:
        c, s = d.row[i, f.COS], d.row[i, f.SIN]
        R = (
            c * R[0] + s * R[1], c * R[1] - s * R[0], R[2],
            c * R[3] + s * R[4], c * R[4] - s * R[3], R[5],
            c * R[6] + s * R[7], c * R[7] - s * R[6], R[8],
        )  # fmt: skip
    elif kind == f.PRISMATIC:
        arm = add_3(arm, scaled(d.row[i, f.Q], axis))
    elif kind == f.QUAT_X:
        R = matrix_product(R, turn_of(d.quat, m.topo[i, f.QUAT]))
        axis = R[0], R[3], R[6]
    elif kind == f.QUAT_Y:
        axis = R[1], R[4], R[7]
    elif kind == f.WELD:
        axis = ZERO_3

    write_9(d.row, i, f.POSE, R)
    write_3(d.row, i, f.POSITION, add_3(origin, arm))
    write_3(d.row, i, f.AXIS, axis)
    write_3(d.row, i, f.ARM, arm)


@inlined
def place(m, d, first):
    """The same of the rows from `first` on."""
    for i in range(first, m.topo.shape[0]):
        place_row(m, d, i, read_9(m.row, i, f.PLACE), read_3(m.row, i, f.PLACE_AT))


@kernel
def positions(m, d):
    """q -> pose, axis, arm of every row."""
    turn(m, d)
    place(m, d, 0)


@in_slopes_of(positions)
def positions_in_slopes(m, d):
    """The same where the model stays, which is nearly always, and where it moves."""
    turn(m, d)
    if m.option[f.O_MOVED] > 0:
        place(m, d, 0)
    else:
        for i in range(m.topo.shape[0]):
            R, arm = values_of_9(read_9(m.row, i, f.PLACE)), values_of_3(read_3(m.row, i, f.PLACE_AT))
            place_row(m, d, i, R, arm)


@kernel
def velocities(m, d):
    """v -> twist of every row, and the acceleration that velocities alone give it relative to its parent."""
    topo = m.topo
    for i in range(topo.shape[0]):
        k, kind = topo[i, f.PARENT], topo[i, f.KIND]
        r, u = read_3(d.row, i, f.ARM), scaled(d.row[i, f.V], read_3(d.row, i, f.AXIS))
        w = v = e = ZERO_3
        if k >= 0:
            # v_i = v_P + w_P x r;  centripetal part w_P x (w_P x r)
            w = read_3(d.row, k, f.TWIST)
            c = cross(w, r)
            v, e = add_3(read_3(d.row, k, f.TWIST + f.LINEAR), c), cross(w, c)

        if kind == f.PRISMATIC:
            # Coriolis: the sliding axis turns with the parent
            write_3(d.row, i, f.BIAS, ZERO_3)
            e = add_3(e, scaled(2.0, cross(w, u)))
            v = add_3(v, u)
        else:
            # the axes of a quaternion's rows turn with the body, not with one another: w of the group's parent counts
            g = w
            if kind == f.QUAT_Y or kind == f.QUAT_Z:
                g = less_3(g, scaled(d.row[i - 1, f.V], read_3(d.row, i - 1, f.AXIS)))
                if kind == f.QUAT_Z:
                    g = less_3(g, scaled(d.row[i - 2, f.V], read_3(d.row, i - 2, f.AXIS)))
            write_3(d.row, i, f.BIAS, cross(g, u))
            w = add_3(w, u)
        write_3(d.row, i, f.BIAS + f.LINEAR, e)
        write_3(d.row, i, f.TWIST, w)
        write_3(d.row, i, f.TWIST + f.LINEAR, v)


@inlined
def carry_body(d, i, mass, h, J):
    """Inertia of a row's body in world axes, and its gyroscopic and centrifugal wrench less the external one."""
    if mass == 0.0 and J[0] == 0.0 and J[1] == 0.0 and J[2] == 0.0:
        for j in range(f.BODY_COLUMNS):
            d.row[i, f.MASS + j] = 0.0
        for j in range(6):
            d.row[i, f.WRENCH + j] = -d.row[i, f.OUTER + j]
        return
    # first moment and inertia turned into world axes
    R = read_9(d.row, i, f.POSE)
    h, J = matrix_times(R, h), turned_symmetric(R, J)
    d.row[i, f.MASS] = mass
    write_3(d.row, i, f.MOMENT, h)
    write_6(d.row, i, f.INERTIA, J)
    # gyroscopic torque w x J w, centrifugal force w x (w x m c)
    w = read_3(d.row, i, f.TWIST)
    torque, force = cross(w, symmetric_times(J, w)), cross(w, cross(w, h))
    write_3(d.row, i, f.WRENCH, less_3(torque, read_3(d.row, i, f.OUTER)))
    write_3(d.row, i, f.WRENCH + f.LINEAR, less_3(force, read_3(d.row, i, f.OUTER + f.LINEAR)))


@inlined
def carry_bodies(m, d):
    for i in range(m.topo.shape[0]):
        mass, h = m.row[i, f.BODY_MASS], read_3(m.row, i, f.BODY_MOMENT)
        carry_body(d, i, mass, h, read_6(m.row, i, f.BODY_INERTIA))


@kernel
def inertias(m, d):
    """Inertia of every row in world axes, and its gyroscopic and centrifugal wrench less the external one."""
    carry_bodies(m, d)


@in_slopes_of(inertias)
def inertias_in_slopes(m, d):
    """The same where the model stays, and where it moves."""
    if m.option[f.O_MOVED] > 0:
        carry_bodies(m, d)
    else:
        for i in range(m.topo.shape[0]):
            mass, h = value_of(m.row[i, f.BODY_MASS]), values_of_3(read_3(m.row, i, f.BODY_MOMENT))
            carry_body(d, i, mass, h, values_of_6(read_6(m.row, i, f.BODY_INERTIA)))
