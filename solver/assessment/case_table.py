"""Cases of an assessment from a CSV file, as a spreadsheet writes it: a row for each case.

The column `name` has the names; `doc`, `start`, `stop` and `repeats` are the entries of a case; any other column is a
parameter of the model, by its path. A heading may have a unit, `load [t]`, in which its bare numbers are; an empty cell
leaves the model as it is.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from ...blocks.errors import LuffError, Mark, NetlistError, Problem, did_you_mean
from ...blocks.text.data_files import named_file, split_head, unit_of_head
from ...blocks.text.safe_read import file_content
from ..netlist import read_value

OWN = ("doc", "start", "stop", "repeats")
MOST = 10_000  # cases: a longer table is refused


def read_cases(folder: Path, name: str, files: Iterable[Path]) -> dict[str, dict[str, object]]:
    """Entries of `cases:` from a file that lies in `folder`, or in one of `files`."""
    path = named_file(folder, name, files, "a table of cases", "assessment")
    try:
        text = (file_content(path, "a table of cases") or b"").decode("utf-8-sig")
    except UnicodeDecodeError:
        raise LuffError(
            Problem("found bytes that are no text", str(path), "save the table as CSV in UTF-8")
        ) from None
    rows = _numbered(path, text)
    if len(rows) < 2:
        raise _wrong(path, 1, "found no rows, expected a heading and a row for each case", "name,load [t]")
    (first, heads), *lines = rows
    columns = _columns(path, first, heads)
    if len(lines) > MOST:
        raise _wrong(path, lines[MOST][0], f"found {len(lines)} cases, expected at most {MOST}")
    cases: dict[str, dict[str, object]] = {}
    for number, cells in lines:
        if len(cells) != len(columns):
            raise _wrong(path, number, f"found {len(cells)} cells, expected {len(columns)} as in the heading")
        given = {column: cell for (column, _), cell in zip(columns, cells, strict=True) if cell}
        title = given.pop("name", "")
        if not title or title in cases:
            words = f'there is already a case "{title}"' if title else "found no name"
            raise _wrong(path, number, words, "give each case a name of its own")
        units = dict(columns)
        entry: dict[str, object] = {key: _value(given.pop(key), units[key]) for key in OWN if key in given}
        entry["doc"] = str(entry.get("doc", ""))
        cases[title] = {**entry, "set": {key: _value(cell, units[key]) for key, cell in given.items()}}
    return cases


def _numbered(path: Path, text: str) -> list[tuple[int, list[str]]]:
    """Line number and cells of each row that is not empty; cells stand apart by commas, semicolons or tabs."""
    first = text.lstrip("\r\n").partition("\n")[0]
    apart = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=None), delimiter=apart, strict=True)
    try:
        rows = [(reader.line_num, [cell.strip() for cell in cells]) for cells in reader]
    except csv.Error as error:
        fix = "close each quote, and write a quote within quotes twice"
        raise _wrong(path, reader.line_num, f"found no row of a CSV table: {error}", fix) from None
    return [(number, cells) for number, cells in rows if any(cells)]


def _columns(path: Path, number: int, heads: list[str]) -> list[tuple[str, str]]:
    """Name and unit of each column."""
    columns = [split_head(head) for head in heads]
    names = [name for name, _ in columns]
    if "name" not in names:
        fix = did_you_mean("name", names) or "the column `name` has the names of the cases"
        raise _wrong(
            path, number, f"found the columns {', '.join(names)}, expected one that is called name", fix
        )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None or "" in names:
        raise _wrong(
            path, number, f'found two columns "{twice}"' if twice else "found a column without a name"
        )
    for name, unit in columns:
        if unit:
            try:
                unit_of_head(unit, name)
            except LuffError as error:
                problem = error.problems[0]
                raise _wrong(path, number, problem.message, problem.fix) from None
    return columns


def _value(cell: str, unit: str) -> object:
    """Raw value of a cell, as a netlist has it; a bare number is in the unit of its heading."""
    value = read_value(cell)
    if unit and isinstance(value, int | float) and not isinstance(value, bool):
        return f"{cell} {unit}"
    return value


def _wrong(path: Path, number: int, message: str, fix: str = "") -> NetlistError:
    return NetlistError(Problem(message, mark=Mark(str(path), number, 1), fix=fix))
