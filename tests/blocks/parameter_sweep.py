"""Change one parameter of a block in the netlist of its example, and see whether any bit of the run changes."""

from __future__ import annotations

import copy
import itertools
import warnings
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import luff
from luff.blocks.direction_params import Axis, Rotations
from luff.blocks.params import Choice, Either, Flag, Integer, Names, Param, Struct, Sub, Text
from luff.blocks.registry import registered

EXAMPLES = Path(luff.__file__).resolve().parent / "docs" / "examples"
NO_NUMBERS = (Flag, Choice, Text, Names)
Netlist = dict[str, Any]
Keys = tuple[str | int, ...]


@dataclass
class Base:
    """A netlist with the block in it, and what its run gave."""

    netlist: dict[str, Any]
    name: str  # of the block
    bits: dict[str, np.ndarray] = field(default_factory=dict)


def example(kind: str) -> dict[str, Any]:
    netlist = yaml.safe_load((EXAMPLES / f"{kind}.yaml").read_text())
    netlist.pop("plots", None)
    return netlist


def block_of(netlist: dict[str, Any], kind: str) -> str:
    if kind == "world":
        netlist["blocks"].setdefault("world", {"type": "world"})
    return next(name for name, entry in netlist["blocks"].items() if entry.get("type", name) == kind)


def merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """A netlist with further blocks, values and wires, and one of the wires replaced; None takes a value away."""
    result = copy.deepcopy(one)
    if "rewire" in other:
        old, new = other["rewire"]
        result["connect"] = [new if wire == old else wire for wire in result["connect"] if new or wire != old]
        other = {key: value for key, value in other.items() if key != "rewire"}
    for key, value in other.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(result[key], value)
        elif key == "connect":
            result[key] = [*result.get(key, []), *value]
        else:
            result[key] = copy.deepcopy(value)
    return result


def loaded(netlist: dict[str, Any]) -> luff.Diagram:
    """The netlist, which names files from the folder of the examples."""
    return luff.loads(yaml.safe_dump(netlist), base=EXAMPLES)


def bits_of(netlist: dict[str, Any]) -> dict[str, np.ndarray]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = luff.compile(loaded(netlist)).run()
    return {column: np.asarray(result[column]) for column in result.columns}


def differs(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> bool:
    return one.keys() != other.keys() or any(one[k].tobytes() != other[k].tobytes() for k in one)


def values_of(netlist: dict[str, Any], name: str) -> tuple[dict[str, Param], dict[str, object]]:
    """The block's values as its equations see them, defaults included: numbers in SI units."""
    block = luff.compile(loaded(netlist)).program.flat.blocks[name]
    return block.params, block.values


def numbers_near(x: float) -> list[float]:
    return [x * 1.2, x * 0.8, x * 3.0, x * 0.1] if x else [0.1, -0.1, 1.0, 1e-3, 10.0, 1e5]


def changed(value: Any) -> list[Any]:
    """A list of numbers with other ones in it: all at once, each by another share."""
    flat = [0]

    def walk(item: Any, share: float) -> Any:
        if isinstance(item, tuple | list):
            return [walk(inner, share) for inner in item]
        flat[0] += 1
        return item * (1 + share * flat[0]) if item else share * flat[0]

    tried = []
    for share in (0.05, -0.05, 0.5, 1e-3):
        flat[0] = 0
        tried.append(walk(value, share))
    return tried


def trials(param: Param, value: Any) -> list[Any]:
    """Other values for a parameter, one after the other until one is accepted and does something."""
    if isinstance(param, Either):
        known = None if isinstance(value, str) else value
        return [trial for option in param.options for trial in trials(option, known)]
    if isinstance(param, NO_NUMBERS):
        return []
    if isinstance(param, Rotations):
        return [[["x", 0.3], ["y", 0.2]]]
    if isinstance(param, Axis):
        return [[0.6, 0.0, 0.8], [0.0, 0.6, 0.8], "z", "x", "y"]
    if isinstance(param, Integer):
        return [2, 1, 3] if value is None else [value + 1, value + 3, value - 1]
    if value is None:
        size = param.shape[0] if param.shape else None
        return [[0.3 + 0.1 * k for k in range(size)]] if size else [1.0, 0.1, 0.01, 1e-4, 10.0, 1e5, -1.0]
    if isinstance(value, tuple | list):
        return changed(value)
    return numbers_near(float(value)) if isinstance(value, float | int) else []


def leaves(
    params: dict[str, Param], values: dict[str, Any], before: Keys = ()
) -> Iterator[tuple[Keys, Param, Any]]:
    """Each parameter with its place and value; of lists and maps of groups the first member."""
    for name, param in params.items():
        value = values.get(name, values.get(param.name))
        here = (*before, name)
        group = param
        if isinstance(param, Either):
            group = next((option for option in param.options if isinstance(option, Sub)), param)
        if not isinstance(group, Sub) or (isinstance(param, Either) and not isinstance(value, Struct)):
            yield here, param, value
        elif isinstance(value, Struct):
            yield from leaves(group.struct.params, vars(value), here)
        elif isinstance(value, tuple) and value:
            yield from leaves(group.struct.params, vars(value[0]), (*here, 0))
        elif isinstance(value, dict) and value:
            first = next(iter(value))
            yield from leaves(group.struct.params, vars(value[first]), (*here, first))


def dotted(keys: Keys) -> str:
    return ".".join(str(key) for key in keys if not isinstance(key, int))


def written(entry: dict[str, Any], keys: Keys, value: Any) -> dict[str, Any]:
    """The block's raw values with one of them changed; groups on the way are made where they are not written."""
    result = copy.deepcopy(entry)
    place: Any = result
    for key, following in itertools.pairwise(keys):
        if isinstance(place, dict) and key not in place:
            place[key] = [] if isinstance(following, int) else {}
        place = place[key]
    place[keys[-1]] = value
    return result


def is_alive(base: Base, keys: Keys, param: Param, value: Any) -> bool | None:
    """Whether some other value changes the run; None where none of those that were tried is accepted."""
    accepted = None
    entry = base.netlist["blocks"][base.name]
    for trial in trials(param, value):
        netlist = copy.copy(base.netlist)
        netlist["blocks"] = {**netlist["blocks"], base.name: written(entry, keys, trial)}
        try:
            if differs(base.bits, bits_of(netlist)):
                return True
            accepted = False
        except luff.RunError:
            return True
        except luff.LuffError:
            continue
    return accepted


def sweep(kind: str, variant: Netlist, known: Container[str] = ()) -> dict[str, bool]:
    """For each number of a block but the known ones, whether it does something in its example, changed by a variant."""
    netlist = merged(example(kind), variant)
    base = Base(netlist, block_of(netlist, kind))
    base.bits = bits_of(netlist)
    answers = {}
    for keys, param, value in leaves(*values_of(netlist, base.name)):
        name = f"{kind}.{dotted(keys)}"
        if name not in known and (answer := is_alive(base, keys, param, value)) is not None:
            answers[name] = answer
    return answers


def kinds() -> list[str]:
    return sorted(name for name in registered() if (EXAMPLES / f"{name}.yaml").exists())
