"""Plans that begin at a run, and plans that are flown on further models."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import luff
from luff import LuffError
from luff.solver.diagram.composite_types import LIBRARY
from luff.solver.planning.collocation import Grid
from luff.solver.planning.earlier_run import EarlierRun, guess_from_run
from luff.solver.planning.first_guess import first_guess
from luff.solver.planning.plan_file import load
from luff.solver.planning.plan_problem import make_problem
from luff.solver.planning.planning import warm_start

from .models import TROLLEY

pytest.importorskip("ipyopt")

LAW = """
luff: 1
blocks: {law: {type: motion_law, law: poly5, unit: m, start: 2 s, end_value: 10 m, duration: 12 s}}
simulation: {stop: 15 s, step: 10 ms}
"""
MOVE: dict[str, Any] = {
    "controls": {"accel": {"lower": -1, "upper": 1}},
    "end": {"trolley.position": "10 m", "at_rest": True},
}
BY_LAWS = 22.0  # [s] three laws of degree seven at once, whose peaks are the limits
START = {"run": "law.yaml", "from": "2 s", "to": "14 s", "controls": {"accel": "law.y.acceleration"}}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "law.yaml").write_text(LAW)
    monkeypatch.chdir(tmp_path)


def planned(**plan: Any) -> luff.Plan:
    return luff.plan({"model": luff.loads(TROLLEY), "plan": MOVE | plan})


def test_guess_is_the_motion_that_the_controls_make() -> None:
    """The trolley's way is the law's polynomial, d (10 s^3 - 15 s^4 + 6 s^5), though the run has no trolley."""
    plan = {**MOVE, "interpolation": "linear", "intervals": 60, "warm_start": START}
    task = load({"model": luff.loads(TROLLEY), "plan": plan})
    problem, grid = make_problem(task), Grid.uniform(60)
    run = warm_start(task, problem)
    assert isinstance(run, EarlierRun)
    guess = guess_from_run(run, problem, grid, first_guess(problem, grid))
    assert guess.durations.sum() == pytest.approx(12.0)
    s = np.linspace(0.0, 1.0, 61)
    law = 10.0 * (10 * s**3 - 15 * s**4 + 6 * s**5)
    way = guess.states[0][::3, problem.cases[0].points.state_names.index("way.x")]
    # lines over h: off by h^2 / 12 (a(t) - a'(0) t), with a'(0) = 60 d / T^3 and |a| < 0.41 m/s^2
    h, T = 12 / 60, 12.0
    assert np.max(abs(way - law)) < h**2 / 12 * (0.41 + 60 * 10 / T**3 * T)
    swing = guess.states[0][:, problem.cases[0].points.state_names.index("pin.position")]
    assert np.max(abs(swing)) > 0.02  # rad, about a / g: the load swings as the model has it


def test_search_from_a_run_ends_where_it_ends_without() -> None:
    """Also from a file of results, whose controls have their own names."""
    alone = planned()
    luff.compile("law.yaml").run().save("law.h5")
    for name in ("law.yaml", "law.h5"):
        made = planned(warm_start=START | {"run": name})
        assert made.status == "finished"
        assert made.duration == pytest.approx(alone.duration, rel=1e-7)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"run": "none.yaml"}, r"warm_start.run: there is no file"),
        ({"run": "none.h5"}, r"warm_start.run: cannot read"),
        ({"run": "law.h5", "set": {"law.duration": "9 s"}}, "a recorded run has no parameters to set"),
        ({"controls": {}}, 'controls.accel: the run has no signal "accel"'),
        ({"controls": {"accl": "law.y"}}, r"controls.accl: the plan has no such control .*accel"),
        ({"to": "16 s"}, "expected one within the run, which ends at 15 s"),
        ({"from": "14 s"}, "expected one within the run"),
    ],
)
def test_mistaken_run_is_told_in_a_word(change: dict[str, Any], words: str) -> None:
    with pytest.raises(LuffError, match=words):
        planned(warm_start=START | change)


def test_motion_is_flown_on_further_models() -> None:
    """The load on a longer rope does not rest, and the status stays that of the plan's own model."""
    made = planned(flights={"same": {}, "longer": {"rope": "5.5 m"}})
    assert made.status == "finished"
    assert [one.case for one in made.flights] == ["same", "longer"]
    same, longer = made.flights
    assert same.deviation < 1e-6  # rad or m: the plan's own model, by an independent integrator
    # a rope that is a tenth longer swings 0.95 as fast: the load is late by some hundredths of the way's 9 s
    assert 1e-2 < abs(longer.end["trolley.position"][1] - 10.0) + longer.deviation < 1.0
    assert any(line.startswith("longer: trolley.position ends at 10 m") for line in made.table())
    made.save("plan.json")
    again = luff.read("plan.json")
    assert again.flights[1].deviation == longer.deviation
    assert again.flown[0].rate_share == made.flown[0].rate_share
    assert math.isnan(again.flights[1].rate_share)  # rest is not asked of other models
    assert again.table() == made.table()


def test_plan_is_faster_than_the_laws_it_begins_at() -> None:
    """The knuckle boom crane on its valves: at least angle / rate by the slewing limit; flown, it keeps its limits."""
    made = luff.plan(LIBRARY / "plans" / "crane_knuckle_boom.yaml")
    assert made.status == "finished"
    assert np.pi / 2 / 0.157 < made.duration < BY_LAWS
    result = made.result  # flown by an adaptive method
    assert result is not None
    for name, limit in (
        ("king.slew.velocity", 0.157),
        ("inner.cylinder.velocity", 0.08),
        ("outer.cylinder.velocity", 0.08),
    ):
        assert np.max(abs(result[name])) < 1.001 * limit  # as the plan's own verdict has it
    for name, wanted in (
        ("king.slew.position", np.pi / 2),
        ("inner.cylinder.position", 1.2),
        ("outer.cylinder.position", 1.5),
    ):
        assert result[name][-1] == pytest.approx(
            wanted, abs=1e-3
        )  # rad or m: oil swings between the grid's times
    assert abs(result["king.slew.velocity"][-1]) < 1e-5
    # the flown run is the netlist's own, with the table in the place of the inputs
    played = luff.compile(made.to_netlist()).run()
    assert played["king.slew.position"][-1] == pytest.approx(result["king.slew.position"][-1], abs=1e-5)
