"""`Session`: a run under way.

It advances in chunks with the GIL released, so that a window or a progress bar stays live; parameters may be set
between chunks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Self

import numpy as np

from ...blocks import RunError
from ...blocks.errors import Problem
from ..diagnostics.switching_report import switching_warnings, watch_ranges
from ..diagram.run_settings import steps_to, time_problems
from ..integrators.method_table import method_of
from ..integrators.run_data import COUNT, EVERY, FILM, FIRST, PAUSE, START, STEP, TAKEN
from ..kernels import model_data as f
from ..results.recorded_run import Quality, Status
from .constraint_state import partition_degraded, repartition, singular, singular_one, state_names
from .given_state import GivenState
from .pickled_session import pickled
from .run_start import EDGE, RunStart
from .run_state import poses
from .singular_positions import energy_doubt, passage, regular_elsewhere, singular_place
from .stepping import whole_steps
from .turning_points import Watched

if TYPE_CHECKING:
    from ..integrators.run_data import Run
    from .compiled_model import Compiled

FEW = 64  # most rows of a chunk whose arrays are reused
LONGEST_CHUNK = 10_000_000
ROOM = 4e6  # bytes of rows in one chunk, so that memory stays flat


class Session(RunStart):
    """A run under way: it is advanced in chunks or step by step, read, marked and reset. `sim.start` makes it.

    `status` is running, finished, cancelled, interrupted or failed. One thread at a time uses a session. A pickled one
    goes on bit for bit in another process; one with external blocks (fmu, udp, observer, mpc) cannot be pickled.

    Examples
    --------
    >>> import luff
    >>> sim = luff.compile("library/templates/pendulum.yaml")
    >>> session = sim.start(stop=1.0)
    >>> angle = session.step(steps=10)[sim.outputs.index("pin.position")]
    >>> mark = session.snapshot()
    >>> session.time
    0.01
    >>> while session.advance() == "running":
    ...     pass
    >>> times, rows = session.take()
    >>> session.restore(mark)
    >>> session.status, session.time
    ('running', 0.01)
    """

    def __init__(
        self,
        sim: Compiled,
        stop: float,
        step: float,
        method: str,
        output_step: float,
        events: str,
        watched: Sequence[Watched] = (),
        x0: GivenState | None = None,
    ):
        self.sim, self.stop, self.step_size, self.method = sim, stop, step, method
        self.events = events
        problems = [*time_problems(stop, step, output_step)]
        if problems:
            raise RunError(problems)
        self.steps = steps_to(stop, step)
        self.rows_every = round(output_step / step)
        # watched signals are recorded after each step
        self.every, self.watched = 1 if watched else self.rows_every, watched
        self._turn = Lock()
        self.x0 = x0  # start that was given; None: the netlist's
        self.brief = False  # True for episodes: starts make no notes, and no balance of each body
        self.film = 0  # output rows from one row of poses to the next; 0: none
        self._begin(anew=True)

    def __repr__(self) -> str:
        name = self.sim.program.flat.name
        named = f' "{name}"' if name else ""
        end = f"t = {self.time:g} s of {self.stop:g} s, {self.method}, steps of {self.step_size:g} s"
        return f"<Session{named}: {self.status}, {end}>"

    def __reduce__(self) -> tuple[Callable[..., RunStart], tuple[object, ...]]:
        return pickled(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Cancel a run that is under way and close the partners of its external blocks; its rows stay."""
        self.cancel()
        for meeting in self.instance.meetings.values():
            meeting.close()

    @property
    def progress(self) -> float:
        """Share of the run that is done, from 0 to 1."""
        return self.done / self.steps

    def advance(self, seconds: float = 0.05, steps: int | None = None) -> str:
        """Advance the run by about a wall time, or by a number of steps; its rows are kept for `take`.

        Parameters
        ----------
        seconds : float, optional
            Wall time of this call [s], held approximately.
        steps : int, optional
            Number of steps, in place of the wall time.

        Returns
        -------
        str
            The status after the call; `running` until the run has ended.

        Raises
        ------
        RunError
            Another thread uses this session, or `steps` is not a whole number above 0.
        """
        steps = None if steps is None else whole_steps(steps, "advance")
        turn = self.take_turn()
        try:
            if steps is None or method_of(self.method).adaptive:
                return self._advance(seconds, steps)
            end = self.done + steps
            while self.status == "running" and self.done < end:
                self._advance(seconds, end - self.done)
            return self.status
        finally:
            turn.release()

    def _advance(self, seconds: float, steps: int | None) -> str:
        """Advance by at most `steps` steps, less where the run has to be looked at."""
        if self.status != "running":
            return self.status
        if method_of(self.method).adaptive:
            return self._advance_adaptive(steps or self._chunk)
        due = self.estimate_step_error() - self.done
        count = min(self.steps - self.done, due, steps if steps is not None else self._chunk)
        rows = (self.done + count) // self.every - self.done // self.every
        run, film = self.instance, self.film * self.rows_every
        shots = (self.done + count) // film - self.done // film if film else 0
        number, real = run.number, run.real
        number[FIRST], number[COUNT], number[EVERY], number[FILM] = self.done, count, self.every, film
        real[START], real[STEP] = 0.0, self.step_size
        real[PAUSE] = self.trust.next_change(self)
        bundle = self._small_chunk if rows <= FEW and not shots else self._bundle(rows, shots)
        began = time.perf_counter()
        run.advance(bundle)
        taken = int(number[TAKEN])
        self._size_next_chunk(taken, time.perf_counter() - began, seconds)
        kept = (self.done + taken) // self.every - self.done // self.every
        if kept:
            times, table = bundle.times[:kept], bundle.rows[:kept]
            self._record_rows(
                *((times.copy(), table.copy()) if bundle is self._small_chunk else (times, table))
            )
        if film:
            before, after = self.done // film, (self.done + taken) // film
            self._shots.append(
                (film * self.step_size * np.arange(before + 1, after + 1), bundle.film[: after - before])
            )
        self.account_steps(taken, count, bundle)
        return self.status

    def keep(self, first: int, rows: np.ndarray) -> None:
        """Append rows of steps that were taken in a batch with other runs.

        Parameters
        ----------
        first : int
            Number of the first row, counted from the start.
        rows : ndarray
            A row for each output step, a column for each recorded signal.
        """
        self._record_rows(self.step_size * (self.every * np.arange(first, first + len(rows))), rows)

    def estimate_step_error(self) -> int:
        """Estimate the step error if that is due.

        Returns
        -------
        int
            Number of the step before which the next estimate is due.
        """
        while self.done >= (due := self.trust.due(self)):
            self.trust.sample_step(self)
        return due

    def account_steps(self, taken: int, count: int, bundle: Run) -> None:
        """Account for steps that were taken: constraints, friction, partition, end.

        Parameters
        ----------
        taken : int
            Number of steps that were taken.
        count : int
            Number of steps that were wanted.
        bundle : Run
            Arrays of the run with the state before the last step.
        """
        run = self.instance
        run.real[PAUSE] = 0.0
        self._before[:] = bundle.before
        self.done += taken
        self._watch_constraints()
        self._watch_friction()
        if run.fault or (taken < count and not np.isfinite(self.x).all()):
            self._fail()
            return
        # also after the last step of a chunk: results must not depend on chunk ends
        if singular(run):
            self._pass_singular()
        elif partition_degraded(run):
            repartition(run, self.time, self.x)
        elif taken:
            self.trust.look_at_change(self, self._before)
        if not self._end_early() and self.done >= self.steps:
            self._finish()

    def _pass_singular(self) -> None:
        """Pass over a singular position ahead, with rows and updates on the way; note where that cannot be trusted."""
        run, h, begin = self.instance, self.step_size, self.time
        number = singular_one(run)[0].number
        run.scalars[:, [f.DETERMINANT, f.SINGULAR]] = 0.0
        if regular_elsewhere(run, number, begin, self.x, h):
            return
        place = singular_place(run, number)
        way = passage(run, number, begin, self.x, h, self.steps - self.done)
        why = "it was not foretold in time to be passed over"
        if way is not None:
            for k in range(1, way.steps + 1):
                self.done += 1
                t, during = self.time, self.time + 0.5 * h
                self.x[:] = way.place(run, k * h)
                run.update(self.done, t, self.x, during)
                if self.done % self.every == 0:
                    self._record_rows(np.array([t]), run.outputs(t, self.x, during).reshape(1, -1))
                    if self.film and self.done % (self.film * self.every) == 0:
                        self._shots.append((np.array([t]), poses(run.data.row).reshape(1, -1)))
            why = energy_doubt(run, way, self.time, self.x)
            run.scalars[:, f.LOOP_OPEN] = (
                0.0  # of rows on the way, where loops may not close to the last digit
            )
            run.rates(self.time, self.x)
            run.settle()
            run.scalars[:, [f.DETERMINANT, f.SINGULAR]] = 0.0
        if why:
            self.notes.append(
                f"{place} at about t = {begin:.4g} s; {why}: what follows may be another branch of the motion"
            )

    def _finish(self) -> None:
        """Finish the run; one that diverged but stayed finite counts as failed."""
        problem = self.trust.runaway_problem(self)
        if problem is None:
            self.status = "finished"
            return
        self.status, self.problem = "failed", self.instance.program.flat.located(problem)
        self.message = problem.message

    def _end_early(self) -> bool:
        """True if a condition of the netlist ends the run; its last state is recorded."""
        if not super()._end_early():
            return False
        if self.turning is not None and self.turning.last is not None:
            if self.done % self.rows_every:
                self._rows.append(self.turning.last)
        elif self.done % self.every:
            during = self.time + 0.5 * self.step_size
            self._record_rows(
                np.array([self.time]), self.instance.outputs(self.time, self.x, during).reshape(1, -1)
            )
        return True

    @cached_property
    def _small_chunk(self) -> Run:
        """`Run` reused for chunks of few rows: making one costs as much as a hundred steps."""
        return self._bundle(FEW, 0)

    def _bundle(self, rows: int, shots: int) -> Run:
        """`Run` of a chunk with `rows` output rows and `shots` rows of poses."""
        run = self.instance
        frames = np.zeros((shots, f.R_WB_COLUMNS * len(run.model.topo)))
        return run.run(self.x, self.work, np.zeros(rows), np.zeros((rows, len(self.columns))), frames)

    def _size_next_chunk(self, taken: int, spent: float, seconds: float) -> None:
        """Size the next chunk for the wanted wall time: at most eight times the last one, rows below ROOM bytes."""
        if taken and spent > 0:
            roomy = self.every * max(1, ROOM // (8 * (1 + len(self.columns))))
            self._chunk = int(min(max(1, taken * seconds / spent), 8 * self._chunk, LONGEST_CHUNK, roomy))

    @cached_property
    def _event_times(self) -> list[tuple[float, float]]:
        """Times of jumps and kinks of all blocks, for adaptive methods."""
        return [
            row for block in self.sim.program.flat.blocks.values() for row in (*block.jumps(), *block.kinks())
        ]

    def _advance_adaptive(self, count: int) -> str:
        """Advance by SciPy's integrators from one output (or sampling step) to the next."""
        from .adaptive_steps import integrate_span

        run = self.instance
        stride = 1 if run.updated else self.every
        edge = EDGE * self.step_size
        for _ in range(max(1, count // stride)):
            until = min(self.done + stride, self.steps)
            t1 = until * self.step_size
            self._before[:] = self.x
            passed: dict[int, float] = {}
            span = self.time, t1
            whole = integrate_span(run, self.x, span, self._event_times, self.method, self.stop, edge, passed)
            self._note_passed(passed)
            if not whole:
                self._fail()
                return self.status
            self.done = until
            self.trust.look_at_energy(self)
            watch_ranges(run, self.x, t1, t1 - edge)
            run.update(until, t1, self.x, t1 + edge)
            if run.fault:
                self._fail()
                return self.status
            if until % self.every == 0:
                self._record_rows(np.array([t1]), run.outputs(t1, self.x, t1 + edge).reshape(1, -1))
                if self.film and until % (self.film * self.rows_every) == 0:
                    self._shots.append((np.array([t1]), poses(run.data.row).reshape(1, -1)))
            if self._end_early():
                break
            if until >= self.steps:
                self.status = "finished"
                break
        return self.status

    def _note_passed(self, passed: dict[int, float]) -> None:
        """Note singular positions that an adaptive method has stepped over, each loop once."""
        for number, begin in passed.items():
            place = singular_place(self.instance, number)
            if not any(note.startswith(place) for note in self.notes):
                self.notes.append(
                    f"{place} at about t = {begin:.4g} s; {self.method} does not pass over it as methods of fixed step "
                    "do: what follows may be another branch of the motion"
                )

    def _fail(self) -> None:
        """End a run whose state is not finite, with the cause."""
        if self.instance.fault:
            self.x[:] = self._before
            self.status, self.problem = "failed", self._partner_problem()
            self.message = self.problem.message
            return
        names = state_names(self.instance)
        bad = np.flatnonzero(~np.isfinite(self.x[: len(names)]))
        # finite states can still have an energy or a sum that is not
        name = names[bad[0] if len(bad) else np.argmax(np.abs(self.x[: len(names)]))]
        what = "the energy of the mechanism" if self._mechanical and not len(bad) else ""
        self.status = "failed"
        self._name_failure(name, what)
        self.problem = self.instance.program.flat.located(self.problem)
        self.x[:] = self._before

    @property
    def remarks(self) -> list[Problem]:
        """Warnings of the run so far, each with its place."""
        return self._remarks_with(self.quality() if self.status == "finished" else {})

    def _remarks_with(self, quality: Quality) -> list[Problem]:
        """Remarks of the run with its quality report."""
        doubts = self.trust.notes(self, quality) if self.status == "finished" else []
        told = (
            *self.notes,
            *switching_warnings(self.instance),
            *self._watch_parts(),
            *self._watch_plane(),
            *doubts,
        )
        return [self.instance.program.flat.remark(note) for note in told]

    def judged(self) -> tuple[Quality, list[Problem]]:
        """Quality of the run, and all warnings of model and run.

        Returns
        -------
        Quality
            Energy balance, step error, constraint violation.
        list of Problem
            Warnings, each once.
        """
        quality = self.quality()
        return quality, [*dict.fromkeys((*self.sim.remarks, *self._remarks_with(quality)))]

    def cancel(self, status: Status = "cancelled", message: str = "") -> None:
        """End the run here; its rows stay. A run that has ended is left as it is.

        Parameters
        ----------
        status : str, optional
            `cancelled` or `interrupted`.
        message : str, optional
            Reason, for people.
        """
        if self.status == "running":
            self.status, self.message = status, message

    def take(self) -> tuple[np.ndarray, np.ndarray]:
        """Take the rows that were recorded since the last call.

        Returns
        -------
        ndarray
            Times [s].
        ndarray
            A row for each time, a column for each recorded signal [SI].
        """
        rows, self._rows = self._rows, []
        if not rows:
            return np.zeros(0), np.zeros((0, len(self.columns)))
        return np.concatenate([t for t, _ in rows]), np.concatenate([table for _, table in rows])

    def take_film(self) -> tuple[np.ndarray, np.ndarray]:
        """Take the poses of the bodies that were recorded since the last call (see `film`).

        Returns
        -------
        ndarray
            Times [s].
        ndarray
            (frames, bodies, 12): R_WB row by row, then p_WB [m].
        """
        shots, self._shots = self._shots, []
        rows = len(self.instance.model.topo)
        if not shots:
            return np.zeros(0), np.zeros((0, rows, f.R_WB_COLUMNS))
        frames = np.concatenate([poses for _, poses in shots])
        return np.concatenate([t for t, _ in shots]), frames.reshape(len(frames), rows, f.R_WB_COLUMNS)
