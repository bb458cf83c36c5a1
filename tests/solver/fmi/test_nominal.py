"""The sizes of states, by which an importer weighs its errors in model exchange."""

from __future__ import annotations

from ctypes import c_double
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Model
from fmpy.fmi3 import FMU3Model

import luff
from luff.solver.diagram.composite_types import LIBRARY
from luff.tests.conftest import about_compiling

pytestmark = about_compiling
# 3e6 at the start; a ramp of 5e-4 1/s over a second; one that stays 0, and one that is what rounding leaves
SIZES = """luff: 1
name: sizes
blocks:
  none: {type: constant, value: 0}
  little: {type: constant, value: 5e-4}
  large: {type: integrator, initial: 3e6}
  small: {type: integrator}
  still: {type: integrator}
  dust: {type: integrator, initial: 1e-17}
connect: [none.y -> large.u, little.y -> small.u, none.y -> still.u, none.y -> dust.u]
simulation: {stop: 1 s, step: 1 ms}
"""
EXPECTED = {"large": 1e6, "small": 1e-3, "still": 1.0, "dust": 1.0}


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


@pytest.mark.parametrize(
    ("name", "watched"),
    [
        ("crane_on_outriggers", "stand.force_1[2]"),  # rests at the start, but for rounding
        ("drive_train", "gear.speed"),  # its brake is open, then closes
        ("luffing_circuit", "cylinder.position"),
        ("crane_knuckle_boom_hydraulic", "inner.cylinder.position"),
    ],
)
def test_an_importer_that_integrates_comes_to_the_end(name: str, watched: str, tmp_path: Path) -> None:
    path = LIBRARY / f"{name}.yaml"
    file = luff.export_fmu(path, tmp_path / "model.fmu", parameters=())
    sim = luff.compile(path)
    stop = sim.settings.stop
    rows = fmpy.simulate_fmu(
        str(file), fmi_type="ModelExchange", stop_time=stop, output_interval=0.1, output=[watched],
        record_events=False,
    )  # fmt: skip
    assert rows["time"][-1] == pytest.approx(stop)
    own = np.ravel(sim.run(output_step=0.1)[watched])
    # CVode keeps 1e-5 a step; teeth that come through their play and feet that lift do so some ms earlier or later
    assert np.abs(rows[watched] - own).mean() < 0.01 * np.ptp(own)
