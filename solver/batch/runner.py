"""Runs of a batch: data shared by its threads, and the runs of one thread, one after the other, in one work space."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...blocks import LuffError, RunError
from ...blocks.errors import Problem, did_you_mean
from ..flatten.flatten import flatten
from ..integrators.method_table import method_of
from ..integrators.run_data import COUNT, EVERY, FILM, FIRST, NOW, START, STEP, TAKEN, WITHIN
from ..integrators.run_loop import evaluate_outputs
from ..kernels import model_data as f
from ..program.started_program import Started
from ..results.recorded_run import matching, signal_of
from ..simulation.constraint_state import partition_degraded, repartition, restore_start, singular
from ..simulation.given_state import reset_instance
from ..simulation.inputs_outputs import Signals, io_signals
from ..simulation.parameters import Forms, Parameters
from ..simulation.session import Session
from ..simulation.terminal_events import terminal_event
from .simd_group import TOGETHER

if TYPE_CHECKING:
    from ..simulation.simulation import Simulation

PREFIX = "inputs."
LONGEST = 200_000  # most steps of one call, between checks for Ctrl-C


def selected_signals(sim: Simulation, outputs: str | Sequence[str] | None) -> tuple[list[str], np.ndarray]:
    """Names of the selected signals, and their places in the work space."""
    signals, record = io_signals(sim.program), sim.program.record
    places = dict(zip(signals.outputs, signals.places.tolist(), strict=True))
    if outputs is None:
        return [*places], signals.places
    places |= dict(zip(sim.signal_names, record.tolist(), strict=True))
    for name, ref in sim.program.flat.exposed.items():  # ports of composites, by what they stand for
        inner = str(ref)
        places |= {
            name + known.removeprefix(inner): places[known]
            for known in sim.signal_names
            if signal_of(known) == inner
        }
    names: list[str] = []
    for wanted in [outputs] if isinstance(outputs, str) else outputs:
        # a glob matches recorded signals: an output is one of them under another name
        hits = [wanted] if wanted in places else matching(wanted, sim.signal_names)
        hits = [name for name in hits if name not in names]
        if not hits and wanted not in names:
            raise RunError(f'no recorded signal matches "{wanted}"', fix=did_you_mean(wanted, places))
        names += hits
    return names, np.array([places[name] for name in names], np.int64)


class GivenValues:
    """Inputs and program of each run of a batch; called by one thread at a time."""

    def __init__(self, sim: Simulation, values: dict[str, np.ndarray]):
        self.sim, self.base = sim, dict(sim.overrides)
        known = io_signals(sim.program).slots
        self.inputs = {path: each for path, each in values.items() if path in known or is_input(path)}
        self.parameters = {path: each for path, each in values.items() if path not in self.inputs}
        self._numbers, self._forms = Parameters(sim.program), Forms(sim.program)
        self._last = -1  # run whose program `sim` has

    def program(self, k: int) -> Started:
        """Program of run k, with the warnings and notes of the first run."""
        return self._numbers.with_values(self.sim.diagram, self.base, self._changes(k)) or self.whole(k)

    def whole(self, k: int) -> Started:
        """Program of run k elaborated anew, which `sim` then has."""
        if k != self._last and self.parameters:
            overrides = {**self.base, **self._changes(k)}
            try:
                program = self._forms.started(flatten(self.sim.diagram, overrides))
            except LuffError as error:
                raise type(error)(
                    Problem(f"run {k}: {each.message}", each.path, each.fix, each.mark)
                    for each in error.problems
                ) from None
            self.sim.overrides, self.sim.program, self._last = overrides, program, k
        return self.sim.program

    def give(self, k: int, signals: Signals, memory: np.ndarray) -> None:
        """Write the inputs of run k to its memory."""
        for path, values in self.inputs.items():
            name = path.removeprefix(PREFIX)
            if name not in signals.slots:
                raise RunError(f'there is no input "{name}"', fix=did_you_mean(name, signals.slots))
            memory[signals.slots[name]] = values[k]

    def _changes(self, k: int) -> dict[str, object]:
        """Parameters of run k."""
        return {path: plain(values[k]) for path, values in self.parameters.items()}


def is_input(path: str) -> bool:
    """True for a path `inputs.NAME`."""
    return path.startswith(PREFIX) and path.count(".") == 1


def plain(value: object) -> object:
    """Python value of a numpy value."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


class BatchJob:
    """Data shared by the threads of a batch."""

    def __init__(
        self,
        sim: Simulation,
        session: Session,
        given: dict[str, np.ndarray],
        names: list[str],
        record: np.ndarray,
        count: int,
    ):
        self.sim, self.session, self.program = sim, session, sim.program
        self.given = GivenValues(sim, given)
        self.names, self.record = names, record
        rows = 1 + session.steps // session.every
        # time as in the loop: step n ends at h (n + 1)
        self.times = session.step_size * (session.every * np.arange(rows))
        self.table = np.full((count, rows, len(record)), np.nan)
        self.status, self.messages = ["finished"] * count, [""] * count
        self.alone = [TOGETHER] * count
        self.turn = threading.RLock()
        self.ended = False
        fresh = session.instance.twin()
        reset_instance(fresh, self.program)
        self.fresh = fresh.memories  # memory of a run before its start


class BatchThread:
    """Runs of one thread, one after the other, in one work space."""

    def __init__(self, job: BatchJob):
        self.job, session, record = job, job.session, job.record
        self._k = -1  # present run
        self.instance = instance = session.instance.twin()
        self.x, work = session.x.copy(), np.zeros_like(session.work)
        rows = 1 + min(session.steps, LONGEST) // session.every
        self.rows = np.zeros((rows, len(record)))
        self.bundle = instance.run(self.x, work, np.zeros(rows), self.rows, record=record)

    def run(self, k: int) -> None:
        """Run k from start to end."""
        if not self.prepare(k) or not self.steps(0, self.job.session.steps):
            self.rerun_in_session()

    def prepare(self, k: int) -> bool:
        """Bring run k to its first step; False if it needs a session."""
        job, self._k = self.job, k
        with job.turn:
            if not self._numbers(k):
                return False
            job.given.give(k, io_signals(job.program), self.instance.memory)
        if not self._begin():
            return False
        job.table[k, 0] = self.rows[0]
        return True

    def rerun_in_session(self) -> None:
        """Rerun the present run from its start in a session."""
        job, k = self.job, self._k
        job.table[k] = np.nan
        with job.turn:
            job.given.whole(k)
            self._run_in_session(k)

    def _numbers(self, k: int) -> bool:
        """Write the numbers of run k; False if it needs arrays of another size or a session."""
        job, run = self.job, self.instance
        if method_of(job.session.method).adaptive:
            return False
        program = job.given.program(k)
        if not program.like(job.program):
            return False
        run.put(job.fresh)
        reset_instance(run, program, data=program.data is not job.program.data)
        states = len(program.x0)
        self.x[:states], self.x[states:] = program.x0, 0.0
        return True

    def _begin(self) -> bool:
        """Start the run as a session does; False if its start is not sound."""
        run, session = self.instance, self.job.session
        restore_start(run)
        for sampled in run.program.sampled:
            run.params[sampled.slot] = max(1, round(sampled.period / session.step_size))
        run.scalars[:, f.FRICTION_JAM] = 0.0
        during = 0.5 * session.step_size
        run.update(0, 0.0, self.x, during)
        sound = bool(np.all(np.isfinite(run.rates(0.0, self.x)))) and not run.scalars[:, f.FRICTION_JAM].any()
        if run.program.closed:
            run.settle()
        run.real[NOW], run.real[WITHIN] = 0.0, during
        evaluate_outputs(self.bundle)
        return sound

    # --- LaneRun -------------------------------------------------------------------------------------------------

    def due(self) -> int:
        """Number of steps of the run."""
        return self.job.session.steps

    def wrote(self, first: int, rows: np.ndarray) -> None:
        """Store rows recorded in the group."""
        self.job.table[self._k, first : first + len(rows)] = rows

    def leave(self, done: int, why: str) -> None:
        """Continue by itself from step `done`, for the reason `why`."""
        self.job.alone[self._k] = why
        if not self.steps(done, self.due()):
            self.rerun_in_session()

    def over(self) -> None:
        """The run produced a diagnostic: rerun it in a session."""
        self.job.alone[self._k] = "it has something to tell"
        self.rerun_in_session()

    def steps(self, done: int, until: int) -> bool:
        """Take steps `done` to `until` by itself; False if the run produced a diagnostic."""
        job, session, run = self.job, self.job.session, self.instance
        table, number = job.table[self._k], run.number
        while done < until and not job.ended:
            count = min(LONGEST, until - done)
            number[FIRST], number[COUNT], number[EVERY], number[FILM] = done, count, session.every, 0
            run.real[START], run.real[STEP] = 0.0, session.step_size
            run.advance(self.bundle)
            taken = int(number[TAKEN])
            first, last = done // session.every, (done + taken) // session.every
            table[first + 1 : last + 1] = self.rows[: last - first]
            done += taken
            if not np.all(np.isfinite(self.x)) or terminal_event(run) is not None:
                return False
            if singular(run):
                return False
            if partition_degraded(run):
                repartition(run, done * session.step_size, self.x)
        return True

    def _run_in_session(self, k: int) -> None:
        """Run k in a session: of another structure, adaptive, or with a diagnostic."""
        job, like = self.job, self.job.session
        try:
            session = job.sim.start(
                like.stop, like.step_size, like.method, like.every * like.step_size, like.events
            )
            job.given.give(k, io_signals(session.instance.program), session.memory)
            _, record = selected_signals(job.sim, job.names)
            while session.advance() == "running" and not job.ended:
                pass
        except RunError as error:
            job.status[k], job.messages[k] = "failed", str(error)
            return
        columns = [session.instance.program.record.tolist().index(place) for place in record]
        _, rows = session.take()
        rows = rows[
            : session.done // session.every + 1
        ]  # the last row of a run that ended early may lie between
        job.table[k, : len(rows)] = rows[:, columns]
        job.messages[k] = session.message
        if session.status == "failed":
            job.status[k], job.messages[k] = "failed", str(RunError(session.problem))
