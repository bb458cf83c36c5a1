"""Switching functions: numbers whose change of sign changes the piece of a signal or a force."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ...blocks.light_dataclass import record
from ..integrators.run_data import JUMPS, OPENING, SWITCH_COLUMNS
from .operations import WITHIN, Key, Operation, copy_scalars
from .scalar_places import Scalars
from .work_space import Place, Sections

ROOM = "room "  # before what a block itself says of its room


@record
class SwitchingFunction:
    """One of them: whose, what it is, whether a jump goes with it that is decided at the start of each step, and
    whether something opens over its values from 0 to 1; or the room that a coordinate has."""

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
    """Their columns before a run."""
    values = np.zeros((SWITCH_COLUMNS, len(switches)))
    values[JUMPS] = [switch.decided for switch in switches]
    values[OPENING] = [switch.opening for switch in switches]
    return values.ravel().tolist()


def switching_counts(w: np.ndarray, sections: Sections, switches: list[SwitchingFunction]) -> np.ndarray:
    """What a run has counted, (SWITCH_COLUMNS, functions)."""
    return sections.part(w, "g").reshape(SWITCH_COLUMNS, len(switches))


def standalone_operations(operations: list[Operation]) -> list[Operation]:
    """The same operations on what stands in the work space, whatever filled it."""
    return [Operation(each.makes, (), each.code, each.entries, label=each.label) for each in operations]
