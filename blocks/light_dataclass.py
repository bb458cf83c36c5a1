"""Dataclasses that cost little to define: hundreds are defined before the first step of a model, few are made."""

from __future__ import annotations

from dataclasses import MISSING, Field, dataclass, field, fields
from functools import cache
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")
WRITTEN = ("__init__", "__dataclass_fields__", "__dataclass_params__", "__match_args__", "_compared")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """Class decorator like `dataclass(frozen=True)`, which reads the class when the first object is made.

    Methods that `dataclass` writes and compiles for each class are the same for all here. That fields are not set
    again is for type checkers to see.
    """
    return _defined(cls, _hashed)


@dataclass_transform(field_specifiers=(field,))
def mutable(cls: type[T]) -> type[T]:
    """Make a class a dataclass whose fields may be set; it has no hash."""
    return _defined(cls, None)


def _defined(cls: type[T], hashed: Any) -> type[T]:
    methods = {"__eq__": _equal, "__hash__": hashed, "__repr__": _shown}
    for name, method in {**methods, **{name: _GeneratedMethod(cls, name) for name in WRITTEN}}.items():
        if vars(cls).get(name) is None:  # as a class with an __eq__ of its own has for its hash
            setattr(cls, name, method)
    return cls


class _GeneratedMethod:
    """Descriptor that writes a method of a class at its first use and replaces itself with it."""

    def __init__(self, cls: Any, name: str):
        self.cls, self.name = cls, name

    def __get__(self, one: object, asked: Any) -> Any:
        value: Any
        if self.name == "__init__":
            value = _init_of(self.cls)
        elif self.name == "_compared":
            value = tuple(name for name, each in _fields_of(self.cls).items() if each.compare)
        else:
            value = vars(_dataclass_of(self.cls))[self.name]
        setattr(self.cls, self.name, value)
        return value.__get__(one, asked) if self.name == "__init__" else value


def _fields_of(cls: Any) -> dict[str, Any]:
    """Fields in their order, those of the bases first."""
    values = {
        name: vars(base).get(name, MISSING)
        for base in reversed(cls.__mro__)
        if "_compared" in vars(base)
        for name in base.__annotations__
    }
    return {k: value if isinstance(value, Field) else field(default=value) for k, value in values.items()}


def _init_of(cls: Any) -> Any:
    """Write `__init__` as `dataclass` does, in a quarter of its time."""
    known: dict[str, Any] = {"MISSING": MISSING}
    arguments, lines = ["self"], []
    for name, one in _fields_of(cls).items():
        known |= {f"default_{name}": one.default, f"new_{name}": one.default_factory}
        makes = one.default_factory is not MISSING
        optional = makes or one.default is not MISSING
        value = f"new_{name}()" if makes else f"default_{name}"
        if one.init:
            arguments.append(f"{name}=default_{name}" if optional else name)
            value = f"{value} if {name} is MISSING else {name}" if makes else name
        if one.init or optional:
            lines.append(f" self.{name} = {value}")
    lines.append(" self.__post_init__()" if hasattr(cls, "__post_init__") else " pass")
    exec(f"def __init__({', '.join(arguments)}):\n" + "\n".join(lines), known)
    made = known["__init__"]
    made.__module__, made.__qualname__ = cls.__module__, f"{cls.__qualname__}.__init__"
    return made


@cache
def _dataclass_of(cls: Any) -> Any:
    """Make a dataclass with the same fields and nothing else."""
    own = cls.__annotations__
    words = {name: vars(cls)[name] for name in own if name in vars(cls)} | {"__annotations__": own}
    words |= {"__module__": cls.__module__, "__qualname__": cls.__qualname__}
    words["__doc__"] = cls.__doc__ or cls.__name__  # or `dataclass` computes its signature for it
    bases = tuple(base for base in cls.__bases__ if hasattr(base, "__dataclass_fields__"))
    return dataclass(init=False, eq=False, repr=False)(type(cls.__name__, bases, words))


def _compared(one: Any) -> tuple[Any, ...]:
    return tuple([getattr(one, name) for name in one._compared])


def _equal(self: Any, other: object) -> Any:
    return _compared(self) == _compared(other) if type(other) is type(self) else NotImplemented


def _hashed(self: Any) -> int:
    return hash(_compared(self))


def _shown(self: Any) -> str:
    words = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({words})"
