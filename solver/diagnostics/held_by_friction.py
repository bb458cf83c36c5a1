"""Bodies that stick at the end of a run, and what of their load friction alone carries: a jam, or a stand on a slope.

Forces of contacts that are within their friction cones balance a load of any size: a body that sticks holds however
hard the same load pulls. Without friction contacts push along their normals n_p alone. Of the force F that they exert
on the body friction then carries at least |F - sum N_p n_p|, at its least over N_p >= 0 (Lawson and Hanson 1974).
Torques are left out, which makes it a lower bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...blocks.multibody_parts import Touch
from ..kernels import model_data as f
from ..results.recorded_run import Held

if TYPE_CHECKING:
    from ..simulation.instance import Instance

SLIDING = 1.0 - 1e-9  # share of mu N above which friction is that of a body that slides, to rounding
SHOWN = 0.01  # share of the load below which a body is not listed


def held_by_friction(run: Instance, t: float, x: np.ndarray) -> list[Held]:
    """Bodies whose contacts all stick, with the least share of their force that is friction; the greatest first."""
    model, out = run.model, run.data.element_out
    elements = run.program.mechanism.elements
    touches = [e for e, placed in enumerate(elements) if isinstance(placed.part, Touch)]
    if not any(model.element_value[e, f.T_FRICTION] > 0.0 for e in touches):
        return []
    straight = np.array(x)
    straight[model.state[len(model.state) - model.option[f.O_PAIR_BRISTLES] :, f.ST_AT]] = 0.0
    columns = slice(f.FORCE_ON_B, f.FORCE_ON_B + 3)
    run.rates(t, straight)
    normal = out[:, columns].copy()
    run.rates(t, x)
    pairs: dict[int, list[tuple[int, float]]] = {}
    for e in touches:
        if out[e, f.TOUCH_NORMAL] > 0.0:
            for frame, sign in ((elements[e].frame_a, -1.0), (elements[e].frame_b, 1.0)):
                pairs.setdefault(int(model.frame_row[frame]), []).append((e, sign))
    found: list[Held] = []
    for row, own in pairs.items():
        numbers = [e for e, _ in own]
        most = model.element_value[numbers, f.T_FRICTION] * out[numbers, f.TOUCH_NORMAL]
        if row < 0 or not (out[numbers, f.RUBBING] <= SLIDING * most).all():
            continue
        force = np.sum([sign * out[e, columns] for e, sign in own], axis=0)
        share = friction_share(force, np.array([sign * normal[e] for e, sign in own]))
        if share >= SHOWN:
            frames = {elements[e].part.frame_b if sign > 0.0 else elements[e].part.frame_a for e, sign in own}
            body = ", ".join(sorted({frame.partition(".")[0] for frame in frames}))
            by = ", ".join(sorted({elements[e].block for e in numbers}))
            found.append({"body": body, "by": by, "share": share})
    return sorted(found, key=lambda one: -one["share"])


def friction_share(force: np.ndarray, normals: np.ndarray) -> float:
    """Least share of a force (3) that pushes along these normals (p, 3) leave over."""
    from scipy.optimize import nnls

    size, lengths = float(np.linalg.norm(force)), np.linalg.norm(normals, axis=1)
    if not size > 0.0 or not (lengths > 0.0).all():
        return 0.0
    _, left = nnls((normals / lengths[:, None]).T, force / size)
    return float(left)
