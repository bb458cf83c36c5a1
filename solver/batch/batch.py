"""`luff.batch`: many runs of one simulation with different parameters, side by side, as arrays.

Each thread has one work space. A run costs writing its numbers, a copy of the arrays and its steps, a few calls without
the interpreter's lock: there is neither a quality report nor a step-error estimate. Rows are bit for bit those of
`Simulation.run`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ...blocks import RunError
from ...blocks.errors import did_you_mean
from ..codegen.target_cpu import processors
from ..results.notebook_display import import_extra
from ..simulation.inputs_outputs import io_signals
from .runner import BatchJob, selected_signals
from .scheduler import run_batch
from .simd_group import TOGETHER, LaneDecision

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas
    import xarray

    from ..simulation.simulation import Simulation


@dataclass
class Batch:
    """Results of many runs: `batch["pin.position"]` is an array (runs, times), or (grid axes..., times).

    `time` are the times [s], `units` by signal, `parameters` the values of each run. `status` and `messages` tell of
    each run whether it finished; NaN stands behind the end of one that failed.

    Examples
    --------
    >>> import luff
    >>> sim = luff.compile("library/templates/pendulum.yaml")
    >>> values = {"rod.mass": [1.0, 2.0], "pin.damping": [0.0, 0.1, 0.2]}
    >>> grid = luff.batch(sim, values, outputs="pin.position", stop=0.1, grid=True)
    >>> grid.shape, grid["pin.position"].shape
    ((2, 3), (2, 3, 11))
    """

    time: np.ndarray
    names: list[str]
    table: np.ndarray  # (runs, times, signals); NaN after the end of a failed run
    units: dict[str, str]
    parameters: dict[str, np.ndarray]
    status: list[str]  # finished or failed, for each run
    messages: list[str]
    axes: dict[str, np.ndarray] = field(default_factory=dict)  # values along each axis of a grid
    alone: list[str] = field(
        default_factory=list
    )  # reason why each run left the lanes; "" if it stayed to its end

    @property
    def lanes(self) -> int:
        """Number of runs that were computed in lanes with others to their end."""
        return self.alone.count(TOGETHER)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of runs along each axis of the grid, or of all runs."""
        return tuple(len(values) for values in self.axes.values()) or (len(self),)

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.names:
            raise RunError(f'the batch has no signal "{name}"', fix=did_you_mean(name, self.names))
        return self.table[:, :, self.names.index(name)].reshape(*self.shape, len(self.time))

    def __repr__(self) -> str:
        failed = self.status.count("failed")
        lost = f", {failed} failed" if failed else ""
        return f"<Batch: {len(self)} runs{lost}, {len(self.time)} times, {len(self.names)} signals>"

    def to_xarray(self) -> xarray.Dataset:
        """Convert to a dataset (extra `data`).

        Returns
        -------
        xarray.Dataset
            Dimensions `run` (or those of the grid) and `time`; parameters of one number are coordinates.
        """
        xarray = import_extra("xarray", "data", "to_xarray")
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
        """Convert to a data frame (extra `data`).

        Returns
        -------
        pandas.DataFrame
            A row for each run and time, a column for each signal, units in `.attrs`. The index is the run, or its place
            in the grid, and the time; without a grid the parameters are columns.
        """
        pandas = import_extra("pandas", "data", "to_pandas")
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
    """Run a simulation once for each entry of arrays of parameters, on all processors.

    Each run has the rows of `sim.run` with these values, bit for bit. A run that fails does not end the others: see
    `status` and `messages` of the answer.

    Parameters
    ----------
    sim : Simulation
        The model.
    parameters : mapping of str to array_like
        By parameter (`load.mass`) or input (`force`, constant through the run): a value for each run. All arrays have
        one length; single numbers go to all runs.
    outputs : str or sequence of str, optional
        Signals to record, globs too; those of `sim.outputs` by default.
    stop, step, method, output_step : optional
        Settings in place of the netlist's, as in `Simulation.start`.
    threads : int, optional
        Number of threads; one for each processor by default.
    progress : callable, optional
        Called with the number of finished runs and of all.
    grid : bool, optional
        Run every combination: each array is an axis, in the order of `parameters`.
    lanes : bool, optional
        Compute several runs in one vector register: always or never; by default where that saves time.

    Returns
    -------
    Batch
        The signals of all runs as arrays.

    Raises
    ------
    RunError
        No array was given, lengths differ, or the model has blocks that talk to other programs.

    Examples
    --------
    >>> import luff
    >>> sim = luff.compile("library/templates/pendulum.yaml")
    >>> table = luff.batch(sim, {"rod.mass": [1.0, 2.0, 3.0]}, outputs="pin.position", stop=0.1)
    >>> table["pin.position"].shape, table.status
    ((3, 11), ['finished', 'finished', 'finished'])
    """
    axes = grid_axes(parameters) if grid else {}
    given = values_per_run(grid_points(parameters, axes) if grid else parameters)
    count = len(next(iter(given.values()), ()))
    own = sim.twin()
    session = own.start(stop, step, method, output_step)
    if session.instance.has_partners:
        fix = "make the runs one by one: sim.set, sim.run"
        names = ", ".join(session.instance.meetings)
        raise RunError(
            f"blocks that work outside of the compiled model cannot run in a batch: {names}", fix=fix
        )
    names, columns = selected_signals(sim, outputs)
    job = BatchJob(own, session, given, names, columns, count)
    run_batch(job, LaneDecision(session.method, lanes), min(max(1, count), threads or processors()), progress)
    units = {name: io_signals(sim.program).units.get(name) or sim.units.get(name, "") for name in names}
    return Batch(job.times, names, job.table, units, given, job.status, job.messages, axes, job.alone)


def grid_axes(parameters: Mapping[str, npt.ArrayLike]) -> dict[str, np.ndarray]:
    """Array parameters and their values."""
    axes = {path: np.asarray(values) for path, values in parameters.items()}
    return {path: values for path, values in axes.items() if values.ndim}


def grid_points(
    parameters: Mapping[str, npt.ArrayLike], axes: Mapping[str, np.ndarray]
) -> dict[str, npt.ArrayLike]:
    """Parameters of every combination, the last axis fastest."""
    places = np.meshgrid(*(np.arange(len(values)) for values in axes.values()), indexing="ij")
    taken = {path: values[place.ravel()] for (path, values), place in zip(axes.items(), places, strict=True)}
    return {**parameters, **taken}


def values_per_run(parameters: Mapping[str, npt.ArrayLike]) -> dict[str, np.ndarray]:
    """Value of each parameter for each run; RunError for unequal lengths."""
    arrays = {path: np.asarray(values) for path, values in parameters.items()}
    lengths = {path: len(values) for path, values in arrays.items() if values.ndim}
    if not lengths:
        raise RunError("found no array, expected one value of a parameter for each run", path="batch")
    first, count = next(iter(lengths.items()))
    for path, length in lengths.items():
        if length != count:
            raise RunError(f"found {length} values and {count} of {first}, expected equal lengths", path=path)
    return {path: values if values.ndim else np.full(count, values.item()) for path, values in arrays.items()}
