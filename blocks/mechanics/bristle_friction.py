"""Bristle friction about one axis, which sticks and slides at a limit: brakes, clutches, gear teeth.

Elasto-plastic (Dupont, Hayward, Armstrong and Altpeter 2002): z' = v (1 - alpha) while v bends the bristle z further,
else z' = v; alpha rises from 0 to 1 between 95 and 105 % of the limit at which the force is cut, so that what is held
below stays where it is. `solver/kernels/stiction.py` has the same law in a plane, and says why.
"""

from __future__ import annotations

import math


def slip_fraction(share):
    """alpha: which part of a motion slips, once the bristle is bent to this share of its limit."""
    if share <= 0.95:
        return 0.0
    if share >= 1.05:
        return 1.0
    return 0.5 + 0.5 * math.sin(math.pi * (share - 1.0) / 0.1)


def stick_rate(z, velocity, stiffness, ahead, back):
    """Rate of a bristle's deflection z; it carries at most `ahead` bent forwards and `back` bent backwards [N m]."""
    if not max(ahead, back) > 0.0:  # its faces part
        return -100.0 * z
    forwards = z > 0.0 or (z == 0.0 and velocity > 0.0)
    most = ahead if forwards else back
    along = velocity if forwards else -velocity
    if not most > 0.0:
        rate = min(along, 0.0) - 100.0 * abs(z)
        return rate if forwards else -rate
    share = stiffness * abs(z) / most
    rate = along
    if along > 0.0:
        rate = along * (1.0 - slip_fraction(share))
    if share > 1.05:
        rate -= 100.0 * abs(z) * (1.0 - 1.05 / share)
    return rate if forwards else -rate


def stick_force(z, velocity, stiffness, damping, ahead, back):
    """Against the motion: spring and damper, together within the limits."""
    held = min(max(stiffness * z, -back), ahead)
    return min(max(held + damping * velocity, -back), ahead)
