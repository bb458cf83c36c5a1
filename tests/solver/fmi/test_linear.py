"""Linear models of diagrams with FMUs: those of luff are what they are without the FMU around them."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.tests.conftest import about_compiling
from luff.tests.shared.netlists import SWINGING_ROD

pytestmark = about_compiling
CONTROL = """
  wanted: {type: constant, value: 1.2}
  gap: {type: sum, signs: +-}
  lag: {type: transfer_function, num: [1.0], den: [0.05, 1]}
  push: {type: expression, inputs: [d, v], expr: 20*d - 3*v}
connect: [wanted.y -> gap.u1, POSITION -> gap.u2, gap.y -> lag.u, lag.y -> push.d, VELOCITY -> push.v,
  push.y -> EFFORT"""
OUTSIDE = """
luff: 1
blocks:
  arm: {type: fmu, file: rod.fmu, outputs: [pin.position, pin.velocity, pin.acceleration]}"""
OUTPUTS = ("pin.position", "push.y", "pin.acceleration")


def native() -> luff.Simulation:
    blocks = SWINGING_ROD.partition("\nconnect:\n")[0]
    control = CONTROL.replace("POSITION", "pin.position").replace("VELOCITY", "pin.velocity")
    control = control.replace("EFFORT", "pin.effort, world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a]")
    return luff.compile(luff.loads(blocks + control))


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("linear")
    (folder / "rod.yaml").write_text(SWINGING_ROD)
    control = CONTROL.replace("POSITION", "arm.pin_position").replace("VELOCITY", "arm.pin_velocity")
    (folder / "loop.yaml").write_text(OUTSIDE + control.replace("EFFORT", "arm.pin_effort]"))
    luff.export_fmu(
        folder / "rod.yaml", folder / "exact.fmu", fmi=3, inputs=["pin.effort"], parameters=(), derivatives=True
    )  # fmt: skip
    return folder


def loop(folder: Path, derives: bool) -> luff.Simulation:
    """Around the FMU, or around one that does not say that it provides derivatives."""
    with zipfile.ZipFile(folder / "exact.fmu") as given, zipfile.ZipFile(folder / "rod.fmu", "w") as written:
        for name in given.namelist():
            content = given.read(name)
            if name == "modelDescription.xml" and not derives:
                assert b'providesDirectionalDerivatives="true"' in content
                content = content.replace(b'Derivatives="true"', b'Derivatives="false"')
            written.writestr(name, content)
    return luff.compile(luff.load(folder / "loop.yaml", allow_code=True))


@pytest.mark.parametrize(("derives", "off"), [(True, 1e-10), (False, 1e-8)])
@pytest.mark.parametrize("at", ["initial", "equilibrium"])
def test_is_that_of_the_model_itself(exported: Path, derives: bool, off: float, at: str) -> None:
    """Entries are up to 30; differences, extrapolated, keep 1e-8 of them with room."""
    names = ["arm.pin_position", "push.y", "arm.pin_acceleration"]
    made = luff.linearise(loop(exported, derives), x=at, inputs=["wanted.y"], outputs=names)
    expected = luff.linearise(native(), x=at, inputs=["wanted.y"], outputs=OUTPUTS)
    assert made.state_names == ["arm.state(pin.position)", "arm.state(pin.velocity)", "lag.x"]
    assert expected.state_names == ["pin.position", "pin.velocity", "lag.x"]
    assert abs(expected.A).max() > 20.0
    for name in ("A", "B", "C", "D", "x", "y"):
        np.testing.assert_allclose(getattr(made, name), getattr(expected, name), atol=off, err_msg=name)
    told = [note for note in made.notes if "the FMU rod.fmu provides no directional derivatives" in note]
    assert (made.derivatives == "exact") is derives is (not told)
    assert any("its communication step of 0.01 s is left out" in note for note in made.notes)


def test_a_state_may_be_given_without_those_of_the_fmu(exported: Path) -> None:
    """Those of the FMU are then where it starts, or given too; rates of its own states it always holds."""
    sim = loop(exported, True)
    assert sim.state_names == ["lag.x"]
    part, whole = (luff.linearise(sim, x=x) for x in ([0.4], [0.5, 0.0, 0.4]))
    np.testing.assert_array_equal(part.A, whole.A)
    np.testing.assert_array_equal(part.x, [0.5, 0.0, 0.4])
    assert luff.equilibrium(sim).shape == (1,)
    np.testing.assert_allclose(sim.jacobian(0.0, sim.x0), [[-20.0]], rtol=1e-12)


def test_a_state_that_the_fmu_refuses_is_out_of_reach(exported: Path) -> None:
    with pytest.raises(luff.LuffError, match=r"its rate is not finite at this state"):
        luff.linearise(loop(exported, True), x=[np.nan, 0.0, 0.0])
