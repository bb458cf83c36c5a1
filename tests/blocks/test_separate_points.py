"""Points of hulls of which one of each set that lies close together is kept."""

from __future__ import annotations

import numpy as np
import pytest

from luff.blocks.geometry.touching_hulls import _separate_points


@pytest.mark.parametrize("norm", [2.0, np.inf])
def test_kept_points_are_those_of_comparing_each_with_all_before(norm: float) -> None:
    rng = np.random.default_rng(1)
    dropped = 0
    for _ in range(100):
        # on a grid, so that distances are `least` to the bit, or beside it
        points = 0.5 * rng.integers(0, 4, (40, 3)) + 0.01 * rng.integers(0, 2) * rng.normal(size=(40, 3))
        for least in (0.02, 0.5, 0.9):
            kept: list[int] = []
            for k, point in enumerate(points):
                if not (np.linalg.norm(points[kept] - point, norm, axis=1) < least).any():
                    kept.append(k)
            assert _separate_points(points, least, norm) == kept
            dropped += len(points) - len(kept)
    assert dropped > 1000
