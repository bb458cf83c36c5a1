"""Stresses at points of flexible bodies: tensors as weighted sums of modal coordinates, von Mises, the worst."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from ...blocks.multibody_parts import PointStresses
from ..codegen.source_functions import function
from .mechanism_operations import MechanismOperations
from .member_strength import WORST, sum_of_modes, watched_body
from .operations import Operation
from .scalar_places import Key
from .work_space import Place

VON_MISES = function(
    textwrap.dedent(
        """
        def operation(w, a):
            j = 1
            for _ in range(a[0]):
                xx, yy, zz = w[a[j + 2]], w[a[j + 3]], w[a[j + 4]]
                xy, xz, yz = w[a[j + 5]], w[a[j + 6]], w[a[j + 7]]
                u, v, t = xx - yy, yy - zz, zz - xx
                size = (0.5 * (u * u + v * v + t * t) + 3.0 * (xy * xy + xz * xz + yz * yz)) ** 0.5
                w[a[j]], w[a[j + 1]] = size, size if xx + yy + zz >= 0.0 else -size
                j += 8
        """
    ).lstrip(),
    (),
    "von Mises",
)


def point_stresses(mechanics: MechanismOperations, block: str, part: PointStresses) -> Iterator[Operation]:
    """Operations of a stress_sensor."""
    scalars, (reduced, modes) = mechanics.scalars, watched_body(mechanics, block, part.body)
    assert reduced.surface_stress is not None  # looked up by the block
    worst, made = list[int | Place](), list[Key]()
    for k, vertex in enumerate(part.vertices):
        tensor: list[Key] = [(block, "tensor", 6 * k + c, 0) for c in range(6)]
        for key, weights in zip(tensor, reduced.surface_stress[vertex].tolist(), strict=True):
            yield sum_of_modes(mechanics, key, scalars.at(key), modes, weights)
        both: tuple[Key, Key] = (block, "von_mises", k, 0), (block, "signed", k, 0)
        entries = *map(scalars.at, both), *map(scalars.at, tensor)
        yield Operation(both, tuple(tensor), VON_MISES, entries, label=f"{block}.von_mises", writes=2)
        worst += [scalars.at(both[0]), k]
        made.append(both[0])
    keys: tuple[Key, Key] = (block, "stress", 0, 0), (block, "governing", 0, 0)
    entries = *map(scalars.at, keys), len(made), *worst
    yield Operation(keys, tuple(made), WORST, entries, label=f"{block}.stress", writes=2)
