"""Controllers designed elsewhere: parameters of a block in a JSON file, as `luff lqr` and `luff kalman` write it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

from ..block import Block
from ..errors import LuffError, Problem
from ..params import Scope, Text, convert_all, shown_value
from ..text.data_files import named_file
from ..text.quantity import Quantity
from ..text.safe_read import CachedReading, file_content, read_once, shown


class PlainNumbers:
    """Scope of a file: numbers alone, in SI."""

    def number(self, raw: object, unit: str) -> float:
        return self.quantity(raw).value

    def quantity(self, raw: object) -> Quantity:
        if isinstance(raw, bool) or not isinstance(raw, int | float):
            raise LuffError(f"found {shown_value(raw)}, expected a number")
        return Quantity(float(raw), None)


class Designed(Block, abstract=True):
    """Base of controllers whose numbers are parameters, or come from a file of that design."""

    kind: ClassVar[str] = ""  # `luff:` of the file
    in_file: ClassVar[tuple[str, ...]] = ()  # parameters that the file gives
    instead: ClassVar[tuple[str, ...]] = ()  # further ones that it replaces
    file = Text(None, doc="JSON file of the design; its name counts from the netlist's folder")

    def reading(self) -> CachedReading[dict[str, Any]]:
        path = named_file(self.folder, self.file, self.files, "a design")
        return read_once(_read_object, path, shown(self.file))

    def reads(self) -> Iterable[str]:
        return () if self.file is None else self.reading().digests

    def design(self) -> dict[str, Any]:
        """Values of the parameters of the design, from the file where there is one."""
        if self.file is None:
            return self.values
        raw = self.reading().value
        if raw.get("luff") != self.kind:
            raise LuffError(
                f"found a file that is no design of {self.kind}", fix=f"luff {self.kind} writes one"
            )
        scope: Scope = PlainNumbers()
        params = {name: self.params[name] for name in self.in_file}
        chosen = {name: value for name, value in raw.items() if name in params}
        return convert_all(params, chosen, scope, "", self.file)

    def file_problems(self) -> Iterable[Problem]:
        """Mistakes of a file that cannot be read, or of parameters beside it."""
        if self.file is None:
            return
        for name in (*self.in_file, *self.instead):
            if name in self.given:
                yield Problem(f"found both {name} and a file", f".{name}", "leave one out")
                return
        try:
            self.design()
        except LuffError as error:
            for problem in error.problems:
                inside = problem.path.lstrip(".")
                yield Problem(
                    f"{inside}: {problem.message}" if inside else problem.message, ".file", problem.fix
                )

    def sampling_problem(self, sample_time: float) -> Iterable[Problem]:
        """The mistake of a design for other samples than those of the block."""
        if self.file is None:
            return
        designed = self.reading().value.get("sample_time", 0.0)
        # 100 ms and 0.1 s are a few roundings apart
        same = 4.0 * sys.float_info.epsilon * sample_time
        if not isinstance(designed, int | float) or not abs(designed - sample_time) <= same:
            mistake = f"found a sample time of {sample_time:g} s, and a design for {shown_value(designed)} s"
            yield Problem(
                mistake, ".sample_time", f"sample_time: {shown_value(designed)} s, or design it anew"
            )


def _read_object(path: Path, name: str) -> dict[str, Any]:
    text = (file_content(path, "a design") or b"").decode("utf-8", "replace")
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError):
        raise LuffError(f"cannot read {name}: it is not JSON") from None
    if not isinstance(raw, dict):
        raise LuffError(f"cannot read {name}: expected a JSON object")
    return raw


def spread_numbers(value: object, count: int) -> tuple[float, ...]:
    """Numbers of `count` elements; one stands for all."""
    numbers = tuple(map(float, value)) if isinstance(value, tuple) else (float(value),)  # type: ignore[arg-type]
    return numbers * count if len(numbers) == 1 else numbers


def shape_problem(matrix: object, name: str, rows: int, columns: int, place: str) -> Iterable[Problem]:
    """The mistake of a matrix that is not `rows` x `columns`."""
    if not isinstance(matrix, tuple):
        return
    widths = {len(row) for row in matrix}
    if len(matrix) != rows or widths != {columns}:
        found = f"{len(matrix)} x {' or '.join(map(str, sorted(widths)))}"
        yield Problem(f"found {name} of {found}, expected {rows} x {columns}", place)


def length_problem(numbers: object, name: str, count: int, place: str) -> Iterable[Problem]:
    """The mistake of a list that has neither one number nor `count`."""
    if isinstance(numbers, tuple) and len(numbers) not in (1, count):
        yield Problem(f"found {len(numbers)} numbers of {name}, expected {count}", place)
