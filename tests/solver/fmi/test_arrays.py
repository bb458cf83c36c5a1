"""Arrays, clocks and texts of FMUs of others: an FMU 3.0 in C whose numbers are known."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.blocks import LuffError
from luff.solver.fmi.toolchain import PLATFORMS, compiler, this_machine
from luff.tests.conftest import about_compiling

pytestmark = about_compiling
SOURCE = Path(__file__).parents[2] / "data" / "arrays.c"
ARRAYS = """
<UInt64 name="rows" valueReference="4" causality="structuralParameter" variability="fixed" start="2"/>
<Float64 name="u" valueReference="1" causality="input" start="0.5">
 <Dimension valueReference="4"/><Dimension start="3"/></Float64>
<Float64 name="y" valueReference="2" causality="output"><Dimension start="6"/></Float64>
<Float64 name="total" valueReference="3" causality="output"/>
<Float64 name="gain" valueReference="5" causality="parameter" variability="fixed" start="1"/>
"""
CLOCK = '<Clock name="tick" valueReference="6" causality="input" intervalVariability="triggered"/>'
TEXT = '<String name="words" valueReference="7" causality="output"/>'
DIAGRAM = """luff: 1
simulation: {stop: 0.1 s, step: 10 ms}
blocks:
  wave: {type: sine, amplitude: 2}
  all: {type: mux, sizes: [1, 1, 1, 1, 1, 1]}
  box: {type: fmu, file: box.fmu, step: 10 ms, start: [{name: gain, value: 3}]}
"""
ALONE = "".join(
    line for line in DIAGRAM.splitlines(keepends=True) if "wave" not in line and "all" not in line
)
WIRES = "connect: [" + ", ".join(f"wave.y -> all.u{k}" for k in range(1, 7)) + ", all.y -> box.u]\n"


def write(folder: Path, variables: str, library: Path | None = None) -> None:
    with zipfile.ZipFile(folder / "box.fmu", "w") as archive:
        archive.writestr(
            "modelDescription.xml",
            '<fmiModelDescription fmiVersion="3.0" modelName="box" instantiationToken="{box}">'
            f'<CoSimulation modelIdentifier="box"/><ModelVariables>{variables}</ModelVariables></fmiModelDescription>',
        )
        if library:
            platform = PLATFORMS[this_machine()]
            archive.write(library, f"binaries/{platform.folder[3]}/box{platform.suffix}")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("arrays") / "box.so"
    words = [*compiler(this_machine()), "-w", "-shared", "-O1", "-o", str(made), str(SOURCE)]
    subprocess.run(words, check=True, cwd=made.parent, capture_output=True)
    return made


def diagram(folder: Path, text: str = DIAGRAM + WIRES) -> luff.Diagram:
    (folder / "model.yaml").write_text(text)
    return luff.load(folder / "model.yaml", allow_code=True)


def test_array_is_one_port(library: Path, tmp_path: Path) -> None:
    """Outputs come before inputs: what goes in at a point comes out at the next, times the gain."""
    write(tmp_path, ARRAYS, library)
    result = luff.compile(diagram(tmp_path)).run()
    wave = np.asarray(result["wave.y"])
    for k in range(6):
        assert np.array_equal(np.asarray(result[f"box.y[{k}]"])[1:], 3.0 * wave[:-1])
    assert np.asarray(result["box.total"])[1:] == pytest.approx(6.0 * wave[:-1], rel=1e-15)


def test_array_that_nothing_is_wired_to_has_the_start_of_its_elements(library: Path, tmp_path: Path) -> None:
    write(tmp_path, ARRAYS, library)
    result = luff.compile(diagram(tmp_path, ALONE)).run()
    assert result["box.total"][-1] == 3.0
    write(tmp_path, ARRAYS.replace('start="0.5"', 'start="1 2 3 4 5 6"'), library)
    with pytest.raises(LuffError, match=r"box\.u"):
        luff.compile(diagram(tmp_path, ALONE))


def test_what_no_signal_carries_is_told(library: Path, tmp_path: Path) -> None:
    write(tmp_path, ARRAYS + CLOCK + TEXT, library)
    with pytest.warns(luff.ModelWarning, match=r"tick \(Clock\), words \(String\)"):
        luff.compile(diagram(tmp_path)).run()
    write(tmp_path, CLOCK + TEXT)
    with pytest.raises(LuffError, match=r"no signal carries an input or output.*tick \(Clock\)"):
        luff.compile(diagram(tmp_path, ALONE))


@pytest.mark.parametrize("dimension", ['start="9999999"', 'start="-1"', 'valueReference="99"', 'start="x"'])
def test_dimension_that_cannot_be_is_told(dimension: str, tmp_path: Path) -> None:
    write(tmp_path, ARRAYS.replace('start="6"', dimension))
    with pytest.raises(LuffError, match=r"box\.fmu.* cannot be read"):
        luff.compile(diagram(tmp_path))
