"""Operations: what a diagram computes, as entries of the tables that the run loop executes.

An operation reads and writes places of the work space; its code is a block's function, compiled once for all diagrams,
or a kernel of the mechanism. Consecutive operations of one function become one call. Operations without code only
order others.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import field
from functools import cache

import numpy as np

from ...blocks.light_dataclass import mutable
from ..codegen.jit import EntryPoint
from ..codegen.source_functions import Function, function
from .work_space import Place, Sections

Key = tuple[str, str, int, int]  # block, port, element, part: 0 value, 1 rate, 2 acceleration


@mutable
class Operation:
    """Operation with the keys it makes and needs; `wants` are needs that are dropped where they would close a ring."""

    makes: tuple[Key, ...]
    needs: tuple[Key, ...]
    code: EntryPoint | None = None  # a Function reads `entries`; a kernel the model and the data
    entries: tuple[int | Place, ...] = ()
    wants: tuple[Key, ...] = ()
    label: str = ""  # the block or port that it stands for, for messages
    due: Place | None = None  # where the number of steps stands after which it is due, for updates
    writes: int = 1  # how many of its entries it writes, the first ones
    work: tuple[int, int] | None = None  # part of the section `work` that a kernel is given
    component: int = 0  # whose arrays a kernel is given
    order: int = field(default=0, compare=False)


@cache
def scalar_function(name: str, arguments: int, text: str, label: str) -> Function:
    """Entry point of a function of scalars: `text` in the arguments u0, u1, ..."""
    words = ", ".join(f"u{k}" for k in range(arguments))
    reads = ", ".join(f"w[a[j + {1 + k}]]" for k in range(arguments))
    source = f"""
        def {name}({words}):
            return {text}


        def operation(w, a):
            j = 1
            for _ in range(a[0]):
                w[a[j]] = {name}({reads})
                j += {1 + arguments}
        """
    return function(textwrap.dedent(source).lstrip(), (name,), label)


COPY = scalar_function("copied", 1, "u0", "copy")
NEGATE = scalar_function("negated", 1, "-u0", "negate")
NEGATE_SUM = scalar_function("negated_sum", 2, "-(u0 + u1)", "negate a sum")
ABOVE = scalar_function("above_zero", 1, "1.0 if u0 > 0.0 else 0.0", "above zero")
MULTIPLY = scalar_function("multiplied", 2, "u0 * u1", "multiply")
WITHIN = scalar_function("within", 3, "min(u0 - u1, u2 - u0)", "how far within")
ADD = scalar_function("added", 2, "u0 + u1", "add")
ADD_THREE = scalar_function("added_three", 3, "u0 + u1 + u2", "add three")
ASK = scalar_function("asked", 7, "u0 + u1 * (u2 - u3) + u4 * (u5 - u6)", "wanted acceleration")


@cache
def reduction(text: str, label: str) -> Function:
    """Entry point that reduces any number of scalars by `text`, which makes `total` of itself and the next one."""
    source = f"""
        def operation(w, a):
            j = 1
            for _ in range(a[0]):
                total = w[a[j + 2]]
                for k in range(1, a[j + 1]):
                    {text}
                w[a[j]] = total
                j += 2 + a[j + 1]
        """
    return function(textwrap.dedent(source).lstrip(), (), label)


TOTAL = reduction("total += w[a[j + 2 + k]]", "add all")
GREATEST = reduction("total = max(total, w[a[j + 2 + k]])", "greatest of all")
MEAN = function(
    textwrap.dedent(
        """
        def operation(w, a):
            j = 1
            for _ in range(a[0]):
                total = weights = 0.0
                for k in range(j + 2, j + 2 + a[j + 1], 2):
                    weights += w[a[k]]
                    total += w[a[k]] * w[a[k + 1]]
                w[a[j]] = total / weights if weights > 0.0 else 0.0
                j += 2 + a[j + 1]
        """
    ).lstrip(),
    (),
    "weighted mean",
)
REDUCTIONS = (TOTAL, GREATEST, MEAN)
WEIGHTED = function(
    textwrap.dedent(
        """
        def operation(w, a):
            j = 1
            for _ in range(a[0]):
                total = 0.0
                for k in range(j + 2, j + 2 + 2 * a[j + 1], 2):
                    total += w[a[k]] * w[a[k + 1]]
                w[a[j]] = total
                j += 2 + 2 * a[j + 1]
        """
    ).lstrip(),
    (),
    "weighted sum",
)
NEAREST_WIDTH = 8  # distance, rate, point on b, point on a
NEAREST = function(
    textwrap.dedent(
        f"""
        def operation(w, a):
            j = 1
            for _ in range(a[0]):
                first = best = j + {NEAREST_WIDTH + 1}
                for k in range(1, a[j + {NEAREST_WIDTH}]):
                    if not w[a[first + {NEAREST_WIDTH} * k]] >= w[a[best]]:
                        best = first + {NEAREST_WIDTH} * k
                for k in range({NEAREST_WIDTH}):
                    w[a[j + k]] = w[a[best + k]]
                j = first + {NEAREST_WIDTH} * a[j + {NEAREST_WIDTH}]
        """
    ).lstrip(),
    (),
    "nearest of all",
)


def copy_scalars(
    key: Key, needs: tuple[Key, ...], pairs: Iterable[tuple[Place, Place]], label: str = ""
) -> Operation:
    """Operation that copies scalars, (to, from) each."""
    entries = tuple(place for pair in pairs for place in pair)
    return Operation((key,), needs, COPY, entries, (), label)


@mutable
class Call:
    """Entry of a table: code, first of its places, and the operations that it stands for."""

    code: EntryPoint
    first: int
    operations: list[Operation]
    due: int = -1


@mutable
class CallTable:
    """Calls in order, and the places that they read and write."""

    calls: list[Call]
    places: np.ndarray


def calls_of(ordered: Sequence[Operation]) -> list[tuple[EntryPoint, list[Operation]]]:
    """Operations grouped into calls: consecutive ones of one function are one."""
    calls: list[tuple[EntryPoint, list[Operation]]] = []
    for operation in ordered:
        if operation.code is None:
            continue
        code, before = calls[-1] if calls else (None, [operation])
        if isinstance(code, Function) and code is operation.code and before[-1].due == operation.due:
            before.append(operation)
        else:
            calls.append((operation.code, [operation]))
    return calls


def table_of(ordered: Sequence[Operation], sections: Sections) -> CallTable:
    """Table of ordered operations, places resolved to addresses."""
    places: list[int] = []
    calls: list[Call] = []
    at = sections.first
    for code, operations in calls_of(ordered):
        due = operations[0].due
        first = len(places) if isinstance(code, Function) else 0
        calls.append(Call(code, first, operations, -1 if due is None else sections.at(due)))
        if not isinstance(code, Function):
            continue
        places.append(sum(map(instances, operations)))
        for operation in operations:
            places += [
                entry if isinstance(entry, int) else at[entry[0]] + entry[1] for entry in operation.entries
            ]
    return CallTable(calls, np.array(places, np.int64))


def instances(operation: Operation) -> int:
    """Number of calls of the function that an operation stands for."""
    return len(operation.entries) // 2 if operation.code is COPY else 1
