"""Pads of a crane in rows of a run: edges, reserve against tipping, lean and slip against closed forms."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.assessment.feet_slip import FeetSlip
from luff.solver.assessment.load_capacity import (
    LEANS,
    SLIDES,
    limit_excess,
)
from luff.solver.assessment.load_chart import checks_from
from luff.solver.assessment.stability import convex_hull, least_stability_reserve, pad_edges
from luff.solver.results.result import Result

from .outrigger_crane import stand


def test_the_edges_go_around_all_pads() -> None:
    places = [(0, 0), (4, 0), (4, 3), (0, 3), (2, 1)]
    assert sorted(convex_hull(np.array(places, float))) == [0, 1, 2, 3]
    assert all(edge.distance(np.array([2.0, 1.0])) > 0 for edge in pad_edges(places))


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_the_edges_go_around_pads_of_any_size_and_leave_out_what_is_on_a_line(size: float) -> None:
    places = size * np.array([(0, 0), (0.3, 0), (0.6, 0), (0.6, 0.2), (0.3, 0.1), (0, 0.2)])
    assert convex_hull(places) == [0, 2, 3, 5]
    assert [(edge.first, edge.second) for edge in pad_edges(places.tolist())] == [
        (0, 2),
        (2, 3),
        (3, 5),
        (5, 0),
    ]


def test_reserve_of_a_beam_balance() -> None:
    """10 kN in the middle of a square of 2 m, P beside it: (W d)/(P (x - d)) with the weight given."""
    places = [(1, 1), (-1, 1), (-1, -1), (1, -1)]
    W, P, x = 10e3, 2e3, 3.0
    # all at once by the moments: right pads carry (W + P)/2 + P x/2
    right, left = ((W + P) + P * x) / 4, ((W + P) - P * x) / 4
    forces = np.array([[right, left, left, right]])
    given = least_stability_reserve(forces, places, W, (0.0, 0.0))
    assert given.value == pytest.approx(W * 1.0 / (P * (x - 1.0)))
    assert {given.edge.first, given.edge.second} == {0, 3}
    assert least_stability_reserve(forces, places, None, None).value == pytest.approx((W + P) / (P * x))
    assert least_stability_reserve(np.zeros((1, 4)), places, W, (0.0, 0.0)).value == 0.0
    light = least_stability_reserve(1e-6 * forces, places, 1e-6 * W, (0.0, 0.0))
    assert light.value == pytest.approx(given.value)


def test_what_stands_outside_of_an_edge_overturns() -> None:
    """20 t in the middle of 6 m, 11 t at -8 m: 20 x 3 over 11 x 5."""
    places = [(3, 2), (-3, 2), (-3, -2), (3, -2)]
    base, far = 20e3 * 9.81, 11e3 * 9.81
    front = (base / 2 + far * (3.0 - 8.0) / 6.0) / 2
    back = (base + far) / 2 - front
    forces = np.array([[front, back, back, front]])
    found = least_stability_reserve(forces, places, far, (-8.0, 0.0))
    assert found.value == pytest.approx(60 / 55)
    assert {found.edge.first, found.edge.second} == {1, 2}


def test_the_reserve_on_two_pads_is_one_and_of_no_number_unknown() -> None:
    places = [(1, 1), (-1, 1), (-1, -1), (1, -1)]
    on_an_edge = np.array([[5e3, 0.0, 0.0, 5e3]])
    assert least_stability_reserve(on_an_edge, places, 10e3, (0.0, 0.0)).value == 1.0
    assert least_stability_reserve(on_an_edge, places, None, None).value == 1.0
    for row in (0, 1, 2):
        forces = np.full((3, 4), 2.5e3)
        forces[row, 1] = math.nan
        assert math.isnan(least_stability_reserve(forces, places, None, None).value)


def test_a_crane_on_an_edge_between_crooked_pads_has_a_reserve_of_one() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        places = (
            rng.uniform(1.0, 7.0, 4)[:, None] * [(1.0, 0.3), (-0.3, 1.0), (-1.0, -0.3), (0.3, -1.0)]
        ).tolist()
        edge = pad_edges(places)[0]
        forces = np.zeros((1, 4))
        forces[0, [edge.first, edge.second]] = rng.uniform(1e3, 1e6, 2)
        assert least_stability_reserve(forces, places, None, None).value <= 1.0


def on_pads(forces: list[list[float]], turns: list[list[float]], reserve: str = "") -> dict[str, float]:
    """What the checks of a crane on four pads say of these rows."""
    folder = Path(tempfile.mkdtemp())
    stand(folder)
    text = f"luff: 1\nmodel: ./crane.yaml\ncases: {{it: {{}}}}\ntipping: {{base: stand{reserve}}}\n"
    (folder / "desk.yaml").write_text(text)
    columns = [*(f"stand.force_{k}[2]" for k in (1, 2, 3, 4)), "stand.phi", "stand.theta"]
    table = np.column_stack([np.array(forces, float), np.array(turns, float)])
    still = [
        f"stand.{kind}_{k}[{i}]" for kind in ("deflection", "force") for k in (1, 2, 3, 4) for i in (0, 1)
    ]
    columns, table = [*columns, *still], np.column_stack([table, np.zeros((len(table), len(still)))])
    return limit_excess(
        checks_from(folder / "desk.yaml"), "", Result(np.arange(float(len(table))), columns, table)
    )


@pytest.mark.parametrize("turn", [(0.17, 0.0), (0.0, 0.17), (-0.13, 0.12), (0.12, 0.13)])
def test_a_base_that_leans_over_ten_degrees_has_toppled(turn: tuple[float, float]) -> None:
    """10 degrees are 0.1745 rad: less about each axis alone, more about both together."""
    alone = math.hypot(*turn) < 0.1745
    even, still = [5e4] * 4, (0.0, 0.0)
    for rows in ([turn, still], [still, turn]):
        told = on_pads([even] * 2, [list(row) for row in rows])
        assert (told[LEANS] < 0.0) is alone
    more = [[1.04 * one for one in turn]]
    assert on_pads([even], more)[LEANS] > 0.0


def test_a_crane_that_stands_on_an_edge_tips_and_on_nothing_too() -> None:
    level = [[0.0, 0.0]]
    assert all(value < 0.0 for value in on_pads([[5e4] * 4], level).values())
    edge = on_pads([[1e5, 1e5, 0.0, 0.0]], level)
    assert {name for name, value in edge.items() if value > 0.0} == {"tipping over 2 to 1"}
    assert sum(value > 0.0 for value in on_pads([[0.0] * 4], level).values()) == 4
    # a row in between counts as much as the last
    assert (
        sum(value > 0.0 for value in on_pads([[5e4] * 4, [1e5, 1e5, 0, 0], [5e4] * 4], level * 3).values())
        == 1
    )


def on_feet(slips: list[float], forces: list[float], push: list[float]) -> dict[str, float]:
    """Checks of a crane whose third foot slips along x [m], held by a force [N], row by row; k = 1e9 N/m."""
    folder = Path(tempfile.mkdtemp())
    stand(folder)
    columns: dict[str, list[float]] = {"stand.phi": [0.0] * len(slips), "stand.theta": [0.0] * len(slips)}
    for k in (1, 2, 3, 4):
        for axis in (0, 1):
            columns |= {f"stand.{kind}_{k}[{axis}]": [0.0] * len(slips) for kind in ("deflection", "force")}
        columns[f"stand.force_{k}[2]"] = [5e4] * len(slips)
    bent = [-force / 1e9 for force in forces]
    columns["stand.deflection_3[0]"] = [slip + bend for slip, bend in zip(slips, bent, strict=True)]
    columns["stand.force_3[0]"], columns["stand.force_3[2]"] = forces, push
    table = np.column_stack([*columns.values()])
    return limit_excess(
        checks_from(folder / "crane.yaml"), "", Result(np.arange(len(slips)) * 1.0, [*columns], table)
    )


def test_a_base_that_slips_over_a_tenth_of_a_metre_has_slid() -> None:
    """What the bristle bends is no slip, and a foot in the air does not slip; a row in between counts."""
    still = [0.0, 0.0, 0.0]
    assert on_feet([0.0, 0.05, 0.0], still, [5e4] * 3)[SLIDES] == pytest.approx(-0.5)
    assert on_feet([0.0, -0.12, 0.0], still, [5e4] * 3)[SLIDES] == pytest.approx(0.2)
    assert on_feet([0.0, 0.12, 0.0], still, [5e4, 0.0, 5e4])[SLIDES] == pytest.approx(-1.0)
    assert on_feet([0.0, 0.05, 0.0], [0.0, -2e8, 0.0], [5e4] * 3)[SLIDES] == pytest.approx(-0.5)
    assert math.isnan(on_feet([0.0, math.nan, 0.0], still, [5e4] * 3)[SLIDES])


@pytest.mark.parametrize(
    ("recorded", "lacks"),
    [("stand.force_*", "stand.phi"), ("stand.force_*, stand.phi, stand.theta", "stand.deflection_1[0]")],
)
def test_a_base_of_which_too_little_is_recorded_has_no_rating(
    tmp_path: Path, recorded: str, lacks: str
) -> None:
    """Its pads push, yet whether it leans or slides is not known, and what is to be recorded is told."""
    path = stand(tmp_path)
    path.write_text(f"{path.read_text()}record: [{recorded}]\n")
    found = luff.chart(path, "load", {"azimuth": ["90 deg"]}, jobs=1)
    assert found.kinds.tolist() == ["unknown"]
    assert f"found no signal {lacks} among what is recorded" in found.reasons[(0,)]


@pytest.mark.parametrize(
    ("slip", "bend", "left"), [(2e-3, 1e-4, True), (5e-4, 1e-4, False), (2e-3, math.inf, False)]
)
def test_a_foot_left_its_place_when_it_slipped_ten_times_its_bend(
    slip: float, bend: float, left: bool
) -> None:
    """It counts at the end; a foot in the air has no bend."""
    assert FeetSlip(np.array([[0.0, 0.0], [0.0, slip]]), np.array([[1.0, 1.0], [1e-4, bend]])).left is left
    assert not FeetSlip(np.array([[0.0, slip], [0.0, 0.0]]), np.full((2, 2), 1e-4)).left
