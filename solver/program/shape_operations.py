"""Outputs of shapes: sums over the pairs of a block that touch, and the nearest of those whose distance is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...blocks.multibody_parts import Distance, Touch
from ..kernels import model_data as f
from ..mechanism.mechanism import Mechanism
from .evaluation_stages import KINEMATICS
from .operations import GREATEST, MEAN, NEAREST, NEAREST_WIDTH, TOTAL, Operation
from .scalar_places import Key, Output, Scalars
from .work_space import Place, data_place


def touch_outputs(mechanism: Mechanism) -> Iterator[Output]:
    """Outputs of pairs of shapes, over all pairs of a block."""
    pairs: dict[str, list[int]] = {}
    for e, placed in enumerate(mechanism.elements):
        if isinstance(placed.part, Touch):
            pairs.setdefault(placed.block, []).append(e)
    for block, numbers in pairs.items():
        columns = [
            ("normal_force", 0, f.TOUCH_NORMAL, TOTAL),
            ("friction_force", 0, f.RUBBING, TOTAL),
            ("depth", 0, f.DEFLECTION, GREATEST),
            ("count", 0, f.TOUCHING, TOTAL),
            *[("force", k, f.FORCE_ON_B + k, TOTAL) for k in range(3)],
        ]
        for name, k, column, code in columns:
            places = tuple(data_place("element_out", e, column) for e in numbers)
            yield Output((block, name, k, 0), places, KINEMATICS, code if len(places) > 1 else None)
        for k in range(3):
            columns_of_mean = (f.TOUCH_NORMAL, f.PRESSURE_CENTRE + k)
            places = tuple(
                data_place("element_out", e, column) for e in numbers for column in columns_of_mean
            )
            yield Output((block, "centre", k, 0), places, KINEMATICS, MEAN)


def clearances(
    mechanism: Mechanism, cell: Callable[[str, int, int], Place], scalars: Scalars, need: Key
) -> Iterator[Operation]:
    """Outputs of the nearest pair of each block that measures distances; `need`: the step that measures."""
    columns = (
        f.GAP_BETWEEN,
        f.GAP_BETWEEN_RATE,
        *range(f.POINT_ON_B, f.POINT_ON_B + 3),
        *range(f.POINT_ON_A, f.POINT_ON_A + 3),
    )
    pairs: dict[str, list[Place]] = {}
    for e, placed in enumerate(mechanism.elements):
        if isinstance(placed.part, Distance):
            places = (cell("element_out", e, column) for column in columns)
            pairs.setdefault(placed.block, []).extend(places)
    ports = [
        ("distance", 0),
        ("rate", 0),
        *[(port, k) for port in ("point_of", "point_against") for k in range(3)],
    ]
    for block, places in pairs.items():
        keys: tuple[Key, ...] = tuple((block, port, k, 0) for port, k in ports)
        entries = (*map(scalars.at, keys), len(places) // NEAREST_WIDTH, *places)
        yield Operation(keys, (need,), NEAREST, entries, label=f"{block}.distance", writes=NEAREST_WIDTH)
