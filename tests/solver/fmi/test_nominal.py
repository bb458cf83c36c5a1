"""The sizes of states, by which an importer weighs its errors in model exchange."""

from __future__ import annotations

from ctypes import c_double
from pathlib import Path

import fmpy
import pytest
from fmpy.fmi2 import FMU2Model
from fmpy.fmi3 import FMU3Model

import luff
from luff.tests.conftest import about_compiling

pytestmark = about_compiling
# 3e6 at the start; a ramp of 5e-4 1/s over the 200 steps of 1 ms that are looked at; and one that stays 0
SIZES = """luff: 1
name: sizes
blocks:
  none: {type: constant, value: 0}
  little: {type: constant, value: 5e-4}
  large: {type: integrator, initial: 3e6}
  small: {type: integrator}
  still: {type: integrator}
connect: [none.y -> large.u, little.y -> small.u, none.y -> still.u]
simulation: {stop: 1 s, step: 1 ms}
"""
EXPECTED = {"large": 1e6, "small": 1e-4, "still": 1.0}


@pytest.mark.parametrize("version", [2, 3])
def test_nominal_value_is_the_size_of_a_state(version: int, tmp_path: Path) -> None:
    """Told alike by the description and by the model."""
    (tmp_path / "sizes.yaml").write_text(SIZES)
    file = luff.export_fmu(tmp_path / "sizes.yaml", tmp_path / "sizes.fmu", fmi=version)
    about = fmpy.read_model_description(str(file), validate=True)
    states = [one for one in about.modelVariables if one.name.startswith("state(")]
    assert {name: float(one.nominal) for one in states for name in EXPECTED if name in one.name} == EXPECTED
    kind = FMU2Model if version == 2 else FMU3Model
    model = kind(
        guid=about.guid,
        unzipDirectory=fmpy.extract(str(file)),
        modelIdentifier=about.modelExchange.modelIdentifier,
    )
    model.instantiate()
    sizes = (c_double * len(states))()
    model.getNominalsOfContinuousStates(sizes, len(states))
    model.freeInstance()
    assert list(sizes) == [float(one.nominal) for one in states]
