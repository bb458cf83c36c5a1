"""Switching functions: numbers whose sign selects the branch of a signal or a force."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ...blocks.light_dataclass import record
from ..integrators.run_data import JUMPS, OPENING, SWITCH_COLUMNS
from .operations import WITHIN, Key, Operation, copy_scalars
from .scalar_places import Scalars
from .work_space import Place, Sections

ROOM = "room "  # prefix of the range functions of blocks
TOUCH = "touch of "  # prefix of those of pairs of shapes


@record
class SwitchingFunction:
    """Switching function of a block.

    `decided`: it switches a jump, decided at the start of each step; `opening`: a valve opens over its values 0 to 1;
    `room`: range of the coordinate.
    """

    block: str
    what: str
    decided: bool = False
    opening: bool = False
    room: tuple[float, float] | None = None


def crossings_of(
    switches: Iterable[tuple[Key, SwitchingFunction, Place]], first: int, scalars: Scalars
) -> Iterator[Operation]:
    """Copies of numbers that mechanisms leave with what each needs, or how far a coordinate is within its room."""
    for number, (need, switch, place) in enumerate(switches, first):
        key: Key = (switch.block, "@crossing", number, 0)
        if switch.room is None:
            yield copy_scalars(key, (need,), [(("g", number), place)], switch.block)
        else:
            ends = map(scalars.constant, switch.room)
            yield Operation((key,), (need,), WITHIN, (("g", number), place, *ends), label=switch.block)


def initial_columns(switches: list[SwitchingFunction]) -> list[float]:
    """Columns of the switching functions before a run."""
    values = np.zeros((SWITCH_COLUMNS, len(switches)))
    values[JUMPS] = [switch.decided for switch in switches]
    values[OPENING] = [switch.opening for switch in switches]
    return values.ravel().tolist()


def switching_counts(w: np.ndarray, sections: Sections, switches: list[SwitchingFunction]) -> np.ndarray:
    """Columns of the switching functions of a run (SWITCH_COLUMNS, functions)."""
    return sections.part(w, "g").reshape(SWITCH_COLUMNS, len(switches))


def standalone_operations(operations: list[Operation]) -> list[Operation]:
    """Operations without needs: they use the work space as it is."""
    return [Operation(each.makes, (), each.code, each.entries, label=each.label) for each in operations]
