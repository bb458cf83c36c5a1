"""Values of scripts: times with units, numbers of numpy as netlist entries, parameters as numbers and arrays."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

import numpy as np

from ...blocks import RunError
from ...blocks.errors import LuffError
from ...blocks.params import Struct
from ...blocks.text.quantity import in_unit, quantity
from ...blocks.text.safe_read import shown
from ..netlist.plain_data import plain

Time = float | str  # [s], or a text with its unit
Value = float | str | bool | Sequence[object] | Mapping[str, object] | np.ndarray | np.generic | None


def seconds(name: str, given: Time | None, default: float) -> float:
    """Time of a script [s]: a number, a text with its unit, or the netlist's by default."""
    if given is None:
        return default
    try:
        return in_unit(quantity(given.strip()), "s", f'"{given}"') if isinstance(given, str) else float(given)
    except LuffError as error:
        raise RunError([problem.at(path=name) for problem in error.problems]) from None
    except (ValueError, TypeError, OverflowError):
        fix = 'a number in seconds, or a text with its unit: "20 ms"'
        raise RunError(f"found a {type(given).__name__}, expected a time", path=name, fix=fix) from None


def netlist_entries(given: Mapping[str, object] | None, name: str) -> dict[str, object]:
    """Overrides by path with numbers and arrays of numpy as plain ones; RunError unless it is a mapping of texts."""
    if not isinstance(given or {}, Mapping) or not all(isinstance(path, str) for path in given or {}):
        fix = f'{name}={{"rod.mass": 3.0, "pin.damping": "0.1 N*m*s/rad"}}'
        raise RunError(
            f"found {shown(repr(given))}, expected values by the paths of parameters", path=name, fix=fix
        )
    return {path: plain(value) for path, value in (given or {}).items()}


def parameter_changes(
    given: Mapping[str, object] | None, keywords: Mapping[str, object]
) -> dict[str, object]:
    """Overrides by path, of `set` and of keywords; LuffError where both have one of a name."""
    entries = netlist_entries(given, "set")
    twice = [*entries.keys() & keywords.keys()]
    if twice:
        raise LuffError(
            "found two values, one in `set` and one as keyword", path=twice[0], fix="give one of them"
        )
    return entries | netlist_entries(keywords, "set")


def as_arrays(value: object) -> object:
    """Converted parameter for a script: numbers as float, lists of them as arrays, groups as mappings."""
    if isinstance(value, Struct):
        return {name: as_arrays(getattr(value, name)) for name in value.params}
    if isinstance(value, Mapping):
        return {name: as_arrays(item) for name, item in value.items()}
    if not isinstance(value, tuple):
        return value
    items = [as_arrays(item) for item in value]
    numbers = all(isinstance(item, np.ndarray | float | int) and not isinstance(item, bool) for item in items)
    same = len({np.shape(item) for item in items if isinstance(item, np.ndarray | float | int)}) <= 1
    return np.array(items, float) if numbers and same else items


def log(level: str, message: str, *values: object) -> None:
    """Record of the logger `luff`; none where nothing has imported `logging`, since nobody listens then."""
    logging = sys.modules.get("logging")
    if logging is not None:
        getattr(logging.getLogger("luff"), level)(message, *values)
