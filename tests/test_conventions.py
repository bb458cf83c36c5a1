"""Each row of the page of conventions, by its own netlist."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import luff

PAGE = (Path(luff.__file__).resolve().parent / "docs" / "conventions.md").read_text(encoding="utf-8")
ROW = re.compile(
    r"^\| (?P<words>[^|`]*?(?:`[^`]*`[^|`]*?)*) \| `(?P<signal>[^`]+)` \| (?P<time>1 s)? ?\| (?P<value>[^|]+) \|$",
    re.M,
)
ROWS = [match.groupdict() for match in ROW.finditer(PAGE)]


@cache
def run() -> luff.Result:
    netlist = re.findall(r"```yaml title=.*?\n(.*?)```", PAGE, re.DOTALL)[0]
    return luff.compile(luff.loads(netlist)).run()


@pytest.mark.parametrize("row", ROWS, ids=[row["signal"] for row in ROWS])
def test_row_has_the_number_of_its_signal(row: dict[str, str]) -> None:
    numbers = re.findall(r"-?\d+(?:\.\d+)?", re.sub(r"[a-zA-Z].*$", "", row["value"]))
    found = np.ravel(run()[row["signal"]][-1 if row["time"] else 0])
    assert len(numbers) == len(found)
    for number, x in zip(numbers, found, strict=True):
        # half of the last digit that is shown; whole numbers are exact but for rounding
        digits = len(number.partition(".")[2])
        assert abs(float(number) - x) <= (0.5 * 10.0**-digits if digits == 4 else 1e-9)


def test_every_row_of_the_table_is_read() -> None:
    table = PAGE.partition("|---|")[2].partition("\n\n")[0]
    assert len(ROWS) == len(table.strip().splitlines()) - 1 > 20
