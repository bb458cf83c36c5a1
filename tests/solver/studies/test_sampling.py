"""Random variants: their distributions, designs and correlations, as `luff study --list` shows them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

from luff.blocks.text.quantity import quantity
from luff.cli import app
from luff.solver.studies.distributions import QUANTILES

MODEL = """\
luff: 1
parameters: {a: 1 m, b: 2 kg, c: 3, product: =a*b}
blocks: {one: {type: constant, value: =c}}
simulation: {stop: 0.1 s}
"""


def listed(folder: Path, random: str) -> tuple[int, list[dict[str, Any]], str]:
    (folder / "model.yaml").write_text(MODEL)
    path = folder / "study.yaml"
    path.write_text(f"luff: 1\nmodel: ./model.yaml\nvariants:\n  random: {random}\n")
    done = CliRunner().invoke(app, ["study", str(path), "--list", "--json"])
    found = json.loads(done.stdout)
    return done.exit_code, found.get("variants", []), str(found.get("problems", ""))


def values(folder: Path, random: str, *paths: str) -> np.ndarray:
    """(variants, paths) in SI."""
    code, variants, problems = listed(folder, random)
    assert code == 0, problems
    return np.array([[quantity(str(v["changes"][path])).value for path in paths] for v in variants])


LAWS = {
    "uniform: [1 m, 300 cm]": stats.uniform(1.0, 2.0),
    "log_uniform: [1 m, 100 m]": stats.loguniform(1.0, 100.0),
    "normal: [5 m, 20 cm]": stats.norm(5.0, 0.2),
    # mean 2 and deviation 1 of the value: those of its logarithm follow from the moments
    "lognormal: [2 m, 1 m]": stats.lognorm(np.log(1.25) ** 0.5, scale=2.0 / 1.25**0.5),
    "triangular: [1 m, 2 m, 5 m]": stats.triang(0.25, 1.0, 4.0),
}


@pytest.mark.parametrize("sampling", ["random", "latin_hypercube", "sobol"])
@pytest.mark.parametrize("law", LAWS)
def test_draws_follow_their_law(law: str, sampling: str, tmp_path: Path) -> None:
    text = f"{{count: 512, seed: 4, sampling: {sampling}, draw: {{a: {{{law}}}}}}}"
    sample = values(tmp_path, text, "a")[:, 0]
    # a sound sampler fails one of these fifteen by chance once in 700 seeds; stratified ones never
    assert stats.kstest(sample, LAWS[law].cdf).pvalue > 1e-4


@pytest.mark.parametrize("sampling", ["latin_hypercube", "sobol"])
def test_stratified_draws_have_one_in_each_stratum(sampling: str, tmp_path: Path) -> None:
    draw = "{a: {uniform: [0, 64]}, c: {uniform: [0, 64]}}"
    found = values(tmp_path, f"{{count: 64, seed: 1, sampling: {sampling}, draw: {draw}}}", "a", "c")
    for column in found.T:
        assert sorted(np.floor(column)) == list(range(64))


@pytest.mark.parametrize("sampling", ["random", "sobol", "saltelli"])
def test_longer_study_begins_with_the_shorter_one(sampling: str, tmp_path: Path) -> None:
    text = "{{count: {}, seed: {}, sampling: {}, draw: {{a: {{normal: [3 m, 1 m]}}, c: {{choice: [1, 2]}}}}}}"
    short = values(tmp_path, text.format(10, 3, sampling), "a", "c")
    np.testing.assert_array_equal(
        values(tmp_path, text.format(40, 3, sampling), "a", "c")[: len(short)], short
    )
    assert not np.array_equal(values(tmp_path, text.format(10, 4, sampling), "a", "c"), short)


def test_correlated_draws_keep_their_laws(tmp_path: Path) -> None:
    text = """{count: 2048, seed: 2, sampling: sobol,
      draw: {a: {normal: [5 m, 2 m]}, b: {lognormal: [3 kg, 2 kg]}, c: {uniform: [0, 1]}},
      correlate: [{of: [a, b], coefficient: -0.7}]}"""
    a, b, c = values(tmp_path, text, "a", "b", "c").T
    # a coefficient of 2048 independent draws strays by (1 - 0.49) / sqrt(2048) = 0.011
    assert np.corrcoef(a, np.log(b))[0, 1] == pytest.approx(-0.7, abs=0.03)
    assert np.corrcoef(a, c)[0, 1] == pytest.approx(0.0, abs=0.06)
    assert stats.kstest(a, stats.norm(5.0, 2.0).cdf).pvalue > 1e-4
    assert b.mean() == pytest.approx(3.0, abs=5 * 2.0 / 2048**0.5)
    assert b.std() == pytest.approx(2.0, rel=0.2)


def test_draws_keep_unit_where_expressions_need_it(tmp_path: Path) -> None:
    code, variants, problems = listed(
        tmp_path, "{count: 2, draw: {b: {triangular: [1 t, 2 t, 3000 kg]}, a: {normal: [=2, 1 m]}}}"
    )
    assert code == 0, problems
    assert variants[0]["changes"]["b"].endswith(" t")
    assert variants[0]["changes"]["a"].endswith(" m")


def test_saltelli_swaps_one_value_at_a_time(tmp_path: Path) -> None:
    _, variants, _ = listed(
        tmp_path, "{count: 3, sampling: saltelli, draw: {a: {uniform: [0, 1]}, c: {uniform: [0, 1]}}}"
    )
    assert [v["name"] for v in variants[:4]] == ["#01 A", "#01 B", "#01 A, a of B", "#01 A, c of B"]
    assert len(variants) == 12
    a, b, first, second = (v["changes"] for v in variants[4:8])
    assert first == {"a": b["a"], "c": a["c"]}
    assert second == {"a": a["a"], "c": b["c"]}


MISTAKES = {
    "{count: 2, draw: {a: {normal: [1 m]}}}": "expected a mean and a standard deviation",
    "{count: 2, draw: {a: {normal: [1 m, -1 m]}}}": "expected a mean and a standard deviation",
    "{count: 2, draw: {a: {lognormal: [0 m, 1 m]}}}": "expected a positive mean",
    "{count: 2, draw: {a: {triangular: [1 m, 3 m, 2 m]}}}": "in rising order",
    "{count: 2, draw: {a: {uniform: [1 m, 3 s]}}}": "expected numbers of one unit",
    "{count: 2, draw: {simulation.stop: {uniform: [1 kg, 3 kg]}}}": "expected a quantity in s",
    "{count: 2, sampling: latin, draw: {a: {uniform: [1, 3]}}}": "expected one of random, latin_hypercube",
    "{count: 90000, sampling: saltelli, draw: {a: {uniform: [1, 3]}}}": "found 270000 variants",
    "{count: 2, draw: {a: {normal: [1, 3]}}, correlate: [{of: [a, b], coefficient: 0.1}]}": '"b" is not drawn',
    "{count: 2, draw: {a: {normal: [1, 3]}, b: {uniform: [1, 2]}}, correlate: [{of: [a, b], coefficient: 0.1}]}": (
        '"b" is drawn from uniform, expected normal or lognormal'
    ),
    "{count: 2, draw: {a: {normal: [1, 3]}, c: {normal: [1, 3]}}, correlate: [{of: [a, c], coefficient: 2}]}": (
        "found 2, expected a number >= -1"
    ),
    """{count: 2, draw: {a: {normal: [1, 3]}, b: {normal: [1, 3]}, c: {normal: [1, 3]}}, correlate: [
      {of: [a, b], coefficient: 0.9}, {of: [b, c], coefficient: 0.9}, {of: [a, c], coefficient: -0.9}]}""": (
        "their matrix is not positive"
    ),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistake_is_told(text: str, tmp_path: Path) -> None:
    code, _, problems = listed(tmp_path, text)
    assert code == 1
    assert MISTAKES[text] in problems
    assert "study.yaml" in problems


def test_quantiles_are_those_of_each_law() -> None:
    """At 2.5, 50 and 97.5 %: of the normal one by tables, of a triangle by its area."""
    p, z = np.array([0.025, 0.5, 0.975]), 1.959963985
    np.testing.assert_allclose(QUANTILES["normal"](p, 3.0, 2.0), [3 - 2 * z, 3, 3 + 2 * z], rtol=1e-9)
    spread = math.sqrt(math.log(1.25))  # mean 2, deviation 1
    wanted = 2.0 / math.sqrt(1.25) * np.exp([-z * spread, 0.0, z * spread])
    np.testing.assert_allclose(QUANTILES["lognormal"](p, 2.0, 1.0), wanted, rtol=1e-9)
    np.testing.assert_allclose(QUANTILES["log_uniform"](p, 1.0, 1e4), 10 ** (4 * p), rtol=1e-12)
    # from 0 to 4 with its top at 1: p = x^2/4 before it, 1 - (4 - x)^2/12 behind
    wanted = [math.sqrt(0.1), 4 - math.sqrt(6), 4 - math.sqrt(0.3)]
    np.testing.assert_allclose(QUANTILES["triangular"](p, 0.0, 1.0, 4.0), wanted, rtol=1e-12)
