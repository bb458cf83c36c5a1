"""Dataclasses that cost little to define: hundreds are defined before the first step of a model, few are made."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """A class decorator as `dataclass(frozen=True)`, in a tenth of the time: `dataclass` writes and compiles a text for
    each method, these are the same for all. That fields are not set again is for type checkers to see."""
    return _defined(cls, _hashed)


@dataclass_transform(field_specifiers=(field,))
def mutable(cls: type[T]) -> type[T]:
    """The same as `dataclass`: its fields may be set, and it has no hash."""
    return _defined(cls, None)


def _defined(cls: type[T], hashed: Any) -> type[T]:
    cls.__doc__ = cls.__doc__ or cls.__name__  # or `dataclass` computes its signature for it
    made: Any = dataclass(init=False, eq=False, repr=False)(cls)
    made._compared = tuple(one.name for one in fields(made) if one.compare)
    methods = ("__init__", _first_init(made)), ("__eq__", _equal), ("__hash__", hashed), ("__repr__", _shown)
    for name, method in methods:
        if (
            name not in vars(cls) or vars(cls)[name] is None
        ):  # as a class with an __eq__ of its own has for its hash
            setattr(made, name, method)
    return made


def _first_init(made: Any) -> Any:
    """What writes the true one, of `dataclass`, when the first object is made."""

    def __init__(self: Any, *values: object, **named: object) -> None:
        same: dict[str, Any] = {one.name: one for one in fields(made)}
        same["__annotations__"] = {one.name: one.type for one in fields(made)}
        same |= {"__doc__": made.__doc__, "__module__": made.__module__, "__qualname__": made.__qualname__}
        if hasattr(made, "__post_init__"):
            same["__post_init__"] = made.__post_init__
        made.__init__ = dataclass(eq=False, repr=False)(type(made.__name__, (), same)).__init__
        made.__init__(self, *values, **named)

    return __init__


def _compared(one: Any) -> tuple[Any, ...]:
    return tuple([getattr(one, name) for name in one._compared])


def _equal(self: Any, other: object) -> Any:
    return _compared(self) == _compared(other) if type(other) is type(self) else NotImplemented


def _hashed(self: Any) -> int:
    return hash(_compared(self))


def _shown(self: Any) -> str:
    words = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({words})"
