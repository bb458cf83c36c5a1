"""What sticks in a plane, and slides at a limit: the bristle z, a vector with its own stiffness along each axis.

Elasto-plastic (Dupont, Hayward, Armstrong and Altpeter 2002): z' = v - u, where the slip u = alpha v of a motion that
bends the bristle further. alpha is zero until it is bent to `HOLDS` of the limit, one from `SLIDES` on, and smooth
between them, on both sides of the limit at which the force is cut: what slides rests on no kink of the law, or a
linearly implicit step would see another slope from each side. Below it is a spring, so that nothing drifts. LuGre
(Canudas de Wit and others 1995): u = |v| z / z_ss, at any load.
`blocks/mechanics/bristle_friction.py` has the same law along one axis.

The limit follows the normal force, and holds for spring and damper together. Far beyond it, where the normal force
has fallen, the bristle straightens at the rate `FORGETS`; without a normal force it is forgotten at that rate. No power
comes from this: with the energy (kx zx^2 + ky zy^2) / 2 what is lost is never negative.
"""

from __future__ import annotations

import math

from ..codegen.jit import helper

HOLDS, SLIDES = 0.95, 1.05  # shares of the limit: up to the first nothing slips, from the second on all does
FORGETS = 100.0  # 1/s


@helper
def slip_fraction(share):
    """alpha: which part of a motion slips, once the bristle has this share of the limit."""
    if share <= HOLDS:
        return 0.0
    if share >= SLIDES:
        return 1.0
    return 0.5 + 0.5 * math.sin(math.pi * (share - 1.0) / (SLIDES - HOLDS))


@helper
def fraction_within_limit(hx, hy, wx, wy, most):
    """Which part of w may be added to h, itself within the limit, so that the sum is within it."""
    x, y = hx + wx, hy + wy
    if x * x + y * y <= most * most:
        return 1.0
    a, b = wx * wx + wy * wy, hx * wx + hy * wy
    if not a > 0.0:
        return 0.0
    left = max(most * most - hx * hx - hy * hy, 0.0)
    root = math.sqrt(b * b + a * left)
    # the root that does not subtract what is nearly alike
    part = left / (b + root) if b > 0.0 else (root - b) / a
    return min(part, 1.0)


@helper
def bristle_force(creeps, z, v, k, c, most):
    """Force against the motion and rate of slip, each along two axes: fx, fy, ux, uy; by LuGre's law if it creeps."""
    ex, ey = k[0] * z[0], k[1] * z[1]
    if not most > 0.0:
        return 0.0, 0.0, v[0] + FORGETS * z[0], v[1] + FORGETS * z[1]
    pull = math.sqrt(ex * ex + ey * ey)
    inv = 1.0 / pull if pull > 0.0 else 0.0
    nx, ny, share = ex * inv, ey * inv, pull / most
    if creeps:
        slip = share * math.sqrt(v[0] * v[0] + v[1] * v[1])
        ux, uy = slip * nx, slip * ny
        wx, wy = c[0] * (v[0] - ux), c[1] * (v[1] - uy)
    else:
        slip = slip_fraction(share) * max(nx * v[0] + ny * v[1], 0.0)
        ux, uy = slip * nx, slip * ny
        wx, wy = c[0] * v[0], c[1] * v[1]
    hold = 1.0
    if share > 1.0:
        hold = 1.0 / share
        if share > SLIDES and not creeps:
            back = FORGETS * (1.0 - SLIDES * hold)
            ux, uy = ux + back * z[0], uy + back * z[1]
    ex, ey = hold * ex, hold * ey
    part = fraction_within_limit(ex, ey, wx, wy, most)
    return ex + part * wx, ey + part * wy, ux, uy
