"""Gaps of hulls that do not touch, kept from an earlier evaluation: a hull has hundreds of corners to ask.

A pair is far while the gap between its surfaces exceeds the product of its roundings over their sum. Then its corners
and edges are not asked until one shape has moved by what lies beyond, seen from the other. An evaluation proves it
before it uses it, and what counts as far is a function of the pose alone: no result depends on what is kept.
"""

from __future__ import annotations

import math

from ..codegen.jit import helper
from . import model_data as f
from .convex_distance import core_distance
from .small_matrices import dot, read_3, read_9, subtract_3, write_3, write_9

SAFE = 0.99  # share of the way beyond that is used: far more is left than poses and distances are rounded by
WORTH = 1e-3  # least of that way, over the sum of the roundings, that is kept


@helper
def known_far(m, d, k, R, p):
    """True if pair k cannot have come closer than what counts as far, by the pose (R, p) of b in a."""
    left = d.touch_gap[k, f.GAP_LEFT]
    if not left > 0.0:
        return False
    moved = subtract_3(p, read_3(d.touch_gap, k, f.GAP_AT))
    before, square = read_9(d.touch_gap, k, f.GAP_AXES), 0.0
    for j in range(9):
        square += (R[j] - before[j]) * (R[j] - before[j])
    # half of this is the square of the largest stretch of R - R_before, a difference of rotations
    turned = m.solid_value[m.touch[k, f.TO_B], f.SO_BOUND] * math.sqrt(0.5 * square) if square > 0.0 else 0.0
    straight = dot(moved, moved)
    return turned + (math.sqrt(straight) if straight > 0.0 else 0.0) < SAFE * left


@helper
def note_gap(m, d, k, R, p):
    """Keep how far pair k is apart in the pose (R, p) of b in a; True if it is far, which no plane is."""
    a, b = m.touch[k, f.TO_A], m.touch[k, f.TO_B]
    if m.solid[a, f.SO_KIND] == f.PLANE:
        return False
    ra, rb = m.solid_value[a, f.SO_ROUND], m.solid_value[b, f.SO_ROUND]
    reach = ra + rb
    gap, _, _ = core_distance(m, d, a, 0, b, R, p)
    left = gap - reach - ra * rb / reach
    d.touch_gap[k, f.GAP_LEFT] = left if left > WORTH * reach else 0.0
    write_3(d.touch_gap, k, f.GAP_AT, p)
    write_9(d.touch_gap, k, f.GAP_AXES, R)
    return left > WORTH * reach
