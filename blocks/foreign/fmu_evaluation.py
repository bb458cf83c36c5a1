"""An FMU at whatever state and inputs it is asked for, by model exchange: what linear models see of it."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from ctypes import c_double
from math import nan
from typing import Any

from ..external_block import ContinuousBlock
from ..ports import Port
from .fmu_cosimulation import DISCARDED
from .fmu_model_exchange import ModelExchange


class FmuEvaluator(ContinuousBlock, abstract=True):
    """An FMU that has begun, with the inputs that it starts with, and goes no step."""

    def __init__(self, name: str, ports: dict[str, Port], held: Continuous, step: float):
        super().__init__(name, {})
        self._ports, self.held, fmu = ports, held, held.fmu
        weakref.finalize(self, held.close)
        self.states_outside = held.states
        self.sizes = [*held.nominals, *(max(1.0, abs(value)) for value in held.inputs_at_start)]
        self.direct = held.follow(self.sizes[len(held.states) :])
        self.left_out = f"an FMU, taken as continuous: its communication step of {step:g} s is left out"
        if not fmu.derives or held.arrays:
            self.inexact = f"the FMU {fmu.path.name} provides no directional derivatives"

    def ports(self) -> dict[str, Port]:
        return self._ports

    def evaluate(self, t: float, given: Sequence[float]) -> Sequence[float]:
        return self.held.evaluate(t, given)

    def slopes(self, t: float, given: Sequence[float]) -> Sequence[Sequence[float]]:
        return self.held.slopes(t, given)


class Continuous(ModelExchange):
    """FMU for model exchange in continuous-time mode."""

    def _begin(self, start: dict[str, float]) -> Any:
        self._slave = super()._begin(start)
        self._slave.exitInitializationMode()
        self._iterate_event()
        self._time = 0.0
        self._count = (
            len(self.fmu.rates) if self.fmu.version == 2 else self._slave.getNumberOfContinuousStates()
        )
        return self._slave

    @property
    def states(self) -> list[tuple[str, str, float]]:
        """Name, unit and value of each; elements of arrays, which have no names, by their numbers."""
        values = self._numbers("getContinuousStates")
        known = [rate.state for rate in self.fmu.rates]
        if len(known) != self._count:
            return [(f"x[{k}]", "", value) for k, value in enumerate(values)]
        return [(one.name, one.unit, value) for one, value in zip(known, values, strict=True)]

    @property
    def nominals(self) -> list[float]:
        """Nominal magnitude of each state."""
        return [abs(size) or 1.0 for size in self._numbers("getNominalsOfContinuousStates")]

    @property
    def inputs_at_start(self) -> list[float]:
        return [value for one in self._inputs for value in self._get(one)]

    @property
    def arrays(self) -> bool:
        """True if a variable has several numbers, which FMPy does not differentiate one by one."""
        return self._count != len(self.fmu.rates) or any(
            one.size > 1 for one in (*self._inputs, *self._outputs)
        )

    def follow(self, ways: Sequence[float]) -> list[bool]:
        """Outputs that follow an input at once, by a perturbation of each input."""
        states, inputs = self._numbers("getContinuousStates"), self.inputs_at_start
        before = self.evaluate(0.0, [*states, *inputs])[self._count :]
        follow = [False] * len(before)
        for k, way in enumerate(ways):
            moved = [value + way * (k == j) for j, value in enumerate(inputs)]
            after = self.evaluate(0.0, [*states, *moved])[self._count :]
            follow = [each or a != b for each, a, b in zip(follow, after, before, strict=True)]
        return follow

    def evaluate(self, t: float, given: Sequence[float]) -> list[float]:
        """Rates and outputs; no numbers where the FMU asks for another state."""
        return self._at(t, given, self._read_answers)

    def slopes(self, t: float, given: Sequence[float]) -> list[list[float]]:
        """Jacobian of rates and outputs by states and inputs, a column a number."""
        by = [rate.state.reference for rate in self.fmu.rates] + [one.reference for one in self._inputs]
        of = [rate.reference for rate in self.fmu.rates] + [one.reference for one in self._outputs]
        return self._at(
            t, given, lambda: [list(self._slave.getDirectionalDerivative(of, [one], [1.0])) for one in by]
        )

    def _read_answers(self) -> list[float]:
        old = self.fmu.version == 2
        rates = self._numbers("getDerivatives" if old else "getContinuousStateDerivatives")
        return [*rates, *(value for one in self._outputs for value in self._get(one))]

    def _at(self, t: float, given: Sequence[float], asked: Callable[[], Any]) -> Any:
        try:
            self._slave.setTime(t)
            self._apply_inputs(given[self._count :])
            self._slave.setContinuousStates((c_double * self._count)(*given[: self._count]), self._count)
            return asked()
        except Exception as error:
            if getattr(error, "status", None) == DISCARDED:
                return [nan] * (self._count + sum(one.size for one in self._outputs))
            raise self._error_with_log("it cannot be evaluated", error) from None

    def _apply_inputs(self, values: Sequence[float]) -> None:
        if list(values) != self._given:
            super()._apply_inputs(values)
        self._given = list(values)

    def _numbers(self, what: str) -> list[float]:
        room = (c_double * self._count)()
        if self._count:
            getattr(self._slave, what)(room, self._count)
        return list(room)
