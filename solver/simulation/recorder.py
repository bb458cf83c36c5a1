"""Recorder of a run's rows: to memory, or streamed to a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from ...blocks.params import Struct
from ..flatten.flatten import Flat
from ..results.file_formats import streams
from ..results.recorded_run import PlotEntry
from ..results.result import Result
from .planned_curves import plots_with_plans

if TYPE_CHECKING:
    from .compiled_model import Compiled
    from .session import Session


class Recorder:
    """Collects blocks of rows; call `result()` after `close()`."""

    def __init__(self, sim: Compiled, session: Session, output: str | Path | None):
        self.sim, self.session = sim, session
        self.path = Path(output) if output is not None else None
        self._blocks: list[tuple[np.ndarray, np.ndarray]] = []
        self._stream = None
        if self.path is not None and streams(self.path):
            from ..results.hdf5_stream import StreamWriter

            self._stream = StreamWriter(self.path, session.columns, sim.units, result_attributes(sim))

    def write(self, times: np.ndarray, rows: np.ndarray) -> None:
        """Append rows."""
        if not len(times):
            return
        if self._stream is not None:
            self._stream.append(times, rows)
        else:
            self._blocks.append((times, rows))

    def close(self) -> None:
        """Judge the run and finish the file."""
        self.quality, self.remarks = self.session.judged()
        if self._stream is not None:
            self._stream.close(self.session.status, self.session.message, self.quality, self.remarks)
            self._stream = None
            return
        if self.path is not None:
            self._in_memory().save(self.path)

    def result(self) -> Result:
        """Result, read back from the file if it was streamed."""
        if self.path is not None and streams(self.path):
            from ..results.result import read_result

            return read_result(self.path)
        return self._in_memory()

    def _in_memory(self) -> Result:
        """Result from the collected rows."""
        empty = [(np.zeros(0), np.zeros((0, len(self.session.columns))))]
        blocks = self._blocks or empty
        return Result(
            time=np.concatenate([t for t, _ in blocks]),
            columns=self.session.columns,
            table=np.concatenate([rows for _, rows in blocks]),
            units=self.sim.units,
            quality=self.quality,
            status=self.session.status,
            message=self.session.message,
            remarks=self.remarks,
            traces=self.session.turning.traces(dict(self.sim.units)) if self.session.turning else (),
            **result_attributes(self.sim),
        )

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._stream is not None and kind is not None:
            self._stream.close("failed", f"stopped by {kind.__name__}", {})


class Attributes(TypedDict):
    """Attributes of a result beside its rows."""

    netlist: str
    parameters: dict[str, object]
    plots: list[PlotEntry]
    version: str


def result_attributes(sim: Compiled) -> Attributes:
    """Netlist, parameters, plots and version of a result."""
    from ...version import __version__

    program = sim.program
    flat = program.flat
    parameters = {name: float(value) for name, value in zip(program.param_names, program.params, strict=True)}
    return {
        "netlist": flat.netlist,
        "parameters": {**block_parameters(flat), **parameters},
        "plots": plots_with_plans(sim),
        "version": __version__,
    }


def block_parameters(flat: Flat) -> dict[str, object]:
    """Parameters of all blocks by `block.param`, of groups by `block.group.param`."""
    values_by_path: dict[str, object] = {}
    for name, block in flat.blocks.items():
        _collect_values(values_by_path, name, block.values)
    return values_by_path


def _collect_values(taken: dict[str, object], path: str, values: Mapping[str, object]) -> None:
    """Collect plain values under a path."""
    for key, value in values.items():
        where = f"{path}.{key}"
        if isinstance(value, int | float | str | bool):
            taken[where] = value
        elif isinstance(value, tuple) and value and _numeric(value):
            taken[where] = _listed(value)
        elif isinstance(value, Struct):
            _collect_values(
                taken, where, {name: inner for name, inner in vars(value).items() if name != "given"}
            )
        elif isinstance(value, dict):
            _collect_values(taken, where, value)


def _numeric(value: object) -> bool:
    """True for numbers and nested tuples of numbers."""
    return all(map(_numeric, value)) if isinstance(value, tuple) else isinstance(value, int | float)


def _listed(value: object) -> object:
    """Nested tuples as lists."""
    return [_listed(item) for item in value] if isinstance(value, tuple) else value
