"""Measures of all variants, stored beside their curves, so that a table of ten thousand runs reads no curve.

/numbers/keys      JSON of each measure: what is measured, without heading and unit to show
/numbers/units     unit of each, that of its signal
/numbers/values    float64 (variants, measures), in the order of /variants
/numbers/known     which of them were measured: a measure that a run does not have is no number
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...blocks.errors import LuffError
from ..results.hdf5_members import dataset, group_in
from ..results.result import Result
from .run_measures import measure_value, signal_unit
from .study_settings import Measure

if TYPE_CHECKING:
    import h5py

_WHAT = ("metric", "of", "target", "component", "start", "stop")  # the rest is how it is shown


def measure_key(measure: Measure) -> str:
    return json.dumps([*(getattr(measure, name) for name in _WHAT), *measure.further()])


class StoredMeasures:
    """A row for each variant, a column for each measure; what is not there is None."""

    def __init__(self, keys: Sequence[str] = (), rows: int = 0):
        self.columns = {one: k for k, one in enumerate(dict.fromkeys(keys))}
        self.units = [""] * len(self.columns)
        self.values = np.full((rows, len(self.columns)), np.nan)
        self.known = np.zeros((rows, len(self.columns)), bool)

    def of(self, row: int, measure: Measure) -> float | None:
        """Stored value of a measure in the unit of the signal; None if it is not known."""
        column = self.columns.get(measure_key(measure))
        if column is None or row >= len(self.known) or not self.known[row, column]:
            return None
        return float(self.values[row, column])

    def unit(self, measure: Measure) -> str | None:
        column = self.columns.get(measure_key(measure))
        return None if column is None or not self.known[:, column].any() else self.units[column]

    def store_measures(self, row: int, result: Result, measures: Sequence[Measure]) -> None:
        """Compute the measures of a run; those that it lacks raise when they are read."""
        for measure in measures:
            column = self.columns[measure_key(measure)]
            if self.known[row, column]:
                continue
            try:
                self.values[row, column] = measure_value(result, measure, shown=False)
            except LuffError:
                continue
            self.units[column] = signal_unit(result, measure)
            self.known[row, column] = True

    def take(self, row: int, other: StoredMeasures, from_row: int) -> bool:
        """Take over a row of an older file; returns whether all is there."""
        for one, column in self.columns.items():
            at = other.columns.get(one)
            if at is not None and other.known[from_row, at]:
                self.values[row, column] = other.values[from_row, at]
                self.units[column] = other.units[at]
                self.known[row, column] = True
        return bool(self.known[row].all())

    def save(self, file: h5py.File) -> None:
        import h5py

        group, text = file.create_group("numbers"), h5py.string_dtype()
        group.create_dataset("keys", data=list(self.columns), dtype=text)
        group.create_dataset("units", data=self.units, dtype=text)
        group.create_dataset("values", data=self.values)
        group.create_dataset("known", data=self.known)

    @classmethod
    def read(cls, file: h5py.File) -> StoredMeasures:
        if "numbers" not in file:  # of a file that an earlier version wrote
            return cls()
        group = group_in(file, "numbers")
        numbers = cls(list(dataset(group, "keys").asstr()[:]))
        numbers.units = list(dataset(group, "units").asstr()[:])
        numbers.values, numbers.known = dataset(group, "values")[...], dataset(group, "known")[...]
        return numbers
