"""Ports of a block while some of its parameters are wrong: those that the valid ones declare.

A canvas draws a block while its user types. A number half written must not take the frames, and with them the wires,
off a link, nor give a joint the ports of options that it does not have.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import FunctionType

from ...blocks.block import Block
from ...blocks.errors import LuffError, Problem
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.netlist_inputs import Inputs, convert
from ...blocks.params import Scope, convert_all
from ...blocks.ports import In, Out, Port
from ...blocks.text.did_you_mean import KnownWords
from ...blocks.text.raw_types import RawMap
from ..netlist import deep_copy, path_steps

ROUNDS = 50  # of taking out what is wrong; each finds every mistake of one depth
MISSING = object()


def declared_ports(
    cls: type[Block], name: str, raw: RawMap, scope: Scope, folder: Path, files: tuple[Path, ...] = ()
) -> dict[str, Port]:
    """The ports of a block of this class with these raw values, as far as they can be understood."""
    raw = deep_copy(raw)
    for _ in range(ROUNDS):
        needed = {key for key, param in cls.params.items() if param.required and key not in raw}
        raw |= {key: deep_copy(cls.example[key]) for key in needed & cls.example.keys()}
        try:
            values = convert_all(cls.params, raw, scope, "", cls.type_name)
            block = cls(name, values, frozenset(raw))
            block.folder, block.files = folder, files
            return {key: port.named(key) for key, port in block.ports().items()}
        except LuffError as error:
            mended = [_reset_to_default(raw, path_steps(problem.path)) for problem in error.problems]
            if not any(mended):
                break
    return {key: port.named(key) for key, port in cls.class_ports.items()}


def is_certain(cls: type[Block], raw: RawMap, problems: Iterable[Problem], path: str) -> bool:
    """True if no mistake can have removed a port: none is in a parameter from which ports follow."""
    read = read_by_ports(cls)
    if read is None:
        return False
    wrong = {
        str(path_steps(problem.path.removeprefix(f"{path}."))[0])
        for problem in problems
        if problem.path != path
    }
    if any(problem.path == path for problem in problems):  # a parameter that is missing, or anything
        wrong |= {key for key, param in cls.params.items() if param.required and key not in raw} or read
    known = KnownWords(cls.params)
    return not read & {key if key in cls.params else known.near(key) or "" for key in wrong}


@cache
def read_by_ports(cls: type[Block]) -> frozenset[str] | None:
    """Parameters from which the ports of a class may follow, by the names in its code; None where it cannot be told."""
    waiting: list[object] = [vars(base)["ports"] for base in cls.__mro__ if "ports" in vars(base)]
    seen: set[str] = set()
    while waiting:
        function = waiting.pop()
        if not isinstance(function, FunctionType):
            continue
        for name in {*function.__code__.co_names} - seen:
            seen.add(name)
            made = inspect.getattr_static(cls, name, function.__globals__.get(name))
            waiting.append(getattr(made, "fget", None) or getattr(made, "func", None) or made)
    if seen & {"values", "given", "getattr", "vars"}:
        return None
    attributes = {param.name: key for key, param in cls.params.items()}
    return frozenset(attributes[name] for name in seen if name in attributes)


def ports_of_inputs(raw: RawMap, scope: Scope) -> dict[str, Port]:
    """The signals that `inputs:` declares, as far as they can be understood."""
    ports: dict[str, Port] = {}
    for name, entry in raw.items():
        try:
            ports |= Inputs(INPUTS, convert({name: entry}, scope)).ports()
        except LuffError:
            ports[name] = Out().named(name)  # the entry's mistake is told where it is converted
    return ports


def exposed_input_port(name: str, raw: RawMap, scope: Scope) -> Port:
    """The port that a netlist has for one of its `inputs:` where it is used as a block."""
    try:
        values = convert({name: raw[name]}, scope)
    except LuffError:
        return In().named(name)
    return Inputs(INPUTS, values).outside(name).named(name)


def _reset_to_default(raw: object, path: list[str | int]) -> bool:
    """Leave the entry that a problem is about to its default; in a list, whose length means something, make it 1."""
    holder: object = None
    key: str | int = 0
    for step in path:
        below = _entry(raw, step)
        if below is MISSING:
            break
        if not (isinstance(raw, list) and below == 1):  # made so before, in vain
            holder, key = raw, step
        raw = below
    if isinstance(holder, list) and isinstance(key, int):
        holder[key] = 1
    elif isinstance(holder, dict):
        del holder[key]
    return holder is not None


def _entry(raw: object, step: str | int) -> object:
    if isinstance(raw, dict):
        return raw.get(step, MISSING)
    return raw[step] if isinstance(raw, list) and isinstance(step, int) and step < len(raw) else MISSING
