"""Factors of standards from files: their numbers, and that source, edition and a hint stand where they are used."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

import pytest

from luff.blocks import LuffError
from luff.solver import assessment
from luff.solver.assessment.dynamic_factors import dynamic_factor, formula_text
from luff.solver.assessment.report_tables import case_tables
from luff.solver.assessment.standard_factors import usual_standard
from luff.solver.netlist.library_paths import LIBRARY
from luff.tests.process import call
from luff.tests.solver.assessment.test_assess import DESK, code, desk

OWN = """
luff: 1
name: ours
edition: draft
check: ask the office
sources: {table: "table 3 of ours"}
hoisting: {HC2: {beta: 1 s/m, least: {HD1: 1.5}, source: [table]}}
drives: {HD1: {of_speed: 1, source: [table]}}
partial: {B: {factors: {hoist_load: 1.2, wind: 1.3}, source: [table]}}
"""
TITLE = "table 3 of ours; ours (draft): ask the office"


def own_desk(
    tmp_path: Path, own: str = OWN, scale: str = "{load: hoist_load}", lift: str = "speed: 0.25"
) -> Path:
    """Desk whose combination and dynamic factor have numbers of a file beside it."""
    (tmp_path / "own.yaml").write_text(own, "utf-8")
    text = DESK.replace("cases:\n", "standard: ./own.yaml\ncases:\n", 1)
    text = re.sub("  A: {doc.*", f"  B: {{doc: ours, cases: [fast], scale: {scale}}}", text)
    text = re.sub("code: {.*", f"code: {{formula: en13001, {lift}}}", text)
    return desk(tmp_path, text)


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        # worked examples of the sources: monorail_beam's test; HC2 at 5 m/min in crane_loads, 1.128
        ({"hoisting_class": "HC1", "drive_class": "HD1", "speed": 0.25, "creep": 0.05}, 1.0925),
        ({"hoisting_class": "HC2", "speed": "5 m/min"}, 1.10 + 0.34 * 5 / 60),
        # by hand from its table: creep speed for HD2 and HD3, half the speed for HD4, none for HD5
        ({"hoisting_class": "HC3", "drive_class": "HD2", "speed": 1, "creep": 0.1}, 1.15 + 0.51 * 0.1),
        ({"hoisting_class": "HC3", "drive_class": "HD3", "speed": 1, "creep": 0.1}, 1.05 + 0.51 * 0.1),
        ({"hoisting_class": "HC4", "drive_class": "HD4", "speed": 1, "creep": 0.1}, 1.20 + 0.68 * 0.5),
        ({"hoisting_class": "HC4", "drive_class": "HD5", "speed": 1, "creep": 0.1}, 1.05),
        ({"formula": "phi_6", "hoisting_class": "HC1", "speed": 0.25}, 0.5 * (1 + 1.0925)),
        ({"formula": "phi_1"}, 1.1),
        ({"formula": "phi_4"}, 1.0),
        # 150 t of 153 t let go by a grab; nothing, and all, by a magnet: the rebound pulls upwards
        ({"formula": "phi_3", "released": 150 / 153}, 1 - 150 / 153 * 1.5),
        ({"formula": "phi_3", "release": "rapid", "released": 0.0}, 1.0),
        ({"formula": "phi_3", "release": "rapid"}, -1.0),
    ],
)
def test_factors_of_the_file_that_comes_with_luff(values: dict[str, object], wanted: float) -> None:
    one = code(**{"formula": "en13001", **values})
    assert dynamic_factor(one) == pytest.approx(wanted, rel=1e-12)
    assert "compare each number with the edition" in formula_text(one)
    assert "EN 1991-3:2006" in formula_text(one)


def test_constants_of_ones_own_claim_no_source() -> None:
    assert formula_text(code(formula="en13001", least=1.3, beta=0.1, speed=1)) == (
        "phi_2 = phi_2min + beta_2 v_h; own constants: 1.3 and 0.1 s/m, v_h = 1 m/s"
    )


def test_speed_of_a_drive_class_names_its_source() -> None:
    """Half the speed for HD4 is the standard's, whoever gives the other constants."""
    told = formula_text(code(formula="en13001", least=1.3, beta=0.1, speed=1, drive_class="HD4"))
    assert "v_h = 0.5 m/s; github.com/darryllshanks/monorail_beam" in told
    assert "compare each number with the edition" in told


def test_constants_of_ones_own_need_no_class_of_the_file(tmp_path: Path) -> None:
    lift = "hoisting_class: HC3, least: 1.3, beta: 0.1 s/m, speed: 1"
    found = assessment.load(own_desk(tmp_path, lift=lift))
    one = found.settings.factors["hoisting"].code
    assert one is not None
    assert dynamic_factor(one, found.standard) == pytest.approx(1.4, rel=1e-12)


def test_report_says_source_edition_and_hint_where_factors_are_used(tmp_path: Path) -> None:
    """1.5 + 1 * 0.25 by hand; 1.2 on the load."""
    found = assessment.load(own_desk(tmp_path))
    told = "\n".join(" | ".join(row) for rows in case_tables(found) for row in rows)
    assert f"B | ours; B of {TITLE.partition('; ')[2]}; table 3 of ours | fast | 1.2 on load" in told
    one = found.settings.factors["hoisting"].code
    assert dynamic_factor(one, found.standard) == 1.75
    assert formula_text(one, found.standard).endswith(f"HC2, HD1: 1.5 and 1 s/m, v_h = 0.25 m/s; {TITLE}")
    done = call("assess", "desk.yaml", "--report", "desk.html", cwd=tmp_path, code=None)
    assert done.returncode in (0, 4), done.stderr
    page = (tmp_path / "desk.html").read_text("utf-8")
    assert page.count("ask the office") >= 2
    assert "<td>1.75</td>" in page.replace(' class="n"', "")
    assert hashlib.sha256((tmp_path / "own.yaml").read_bytes()).hexdigest() in page


@pytest.mark.parametrize(
    ("own", "scale", "lift", "message"),
    [
        (OWN, "{load: dead_weight}", "", r'desk\.yaml:\d+:\d+.*ours: found no "dead_weight" in partial\.B'),
        (OWN, "{load: hoist_lod}", "", r'found no "hoist_lod"(.|\n)*hoist_load'),
        (OWN, "{}", "drive_class: HD4", r'desk\.yaml:\d+:\d+.*found no "HD4" in hoisting\.HC2'),
        (
            OWN.replace("of_speed: 1, source: [table]", "of_speed: 1, source: []"),
            "{}",
            "",
            "HD1: found no source",
        ),
        (OWN.replace("of_speed: 1, source: [table]", "source: [tabel]"), "{}", "", 'found no source "tabel"'),
        (OWN.replace("wind: 1.3", "wind: 0"), "{}", "", r"own\.yaml:\d+:\d+.*found 0, expected > 0"),
        (OWN.replace('"table 3 of ours"', "[3]"), "{}", "", r"own\.yaml:\d+:\d+.*expected words"),
        ("[]", "{}", "", "own.yaml.*found no entries"),
    ],
)
def test_mistakes_are_told_before_a_run(
    tmp_path: Path, own: str, scale: str, lift: str, message: str
) -> None:
    with pytest.raises(LuffError, match=message):
        assessment.load(own_desk(tmp_path, own, scale, lift or "speed: 0.25"))


def test_file_beyond_the_library_by_a_way_through_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "desk").mkdir()
    file = own_desk(tmp_path / "desk")
    (tmp_path / "desk" / "own.yaml").rename(tmp_path / "own.yaml")
    way = LIBRARY / os.path.relpath(tmp_path / "own.yaml", LIBRARY)
    file.write_text(file.read_text("utf-8").replace("./own.yaml", str(way)), "utf-8")
    with pytest.raises(LuffError, match="lies outside of the assessment's folder"):
        assessment.load(file)


def test_what_no_source_bears_is_left_out_and_said() -> None:
    standard = usual_standard()
    assert standard.partial("A", "hoist_load").value == 1.34
    assert standard.partial("A", "dead_weight").value == 1.22
    with pytest.raises(LuffError, match='found no "B" in partial'):
        standard.partial("B", "hoist_load")
    assert any("combinations B and C" in line for line in standard.file.left_out)
