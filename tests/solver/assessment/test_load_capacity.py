"""Capacities against closed forms: moments about outriggers, bending of a cantilever, limits of signals."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.blocks import CompileError
from luff.blocks.errors import Problem
from luff.solver.assessment import load_capacity as capacity_of_place
from luff.solver.assessment.feet_slip import FeetSlip
from luff.solver.assessment.load_capacity import (
    LEANS,
    SLIDES,
    LoadOutcome,
    capacity,
    limit_excess,
    outcome_of_error,
    seen,
)
from luff.solver.assessment.load_chart import chart, checks_from
from luff.solver.assessment.stability import convex_hull, least_stability_reserve, pad_edges
from luff.solver.flatten.flatten import Flat
from luff.solver.initial.static_report import NoEquilibrium
from luff.solver.program.started_program import started
from luff.solver.results.result import Result
from luff.solver.simulation import parameters
from luff.tests.process import call

STAND = """
luff: 1
parameters: {load: 1 t, reach: 6 m, azimuth: 90 deg}
blocks:
  stand:
    type: base_support
    mass: 20 t
    com: [0, 0, 1]
    inertia: [60 t*m^2, 110 t*m^2, 130 t*m^2]
    one_sided: true
    supports:
      - {at: [3, 2, 0], stiffness: [1e9, 1e9, 4e9], damping: [1e6, 1e6, 1e6]}
      - {at: [3, -2, 0], stiffness: [1e9, 1e9, 4e9], damping: [1e6, 1e6, 1e6]}
      - {at: [-3, 2, 0], stiffness: [1e9, 1e9, 4e9], damping: [1e6, 1e6, 1e6]}
      - {at: [-3, -2, 0], stiffness: [1e9, 1e9, 4e9], damping: [1e6, 1e6, 1e6]}
  slew: {type: fixed, rotate: [[z, =azimuth]]}
  boom: {type: rigid_link, frame_b: {at: [=reach, 0, 2]}}
  root: {type: section_sensor, of: boom, section: {shape: box, width: 0.3, height: 0.3, thickness: 8 mm}, ALLOW}
  weight: {type: rigid_link, mass: =load}
connect:
  - world.frame -- stand.frame_a
  - stand.frame_b -- slew.frame_a
  - slew.frame_b -- boom.frame_a
  - boom.frame_b -- weight.frame_a
simulation: {stop: 0.1 s, step: 1 ms}
"""


def stand(tmp_path: Path, allowable: str = "") -> Path:
    path = tmp_path / "crane.yaml"
    path.write_text(STAND.replace(", ALLOW", allowable))
    return path


def tipping_load(reach: float, azimuth: float, reserve: float = 1.0) -> float:
    """20 t in the middle of 6 m by 4 m, and a load at reach: moments about each edge."""
    x, y = reach * math.cos(azimuth), reach * math.sin(azimuth)
    loads = [math.inf]
    for half, along in ((3.0, x), (3.0, -x), (2.0, y), (2.0, -y)):
        if along > half:
            # all weight counts as if it stood in the middle: (m + P) half / (P along) is the reserve
            loads.append(20e3 * half / (reserve * along - half))
    return min(loads)


def test_a_chart_of_outriggers_is_that_of_moments(tmp_path: Path) -> None:
    azimuths, reaches = [0, 40, 90, 200], [5, 8, 12]
    found = luff.chart(
        stand(tmp_path),
        "load",
        {"azimuth": [f"{a} deg" for a in azimuths], "reach": reaches},
        upper="80 t",
        jobs=1,
    )
    for (i, j), (_, reach) in found.places():
        wanted = tipping_load(float(reach), math.radians(azimuths[i]))
        # within 0.5 % of statics; the supports sink by less than a tenth of a millimetre
        assert found.rated[i, j] == pytest.approx(wanted, rel=5e-3), (azimuths[i], reach)
        assert "tipping" in found.limits[i, j]
    assert found.evaluations < 8 * found.rated.size


def test_a_chart_is_that_of_netlists_described_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole: list[Flat] = []
    monkeypatch.setattr(parameters, "started", lambda flat: whole.append(flat) or started(flat))
    given = stand(tmp_path), "load", {"azimuth": [0, "90 deg"], "reach": [5, 8]}
    near = luff.chart(*given, upper="80 t", jobs=1)
    assert len(whole) < 0.8 * near.evaluations
    monkeypatch.setattr(capacity_of_place, "started_by_form", started)
    assert luff.chart(*given, upper="80 t", jobs=1).as_dict() == near.as_dict()


def test_reserve_and_margin(tmp_path: Path) -> None:
    (tmp_path / "desk.yaml").write_text(
        "luff: 1\nmodel: ./crane.yaml\ncases: {hold: {}}\ntipping: {base: stand, reserve: 1.4}\n"
    )
    stand(tmp_path)
    found = luff.chart(tmp_path / "desk.yaml", "load", {"reach": [8]}, upper="80 t", margin=1.25, jobs=1)
    assert found.rated[0] == pytest.approx(tipping_load(8.0, math.pi / 2, 1.4) / 1.25, rel=5e-3)


def test_the_section_governs_where_the_arm_is_short(tmp_path: Path) -> None:
    """M = m g reach against W sigma; tipping further out, where the stand gives way first."""
    path = stand(tmp_path, ", allowable: 800 MPa")
    found = luff.chart(path, "load", {"reach": [3, 12]}, upper="80 t", jobs=1)
    I = (0.3**4 - 0.284**4) / 12
    assert found.limits.tolist() == ["root", "tipping over 1 to 3"]
    bending = 800e6 * I / 0.15 / (9.81 * 3)
    # shear and the force along the boom's slope are a few per cent of the bending stress
    assert 0.85 * bending < found.rated[0] < bending
    with_load = luff.compile(
        luff.load(path), load=float(found.rated[0]), reach=3, **{"initial.solve": "static"}
    )
    assert with_load.evaluate()["root.utilisation"] == pytest.approx(1.0, abs=5e-3)


def test_moving_runs_bear_less_than_statics(tmp_path: Path) -> None:
    """A load that is let go loads its support twice as much: the limit of a signal is met at half the mass."""
    (tmp_path / "hang.yaml").write_text("""
luff: 1
parameters: {load: 100 kg}
blocks:
  slide: {type: prismatic, axis: z, stiffness: 40 kN/m}
  body: {type: rigid_link, mass: =load}
connect: [world.frame -- slide.frame_a, slide.frame_b -- body.frame_a]
simulation: {stop: 1 s, step: 1 ms}
""")
    limits = [{"of": "slide.position", "metric": "minimum", "above": "-0.1 m"}]
    still, moving = (
        luff.chart(
            tmp_path / "hang.yaml", "load", {"world.gravity": [[0, 0, -9.81]]}, upper=1000.0, limits=limits,
            dynamic=dynamic, jobs=1,
        )
        for dynamic in (False, True)
    )  # fmt: skip
    assert still.rated[0] == pytest.approx(40e3 * 0.1 / 9.81, rel=1e-3)
    # the rows miss the turning point by less than 1e-5 of the way
    assert moving.rated[0] == pytest.approx(still.rated[0] / 2, rel=2e-3)


def test_chart_from_the_command_line(tmp_path: Path) -> None:
    stand(tmp_path)
    command = [
        "chart",
        "crane.yaml",
        "--load",
        "load=0t:80t",
        "--over",
        "azimuth=0deg:90deg:90deg",
        "--over",
        "reach=8,12",
    ]
    call(*command, "-o", "a.csv", "-o", "a.svg", "-o", "a.yaml", "-o", "a.json", cwd=tmp_path)
    rows = (tmp_path / "a.csv").read_text().splitlines()
    assert rows[0] == "azimuth,reach,rated load [t],limit"
    assert len(rows) == 5
    told = json.loads((tmp_path / "a.json").read_text())
    assert float(rows[1].split(",")[2]) == pytest.approx(1e-3 * told["rated"][0][0], rel=1e-5)
    assert np.shape(told["rated"]) == (2, 2)
    # the limiter is a netlist of its own, and gives the least over the azimuths
    (tmp_path / "use.yaml").write_text(
        "luff: 1\nblocks: {r: {type: constant, value: 10}, l: {type: ./a.yaml}}\nconnect: [r.y -> l.u]\n"
        "outputs: {rated: l.y}\n"
    )
    sim = luff.compile(luff.load(tmp_path / "use.yaml"))
    low = np.array(told["rated"]).min(axis=0)
    assert next(v for k, v in sim.evaluate().items() if "capacity" in k) == pytest.approx(
        low.mean(), rel=1e-4
    )


def test_processes_of_a_chart_may_run_what_their_parent_may(tmp_path: Path) -> None:
    path = stand(tmp_path)
    (tmp_path / "mine.py").write_text("import luff\n")
    path.write_text(path.read_text().replace("blocks:\n", "blocks:\n  files: [mine.py]\n", 1))
    places = {"reach": [6.0 + k / 8 for k in range(16)]}  # eight for each of two processes
    made = chart(checks_from(path, allow_code=True), "load", places, upper=80e3, jobs=2)
    assert made.rated[0] == pytest.approx(tipping_load(6.0, math.pi / 2), rel=5e-3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--load", "load", "--over", "reach"], "expected parameter=values"),
        (["--load", "load", "--over", "reach=1m:9:2m"], "in one unit"),
        (["--load", "load=5t:1t", "--over", "reach=8"], "found a range"),
        (["--load", "lod", "--over", "reach=8"], 'says nothing at "lod"'),
        (["--load", "load", "--over", "rech=8"], "rech"),
        (["--load", "load", "--over", "reach=8", "--limit", "x=3"], "expected signal<value"),
    ],
)
def test_what_a_chart_cannot_be(tmp_path: Path, words: list[str], message: str) -> None:
    stand(tmp_path)
    done = call("chart", "crane.yaml", *words, cwd=tmp_path, code=None)
    assert done.returncode in (1, 2)
    assert message in done.stderr


# --- the parts -------------------------------------------------------------------------------------------------------


def borne(**checks: Callable[[float], float]) -> Callable[[float], LoadOutcome]:
    """A crane whose checks are formulas of the load."""
    return lambda load: seen({name: law(load) for name, law in checks.items()})


def test_the_search_takes_the_first_of_several_limits() -> None:
    loads: list[float] = []

    def look(load: float) -> LoadOutcome:
        loads.append(load)
        if load > 8.2:
            return LoadOutcome(falls="tips over its supports")
        return LoadOutcome({"bent": (load / 10.0) ** 2 - 0.64, "straight": load / 9.0 - 1.0})

    found = capacity(look, 0.0, 100.0)
    assert (found.limit, found.load) == ("bent", pytest.approx(8.0, rel=5e-3))
    assert len(loads) == found.evaluations < 16


def test_a_load_that_nothing_limits_is_the_end_of_the_range() -> None:
    found = capacity(borne(never=lambda load: -1.0 + 1e-6 * load), 0.0, 50.0)
    assert (found.load, found.limit, found.kind) == (50.0, "", "range")


def test_what_does_not_hold_even_empty_bears_nothing() -> None:
    own = capacity(borne(own=lambda load: 0.1 + load), 0.0, 50.0)
    assert (own.load, own.limit, own.kind) == (0.0, "own", "none")
    backwards = capacity(
        lambda load: LoadOutcome(falls="tips") if load < 20.0 else LoadOutcome({"x": load - 40.0}), 0.0, 50.0
    )
    assert (backwards.load, backwards.limit, backwards.kind) == (0.0, "tips", "none")


def test_the_first_crossing_counts_though_a_check_comes_back() -> None:
    """Beyond its limit from 4 to 6 t, within it at 10 and 20 t: a parabola whose bend three loads show."""
    found = capacity(
        borne(hump=lambda load: 1.0 - (load - 5.0) ** 2, far=lambda load: load - 30.0), 0.0, 50.0, 2.0
    )
    assert (found.limit, found.load) == ("hump", pytest.approx(4.0, rel=1e-2))


def test_a_hump_between_two_loads_that_hold_shows_by_their_bend() -> None:
    """Beyond its limit from 1.5 to 3.5 t, and the same at 0 and 5 t: no line through these foretells it."""
    found = capacity(
        borne(hump=lambda load: 1.0 - (load - 2.5) ** 2, far=lambda load: load - 30.0), 0.0, 50.0, 5.0
    )
    assert (found.limit, found.load) == ("hump", pytest.approx(1.5, rel=1e-2))


def test_a_crane_that_falls_without_load_is_not_asked_with_a_little() -> None:
    found = capacity(
        lambda load: LoadOutcome(falls="tips") if load == 0.0 else LoadOutcome({"x": load - 40.0}), 0.0, 50.0
    )
    assert (found.kind, found.evaluations) == ("none", 1)
    massless = capacity(
        lambda load: LoadOutcome(unknown="no mass") if load == 0.0 else LoadOutcome({"x": load - 40.0}),
        0.0,
        50.0,
    )
    assert (massless.kind, massless.load) == ("rated", pytest.approx(40.0))


def test_a_pad_that_lifts_bends_a_check() -> None:
    """Slope 1 up to 5 t, then 3: the line through the first loads would end at 12, the check does at 7.33 t."""
    found = capacity(borne(pad=lambda load: load - 12.0 + 2.0 * max(load - 5.0, 0.0)), 0.0, 50.0, 1.0)
    assert found.load == pytest.approx(5.0 + 7.0 / 3.0, rel=5e-3)


def test_a_search_for_rest_that_fails_is_not_a_crane_that_falls() -> None:
    nowhere = capacity(lambda load: LoadOutcome(unknown="no equilibrium found"), 0.0, 50.0)
    assert math.isnan(nowhere.load)
    assert (nowhere.kind, nowhere.reason) == ("unknown", "no equilibrium found")
    above = capacity(
        lambda load: LoadOutcome({"x": load - 40.0}) if load < 20.0 else LoadOutcome(unknown="lost"),
        0.0,
        50.0,
    )
    assert above.kind == "unknown"
    assert above.reason.startswith("lost; ")
    # 39.4 of 40 t are no evidence of what the line from there on would say
    nearly = capacity(
        lambda load: LoadOutcome({"x": load - 40.0}) if load < 39.4 else LoadOutcome(unknown="lost"),
        0.0,
        50.0,
    )
    assert (nearly.kind, math.isnan(nearly.load)) == ("unknown", True)
    at_one_load = capacity(
        lambda load: LoadOutcome(unknown="lost") if load == 5.0 else LoadOutcome({"x": load - 40.0}),
        0.0,
        50.0,
    )
    assert (at_one_load.kind, at_one_load.load) == ("rated", pytest.approx(40.0))


@pytest.mark.parametrize("odd", [math.nan, -math.inf])
def test_a_check_that_is_no_number_leaves_the_load_unknown(odd: float) -> None:
    """Minus infinity is far within its limit, and no sum of forces is that."""
    found = capacity(borne(good=lambda load: load - 9.0, bad=lambda load: odd), 0.0, 50.0)
    assert (found.kind, found.reason) == ("unknown", "bad is no number")


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


def test_a_dynamic_chart_bears_what_all_cases_do(tmp_path: Path) -> None:
    """The load is lifted by a spring in three cases of other stiffness; the softest, in the middle, decides."""
    (tmp_path / "hang.yaml").write_text("""
luff: 1
parameters: {load: 100 kg, k: 40 kN/m}
blocks:
  slide: {type: prismatic, axis: z, stiffness: =k}
  body: {type: rigid_link, mass: =load}
connect: [world.frame -- slide.frame_a, slide.frame_b -- body.frame_a]
simulation: {stop: 1 s, step: 1 ms}
""")
    cases = ["a: {set: {k: 40 kN/m}}", "b: {set: {k: 20 kN/m}}", "c: {set: {k: 80 kN/m}}"]
    for order in (cases, cases[1:] + cases[:1], cases[2:] + cases[:2]):
        text = f"luff: 1\nmodel: ./hang.yaml\ncases: {{{', '.join(order)}}}\n"
        text += "limits: [{of: slide.position, metric: minimum, above: -0.1 m}]\n"
        (tmp_path / "desk.yaml").write_text(text)
        found = luff.chart(
            tmp_path / "desk.yaml",
            "load",
            {"world.gravity": [[0, 0, -9.81]]},
            upper=1000.0,
            dynamic=True,
            jobs=1,
        )
        assert found.rated[0] == pytest.approx(20e3 * 0.1 / 9.81 / 2.0, rel=2e-3)


@pytest.mark.parametrize(
    ("words", "verdict", "falls"),
    [
        ("tips over the edge between supports 1 and 2: its load presses 0.1 m beyond it", "tips", True),
        ("slides on its supports: friction holds 90 % of what acts across them", "slides", True),
        ("nothing holds slide.position (3 N)", "loose", True),
        ("no equilibrium found: 3 N is left at slide.position", "unknown", False),
        ("more constraints than coordinates", "", False),
    ],
)
def test_errors_tell_a_crane_that_falls_apart_from_a_search_that_fails(
    words: str, verdict: str, falls: bool
) -> None:
    one = outcome_of_error(NoEquilibrium(Problem(words), verdict) if verdict else CompileError(words))
    assert bool(one.falls) is falls
    assert bool(one.unknown) is not falls
    assert one.falls in ("", words.partition(":")[0])


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


def test_a_load_is_rated_where_rest_is_not_found_just_below_one_that_falls() -> None:
    """Nothing is known from 39.95 t on, and at 40 t it slides: 39.9 t, which holds, is within 0.3 % of that."""

    def look(load: float) -> LoadOutcome:
        if load > 40.0:
            return LoadOutcome(falls="slides")
        return LoadOutcome(unknown="lost") if load > 39.95 else LoadOutcome({"x": load - 100.0})

    found = capacity(look, 0.0, 50.0)
    assert (found.kind, found.limit) == ("rated", "slides")
    assert 40.0 * (1.0 - 3e-3) <= found.load <= 39.95
    wide = capacity(lambda load: LoadOutcome(unknown="lost") if 39.8 < load < 40.0 else look(load), 0.0, 50.0)
    assert wide.kind == "unknown"


@pytest.mark.parametrize(
    ("slip", "bend", "left"), [(2e-3, 1e-4, True), (5e-4, 1e-4, False), (2e-3, math.inf, False)]
)
def test_a_foot_left_its_place_when_it_slipped_ten_times_its_bend(
    slip: float, bend: float, left: bool
) -> None:
    """It counts at the end; a foot in the air has no bend."""
    assert FeetSlip(np.array([[0.0, 0.0], [0.0, slip]]), np.array([[1.0, 1.0], [1e-4, bend]])).left is left
    assert not FeetSlip(np.array([[0.0, slip], [0.0, 0.0]]), np.full((2, 2), 1e-4)).left
