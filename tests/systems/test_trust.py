"""Runs that are finite and wrong say so, and the step that they advise is right; runs that are right say nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import luff
from luff.tests.process import call
from luff.tests.systems.step_cases import CASES, Case

LIBRARY = Path(luff.__file__).resolve().parent / "library"
TOO_LONG = re.compile(r"a step of (\S+) s is too long for this run with rk4: .*; try a step of (\S+) s")


def run(path: Path, *words: str) -> dict:
    """As a process, whose JSON has the warnings and the quality report."""
    return json.loads(call("run", path, "--json", *words, cwd=path.parent).stdout)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_step_that_is_too_long_is_told_with_one_that_does(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "model.yaml"
    path.write_text("luff: 1\n" + case.text)
    told = run(path, "-o", "long.h5")
    assert told["status"] == "finished"
    # the run is wrong indeed: by a tenth and more of what is known, where work adds up over all speeds by 1.5 %
    assert case.answer(luff.read(tmp_path / "long.h5")) > (0.015 if "work" in case.names else 0.1)
    warnings = [f"{w['path']}: {w['message']}" for w in told["warnings"]]
    found = [match for match in map(TOO_LONG.search, warnings) if match]
    assert len(found) == 1, warnings
    assert case.names in found[0].string
    # what it advises is right to a few per cent, and nothing more is said
    again = run(path, "-o", "short.h5", "--step", found[0][2])
    assert [w for w in again["warnings"] if "over-constrains" not in w["message"]] == []
    assert case.answer(luff.read(tmp_path / "short.h5")) < (0.005 if "work" in case.names else 0.05)


@pytest.mark.parametrize(
    ("name", "estimate"),
    [
        ("templates/pendulum.yaml", 1e-6),
        ("templates/crane.yaml", 1e-6),
        ("crane_demo.yaml", 1e-6),
        # corners of its plan; a vessel that is let go from where it does not rest
        ("crane_overhead.yaml", 1e-2),
        ("crane_vessel.yaml", 1e-3),
    ],
)
def test_shipped_model_with_its_own_step_is_told_as_fine(name: str, estimate: float) -> None:
    told = run(LIBRARY / name)
    assert told["warnings"] == []
    # far from the limit of 10 %, not just below it
    assert told["quality"]["step_error"]["estimate"] < estimate


def test_looking_aside_changes_no_bit_of_a_run() -> None:
    """A run by single steps, a run at once, and one whose looks find nothing to take: the same numbers."""
    sim = luff.compile(LIBRARY / "templates" / "pendulum.yaml")
    whole = sim.start(stop=0.2)
    while whole.advance() == "running":
        pass
    single = sim.start(stop=0.2)
    single.trust.due = lambda session: session.steps + 1  # type: ignore[method-assign]
    while single.advance(steps=1) == "running":
        pass
    assert (whole.x == single.x).all()
    assert whole.done == single.done == 200
    stepped = sim.start(stop=0.2)
    stepped.advance(steps=123)
    assert stepped.done == 123
