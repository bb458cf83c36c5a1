"""Values that are no numbers: a check of them is unknown, in whatever order its cases stand."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.blocks.expression_scope import Scope
from luff.blocks.params import convert_all
from luff.blocks.signals.rainflow import Woehler
from luff.solver.assessment.assessment_settings import Feyrer
from luff.solver.assessment.rope_life import feyrer_life
from luff.solver.results.cycle_counting import closed_cycles, count_signal, stress_history
from luff.solver.results.result import Result
from luff.solver.results.verdict import Verdict, at_most, together
from luff.solver.studies.run_measures import known, measure_value
from luff.solver.studies.study_settings import METRICS, Requirement
from luff.tests.process import call

NUMBERS = """
luff: 1
parameters: {top: 1, odd: 0}
blocks:
  b: {type: ramp, slope: =top}
  it: {type: expression, inputs: [b], constants: {odd: =odd}, expr: "b + odd*sqrt(0.5 - odd*t)"}
connect: [b.y -> it.b]
simulation: {stop: 1 s, step: 10 ms}
"""
DESK = """
luff: 1
model: ./numbers.yaml
cases: {CASES}
limits: [{title: level, metric: METRIC, of: it.y, SIDE}]
"""
CASES = {
    "low": "{set: {top: 0.5}}",
    "high": "{set: {top: 0.8}}",
    "odd": "{set: {odd: 1}}",
    "far": "{set: {top: 2}}",
}


def assessed(
    tmp_path: Path, names: tuple[str, ...], metric: str = "maximum", side: str = "below: 1.5"
) -> dict:
    (tmp_path / "numbers.yaml").write_text(NUMBERS)
    cases = ", ".join(f"{name}: {CASES[name]}" for name in names)
    text = DESK.replace("CASES", cases).replace("METRIC", metric).replace("SIDE", side)
    (tmp_path / "desk.yaml").write_text(text)
    done = call("assess", "desk.yaml", "--json", "-o", "desk.h5", cwd=tmp_path, code=None)
    return {"code": done.returncode, **json.loads(done.stdout)}


def test_a_check_of_no_number_is_unknown_in_any_order(tmp_path: Path) -> None:
    (tmp_path / "numbers.yaml").write_text(NUMBERS)
    for names in itertools.permutations(("low", "odd", "high")):
        told = assessed(tmp_path, names)
        (check,) = told["checks"]
        assert (told["code"], told["status"], told["verdict"], told["holds"]) == (
            4,
            "unknown",
            "unknown",
            None,
        )
        assert (check["run"], check["verdict"], check["holds"]) == ("odd", "unknown", None)
        assert check["utilisation"] is None


def test_what_fails_governs_what_is_unknown_and_the_worst_case_counts(tmp_path: Path) -> None:
    for names in (("odd", "far", "low"), ("far", "low", "odd"), ("low", "odd", "far")):
        told = assessed(tmp_path, names)
        assert (told["code"], told["status"], told["checks"][0]["run"]) == (4, "checks failed", "far")
    for names in (("low", "high"), ("high", "low")):
        told = assessed(tmp_path, names)
        assert (told["code"], told["checks"][0]["run"]) == (0, "high")
        assert told["checks"][0]["value"] == pytest.approx(0.8)


def test_the_report_and_the_terminal_say_that_it_is_unknown(tmp_path: Path) -> None:
    assessed(tmp_path, ("odd", "low"))
    done = call("assess", "desk.yaml", "-o", "desk.h5", "--report", "desk.html", cwd=tmp_path, code=None)
    assert done.returncode == 4
    assert "level is unknown: its value is no number" in done.stderr
    assert "unknown" in done.stdout
    assert "holds" not in done.stdout
    page = (tmp_path / "desk.html").read_text()
    assert "not known of level" in page
    assert "All checks hold" not in page


def test_a_requirement_of_no_number_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "numbers.yaml").write_text(NUMBERS)
    text = "luff: 1\nmodel: ./numbers.yaml\nvariants: {list: {LIST}}\n"
    text += "require: [{title: level, metric: maximum, of: it.y, below: 1.5, share: SHARE}]\n"

    def told(variants: str, share: str = "100 %") -> tuple[int, str, str]:
        (tmp_path / "study.yaml").write_text(text.replace("LIST", variants).replace("SHARE", share))
        done = call("study", "study.yaml", "--json", "-o", "s.h5", cwd=tmp_path, code=None)
        return done.returncode, json.loads(done.stdout)["requirements"][0]["verdict"], done.stderr

    assert told("a: {top: 0.5}, b: {odd: 1}")[:2] == (4, "unknown")
    found = json.loads(call("study", "study.yaml", "--json", "-o", "s.h5", cwd=tmp_path, code=None).stdout)
    assert found["requirements"][0]["worst_variant"] == "b"
    assert told("b: {odd: 1}, a: {top: 0.5}")[:2] == (4, "unknown")
    assert told("b: {odd: 1}, a: {top: 2}")[:2] == (4, "fails")
    assert told("a: {top: 1.5}")[:2] == (4, "fails")  # which is not below 1.5
    assert told("a: {top: 0.5}, b: {odd: 1}", "50 %")[:2] == (0, "holds")


def requirement(metric: str, **more: object) -> Requirement:
    raw = {"metric": metric, "of": "x", **more}
    return Requirement(convert_all(Requirement.params, raw, Scope(), "", "a requirement"), frozenset(raw))


# those that read one signal and all of its rows
OTHERS = ("quality", "initial", "final", "change", "decay_rate", "ratio")
ALONE = [name for name in METRICS if not name.startswith(("tracking", "contour")) and name not in OTHERS]


@pytest.mark.parametrize("metric", ALONE)
def test_no_metric_takes_a_hole_for_a_number(metric: str) -> None:
    values = np.sin(np.arange(30.0))
    values[17] = math.nan
    result = Result(np.arange(30.0), ["x"], values[:, None], {"x": ""})
    assert math.isnan(measure_value(result, requirement(metric)))


def test_a_chart_does_not_drop_what_is_no_number(tmp_path: Path) -> None:
    (tmp_path / "numbers.yaml").write_text(NUMBERS)
    limits = [
        {"of": "b.y", "metric": "maximum", "below": 3.0},
        {"of": "it.y", "metric": "maximum", "below": 3.0},
    ]
    for order in (limits, limits[::-1]):
        found = luff.chart(
            tmp_path / "numbers.yaml", "top", {"odd": [0, 1]}, upper=9.0, limits=order, dynamic=True, jobs=1
        )
        assert found.rated[0] == pytest.approx(3.0, rel=1e-3)
        assert found.kinds.tolist() == ["rated", "unknown"]
        assert found.rows()[2][1] == "unknown"
        assert found.reasons == {(1,): "it.y is no number"}


def test_damage_and_lives_of_no_number_are_none() -> None:
    fatigue = Woehler({**{k: p.default for k, p in Woehler.params.items()}, "strength": 1.0}, frozenset())
    values = np.array([0.0, 3.0, math.nan, -2.0, 5.0])
    assert math.isnan(count_signal(values, fatigue).damage)
    assert math.isnan(stress_history(closed_cycles(values), 3.0).s_m)
    assert stress_history(closed_cycles(values), 3.0).stress_class == "unknown"
    rope = Feyrer(
        {
            "b0": 1.0,
            "b1": -2.0,
            "b2": 1.0,
            "b3": 0.0,
            "grade": 1.77e9,
            "sheave": 0.5,
            "factor": 1.0,
            "source": "",
        },
        frozenset(),
    )
    life = feyrer_life(rope, np.array([math.nan, 0.0, 1e4]), 0.02)
    assert math.isnan(life[0])
    assert life[1] == math.inf
    assert np.isfinite(life[2])


def test_the_counting_block_forgets_no_hole() -> None:
    text = NUMBERS.replace("connect:", "  count: {type: rainflow}\nconnect:").replace(
        "it.b]", "it.b, it.y -> count.u]"
    )
    for odd, whole in ((0, True), (1, False)):
        result = luff.compile(luff.loads(text), odd=odd).run()
        assert bool(np.isfinite(result["count.damage"][-1])) is whole


def test_verdicts_have_three_values() -> None:
    assert [at_most(x, 1.0) for x in (1.0, 1.1, math.inf, math.nan, -math.inf)] == [
        Verdict.HOLDS, Verdict.FAILS, Verdict.FAILS, Verdict.UNKNOWN, Verdict.UNKNOWN,
    ]  # fmt: skip
    assert at_most(0.0, math.nan) is Verdict.UNKNOWN
    three = (Verdict.HOLDS, Verdict.UNKNOWN, Verdict.FAILS)
    for order in itertools.permutations(three):
        assert together(order) is Verdict.FAILS
    assert together(three[:2]) is together(three[1::-1]) is Verdict.UNKNOWN
    assert together([]) is Verdict.HOLDS


def test_infinite_values_within_a_bound_are_unknown_unless_they_say_never() -> None:
    assert math.isnan(known(-math.inf, 2.0, 1.0, "maximum"))
    assert math.isnan(known(math.inf, 2.0, -1.0, "minimum"))
    assert known(math.inf, 2.0, 1.0, "maximum") == math.inf
    assert known(math.inf, 2.0, -1.0, "first_time") == math.inf
    assert known(1.5, 2.0, 1.0, "maximum") == 1.5
