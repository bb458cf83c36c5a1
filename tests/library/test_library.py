"""Every YAML file of the library loads, has no mistakes, and runs; every study makes all its tables and figures."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver import assessment
from luff.solver.diagram.composite_types import LIBRARY
from luff.solver.planning import plan_file
from luff.solver.planning.plan_problem import make_problem
from luff.solver.simulation.simulation import Simulation
from luff.solver.studies import StudyResult, load, report, variant_figures
from luff.solver.studies.study_settings import OverlaySettings
from luff.tests.conftest import sized
from luff.tests.systems.paper_cases import results

FILES = [path for path in sorted(LIBRARY.rglob("*.yaml")) if path.parent.name != "factors"]
STUDIES = [path for path in FILES if path.parent.name == "studies"]
ASSESSMENTS = [path for path in FILES if path.parent.name == "assessments"]
PLANS = [path for path in FILES if path.parent.name == "plans"]
NETLISTS = [path for path in FILES if path not in (*STUDIES, *ASSESSMENTS, *PLANS)]
WHOLE = [path for path in NETLISTS if not luff.load(path).ports]
STEPS = int(sized(40, 8))  # of a shortened run
ROWS = int(sized(4, 1))  # of a shortened variant, at least


def name(path: Path) -> str:
    return path.relative_to(LIBRARY).with_suffix("").as_posix()


@pytest.mark.parametrize("path", PLANS, ids=name)
def test_plan_has_no_mistakes_and_a_state_at_its_end(path: Path) -> None:
    """It is found and flown in tests/solver/planning."""
    problem = make_problem(plan_file.load(path))
    assert problem.cases
    assert all(problem.end_found)


@pytest.mark.parametrize("path", NETLISTS, ids=name)
def test_netlist_has_no_mistakes_and_says_what_it_is(path: Path) -> None:
    diagram = luff.load(path)
    assert [str(problem) for problem in diagram.check() if problem.severity == "error"] == []
    assert diagram.name
    assert diagram.doc or path.parent.name == "templates"


# models of papers whose trajectories begin where the mechanism does not stand
OFF = "the run begins off its constraints"
HELD = "over-constrains"  # loops of pins alone, as their sources have them
REMARKS = {"crane_gpme": OFF, "manipulator_olkc": OFF, "mechanism_rpsup": OFF} | {
    f"benchmarks/{name}": HELD
    for name in ("bricard", "double_four_bar", "floating_slider_crank", "rigid_slider_crank", "squeezer")
}


@pytest.mark.parametrize("path", WHOLE, ids=name)
def test_netlist_runs_and_warns_of_nothing_but_what_is_known(path: Path) -> None:
    """A model that shows how something is done does it right."""
    sim = luff.compile(path)
    step = sim.settings.step
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", luff.ModelWarning)
        result = sim.run(stop=STEPS * step, output_step=STEPS // 4 * step)
    assert result.status == "finished"
    assert len(result.time) == 5
    assert np.isfinite(result.table).all()
    # what the netlist wants to be drawn is there
    for entry in sim.program.flat.plots:
        for signal in (entry.get("x", "time"), *entry["y"]):
            assert signal in result or result.match(signal)
    assert len(told) == len(result.remarks)
    known = REMARKS.get(name(path))
    assert [str(one.message) for one in told if not known or known not in str(one.message)] == []
    assert bool(told) == bool(known)
    assert known != OFF or "warns" in luff.load(path).doc


@pytest.mark.parametrize("path", ASSESSMENTS, ids=name)
def test_assessment_has_no_mistakes(path: Path) -> None:
    found = assessment.load(path)
    assert found.settings.doc
    assert len(found.study.settings.record) > 0


@pytest.mark.parametrize("path", STUDIES, ids=name)
def test_study_makes_every_table_and_figure(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(variant_figures, "FORMATS", (".svg",))  # the other one costs as much again
    study = load(path)
    sim = Simulation(luff.load(study.model), study.overrides(study.variants[0]))
    # rows at multiples of any of its steps
    stop = max(ROWS * (sim.settings.output_step or sim.settings.step), STEPS * sim.settings.step)
    study = load(path, {"simulation.stop": stop})
    # a shortened run has no later times to look at
    for entry in (*study.settings.tables, *study.settings.bars):
        for measure in entry.columns:
            measure.start, measure.stop = 0.0, None
    for entry in study.settings.plots:
        assert isinstance(entry, OverlaySettings)
        entry.start = entry.stop = None
    runs = results(study)
    found = StudyResult(
        tmp_path / "study.h5",
        list(runs),
        dict.fromkeys(runs, "finished"),
        dict.fromkeys(runs, ""),
        {variant.name: study.overrides(variant) for variant in study.variants},
        dict.fromkeys(runs, math.nan),
        _read=runs,
    )
    files = report(study, found, tmp_path)
    drawn = len(study.settings.plots) + len(study.settings.bars)
    assert len([file for file in files if file.suffix not in (".csv", ".tex")]) == 1 + drawn
    text = files[0].read_text()
    assert text.count("\n![") == drawn
    assert text.count("| variant |") == len(study.settings.tables)
    assert "Not made" not in text
    # every variant is in some table
    assert all(f"| {variant.name} |" in text for variant in study.variants)
