"""Tip-over of bodies on push-only supports: switching functions and message."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..kernels import model_data as f
from ..mechanism.mechanism import Mechanism
from ..mechanism.support_polygon import LEAN, SupportPolygon, support_polygons
from .switching_functions import SwitchingFunction
from .work_space import Place, data_place

TIPS = "tips"
# the body's z axis leans along x with theta, and along -y with phi
SIDES = {
    f"{TIPS} {name} {sign}": direction
    for name, sign, direction in (
        ("theta", "up", (1.0, 0.0)),
        ("theta", "down", (-1.0, 0.0)),
        ("phi", "up", (0.0, -1.0)),
        ("phi", "down", (0.0, 1.0)),
    )
}


def tipping_switches(mechanism: Mechanism) -> Iterator[tuple[SwitchingFunction, Place]]:
    """Switching functions of the lean of each body on push-only supports, to either side."""
    for footing in support_polygons(mechanism):
        for what in SIDES:
            _, name, sign = what.split()
            if name in footing.turns:
                room = (-math.inf, LEAN) if sign == "up" else (-LEAN, math.inf)
                yield (
                    SwitchingFunction(footing.block, what, room=room),
                    data_place("row", footing.turns[name], f.Q),
                )


def tipping_message(mechanism: Mechanism, switch: SwitchingFunction, time: float) -> str:
    """Message about a body that has tipped over."""
    footing: SupportPolygon = next(each for each in support_polygons(mechanism) if each.block == switch.block)
    at = f"at t = {time:.6g} s" if time > 0.0 else "at the start"
    return (
        f"{switch.block}: {footing.tipping_edge_words(np.array(SIDES[switch.what]))}: it leans more than "
        f"{math.degrees(LEAN):.0f} deg {at}; the model has no ground for it to fall on, so what follows is not valid"
    )
