"""Lattice booms and masts of four chords from a few numbers: nodes and members of a frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...blocks import LuffError

NUMBERS = ("length", "width", "height", "bays")
SETS = ("foot", "head")  # sets of nodes at its ends


def lattice(given: Mapping[str, Any]) -> dict[str, Any]:
    """Frame `{nodes, members, sections}` of a lattice along x, and the `sets` of nodes at its ends.

    `{length, width, height, bays, chord, brace}`: four chords at y = +-width / 2, z = +-height / 2; in each bay battens
    around its far end, and a diagonal in each of its four faces that changes sides from bay to bay. `taper: [a, b]`
    scales width and height at the foot and at the head.
    """
    if not isinstance(given, Mapping):
        raise LuffError("the lattice is no mapping", fix=f"give {', '.join(NUMBERS)}, chord, brace")
    sizes = {name: positive(given.get(name)) for name in NUMBERS}
    for name, size in sizes.items():
        if not size > 0.0:
            raise LuffError(
                f"the lattice has no {name} above zero", fix=f"give {', '.join(NUMBERS)}, chord, brace"
            )
    missing = [name for name in ("chord", "brace") if not isinstance(given.get(name), Mapping)]
    if missing:
        raise LuffError(f"the lattice has no section {', '.join(missing)}", fix="give {A, I_y, I_z, J}")
    bays = int(sizes["bays"])
    if bays != sizes["bays"]:
        raise LuffError(f"found {sizes['bays']:g} bays of the lattice, expected a whole number")
    taper = given.get("taper", (1.0, 1.0))
    ends = [positive(one) for one in taper] if isinstance(taper, list | tuple) else []
    if len(ends) != 2 or not min(ends) > 0.0:
        raise LuffError("the taper of the lattice is no pair of numbers above zero", fix="taper: [1, 0.7]")
    first, last = ends
    nodes = []
    for x in np.linspace(0.0, 1.0, bays + 1).tolist():
        half = 0.5 * (first + (last - first) * x)
        for y, z in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            nodes.append([x * sizes["length"], y * half * sizes["width"], z * half * sizes["height"]])
    members: list[list[int]] = []
    for k in range(bays):
        near, far = 4 * k, 4 * k + 4
        members += [[near + c, far + c, 0] for c in range(4)]
        members += [[far + c, far + (c + 1) % 4, 1] for c in range(4)]
        members += [[near + (c + k % 2) % 4, far + (c + 1 - k % 2) % 4, 1] for c in range(4)]
    sections = [dict(given["chord"]), dict(given["brace"])]
    sets = dict(zip(SETS, ([0, 1, 2, 3], [4 * bays + c for c in range(4)]), strict=True))
    return {"nodes": nodes, "members": members, "sections": sections, "sets": sets}


def positive(value: Any) -> float:
    """Finite number above zero, else 0."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return 0.0
    return number if 0.0 < number < np.inf else 0.0
