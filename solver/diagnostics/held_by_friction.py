"""Bodies that do not slip at the end of a run, and what friction alone carries of their load: in a jam, on a slope.

A contact is within its friction cone where its wrench would be the same, to the bit, with more friction (`held_force`
in `pair_friction.py`): slide, spin and roll are bounded by mu N together. Such contacts balance a load of any size: the
body does not slip however hard the same load pulls. Without friction contacts push along their normals n_p alone. Of
the force F that they exert on the body friction then carries at least |F - sum N_p n_p|, at its least over N_p >= 0
(Lawson and Hanson 1974). Torques are left out, which makes it a lower bound; what rolls without resistance is among
these bodies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...blocks.multibody_parts import Touch
from ..kernels import model_data as f
from ..results.recorded_run import Held

if TYPE_CHECKING:
    from ..simulation.instance import Instance


def held_by_friction(run: Instance, t: float, x: np.ndarray) -> list[Held]:
    """Bodies none of whose contacts slips, with the least share of their force that is friction; the greatest first."""
    model, out = run.model, run.data.element_out
    elements = run.program.mechanism.elements
    touches = [e for e, placed in enumerate(elements) if isinstance(placed.part, Touch)]
    mu = model.element_value[touches, f.T_FRICTION]
    if not (mu > 0.0).any():
        return []

    def wrenches(share: float) -> np.ndarray:
        """Torques and forces on b (e, 6) with this share of the friction."""
        model.element_value[touches, f.T_FRICTION] = share * mu
        run.rates(t, x)
        return out[:, f.TORQUE_ON_B : f.FORCE_ON_B + 3].copy()

    try:
        normal, more = wrenches(0.0)[:, 3:], wrenches(2.0)
    finally:
        here = wrenches(1.0)
    within = (here == more).all(axis=1)
    forces = here[:, 3:]
    pairs: dict[int, list[tuple[int, float]]] = {}
    for e in touches:
        if out[e, f.TOUCH_NORMAL] > 0.0:
            for frame, sign in ((elements[e].frame_a, -1.0), (elements[e].frame_b, 1.0)):
                pairs.setdefault(int(model.frame_row[frame]), []).append((e, sign))
    found: list[Held] = []
    for row, own in pairs.items():
        numbers = [e for e, _ in own]
        if row < 0 or not within[numbers].all():
            continue
        force = np.sum([sign * forces[e] for e, sign in own], axis=0)
        share = friction_share(force, np.array([sign * normal[e] for e, sign in own]))
        frames = {elements[e].part.frame_b if sign > 0.0 else elements[e].part.frame_a for e, sign in own}
        body = ", ".join(sorted({frame.partition(".")[0] for frame in frames}))
        by = ", ".join(sorted({elements[e].block for e in numbers}))
        found.append({"body": body, "by": by, "share": share})
    return sorted(found, key=lambda one: -one["share"])


def friction_share(force: np.ndarray, normals: np.ndarray) -> float:
    """Least share of a force (3) that pushes along these normals (p, 3) leave over."""
    from scipy.optimize import nnls

    size, lengths = float(np.linalg.norm(force)), np.linalg.norm(normals, axis=1)
    if not 0.0 < size < np.inf or not (lengths > 0.0).all():
        return 0.0
    _, left = nnls((normals / lengths[:, None]).T, force / size)
    return float(left)
