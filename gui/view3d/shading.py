"""Light direction and shading of faces. Pure numpy: no Qt."""

from __future__ import annotations

import numpy as np

LIGHT_FROM = np.array([0.35, -0.5, 0.79]) / np.linalg.norm([0.35, -0.5, 0.79])

CONTACT = 0.03  # of a mechanism's size: how high above the ground something is still near to it
NEAR = 0.05  # of the distance to what is looked at: where water begins
OPAQUE = 0.75  # of 1: how much of what is under water the water hides


def shade(normals: np.ndarray) -> np.ndarray:
    """Brightness of faces, 0 to 1: one directional light and a hemispherical sky light."""
    return 0.62 * np.clip(normals @ LIGHT_FROM, 0.0, 1.0) + 0.38 * (0.5 + 0.5 * normals[:, 2])
