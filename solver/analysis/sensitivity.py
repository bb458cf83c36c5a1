"""Derivatives of a run's signals by parameters and initial states, in the same pass as the run.

The run is made by the code of runs, for numbers that carry their derivatives in eight directions. What its memory holds
before the first step is a smooth function of what is asked for (masses and their places, what a start solves for), and
is derived by differences of whole starts, extrapolated.

Where something jumps or bends steps end, always (`events: locate`), at a time that has its own slopes: so the tangents
take the saltation f- dt - f+ dt of the rates on both sides (Di Bernardo et al. 2008, Piecewise-smooth Dynamical
Systems, eq. 2.97). What changes too often for that ends them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...blocks import LuffError, RunError
from ...blocks.errors import Problem, did_you_mean
from ..batch.runner import selected_signals
from ..codegen.jit import ENABLED, EntryPoint, NoCode
from ..codegen.memory_arena import cache_line_aligned
from ..codegen.transforms.entry_point_variants import DIRECTIONS, dual
from ..integrators.event_location import PARTS
from ..integrators.method_table import method_of
from ..integrators.run_data import (
    AT_ENDS,
    COUNT,
    CROWDED,
    ENDS,
    EVERY,
    FILM,
    FIRST,
    MOST,
    NOW,
    START,
    STEP,
    TAKEN,
    WITHIN,
)
from ..integrators.run_loop import advance, evaluate_outputs
from ..kernels import model_data as f
from ..program.switching_functions import switching_counts
from ..simulation import finite_differences
from ..simulation.dual_memory import InterleavedMemory
from ..simulation.instance import Instance
from ..simulation.jacobian import call_dual

if TYPE_CHECKING:
    from ..simulation.session import Session
    from ..simulation.simulation import Simulation

NUMBERS = DIRECTIONS + 1
SHARE = 0.05  # the first step of the differences, over the size of the number
STARTS = (
    5  # steps of the differences: a start that Newton solves for is off by 1e-14, which counts over the step
)
CHUNK = 10_000  # steps of one call, between looks for Ctrl-C


@dataclass
class Sensitivity:
    """Signals of a run and their derivatives: `slopes[k, :, j]` is that of `names[j]` by `by[k]`.

    `table["pin.position"]` is a signal over `time` [s]. `remarks` say where the run is not differentiable; slopes are
    NaN from there on.

    Examples
    --------
    >>> import luff
    >>> sim = luff.compile("library/templates/pendulum.yaml")
    >>> table = luff.sensitivity(sim, ["rod.mass", "pin.damping"], "pin.position", stop=0.1)
    >>> table.slopes.shape, table["pin.position"].shape
    ((2, 11, 1), (11,))
    """

    time: np.ndarray
    names: list[str]
    by: list[str]
    values: np.ndarray
    slopes: np.ndarray
    remarks: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"<Sensitivity: {len(self.names)} signals by {', '.join(self.by)}; {len(self.time)} times>"

    def __getitem__(self, name: str) -> np.ndarray:
        return self.values[:, self._place(name, self.names)]

    def slope(self, name: str, by: str) -> np.ndarray:
        """Derivative of a signal by a parameter or an initial state.

        Parameters
        ----------
        name : str
            A signal.
        by : str
            A parameter or state by which it was derived.

        Returns
        -------
        ndarray
            The derivative at each time [SI].

        Raises
        ------
        LuffError
            The derivative was not computed.
        """
        return self.slopes[self._place(by, self.by), :, self._place(name, self.names)]

    @staticmethod
    def _place(name: str, names: list[str]) -> int:
        if name not in names:
            raise LuffError(
                Problem("no derivative was computed for this name", name, did_you_mean(name, names))
            )
        return names.index(name)


def sensitivity(
    sim: Simulation,
    by: Sequence[str] | Mapping[str, float],
    outputs: str | Sequence[str] | None = None,
    stop: float | None = None,
    step: float | None = None,
    method: str | None = None,
    output_step: float | None = None,
) -> Sensitivity:
    """Derivatives of signals along a run by parameters and initial states, exact for the steps that are taken.

    The run locates events, so that a change in time has its derivative; slopes are NaN behind chatter.

    Parameters
    ----------
    sim : Simulation
        The model.
    by : sequence of str or mapping of str to float
        Numbers of blocks (`rod.mass`) and initial states (`pin.position`); as a mapping, with the values about which
        they are derived: of states those of the model.
    outputs : str or sequence of str, optional
        Recorded signals, globs too; those of `sim.outputs` by default.
    stop, step, method, output_step : optional
        Settings in place of the netlist's, as in `Simulation.start`.

    Returns
    -------
    Sensitivity
        The signals and their derivatives at each recorded time.

    Raises
    ------
    LuffError
        There is no such number or signal, or code cannot be differentiated.

    Examples
    --------
    >>> import luff
    >>> sim = luff.compile("library/templates/pendulum.yaml")
    >>> table = luff.sensitivity(sim, ["pin.position"], "pin.position", stop=0.1)
    >>> round(float(table.slope("pin.position", "pin.position")[0]), 9)
    1.0
    """
    numbers = {name: parameter_number(sim, name) for name in by} if not isinstance(by, Mapping) else dict(by)
    runs = RunDerivatives(sim, [*numbers], outputs, stop, step, method, output_step)
    return runs.at([*numbers.values()])


class RunDerivatives:
    """Runs of one model with their derivatives by the same numbers, at one set of values after another."""

    def __init__(
        self,
        sim: Simulation,
        by: Sequence[str],
        outputs: str | Sequence[str] | None = None,
        stop: float | None = None,
        step: float | None = None,
        method: str | None = None,
        output_step: float | None = None,
    ):
        if not ENABLED:
            raise RunError("compiled code is off: derivatives along a run need it")
        self.by = list(by)
        if not self.by:
            mistake = "found no parameter or state, expected one at least to differentiate by"
            raise LuffError(Problem(mistake, "by", 'write ["rod.mass"]'))
        self.names, self._record = selected_signals(sim, outputs)
        self._starts = PerturbedStarts(sim, stop, step, method, output_step)

    def at(self, values: Sequence[float]) -> Sensitivity:
        """Signals of the run at these values of the numbers [SI], and their derivatives."""
        starts, pairs = self._starts, list(zip(self.by, values, strict=True))
        starts.take(dict(pairs))
        tangents = [starts.slopes(name, value) for name, value in pairs]
        runs = []
        for first in range(0, len(tangents), DIRECTIONS):
            run = DualRun(starts.of(None, 0.0), self._record, tangents[first : first + DIRECTIONS])
            run.go()
            runs.append(run)
        slopes = np.concatenate([run.slopes for run in runs])
        return Sensitivity(
            runs[-1].times, self.names, list(self.by), runs[-1].values, slopes, runs[-1].remarks
        )


def parameter_number(sim: Simulation, name: str) -> float:
    """The number of a block's parameter, or of the initial state."""
    if name in sim.state_names:
        return float(sim.x0[sim.state_names.index(name)])
    block, _, key = name.rpartition(".")
    blocks = sim.program.flat.blocks
    known = blocks[block].values if block in blocks else {}
    value = known.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    numbers = [f"{block}.{one}" for one, each in known.items() if isinstance(each, float)]
    fix = (
        did_you_mean(name, [*numbers, *sim.state_names])
        or "give a mapping from what sim.set takes to a number"
    )
    raise LuffError(Problem("this is neither a number of a block nor a state", name, fix))


class PerturbedStarts:
    """Runs that stand at their start, each with one number changed."""

    def __init__(self, sim: Simulation, *how: Any):
        self.sim, self.how = sim.twin(), how
        self.states = sim.state_names
        self._begun = dict(zip(self.states, sim.x0.tolist(), strict=True))
        self._changed = sim.twin()  # one for all changes: the way of its numbers is found once
        self._again: Session | None = None
        self._plain: list[np.ndarray] = []

    def take(self, values: Mapping[str, float]) -> None:
        """Go to other values of parameters; LuffError for a state that a run does not begin at."""
        for name, value in values.items():
            if value != self._begun.get(name, value):
                mistake = f"found {value:g} for a state at which a run begins with {self._begun[name]:g}"
                raise LuffError(Problem(mistake, name, "set it in the model: its `initial`"))
        numbers = {name: value for name, value in values.items() if name not in self.states}
        for sim in (self.sim, self._changed) if numbers else ():
            sim.set(numbers)
        session = self.of(None, 0.0)
        self._plain = [*session.instance.memories, session.x]

    def of(self, name: str | None, value: float) -> Session:
        """Session at the start with this number changed; of parameters one session, which starts again and again."""
        if name is None or name in self.states:
            own = self.sim.twin()
            if name is not None:
                own = own.twin(replace(own.program, x0=own.x0.copy()))
                own.x0[self.states.index(name)] = value
            return self._started(own)
        session, self._again = self._again, None  # none is left where a start fails
        self._changed.set(name, value)
        if session is None:
            session = self._started(self._changed)
            session.brief = True
        else:
            session.reset()
        self._again = session
        return session

    def _started(self, sim: Simulation) -> Session:
        stop, step, method, output_step = self.how
        return sim.start(stop, step, method, output_step, "locate")

    def slopes(self, name: str, value: float) -> list[np.ndarray]:
        """Derivatives of states and memories at the start by this number: extrapolated differences."""
        failed: list[LuffError] = []

        def many(points: np.ndarray) -> np.ndarray:
            return np.array([self._start_numbers(name, point, failed) for point in points[:, 0].tolist()])

        step = SHARE * (abs(value) or 1.0)
        try:
            with np.errstate(invalid="ignore"):  # what is infinite stays so
                made, _ = finite_differences.derivatives(
                    many, np.array([value]), np.array([step]), STARTS, together=1
                )
        finally:
            if name not in self.states:
                self._changed.set(name, value)
        if failed and not np.isfinite(made).any():
            raise failed[-1]
        floats = [array for array in self._plain if array.dtype == np.float64]
        ends = np.cumsum([array.size for array in floats])[:-1]
        return np.split(np.nan_to_num(made[0], posinf=0.0, neginf=0.0), ends)

    def _start_numbers(self, name: str, value: float, failed: list[LuffError]) -> np.ndarray:
        """States and memories of the start as one array; NaN if there is no such start."""
        try:
            session = self.of(name, value)
        except LuffError as error:
            failed.append(error)
            return self._no_start()
        ours = [*session.instance.memories, session.x]
        for a, b in zip(ours, self._plain, strict=True):
            other = a.shape != b.shape
            if other or (a.dtype == np.int64 and not np.array_equal(a, b)):
                mistake = "this number changes the structure of the model: there is no derivative with respect to it"
                failed.append(RunError(Problem(mistake, name)))
                if not other:
                    raise failed[-1]
                return self._no_start()  # a memory of another length, which smaller steps may leave
        pairs = [
            (a.ravel(), b.ravel()) for a, b in zip(ours, self._plain, strict=True) if a.dtype == np.float64
        ]
        # what is infinite at the values themselves, as limits that are none, has no slope
        return np.concatenate([np.where(np.isfinite(b), a, 0.0) for a, b in pairs])

    def _no_start(self) -> np.ndarray:
        return np.full(sum(array.size for array in self._plain if array.dtype == np.float64), np.nan)


class DualRun:
    """A session's run in numbers with tangents."""

    def __init__(self, session: Session, record: np.ndarray, tangents: list[list[np.ndarray]]):
        if method_of(session.method).adaptive:
            raise RunError(
                Problem(
                    "this method chooses its own steps",
                    "method",
                    "choose a method of fixed steps, such as rk4",
                )
            )
        self.session, instance = session, session.instance
        self.chunk = session.every * max(CHUNK // session.every, 1)
        rows = self.chunk // session.every
        load_dual_code(instance)
        instance.move_numbers()  # masses and their places may be what is derived by
        wide = self.wide = InterleavedMemory([instance], NUMBERS, dual, instance.called_by_number)
        self.x, work = session.x, np.zeros_like(session.work)
        results = {
            name: cache_line_aligned(np.zeros(rows * width * NUMBERS))
            for name, width in (("rows", len(record)), ("times", 1))
        }
        self._rows = results["rows"].reshape(rows, len(record), NUMBERS)
        run: Any = instance.run(self.x, work, np.zeros(rows), np.zeros((rows, len(record))), record=record)
        self._table = wide.run_table([run], results)
        for memory in wide.memories:
            memory.gather([0])
        floats = [block for block in instance.memories if block.dtype == np.float64]
        for direction, slopes in enumerate(tangents, 1):
            for array, slope in zip([*floats, self.x], slopes, strict=True):
                wide.widened(array, ()).table[:, direction] = slope.ravel()
        self.count = len(tangents)
        self.values, self.slopes = np.zeros((0, 0)), np.zeros((0, 0, 0))
        self.remarks: list[str] = []

    def go(self) -> None:
        """Run from the start to the end."""
        session, wide = self.session, self.wide
        number, real = wide.number, wide.widened(session.instance.real, ()).table
        real[START, 0], real[STEP, 0] = 0.0, session.step_size
        real[NOW, 0], real[WITHIN, 0] = 0.0, 0.5 * session.step_size
        call_dual(evaluate_outputs, self._table)
        parts, done = [self._rows[:1].copy()], 0
        while done < session.steps:
            count = min(self.chunk, session.steps - done)
            number[FIRST], number[COUNT], number[EVERY], number[FILM] = done, count, session.every, 0
            call_dual(advance, self._table, wide.model, wide.data)
            taken = int(number[TAKEN])
            rows = (done + taken) // session.every - done // session.every
            parts.append(self._rows[:rows].copy())
            done += taken
            if self._ended(done, taken < count):
                break
        rows = np.concatenate(parts)
        self.values, self.slopes = rows[:, :, 0], rows[:, :, 1 : 1 + self.count].transpose(2, 0, 1)
        self._end_at_chatter()

    def _ended(self, done: int, early: bool) -> bool:
        """True if a condition of the netlist ends the run here; RunError if it cannot go on."""
        time, number = done * self.session.step_size, self.wide.number
        x, w = (self.wide.widened(array, ()).table for array in (self.x, self.session.instance.w))
        if not np.isfinite(x).all():
            raise RunError(f"a state or its derivative is not finite at t = {time:.6g} s")
        first, scalar = int(number[AT_ENDS]), self.session.instance.sections.first["scalar"]
        if w[first : first + int(number[ENDS]), 0].any():
            self.remarks.append(f"the run ends at t = {time:.9g} s, a time that is not derived")
            return True
        scalars = w[scalar : scalar + self.session.instance.data.scalar.size, 0].reshape(-1, f.SCALARS)
        coupling, limit = scalars[:, f.COUPLING_MAX], scalars[:, f.COUPLING_LIMIT]
        if (scalars[:, f.SINGULAR] > 0.0).any():
            raise RunError(
                f"the closed loops come to a singular position at t = {time:.6g} s, where derivatives end",
                fix="stop before it",
            )
        if early or bool(((coupling > limit) & (limit > 0.0)).any()):
            raise RunError(
                f"the closed loops change their independent coordinates at t = {time:.6g} s, where derivatives end",
                fix="stop before, or name them by simulation.constraints.dependent",
            )
        return False

    def _end_at_chatter(self) -> None:
        """No slopes from where more changed in a step than could be located."""
        instance = self.session.instance
        crowded = float(self.wide.widened(instance.real, ()).table[CROWDED, 0])
        if crowded == 0.0:
            return
        w = self.wide.widened(instance.w, ()).table[:, 0].copy()
        switches = instance.program.switches
        switch = switches[int(switching_counts(w, instance.sections, switches)[MOST].argmax())]
        self.slopes[:, self.times > crowded - 1.5 * self.session.step_size] = np.nan
        what = f"{switch.block}: not differentiable through changes ({switch.what}) at t = {crowded:.6g} s"
        self.remarks.append(
            f"{what}, of which there are more than {PARTS - 1} in a step; slopes are not known from then on"
        )

    @property
    def times(self) -> np.ndarray:
        """Times of the rows [s]."""
        return self.session.step_size * self.session.every * np.arange(len(self.values))


def load_dual_code(instance: Instance) -> None:
    """The code that this takes, compiled where it is not there."""
    from ..codegen import object_loader

    codes = [code for calls in instance.calls.values() for code, *_ in calls]
    if not all(isinstance(code, EntryPoint) for code in codes):
        raise RunError("the model has blocks that work outside of it: its run has no derivatives")
    entries = [code for code in codes if isinstance(code, EntryPoint)]
    try:
        object_loader.load(
            map(dual, (*entries, *instance.called_by_number.values(), advance, evaluate_outputs))
        )
    except NoCode as reason:
        raise RunError(f"derivatives along this run are not possible: {reason}") from None
