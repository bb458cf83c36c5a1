"""Capacities against closed forms: moments about outriggers, bending of a cantilever, limits of signals."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.blocks import CompileError
from luff.blocks.errors import LuffError, Problem
from luff.solver.assessment import load_capacity as capacity_of_place
from luff.solver.assessment.chart_table import Chart, lower_rows, lower_steps, rounded_down
from luff.solver.assessment.load_capacity import (
    LoadOutcome,
    capacity,
    outcome_of_error,
    seen,
)
from luff.solver.assessment.load_chart import chart, checks_from
from luff.solver.flatten.flatten import Flat
from luff.solver.initial.static_report import NoEquilibrium
from luff.solver.program.started_program import started
from luff.solver.simulation import parameters
from luff.tests.process import call

from .outrigger_crane import stand, tipping_load


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


def test_a_parameter_is_set_by_the_name_of_an_argument(tmp_path: Path) -> None:
    """The reach at which 8 t tip, over the parameter `load` that is also an argument of `luff.chart`."""
    words = ["--load", "reach=3m:20m", "--over", "azimuth=90deg", "--set", "load=8t", "-o", "reach.json"]
    call("chart", stand(tmp_path), *words, cwd=tmp_path)
    found = json.loads((tmp_path / "reach.json").read_text())["rated"][0]
    assert found == pytest.approx(2.0 + 20e3 * 2.0 / 8e3, rel=5e-3)  # 8 t (reach - 2 m) = 20 t 2 m
    given: tuple[Path, str, dict[str, list[object]]] = stand(tmp_path), "reach", {"azimuth": ["90 deg"]}
    with pytest.raises(LuffError, match="azimuth: found two values, one in `set` and one as keyword"):
        luff.chart(*given, set={"azimuth": 0}, azimuth=1)


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


def test_a_load_may_be_a_number_that_names_a_parameter(tmp_path: Path) -> None:
    """It is rated in the unit of that parameter."""
    by_name = luff.chart(stand(tmp_path), "load", {"reach": [8]}, upper="80 t", jobs=1)
    found = luff.chart(stand(tmp_path), "weight.mass", {"reach": [8]}, upper="80 t", jobs=1)
    assert (found.unit, found.rated.tolist()) == ("t", by_name.rated.tolist())


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


def test_steps_between_places_are_the_lower_of_both_loads() -> None:
    """A load that falls as 1 / x lies below each chord; beside a place of which nothing is known nothing is drawn."""
    x = np.array([8.0, 4.0, 2.0, 16.0])
    edges, heights = lower_steps(x, 16.0 / x)
    assert edges.tolist() == [2.0, 4.0, 8.0, 16.0]
    assert heights.tolist() == [4.0, 2.0, 1.0]
    assert np.isnan(lower_steps(x, np.array([2.0, np.nan, 8.0, 1.0]))[1]).tolist() == [True, True, False]
    assert lower_steps(x[:1], x[:1])[1].size == 0


def test_a_limiter_has_loads_on_the_safe_side_of_one_that_falls_ever_more_slowly(tmp_path: Path) -> None:
    """Tipping by hand, M / (r - 2 m): a chord lies above it, and `low` nowhere; the picture has the lower steps."""
    reach = np.array([6.0, 8.0, 12.0, 13.0])
    words = np.full(4, "tips")
    chart = Chart(
        "load",
        {"reach": [f"{r} m" for r in reach]},
        16e3 / (reach - 2.0),
        words,
        np.full(4, "rated"),
        1.0,
        False,
        4,
    )
    chart.save(tmp_path / "limiter.yaml")
    (tmp_path / "model.yaml").write_text(
        "luff: 1\nblocks:\n  sweep: {type: table, data: [[0, 5], [10, 14]]}\n  chart: {type: ./limiter.yaml}\n"
        "connect: [sweep.y -> chart.u]\nrecord: [sweep.y, chart.y, chart.low]\nsimulation: {stop: 10 s, step: 10 ms}\n"
    )
    run = luff.compile(tmp_path / "model.yaml").run()
    r, y, low = (run[name] for name in ("sweep.y", "chart.y", "chart.low"))
    inside = (r >= 6.0) & (r <= 13.0)
    tipping = 16e3 / (r - 2.0)
    assert np.allclose(y, np.interp(r, reach, chart.rated), rtol=1e-5)  # as the table is rounded
    assert (y[inside] > 1.06 * tipping[inside]).any()  # by hand 1.067 at 9.9 m
    assert (low[inside] <= tipping[inside]).all()
    edges, heights = lower_steps(reach, chart.rated)
    k = np.clip(np.searchsorted(edges, r[inside], "right") - 1, 0, 2)
    assert (low[inside] <= heights[k] * (1.0 + 1e-12)).all()  # of the sum of two rounded parts


def test_lower_rows_are_the_least_of_neighbours_and_rounded_down() -> None:
    assert lower_rows(np.array([3.0, 1.0, 2.0, 5.0])).tolist() == [1.0, 1.0, 1.0, 2.0]
    assert lower_rows(np.array([7.0])).tolist() == [7.0]
    for load in (1.0000049, 9.9999951, 31610.76, 0.0, 2.0 / 3.0):
        assert 0.0 <= load - float(rounded_down(load)) <= 1.5e-5 * load
