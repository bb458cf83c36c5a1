"""`luff optimise`: a closed form found again, limits kept, resuming, every mistake."""

from __future__ import annotations

import json
import math
from importlib import import_module
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import luff
from luff.solver.results.result import Result
from luff.solver.studies.run_measures import measure_value, plain_metric
from luff.solver.tuning.concurrent_searches import ConcurrentSearches
from luff.solver.tuning.measure_rows import NORMS, PEAKS, parts_of, unlike_rows
from luff.solver.tuning.minimax import (
    ROWS,
    Bounded,
    LinearPoint,
    NormOf,
    at_least,
    at_most,
    mean_weights,
    minimax_search,
)
from luff.solver.tuning.optimise import Objective
from luff.solver.tuning.run_backends import DerivedRun, ThreadBackend

from ...conftest import about_compiling, hours_as_plain_python
from ...process import call
from .cases import one_by_one

# a spring on a base that moves by a shaped law: a ZV shaper leaves it at rest where its times are those of the mode
MODEL = """\
luff: 1
name: shaped
blocks:
  plan: {type: motion_law, unit: m, end_value: 0.5, start: 0.1 s, duration: 0.3 s}
  shaper: {type: input_shaper, shaper: zv, frequency: 5 rad/s, damping: 0.01}
  rail: {type: prismatic, axis: x, driven: true}
  base: {type: rigid_link, mass: 3}
  spring: {type: prismatic, axis: x, stiffness: 160, damping: 3.2}
  load: {type: rigid_link, mass: 2.5}
connect:
  - plan.y -> shaper.u
  - shaper.y -> rail.follow
  - world.frame -- rail.frame_a
  - rail.frame_b -- base.frame_a
  - base.frame_b -- spring.frame_a
  - spring.frame_b -- load.frame_a
simulation: {stop: 2.5 s, step: 2.5 ms}
"""
FREQUENCY = math.sqrt(160 / 2.5)  # rad/s
DAMPING = 3.2 / (2 * math.sqrt(160 * 2.5))
TASK = """\
luff: 1
model: ./shaped.yaml
optimise:
  parameters:
    shaper.frequency: {lower: 5 rad/s, upper: 14 rad/s, start: 6.5 rad/s}
    shaper.damping: {lower: 0, upper: 0.3, start: 0.02}
  minimise: {metric: range, of: spring.position, start: 1.2 s, unit: mm}
  method: local
"""
# the highest place at which a load may hang is the limit itself
LIMIT = """\
luff: 1
model: ./hung.yaml
optimise:
  parameters:
    rail.stiffness: {lower: 100, upper: 900, start: 800}
  maximise: {metric: final, of: rail.position}
  require: [{metric: final, of: rail.position, below: -5 cm}]
  method: METHOD
  population: 8
  seed: 3
"""
HUNG = """\
luff: 1
blocks:
  rail: {type: prismatic, axis: z, stiffness: 300, damping: 200}
  load: {type: rigid_link, mass: 2}
connect: [world.frame -- rail.frame_a, rail.frame_b -- load.frame_a]
initial: {solve: static}
simulation: {stop: 0.1, step: 0.01}
"""


def written(folder: Path, task: str, model: str = MODEL, name: str = "shaped") -> Path:
    (folder / f"{name}.yaml").write_text(model)
    (folder / "task.yaml").write_text(task)
    return folder / "task.yaml"


@hours_as_plain_python
def test_the_times_of_a_zv_shaper_are_those_of_the_closed_form(tmp_path: Path) -> None:
    written(tmp_path, TASK)
    call("optimise", "task.yaml", "--quiet", cwd=tmp_path)
    found = json.loads((tmp_path / "task.json").read_text())["values"]
    half = math.pi / (FREQUENCY * math.sqrt(1 - DAMPING**2))
    damping = found["shaper.damping"]
    late = math.pi / (found["shaper.frequency"] * math.sqrt(1 - damping**2))
    assert late == pytest.approx(half, rel=1e-3)
    K = math.exp(-math.pi * damping / math.sqrt(1 - damping**2))
    expected = math.exp(-math.pi * DAMPING / math.sqrt(1 - DAMPING**2))
    assert pytest.approx(1 / (1 + expected), rel=1e-3) == 1 / (1 + K)


@pytest.mark.parametrize("method", ["local", "global", "both"])
def test_a_limit_is_kept_and_met(method: str, tmp_path: Path) -> None:
    task = LIMIT.replace("METHOD", method)
    found = luff.optimise(written(tmp_path, task, HUNG, "hung"))
    # hanging at rest: position = -m g / k, which has to stay below -5 cm
    assert found.holds
    assert found.values["rail.stiffness"] == pytest.approx(2 * 9.81 / 0.05, rel=1e-3)
    assert found.requirements[0].value <= -5.0  # cm, as the limit


def test_starts_end_where_each_would_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = written(tmp_path, LIMIT.replace("METHOD", "local\n  evaluations: 12\n  starts: 3"), HUNG, "hung")
    together = luff.optimise(task)
    monkeypatch.setattr(ConcurrentSearches, "ends", one_by_one)
    assert luff.optimise(task).as_dict() == together.as_dict()
    assert len(together.searches) == 3
    first = luff.optimise(
        written(tmp_path, LIMIT.replace("METHOD", "local\n  evaluations: 12"), HUNG, "hung")
    )
    assert first.searches == together.searches[:1]


def test_the_worst_of_several_cases_counts(tmp_path: Path) -> None:
    """Two loads on one spring: the light one has to hang 5 cm low, the heavy one decides how high they are."""
    task = LIMIT.replace("METHOD", "local") + "  cases: {light: {}, heavy: {load.mass: 6}}\n"
    written(tmp_path, task, HUNG, "hung")
    call("optimise", "task.yaml", "--quiet", cwd=tmp_path)
    written_file = json.loads((tmp_path / "task.json").read_text())
    assert written_file["values"]["rail.stiffness"] == pytest.approx(2 * 9.81 / 0.05, rel=1e-3)
    assert written_file["value"] == pytest.approx(-0.05 * 6 / 2, rel=1e-3)
    # the requirement is that of the light load, which is nearest to its limit
    asked = written_file["requirements"][0]
    assert (asked["value"], asked["unit"]) == (pytest.approx(-5.0, rel=1e-3), "cm")  # as the limit is written
    assert "worst in the case heavy" in written_file["note"]


def test_a_case_whose_runs_fail_is_named(tmp_path: Path) -> None:
    """One of two cases diverges, wherever the search looks: the other one's runs do not fail."""
    task = LIMIT.replace("METHOD", "local") + "  cases: {good: {}, wild: {load.mass: 1e-12}}\n"
    with pytest.raises(
        luff.LuffError, match=r"no point that was tried has a finite value.*the run of wild failed"
    ):
        luff.optimise(written(tmp_path, task, HUNG.replace("static", "assemble"), "hung"))


def test_a_number_that_is_nan_is_the_worst_of_all_cases() -> None:
    values = {"a": 3.0, "b": math.nan, "c": 5.0}
    results = {name: SimpleNamespace(value=value) for name, value in values.items()}
    for order in permutations(results):
        objective = SimpleNamespace(sign=1.0, number=lambda result, shown: result.value)
        case, _ = Objective.worst_of(objective, {name: results[name] for name in order})  # type: ignore[arg-type]
        assert case == "b"


# a sling is a spring without damping: the shortest motion after which it swings by less than 5 mm
SHORTEST = """\
luff: 1
model: ./sling.yaml
optimise:
  parameters: {plan.duration: {lower: 1.2 s, upper: 1.65 s, start: 1.6 s}}
  minimise: {metric: parameter, of: plan.duration, unit: ms}
  require: [{metric: range, of: spring.position, start: 1.8 s, below: 5 mm}]
  method: local
"""
SLING = MODEL.replace("duration: 0.3 s}", "duration: 1.6 s, law: trapezoidal, ramp: 0.5}").replace(
    ", damping: 3.2", ""
)


def test_the_shortest_duration_that_keeps_a_limit(tmp_path: Path) -> None:
    """Twice a constant acceleration a = 4 h/T^2 leaves a range of 8 a/w^2 sin(w T/4)^2 on an undamped spring."""
    model = SLING.replace("shaper.y -> rail", "plan.y -> rail").replace("  - plan.y -> shaper.u\n", "")
    model = "\n".join(line for line in model.splitlines() if "input_shaper" not in line) + "\n"
    best = luff.optimise(written(tmp_path, SHORTEST, model, "sling"))
    T, a = best.values["plan.duration"], 4 * 0.5 / best.values["plan.duration"] ** 2
    assert best.holds
    # steps of 2.5 ms do not meet the switch in the middle of the motion
    assert 8 * a / FREQUENCY**2 * math.sin(FREQUENCY * T / 4) ** 2 == pytest.approx(5e-3, rel=0.02)
    assert 4 * math.pi > FREQUENCY * T
    assert (best.value, best.unit, best.title) == (pytest.approx(1e3 * T), "ms", "plan.duration")


def test_a_parameter_that_is_not_searched_for_is_told(tmp_path: Path) -> None:
    task = SHORTEST.replace("of: plan.duration,", "of: plan.durations,")
    with pytest.raises(luff.LuffError, match=r'"plan\.durations" is not searched for.*plan\.duration'):
        luff.optimise(written(tmp_path, task, SLING, "sling"))


def test_a_mistake_in_a_case_is_told(tmp_path: Path) -> None:
    task = LIMIT.replace("METHOD", "local") + "  cases: {heavy: {lod.mass: 6}}\n"
    with pytest.raises(luff.LuffError, match="lod"):
        luff.optimise(written(tmp_path, task, HUNG, "hung"))


def test_a_limit_that_cannot_be_kept_ends_with_code_4(tmp_path: Path) -> None:
    task = LIMIT.replace("METHOD", "local").replace("-5 cm", "-5 m")
    written(tmp_path, task, HUNG, "hung")
    done = call("optimise", "task.yaml", cwd=tmp_path, code=4)
    assert "FAILS" in done.stdout


def test_a_search_that_is_ended_goes_on_where_it_was(tmp_path: Path) -> None:
    task = written(tmp_path, TASK.replace("method: local", "method: both\n  generations: 3\n  population: 4"))
    whole = luff.optimise(task, tmp_path / "whole.json")
    cut = tmp_path / "cut.json"
    ended = luff.optimise(task, cut, progress=lambda runs, _: runs < whole.runs // 2)
    assert ended.status == "interrupted"
    rest = luff.optimise(task, cut)
    assert rest.runs < whole.runs
    for name, value in whole.values.items():
        assert rest.values[name] == pytest.approx(value, rel=1e-3)
    assert luff.optimise(task, cut).runs == 2  # the check of the measures, and the optimum


MISTAKES = [
    ("  minimise: {", "  maximise: {metric: peak, of: load.x}\n  minimise: {", "both"),
    ("  minimise: {metric: range, of: spring.position, start: 1.2 s, unit: mm}\n", "", "neither"),
    ("metric: range", "metric: quality", "quality"),
    ("of: spring.position", "of: spring.positon", "positon"),
    ("unit: mm", "unit: kg", "kg"),
    ("  method: local", "  require: [{metric: peak, of: rail.position}]", "needs a limit"),
    ("method: local", "method: locally", "local"),
]


@pytest.mark.parametrize(("right", "wrong", "what"), MISTAKES)
def test_a_mistake_is_told_before_the_search(
    right: str, wrong: str, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert right in TASK
    module = import_module("luff.solver.tuning.optimise")
    for name in ("local_search", "gradient_search"):
        monkeypatch.setattr(module, name, lambda *_: pytest.fail("the search has begun"))
    with pytest.raises(luff.LuffError) as caught:
        luff.optimise(written(tmp_path, TASK.replace(right, wrong, 1)))
    assert what in str(caught.value)


@about_compiling
def test_derivatives_take_a_fifth_of_the_runs_of_a_simplex(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both find the shaper of the spring; what has no derivatives row by row is told."""
    path = written(tmp_path, TASK)
    by_rows = luff.optimise(path)
    assert by_rows.note == ""
    told = written(tmp_path, TASK.replace("metric: range", "metric: path") + "  evaluations: 5\n")
    assert "simplex method: path of spring.position is not" in luff.optimise(told).note
    monkeypatch.setattr(
        ThreadBackend, "derivatives", lambda self, wanted, look: DerivedRun("switched off", 0)
    )
    simplex = luff.optimise(written(tmp_path, TASK))
    assert simplex.note.endswith("searched by the simplex method: switched off")
    assert by_rows.runs <= 0.2 * simplex.runs
    for name, value in simplex.values.items():
        # the kink is 0.05 mm at 1e-3 of the frequency, and both end where it is below 1e-6 of that at the start
        assert by_rows.values[name] == pytest.approx(value, rel=1e-3)


@about_compiling
def test_the_least_integral_of_squares_has_half_of_the_critical_damping(tmp_path: Path) -> None:
    """x(0) = a: the integral of x^2 is a^2 (m k + c^2) / (2 c k), least at c = sqrt(m k)."""
    found = luff.optimise(written(tmp_path, LEAST_SQUARES, FREE, "free"))
    assert found.note == ""
    assert found.values["rail.damping"] == pytest.approx(math.sqrt(2.0 * 90.0), rel=2e-5)
    assert found.value == pytest.approx(0.1 * math.sqrt(math.sqrt(2.0 / 90.0) / 4.0), rel=1e-5)
    assert found.runs <= 15


@about_compiling
def test_an_error_of_tracking_is_least_within_a_limit_of_the_effort(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both numbers are rms values; the simplex comes to no less in 25 times the runs."""
    found = luff.optimise(written(tmp_path, TRACKED, SERVO, "servo"))
    assert found.note == ""
    assert found.holds
    assert found.requirements[0].value == pytest.approx(1.0, abs=2e-6)
    monkeypatch.setattr(
        ThreadBackend, "derivatives", lambda self, wanted, look: DerivedRun("switched off", 0)
    )
    simplex = luff.optimise(written(tmp_path, TRACKED, SERVO, "servo"))
    assert found.value <= simplex.value * (1.0 + 1e-6)
    assert found.runs <= 0.2 * simplex.runs


FREE = """\
luff: 1
blocks:
  rail: {type: prismatic, axis: x, stiffness: 90, damping: 4, initial: {position: 0.1}}
  body: {type: rigid_link, mass: 2 kg}
connect: [world.frame -- rail.frame_a, rail.frame_b -- body.frame_a]
simulation: {stop: 4 s, step: 2 ms, output_step: 4 ms}
"""
LEAST_SQUARES = """\
luff: 1
model: ./free.yaml
optimise:
  parameters: {rail.damping: {lower: 1, upper: 50, start: 4}}
  minimise: {metric: rms, of: rail.position}
  method: local
"""
SERVO = """\
luff: 1
parameters: {kp: 20, kd: 5}
blocks:
  plan: {type: motion_law, unit: m, end_value: 0.5, start: 0.2 s, duration: 1.5 s}
  servo: {type: pd, kp: =kp, kd: =kd}
  rail: {type: prismatic, axis: x, damping: 3}
  body: {type: rigid_link, mass: 2}
connect:
  - plan.y -> servo.target
  - rail.trajectory -> servo.measured
  - servo.effort -> rail.effort
  - world.frame -- rail.frame_a
  - rail.frame_b -- body.frame_a
simulation: {stop: 3 s, step: 5 ms, output_step: 20 ms}
record: [rail.position, plan.y, servo.effort]
"""
TRACKED = """\
luff: 1
model: ./servo.yaml
optimise:
  parameters: {kp: {lower: 1, upper: 500, scale: log, start: 20}, kd: {lower: 0.1, upper: 100, scale: log, start: 5}}
  minimise: {metric: tracking_rms, of: rail.position, target: plan.y}
  require: [{metric: rms, of: servo.effort, below: 1}]
  method: local
"""


def test_a_limit_in_another_unit_and_an_optimum_at_a_bound_are_told(tmp_path: Path) -> None:
    """The mistake stands at its entry; the spring that is to hang highest ends as stiff as it may be."""
    wrong = LIMIT.replace("METHOD", "local").replace("below: -5 cm", "below: 5 kN")
    said = call("optimise", written(tmp_path, wrong, HUNG, "hung").name, cwd=tmp_path, code=1).stderr
    assert "task.yaml:7:" in said
    assert "give the limit in m" in said
    free = "\n".join(line for line in LIMIT.splitlines() if "require" not in line).replace("METHOD", "local")
    out = call("optimise", written(tmp_path, free, HUNG, "hung").name, cwd=tmp_path).stdout
    assert "rail.stiffness is at its upper bound" in out


def test_the_largest_deviation_of_a_line_from_a_parabola_is_an_eighth() -> None:
    """Chebyshev: on [0, 1] the line x - 1/8 is nearest to x^2. Linear rows meet in three kinks: two steps are exact."""
    x = np.linspace(0.0, 1.0, 101)
    D = np.column_stack([np.ones_like(x), 4.0 * x])
    found: list[tuple[np.ndarray, float]] = []

    def ask(z: np.ndarray) -> LinearPoint[None]:
        off = D @ (z - [0.5, 0.25]) - x**2
        return LinearPoint([Bounded(at_most("peak", off, D, x))], [], None)

    words = minimax_search(
        ask, np.array([0.9, 0.9]), 40, lambda z, made: found.append((z, made.goals[0].value))
    )
    z, value = found[-1]
    assert words == ""
    assert value == pytest.approx(0.125, abs=1e-9)
    np.testing.assert_allclose(z - [0.5, 0.25], [-0.125, 0.25], atol=1e-9)
    assert len(found) < 10


def test_a_norm_of_linear_rows_is_least_where_least_squares_are() -> None:
    """One step has them, within 0.1 of what it reduces; a limit of another norm is met."""
    draw = np.random.default_rng(3)
    D, b, E = draw.normal(size=(30, 3)), draw.normal(size=30), draw.normal(size=(5, 3))

    def search(limit: float) -> tuple[np.ndarray, LinearPoint[None]]:
        found: list[tuple[np.ndarray, LinearPoint[None]]] = []

        def ask(z: np.ndarray) -> LinearPoint[None]:
            x = z - 0.5
            held = Bounded([NormOf(E @ x, E)], limit, limit)
            return LinearPoint([Bounded([NormOf(D @ x - b, D)])], [held], None)

        words = minimax_search(ask, np.full(3, 0.9), 40, lambda z, made: found.append((z, made)))
        assert words == ""
        return found[-1]

    exact = np.linalg.lstsq(D, b, rcond=None)[0]
    z, made = search(10.0)
    assert made.goals[0].value == pytest.approx(np.linalg.norm(D @ exact - b), rel=2e-9)
    np.testing.assert_allclose(z - 0.5, exact, atol=1e-4)
    tight = 0.5 * float(np.linalg.norm(E @ exact))
    z, made = search(tight)
    assert made.limits[0].value == pytest.approx(tight, rel=1e-7)
    # Lagrange: the gradients of both norms are parallel, and opposite
    x = z - 0.5
    rise, pull = D.T @ (D @ x - b), E.T @ (E @ x)
    assert -rise @ pull / np.linalg.norm(rise) / np.linalg.norm(pull) == pytest.approx(1.0, abs=1e-6)


def test_search_that_ends_beside_runs_that_fail_is_not_converged() -> None:
    """The least of |z| is beyond z = 1/2, where runs fail."""

    def ask(z: np.ndarray) -> LinearPoint[None] | None:
        row = at_most("final", z.copy(), np.ones((1, 1)), np.ones(1))
        return None if z[0] < 0.5 else LinearPoint([Bounded(row)], [], None)

    words = minimax_search(ask, np.array([0.9]), 100, lambda z, made: None)
    assert words == "ended beside runs that fail or have no derivatives"


def test_parts_bound_their_metric_from_above_and_touch_it() -> None:
    """For rows linear in z; minima and maxima from below take the row that is extreme now."""
    draw = np.random.default_rng(5)
    y, D, time = draw.normal(size=30), draw.normal(size=(30, 2)), np.linspace(0.0, 1.0, 30)
    for metric in ROWS:
        for sign, parts in ((1.0, at_most), (-1.0, at_least)):
            made = Bounded(parts(metric, y, D, mean_weights(time)))
            assert made.value == pytest.approx(sign * plain_metric(time, y, metric), rel=1e-12)
            for dz in draw.normal(size=(20, 2)):
                there = sum(float((part.c + part.D @ dz).max()) for part in made.parts)
                assert there >= sign * plain_metric(time, y + D @ dz, metric) - 1e-12, metric


@pytest.mark.parametrize("metric", [*NORMS, *PEAKS])
@pytest.mark.parametrize("of", ["v", "s"])
def test_parts_of_rms_values_and_errors_bound_them_from_above_and_touch_them(metric: str, of: str) -> None:
    """Norms are exact for linear rows; their negatives, and peaks, are bounds."""
    draw = np.random.default_rng(7)
    columns, time = ["v[0]", "v[1]", "w[0]", "w[1]", "s", "t"], np.linspace(0.0, 1.0, 61)
    table, slopes = draw.normal(size=(61, 6)), draw.normal(size=(2, 61, 6))
    measure = SimpleNamespace(
        metric=metric,
        of=of,
        start=0.2,
        stop=0.9,
        target="",
        component=None,
        faster_than=3.0,
        unit="",
        title="",
    )
    if metric.startswith("tracking"):
        measure.target = {"v": "w", "s": "t"}[of]
        measure.component = 1 if of == "v" and metric in PEAKS else None
    assert bool(unlike_rows(measure, columns)) == (of == "v" and metric == "vibration_peak")
    if unlike_rows(measure, columns):
        return
    for sign in (1.0, -1.0):
        parts = parts_of(measure, Result(time, columns, table, {}), slopes, sign)
        for dz in [np.zeros(2), *draw.normal(size=(20, 2))]:
            there = sum(part.at(dz) for part in parts)
            moved = Result(time, columns, table + np.tensordot(dz, slopes, 1), {})
            value = sign * measure_value(moved, measure, shown=False)
            assert there >= value - 1e-12
            if not dz.any() or (metric in NORMS and sign > 0.0):
                assert there == pytest.approx(value, rel=1e-12)
