"""Data of a block, in the netlist or in a file."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import ClassVar

from ..block import Block
from ..errors import LuffError, Problem, TableOrFile
from ..params import Text
from ..text.data_files import read_rows, unit_of_head
from ..text.quantity import compatible, unit
from .piecewise_polynomials import Row


class Tabulated(Block, abstract=True):
    """Base of blocks with a table: rows in the parameter `table`, or read from a file."""

    table: ClassVar[str] = "data"
    file = Text(None, doc="CSV file with the rows; its name counts from the netlist's folder")

    def rows(self) -> tuple[Row, ...]:
        """The table; empty where there is none."""
        if self.file is not None:
            return read_rows(self.folder, self.file, self.files).value.rows
        return getattr(self, self.table) or ()

    def reads(self) -> Iterable[str]:
        return () if self.file is None else read_rows(self.folder, self.file, self.files).digests

    def column_units(self, count: int) -> Iterable[str | None]:
        """The unit that each column is in, as far as the block knows; None where any may be."""
        return [None] * count

    def unit_problems(self, place: str) -> Iterable[Problem]:
        """Units in the file's heading that are of another dimension than the column."""
        if self.file is None:
            return
        said = read_rows(self.folder, self.file, self.files).value.units
        for k, (found, wanted) in enumerate(zip(said, self.column_units(len(said)), strict=False)):
            if not found or wanted is None:
                continue
            if not compatible(unit_of_head(found, str(k + 1)).dimension, unit(wanted).dimension):
                yield Problem(f"found column {k + 1} in {found}, expected one of {wanted}", place)

    def table_place(self) -> str:
        """Path of the parameter that holds the table, for messages."""
        return f".{self.table}" if self.file is None else ".file"

    def table_problems(self, least: int, columns: range) -> Iterable[Problem]:
        """Mistakes in the table: unreadable, too short, ragged."""
        place = self.table_place()
        if (self.file is None) == (self.values[self.table] is None):
            how = "neither {} nor" if self.file is None else "both {} and"
            mistake = f"found {how.format(self.table)} file"
            draft = self.file is None  # as it comes from the palette
            fix = TableOrFile(f"give rows in {self.table}, or a file") if draft else ""
            yield Problem(f"{mistake}, expected one of them", place, fix, incomplete=draft)
            return
        try:
            rows = self.rows()
        except LuffError as error:
            yield from (problem.at(path=place) for problem in error.problems)
            return
        if len(rows) < least:
            yield Problem(f"found {len(rows)} rows, expected at least {least}", place)
            return
        for k, row in enumerate(rows):
            if len(row) != len(rows[0]) or len(row) not in columns:
                more = " or more" if len(columns) > 1 else ""
                wanted = len(rows[0]) if len(rows[0]) in columns else f"{columns.start}{more}"
                yield Problem(f"found {len(row)} numbers, expected {wanted}", f"{place}[{k}]")
                return
            if not all(map(math.isfinite, row)):
                yield Problem("found a number that is not finite", f"{place}[{k}]")
                return
        yield from self.unit_problems(place)


def knot_order_problem(knots: Row, place: str, what: str = "a first column") -> Iterable[Problem]:
    """The mistake of knots that do not grow."""
    for k in range(1, len(knots)):
        if knots[k] <= knots[k - 1]:
            mistake = f"found {knots[k]:g} after {knots[k - 1]:g}"
            yield Problem(f"{mistake}, expected {what} that grows", f"{place}[{k}]")
            return
