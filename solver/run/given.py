"""What each run of a batch is given: numbers that go straight to their places where that is proved, else a program.

The proof: at the ends of the range of every parameter the whole way is gone too. Where it gives the bits of the short
one, and nothing else differs from the program of the batch, not even the start, only places of `Live` hang on these
parameters. A start at rest is made anew for each run, of a program whose numbers alone are others (`variants.py`): what
holds a mechanism may jump between two values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from ...blocks import LuffError, RunError
from ...blocks.errors import Problem, did_you_mean
from ..flat.flatten import flatten
from ..program.started import Started, started
from .instance import Instance
from .interface import Signals, signals_of
from .live import OWN, TAKEN, Live, same_bits
from .variants import Variants, alike

if TYPE_CHECKING:
    from .simulation import Simulation

PREFIX = "inputs."


class Given:
    """Parameters and inputs of the runs; one thread at a time asks for them."""

    def __init__(self, sim: Simulation, values: dict[str, np.ndarray]):
        self.sim, self.program, self.base = sim, sim.program, dict(sim.overrides)
        known = signals_of(self.program).slots
        self.inputs = {path: each for path, each in values.items() if path in known or is_input(path)}
        self.parameters = {path: each for path, each in values.items() if path not in self.inputs}
        self._blocks = Live(self.program)  # as they are listed
        self._last = -1  # the run whose program `sim` has
        self._samples = sorted({k for each in self.parameters.values() for k in ends(each)})
        self._wholes: dict[int, Started] = {}  # programs of these
        self._live = Live(self.program) if not self.parameters or self._proved() else None
        self._variants = None if self._live else self._proved_from_the_start()
        self._wholes.clear()

    def whole(self, k: int) -> Started:
        """The program of a run, which is that of `sim` from then on."""
        if k == self._last:
            return self.sim.program
        changes = self._changed(k)
        try:
            made = self._made_short(self._variants, changes) if self._variants else None
            if made is None:
                self._sent(changes)
            else:
                self.sim.overrides, self.sim.program = {**self.base, **changes}, made
        except LuffError as error:
            raise type(error)(
                Problem(f"run {k}: {each.message}", each.path, each.fix, each.mark) for each in error.problems
            ) from None
        self._last = k
        return self.sim.program

    def _sent(self, changes: dict[str, object]) -> None:
        """Have the netlist read again with these."""
        if len(changes) == 1:
            self.sim.set(*changes.popitem())
        elif changes:
            self.sim.overrides, self.sim.program = {**self.base, **changes}, self._made(changes)

    def short(self, k: int, run: Instance) -> bool:
        """Write the numbers of a run over those of the program of the batch; False where it needs one of its own."""
        live = self._live
        if live is None:
            return False
        if not self._set(live, k):
            self._live = Live(self.program)  # its numbers are partly those of this run
            return False
        run.params[:] = live.params
        for name in TAKEN:
            getattr(run.model, name)[...] = getattr(live.model, name)
        return True

    def give(self, k: int, signals: Signals, memory: np.ndarray) -> None:
        """The inputs of a run."""
        for path, values in self.inputs.items():
            name = path.removeprefix(PREFIX)
            if name not in signals.slots:
                raise RunError(f'there is no input "{name}"', fix=did_you_mean(name, signals.slots))
            memory[signals.slots[name]] = values[k]

    def _changed(self, k: int) -> dict[str, object]:
        return {path: plain(values[k]) for path, values in self.parameters.items()}

    def _made(self, changes: Mapping[str, object]) -> Started:
        return started(flatten(self.sim.diagram, {**self.base, **changes}))

    def _set(self, live: Live, k: int) -> bool:
        return all(live.set(path, value) is not None for path, value in self._changed(k).items())

    def _proved(self) -> bool:
        """Whether the short way is that of all runs but those that `Live` itself sends the other way."""
        if self.program.flat.initial.solve == "static":
            return False
        live = Live(self.program)
        return self._holds(
            lambda k, whole: (
                self._set(live, k) and live.has_numbers_of(whole) and begin_alike(self.program, whole)
            )
        )

    def _proved_from_the_start(self) -> Variants | None:
        """The same of the way on which the first state is made anew, a start at rest too."""
        variants = Variants(self.program)

        def holds(k: int, whole: Started) -> bool:
            made = self._made_short(variants, self._changed(k))
            return made is not None and alike(made, whole)

        return variants if self._holds(holds) else None

    def _made_short(self, variants: Variants, changes: Mapping[str, object]) -> Started | None:
        """Of numbers of blocks; where a netlist's own are among them, it is read again, but not described anew."""
        if all(self._blocks.names(path) for path in changes):
            return variants.with_numbers(changes)
        return variants.of(flatten(self.sim.diagram, {**self.base, **changes}))

    def _holds(self, test: Callable[[int, Started], bool]) -> bool:
        """At the ends of the range of every parameter, where there are more runs than that."""
        if len(self._samples) >= len(next(iter(self.parameters.values()))):
            return False
        try:
            for k in self._samples:
                if k not in self._wholes:
                    self._wholes[k] = self._made(self._changed(k))
            return all(test(k, self._wholes[k]) for k in self._samples)
        except LuffError:
            return False  # told where the run is made


def begin_alike(a: Started, b: Started) -> bool:
    """Whether two programs differ in nothing but numbers that runs take from a program while they are under way."""
    if not a.like(b) or a.sampled != b.sampled:
        return False
    return all(same_bits(ours, theirs) for ours, theirs in zip(_at_start(a), _at_start(b), strict=True))


def _at_start(program: Started) -> list[np.ndarray]:
    """What a run begins with, besides what it may take later."""
    work = program.work_space.copy()
    program.sections.part(work, "p")[:] = 0.0
    origin = [] if program.origin is None else [program.origin.jac, program.origin.state]
    return [work, program.x0, *origin, *program.data, *(getattr(program.model, name) for name in OWN)]


def ends(values: np.ndarray) -> Iterable[int]:
    """Runs with the least and the largest value; of what is no number, the first and the last."""
    if values.ndim == 1 and values.dtype.kind in "fiu":
        return int(np.argmin(values)), int(np.argmax(values))
    return 0, len(values) - 1


def is_input(path: str) -> bool:
    return path.startswith(PREFIX) and path.count(".") == 1


def plain(value: object) -> object:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
