"""Ground grid. Pure numpy: no Qt."""

from __future__ import annotations

import numpy as np


def grid(size: float, middle: np.ndarray) -> tuple[float, int, np.ndarray]:
    """Grid in the world's x-y plane: round step [m], number of lines to each side, centre."""
    step = 10 ** np.floor(np.log10(size))
    if size / step > 5:
        step *= 2
    elif size / step < 2:
        step /= 2
    count = int(np.ceil(size / step)) + 1
    return float(step), count, np.round(middle[:2] / step) * step
