"""Start of a run: arrays, first state, first sample, checks, first row; kept for the next run that starts alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...blocks import RunError
from ..diagnostics.energy_balance import BodyBalance
from ..diagnostics.monitors import Monitors
from ..diagnostics.step_error import StepErrorEstimate
from ..integrators.method_table import method_of
from ..integrators.run_data import COUNTED, CROWDED, TRIED, UNHELD
from ..kernels import model_data as f
from ..results.recorded_run import Status
from .constraint_state import release_bands, restore_start
from .given_state import go_to_start, reset_instance, state_vector
from .stepping import Stepping, copied
from .time_events import jump_warnings
from .turning_points import TurningPoints, Watched

if TYPE_CHECKING:
    from .compiled_model import Compiled

EDGE = 1e-6  # share of a step behind an instant at which adaptive methods see what begins there
FIRST_CHUNK = 64  # steps of the first chunk
OF_START = (
    "notes", "_stiff", "_odd", "_held", "_weightless", "_balance", "worst_violation", "energy_start", "_rows",
)  # fmt: skip


class StartSnapshot:
    """Instance at its start that never runs, with the findings there: reused by the next start."""

    def __init__(self, session: Stepping):
        self.program, self.x0 = session.instance.program, session.sim.x0.copy()
        self.instance = session.instance.twin()
        self.x: np.ndarray = session.x.copy()
        self.attributes: dict[str, object] = {name: copied(getattr(session, name)) for name in OF_START}

    def fits(self, sim: Compiled) -> bool:
        """True if a new start would give the same: program and initial state are unchanged."""
        return self.program is sim.program and self.x0.tobytes() == sim.x0.tobytes()

    def give(self, session: Stepping) -> None:
        """Put a session, which has its own instance, to this start."""
        session.instance.put(self.instance.memories)
        session.x[:] = self.x
        vars(session).update({name: copied(value) for name, value in self.attributes.items()})


class RunStart(Monitors):
    """Starts of a session, at the netlist's state or at a given one."""

    every: int  # steps from one kept row to the next
    rows_every: int  # steps from one output row to the next
    watched: Sequence[Watched]
    brief: bool  # True for episodes: starts make no notes, and no balance of each body

    def _make(self, begun: StartSnapshot | None) -> None:
        """Make the arrays of the run; those of an earlier start are copied."""
        program, known = self.sim.program, method_of(self.method)
        self.instance = self.sim.new_instance(begun and begun.instance)
        if begun is None and not known.adaptive:
            self.instance.choose_method(known)
        self.memory = self.instance.memory
        self.columns = [column.name for column in program.columns]
        self.x = np.concatenate([self.sim.x0, np.zeros(program.trailing)])
        self._before = self.x.copy()
        self.work = self.instance.work_vectors(known, len(self.x))
        self.instance.locate(self.events == "locate")
        for name in ("scratch_run", "_small_chunk", "state_units", "inputs", "_single", "_signals"):
            vars(self).pop(name, None)

    def _begin(self, anew: bool = False) -> None:
        """Go to the start with all counts at zero; `anew` with arrays of its own."""
        with self.sim.lock:
            self._begin_as_set(anew)

    def _begin_as_set(self, anew: bool) -> None:
        """`_begin` with the simulation's lock held, so that no parameter changes meanwhile."""
        pace = self.step_size, self.method
        given = None if self.x0 is None else state_vector(self.sim.program, self.x0)
        known = None if given is not None else self.sim.beginnings.get(pace)
        begun = known if isinstance(known, StartSnapshot) and known.fits(self.sim) else None
        program = self.sim.program
        if anew or program is not self.instance.program or self.instance.has_partners:
            self._make(begun)
        elif begun is None:
            reset_instance(self.instance, program)
            self.x[: len(program.x0)], self.x[len(program.x0) :] = program.x0, 0.0
            self._before[:] = self.x
        self.done = 0
        self.status: Status = "running"
        self.message, self.refuted = "", False
        self.notes: list[str] = []  # notes of the run
        self._stiff: set[int] = set()  # rows whose bristles were noted
        self._odd: set[int] = set()  # columns that were noted as not finite
        self._held = 0.0  # largest share of the loads that the plane of motion holds
        self._chunk = FIRST_CHUNK
        self._rows: list[tuple[np.ndarray, np.ndarray]] = []
        self.turning: TurningPoints | None = None
        self._shots: list[tuple[np.ndarray, np.ndarray]] = []
        self.worst_violation = 0.0
        self._balance = BodyBalance()
        self.trust = StepErrorEstimate()
        self.instance.real[[COUNTED, TRIED, CROWDED]] = self.instance.number[UNHELD] = 0
        if begun is not None:
            begun.give(self)
        elif given is not None:
            self._begin_at(given)
        else:
            self._begin_first(pace, known)
        if self.watched:
            self.turning = TurningPoints(self.columns, self.watched, self.rows_every, self.step_size)
            for rows in self._rows:
                self.turning.take(*rows)
        for name in ("lowest", "highest"):
            self.instance.sections.part(self.instance.w, name)[:] = self.x
        if not self.brief:
            self.notes[:0] = self._prior_warnings()
        self._end_early()

    def _begin_first(self, pace: tuple[float, str], known: object) -> None:
        """First start of a program at this step and method."""
        restore_start(self.instance)
        self._prepare(self.sim.x0)
        # most programs are started once: the first start is noted, the second kept for those that follow
        program = self.instance.program
        kept = known is program and not self.instance.has_partners
        self._start(brief=self.brief and not kept)
        if not self.instance.has_partners:
            self.sim.beginnings[pace] = StartSnapshot(self) if kept else program

    def _begin_at(self, x0: np.ndarray) -> None:
        """Start at a given state; sampled blocks see it first, as they see the netlist's."""
        self.x[: len(x0)], self.x[len(x0) :] = x0, 0.0
        go_to_start(self.instance, self.x)
        self._prepare(x0)
        self._before[:] = self.x
        self._start(self.brief)

    def _prepare(self, x0: np.ndarray) -> None:
        """Periods of sampled blocks in steps; tolerance bands without an edge that acts."""
        for sampled in self.instance.program.sampled:
            self.instance.params[sampled.slot] = max(1, round(sampled.period / self.step_size))
        release_bands(self.instance, x0, self.events, self.method)

    def _prior_warnings(self) -> list[str]:
        """Warnings that depend on stop time, step and method, known before the run."""
        if not method_of(self.method).adaptive:
            return [*jump_warnings(self.sim.program.flat, self.stop, self.step_size)]
        if self.events == "locate":
            return [f"events are not located with {self.method}, which chooses its own steps"]
        return []

    def _start(self, brief: bool) -> None:
        """Evaluate the start: sampled blocks, energy, checks, anchor; `brief` without what only notes are made of."""
        run = self.instance
        run.scalars[:, f.FRICTION_JAM] = 0.0
        during = EDGE * self.step_size if method_of(self.method).adaptive else 0.5 * self.step_size
        run.update(0, 0.0, self.x, during)
        if run.fault:
            raise RunError(self._partner_problem()) from run.fault[0]
        self.energy_start = run.energy(0.0, self.x)
        if not brief:
            self._watch_masses()
        self._check_start()
        if run.program.closed:
            run.settle()
        first = run.outputs(0.0, self.x, during).reshape(1, -1)
        if not brief:
            self._watch_friction()
            self._watch_balance()
        self._record_rows(np.zeros(1), first)

    def _check_start(self) -> None:
        """RunError if a rate at the start is not finite."""
        dx = self.instance.rates(0.0, self.x)[: len(self.instance.program.x0)]
        bad = np.flatnonzero(~np.isfinite(dx))
        jammed = self._jammed_joint()
        if jammed is not None:
            raise RunError(jammed)
        if len(bad):
            name = self.instance.program.state_names[bad[0]]
            raise RunError(
                "its rate is not finite at the start",
                path=name,
                fix=self._idle_motion()
                or f"check {'masses, inertias and ' * self._mechanical}divisions by zero",
            )
