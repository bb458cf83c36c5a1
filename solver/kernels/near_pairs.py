"""Pairs of shapes that may touch: a list with a margin (Verlet 1967), made anew where a shape has moved by its share.

A pair is left out while its bounding spheres are further apart than both shapes may move until the list is made anew.
An evaluation asks whether the list still holds, before it uses it: no pair that touches is ever missed, and forces are
to the bit those of all pairs. Listed too are pairs whose bristle is bent, which decays, and all pairs of planes that
move.
"""

from __future__ import annotations

from ..codegen.jit import helper
from . import model_data as f
from .frame_kinematics import frame_axes, frame_position
from .model_data import kernel
from .small_matrices import dot, read_3, subtract_3, write_3

MARGIN = 0.1  # share of its bounding radius by which a shape is listed beforehand
SAFE = 0.99  # share of that which it may move: far more is left than positions and their differences are rounded by
GONE = 1e-200  # square of a bristle's deflection at which it has decayed [m^2]


@helper
def locate(m, d):
    """Origins in W of all shapes that touch, and normals of planes."""
    for i in range(m.stand.shape[0]):
        frame = m.stand[i, f.SD_FRAME]
        write_3(d.stand_at, i, f.STAND_AT, frame_position(m, d, frame))
        if m.solid[m.stand[i, f.SD_SOLID], f.SO_KIND] == f.PLANE:
            A = frame_axes(m, d, frame)
            write_3(d.stand_at, i, f.STAND_NORMAL, (A[2], A[5], A[8]))


@helper
def allowance(m, i):
    """Distance by which shape i is listed beforehand [m]: 0 of what stands in the world, infinite of other planes."""
    if m.frame_row[m.stand[i, f.SD_FRAME]] < 0:
        return 0.0
    return MARGIN * m.solid_value[m.stand[i, f.SD_SOLID], f.SO_BOUND]


@helper
def spheres_apart(m, d, k, margin):
    """True if the bounding spheres of pair k are further apart than a margin, or that of b is above the plane a."""
    i, j = m.touch[k, f.TO_STAND_A], m.touch[k, f.TO_STAND_B]
    a, b = m.touch[k, f.TO_A], m.touch[k, f.TO_B]
    p = subtract_3(read_3(d.stand_at, j, f.STAND_AT), read_3(d.stand_at, i, f.STAND_AT))
    if m.solid[a, f.SO_KIND] == f.PLANE:
        return dot(p, read_3(d.stand_at, i, f.STAND_NORMAL)) > m.solid_value[b, f.SO_BOUND] + margin
    far = m.solid_value[a, f.SO_BOUND] + m.solid_value[b, f.SO_BOUND] + margin
    return dot(p, p) > far * far


@helper
def pair_bristles(m):
    """First place in the state vector of the bristles of all pairs, which follow one another, and their end."""
    number = m.option[f.O_PAIR_BRISTLES]
    first = m.state[m.state.shape[0] - number, f.ST_AT] if number > 0 else 0
    return first, first + number


@helper
def first_bristle(m, k):
    """Place in the state vector of the bristle of pair k."""
    first, _ = pair_bristles(m)
    return first + m.touch[k, f.TO_BRISTLE]


@helper
def count_bent(m, d, k):
    """Number of deflections of the bristle of pair k that have not decayed."""
    count = 0
    if m.touch[k, f.TO_BRISTLES] > 0:
        at = first_bristle(m, k)
        for j in range(m.touch[k, f.TO_BRISTLES]):
            count += d.x[at + j] * d.x[at + j] > GONE
    return count


@helper
def count_all_bent(m, d):
    """Number of deflections of the bristles of all pairs that have not decayed."""
    first, end = pair_bristles(m)
    count = 0
    for j in range(first, end):
        count += d.x[j] * d.x[j] > GONE
    return count


@helper
def stop_bristles(m, d):
    """Rates of the bristles of all pairs := 0."""
    first, end = pair_bristles(m)
    for j in range(first, end):
        d.dx[j] = 0.0


@helper
def list_holds(m, d):
    """True if no pair that is not listed can touch or has a bent bristle."""
    if d.touch_near[0] == 0.0:
        return False
    for i in range(m.stand.shape[0]):
        moved = subtract_3(read_3(d.stand_at, i, f.STAND_AT), read_3(d.stand_at, i, f.STAND_LISTED))
        most = SAFE * allowance(m, i)
        if not dot(moved, moved) <= most * most:
            return False
        if most == 0.0 and m.solid[m.stand[i, f.SD_SOLID], f.SO_KIND] == f.PLANE:
            for j in range(3):
                if d.stand_at[i, f.STAND_NORMAL + j] != d.stand_at[i, f.STAND_LISTED_NORMAL + j]:
                    return False
    bent = count_all_bent(m, d)
    if bent > 0:
        for j in range(1, int(d.touch_near[0])):
            bent -= count_bent(m, d, int(d.touch_near[j]))
    return bent == 0


@helper
def silence(d, k, e):
    """Outputs of pair k, element e, := those of one that is far."""
    for j in range(f.SLIP):
        d.element_out[e, j] = 0.0
    d.element_out[e, f.MARGIN] = -1.0
    d.touch_idle[k] = 1.0


@helper
def list_pairs(m, d):
    """List the pairs that may touch until a shape has moved by its allowance; the others are silent from now on."""
    for i in range(m.stand.shape[0]):
        write_3(d.stand_at, i, f.STAND_LISTED, read_3(d.stand_at, i, f.STAND_AT))
        write_3(d.stand_at, i, f.STAND_LISTED_NORMAL, read_3(d.stand_at, i, f.STAND_NORMAL))
    end = 1
    for k in range(m.touch.shape[0]):
        if m.touch[k, f.TO_FAMILY] == f.CLEARANCE_FAMILY:
            continue
        margin = allowance(m, m.touch[k, f.TO_STAND_A]) + allowance(m, m.touch[k, f.TO_STAND_B])
        if not spheres_apart(m, d, k, margin) or count_bent(m, d, k) > 0:
            d.touch_near[end] = k
            end += 1
        elif d.touch_idle[k] == 0.0:
            silence(d, k, m.touch[k, f.TO_ELEMENT])
    d.touch_near[0] = end


@kernel
def near_pairs(m, d):
    """Places of all shapes that touch, and the list of pairs that are near, made anew where it does not hold."""
    locate(m, d)
    if not list_holds(m, d):
        stop_bristles(m, d)
        list_pairs(m, d)
    elif m.option[f.O_SWEPT] > 0:
        stop_bristles(m, d)  # sweeps leave their solution in the rates
