"""Strength of the members of flexible bodies: end forces as weighted sums of modal coordinates, stresses, the worst."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from ...blocks.multibody_parts import MemberLoads
from ...blocks.reduction.reduced_body import MEMBER_LOADS, ReducedBody
from ..codegen.source_functions import function
from ..kernels import model_data as f
from .evaluation_stages import KINEMATICS
from .mechanism_operations import MechanismOperations
from .operations import WEIGHTED, Operation
from .scalar_places import Key
from .work_space import Place

STRESS = function(
    textwrap.dedent(
        """
        def end_stress(along_y, along_z, circular):
            a, b = abs(along_y), abs(along_z)
            return (a * a + b * b) ** 0.5 if circular > 0.0 else a + b


        def member_stress(N, M_y, M_z, M_y_last, M_z_last, tension, compression, b_y, b_z, circular):
            direct = N * tension if N > 0.0 else -N * compression
            first = end_stress(b_y * M_y, b_z * M_z, circular)
            last = end_stress(b_y * M_y_last, b_z * M_z_last, circular)
            return direct + (first if first > last or first != first else last)


        def operation(w, a):
            j = 1
            for _ in range(a[0]):
                w[a[j]] = member_stress(
                    w[a[j + 1]], w[a[j + 2]], w[a[j + 3]], w[a[j + 4]], w[a[j + 5]],
                    w[a[j + 6]], w[a[j + 7]], w[a[j + 8]], w[a[j + 9]], w[a[j + 10]],
                )
                j += 11
        """
    ).lstrip(),
    ("end_stress", "member_stress"),
    "stress of a member",
)
# largest of some scalars, and the number that stands behind its place; NaN is the largest
WORST = function(
    textwrap.dedent(
        """
        def operation(w, a):
            j = 1
            for _ in range(a[0]):
                w[a[j]], w[a[j + 1]] = w[a[j + 3]], a[j + 4]
                for k in range(j + 5, j + 3 + 2 * a[j + 2], 2):
                    if w[a[j]] == w[a[j]] and not w[a[k]] <= w[a[j]]:
                        w[a[j]], w[a[j + 1]] = w[a[k]], a[k + 1]
                j += 3 + 2 * a[j + 2]
        """
    ).lstrip(),
    (),
    "worst of members",
)


def watched_body(mechanics: MechanismOperations, block: str, body: str) -> tuple[ReducedBody, list[Place]]:
    """Flexible body that a sensor names, and the places of its modal coordinates."""
    scope = block.rpartition(".")[0]
    name = f"{scope}.{body}" if scope else body
    one = next(one for one in mechanics.mechanism.flexible if one.block == name)
    return one.reduced, [mechanics.cell("row", one.row + 1 + j, f.Q) for j in range(one.reduced.modes)]


def sum_of_modes(
    mechanics: MechanismOperations, key: Key, to: Place, modes: Sequence[Place], weights: Sequence[float]
) -> Operation:
    """Weighted sum of the modal coordinates."""
    constant = mechanics.scalars.constant
    pairs = [each for at, weight in zip(modes, weights, strict=True) for each in (at, constant(weight))]
    entries, needs = (to, len(modes), *pairs), (mechanics.key(KINEMATICS),)
    return Operation((key,), needs, WEIGHTED, entries, label=f"{key[0]}.{key[1]}")


def member_strength(mechanics: MechanismOperations, block: str, part: MemberLoads) -> Iterator[Operation]:
    """Operations of a member_sensor: axial forces, stresses of its members, the largest of them and whose it is."""
    scalars = mechanics.scalars
    reduced, modes = watched_body(mechanics, block, part.body)
    assert reduced.forces is not None  # looked up by the block
    worst, label = list[int | Place](), f"{block}.stress"
    made: list[Key] = []
    for k, (member, factors) in enumerate(zip(part.members, part.factors, strict=True)):
        loads = []
        for column, weights in enumerate(reduced.forces[member, MEMBER_LOADS, :].tolist()):
            key: Key = (
                block,
                "axial" if column == 0 else "moments",
                k if column == 0 else 4 * k + column - 1,
                0,
            )
            loads.append((key, scalars.at(key) if column == 0 else scalars.scratch()))
            yield sum_of_modes(mechanics, key, loads[-1][1], modes, weights)
        stress: Key = (block, "member_stress", k, 0)
        values = (*(place for _, place in loads), *(scalars.constant(factor) for factor in factors))
        needs = tuple(key for key, _ in loads)
        yield Operation((stress,), needs, STRESS, (scalars.at(stress), *values), label=f"{block}.{stress[1]}")
        worst += [scalars.at(stress), member]
        made.append(stress)
    keys: tuple[Key, Key] = (block, "stress", 0, 0), (block, "governing", 0, 0)
    places = (scalars.at(keys[0]), scalars.at(keys[1]))
    yield Operation(keys, tuple(made), WORST, (*places, len(part.members), *worst), label=label, writes=2)
