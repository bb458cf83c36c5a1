"""Mistakes in the definition of a class of blocks, told as it is defined."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import ClassVar

from .block_states import Memory, State
from .parameter_order import Ordered
from .params import Param
from .ports import Port
from .text.in_place_writes import lost_writes

Equation = Callable[..., object]  # a plain function that names its arguments
RESERVED = {"t", "during", "i", "inputs", "number"}
WRITE = ("update", "shift", "end", "decide")  # functions that write memories


class Declared(Ordered):
    """Owner of what a class of blocks declares: ports, parameters, states and the functions that read them."""

    params: ClassVar[dict[str, Param]] = {}
    class_ports: ClassVar[dict[str, Port]] = {}
    states: ClassVar[dict[str, State]] = {}
    memories: ClassVar[dict[str, Memory]] = {}
    functions: ClassVar[dict[str, Equation]] = {}
    derived_names: ClassVar[tuple[str, ...]] = ()
    repeats: ClassVar[Mapping[str, str]] = {}  # outputs that are another one, or behind a minus its negative


def words_of(function: Equation) -> tuple[str, ...]:
    """Names of a function's arguments."""
    code = inspect.unwrap(function).__code__
    return code.co_varnames[: code.co_argcount]


def check_class(cls: type[Declared], own_functions: bool) -> None:
    """Refuse a class whose declarations do not fit each other; `own_functions` are made by each of its instances."""
    if not cls.__doc__:
        raise TypeError(f"{cls.__name__} needs a docstring with its equation")
    _check_functions(cls)
    for name, source in cls.repeats.items():
        unknown = {name, source.removeprefix("-")} - cls.class_ports.keys()
        if unknown or f"out_{name}" in cls.functions:
            raise TypeError(f"{cls.__name__}.repeats: {name} is no port, or has a function of its own")
    for name, param in cls.params.items():
        if not param.doc:
            raise TypeError(f"{cls.__name__}.{name} needs a one-line doc")
    if cls.states and "der" not in cls.functions and not own_functions:
        raise TypeError(f"{cls.__name__} has states but no der()")
    if cls.memories and not {"update", "decide"} & cls.functions.keys() and not own_functions:
        raise TypeError(f"{cls.__name__} has memories but neither update() nor decide()")
    # a class may leave out parameters of its base, whose order then names more than it has
    inherited = {name for base in cls.__mro__ for name in getattr(base, "params", ())}
    if unknown := {*cls.needed, *cls.usual, *cls.rare} - inherited:
        raise TypeError(f"{cls.__name__} has no parameters {sorted(unknown)} to put in order")


def _check_functions(cls: type[Declared]) -> None:
    known = RESERVED | {*cls.params, *cls.class_ports, *cls.states, *cls.memories, *cls.derived_names}
    for name, function in cls.functions.items():
        unknown = [word for word in words_of(function) if word not in known]
        if unknown:
            raise TypeError(f"{cls.__name__}.{name} names {unknown}, which it does not declare")
        if function.__name__ == "<lambda>":
            raise TypeError(f"{cls.__name__}.{name} has to be written with def: its text is compiled")
        # luff's own are read by a test: reading them at each start would take time
        own = cls.__module__.startswith(f"{__package__}.")
        mistake = lost_writes(function, cls.memories) if name in WRITE and not own else ""
        if mistake:
            raise TypeError(f"{cls.__name__}.{name} {mistake}")
