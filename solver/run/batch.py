"""`luff.batch`: many runs of one simulation with other parameters, side by side, as arrays.

Each thread has one work space. A run costs its numbers, a copy of the arrays and its steps, which are made in a few
calls without the interpreter's lock: no quality report is written, and no look is taken at the step. Rows are bit for
bit those of `Simulation.run`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ...blocks import RunError
from ...blocks.errors import did_you_mean
from ..integrators.loop import evaluate_outputs
from ..integrators.methods import method_of
from ..machine import fields as f
from ..machine.processors import processors
from ..machine.run_arrays import COUNT, EVERY, FILM, FIRST, NOW, START, STEP, TAKEN, WITHIN
from ..program.started import Started
from ..result.notebook import needed
from ..result.recorded import matching
from .abreast import TOGETHER, Choice, make_all
from .closed import degraded, repartition, restore
from .endings import ending
from .given import Given
from .instance import Instance
from .interface import signals_of
from .session import Session

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas
    import xarray

    from .simulation import Simulation

LONGEST = 200_000  # steps of one call, between looks for Ctrl-C


@dataclass
class Batch:
    """Results of many runs: `batch["sling.beta"]` is an array of runs (or axes of a grid) and times."""

    time: np.ndarray
    names: list[str]
    table: np.ndarray  # runs, times, signals; NaN behind the end of a run that failed
    units: dict[str, str]
    parameters: dict[str, np.ndarray]
    status: list[str]  # of each run: finished or failed
    messages: list[str]
    axes: dict[str, np.ndarray] = field(default_factory=dict)  # of a grid: the values along each axis
    alone: list[str] = field(
        default_factory=list
    )  # of each run: why it was by itself; "" in lanes to its end

    @property
    def lanes(self) -> int:
        """How many runs went side by side with others to their end."""
        return self.alone.count(TOGETHER)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many runs there are, along each axis of a grid."""
        return tuple(len(values) for values in self.axes.values()) or (len(self),)

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.names:
            raise RunError(f'the batch has no signal "{name}"', fix=did_you_mean(name, self.names))
        return self.table[:, :, self.names.index(name)].reshape(*self.shape, len(self.time))

    def __repr__(self) -> str:
        failed = self.status.count("failed")
        lost = f", {failed} failed" if failed else ""
        return f"<Batch: {len(self)} runs{lost}, {len(self.time)} times, {len(self.names)} signals>"

    def to_xarray(self) -> xarray.Dataset:
        """An `xarray.Dataset` with the dimensions `run` and `time`, or those of the grid and `time`; parameters of one
        number are coordinates."""
        xarray = needed("xarray", "data", "to_xarray")
        dims = tuple(self.axes) or ("run",)
        signals = {
            name: ((*dims, "time"), self[name], {"units": self.units.get(name, "")}) for name in self.names
        }
        coordinates: dict[str, tuple[str, np.ndarray] | tuple[str, np.ndarray, dict[str, str]]] = {
            "time": ("time", self.time, {"units": "s"})
        }
        if self.axes:
            coordinates |= {name: (name, each) for name, each in self.axes.items() if each.ndim == 1}
        else:
            coordinates |= {name: ("run", each) for name, each in self.parameters.items() if each.ndim == 1}
        status = (dims, np.array(self.status).reshape(self.shape))
        return xarray.Dataset(signals, {**coordinates, "status": status})

    def to_pandas(self) -> pandas.DataFrame:
        """A `pandas.DataFrame`: a row for each run and time, a column for each signal, units in `.attrs`.

        The index names the run, or where it lies in a grid, and the time; of runs in a row the parameters are columns.
        """
        pandas = needed("pandas", "data", "to_pandas")
        own = {name: each for name, each in self.parameters.items() if each.ndim == 1}
        levels = {name: own[name] for name in self.axes if name in own} or {"run": np.arange(len(self))}
        rows = len(self.time)
        index = [np.repeat(values, rows) for values in levels.values()]
        index = pandas.MultiIndex.from_arrays(
            [*index, np.tile(self.time, len(self))], names=[*levels, "time"]
        )
        columns = {} if self.axes else {name: np.repeat(each, rows) for name, each in own.items()}
        columns |= {name: self[name].ravel() for name in self.names}
        frame = pandas.DataFrame(columns, index)
        frame.attrs["units"] = {name: self.units.get(name, "") for name in self.names}
        return frame


def batch(
    sim: Simulation,
    parameters: Mapping[str, npt.ArrayLike],
    outputs: str | Sequence[str] | None = None,
    stop: float | None = None,
    step: float | None = None,
    method: str | None = None,
    output_step: float | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    grid: bool = False,
    lanes: bool | None = None,
) -> Batch:
    """Run once for each entry of the arrays in `parameters`, which all have one length; single numbers go to all runs.

    With `grid` every combination is run: each array is an axis of what comes out, in the order of `parameters`. A key
    is a parameter (`load.mass`) or an input (`force`, constant through the run). `outputs` are recorded
    signals, globs too; without any, those of `sim.outputs`. A run that fails is told in `status` and `messages`.
    Runs go side by side in vector registers where that saves time; with `lanes` always, or never. Rows are the same.
    """
    axes = axes_of(parameters) if grid else {}
    given = spread(crossed(parameters, axes) if grid else parameters)
    count = len(next(iter(given.values()), ()))
    own = sim.twin()
    session = own.start(stop, step, method, output_step)
    if session.instance.talks:
        fix = "make the runs one by one: sim.set, sim.run"
        raise RunError("fmu and udp blocks cannot run in a batch", fix=fix)
    names, columns = chosen(sim, outputs)
    job = Job(own, session, given, names, columns, count)
    make_all(job, Line, Choice(job, lanes), min(max(1, count), threads or processors()), progress)
    units = {name: signals_of(sim.program).units.get(name) or sim.units.get(name, "") for name in names}
    return Batch(job.times, names, job.table, units, given, job.status, job.messages, axes, job.alone)


def axes_of(parameters: Mapping[str, npt.ArrayLike]) -> dict[str, np.ndarray]:
    """What varies, and its values."""
    found = {path: np.asarray(values) for path, values in parameters.items()}
    return {path: values for path, values in found.items() if values.ndim}


def crossed(
    parameters: Mapping[str, npt.ArrayLike], axes: Mapping[str, np.ndarray]
) -> dict[str, npt.ArrayLike]:
    """Every combination, the last axis the quickest."""
    places = np.meshgrid(*(np.arange(len(values)) for values in axes.values()), indexing="ij")
    taken = {path: values[place.ravel()] for (path, values), place in zip(axes.items(), places, strict=True)}
    return {**parameters, **taken}


def spread(parameters: Mapping[str, npt.ArrayLike]) -> dict[str, np.ndarray]:
    """The values of each run."""
    found = {path: np.asarray(values) for path, values in parameters.items()}
    lengths = {path: len(values) for path, values in found.items() if values.ndim}
    if not lengths:
        raise RunError("found no array, expected one value of a parameter for each run", path="batch")
    first, count = next(iter(lengths.items()))
    for path, length in lengths.items():
        if length != count:
            raise RunError(f"found {length} values and {count} of {first}, expected equal lengths", path=path)
    return {path: values if values.ndim else np.full(count, values.item()) for path, values in found.items()}


def chosen(sim: Simulation, outputs: str | Sequence[str] | None) -> tuple[list[str], np.ndarray]:
    """Names of the signals to keep, and their places in the work space."""
    signals, record = signals_of(sim.program), sim.program.record
    places = dict(zip(signals.outputs, signals.places.tolist(), strict=True))
    if outputs is None:
        return [*places], signals.places
    places |= dict(zip(sim.signal_names, record.tolist(), strict=True))
    names: list[str] = []
    for wanted in [outputs] if isinstance(outputs, str) else outputs:
        # a glob means recorded signals: an output is one of them under another name
        hits = [wanted] if wanted in places else matching(wanted, sim.signal_names)
        hits = [name for name in hits if name not in names]
        if not hits and wanted not in names:
            raise RunError(f'no recorded signal matches "{wanted}"', fix=did_you_mean(wanted, places))
        names += hits
    return names, np.array([places[name] for name in names], np.int64)


class Job:
    """What the threads of a batch share."""

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
        self.given = Given(sim, given)
        self.names, self.record = names, record
        rows = 1 + session.steps // session.every
        # as the loop counts time: the n-th step ends at h (n + 1)
        self.times = session.step_size * (session.every * np.arange(rows))
        self.table = np.full((count, rows, len(record)), np.nan)
        self.status, self.messages = ["finished"] * count, [""] * count
        self.alone = [TOGETHER] * count
        self.turn = threading.RLock()
        self.ended = False
        fresh = session.instance.twin()
        fill(fresh, self.program)
        self.fresh = fresh.memories  # of a run before its start


class Line:
    """The runs of one thread, one after the other, in one work space."""

    def __init__(self, job: Job):
        self.job, session = job, job.session
        self._arrays(session.instance.twin())

    def _arrays(self, instance: Instance) -> None:
        session, record = self.job.session, self.job.record
        self.instance = instance
        self.x, work = session.x.copy(), np.zeros_like(session.work)
        rows = 1 + min(session.steps, LONGEST) // session.every
        self.rows = np.zeros((rows, len(record)))
        self.bundle = instance.run(self.x, work, np.zeros(rows), self.rows, record=record)

    def run(self, k: int) -> None:
        if not self.prepare(k) or not self.steps(k, 0, self.job.session.steps):
            self.by_itself(k)

    def prepare(self, k: int) -> bool:
        """Bring a run to its first step; False where it needs more than steps."""
        job = self.job
        with job.turn:
            if not self._numbers(k):
                return False
            job.given.give(k, signals_of(job.program), self.instance.memory)
        if not self._begin():
            return False
        job.table[k, 0] = self.rows[0]
        return True

    def by_itself(self, k: int) -> None:
        """From its start, in a session."""
        job = self.job
        job.table[k] = np.nan
        with job.turn:
            job.given.whole(k)
            self._by_itself(k)

    def _numbers(self, k: int) -> bool:
        """Write those of a run; False where it needs arrays of another size, or a session."""
        job, run, program = self.job, self.instance, self.job.program
        if method_of(job.session.method).adaptive:
            return False
        run.program = program
        run.put(job.fresh)
        if not job.given.short(k, run):
            program = job.given.whole(k)
            if program is not job.program and not program.like(job.program):
                return False
            fill(run, program)
        states = len(program.x0)
        self.x[:states], self.x[states:] = program.x0, 0.0
        return True

    def _begin(self) -> bool:
        """As a session starts."""
        run, session = self.instance, self.job.session
        restore(run)
        for sampled in run.program.sampled:
            run.params[sampled.slot] = max(1, round(sampled.period / session.step_size))
        run.data.scalar[f.JAMMED] = 0.0
        during = 0.5 * session.step_size
        run.update(0, 0.0, self.x, during)
        sound = bool(np.all(np.isfinite(run.rates(0.0, self.x)))) and run.data.scalar[f.JAMMED] == 0.0
        run.real[NOW], run.real[WITHIN] = 0.0, during
        evaluate_outputs(self.bundle)
        if run.program.origin is not None:
            run.settle()
        return sound

    def steps(self, k: int, done: int, until: int) -> bool:
        """From one number of steps to another; False where there is something to tell."""
        job, session, run = self.job, self.job.session, self.instance
        table, number = job.table[k], run.number
        while done < until and not job.ended:
            count = min(LONGEST, until - done)
            number[FIRST], number[COUNT], number[EVERY], number[FILM] = done, count, session.every, 0
            run.real[START], run.real[STEP] = 0.0, session.step_size
            run.advance(self.bundle)
            taken = int(number[TAKEN])
            first, last = done // session.every, (done + taken) // session.every
            table[first + 1 : last + 1] = self.rows[: last - first]
            done += taken
            if not np.all(np.isfinite(self.x)) or ending(run) is not None:
                return False
            if degraded(run):
                repartition(run, done * session.step_size, self.x)
        return True

    def _by_itself(self, k: int) -> None:
        """A run that needs a session: of another structure, with an adaptive step, or with something to tell."""
        job, like = self.job, self.job.session
        try:
            session = job.sim.start(
                like.stop, like.step_size, like.method, like.every * like.step_size, like.events
            )
            job.given.give(k, signals_of(session.instance.program), session.memory)
            _, record = chosen(job.sim, job.names)
            while session.advance() == "running" and not job.ended:
                pass
        except RunError as error:
            job.status[k], job.messages[k] = "failed", str(error)
            return
        columns = [session.instance.program.record.tolist().index(place) for place in record]
        _, rows = session.take()
        rows = rows[
            : session.done // session.every + 1
        ]  # the last state of a run that ended early may stand between
        job.table[k, : len(rows)] = rows[:, columns]
        job.messages[k] = session.message
        if session.status == "failed":
            job.status[k], job.messages[k] = "failed", str(RunError(session.problem))


def fill(run: Instance, program: Started) -> None:
    """An instance as it is made from a program, without making it."""
    run.program = program
    run.w[:] = program.work_space
    for ours, fresh in zip(run.model, program.model, strict=True):
        ours[...] = fresh
    for name, ours, fresh in zip(run.data._fields, run.data, program.data, strict=True):
        if name not in ("x", "dx"):
            ours[...] = fresh
