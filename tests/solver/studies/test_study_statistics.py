"""Statistics, requirements and sensitivity of studies, against closed forms and SciPy's own tests."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

from luff.blocks.text.quantity import quantity
from luff.cli import app
from luff.solver.studies import load, read_study
from luff.solver.studies.distribution_figures import fan
from luff.solver.studies.statistics import mean, pass_rate, percentile, sobol_indices
from luff.solver.studies.study_store import SelectedVariants
from luff.tests.shared.studies import written

SAMPLE = np.random.default_rng(5).gamma(2.0, 3.0, 80)


def test_intervals_are_those_of_scipy() -> None:
    found = mean(SAMPLE, 0.9)
    expected = stats.t.interval(0.9, 79, SAMPLE.mean(), stats.sem(SAMPLE))
    assert found == pytest.approx((SAMPLE.mean(), *expected))
    for share in (0.05, 0.5, 0.9):
        found = percentile(SAMPLE, share, 0.95)
        expected = stats.quantile_test(SAMPLE, p=share).confidence_interval(0.95)
        assert (found.low, found.high) == (expected.low, expected.high)
    # below the fifth percentile of five values there is none of them
    assert np.isnan(percentile(SAMPLE[:5], 0.05, 0.95).low)


def test_two_values_have_an_interval_and_one_has_none() -> None:
    """Student's distribution with one freedom is Cauchy's: half the width is tan(0.45 pi) errors of the mean."""
    estimate = mean(np.array([1.0, 4.0]), 0.9)
    half = np.tan(0.45 * np.pi) * 1.5
    assert estimate == pytest.approx((2.5, 2.5 - half, 2.5 + half))
    alone = mean(np.array([3.0]), 0.9)
    assert alone.value == 3.0
    assert np.isnan(alone.low)
    assert np.isnan(alone.high)


@pytest.mark.parametrize(("passed", "count"), [(0, 10), (3, 10), (995, 1000), (10, 10)])
def test_pass_rate_is_wilsons(passed: int, count: int) -> None:
    expected = stats.binomtest(passed, count).proportion_ci(0.95, method="wilson")
    assert pass_rate(passed, count, 0.95) == pytest.approx((passed / count, expected.low, expected.high))


def test_sobol_indices_of_the_ishigami_function() -> None:
    """Ishigami and Homma (1990): f = sin x1 + a sin^2 x2 + b x3^4 sin x1, inputs uniform in -pi to pi."""
    a, b = 7.0, 0.1

    def f(x: np.ndarray) -> np.ndarray:
        return np.sin(x[:, 0]) + a * np.sin(x[:, 1]) ** 2 + b * x[:, 2] ** 4 * np.sin(x[:, 0])

    v1, v2 = 0.5 * (1 + b * np.pi**4 / 5) ** 2, a**2 / 8
    v13 = b**2 * np.pi**8 * (1 / 18 - 1 / 50)
    v = v1 + v2 + v13
    both = stats.qmc.Sobol(6, rng=np.random.default_rng(1)).random_base2(13) * 2 * np.pi - np.pi
    A, B = both[:, :3], both[:, 3:]
    swapped = [np.where(np.arange(3) == k, B, A) for k in range(3)]
    # a mean far from zero takes no digits
    found = sobol_indices(1e6 + f(A), 1e6 + f(B), np.array([1e6 + f(one) for one in swapped]), 0.95)
    # 8192 points: the bootstrap tells a deviation of 0.01 for the first order of x3, the least certain of all
    assert [one.value for one in found.first] == pytest.approx([v1 / v, v2 / v, 0.0], abs=0.03)
    assert [one.value for one in found.total] == pytest.approx([(v1 + v13) / v, v2 / v, v13 / v], abs=0.01)
    for one, exact in zip(found.total, [(v1 + v13) / v, v2 / v, v13 / v], strict=True):
        assert one.low < exact < one.high


STUDY = """\
variants: {random: {count: 12, seed: 3, sampling: latin_hypercube, draw: {stiffness: {uniform: [1 N/m, 4 N/m]}}}}
require:
  - {metric: final, of: slide.position, below: 30 cm}
  - {title: last, metric: final, of: slide.position, unit: mm, above: 0, share: 40 %}
statistics:
  - title: Where it is
    columns: [{title: last, metric: final, of: slide.position, unit: cm}, {metric: peak, of: slide.velocity}]
histograms: [{title: Last positions, bins: 5, columns: [{metric: final, of: slide.position}]}]
scatters:
  - {title: By stiffness, x: stiffness, columns: [{metric: final, of: slide.position}]}
  - {title: Against speed, x: {metric: peak, of: slide.velocity}, columns: [{metric: final, of: slide.position}]}
fans: [{title: All of them, y: slide.position, percentiles: [0, 50, 100]}]
"""


def study(*words: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["study", *map(str, words), "-j", "1"])
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, tuple[int, str, str]]:
    folder = tmp_path_factory.mktemp("statistics")
    path, output = written(folder, STUDY), folder / "out.h5"
    return path, output, study(path, "-o", output, "--json", "-r", folder / "report")


def last(results: Any) -> np.ndarray:
    """The mass on a spring is at cos(sqrt(stiffness) t)."""
    drawn = [quantity(changes["stiffness"]).value for changes in results.changes.values()]
    return np.cos(np.sqrt(drawn))


def test_requirement_that_fails_is_exit_code_4(done: tuple[Path, Path, tuple[int, str, str]]) -> None:
    _, output, (code, out, _) = done
    told = json.loads(out)
    assert (code, told["status"]) == (4, "requirements failed")
    where = last(read_study(output))
    first, second = told["requirements"]
    assert (first["met"], first["of"], first["holds"]) == (
        int((where < 0.3).sum()),
        12,
        bool((where < 0.3).all()),
    )
    # cos(1) = 0.54 at 1 N/m, cos(2) = -0.42 at 4 N/m
    assert 0 < first["met"] < 12
    assert (first["worst"], first["unit"]) == (
        pytest.approx(100 * where.max(), abs=1e-6),
        "cm",
    )  # as its limit
    assert second["met"] == int((where > 0).sum())
    assert second["holds"] is bool((where > 0).mean() >= 0.4)
    assert second["worst"] == pytest.approx(1000 * where.min(), abs=1e-5)


RISING = """luff: 1
parameters: {k: 1}
blocks:
  c: {type: constant, value: =k}
  lag: {type: transfer_function, num: [1], den: [0.02, 1]}
connect: [c.y -> lag.u]
simulation: {stop: 0.3 s, step: 1 ms}
"""
AT_BOUNDS = """luff: 1
model: ./rising.yaml
variants: {list: {a: {k: 1}, b: {k: 0.5}}}
require:
  - {title: less, metric: final, of: c.y, below: 1}
  - {title: more, metric: final, of: c.y, above: 0.5}
  - {title: slow, metric: rise_time, of: lag.y, goal: 1, above: 0.1 s}
"""


def test_a_value_at_its_bound_meets_none_and_what_is_unknown_comes_first(tmp_path: Path) -> None:
    """Below and above are strict; a lag of 20 ms rises in 44 ms, and one that never arrives has no rise time."""
    (tmp_path / "rising.yaml").write_text(RISING)
    (tmp_path / "study.yaml").write_text(AT_BOUNDS)
    _, out, _ = study(tmp_path / "study.yaml", "-o", tmp_path / "out.h5", "--json")
    less, more, slow = json.loads(out)["requirements"]
    assert [(one["met"], one["of"]) for one in (less, more, slow)] == [(1, 2), (1, 2), (0, 2)]
    assert (less["worst_variant"], more["worst_variant"]) == ("a", "b")
    assert (slow["worst_variant"], slow["unknown"]) == ("b", 1)


def test_report_has_statistics_and_figures(done: tuple[Path, Path, tuple[int, str, str]]) -> None:
    path, output, _ = done
    folder = path.parent / "report"
    text = (folder / "study.md").read_text()
    where = 100 * last(read_study(output))
    # brackets around a name of the user's would make a link
    row = next(line for line in text.splitlines() if line.startswith(r"| last \[cm\]"))
    cells = [re.sub(r" \(.*", "", cell.strip()) for cell in row.split("|")[2:-1]]
    expected = [where.mean(), where.std(ddof=1), *np.percentile(where, [5, 50, 95])]
    assert [float(cell) for cell in cells] == pytest.approx(expected, rel=1e-2)
    assert "| final of slide.position below 30 cm | " in text
    assert "FAILS" in text
    for name in ("last-positions", "by-stiffness", "against-speed", "all-of-them"):
        assert (folder / f"study-{name}.png").stat().st_size > 1000


def test_fan_holds_the_percentiles(done: tuple[Path, Path, tuple[int, str, str]]) -> None:
    path, output, _ = done
    loaded, results = load(path), read_study(output)
    made = fan(loaded.settings.fans[0], loaded, SelectedVariants(results, results.names))
    (axes,) = made.axes
    (line,) = axes.lines
    drawn = [quantity(changes["stiffness"]).value for changes in results.changes.values()]
    time = np.asarray(line.get_xdata(), float)
    curves = np.cos(np.sqrt(np.array(drawn))[:, None] * time)
    # RK4 and single precision
    np.testing.assert_allclose(np.asarray(line.get_ydata(), float), np.median(curves, axis=0), atol=1e-6)
    band = axes.collections[0].get_paths()[0].vertices
    assert np.asarray(band)[:, 1].min() == pytest.approx(curves.min(), abs=1e-6)


def test_tables_read_numbers_and_not_rows(
    done: tuple[Path, Path, tuple[int, str, str]], tmp_path: Path
) -> None:
    path, output, _ = done
    copy = tmp_path / "copy.h5"
    copy.write_bytes(output.read_bytes())
    _, before, _ = study(path, "-o", copy)
    with h5py.File(copy, "r+") as file:
        for group in file["variants"].values():  # type: ignore[union-attr]
            group["data"][:, 1:] = 7.0
    _, after, _ = study(path, "-o", copy)
    assert "12 there before" in after
    assert before.splitlines()[:-2] == after.splitlines()[:-2]
    # what nobody measured yet is measured of the rows that are there; extremes have the turns of each step
    path = written(tmp_path, STUDY.replace("peak, of: slide.velocity}]", "mean, of: slide.position}]"))
    _, new, _ = study(path, "-o", copy)
    assert "| mean of slide.position [m] | 7 " in new


def test_variant_that_failed_meets_nothing(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "variants: {list: {good: {}, torn: {stiffness: 1e9 N/m}}}\n"
        "require: [{metric: final, of: slide.position, below: 2 m}]\n",
    )
    code, out, err = study(path, "-o", tmp_path / "out.h5")
    assert code == 3
    assert "| 1 of 2 |" in out
    assert (
        "requirement failed: final of slide.position below 2 m: 1 of 2 variants meet it, expected 100 %"
        in err
    )


def test_sensitivity_of_a_sum(tmp_path: Path) -> None:
    """y = a + 2 b of equal laws: b explains four fifths of the variance, by itself."""
    (tmp_path / "model.yaml").write_text(
        "luff: 1\nparameters: {a: 0, b: 0}\nblocks: {y: {type: constant, value: =a + 2*b}}\n"
        "simulation: {stop: 0.1 s, step: 0.1 s}\n"
    )
    path = tmp_path / "study.yaml"
    path.write_text("""\
luff: 1
model: ./model.yaml
variants: {random: {count: 16, seed: 1, sampling: saltelli, draw: {a: {uniform: [0, 1]}, b: {uniform: [0, 1]}}}}
sensitivity: [{title: Which, columns: [{title: sum, metric: final, of: y.y}]}]
statistics: [{title: How much, columns: [{title: sum, metric: final, of: y.y}]}]
""")
    code, _, err = study(path, "-o", tmp_path / "out.h5", "-r", tmp_path / "report")
    assert code == 0, err
    text = (tmp_path / "report" / "study.md").read_text()
    assert (tmp_path / "report" / "study-which.svg").is_file()
    assert "of 32 variants" in text  # those that take one value of B say little new
    changes = list(read_study(tmp_path / "out.h5").changes.values())
    sums = np.array([one["a"] + 2 * one["b"] for one in changes]).reshape(16, 4).T[:, None, :]
    func = {"f_A": sums[0], "f_B": sums[1], "f_AB": sums[2:]}
    expected = stats.sobol_indices(func=func, n=16)
    for k, (one, share) in enumerate((("a", 0.2), ("b", 0.8))):
        row = next(line for line in text.splitlines() if line.startswith(f"| {one} |"))
        first, total = (float(cell.split()[0]) for cell in row.split("|")[2:-1])
        # three digits are shown
        assert first == pytest.approx(expected.first_order[k], abs=2e-3)
        assert total == pytest.approx(expected.total_order[k], abs=2e-3)
        # 16 points of a Sobol sequence
        assert total == pytest.approx(share, abs=0.12)


MISTAKES = {
    "require: [{metric: final, of: slide.position}]\n": "study.yaml:4:11: require[0]: a requirement needs a limit",
    "require: [{metric: final, of: slide.position, below: high}]\n": "require[0].below: found 'high'",
    "sensitivity: [{title: t, columns: []}]\n": "sensitivity indices need pairs of points",
    "statistics: [{title: t, columns: [], percentiles: [101]}]\n": "found 101, expected a number >= 0 % and <= 100 %",
    "fans: [{title: t, y: slide.position, variants: [some]}]\n": "fans[0].variants[0]: no variant",
    "require: [{metric: final, of: slide.position, below: 2 kg}]\n": (
        "require[0].below: found 2 kg for slide.position, which is in m"
    ),
    "scatters: [{title: t, x: mass, columns: [{metric: final, of: slide.position}]}]\n": (
        'scatters[0]: the variant as it is does not change "mass"'
    ),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistake_is_told_with_its_place(text: str, tmp_path: Path) -> None:
    code, _, err = study(written(tmp_path, text), "-o", tmp_path / "out.h5", "-r", tmp_path / "report")
    assert code == 1
    assert MISTAKES[text] in err
    assert "study.yaml:4:" in err
