"""Signals joined, taken apart, and made into trajectories."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import Any

from ..block import Block
from ..errors import Problem
from ..generated import function_from
from ..params import Choice, Param
from ..ports import ANY, TRAJECTORY, In, Out, Port


class Sized(Block, abstract=True):
    """What mux and demux share: widths of the narrow side."""

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
        """Where each of the narrow signals begins in the wide one."""
        return list(accumulate(self.widths(), initial=0))[:-1]


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

    def feedthrough(self, output: str, element: int, port: str, port_element: int) -> bool:
        return self.starts()[int(port[1:]) - 1] + port_element == element

    def instance_functions(self) -> dict[str, Callable[..., Any]]:
        words = [f"u{k}" for k in range(1, len(self.sizes) + 1)]
        entries = [
            f"{word}[{k}]" if size > 1 else word
            for word, size in zip(words, self.widths(), strict=True)
            for k in range(size)
        ]
        lines = [f"    if i == {k}:\n        return {entry}" for k, entry in enumerate(entries[:-1])]
        body = "\n".join([*lines, f"    return {entries[-1]}"])
        return {"out": function_from(f"def out(i, {', '.join(words)}):\n{body}\n")}


class Demux(Sized):
    """A bundle undone: [y1, y2, ...] = u, as many outputs as `sizes` has entries."""

    def ports(self) -> dict[str, Port]:
        outputs = {f"y{k}": Out(size, kind=self.kind) for k, size in enumerate(self.widths(), 1)}
        return named({"u": In(max(sum(self.widths()), 1), kind=self.kind)} | outputs)

    def feedthrough(self, output: str, element: int, port: str, port_element: int) -> bool:
        k = int(output[1:]) - 1
        return 0 <= port_element - self.starts()[k] < self.widths()[k]

    def instance_functions(self) -> dict[str, Callable[..., Any]]:
        if len(self.sizes) == 1 and self.widths() == [1]:
            return {"out_y1": function_from("def out(u):\n    return u\n")}
        found = {}
        for k, (start, size) in enumerate(zip(self.starts(), self.widths(), strict=True), 1):
            taken = ", ".join(f"u[{j}]" for j in range(start, start + size))
            found[f"out_y{k}"] = function_from(f"def out(u):\n    return {taken}\n")
        return found


class MakeTrajectory(Block):
    """A trajectory from signals: a value, with the rate and acceleration that belong to it."""

    value = In(ANY, doc="value")
    rate = In(ANY, default=0.0, doc="its rate")
    acceleration = In(ANY, default=0.0, doc="its acceleration")
    y = Out(ANY, kind=TRAJECTORY)

    def out(value, rate, acceleration):
        return value, rate, acceleration


class SplitTrajectory(Block):
    """A trajectory as signals: value, rate and acceleration."""

    u = In(ANY, kind=TRAJECTORY)
    value = Out(ANY, doc="value")
    rate = Out(ANY, doc="its rate")
    acceleration = Out(ANY, doc="its acceleration")

    def out_value(t, u):
        return u[0]

    def out_rate(t, u):
        return u[1]

    def out_acceleration(t, u):
        return u[2]
