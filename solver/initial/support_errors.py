"""Error bounds of the forces of supports, bushings and contacts at rest."""

from __future__ import annotations

import numpy as np

from ..kernels import model_data as f
from .static_forces import PROBE, StaticForces
from .static_report import support_forces
from .tangent_stiffness import ROUNDING


def support_errors(statics: StaticForces, errors: np.ndarray | None) -> dict[str, list[float]]:
    """Bound of each component of each force [N], where `errors` bound the coordinates; NaN where one is not known.

    To first order |dF| <= |dF/dz| |dz| + noise, where the noise is the rounding of F and of the deflections it comes
    from. The slope is the larger one of both sides: a foot that is about to lift has another one on each.
    """
    data = statics.data

    def forces() -> np.ndarray:
        statics.forces()
        return np.array([*support_forces(statics.mechanism, data).values()]).reshape(-1, 3)

    here = forces()
    if not len(here):
        return {}
    names = [*support_forces(statics.mechanism, data)]
    n = len(statics.independent)
    slopes = np.zeros((*here.shape, n))
    kept = data.q.copy(), data.quat.copy()
    for k in range(n):
        for way in (PROBE, -PROBE):
            statics.step(way * np.eye(n)[k])
            slopes[..., k] = np.maximum(slopes[..., k], abs(forces() - here) / PROBE)
            data.q[:], data.quat[:] = kept
    statics.forces()
    places = 1.0 + abs(data.row[:, f.p_WB : f.p_WB + 3]).max(initial=0.0)
    reach = np.maximum(places, abs(data.q[statics.independent]))
    size = np.linalg.norm(here, axis=1, keepdims=True)  # components mix where a force is turned
    noise = ROUNDING * size + 2.0 * np.finfo(float).eps * (slopes @ reach)
    moved = np.zeros(n) if errors is None else errors[statics.independent]
    bounds = noise + (slopes + noise[..., None] / PROBE) @ moved
    return dict(zip(names, bounds.tolist(), strict=True))
