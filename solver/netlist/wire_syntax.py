"""The text of a connection: `a.b -- c.d`, `a.out[0] -> b.in[2]`, `a.y[0:3] -> b.u`."""

from __future__ import annotations

import re
from functools import lru_cache

from ...blocks.errors import LuffError, Problem
from ...blocks.light_dataclass import record

ACAUSAL, CAUSAL = "--", "->"
MOST_ELEMENTS = 10_000

_NAME = r"[^\W\d]\w*"
_END = re.compile(rf"({_NAME}(?:\.{_NAME})*)\.({_NAME})(?:\[(\d+)(?::(\d+))?\])?")
# a sign stands apart or is one of two characters: the minus of a.y[-1] is none
_WIRE = re.compile(r"\s*(\S.*?)(?:\s*(<->|<-|--|->|=>|→|—|–)\s*|\s+(-)\s+)(.*?\S)\s*", re.DOTALL)
_LOOSE = re.compile(r"(--|->)\s*$|^\s*(--|->)")


@record
class End:
    """End of a wire: block, port, and the selected elements (None: all of them)."""

    block: str
    port: str
    elements: tuple[int, ...] | None = None
    column: int = 0  # of the end in the wire's text

    def __str__(self) -> str:
        return f"{self.block}.{self.port}"


@record
class WireText:
    a: End
    sign: str
    b: End


def parse_end(text: str, column: int = 0) -> End:
    """Read `block.port` or `block.port[k]`."""
    match = _END.fullmatch(text)
    if match is None:
        fix = "elements count from 0" if re.search(r"\[\s*-", text) else "write block.port or block.port[0]"
        raise LuffError(Problem(f'found "{text}", expected a port', fix=fix))
    block, port, first, last = match.groups()
    elements = None
    if first is not None:
        start = int(first[:9])
        stop = int(last[:9]) if last is not None else start + 1
        if stop <= start or stop > MOST_ELEMENTS:
            raise LuffError(Problem(f'"{text}" picks no element', fix="[0:3] picks the elements 0, 1 and 2"))
        elements = tuple(range(start, stop))
    return End(block, port, elements, column)


@lru_cache(maxsize=20_000)
def parse_wire(text: str) -> WireText:
    """Parse the text of a connection."""
    match = _WIRE.fullmatch(text)
    if match is None:
        mistake = f'found "{text}", a wire with only one end' if _LOOSE.search(text) else f'found "{text}"'
        raise LuffError(Problem(f"{mistake}, expected a connection", fix="write a.b -- c.d, or a.y -> b.u"))
    a, sign, b = match[1], match[2] or match[3], match[4]
    if sign not in (ACAUSAL, CAUSAL):
        fix = (
            f"write {b} -> {a}"
            if sign == "<-"
            else "-- joins frames, hydraulic ports or shafts, -> carries a signal"
        )
        raise LuffError(Problem(f'found the sign {sign} in "{text}", expected -- or ->', fix=fix))
    return WireText(parse_end(a, match.start(1)), sign, parse_end(b, match.start(4)))


def renamed(text: str, old: str, new: str) -> str:
    """Text of a wire with one block renamed, spaces kept."""
    return re.sub(rf"(?<![\w.]){re.escape(old)}(?=\.)", new, text)


def with_sign(text: str) -> tuple[str, list[WireText]]:
    """Sign that is none and stands apart in a wire's text, and the wires with a right one; empty and none else."""
    match = _WIRE.fullmatch(text)
    sign = (match[2] or match[3]) if match else ""
    if match is None or sign in (ACAUSAL, CAUSAL, "<-") or f" {sign} " not in text:
        return "", []
    ends = parse_end(match[1], match.start(1)), parse_end(match[4], match.start(4))
    return sign, [WireText(ends[0], right, ends[1]) for right in (ACAUSAL, CAUSAL)]
