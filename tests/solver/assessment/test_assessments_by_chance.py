"""Assessments of histories that chance wrote, with holes in them: every order of the cases, against a slow twin."""

from __future__ import annotations

import math
import random
from itertools import pairwise, permutations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from luff.blocks.errors import Problem
from luff.blocks.signals.rainflow import Woehler
from luff.solver.assessment import confirmation_runs, judge_runs
from luff.solver.assessment.assessment_file import Assessment, load
from luff.solver.assessment.fatigue import section_damage
from luff.solver.assessment.findings import Findings
from luff.solver.assessment.limit_checks import _utilisation
from luff.solver.assessment.load_capacity import LoadOutcome, limit_excess, outcome_of_error
from luff.solver.assessment.stability import least_stability_reserve
from luff.solver.initial.static_report import NoEquilibrium
from luff.solver.results.result import Result
from luff.solver.results.verdict import Verdict
from luff.solver.studies.study_store import StudyResult

MODEL = """
luff: 1
blocks:
  x: {type: constant, value: 1}
  v: {type: constant, value: 1, unit: m/s}
  pull: {type: constant, value: 1, unit: N}
  length: {type: constant, value: 1, unit: m}
  a: {type: constant, value: 1, unit: N}
  b: {type: constant, value: 1, unit: N}
  c: {type: constant, value: 1, unit: N}
  d: {type: constant, value: 1, unit: N}
simulation: {stop: 1 s, step: 1 s}
"""
DESK = """
luff: 1
model: ./signals.yaml
cases: {CASES}
limits:
  - {title: high, metric: maximum, of: x.y, below: 2}
  - {title: low, metric: minimum, of: x.y, above: -2}
  - {title: often, metric: count, of: x.y, level: 1, below: 3}
  - {title: worn, metric: damage, of: x.y, fatigue: {strength: 2, reference: 5, slope: 3}, below: 1}
  - {title: mean, metric: mean, of: v.y, below: 0.5 m/s}
ropes: {rope: {tension: pull.y, breaking: 100 N, safety: 5, length: length.y, sheaves: [{at: 1 m}], diameter: 20 mm,
  feyrer: {b0: 1.5, b1: -2, b2: 1, b3: 0, sheave: 500 mm}}}
drives: {drive: {speed: v.y, rest: 0.1 m/s, most: LIMIT}}
tipping:
  reserve: 1.2
  pads: [{force: a.y, at: [1, 1]}, {force: b.y, at: [-1, 1]}, {force: c.y, at: [-1, -1]}, {force: d.y, at: [1, -1]}]
"""
COLUMNS = ["x.y", "v.y", "pull.y", "length.y", "a.y", "b.y", "c.y", "d.y"]
UNITS = dict(zip(COLUMNS, ["", "m/s", "N", "m", "N", "N", "N", "N"], strict=True))


class Histories(StudyResult):
    """Results that no run has made."""

    def __init__(self, results: dict[str, Result]):
        names = list(results)
        finished = dict.fromkeys(names, "finished")
        super().__init__(Path("none"), names, finished, dict.fromkeys(names, ""), {}, {}, _read=results)


def drawn(rng: random.Random) -> Result:
    n = rng.randrange(2, 30)
    draw = np.random.default_rng(rng.randrange(2**32))
    calm = rng.choice([0.2, 0.6, 1.5])
    pads = 50.0 + calm * 20.0 * draw.normal(size=(n, 4))
    columns = [
        calm * draw.normal(size=n),
        0.4 * calm * draw.normal(size=n),
        np.abs(10.0 + 5.0 * calm * draw.normal(size=n)),
        10.0 + 3.0 * draw.random(n),
        *np.maximum(pads, 0.0).T,
    ]
    table = np.column_stack(columns)
    if rng.random() < 0.4:
        table[rng.randrange(n), rng.randrange(len(COLUMNS))] = rng.choice(
            [math.nan, math.nan, math.inf, -math.inf]
        )
    return Result(np.arange(float(n)), COLUMNS, table, UNITS)


def desk(folder: Path, repeats: dict[str, float], most: float) -> Assessment:
    cases = ", ".join(f"{name}: {{repeats: {often}}}" for name, often in repeats.items())
    (folder / "signals.yaml").write_text(MODEL)
    (folder / "desk.yaml").write_text(DESK.replace("CASES", cases).replace("LIMIT", f"{most}"))
    return load(folder / "desk.yaml")


def found(made: Findings) -> dict[str, Verdict]:
    lives = {f"life of {one.title}": one.verdict for one in (*made.lives, *made.ropes)}
    return {one.title: one.verdict for one in (*made.checks, *made.duties)} | lives | {"all": made.verdict}


def worst_of(values: list[float]) -> Verdict:
    """By hand, for values that are to be below zero: beyond it fails; a hole is unknown, as -inf is."""
    if any(value > 0.0 for value in values):
        return Verdict.FAILS
    odd = any(not math.isfinite(value) for value in values)
    return Verdict.UNKNOWN if odd else Verdict.HOLDS


def by_hand(results: dict[str, Result], repeats: dict[str, float], most: float) -> dict[str, Verdict]:
    """Loops over numbers, where the product has arrays."""
    high, low, mean, rope, tip, starts = [], [], [], [], [], 0.0
    counts: list[float] = []
    for name, one in results.items():
        x, v, pull = (one[signal].tolist() for signal in ("x.y", "v.y", "pull.y"))
        whole = all(map(math.isfinite, x))
        hole = any(math.isnan(value) for value in x)
        high.append(math.nan if hole else max(x) - 2.0)
        low.append(math.nan if hole else -2.0 - min(x))
        ups = sum(1 for before, after in pairwise(x) if after > 1.0 >= before)
        counts.append(ups - 3.0 if whole else math.nan)
        area = sum(0.5 * (before + after) for before, after in pairwise(v))
        mean.append(area / (len(v) - 1) - 0.5)
        rope.append(math.nan if any(map(math.isnan, pull)) else max(pull) * 5.0 / 100.0 - 1.0)
        edges: list[float] = []
        for row in range(len(x)):
            forces = [float(one[f"{pad}.y"][row]) for pad in "abcd"]
            at = [(1, 1), (-1, 1), (-1, -1), (1, -1)]
            total = sum(forces)
            for normal in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                # a force F at a way d inside of the edge holds F d; all of it in the middle holds 1 of the total
                net = sum(
                    f * (1.0 - p[0] * normal[0] - p[1] * normal[1]) for f, p in zip(forces, at, strict=True)
                )
                over = total - net
                edges.append(1.2 * over - total if math.isfinite(total) else math.nan)
        tip.append(math.nan if any(map(math.isnan, edges)) else max(edges))
        fast = [abs(value) > 0.1 for value in v]
        begun = fast[0] + sum(1 for before, after in pairwise(fast) if after and not before)
        if repeats[name] > 0.0:
            starts += repeats[name] * begun if all(map(math.isfinite, v)) else math.nan
    return {
        "high": worst_of(high),
        "low": worst_of(low),
        "often": worst_of(counts),
        "mean": worst_of(mean),
        "rope": worst_of(rope),
        "stability": worst_of(tip),
        "drive": Verdict.UNKNOWN
        if math.isnan(starts)
        else Verdict.HOLDS
        if starts <= most
        else Verdict.FAILS,
    }


def agree(folder: Path, rng: random.Random) -> None:
    names = [f"case {k}" for k in range(rng.randint(1, 4))]
    results = {name: drawn(rng) for name in names}
    repeats = {name: float(rng.choice([0, 1, 10, 1000])) for name in names}
    most = rng.choice([5.0, 200.0, 1e5])
    seen: list[dict[str, Verdict]] = []
    for _ in range(3):
        order = rng.sample(names, len(names))
        made = judge_runs(
            desk(folder, {name: repeats[name] for name in order}, most),
            Histories({n: results[n] for n in order}),
        )
        seen.append(found(made))
    assert seen[0] == seen[1] == seen[2]
    wanted = by_hand(results, repeats, most)
    for title, verdict in wanted.items():
        if title == "drive" and not any(repeats.values()):
            continue
        assert seen[0][title] is verdict, (title, seen[0][title], verdict)
    if any(not np.isfinite(one["x.y"]).all() for one in results.values()):
        assert seen[0]["worn"] is not Verdict.HOLDS
        assert seen[0]["all"] is not Verdict.HOLDS


def test_every_order_of_the_cases_and_a_slow_twin_agree(tmp_path: Path) -> None:
    for seed in range(12):
        agree(tmp_path, random.Random(seed))


def test_a_crane_on_an_edge_fails_though_a_reserve_of_one_is_asked_for(tmp_path: Path) -> None:
    desk(tmp_path, {"it": 0.0}, 5.0)
    path = tmp_path / "desk.yaml"
    path.write_text(path.read_text().replace("reserve: 1.2", "reserve: 1"))
    table = np.array(
        [[0.0, 0.0, 10.0, 10.0, 50.0, 20.0, 0.0, 30.0], [0.0, 0.0, 10.0, 10.0, 50.0, 0.0, 0.0, 50.0]]
    )
    made = judge_runs(load(path), Histories({"it": Result(np.arange(2.0), COLUMNS, table, UNITS)}))
    assert found(made)["stability"] is Verdict.FAILS
    assert next(one for one in made.checks if one.kind == "tipping").time == 1.0


def test_what_stands_on_an_edge_has_no_more_than_a_reserve_of_one_whatever_rounding_makes_of_it() -> None:
    rng = np.random.default_rng(4)
    for _ in range(200):
        base = rng.uniform(0.1, 9.0, 2)
        turn = rng.uniform(0.0, 2.0 * math.pi)
        R = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
        places = [(R @ (base * corner)).tolist() for corner in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
        forces = np.array([[*rng.uniform(1e3, 1e6, 2), 0.0, 0.0]])
        found = least_stability_reserve(forces, places, None, None)
        assert found.value <= 1.0
        assert found.value == pytest.approx(1.0)


def test_the_curve_of_a_reserve_has_the_least_of_each_row() -> None:
    forces = np.random.default_rng(8).uniform(1.0, 9.0, (12, 4))
    places = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]
    whole = least_stability_reserve(forces, places, None, None)
    rows = [least_stability_reserve(forces[k : k + 1], places, None, None) for k in range(12)]
    assert whole.curve == pytest.approx([one.value for one in rows])
    assert len({one.edge.first for one in rows}) > 1
    assert whole.value == min(one.value for one in rows)


def test_rope_that_the_signal_does_not_count_is_bent_too(tmp_path: Path) -> None:
    """5 m and two falls of 0 to 5 m: the drum bends metres 5 to 15, a sheave 1 m from it metres 4 to 14."""
    desk(tmp_path, {"it": 10.0}, 1e9)
    path = tmp_path / "desk.yaml"
    path.write_text(path.read_text().replace("length: length.y", "length: length.y, lead: 5 m, falls: 2"))
    table = np.array(
        [[0.0, 0.0, 10.0, length, 50.0, 50.0, 50.0, 50.0] for length in np.linspace(0.0, 5.0, 51)]
    )
    (rope,) = judge_runs(load(path), Histories({"it": Result(np.arange(51.0), COLUMNS, table, UNITS)})).ropes
    assert (rope.at, rope.cycles) == (5.5, 10.0 * 1.5)


def test_runs_beside_a_rated_load_are_beside_the_load_without_its_margin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flown: list[float] = []

    def fly(point: object, load: float) -> LoadOutcome:
        flown.append(load)
        return LoadOutcome({"rope": load / 10.0 - 1.0})

    monkeypatch.setattr(confirmation_runs, "flown", fly)
    chart = SimpleNamespace(
        load="load", axes={"reach": [1.0]}, rated=np.array([8.0]), limits=np.array(["rope"]), margin=1.25,
        kinds=np.array(["rated"]), dynamic=False, unit="", gust=1.0,
        places=lambda: [((0,), (1.0,))],
    )  # fmt: skip
    told = [*confirmation_runs.confirmations(chart, desk(tmp_path, {"it": 0.0}, 5.0))]  # type: ignore[arg-type]
    assert flown == pytest.approx([9.8, 10.2])
    assert [run.agrees for run in told] == [True, True]
    assert (
        outcome_of_error(NoEquilibrium(Problem("it lies on its side"), "loose")).falls
        == "it lies on its side"
    )
    assert outcome_of_error(NoEquilibrium(Problem("it was not found"), "unknown")).falls == ""


def test_pads_that_carry_nothing_are_told_and_a_crane_that_floats_has_no_reserve(tmp_path: Path) -> None:
    assessment = desk(tmp_path, {"it": 0.0}, 5.0)
    table = np.array(
        [[0, 0, 10, 10, 50, 50, 50, 50], [0, 0, 10, 10, 50, 0, 20, 50], [0, 0, 10, 10, 0, 0, 0, 0]], float
    )
    made = judge_runs(assessment, Histories({"it": Result(np.arange(3.0), COLUMNS, table, UNITS)}))
    assert dict(made.lifted["it"]) == {"a.y": 2.0, "b.y": 1.0, "c.y": 2.0, "d.y": 2.0}
    check = next(one for one in made.checks if one.kind == "tipping")
    assert (check.value, check.time, check.verdict) == (0.0, 2.0, Verdict.FAILS)


@pytest.mark.parametrize(
    ("least", "bound", "factor", "value"),
    [
        (30.0, "40 N", 1.5, 30.0),  # what presses is not taken for more than it is
        (-30.0, "-40 N", 1.5, -45.0),
        (-30.0, "-50 N", 1.5, -45.0),
        (30.0, "26 N", 0.9, 27.0),
    ],
)
def test_a_factor_on_effects_enlarges_none_that_is_favourable(
    tmp_path: Path, least: float, bound: str, factor: float, value: float
) -> None:
    desk(tmp_path, {"it": 0.0}, 5.0)
    path = tmp_path / "desk.yaml"
    low = f"limits:\n  - {{title: least, metric: minimum, of: a.y, above: {bound}}}"
    combined = f"combinations: {{all: {{effect: {factor}}}}}\n{low}"
    path.write_text(path.read_text().replace("limits:", combined))
    assessment = load(path)
    table = np.array([[0.0, 0.0, 10.0, 10.0, least, 50.0, 50.0, 50.0]] * 2)
    whole = Result(np.arange(2.0), COLUMNS, table, UNITS)
    made = judge_runs(assessment, Histories(dict.fromkeys(assessment.loads, whole)))
    check = next(one for one in made.checks if one.title == "least")
    assert check.value == pytest.approx(value)
    assert check.holds is (value >= float(bound.split()[0]))


BEAM = """
luff: 1
blocks:
  beam: {type: rfem_link, length: 2 m, divisions: 2, rho: 7850, section: {shape: circle, diameter: 50 mm}}
  root: {type: section_sensor, of: beam, at: 0 m, allowable: 200 MPa}
  pull: {type: constant, value: 1, unit: N}
connect: [world.frame -- beam.frame_a]
"""
LIFT = """
luff: 1
model: ./beam.yaml
cases: {it: {start: 1 s, stop: STOP}}
combinations: {all: {effect: 1.5}}
sections: {root: {sensor: root}}
ropes: {rope: {tension: pull.y, breaking: 100 N, safety: 4}}
limits: [{title: pull, metric: maximum, of: pull.y, below: 100 N, start: 0.5 s, stop: 3 s}]
"""


@pytest.mark.parametrize(("stop", "last"), [("2 s", 2.0), ("4 s", 3.0)])
def test_a_factor_on_effects_enlarges_stresses_and_pulls_in_the_window_of_both(
    tmp_path: Path, stop: str, last: float
) -> None:
    """A pull of 10 N and a stress of 10 MPa for each second, and a snap before the case counts."""
    (tmp_path / "beam.yaml").write_text(BEAM)
    (tmp_path / "desk.yaml").write_text(LIFT.replace("STOP", stop))
    assessment = load(tmp_path / "desk.yaml")
    time = np.arange(6.0)
    pull = np.where(time == 0.0, 1e3, 10.0 * time)
    units = {"root.von_mises": "Pa", "pull.y": "N"}
    result = Result(time, [*units], np.column_stack([1e6 * pull, pull]), units)
    made = judge_runs(assessment, Histories(dict.fromkeys(assessment.loads, result)))
    checks = {one.title: one for one in made.checks}
    assert set(checks) == {"root", "rope", "pull"}
    ends = float(stop.split()[0])  # of the case: a section and a rope have no window of their own
    root, rope, limit = checks["root"], checks["rope"], checks["pull"]
    assert (root.value, root.time) == (pytest.approx(1.5 * 1e7 * ends), ends)
    assert root.utilisation == pytest.approx(1.5 * 1e7 * ends / 200e6)
    assert (rope.value, rope.time) == (pytest.approx(100.0 / (1.5 * 10.0 * ends)), ends)
    assert rope.utilisation == pytest.approx(1.5 * 10.0 * ends * 4.0 / 100.0)
    assert (limit.value, limit.time) == (pytest.approx(1.5 * 10.0 * last), last)


@pytest.mark.parametrize(
    ("value", "bound", "sign", "use"),
    [
        (3.0, 4.0, 1.0, 0.75),
        (4.0, 3.0, -1.0, 0.75),
        (-4.0, -3.0, 1.0, 0.75),
        (-3.0, -4.0, -1.0, 0.75),
        (1.0, 4.0, 1.0, 0.25),
        (4.0, 1.0, -1.0, 0.25),
        (0.0, 4.0, 1.0, 0.0),
        (0.0, 4.0, -1.0, math.inf),
        (0.0, -4.0, 1.0, math.inf),
        (0.0, 0.0, 1.0, 0.0),
        (1.0, 0.0, 1.0, math.inf),
        (-1.0, 0.0, 1.0, 0.0),
        (-1.0, 2.0, 1.0, 0.0),
        (-1.0, 2.0, -1.0, math.inf),
        (2.0, -1.0, -1.0, 0.0),
    ],
)
def test_a_utilisation_is_at_most_one_within_the_bound(
    value: float, bound: float, sign: float, use: float
) -> None:
    assert _utilisation(value, bound, sign) == use
    assert math.isnan(_utilisation(math.nan, 1.0, sign))


def test_charts_take_the_worst_row_of_each_check(tmp_path: Path) -> None:
    """By hand: 30 N of 100 N at a safety of 5, x at most 1.5 of 2, and all on two pads in the middle row."""
    assessment = desk(tmp_path, {"it": 0.0}, 5.0)
    calm, snap = [0.0, 0.0, 10.0, 10.0, 50.0, 50.0, 50.0, 50.0], [1.5, 0.2, 30.0, 9.0, 50.0, 0.0, 0.0, 50.0]
    excess = limit_excess(
        assessment, "it", Result(np.arange(3.0), COLUMNS, np.array([calm, snap, calm]), UNITS)
    )
    assert excess["rope"] == pytest.approx(0.5)
    assert excess["high"] == pytest.approx((1.5 - 2.0) / 2.0)
    assert excess["low"] == pytest.approx(-2.0 / 2.0)
    assert excess["mean"] == pytest.approx((0.1 - 0.5) / 0.5)
    # what stands on two pads alone stands on the edge between them
    tipping = {name: value for name, value in excess.items() if name.startswith("tipping")}
    assert sum(value > 0.0 for value in tipping.values()) == 1
    assert tipping["tipping over 4 to 1"] > 0.0


def test_a_drive_is_at_work_for_unknown_hours_where_its_speed_is_no_number(tmp_path: Path) -> None:
    assessment = desk(tmp_path, {"it": 10.0, "other": 3.0}, 1e5)
    table = np.array([[0.0, 1.0, 10.0, 10.0, 50.0, 50.0, 50.0, 50.0]] * 4)
    whole = Result(np.arange(4.0), COLUMNS, table, UNITS)
    hole = Result(np.arange(4.0), COLUMNS, np.where(np.arange(4)[:, None] == 2, np.nan, table), UNITS)
    (duty,) = judge_runs(assessment, Histories({"it": whole, "other": whole})).duties
    assert (duty.hours, duty.travel) == (pytest.approx(13.0 * 3.0 / 3600.0), pytest.approx(39.0))
    (duty,) = judge_runs(assessment, Histories({"it": whole, "other": hole})).duties
    assert math.isnan(duty.hours)
    assert math.isnan(duty.travel)


def test_a_run_that_did_not_end_leaves_the_whole_unknown(tmp_path: Path) -> None:
    assessment = desk(tmp_path, {"it": 0.0, "other": 0.0}, 5.0)
    table = np.array([[0.0, 0.0, 10.0, 10.0, 50.0, 50.0, 50.0, 50.0]] * 2)
    histories = Histories({"it": Result(np.arange(2.0), COLUMNS, table, UNITS)})
    histories.statuses["other"] = "failed"
    made = judge_runs(assessment, histories)
    assert (made.verdict, made.holds, [*made.failed]) == (Verdict.UNKNOWN, None, ["other"])


def test_damage_over_the_life_is_that_of_all_cases_as_often_as_they_come() -> None:
    """n cycles of range s do n (s/strength)^3 / reference: in three cases, by hand, at the worse of two points."""
    numbers = {
        **{name: one.default for name, one in Woehler.params.items()},
        "strength": 2.0,
        "reference": 1e3,
    }
    check = SimpleNamespace(sensor="root", fatigue=Woehler(numbers, frozenset()), damage=1.0)
    points = [SimpleNamespace(name="top"), SimpleNamespace(name="low")]
    cases = {
        name: SimpleNamespace(repeats=often, start=0.0, stop=None)
        for name, often in (("a", 10.0), ("b", 3.0), ("c", 7.0))
    }
    ranges = {"a": 1.0, "b": 4.0, "c": 2.0}
    results = {}
    for name, size in ranges.items():
        wave = np.tile([0.0, size], 11)[:21]  # ten cycles
        table = np.column_stack([0.5 * wave, wave])
        results[name] = Result(np.arange(21.0), ["root.stress[0]", "root.stress[1]"], table)
    assessment = SimpleNamespace(
        flat=SimpleNamespace(blocks={"root": SimpleNamespace(all_points=points)}),
        settings=SimpleNamespace(cases=cases),
    )
    wanted = {name: cases[name].repeats * 10.0 * (size / 2.0) ** 3 / 1e3 for name, size in ranges.items()}
    for order in permutations(results):
        life = section_damage(assessment, "root", check, {name: results[name] for name in order})  # type: ignore[arg-type]
        assert (life.point, life.damage) == ("low", pytest.approx(sum(wanted.values())))
        assert life.by_case == pytest.approx(wanted)
        assert life.history.cycles == pytest.approx(10.0 * 20.0)


def test_every_order_of_the_cases_and_a_slow_twin_agree_by_chance(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(300):
        agree(tmp_path, rng)
