"""Which calls of a table give the same for all states at one time: those that read the time, numbers of the model, and
signals made of these alone. Where many states are asked for at one time, once is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..codegen.source_functions import Function
from .operations import COPY, Call, CallTable, Operation
from .work_space import Place

SAME = frozenset(("t", "p", "c"))  # sections that no evaluation writes
MADE = "s"


def state_dependent_calls(tables: Iterable[CallTable]) -> list[list[int]]:
    """Of each table, one after the other, the calls that may give something else for another state."""
    still: set[int | Place] = set()
    return [[k for k, call in enumerate(table.calls) if not _stays(call, still)] for table in tables]


def _stays(call: Call, still: set[int | Place]) -> bool:
    """Whether it gives the same; what it makes is still from here on."""
    if call.due != -1 or not all(_is_still(operation, still) for operation in call.operations):
        return False
    for operation in call.operations:
        still.update(operation.entries[: operation.writes])
    return True


def _is_still(operation: Operation, still: set[int | Place]) -> bool:
    """Whether it makes signals and nothing else, each of them one number. Of a copy, what is made and what is read
    stand in turn; other kinds of functions ask something outside."""
    made, read = operation.entries[: operation.writes], operation.entries[operation.writes :]
    if type(operation.code) is not Function or operation.code is COPY or not made:
        return False
    alone = all(not isinstance(entry, int) and entry[0] == MADE for entry in made)
    return alone and not (read and isinstance(read[0], int)) and _reads_still(read, still)


def _reads_still(read: Sequence[int | Place], still: set[int | Place]) -> bool:
    """A number behind a place is how many are read from there on; of signals that may be more than what is known."""
    return all(
        isinstance(entry, int) or entry[0] in SAME or (entry in still and not isinstance(following, int))
        for entry, following in zip(read, [*read[1:], None], strict=True)
    )
