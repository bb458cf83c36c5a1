"""Plans of stiff models: rest is asked of what the grid resolves, rows are measured by what moves them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import luff
from luff.solver.planning.plan_file import load
from luff.solver.planning.plan_problem import make_problem
from luff.solver.planning.rest_motions import rest_rows

pytest.importorskip("ipyopt")

STIFFNESS, DAMPING = 2e4, 150.0  # N/m, N s/m: two masses of 1 kg, poles -150 +- 132i 1/s
TWO_MASSES = f"""
luff: 1
inputs: {{force: {{}}}}
blocks:
  x1: {{type: integrator}}
  v1: {{type: integrator}}
  x2: {{type: integrator}}
  v2: {{type: integrator}}
  spring: {{type: expression, inputs: [x1, x2, v1, v2], expr: "{STIFFNESS}*(x1 - x2) + {DAMPING}*(v1 - v2)"}}
  a1: {{type: expression, inputs: [f, s], expr: f - s}}
connect:
  - v1.y -> x1.u
  - v2.y -> x2.u
  - x1.y -> spring.x1
  - x2.y -> spring.x2
  - v1.y -> spring.v1
  - v2.y -> spring.v2
  - inputs.force -> a1.f
  - spring.y -> a1.s
  - a1.y -> v1.u
  - spring.y -> v2.u
simulation: {{stop: 1 s, step: 1 ms}}
"""
MOVE: dict[str, Any] = {
    "controls": {"force": {"lower": -1, "upper": 1}},
    "end": {"x2.x": 1, "at_rest": True},
}


def test_rest_rows_leave_out_what_the_grid_does_not_resolve() -> None:
    """The rates of the common centre are left: rows that the spring's motion does not enter."""
    problem = make_problem(load({"model": luff.loads(TWO_MASSES), "plan": MOVE}))
    case = problem.cases[0]
    z = np.zeros(5)
    _, rows, faster = rest_rows(case, z, 20.0)
    assert faster == 2
    assert rows.shape == (2, 4)
    names = case.points.state_names
    spring = np.array([{"x1.x": 1.0, "x2.x": -1.0}.get(name, 0.0) for name in names])
    rate = np.array([{"v1.x": 1.0, "v2.x": -1.0}.get(name, 0.0) for name in names])
    assert np.max(abs(rows @ np.stack([spring, rate], axis=1))) < 1e-10 * np.max(abs(rows))
    _, every, none = rest_rows(case, z, 1e3)
    assert none == 0
    assert np.linalg.matrix_rank(every) == 4


def test_stiff_spring_costs_no_time_and_few_iterations() -> None:
    """Two masses on a stiff spring move as their sum does: T = 2 sqrt(m d / F); the spring gives F / 2 k at most."""
    words: list[str] = []
    made = luff.plan(
        {"model": luff.loads(TWO_MASSES), "plan": MOVE}, progress=lambda k, text: words.append(text)
    )
    assert made.duration == pytest.approx(
        2.0 * np.sqrt(2.0), rel=1e-4
    )  # the spring's share is 1e-5 of the way
    assert made.status == "finished"
    assert made.iterations < 100
    assert any("2 states move faster than the grid" in remark for remark in made.remarks)
    assert "furthest off is " in words[0]


def test_crane_with_a_flexible_link_is_faster_than_motion_laws() -> None:
    """At least angle / rate by the boom's limit; LuGre friction and three divisions in the flights."""
    made = luff.plan("library/plans/crane_gpme.yaml")
    assert made.status == "finished"
    # the run, not the grid's 79 ms, brings 260 rad/s to rest: a tenth of a percent of what moved on the way
    assert made.flown[0].rate_share < 1e-3
    assert not any("left to their damping" in remark for remark in made.remarks)
    assert np.radians(15.0) / 0.149 < made.duration < 4.0
    for flown in (made.flown[0], *made.flights):
        for name in ("column_joint.position", "boom_joint.position", "jib_joint.position"):
            wanted, value = flown.end[name]
            assert value == pytest.approx(
                wanted, abs=2e-3
            )  # rad: friction holds the joints off by up to 1e-3
