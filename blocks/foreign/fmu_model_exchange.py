"""An FMU for model exchange under way: it leaves the integration to its importer, which here is CVode, by FMPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .fmu_cosimulation import ENDS, CoSimulation

TOLERANCE = 1e-8  # relative, and of a state's nominal value
ITERATIONS = 1000  # of an event, until it is taken for one without an end
CLOSE = 1e-12  # relative distance of times that are the same


class ModelExchange(CoSimulation):
    """Steps from point to point, and ends a step where an event lies. An input that changes is an event."""

    _solver: Any = None
    _given: Sequence[float] = ()
    _next: float | None = None  # the next event in time
    _error: Exception | None = None

    def _kind(self) -> Any:
        from fmpy.fmi2 import FMU2Model
        from fmpy.fmi3 import FMU3Model

        return FMU2Model if self.fmu.version == 2 else FMU3Model

    def _leave_initialization(self) -> None:
        self._slave.exitInitializationMode()
        self._iterate_event()
        self._solver = self._made_solver()

    def _apply_inputs(self, values: Sequence[float]) -> None:
        if self._solver is None:
            super()._apply_inputs(values)
        elif list(values) != list(self._given):
            self._slave.enterEventMode()
            super()._apply_inputs(values)
            self._iterate_event()
            self._solver.reset(self._time)
        self._given = values

    def _advance(self, now: float, t: float) -> None:
        while now < t - CLOSE * max(1.0, t):
            timed = self._next is not None and self._next <= t
            wanted = max(now, self._next) if timed and self._next is not None else t
            crossed = False
            if wanted > now:
                crossed, _, now = self._solver.step(now, wanted)
                if self._error is not None:
                    raise self._error
                self._slave.setTime(now)
            asked = False
            if self.fmu.completes:
                asked, ends = self._slave.completedIntegratorStep()
                self._begin_continuous(ends)
            if crossed or asked or (timed and now >= wanted):
                self._slave.enterEventMode()
                self._iterate_event()
                self._solver.reset(now)

    def _iterate_event(self) -> None:
        """Iterate an event to its end, and go on to continuous time."""
        update = self._slave.newDiscreteStates if self.fmu.version == 2 else self._slave.updateDiscreteStates
        for _ in range(ITERATIONS):
            again, ends, _, _, timed, time = update()
            self._begin_continuous(ends)
            if not again:
                self._next = time if timed else None
                self._slave.enterContinuousTimeMode()
                return
        raise RuntimeError("its event iteration does not converge")

    def _begin_continuous(self, ends: bool) -> None:
        if ends:
            raise RuntimeError(ENDS)

    def _made_solver(self) -> Any:
        from fmpy.sundials import CVodeSolver

        model, old = self._slave, self.fmu.version == 2
        states = len(self.fmu.rates) if old else model.getNumberOfContinuousStates()
        indicators = self.fmu.indicators if old else model.getNumberOfEventIndicators()
        rates = model.getDerivatives if old else model.getContinuousStateDerivatives
        return CVodeSolver(
            nx=states, nz=indicators, get_x=self._recording_errors(model.getContinuousStates),
            set_x=self._recording_errors(model.setContinuousStates), get_dx=self._recording_errors(rates),
            get_z=self._recording_errors(model.getEventIndicators),
            get_nominals=self._recording_errors(model.getNominalsOfContinuousStates),
            set_time=self._recording_errors(model.setTime),
            input=HeldInputs(), startTime=0.0, relativeTolerance=TOLERANCE, maxNumSteps=100_000,
        )  # fmt: skip

    def _recording_errors(self, call: Callable[..., Any]) -> Callable[..., None]:
        """CVode calls this, and what is raised in between would be lost."""

        def guarded(*words: Any) -> None:
            try:
                call(*words)
            except Exception as error:
                self._error = self._error or error

        return guarded


class HeldInputs:
    """Inputs for FMPy's frame of CVode, constant between points."""

    def apply(self, time: float) -> None:
        pass
