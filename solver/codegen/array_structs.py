"""NamedTuples of arrays that compiled code takes as one pointer (bundles).

The table of a bundle holds address, size, shape and strides of each array. It never changes during the bundle's life,
and LLVM is told so: a function reads an entry once, not after every store. Plain Python sees only the NamedTuple.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, cached_property
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import numpy as np

from .memory_arena import address

T = TypeVar("T", bound=type)

if TYPE_CHECKING:
    I1 = I2 = F1 = F2 = F3 = np.ndarray
else:
    I1, I2 = Annotated[np.ndarray, "i1"], Annotated[np.ndarray, "i2"]
    F1, F2, F3 = Annotated[np.ndarray, "f1"], Annotated[np.ndarray, "f2"], Annotated[np.ndarray, "f3"]
DTYPES = {"i": np.dtype(np.int64), "f": np.dtype(np.float64)}


def bundled(cls: T) -> T:
    """Class decorator: give a NamedTuple of arrays `fields`, the (name, kind) of each, and its address table."""
    bundle: Any = type(cls.__name__, (cls,), {"__doc__": cls.__doc__, "__module__": cls.__module__})
    hints = get_type_hints(cls, include_extras=True)
    fields = tuple((name, hint.__metadata__[0]) for name, hint in hints.items())
    table = cached_property(lambda arrays: _table(fields, arrays))
    table.__set_name__(bundle, "table")
    bundle.table, bundle.fields = table, fields
    bundle.address = cached_property(lambda arrays: arrays.table.ctypes.data)
    bundle.address.__set_name__(bundle, "address")
    return bundle


def fields_of(cls: type) -> tuple[tuple[str, str], ...]:
    """(name, kind) of each array of a bundle."""
    return vars(cls)["fields"]


@cache
def places_of(cls: type) -> dict[str, int]:
    """Offset of each array's entry in the address table, in words."""
    places, at = {}, 0
    for name, kind in fields_of(cls):
        places[name] = at
        at += 2 + 2 * int(kind[1])
    return places


def _table(fields: tuple[tuple[str, str], ...], arrays: Iterable[np.ndarray]) -> np.ndarray:
    """Address table of a bundle; TypeError if an array has the wrong type, rank or layout."""
    words: list[int] = []
    for (name, kind), array in zip(fields, arrays, strict=True):
        if array.ndim != int(kind[1]) or array.dtype != DTYPES[kind[0]] or not array.flags.c_contiguous:
            raise TypeError(f"{name} is {array.dtype}, {array.ndim} dimensions; it must be {kind}")
        words += [address(array), array.size, *array.shape, *array.strides]
    return np.array(words, np.int64)
