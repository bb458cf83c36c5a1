"""Which parameters of a simulation go straight to the runs under way: those whose short way (`Live`) has given the same
bits as the whole one, which reads the netlist anew.

The proof of a parameter is its first change, or made beforehand for all of them at once: a run beside the clock has no
time for the whole way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...blocks.block import Block
from ...blocks.conditions import NAME as CONDITIONS
from ...blocks.errors import LuffError
from ...blocks.params import Param, Sub, SubList, SubMap
from ..diagram.diagram import Netlist
from ..flat.flatten import blocks_alone, flatten
from ..program.started import Started, started
from .live import Change, Live

NEAR = 1e-7  # of a value: so near to it that what closes still closes
APART = 1e-10  # from one parameter to the next, so that no two cancel
TINY = 1e-3  # of that, in SI, in the place of a zero


class ShortWays:
    """Of one simulation."""

    def __init__(self, diagram: Netlist):
        self._diagram = diagram
        self.live: Live | None = None  # numbers as the runs under way have them
        self.proved: set[str] = set()
        self._all_tried = False

    def changes(self, overrides: Mapping[str, object], path: str) -> list[Change] | None:
        """What the last of some values changes; None where the whole way has to be gone."""
        if self.live is None or path not in self.proved:
            return None
        return self._tried(self.live, overrides, path)

    def compare(self, live: Live, whole: Started, overrides: Mapping[str, object], path: str) -> None:
        """Behind the whole way: would the short one have led there too?"""
        if self._tried(live, overrides, path) and live.agrees_with(whole):
            self.proved.add(path)

    def prove_all(self, program: Started, overrides: Mapping[str, object]) -> None:
        """Numbers of blocks, and then parameters of the netlist, by one whole way each."""
        if self._all_tried:
            return
        self._all_tried = True
        listed = {name: block for name, block in program.flat.blocks.items() if name != CONDITIONS}
        for values in (dict(numbers_of(listed)), self._parameters()):
            self._prove(program, overrides, values)

    def _prove(self, program: Started, overrides: Mapping[str, object], values: Mapping[str, object]) -> None:
        """What was refused halfway, and what acts on the places of another one, shows in the comparison."""
        live, trial = Live(program), dict(overrides)
        taken: dict[str, object] = {}
        for k, (path, value) in enumerate(values.items()):
            shift = NEAR + k * APART
            for tiny in (TINY * shift, 0.0):
                near = {**trial, path: moved(value, shift, tiny)}
                if self._tried(live, near, path):
                    trial = near
                    taken[path] = value
                    break
        if self._lead_together(program, live, trial):
            self.proved |= taken.keys()
        elif len(taken) > 1:  # one or the other acts elsewhere too
            names, half = [*taken], len(taken) // 2
            for part in (names[:half], names[half:]):
                self._prove(program, overrides, {path: taken[path] for path in part})

    def _lead_together(self, program: Started, live: Live, overrides: Mapping[str, object]) -> bool:
        try:
            whole = started(flatten(self._diagram, overrides))
        except LuffError:
            return False
        return program.like(whole) and live.agrees_with(whole)

    def _tried(self, live: Live, overrides: Mapping[str, object], path: str) -> list[Change] | None:
        if live.names(path):
            return live.set(path, overrides[path])
        try:
            return live.replace(blocks_alone(self._diagram, overrides))
        except LuffError:
            return None

    def _parameters(self) -> dict[str, object]:
        scope, found = self._diagram.scope(), {}
        for name in self._diagram.parameters:
            try:
                found[name] = scope.parameter(name).value
            except LuffError:
                continue  # no number
        return found


def numbers_of(blocks: Mapping[str, Block]) -> Iterator[tuple[str, object]]:
    """Every number that may change during a run, by its path."""
    for name, block in blocks.items():
        yield from _numbers(block.params, block.values, name)


def _numbers(
    params: Mapping[str, Param], values: Mapping[str, object], prefix: str
) -> Iterator[tuple[str, object]]:
    for key, param in params.items():
        value = values.get(key)
        if isinstance(param, Sub) and not isinstance(param, SubList | SubMap) and value is not None:
            yield from _numbers(param.struct.params, vars(value), f"{prefix}.{key}")
        elif param.live and isinstance(value, int | float | tuple) and not isinstance(value, bool):
            yield f"{prefix}.{key}", value


def moved(value: object, shift: float, tiny: float = 0.0) -> object:
    """By a part of itself, or a zero by a tiny number; of numbers in lists. What is none stays."""
    if isinstance(value, tuple):
        return [moved(item, shift, tiny) for item in value]
    return value * (1.0 + shift) or tiny if isinstance(value, int | float) else value
