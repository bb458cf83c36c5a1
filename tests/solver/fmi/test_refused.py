"""Models and options of which no FMU can be made."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import luff
from luff.tests.process import call
from luff.tests.shared.loop_cases import FOUR_BAR
from luff.tests.shared.netlists import HELD_WAVE, SWINGING_ROD


def test_what_cannot_be_exported_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "rod.yaml").write_text(SWINGING_ROD.replace("stop: 1,", "stop: 1, method: radau,"))
    export = ("export", "rod.yaml", "-o", "rod.fmu")
    for words, code, told in (
        ((), 1, "rod.yaml:4:31: simulation.method: found the method radau, which adapts its step"),
        (("--platform", "vax"), 2, '--platform: found "vax", expected linux64, win64, linux-aarch64'),
        (("--fmi", "1"), 2, "--fmi: found 1, expected 2 or 3"),
        (("--input", "pin.efort"), 1, '--input pin.efort: pin has no signal input "efort"'),
        (("--input", "pim.effort"), 1, '--input pim.effort: there is no block "pim" (did you mean "pin"?)'),
    ):
        assert told in call(*export, *words, cwd=tmp_path, code=code).stderr
        assert not (tmp_path / "rod.fmu").exists()


def test_model_exchange_that_is_not_offered_is_told(tmp_path: Path) -> None:
    projected = FOUR_BAR.replace("simulation: {", "simulation: {constraints: {method: projected}, ")
    (tmp_path / "bar.yaml").write_text(projected)
    told = call("export", "bar.yaml", "-o", "bar.fmu", "--parameter", "none", cwd=tmp_path).stderr
    assert "warning: the FMU offers co-simulation alone: constraints are projected" in told
    with zipfile.ZipFile(tmp_path / "bar.fmu") as archive:
        about = archive.read("modelDescription.xml").decode()
    assert "<CoSimulation" in about
    assert "<ModelExchange" not in about


def test_input_that_is_wired_is_refused_and_the_diagram_stays(tmp_path: Path) -> None:
    diagram = luff.loads(HELD_WAVE)
    before = diagram.to_yaml()
    with pytest.raises(luff.LuffError, match=r"hold\.u: this input is wired already"):
        luff.export_fmu(diagram, tmp_path / "held.fmu", inputs=["hold.u"])
    assert diagram.to_yaml() == before
