"""Form and numbers of values: what is compared, to the last bit, and what is written to places that follow from it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from struct import pack

import numpy as np

from ...blocks.params import Struct

PLAIN = (str, bool, int, type(None))


def without_numbers(value: object, numbers: list[float], given: bool = False) -> object:
    """A value with a mark in the place of each float; the floats are appended to `numbers`.

    Of groups of parameters also which were `given`, if wanted: what follows from that a block says itself.
    """
    if isinstance(value, float):
        numbers.append(value)
        return float
    if isinstance(value, PLAIN):
        return type(value), value
    if isinstance(value, tuple | list):
        return [type(value), *[without_numbers(one, numbers, given) for one in value]]
    if isinstance(value, Mapping):
        return [type(value), *[(key, without_numbers(one, numbers, given)) for key, one in value.items()]]
    if isinstance(value, Struct):
        own = vars(value)
        inner = [(key, without_numbers(own[key], numbers, given)) for key in own if key != "given"]
        return [type(value), value.given if given else None, *inner]
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        numbers += value.ravel().tolist()
        return np.ndarray, value.shape, value.dtype
    if isinstance(value, np.ndarray):
        return np.ndarray, value.shape, value.dtype, value.tobytes()
    if isinstance(value, ast.AST):
        return ast.dump(value)
    fields = getattr(type(value), "__dataclass_fields__", None)
    if fields is not None:
        return [
            type(value),
            *[(name, without_numbers(getattr(value, name), numbers, given)) for name in fields],
        ]
    return value


def exactly(value: object) -> object:
    """Key of a value for a comparison of bits: 0.0 and -0.0 differ, NaN equals itself."""
    if isinstance(value, str) or value is None:
        return value
    numbers: list[float] = []
    form = without_numbers(value, numbers, given=True)
    return form, bits(numbers)


def bits(numbers: list[float]) -> bytes:
    """Floats as they stand in memory."""
    return pack(f"{len(numbers)}d", *numbers)
