"""Signals joined, taken apart, and made into trajectories."""

from __future__ import annotations

from collections.abc import Container, Iterable
from itertools import accumulate
from typing import ClassVar

from ..block import EACH, Block
from ..errors import Problem
from ..params import Choice, Param
from ..ports import ANY, TRAJECTORY, In, Out, Port


class Sized(Block, abstract=True):
    """Base of mux and demux: widths of the narrow side."""

    kind = Choice("signal", ["signal", "trajectory"], doc="what the wires carry")
    sizes = Param((1.0, 1.0), shape=(None,), ge=1, live=False, doc="width of each of the narrow signals")

    def widths(self) -> list[int]:
        return [int(size) for size in self.sizes]

    def check(self) -> Iterable[Problem]:
        for k, size in enumerate(self.sizes):
            if size != int(size):
                yield Problem(f"found {size:g}, expected a whole number", f".sizes[{k}]")
        if not self.sizes:
            yield Problem("found no widths, expected at least one", ".sizes")

    def starts(self) -> list[int]:
        """First element of each narrow signal in the wide one."""
        return list(accumulate(self.widths(), initial=0))[:-1]


def parts_of(kind: str) -> range:
    return range(3 if kind == TRAJECTORY else 1)


def named(ports: dict[str, Port]) -> dict[str, Port]:
    return {name: port.named(name) for name, port in ports.items()}


class Mux(Sized):
    """A bundle: y = [u1, u2, ...], as many inputs as `sizes` has entries."""

    y = Out(ANY)

    def ports(self) -> dict[str, Port]:
        inputs = {f"u{k}": In(size, kind=self.kind) for k, size in enumerate(self.widths(), 1)}
        return named(inputs | {"y": Out(ANY, kind=self.kind)})

    def width(self) -> int | None:
        return sum(self.widths()) or None

    def routes(self) -> dict[tuple[str, int, int], tuple[str, int, int]]:
        starts = zip(self.starts(), self.widths(), strict=True)
        return {
            ("y", start + j, part): (f"u{k}", j, part)
            for k, (start, size) in enumerate(starts, 1)
            for j in range(size)
            for part in parts_of(self.kind)
        }


class Demux(Sized):
    """A bundle undone: [y1, y2, ...] = u, as many outputs as `sizes` has entries."""

    def ports(self) -> dict[str, Port]:
        outputs = {f"y{k}": Out(size, kind=self.kind) for k, size in enumerate(self.widths(), 1)}
        return named({"u": In(max(sum(self.widths()), 1), kind=self.kind)} | outputs)

    def routes(self) -> dict[tuple[str, int, int], tuple[str, int, int]]:
        starts = zip(self.starts(), self.widths(), strict=True)
        return {
            (f"y{k}", j, part): ("u", start + j, part)
            for k, (start, size) in enumerate(starts, 1)
            for j in range(size)
            for part in parts_of(self.kind)
        }


class Elementwise(Block, abstract=True):
    """Routes from element to element; the widths follow from the wires."""

    same: ClassVar[dict[tuple[str, int], tuple[str, int]]] = {}

    def routes(self) -> dict[tuple[str, int, int], tuple[str, int, int]]:
        return {
            (there, EACH, part): (here, EACH, source) for (there, part), (here, source) in self.same.items()
        }


class MakeTrajectory(Elementwise):
    """A trajectory from signals: a value, with the rate and acceleration that belong to it."""

    value = In(ANY, doc="value")
    rate = In(ANY, default=0.0, doc="its rate")
    acceleration = In(ANY, default=0.0, doc="its acceleration")
    y = Out(ANY, kind=TRAJECTORY)
    same = {("y", 0): ("value", 0), ("y", 1): ("rate", 0), ("y", 2): ("acceleration", 0)}

    def missing_parts(self, output: str, wired: Container[str]) -> tuple[str, ...]:
        return tuple(part for part in ("rate", "acceleration") if part not in wired)


class SplitTrajectory(Elementwise):
    """A trajectory as signals: value, rate and acceleration."""

    u = In(ANY, kind=TRAJECTORY)
    value = Out(ANY, doc="value")
    rate = Out(ANY, doc="its rate")
    acceleration = Out(ANY, doc="its acceleration")
    same = {("value", 0): ("u", 0), ("rate", 0): ("u", 1), ("acceleration", 0): ("u", 2)}
