"""All numbers of blocks that may change during a run, and others near to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from luff.blocks.block import Block
from luff.blocks.params import Param, Sub, SubList, SubMap


def numbers_of(blocks: Mapping[str, Block]) -> Iterator[tuple[str, object]]:
    """Every number that may change during a run, by its path."""
    for name, block in blocks.items():
        yield from _numbers(block.params, block.values, name)


def _numbers(
    params: Mapping[str, Param], values: Mapping[str, object], prefix: str
) -> Iterator[tuple[str, object]]:
    for key, param in params.items():
        value = values.get(key)
        if isinstance(param, Sub) and not isinstance(param, SubList | SubMap) and value is not None:
            yield from _numbers(param.struct.params, vars(value), f"{prefix}.{key}")
        elif param.live and isinstance(value, int | float | tuple) and not isinstance(value, bool):
            yield f"{prefix}.{key}", value


def moved(value: object, shift: float, tiny: float = 0.0) -> object:
    """By a part of itself, or a zero by a tiny number; of numbers in lists. What is none stays."""
    if isinstance(value, tuple):
        return [moved(item, shift, tiny) for item in value]
    return value * (1.0 + shift) or tiny if isinstance(value, int | float) else value
