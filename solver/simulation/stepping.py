"""Script interface of a session: single steps with external inputs, snapshots.

A step of a small model costs a microsecond; nothing is done beside it that the next step does not need.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import index
from threading import Lock

import numpy as np

from ...blocks import RunError
from ...blocks.errors import Problem, did_you_mean
from ...blocks.text.safe_read import shown
from ..diagnostics.step_error import StepErrorEstimate
from ..integrators.method_table import method_of
from ..integrators.run_data import COUNT, EVERY, FILM, FIRST, NOW, START, STEP, TAKEN, WITHIN, Run
from ..integrators.run_loop import advance, evaluate_outputs
from ..program.started_program import Started
from ..results.recorded_run import Status
from .constraint_state import partition_degraded, repartition, singular, singular_one
from .given_state import GivenState
from .inputs_outputs import Signals, io_signals
from .run_state import RunState
from .singular_positions import regular_elsewhere, singular_place
from .terminal_events import assertion_failure, event_words, terminal_event

Inputs = Mapping[str, float | Sequence[float] | np.ndarray] | Sequence[float] | np.ndarray
NEVER = 2**62  # steps between rows if none are written
OF_SESSION = (
    "notes",
    "_stiff",
    "_odd",
    "_held",
    "worst_violation",
    "_balance",
    "trust",
    "refuted",
)  # findings of a run


@dataclass(frozen=True, repr=False)
class Snapshot:
    """Run at one moment: `session.restore(mark)` continues from there, bit for bit."""

    program: Started
    pace: tuple[float, str]  # step and method
    memories: list[np.ndarray]
    x: np.ndarray
    done: int
    status: Status
    message: str
    attributes: dict[str, object]

    def __repr__(self) -> str:
        return f"<Snapshot: t = {self.done * self.pace[0]:g} s, {len(self.x)} numbers of state>"


def whole_steps(steps: object, path: str) -> int:
    """Number of steps, at least 1; RunError for anything else."""
    try:
        count = index(steps)  # type: ignore[arg-type]
    except TypeError:
        count = 0
    if count < 1:
        raise RunError(f"found {shown(repr(steps))} steps, expected a whole number, 1 or more", path=path)
    return count


class Stepping(RunState, ABC):
    """Steps, inputs and outputs of a session."""

    _before: np.ndarray
    _turn: Lock
    _rows: list[tuple[np.ndarray, np.ndarray]]
    _shots: list[tuple[np.ndarray, np.ndarray]]
    status: Status
    message: str
    x0: GivenState | None  # start that was given; None: the netlist's
    notes: list[str]  # notes of the run
    problem: Problem
    refuted: bool  # failed because a line of `assert:` does not hold

    @abstractmethod
    def _fail(self) -> None:
        """End a run whose state is not finite, with the cause."""

    @abstractmethod
    def _advance_adaptive(self, count: int) -> str:
        """Steps of an adaptive method; returns the status."""

    @abstractmethod
    def _begin(self, anew: bool = False) -> None:
        """Go to the start with all counts at zero; `anew` with arrays of its own."""

    def take_turn(self) -> Lock:
        """Acquire the session for this thread; the caller releases it.

        Returns
        -------
        Lock
            The lock, held.

        Raises
        ------
        RunError
            Another thread holds it.
        """
        if not self._turn.acquire(blocking=False):
            fix = "give each thread a session of its own: sim.start()"
            raise RunError("another thread is using this session", fix=fix)
        return self._turn

    # --- inputs and outputs --------------------------------------------------------------------------------------

    @cached_property
    def inputs(self) -> np.ndarray:
        """Values of `sim.inputs` that hold in the next steps [SI]; they may be written."""
        return self.instance.memory[: len(self._signals.inputs)]

    @cached_property
    def _signals(self) -> Signals:
        """Inputs and outputs of the program."""
        return io_signals(self.instance.program)

    @property
    def outputs(self) -> np.ndarray:
        """Present values of `sim.outputs` [SI]."""
        turn = self.take_turn()
        try:
            return self._outputs()
        finally:
            turn.release()

    def _outputs(self) -> np.ndarray:
        """Evaluate the outputs."""
        single = self._single
        self.instance.real[NOW] = self.time
        self.instance.real[WITHIN] = self.time + 0.5 * self.step_size  # in the step that follows
        with self.instance.lock:
            evaluate_outputs(single)
        return single.rows[0].copy()

    @cached_property
    def _single(self) -> Run:
        """`Run` of one step whose row is the outputs."""
        record = self._signals.places
        return self.instance.run(self.x, self.work, np.zeros(1), np.zeros((1, len(record))), record=record)

    def give(self, inputs: Inputs) -> None:
        """Set inputs for the steps that follow.

        Parameters
        ----------
        inputs : mapping or array_like
            Values by name, or all in the order of `sim.inputs` [SI].

        Raises
        ------
        RunError
            There is no such input, the number of values is wrong, or one is not finite.
        """
        turn = self.take_turn()
        try:
            self._give(inputs)
        finally:
            turn.release()

    def _give(self, inputs: Inputs) -> None:
        """Set inputs; RunError for unknown names and numbers that are not finite."""
        if isinstance(inputs, Mapping):
            for name, value in inputs.items():
                slot = self._signals.slots.get(name)
                if slot is None:
                    fix = did_you_mean(name, self._signals.slots) or "declare it in `inputs:`"
                    raise RunError(f'there is no input "{name}"', fix=fix)
                if not np.isfinite(value).all():
                    raise self._not_finite(name, value)
                self.inputs[slot] = value
            return
        values, names = np.asarray(inputs, float), self._signals.inputs
        if values.shape != (len(names),):
            order = ", ".join(names[:8]) + ", ..." * (len(names) > 8) or "none: the netlist has no `inputs:`"
            raise RunError(
                f"found {values.size} inputs, expected {len(names)}", fix=f"in this order: {order}"
            )
        if not math.isfinite(sum(values.tolist())):  # which may overflow
            for name, value in zip(names, values.tolist(), strict=True):
                if not np.isfinite(value).all():
                    raise self._not_finite(name, value)
        self.inputs[:] = values

    def _not_finite(self, name: str, value: object) -> RunError:
        """RunError of an input that is not finite."""
        return RunError(
            f"found {value} at t = {self.time:g} s, expected a finite number", path=f"inputs.{name}"
        )

    # --- steps ---------------------------------------------------------------------------------------------------

    def step(self, inputs: Inputs | None = None, steps: int = 1) -> np.ndarray:
        """Take one step or several; rows are not recorded.

        Parameters
        ----------
        inputs : mapping or array_like, optional
            Values by name, or all in the order of `sim.inputs` [SI]; without, the last ones hold.
        steps : int, optional
            Number of steps over which these inputs hold.

        Returns
        -------
        ndarray
            Outputs at the end, in the order of `sim.outputs` [SI].

        Raises
        ------
        RunError
            The run has ended or fails here, or an input is wrong.
        """
        if steps != 1:
            steps = whole_steps(steps, "step")
        turn = self.take_turn()
        try:
            if inputs is not None:
                self._give(inputs)
            if self.status != "running":
                raise self._over()
            if method_of(self.method).adaptive:
                return self._step_adaptive(steps)
            if steps > 1:
                steps = min(steps, self.steps - self.done)
                self._walk(steps - 1, NEVER)
            if self.status != "running":
                return self._outputs()
            self._walk(1, 1)
            if self.status == "running" and self.done >= self.steps:
                self.status = "finished"
            return self._single.rows[0].copy()
        finally:
            turn.release()

    def _walk(self, steps: int, every: int) -> None:
        """Take `steps` steps; every `every`-th writes the outputs."""
        run, single = self.instance, self._single
        number, real = run.number, run.real
        end = self.done + steps
        while self.done < end:
            left = end - self.done
            number[FIRST], number[COUNT], number[EVERY], number[FILM] = self.done, left, every, 0
            real[START], real[STEP] = 0.0, self.step_size
            with run.lock:
                advance(single, run.model, run.data)
            taken = int(number[TAKEN])
            self.done += taken
            if taken < left and not np.all(np.isfinite(self.x)):
                self._before[:] = single.before
                self._fail()
                raise RunError(self.problem)
            if singular(run):
                self._step_through()
            elif partition_degraded(run):
                repartition(run, self.time, self.x)
            if self._end_early():
                if self.refuted:
                    raise RunError(self.problem)
                return

    def _step_through(self) -> None:
        """Single steps do not pass over a singular position, as a run does: another partition, or a note."""
        number = singular_one(self.instance)[0].number
        if regular_elsewhere(self.instance, number, self.time, self.x, self.step_size):
            return
        place = singular_place(self.instance, number)
        if not any(note.startswith(place) for note in self.notes):
            self.notes.append(
                f"{place} at about t = {self.time:.4g} s; single steps do not pass over it as a run does: "
                "what follows may be another branch of the motion"
            )

    def _end_early(self) -> bool:
        """True if a condition of the netlist ends the run: finished, or failed by a line of `assert:`."""
        condition = terminal_event(self.instance)
        if condition is None:
            return False
        if condition.asserted:
            self.problem = self.instance.program.flat.located(assertion_failure(condition, self.time))
            self.status, self.message, self.refuted = "failed", self.problem.message, True
        else:
            self.status, self.message = "finished", event_words(condition, self.time)
        return True

    def _step_adaptive(self, steps: int) -> np.ndarray:
        """Take steps with an adaptive method."""
        end = min(self.done + steps, self.steps)
        while self.done < end and self.status == "running":
            if self._advance_adaptive(1) == "failed":
                raise RunError(self.problem)
            self._rows.clear()
        return self._outputs()

    def _over(self) -> RunError:
        """RunError of a step after the end of the run."""
        mistake = f"this run is {self.status} at t = {self.time:g} s"
        return RunError(self.message or mistake, fix="reset() it, or start one with a later stop")

    # --- marks ---------------------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Save the state of the run for `restore`.

        Returns
        -------
        Snapshot
            Time, states, memories, parameters and inputs.

        Raises
        ------
        RunError
            The model has external blocks (fmu, udp, observer, mpc), whose state cannot be saved.
        """
        if self.instance.has_partners:
            fix = "reset() begins again, and starts what is outside again too"
            names = ", ".join(self.instance.meetings)
            mistake = f"blocks that work outside of the compiled model cannot be kept in a snapshot: {names}"
            raise RunError(mistake, fix=fix)
        turn = self.take_turn()
        try:
            values = {name: copied(getattr(self, name)) for name in OF_SESSION}
            memories = [block.copy() for block in self.instance.memories]
            pace = (self.step_size, self.method)
            program = self.instance.program
            return Snapshot(
                program, pace, memories, self.x.copy(), self.done, self.status, self.message, values
            )
        finally:
            turn.release()

    def restore(self, mark: Snapshot) -> None:
        """Go back to a snapshot of this session, or of another one of the same simulation; it goes on bit for bit.

        Parameters, inputs and memories come back too. Rows that were recorded since are dropped.

        Parameters
        ----------
        mark : Snapshot
            A snapshot with the same method and step.

        Raises
        ------
        RunError
            The snapshot is of another model, method or step.
        """
        turn = self.take_turn()
        try:
            program = self.instance.program
            if mark.program is not program and not program.like(mark.program):
                fix = "take snapshots of sessions of one simulation, between changes of structure"
                raise RunError("this snapshot is of another model", fix=fix)
            if mark.pace != (self.step_size, self.method):
                mistake = f"found a snapshot of {mark.pace[1]} with a step of {mark.pace[0]:g} s"
                raise RunError(f"{mistake}, expected {self.method} with {self.step_size:g} s")
            self.instance.program = mark.program
            self.instance.put(mark.memories)
            self.x[:] = mark.x
            self.done, self.status, self.message = mark.done, mark.status, mark.message
            vars(self).update({name: copied(value) for name, value in mark.attributes.items()})
            end = self.time + 0.5 * self.step_size
            for name in ("_rows", "_shots"):
                cut = [(times[times < end], rows[times < end]) for times, rows in getattr(self, name)]
                setattr(self, name, [(times, rows) for times, rows in cut if len(times)])
        finally:
            turn.release()

    def reset(self, x0: GivenState | None = None) -> np.ndarray:
        """Go back to the start, with the parameters as they are set now; nothing is compiled.

        Parameters
        ----------
        x0 : array_like or mapping, optional
            Another start, as `Simulation.start` takes it; it holds for later resets too.

        Returns
        -------
        ndarray
            Outputs at the start, in the order of `sim.outputs` [SI].

        Raises
        ------
        RunError
            The state is wrong, or no rates are finite there.
        """
        turn = self.take_turn()
        before, self.x0 = self.x0, self.x0 if x0 is None else x0
        try:
            self._begin()
            return self._outputs()
        except RunError:
            self.x0 = before
            raise
        finally:
            turn.release()


def copied(value: object) -> object:
    """Copy of a value that the run goes on changing."""
    if isinstance(value, StepErrorEstimate):
        return replace(value, instants=[*value.instants], changes=[*value.changes])
    return value.copy() if isinstance(value, list | set) else value
