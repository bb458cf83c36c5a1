"""Signals for the `inputs:` of a netlist from tables: `luff run --input force=log.csv`.

An input that is fed is a table over time: joined linearly between the rows of the file, held before the first and after
the last. Its signal keeps its name, `inputs.force`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...blocks.errors import LuffError, Problem, did_you_mean
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.ports import Port
from ...blocks.text.raw_types import RawMap
from ...blocks.text.safe_read import shown
from ..results.file_columns import columns_with_units, in_si
from ..results.file_formats import suffixes
from .partial_ports import ports_of_inputs

if TYPE_CHECKING:
    from .netlist_document import Netlist

TIME = "time"
Columns = dict[str, tuple[np.ndarray, str]]


def feed_inputs(diagram: Netlist, sources: Iterable[str]) -> dict[str, str]:
    """Feed inputs from files (`force=log.csv`, `force=log.csv:u`, `log.csv`); returns what is a value, by name."""
    ports = ports_of_inputs(diagram.all_inputs, diagram.scope())
    values: dict[str, str] = {}
    files: dict[str, Columns] = {}
    for text in sources:
        try:
            name, file, column = parse_feed(text)
            if name:
                _known(ports, name)
            if not file:
                values[name] = column
                continue
            if file not in files:
                files[file] = columns_with_units(Path(file), "a table")
            table = files[file]
            columns = {name: column or name} if name else _shared(ports, table)
            for one, head in columns.items():
                diagram.feeds[one] = _table(table, head, ports[one])
        except LuffError as error:
            raise LuffError(
                Problem(p.message, f"--input {shown(text)}", p.fix) for p in error.problems
            ) from None
    return values


def parse_feed(text: str) -> tuple[str, str, str]:
    """Name of the input, file, and column; without a file the value in the place of the column."""
    name, equals, source = (part.strip() for part in text.partition("="))
    if not equals:
        name, source = "", name
    file, colon, column = source.rpartition(":")
    for file_name, rest in ((source, ""), (file, column if colon else "")):
        if file_name.lower().endswith(suffixes()):
            return name, file_name, rest
    if not equals or not name or not source:
        fix = 'force=log.csv, force=log.csv:column, log.csv, or "force=3 N"'
        raise LuffError(f'found "{shown(text)}", expected a name and where its signal comes from', fix=fix)
    return name, "", source


def _known(inputs: dict[str, Port], name: str) -> None:
    if name not in inputs:
        fix = did_you_mean(name, inputs) if inputs else "declare it in `inputs:`"
        raise LuffError(f'the netlist has no input "{name}"', fix=fix)


def _shared(inputs: dict[str, Port], table: Columns) -> dict[str, str]:
    """The inputs that the file has columns for, and the names of these, which in a result of luff are longer."""
    heads = {name: (name, f"{INPUTS}.{name}") for name in inputs}
    shared = {
        name: head for name, both in heads.items() for head in both if head in table or f"{head}[0]" in table
    }
    if not shared:
        fix = f"the inputs are {', '.join(inputs) or 'none'}; name=FILE:COLUMN feeds one from a column of another name"
        raise LuffError("no column of the file has the name of an input", fix=fix)
    return shared


def _table(table: Columns, column: str, port: Port) -> RawMap:
    """The parameters of a table block."""
    wanted = [column] if port.width == 1 else [f"{column}[{k}]" for k in range(port.width)]
    time = in_si(table, TIME, "s")
    columns = [in_si(table, one, port.unit or None) for one in wanted]
    for one, values in zip(wanted, columns, strict=True):
        if len(values) != len(time):
            raise LuffError(f"the column {one} has {len(values)} numbers, and {TIME} {len(time)}")
    rows = np.column_stack([time, *columns])
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(bad):
        raise LuffError(f"row {bad[0] + 1} of the file lacks a number, in {TIME} or {', '.join(wanted)}")
    late = np.flatnonzero(np.diff(time) <= 0.0)
    if len(time) < 2 or len(late):
        k = int(late[0]) + 1 if len(late) else 0
        mistake = f"{time[k]:g} s after {time[k - 1]:g} s in row {k + 1}" if k else f"{len(time)} rows"
        raise LuffError(f"found {mistake}, expected two rows or more with rising times")
    return {"data": rows.tolist(), "unit": port.unit or ""}
