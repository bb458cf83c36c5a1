"""Recorded signals of a run by name as numpy arrays, with units, parameters, quality and remarks.

A signal of width 1 is one column, `slew.position`. A wider one has a column per element, `boom.psi[1]`,
`boom.psi[2]`: its own name gives all of them, a column's name gives that one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Required, TypedDict

import numpy as np
from numpy.typing import NDArray

from ...blocks.errors import LuffError, Problem, RunError, did_you_mean
from ...blocks.text.safe_read import shown

if TYPE_CHECKING:
    from ...blocks.block import Block

Floats = NDArray[np.float64]


Status = Literal["running", "finished", "cancelled", "interrupted", "failed"]


class PlotEntry(TypedDict, total=False):
    """Entry of a netlist's `plots:`."""

    title: str
    x: str  # `time` if left out
    y: Required[list[str]]  # names or globs
    unit: str  # of the vertical axis; of each signal if left out
    range: list[float] | None  # ends of the vertical axis, in its unit
    plan: str  # programmed constraint whose planned curve is drawn
    planned: list[list[list[float]]]  # its curves: x and y, in SI


FORMAT = 1  # of files of results: what reads one of another number would read it wrong
DESCRIPTION = ("quality", "parameters", "netlist", "version", "status", "message", "plots", "remarks")
ROWS = 65536  # written at a time, so that memory stays flat
_ELEMENT = re.compile(r"(.+)\[\d+\]")


class Energies(TypedDict):
    """J; how far the energies of a run balance."""

    start: dict[str, float]
    end: dict[str, float]
    drives: float
    dissipated: float
    friction: float
    constraints: float
    residual: float
    relative_residual: float


class StepError(TypedDict, total=False):
    """Estimated error of the state that is furthest off, over its range in the run, and when a step was worst."""

    estimate: float
    state: str
    time: float
    range: float  # of that state, in its unit
    verdict: Required[str]  # fine, too long; not known, and then nothing else is


class Held(TypedDict):
    """Body none of whose contacts slips at the end of a run."""

    body: str
    by: str  # blocks of its contacts
    share: float  # of the force of its contacts that friction carries at least


class Quality(TypedDict, total=False):
    """Quality of a run's numbers; models of signals alone have no mechanical entries."""

    energy: Energies
    newton_euler_residual: float
    newton_euler_body: str
    condition: dict[str, float]
    constraint_violation: float
    coupling: float
    step_error: StepError
    never_met: list[str]
    held_by_friction: list[Held]


class UnknownSignalError(LuffError, KeyError):
    """A name that the result does not hold."""

    __str__ = Exception.__str__  # KeyError's shows the message in quotes


@dataclass(eq=False)
class RecordedRun(Mapping[str, Floats]):
    """Mapping of signal names to recorded values, with the units, parameters and netlist they came from."""

    time: Floats  # (N,), s
    columns: Sequence[str]  # scalar names, in the order of the table
    table: Floats  # (N, columns)
    units: Mapping[str, str] = field(default_factory=dict)  # by signal and by column; "" where dimensionless
    quality: Quality = field(default_factory=Quality)  # energy balance, violation, residuals
    parameters: Mapping[str, object] = field(default_factory=dict)
    netlist: str = ""
    version: str = ""  # of the luff that ran it
    status: Status = "finished"
    message: str = ""  # why the run ended, where it did not simply finish
    plots: Sequence[PlotEntry] = ()  # as the netlist asks for them
    remarks: Sequence[Problem] = ()  # warnings of the model and of the run
    traces: Sequence[RecordedRun] = ()  # signals at every step at which they turn, where these were asked for

    def __post_init__(self) -> None:
        self.columns = list(self.columns)
        if self.table.shape != (len(self.time), len(self.columns)):
            raise ValueError(
                f"table {self.table.shape} for {len(self.time)} rows, {len(self.columns)} columns"
            )
        if len(self._index) < len(self.columns) or any(
            signal in self._index and self._signals[signal] != [self._index[signal]]
            for signal in self._signals
        ):
            raise ValueError("two columns have one name, or a column has the name of a vector")
        self.units = complete_units(self.columns, self.units)

    @cached_property
    def _signals(self) -> dict[str, list[int]]:
        return _columns_by_signal(self.columns)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {column: k for k, column in enumerate(self.columns)}

    @property
    def names(self) -> list[str]:
        """Names of the signals, in the order of the columns."""
        return list(self._signals)

    def __len__(self) -> int:
        """Number of signals; that of the rows is `len(result.time)`."""
        return len(self._signals)

    def __iter__(self) -> Iterator[str]:
        """Names of the signals."""
        return iter(self._signals)

    def __eq__(self, other: object) -> bool:
        return self is other  # equality of a mapping would compare arrays

    def __hash__(self) -> int:
        return id(self)

    def __bool__(self) -> bool:
        return True

    def keys(self) -> KeysView[str]:
        """Names of the signals, in the order of the columns.

        Returns
        -------
        KeysView of str
            Also the names that iteration gives; `time` and single elements are no keys, but may be asked for.
        """
        return self._signals.keys()

    def __contains__(self, name: object) -> bool:
        return name == "time" or name in self._index or name in self._signals

    def __getitem__(self, name: str) -> Floats:
        """(N,) for a scalar signal or one column, (N, width) for a vector signal."""
        if name in self._index:
            return self.table[:, self._index[name]]
        if name in self._signals:
            picked = self._signals[name]
            adjacent = picked == list(range(picked[0], picked[-1] + 1))
            return self.table[:, picked[0] : picked[-1] + 1] if adjacent else self.table[:, picked]
        if name == "time":
            return self.time
        known = [*self._signals, *self.columns, "time"]
        raise UnknownSignalError(
            Problem("this result has no such signal", str(name), self._instead_of(str(name), known))
        )

    def at_steps(self, *names: str) -> RecordedRun:
        """Rows from which peaks of these signals follow.

        Parameters
        ----------
        *names : str
            Signals.

        Returns
        -------
        RecordedRun
            The steps at which these signals turn, where they were watched; else this result.
        """
        return next((trace for trace in self.traces if all(name in trace for name in names)), self)

    def match(self, pattern: str) -> list[str]:
        """Columns that a name or a glob matches.

        Parameters
        ----------
        pattern : str
            A signal, a column, or a glob with `*` and `?`.

        Returns
        -------
        list of str
            Names of columns.

        Raises
        ------
        UnknownSignalError
            Nothing matches.
        """
        if pattern in self._signals:
            return [self.columns[k] for k in self._signals[pattern]]
        columns = matching(pattern, self.columns) or matching(f"{pattern}[*]", self.columns)
        if not columns:
            fix = self._instead_of(pattern, [*self._signals, *self.columns])
            raise UnknownSignalError(Problem("no signal of this result matches", pattern, fix))
        return columns

    def _instead_of(self, name: str, known: Sequence[str]) -> str:
        # results are read without blocks: these are asked where a name is wrong alone
        from ...blocks.registry import block_class
        from ..netlist import read_netlist
        from ..netlist.section_structure import section

        data = read_netlist(self.netlist).data
        recorded = section(data, "record", list) or ["*"]
        block = section(section(data, "blocks", dict), signal_of(name).rpartition(".")[0], dict)
        kind = block.get("type", "")
        cls = block_class(kind) if isinstance(kind, str) else None
        asked = any(isinstance(glob, str) and matching(glob, [signal_of(name)]) for glob in recorded)
        if isinstance(kind, dict) or (cls is None and "." in str(kind)):
            return f'record: ["*", {name}] keeps a port of a nested netlist under its name'
        return (closes_a_loop(name, known, cls) if cls and asked else "") or did_you_mean(name, known)

    def rms(self, name: str) -> float | Floats:
        """Root mean square over time.

        Parameters
        ----------
        name : str
            A signal.

        Returns
        -------
        float or ndarray
            A number, or one for each element.
        """
        values, span = self[name], self.time[-1] - self.time[0]
        if span == 0:
            return _plain(np.sqrt(np.mean(values**2, axis=0)))
        return _plain(np.sqrt(np.trapezoid(values**2, self.time, axis=0) / span))

    def maximum(self, name: str) -> float | Floats:
        """Largest recorded value.

        Parameters
        ----------
        name : str
            A signal.

        Returns
        -------
        float or ndarray
            A number, or one for each element.
        """
        return _plain(np.max(self[name], axis=0))

    def minimum(self, name: str) -> float | Floats:
        """Smallest recorded value.

        Parameters
        ----------
        name : str
            A signal.

        Returns
        -------
        float or ndarray
            A number, or one for each element.
        """
        return _plain(np.min(self[name], axis=0))

    def peak(self, name: str) -> float | Floats:
        """Largest recorded magnitude.

        Parameters
        ----------
        name : str
            A signal.

        Returns
        -------
        float or ndarray
            A number, or one for each element.
        """
        return _plain(np.max(np.abs(self[name]), axis=0))

    def __repr__(self) -> str:
        end = f", {self.time[0]:g} to {self.time[-1]:g} s" if len(self.time) else ""
        count = len(self.remarks)
        warned = f", {count} warning{'s' * (count > 1)}" if count else ""
        return f"<Result {self.status}: {len(self)} signals, {len(self.time)} rows{end}{warned}>"


def readable(number: object, version: object, path: str | Path) -> None:
    """RunError for a file whose format is another than that which this version of luff reads."""
    try:
        known = int(number) == FORMAT  # type: ignore[call-overload]
    except (TypeError, ValueError):
        known = False
    if known:
        return
    by = f", of luff {shown(str(version))}" if version else ""
    mistake = f"found format {shown(str(number))}{by}, expected format {FORMAT}: a newer luff has written it"
    raise RunError(Problem(mistake, shown(path), "read it with the version of luff that wrote it"))


def description(result: RecordedRun) -> dict[str, object]:
    """Description of a result beside its rows."""
    told: dict[str, object] = {name: getattr(result, name) for name in DESCRIPTION}
    return told | {"remarks": [remark.record() for remark in result.remarks]}


def blocks(result: RecordedRun) -> Iterator[slice]:
    """Rows that are written at a time."""
    return (slice(k, k + ROWS) for k in range(0, len(result.time), ROWS))


@lru_cache(4096)
def signal_of(column: str) -> str:
    """`boom.psi` for `boom.psi[1]`; a scalar is its own signal."""
    element = _ELEMENT.fullmatch(column)
    return element.group(1) if element else column


def matching(pattern: str, names: Iterable[str]) -> list[str]:
    """Names that a glob covers. Only `*` and `?` are wild: brackets are part of names."""
    if "*" not in pattern and "?" not in pattern:
        return [name for name in names if name == pattern]
    literal = pattern.replace("[", "[[]")
    return [name for name in names if fnmatchcase(name, literal)]


def closes_a_loop(name: str, known: Iterable[str], cls: type[Block]) -> str:
    """Reason why a joint that closes a loop has no such signal, and its remedy; empty for other names."""
    block, _, port = signal_of(name).rpartition(".")
    if port not in cls.class_ports or f"{block}.constraint_force" not in {*map(signal_of, known)}:
        return ""
    return f'{block} closes a loop and so has no coordinate of its own: record: ["*", {block}.{port}] gives it one'


def complete_units(columns: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """Units by signal and by column, whichever of the two was given."""
    units = {"time": "s"}
    for signal, picked in _columns_by_signal(columns).items():
        of_columns = [given.get(columns[k], given.get(signal, "")) for k in picked]
        units.update((columns[k], unit) for k, unit in zip(picked, of_columns, strict=True))
        # a signal whose elements differ (angles beside lengths) has no unit of its own
        units.setdefault(signal, of_columns[0] if len(set(of_columns)) == 1 else "")
    return units


def _columns_by_signal(columns: Sequence[str]) -> dict[str, list[int]]:
    signals: dict[str, list[int]] = {}
    for k, column in enumerate(columns):
        signals.setdefault(signal_of(column), []).append(k)
    return signals


def _plain(value: Floats) -> float | Floats:
    return float(value) if np.ndim(value) == 0 else np.asarray(value)
