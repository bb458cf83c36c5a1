"""Plans of stiff models: rest is asked of what the grid resolves, rows are measured by what moves them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

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


MASS, MU, BRISTLES, DAMPED, FORCE, GRAVITY = 2.0, 0.2, 1e4, 3.0, 10.0, 9.80665
RUBBING = f"""
luff: 1
inputs: {{force: {{unit: N}}}}
blocks:
  slide:
    type: prismatic
    axis: x
    friction:
      {{model: lugre, mu_s: {MU}, mu_k: {MU}, stribeck: 0.01, sigma_0: {BRISTLES}, sigma_1: {DAMPED}, sigma_2: 0}}
  mass: {{type: rigid_link, mass: {MASS} kg, com: [0, 0, 0], inertia: [1, 1, 1]}}
connect: [world.frame -- slide.frame_a, slide.frame_b -- mass.frame_a, inputs.force -> slide.effort]
simulation: {{stop: 1 s, step: 1 ms}}
"""


def test_plan_with_bristles_takes_the_time_of_dry_friction() -> None:
    """T = sqrt(2 d (1 / a1 + 1 / a2)), a = (F -+ f) / m, less what bristles yield: f mu / sigma_0 at first."""
    end = {"slide.position": 1, "slide.velocity": 0}
    plan = {"controls": {"force": {"lower": -FORCE, "upper": FORCE}}, "end": end}
    made = luff.plan({"model": luff.loads(RUBBING), "plan": plan})
    f = MU * MASS * GRAVITY
    up, down = (FORCE - f) / MASS, (FORCE + f) / MASS
    dry = np.sqrt(2.0 * (1.0 / up + 1.0 / down))
    yielded = np.sqrt(2.0 * f / MASS * MU / BRISTLES)  # m/s that the mass has when the bristles are bent
    assert made.status == "finished"
    assert dry - yielded / up < made.duration < dry

    def law(t: float, x: np.ndarray) -> list[float]:
        """LuGre's law (Canudas de Wit et al. 1995) of this test."""
        u = made.controls["force"][min(np.searchsorted(made.time, t, side="right") - 1, len(made.time) - 2)]
        rate = x[1] - BRISTLES * abs(x[1]) / MU * x[2]
        return [x[1], (u - MASS * GRAVITY * (BRISTLES * x[2] + DAMPED * rate)) / MASS, rate]

    x = np.zeros(3)
    ends = np.concatenate([[0.0], made.switches, [made.duration]])
    for a, b in pairwise(ends):
        x = solve_ivp(law, (a + 1e-12, b - 1e-12), x, method="Radau", rtol=1e-9, atol=1e-12).y[:, -1]
    assert x[0] == pytest.approx(1.0, abs=1e-3)  # as the run is asked for
    assert abs(x[1]) < 1e-3 * made.states[""]["slide.velocity"].max()
