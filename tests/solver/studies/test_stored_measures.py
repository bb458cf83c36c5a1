"""The numbers kept beside a study's curves: what was not measured is no number."""

from __future__ import annotations

import numpy as np

import luff
from luff.solver.studies.stored_measures import StoredMeasures, measure_key
from luff.solver.studies.study_settings import Measure

RISING = """
luff: 1
blocks: {up: {type: ramp, slope: 2}}
simulation: {stop: 1, step: 0.1}
"""


def measure(of: str) -> Measure:
    values = {name: param.default for name, param in Measure.params.items()}
    return Measure(values | {"metric": "maximum", "of": of})


def test_what_was_not_measured_is_no_number() -> None:
    known, unknown, elsewhere = measure("up.y"), measure("down.y"), measure("over.y")
    numbers = StoredMeasures([measure_key(known), measure_key(unknown)], 2)
    numbers.store_measures(0, luff.compile(luff.loads(RISING)).run(), [known, unknown])
    assert numbers.of(0, known) == 2.0
    assert numbers.of(0, unknown) is None  # a run that does not have it
    assert numbers.of(1, known) is None  # of a variant that has not run
    assert numbers.of(2, known) is None  # of one that the file does not have
    assert numbers.of(0, elsewhere) is None  # asked for later
    assert (numbers.unit(known), numbers.unit(unknown), numbers.unit(elsewhere)) == ("", None, None)
    assert np.isnan(numbers.values[1]).all()
