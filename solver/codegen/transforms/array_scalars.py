"""Scalar replacement of arrays of floats in registers: each entry becomes a value, `%v5_1` of `%v5`."""

from __future__ import annotations

import re

VALUE = r"%[\w.]+"  # short names, as `ir_parser.py` gives them
ARRAY = r"\[(\d+) x double\]"
BLANK = ("undef", "poison")


def scalarised(line: str) -> list[str]:
    """Instructions on the entries of an array instruction; other lines stay as they are."""
    match = re.match(rf"({VALUE}) = (\w+) ", line)
    if match is None or match[2] not in WAYS:
        return [line]
    rest = line[match.end() :]
    return WAYS[match[2]](match[1], rest) or [line]


def entry(value: str, k: int) -> str:
    """Entry k of an array value or constant."""
    if value.startswith("%"):
        return f"{value}_{k}"
    return "0.000000e+00" if value == "zeroinitializer" else value


def _copy(result: str, value: str) -> str:
    """Copy of a double by select."""
    return f"{result} = select i1 true, double {value}, double {value}"


def _inserted(result: str, rest: str) -> list[str]:
    """insertvalue by entries."""
    match = re.fullmatch(rf"{ARRAY} (\S+), double (\S+), (\d+)", rest)
    if match is None:
        return []
    size, whole, value, at = int(match[1]), match[2], match[3], int(match[4])
    return [_copy(f"{result}_{k}", value if k == at else entry(whole, k)) for k in range(size)]


def _extracted(result: str, rest: str) -> list[str]:
    """extractvalue by entries."""
    match = re.fullmatch(rf"{ARRAY} (\S+), (\d+)", rest)
    return [_copy(result, entry(match[2], int(match[3])))] if match else []


def _joined(result: str, rest: str) -> list[str]:
    """phi by entries."""
    match = re.match(ARRAY, rest)
    ways = re.findall(rf"\[ ({VALUE}|zeroinitializer|{'|'.join(BLANK)}), ({VALUE}) \]", rest)
    if match is None or len(ways) != rest.count("[ "):
        return []
    return [
        f"{result}_{k} = phi double " + ", ".join(f"[ {entry(value, k)}, {label} ]" for value, label in ways)
        for k in range(int(match[1]))
    ]


def _selected(result: str, rest: str) -> list[str]:
    """select by entries."""
    match = re.fullmatch(rf"(i1 \S+), {ARRAY} (\S+), {ARRAY} (\S+)", rest)
    if match is None:
        return []
    return [
        f"{result}_{k} = select {match[1]}, double {entry(match[3], k)}, double {entry(match[5], k)}"
        for k in range(int(match[2]))
    ]


WAYS = {"insertvalue": _inserted, "extractvalue": _extracted, "phi": _joined, "select": _selected}
