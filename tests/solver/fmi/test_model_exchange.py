"""FMUs for model exchange alone as blocks: those of luff without their co-simulation, and one with events, in C."""

from __future__ import annotations

import re
import subprocess
import zipfile
from ctypes import POINTER, c_double
from math import sqrt
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.fmi3 import FMU3Model
from fmpy.validation import validate_fmu

import luff
from luff.solver.fmi.toolchain import compiler, this_machine
from luff.tests.conftest import about_compiling
from luff.tests.shared.loop_cases import FOUR_BAR
from luff.tests.shared.netlists import SWINGING_ROD
from luff.tests.solver.fmi.test_block import LOOP

pytestmark = about_compiling
BALL = Path(__file__).parents[2] / "data" / "ball.c"
DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="ball" guid="{ball}" numberOfEventIndicators="1">
<ModelExchange modelIdentifier="ball"/>
<ModelVariables>
<ScalarVariable name="h" valueReference="0" causality="output"><Real/></ScalarVariable>
<ScalarVariable name="v" valueReference="1" causality="output"><Real/></ScalarVariable>
<ScalarVariable name="der(h)" valueReference="2"><Real derivative="1"/></ScalarVariable>
<ScalarVariable name="der(v)" valueReference="3"><Real derivative="2"/></ScalarVariable>
<ScalarVariable name="push" valueReference="4" causality="input"><Real start="0"/></ScalarVariable>
<ScalarVariable name="broken" valueReference="5" causality="parameter" variability="tunable"><Real start="0"/>
</ScalarVariable>
</ModelVariables>
<ModelStructure><Outputs><Unknown index="1"/><Unknown index="2"/></Outputs>
<Derivatives><Unknown index="3"/><Unknown index="4"/></Derivatives></ModelStructure>
</fmiModelDescription>
"""
BOUNCES = """
luff: 1
name: bounces
simulation: {stop: 2 s, step: 1 ms, output_step: 10 ms}
blocks:
  ball: {type: fmu, file: ball.fmu, step: 10 ms}
  push: {type: step, start: 0.6, height: 2}
connect: [push.y -> ball.push]
"""


def without_co_simulation(file: Path, to: Path) -> None:
    with zipfile.ZipFile(file) as given, zipfile.ZipFile(to, "w") as written:
        for name in given.namelist():
            content = given.read(name)
            if name == "modelDescription.xml":
                text, count = re.subn(
                    r"<CoSimulation.*?(/>|</CoSimulation>)", "", content.decode(), flags=re.DOTALL
                )
                assert count == 1
                content = text.encode()
            written.writestr(name, content)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("exchange")
    (found / "rod.yaml").write_text(SWINGING_ROD)
    (found / "loop.yaml").write_text(LOOP)
    library = found / "ball.so"
    words = [*compiler(this_machine()), "-w", "-shared", "-O1", "-o", str(library), str(BALL)]
    subprocess.run(words, check=True, cwd=found, capture_output=True)
    with zipfile.ZipFile(found / "ball.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION)
        archive.write(library, "binaries/linux64/ball.so")
    return found


@pytest.mark.parametrize("version", [2, 3])
def test_model_of_luff_moves_as_in_co_simulation(folder: Path, version: int) -> None:
    """In a loop, so that inputs change at each point. CVode keeps 1e-8 a step, and begins anew 100 times."""
    whole, part = folder / f"whole{version}.fmu", folder / "rod.fmu"
    luff.export_fmu(folder / "rod.yaml", whole, fmi=version, inputs=["pin.effort"], parameters=["rod.mass"])
    results = []
    for make in (lambda: part.write_bytes(whole.read_bytes()), lambda: without_co_simulation(whole, part)):
        make()
        results.append(luff.compile(luff.load(folder / "loop.yaml", allow_code=True)).run())
    for name in ("other.pin_position", "push.y"):
        expected = results[0][name]
        assert np.ptp(expected) > 0.1
        assert results[1][name] == pytest.approx(expected, abs=1e-5 * np.ptp(expected))
        assert not np.array_equal(results[1][name], expected)  # CVode it was


def falling(until: float) -> tuple[float, float]:
    """Height and speed by hand: a kick at 0.305 s, between two points, bounces, a push of 2 m/s^2 from 0.6 s on."""
    t, h, v, pull, changes = 0.0, 1.0, 0.0, 9.81, [0.305, 0.6]
    while True:
        bounce = t + (v + sqrt(v * v + 2 * pull * h)) / pull
        change = changes[0] if changes else 2 * until
        end = min(bounce, change, until)
        h, v, t = h + v * (end - t) - 0.5 * pull * (end - t) ** 2, v - pull * (end - t), end
        if end == until:
            return h, v
        if end == bounce:
            h, v = 0.0, -0.7 * v
        elif changes.pop(0) == 0.305:
            v += 0.5
        else:
            pull -= 2.0


def test_events_lie_where_they_are_by_hand(folder: Path) -> None:
    """Four bounces, and an event in time; an input acts from the point on at which it is handed over."""
    (folder / "bounces.yaml").write_text(BOUNCES)
    result = luff.compile(luff.load(folder / "bounces.yaml", allow_code=True)).run()
    expected = np.array([falling(t + 1e-9) for t in result.time])  # after events that lie on a row
    assert (np.diff(expected[:, 1]) > 1).sum() == 4  # bounces
    assert result["ball.h"] == pytest.approx(expected[:, 0], abs=1e-6)  # CVode keeps 1e-8 a step
    assert result["ball.v"] == pytest.approx(expected[:, 1], abs=1e-5)


def test_rates_that_fail_end_the_run(folder: Path) -> None:
    text = BOUNCES.replace("step: 10 ms}\n  push", "step: 10 ms, start: [{name: broken, value: 1}]}\n  push")
    (folder / "broken.yaml").write_text(text)
    with pytest.raises(
        luff.RunError, match=r"ball: the FMU ball\.fmu: its step to t = 0\.\d+ s failed: fmi2GetDerivatives"
    ):
        luff.compile(luff.load(folder / "broken.yaml", allow_code=True)).run()
    with pytest.raises(luff.LuffError, match=r"ball: the FMU ball\.fmu: it cannot be .*: fmi2GetDerivatives"):
        luff.linearise(luff.compile(luff.load(folder / "broken.yaml", allow_code=True)), t=1.0)


EVENTS = """luff: 1
name: events
simulation: {stop: 1.5 s, step: 1 ms, output_step: 10 ms, events: locate}
blocks:
  pin: {type: revolute, axis: y, damping: 0.05, limits: {lower: -15 deg}, initial: {position: 50 deg}}
  rod: {type: rigid_link, mass: 2, com: [0, 0, -0.5], inertia: [0.2, 0.2, 0.01]}
  kick: {type: pulse, start: 0.333, duration: 0.2, height: 4}
  guard: {type: relay, lower: -0.2, upper: 0.3, low: 1, high: -1}
  sampler: {type: zero_order_hold, sample_time: 20 ms}
  late: {type: unit_delay, sample_time: 20 ms}
  brake: {type: gain, k: -0.8}
  up: {type: edge}
  times: {type: counter}
  all: {type: sum, signs: +++}
connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a, pin.position -> guard.u, pin.velocity -> sampler.u,
  sampler.y -> late.u, late.y -> brake.u, kick.y -> all.u1, guard.y -> all.u2, brake.y -> all.u3,
  all.y -> pin.effort, pin.velocity -> up.u, up.y -> times.u]
"""


@pytest.mark.parametrize("version", [2, 3])
def test_events_of_luff_are_met_by_an_importer_that_integrates(tmp_path: Path, version: int) -> None:
    """A stop, a relay, samples, a pulse between two points and an edge, by CVode, beside luff's own located run."""
    diagram = luff.loads(EVENTS)
    file = luff.export_fmu(diagram, tmp_path / "events.fmu", fmi=version, parameters=())
    assert validate_fmu(str(file)) == []
    about = fmpy.read_model_description(str(file))
    assert (
        about.numberOfEventIndicators == 7
    )  # stop and its fade, threshold, u of the edge, three of the counter
    result = luff.compile(diagram, **{"simulation.step": 1e-4}).run()
    names = ["pin.position", "guard.y", "late.y", "times.y", "kick.y"]
    rows = fmpy.simulate_fmu(
        str(file), fmi_type="ModelExchange", relative_tolerance=1e-10, output_interval=0.01, stop_time=1.5,
        output=names, record_events=False,
    )  # fmt: skip
    assert result["pin.position"].min() < -0.262  # it reaches its stop
    assert np.abs(np.diff(result["guard.y"])).sum() >= 4.0
    assert result["times.y"][-1] >= 1.0
    for name in names:
        # CVode may take a step over a bend, which costs up to 1e-4; a sample or a pulse late by 1 ms would cost 1e-2
        assert rows[name] == pytest.approx(result[name], abs=1e-3)


def test_directional_derivatives_of_a_closed_loop(tmp_path: Path) -> None:
    """Of dependent coordinates that Newton closes, by FMI 3.0, against extrapolated differences of the FMU itself."""
    diagram = luff.loads(FOUR_BAR)
    file = luff.export_fmu(diagram, tmp_path / "loop.fmu", fmi=3, parameters=(), derivatives=True)
    about = fmpy.read_model_description(str(file))
    states = [one for one in about.modelVariables if one.name.startswith("state(")]
    rates = [one.valueReference for one in about.modelVariables if one.name.startswith("der(")]
    model = FMU3Model(
        guid=about.guid,
        unzipDirectory=fmpy.extract(str(file), unzipdir=str(tmp_path / "loop")),
        modelIdentifier=about.modelExchange.modelIdentifier,
    )
    model.instantiate()
    model.enterInitializationMode()
    model.exitInitializationMode()
    x = np.array(model.getFloat64([one.valueReference for one in states]))
    assert len(x) == 2

    def central(k: int, h: float) -> np.ndarray:
        values = []
        for way in (h, -h):
            moved = x + way * (np.arange(len(x)) == k)
            model.setContinuousStates(moved.ctypes.data_as(POINTER(c_double)), len(x))
            values.append(model.getFloat64(rates))
        return np.subtract(*values) / (2 * h)

    for k, one in enumerate(states):
        model.setContinuousStates(x.ctypes.data_as(POINTER(c_double)), len(x))
        exact = model.getDirectionalDerivative(rates, [one.valueReference], [1.0])
        fine, rough, coarse = (central(k, h) for h in (1e-3, 2e-3, 4e-3))
        finer, rougher = (4 * fine - rough) / 3, (4 * rough - coarse) / 3
        # h^6 is lost in rounding, which is that of accelerations over h
        np.testing.assert_allclose(exact, (16 * finer - rougher) / 15, rtol=1e-9, atol=1e-10)
    model.terminate()
    model.freeInstance()


def test_loop_in_model_exchange_stays_closed(tmp_path: Path) -> None:
    """The anchor of the dependent coordinates moves with the importer's steps: CVode and RK4 agree."""
    diagram = luff.loads(FOUR_BAR)
    file = luff.export_fmu(diagram, tmp_path / "loop.fmu", parameters=())
    rows = fmpy.simulate_fmu(
        str(file), stop_time=1.0, output_interval=0.01, fmi_type="ModelExchange", relative_tolerance=1e-10
    )
    result = luff.compile(diagram).run(stop=1.0, output_step=0.01)
    for name in ("A.position", "B.position", "C.position"):
        # CVode keeps 1e-10 a step, over a turn of the crank
        assert rows[name] == pytest.approx(result[name], abs=1e-6)
