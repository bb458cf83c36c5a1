"""Planar stiction with a limit force: bristle deflection z, a vector with its own stiffness along each axis.

Elasto-plastic (Dupont, Hayward, Armstrong and Altpeter 2002): z' = v - u, slip u = alpha v for motion that bends the
bristle further. alpha is 0 until the bristle force is `HOLDS` of the limit, 1 from `SLIDES` on, and smooth between
them, on both sides of the limit that cuts the force. Steady sliding then lies on no kink of the law, which a linearly
implicit step would see with another slope from each side. Below, it is a spring, so that nothing drifts. LuGre (Canudas
de Wit and others 1995): u = |v| z / z_ss, at any load. `blocks/mechanics/bristle_friction.py` has this law in one axis.

The limit follows the normal force and bounds spring and damper together. Far beyond it, where the normal force has
fallen, the bristle relaxes at the rate `FORGETS`; without a normal force it decays at that rate. This adds no energy:
with the energy (kx zx^2 + ky zy^2) / 2 the dissipation is never negative.
"""

from __future__ import annotations

import math

from ..codegen.jit import helper

HOLDS, SLIDES = 0.95, 1.05  # shares of the limit force: sticks up to the first, slips fully from the second
FORGETS = 100.0  # relaxation rate of the bristle beyond the limit [1/s]


@helper
def slip_fraction(share):
    """alpha: fraction of the motion that slips at a bristle force of `share` times the limit."""
    if share <= HOLDS:
        return 0.0
    if share >= SLIDES:
        return 1.0
    return 0.5 + 0.5 * math.sin(math.pi * (share - 1.0) / (SLIDES - HOLDS))


@helper
def fraction_within_limit(hx, hy, wx, wy, most):
    """Largest fraction of w in [0, 1] that added to h, |h| <= most, keeps |h + fraction w| <= most."""
    x, y = hx + wx, hy + wy
    if x * x + y * y <= most * most:
        return 1.0
    a, b = wx * wx + wy * wy, hx * wx + hy * wy
    if not a > 0.0:
        return 0.0
    left = max(most * most - hx * hx - hy * hy, 0.0)
    root = math.sqrt(b * b + a * left)
    # the root without cancellation
    part = left / (b + root) if b > 0.0 else (root - b) / a
    return min(part, 1.0)


@helper
def bristle_force(creeps, z, v, k, c, most):
    """Force against the motion and slip rate along two axes, (fx, fy, ux, uy); LuGre's law if `creeps`."""
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
