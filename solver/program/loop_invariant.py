"""Loop-invariant calls: those that give the same for all states at one time.

They read the time, numbers of the model, and signals made of these alone. For many states at one time they run once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..codegen.source_functions import Function
from .operations import COPY, Call, CallTable, Operation
from .work_space import Place

SAME = frozenset(("t", "p", "c"))  # sections that evaluations do not write
MADE = "s"


def state_dependent_calls(tables: Iterable[CallTable]) -> list[list[int]]:
    """Indices of the calls of each table that may depend on the state."""
    still: set[int | Place] = set()
    return [[k for k, call in enumerate(table.calls) if not _is_invariant(call, still)] for table in tables]


def _is_invariant(call: Call, still: set[int | Place]) -> bool:
    """True if a call is invariant; its results are then invariant too."""
    if call.due != -1 or not all(_is_still(operation, still) for operation in call.operations):
        return False
    for operation in call.operations:
        still.update(operation.entries[: operation.writes])
    return True


def _is_still(operation: Operation, still: set[int | Place]) -> bool:
    """True if an operation only makes invariant scalar signals.

    The entries of a copy are targets and sources in turn, and other kinds of functions depend on the outside: both
    count as dependent.
    """
    made, read = operation.entries[: operation.writes], operation.entries[operation.writes :]
    if type(operation.code) is not Function or operation.code is COPY or not made:
        return False
    alone = all(not isinstance(entry, int) and entry[0] == MADE for entry in made)
    return alone and not (read and isinstance(read[0], int)) and _reads_still(read, still)


def _reads_still(read: Sequence[int | Place], still: set[int | Place]) -> bool:
    """True if all places read are invariant; a number behind a place is a length, and signals of a length may be
    unknown.
    """
    return all(
        isinstance(entry, int) or entry[0] in SAME or (entry in still and not isinstance(following, int))
        for entry, following in zip(read, [*read[1:], None], strict=True)
    )
