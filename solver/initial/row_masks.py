"""Masks of rows: given at the start, elastic, quaternion."""

from __future__ import annotations

import numpy as np

from ...blocks.light_dataclass import mutable
from ..kernels import model_data as f
from ..kernels.model_data import Model
from ..mechanism.mechanism import Mechanism


@mutable
class FixedRows:
    """Masks of the rows whose start the user fixed."""

    positions: np.ndarray  # bool (n,)
    rates: np.ndarray  # bool (n,)


def elastic_rows(mechanism: Mechanism) -> np.ndarray:
    """Mask of the rows of flexible links and elastic supports."""
    return np.array(
        [mechanism.joints[row.joint].part.kind in ("elastic", "base", "clamp") for row in mechanism.rows],
        bool,
    )


def quaternion_rows(model: Model) -> np.ndarray:
    """Mask of the rows of quaternion joints."""
    kind = model.topo[:, f.KIND]
    return (kind >= f.QUAT_X) & (kind <= f.QUAT_Z)
