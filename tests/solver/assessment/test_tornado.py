"""Tornado against the closed form of a spring, and its files; size and font of figures."""

from __future__ import annotations

import csv
import json
import math
import re
from pathlib import Path

import pytest

import luff
from luff.blocks import LuffError
from luff.tests.process import call

SPRING = """
luff: 1
parameters: {m: 2 kg, k: 100 N/m}
blocks:
  slide: {type: prismatic, axis: x, stiffness: =k, damping: 1}
  body: {type: rigid_link, mass: =m}
  world: {gravity: [10, 0, 0]}
  offset: {type: constant, value: 1}
  square: {type: product}
connect:
  - world.frame -- slide.frame_a
  - slide.frame_b -- body.frame_a
  - offset.y -> square.u1
  - offset.y -> square.u2
initial: {solve: static}
simulation: {stop: 10 ms, step: 1 ms}
"""


@pytest.fixture
def spring(tmp_path: Path) -> Path:
    path = tmp_path / "spring.yaml"
    path.write_text(SPRING)
    return path


def test_bars_of_a_spring_are_those_of_m_g_over_k(spring: Path, tmp_path: Path) -> None:
    words = [
        "--of",
        "slide.position",
        "--metric",
        "final",
        "--unit",
        "mm",
        "--over",
        "m=10%",
        "--over",
        "k=80:125",
    ]
    files = ["-o", "bars.json", "-o", "bars.csv", "-o", "bars.tex", "-o", "bars.pdf"]
    done = call(
        "tornado", spring, *words, *files, "--size", "120mm,60mm", "--font", "9pt serif", cwd=tmp_path
    )
    assert "left out: values between the ends" in done.stdout
    made = json.loads((tmp_path / "bars.json").read_text())
    # m g/k in mm; at rest to the tolerance of statics, 1e-6 of a force
    assert made["base"] == pytest.approx(200.0, rel=1e-5)
    wide, narrow = made["bars"]
    assert [wide["parameter"], wide["low"], wide["high"]] == ["k", *map(close, (250.0, 160.0))]
    assert [narrow["parameter"], narrow["low"], narrow["high"]] == ["m", *map(close, (180.0, 220.0))]
    assert (narrow["from"], narrow["to"]) == ("-10%", "+10%")
    rows = list(csv.reader((tmp_path / "bars.csv").read_text().splitlines()))
    assert rows[1] == ["k", "80", "125", "250", "160", "90"]
    latex = (tmp_path / "bars.tex").read_text()
    assert "m & -10\\% & +10\\% & 180 & 220 & 40 \\\\" in latex
    pdf = (tmp_path / "bars.pdf").read_bytes()
    box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", pdf)
    assert box is not None
    assert [float(one) * 25.4 / 72.0 for one in box.groups()] == pytest.approx([120.0, 60.0], abs=0.01)
    assert b"DejaVuSerif" in pdf
    assert b"/Subtype /Type0" in pdf or b"/FontFile2" in pdf  # text, not outlines


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-5)


def test_a_parameter_is_set_by_the_name_of_an_argument(spring: Path, tmp_path: Path) -> None:
    spring.write_text(
        spring.read_text().replace("parameters: {", "parameters: {unit: 100 N/m, ").replace("=k", "=unit")
    )
    words = ["--of", "slide.position", "--metric", "final", "--over", "m=10%", "--set", "unit=50"]
    call("tornado", spring, *words, "-o", "bars.json", cwd=tmp_path)
    assert json.loads((tmp_path / "bars.json").read_text())["base"] == pytest.approx(
        0.4, rel=1e-6
    )  # m g/k at rest


def test_an_end_that_does_not_run_is_unknown_and_comes_first(spring: Path) -> None:
    bars = luff.tornado(spring, "slide.position", {"m": "50%", "k": ["-1 N/m", "100 N/m"]}, metric="final")
    assert bars.names == ["k", "m"]
    assert math.isnan(bars.low[0])
    assert bars.high[0] == close(0.2)
    assert bars.rows()[1][-1] == "unknown"
    assert any(line.startswith("k: unknown: ") for line in bars.remarks())
    assert bars.as_dict()["bars"][0]["low"] is None  # type: ignore[index]


LAG = """
luff: 1
blocks:
  one: {type: step, height: 1, start: 0.1 s}
  lag: {type: transfer_function, num: [1], den: [0.2, 1]}
connect: [one.y -> lag.u]
simulation: {stop: 3 s, step: 10 ms}
"""


def test_a_signal_without_the_measure_is_unknown_at_that_end(tmp_path: Path) -> None:
    """A lag of 0.2 s rises from 10 to 90 % in 0.2 s ln 9; a step of nothing has no such time."""
    bars = luff.tornado(luff.loads(LAG), "lag.y", {"one.height": [0, 2]}, metric="rise_time")
    assert math.isnan(bars.low[0])
    assert bars.high[0] == pytest.approx(0.2 * math.log(9.0), rel=1e-4)  # rows 10 ms apart, joined by lines
    assert any("one.height: unknown: found no step" in line for line in bars.remarks())
    never = luff.tornado(luff.loads(LAG), "lag.y", {"one.height": [0, -1]}, metric="first_time")
    assert (never.low[0], never.high[0]) == (math.inf, math.inf)
    assert never.save(tmp_path / "never.svg").read_text().count("infinite") == 2


def test_ends_on_one_side_are_told(spring: Path) -> None:
    """(x - 1)^2 has its least value between both ends."""
    bars = luff.tornado(spring, "square.y", {"offset.value": [-2, 2]}, metric="final")
    assert (bars.low[0], bars.high[0], bars.base) == (4.0, 4.0, 1.0)
    assert any("both ends lie on one side" in line for line in bars.remarks())
    # the model's own value is beyond both: no extreme follows
    beyond = luff.tornado(spring, "square.y", {"offset.value": [2, 3]}, metric="final").remarks()
    assert any("or the model's own parameter is not between them" in line for line in beyond)


@pytest.mark.parametrize(
    ("of", "over", "told"),
    [
        ("slide.positon", {"m": "10%"}, "no signal"),
        ("slide.position", {}, "nothing to vary"),
        ("slide.position", {"m": "ten"}, "expected a share"),
        ("slide.position", {"m": "1.2.3%"}, "expected a share"),
        ("slide.position", {"m": [1]}, "expected both ends"),
        ("slide.position", {"n": "10%"}, "says nothing at"),
    ],
)
def test_mistakes_are_told_before_any_run(spring: Path, of: str, over: dict[str, object], told: str) -> None:
    with pytest.raises(LuffError, match=told):
        luff.tornado(spring, of, over)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--size", "big"], "expected a width"),
        (["--size", "1mm"], "expected a width"),
        (["--font", "0.1pt"], "expected a size or a family"),
        (["--font", ". pt serif"], "expected a size or a family"),
        (["--font", "9pt Nowhere Sans"], 'no font "Nowhere Sans"'),
        (["-o", "x.docx"], "expected .csv"),
        (["--over", "m"], "expected load=4t:6t"),
        (["--over", "m=1:2:3"], "expected load=4t:6t"),
        (["--over", "m=10%", "--over", "m=1:2"], 'found "m" twice'),
    ],
)
def test_options_that_are_wrong_end_the_command(
    spring: Path, tmp_path: Path, words: list[str], told: str
) -> None:
    given = ["--of", "slide.position", "--metric", "final", "--over", "m=10%", "-o", "bars.svg", *words]
    assert told in call("tornado", spring, *given, cwd=tmp_path, code=None).stderr
