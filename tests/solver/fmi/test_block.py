"""The block `fmu`: models of others inside of a run of luff, each step by FMPy; checked against FMPy alone."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException

import luff
from luff.blocks import LuffError
from luff.solver.flatten.flatten import flatten
from luff.tests.conftest import about_compiling
from luff.tests.process import call
from luff.tests.shared.netlists import HELD_WAVE, SWINGING_ROD
from luff.tests.solver.fmi.fmpy_runs import running

pytestmark = about_compiling
ALONE = """
luff: 1
name: alone
simulation: {stop: 0.5, step: 1 ms, output_step: 10 ms}
blocks:
  other: {type: fmu, file: FILE, step: 10 ms}
"""
LOOP = """
luff: 1
name: loop
simulation: {stop: 0.5, step: 1 ms, output_step: 5 ms}
blocks:
  other:
    type: fmu
    file: rod.fmu
    step: 5 ms
    outputs: [pin.position, pin.velocity]
    start: [{name: rod.mass, value: 3}]
  wanted: {type: constant, value: 1.2}
  gap: {type: sum, signs: +-}
  push: {type: expression, inputs: [d, v], expr: 20*d - 3*v}
connect:
  - wanted.y -> gap.u1
  - other.pin_position -> gap.u2
  - gap.y -> push.d
  - other.pin_velocity -> push.v
  - push.y -> other.pin_effort
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("block")
    for name, text in (("rod", SWINGING_ROD), ("held", HELD_WAVE), ("loop", LOOP)):
        (found / f"{name}.yaml").write_text(text)
    luff.export_fmu(found / "rod.yaml", found / "rod.fmu", inputs=["pin.effort"], parameters=["rod.mass"])
    luff.export_fmu(found / "rod.yaml", found / "rod3.fmu", fmi=3, parameters=["rod.mass"])
    luff.export_fmu(found / "held.yaml", found / "held.fmu", parameters=())
    (found / "no.fmu").write_text("nothing")
    return found


def alone(folder: Path, file: str, more: str = "") -> Path:
    path = folder / "alone.yaml"
    path.write_text(ALONE.replace("FILE", file) + more)
    return path


@pytest.mark.parametrize("file", ["rod.fmu", "rod3.fmu"])
def test_model_of_luff_gives_its_own_numbers(folder: Path, file: str) -> None:
    """To the last bit at communication points, and held between them."""
    result = luff.compile(luff.load(alone(folder, file), allow_code=True)).run()
    expected = luff.compile(folder / "rod.yaml").run(stop=0.5)
    for name in ("position", "velocity", "normal_force"):
        assert np.array_equal(result[f"other.pin_{name}"], expected[f"pin.{name}"]), name


def test_loop_through_an_fmu_is_what_fmpy_does_by_hand(folder: Path) -> None:
    """Outputs first, then inputs: the same steps, called one by one."""
    result = luff.compile(luff.load(folder / "loop.yaml", allow_code=True)).run()
    positions, efforts = [], []
    with running(folder / "rod.fmu", begin=False) as (slave, number):
        slave.setReal([number["rod.mass"]], [3.0])
        slave.enterInitializationMode()
        for k in range(101):
            if k:
                slave.doStep(0.005 * (k - 1), 0.005)
            q, v = slave.getReal([number["pin.position"], number["pin.velocity"]])
            positions.append(q)
            efforts.append(20 * (1.2 - q) - 3 * v)
            slave.setReal([number["pin.effort"]], [efforts[-1]])
            if not k:
                slave.exitInitializationMode()
    # the times of steps are products here and sums there: 1e-16 of a second moves nothing further
    assert result["other.pin_position"] == pytest.approx(positions, abs=1e-13)
    assert result["push.y"] == pytest.approx(efforts, abs=1e-11)
    assert max(positions) > 0.6  # it moved


def test_runs_of_one_simulation_have_fmus_of_their_own(folder: Path) -> None:
    sim = luff.compile(luff.load(folder / "loop.yaml", allow_code=True))
    one, two = sim.start(), sim.start()
    for session in (one, two, one, two):
        session.advance(steps=200)
    assert np.array_equal(one.take()[1], two.take()[1])


def test_adaptive_method_meets_the_same_points(folder: Path) -> None:
    sim = luff.compile(luff.load(folder / "loop.yaml", allow_code=True))
    one, two = sim.run(), sim.run(method="dop853")
    assert np.array_equal(one["other.pin_position"], two["other.pin_position"])


def test_code_is_not_run_unless_allowed(folder: Path) -> None:
    """Looking at the netlist is fine; a run asks."""
    path = alone(folder, "rod.fmu")
    assert call("check", path, cwd=folder).stdout.endswith("alone.yaml: fine\n")
    told = call("run", path, cwd=folder, code=3).stderr
    assert "alone.yaml:6:10: other: the FMU rod.fmu contains code, which needs your permission to run" in told
    assert "--allow-code" in told
    call("run", path, "--allow-code", "--quiet", cwd=folder)


@pytest.mark.parametrize(
    ("file", "more", "told"),
    [
        ("none.fmu", "", 'other.file: cannot read "none.fmu": there is no such file'),
        ("no.fmu", "", 'other.file: "no.fmu" is not an FMU'),
        ("../rod.fmu", "", "lies outside of the netlist's folder"),
        ("rod.fmu, outputs: [pin.postion]", "", 'the FMU has no output "pin.postion" (did you mean "pin.position"?)'),
        ("rod.fmu, start: [{name: rod.mas, value: 1}]", "", 'has no number "rod.mas" (did you mean "rod.mass"?)'),
        ("rod.fmu", "connect: [other.pin_position -> other.effort]\n", "other.effort"),
    ],
)  # fmt: skip
def test_mistakes_are_told_with_their_place(folder: Path, file: str, more: str, told: str) -> None:
    assert told in call("check", alone(folder, file, more), cwd=folder, code=1).stderr


def test_fmu_that_fails_ends_the_run_and_says_why(folder: Path) -> None:
    """A step that the FMU refuses: the words are its own, and the rows up to there are kept."""
    path = alone(folder, "held.fmu")
    path.write_text(path.read_text().replace("1 ms, output_step: 10 ms", "0.5 ms").replace("10 ms", "1.5 ms"))
    told = call("run", path, "--allow-code", "-o", "a.h5", cwd=folder, code=3).stderr
    assert "other: the FMU held.fmu: its step to t = 0.0015 s failed" in told
    assert "is no multiple of the step" in told
    assert luff.read(folder / "a.h5").time == pytest.approx([0.0, 5e-4, 1e-3])


@pytest.mark.parametrize(("ends", "told"), [(True, "it asks to end the simulation"), (False, "status 2")])
def test_fmu_that_wants_to_end_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch, ends: bool, told: str
) -> None:
    """In FMI 2.0 a step is discarded then, and why has to be asked for."""
    made = flatten(luff.load(folder / "loop.yaml", allow_code=True)).blocks["other"].open()
    made.outputs(0.0)
    made.inputs(0.0, [0.0])

    def discarded(*_: float) -> None:
        raise FMICallException("fmi2DoStep", 2)

    monkeypatch.setattr(made._slave, "doStep", discarded)
    monkeypatch.setattr(made._slave, "getBooleanStatus", lambda kind: ends and kind == 3)
    with pytest.raises(LuffError, match=told):
        made.outputs(0.005)
    made.close()


def test_model_with_an_fmu_inside_is_not_exported(folder: Path) -> None:
    told = call("export", alone(folder, "rod.fmu"), "-o", "again.fmu", cwd=folder, code=1).stderr
    assert "alone.yaml:6:10: other: a block fmu works outside of the compiled model" in told


def test_description_alone_is_read(folder: Path) -> None:
    """Ports, defaults and units come from the description; the library may be missing."""
    diagram = luff.load(folder / "loop.yaml")
    ports = diagram.block_ports("other")
    assert [name for name, port in ports.items() if port.direction == "in"] == ["pin_effort"]
    assert (ports["pin_effort"].unit, ports["pin_effort"].default) == ("N*m", 0.0)
    assert ports["pin_velocity"].unit == "rad/s"


def test_block_without_an_fmu_has_no_ports_and_does_not_run() -> None:
    sim = luff.compile(luff.loads("luff: 1\nblocks: {other: {type: fmu}, wave: {type: sine}}"))
    with pytest.raises(luff.RunError, match="no FMU is named"):
        sim.run()


def test_what_an_fmu_says_reaches_its_own_block(folder: Path) -> None:
    """Messages of FMI 2 pass through one function of the process, which outlives every slave."""
    block = luff.load(folder / "loop.yaml", allow_code=True)
    made = flatten(block).blocks["other"]
    one, two = made.open(), made.open()
    for each in (one, two):
        each.outputs(0.0)
        each.inputs(0.0, [0.0])
    two.close()
    del two
    gc.collect()
    with pytest.raises(LuffError, match=r"found nan for pin\.effort"):
        one.inputs(0.0, [float("nan")])
    one.close()


@pytest.mark.parametrize(
    "what", [lambda sim: sim.start().snapshot(), lambda sim: luff.batch(sim, {"push.x": [1, 2]})]
)
def test_what_would_leave_the_fmu_behind_is_refused(folder: Path, what: Any) -> None:
    """An FMU keeps its own state: going back, or on to another run, would leave it where it is."""
    sim = luff.compile(luff.load(folder / "loop.yaml", allow_code=True))
    with pytest.raises(
        luff.RunError,
        match=r"outside of the compiled model cannot (run in a batch|be kept in a snapshot): \w+",
    ):
        what(sim)
