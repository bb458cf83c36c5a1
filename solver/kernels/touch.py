"""Forces of shapes that touch: pairs of solids, one kernel a family of cores (`touch_features.py`, `pair_friction.py`).

A pair is a force element: solid a stands at frame a, solid b at frame b. The force acts at the centre of pressure.

Asked are the pairs that `near_pairs.py` lists: first their bounding spheres, then the boxes around them, then whether a
hull was far enough apart before (`known_gaps.py`). Outputs of a pair that is far are written once (`touch_idle`).
"""

from __future__ import annotations

import math

from ..codegen.jit import helper
from . import model_data as f
from .cylinder_features import crossed_sides, deepest_of_rim, rims, sides
from .frame_kinematics import (
    angular_velocity,
    apply_wrench,
    point_velocity,
    relative_pose,
)
from .known_gaps import known_far, note_gap
from .model_data import kernel
from .near_pairs import GONE, first_bristle, silence, spheres_apart
from .pair_friction import resist_rolling, slide_and_spin
from .small_matrices import (
    add_3,
    add_cross,
    add_matrix_vector,
    cross,
    dot,
    matrix_times,
    read_3,
    scale_3,
    subtract_3,
    transposed_times,
    write_3,
)
from .solid_distance import (
    any_distance,
    flat_distance,
    hull_or_flat_distance,
    round_distance,
    turned_on_any,
    turned_on_round,
)
from .stiction import FORGETS
from .touch_features import corners_of_a, corners_of_b, edges
from .unilateral_contacts import write_element_output


@helper
def boxes_meet(m, a, b, R, p):
    """True if the boxes around two solids, each in the axes of either, are not apart; (R, p) is the pose of b in a."""
    reach = m.solid_value[a, f.SO_ROUND] + m.solid_value[b, f.SO_ROUND]
    bx, by, bz = read_3(m.solid_value, b, f.SO_HALF)
    if m.solid[a, f.SO_KIND] == f.PLANE:
        return p[2] < abs(R[6]) * bx + abs(R[7]) * by + abs(R[8]) * bz + reach
    ax, ay, az = read_3(m.solid_value, a, f.SO_HALF)
    q = transposed_times(R, p)
    return (
        abs(p[0]) < ax + reach + abs(R[0]) * bx + abs(R[1]) * by + abs(R[2]) * bz
        and abs(p[1]) < ay + reach + abs(R[3]) * bx + abs(R[4]) * by + abs(R[5]) * bz
        and abs(p[2]) < az + reach + abs(R[6]) * bx + abs(R[7]) * by + abs(R[8]) * bz
        and abs(q[0]) < bx + reach + abs(R[0]) * ax + abs(R[3]) * ay + abs(R[6]) * az
        and abs(q[1]) < by + reach + abs(R[1]) * ax + abs(R[4]) * ay + abs(R[7]) * az
        and abs(q[2]) < bz + reach + abs(R[2]) * ax + abs(R[5]) * ay + abs(R[8]) * az
    )


@helper
def relax(m, d, k):
    """Let the bristle of a pair that does not push decay; its energy [J].

    It stops where its square is next to the least number: smaller ones cost a processor a hundred times as much.
    """
    if m.touch[k, f.TO_BRISTLES] == 0:
        return 0.0
    e, at, bent = m.touch[k, f.TO_ELEMENT], first_bristle(m, k), 0.0
    for j in range(m.touch[k, f.TO_BRISTLES]):
        z = d.x[at + j]
        d.dx[at + j] = 0.0
        if z * z > GONE:
            d.dx[at + j] = -FORGETS * z
            bent += z * z * (1.0 if j < 4 else m.element_value[e, f.T_ROLLING])
    return 0.5 * m.element_value[e, f.T_ACROSS] * bent


@helper
def forget(m, d, k):
    """Outputs of a pair that does not push: zero but for what is left in its bristle."""
    e, stored = m.touch[k, f.TO_ELEMENT], relax(m, d, k)
    if stored > 0.0 or d.touch_idle[k] == 0.0:
        silence(d, k, e)
        d.element_out[e, f.STORED], d.element_out[e, f.POWER_LOST] = stored, 2.0 * FORGETS * stored
        d.touch_idle[k] = 0.0 if stored > 0.0 else 1.0


@helper
def relative_motion(m, d, e, A, origin):
    """Angular velocity of b's body against a's, and velocity of b's body point at a's origin, in the axes of a."""
    a, b = m.element[e, f.E_FRAME_A], m.element[e, f.E_FRAME_B]
    w = transposed_times(A, subtract_3(angular_velocity(m, d, b), angular_velocity(m, d, a)))
    v = subtract_3(point_velocity(m, d, b, origin), point_velocity(m, d, a, origin))
    return w, transposed_times(A, v)


@helper
def rub(m, d, k, p, motion, count, N, force, torque):
    """Force and torque of a pair with friction, by those without; its bristle and outputs."""
    e, out = m.touch[k, f.TO_ELEMENT], d.element_out
    at = first_bristle(m, k)
    for j in range(m.touch[k, f.TO_BRISTLES]):
        out[e, f.SLIP + j] = d.x[at + j]
    n = scale_3(1.0 / math.sqrt(dot(force, force)), force)
    centre = scale_3(1.0 / N, read_3(d.touch_sum, 0, f.SUM_MOMENT))
    across, spin = slide_and_spin(m, d, e, p, motion, count, N, n, centre)
    square = dot(across, across)
    out[e, f.RUBBING] = math.sqrt(square) if square > 0.0 else 0.0
    force = add_3(force, across)
    torque = add_3(add_cross(torque, centre, across), scale_3(spin, n))
    if m.element_value[e, f.T_ROLLING] > 0.0:
        torque = add_3(torque, resist_rolling(m, d, e, motion, N, n))
    for j in range(m.touch[k, f.TO_BRISTLES]):
        d.dx[at + j] = out[e, f.SLIP_RATE + j]
    return force, torque


@helper
def act(m, d, k, A, origin, p, motion, count):
    """Wrench of a pair on both bodies by the sums over its features, with friction, and its outputs.

    Features that part faster than 1 / c do not push, N = 0, while gradients of their weights still act.
    """
    e, out, total = m.touch[k, f.TO_ELEMENT], d.element_out, d.touch_sum
    N, force, torque = total[0, f.SUM_NORMAL], read_3(total, 0, f.SUM_FORCE), read_3(total, 0, f.SUM_TORQUE)
    if N > 0.0:
        centre = scale_3(1.0 / N, read_3(total, 0, f.SUM_MOMENT))
        write_3(out, e, f.PRESSURE_CENTRE, add_matrix_vector(origin, A, centre))
    if m.touch[k, f.TO_BRISTLES] > 0 and N > 0.0 and dot(force, force) > 0.0:
        force, torque = rub(m, d, k, p, motion, count, N, force, torque)
    else:
        stored = relax(m, d, k)
        out[e, f.STORED] += stored
        out[e, f.POWER_LOST] += 2.0 * FORGETS * stored
    out[e, f.TOUCH_NORMAL] = N
    force, torque = matrix_times(A, force), matrix_times(A, torque)
    apply_wrench(m, d, m.element[e, f.E_FRAME_B], origin, torque, force, 1.0)
    apply_wrench(m, d, m.element[e, f.E_FRAME_A], origin, torque, force, -1.0)
    # output at b's origin
    write_element_output(d, e, subtract_3(torque, cross(matrix_times(A, p), force)), force)


@helper
def never(m, d, k, R, p):
    """Gap of a pair whose features are few: none is kept."""
    return False


@helper
def touch_near(m, d, k, features, known, found):
    """Force of pair k, whose features the function `features` adds up; none if it is `known` or `found` to be far."""
    if spheres_apart(m, d, k, 0.0):
        forget(m, d, k)
        return
    e, a, b = m.touch[k, f.TO_ELEMENT], m.touch[k, f.TO_A], m.touch[k, f.TO_B]
    A, origin, R, p = relative_pose(m, d, e)
    if not boxes_meet(m, a, b, R, p) or known(m, d, k, R, p):
        forget(m, d, k)
        return
    press(m, d, k, A, origin, R, p, features)
    if d.element_out[e, f.TOUCHING] == 0.0 and found(m, d, k, R, p):
        forget(m, d, k)


@helper
def touch_pair(m, d, k, features):
    """Force of a pair without a hull."""
    touch_near(m, d, k, features, never, never)


@helper
def touch_hulls(m, d, k, features):
    """Force of a pair with a hull, whose gap is kept."""
    touch_near(m, d, k, features, known_far, note_gap)


@helper
def press(m, d, k, A, origin, R, p, features):
    """Force of pair k by the sums over its features; (A, origin) is the pose of a in W, (R, p) that of b in a."""
    e, a, b = m.touch[k, f.TO_ELEMENT], m.touch[k, f.TO_A], m.touch[k, f.TO_B]
    out, total = d.element_out, d.touch_sum
    d.touch_idle[k] = 0.0
    for j in range(f.SLIP):
        out[e, j] = 0.0
    for j in range(f.TOUCH_SUMS):
        total[0, j] = 0.0
    total[0, f.SUM_DEPTH] = -1.0
    motion = relative_motion(m, d, e, A, origin)
    count = features(m, d, e, a, b, R, p, motion)
    out[e, f.MARGIN] = total[0, f.SUM_DEPTH]
    out[e, f.STORED], out[e, f.POWER_LOST] = total[0, f.SUM_STORED], total[0, f.SUM_LOST]
    if count > 0:
        d.scalar[f.END_STOPS] += m.element_value[e, f.T_DIVIDES] * total[0, f.SUM_FINGERPRINT]
        out[e, f.DEFLECTION], out[e, f.TOUCHING] = total[0, f.SUM_DEPTH], 1.0
    act(m, d, k, A, origin, p, motion, count)


@helper
def polyhedra(m, d, e, a, b, R, p, motion, distance, count):
    """Add corners and edges of two solids, of which a cylinder's are those of its ends; a sphere's centre is its only
    feature.
    """
    sphere_a, sphere_b = m.solid[a, f.SO_KIND] == f.SPHERE, m.solid[b, f.SO_KIND] == f.SPHERE
    if sphere_b or not sphere_a:
        count = corners_of_b(m, d, e, a, b, R, p, motion, distance, count)
    if not sphere_b:
        count = corners_of_a(m, d, e, a, b, R, p, motion, distance, count)
        count = edges(m, d, e, a, b, R, p, motion, count)
    return count


@helper
def cylinders(m, d, e, a, b, R, p, motion, distance, turned, count):
    """Add rims and sides of a pair in which one is a cylinder, or both are."""
    transposed = R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]
    q = transposed_times(R, (-p[0], -p[1], -p[2]))
    number = (
        m.solid[a, f.SO_CORNERS] + m.solid[b, f.SO_CORNERS] + m.solid[a, f.SO_EDGES] * m.solid[b, f.SO_EDGES]
    )
    round_a, round_b = m.solid[a, f.SO_KIND] == f.CYLINDER, m.solid[b, f.SO_KIND] == f.CYLINDER
    if round_b and m.solid[a, f.SO_KIND] != f.SPHERE:
        count = rims(
            m, d, e, b, a, R, p, R, p, motion, distance, turned, deepest_of_rim, number, count, False
        )
        count = sides(m, d, e, a, b, transposed, q, R, p, motion, number + 2, count, True)
        number += 2 + m.solid[a, f.SO_EDGES]
    if round_a and m.solid[b, f.SO_KIND] != f.SPHERE:
        count = rims(
            m, d, e, a, b, transposed, q, R, p, motion, distance, turned, deepest_of_rim, number, count, True
        )
        count = sides(m, d, e, b, a, R, p, R, p, motion, number + 2, count, False)
        number += 2 + m.solid[b, f.SO_EDGES]
    if round_a and round_b:
        count = crossed_sides(m, d, e, a, b, R, p, motion, number + 1, count)
    return count


@helper
def flat_features(m, d, e, a, b, R, p, motion):
    """Add the features of spheres, capsules, boxes and planes."""
    return polyhedra(m, d, e, a, b, R, p, motion, flat_distance, 0)


@helper
def round_features(m, d, e, a, b, R, p, motion):
    """Add the features of a cylinder with any shape but a hull."""
    count = polyhedra(m, d, e, a, b, R, p, motion, round_distance, 0)
    return cylinders(m, d, e, a, b, R, p, motion, round_distance, turned_on_round, count)


@helper
def hull_features(m, d, e, a, b, R, p, motion):
    """Add the features of a hull with a hull, sphere, capsule, box or plane."""
    return polyhedra(m, d, e, a, b, R, p, motion, hull_or_flat_distance, 0)


@helper
def mixed_features(m, d, e, a, b, R, p, motion):
    """Add the features of a cylinder with a hull."""
    count = polyhedra(m, d, e, a, b, R, p, motion, any_distance, 0)
    return cylinders(m, d, e, a, b, R, p, motion, any_distance, turned_on_any, count)


@helper
def touch_family(m, d, family, pair, features):
    """Forces of the pairs of a family that are near, each by the function `pair`."""
    for j in range(1, int(d.touch_near[0])):
        k = int(d.touch_near[j])
        if m.touch[k, f.TO_FAMILY] == family:
            pair(m, d, k, features)


@kernel
def touch_flat(m, d):
    """Forces of pairs of spheres, capsules, boxes and planes."""
    touch_family(m, d, f.FLAT_FAMILY, touch_pair, flat_features)


@kernel
def touch_round(m, d):
    """Forces of pairs of which one is a cylinder, the other no hull."""
    touch_family(m, d, f.ROUND_FAMILY, touch_pair, round_features)


@kernel
def touch_hull(m, d):
    """Forces of pairs of which one is a hull, the other no cylinder."""
    touch_family(m, d, f.HULL_FAMILY, touch_hulls, hull_features)


@kernel
def touch_mixed(m, d):
    """Forces of pairs of a cylinder and a hull."""
    touch_family(m, d, f.MIXED_FAMILY, touch_hulls, mixed_features)
