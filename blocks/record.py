"""Dataclasses that cost little to define: hundreds are defined before the first step of a model."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """A class decorator as `dataclass(frozen=True)`, in a quarter of the time: `dataclass` writes and compiles a text
    for each method, these are the same for all. That fields are not set again is for type checkers to see."""
    made: Any = dataclass(eq=False, repr=False)(cls)
    made._compared = tuple(one.name for one in fields(made) if one.compare)
    for name, method in (("__eq__", _equal), ("__hash__", _hashed), ("__repr__", _shown)):
        if (
            name not in vars(cls) or vars(cls)[name] is None
        ):  # as a class with an __eq__ of its own has for its hash
            setattr(made, name, method)
    return made


def _compared(one: Any) -> tuple[Any, ...]:
    return tuple([getattr(one, name) for name in one._compared])


def _equal(self: Any, other: object) -> Any:
    return _compared(self) == _compared(other) if type(other) is type(self) else NotImplemented


def _hashed(self: Any) -> int:
    return hash(_compared(self))


def _shown(self: Any) -> str:
    words = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self))
    return f"{type(self).__qualname__}({words})"
