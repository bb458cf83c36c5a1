"""`luff fit`: hidden parameters found again, errors that mean what they say, resuming, every mistake."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
import scipy.integrate
import scipy.io
import scipy.optimize
import scipy.stats

import luff
from luff.solver.tuning.concurrent_searches import ConcurrentSearches
from luff.solver.tuning.goodness_of_fit import ljung_box
from luff.solver.tuning.residuals import LOST, Residuals
from luff.solver.tuning.run_backends import DerivedRun, ThreadBackend
from luff.solver.tuning.tuning_report import report, table

from ...conftest import about_compiling, hours_as_plain_python
from ...process import call
from .cases import HIDDEN, NOISE, TASK, one_by_one, position, write


def test_the_command_finds_hidden_parameters_and_reports_them(tmp_path: Path) -> None:
    write(tmp_path, seed=1)
    done = call("fit", "task.yaml", "--report", "out", cwd=tmp_path)
    found = json.loads((tmp_path / "task.json").read_text())
    for name, value in HIDDEN.items():
        each = found["parameters"][name]
        assert abs(each["value"] - value) < 3 * each["error"], each
    assert found["rms"][0]["rail.position"] == pytest.approx(NOISE, rel=0.2)  # of 200 rows
    assert "standard error" in done.stdout
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"report.md", "residuals_1.png"}
    assert not (tmp_path / "task.json.part").exists()
    # the same again is read, not searched: what is run are the curves and slopes at the end
    again = call("fit", "task.yaml", "--json", cwd=tmp_path)
    assert json.loads(again.stdout)["parameters"] == found["parameters"]


def test_the_errors_are_those_of_the_closed_form(tmp_path: Path) -> None:
    found = luff.fit(write(tmp_path, seed=3))
    t = found.experiments[0].measured.time
    k, c = found.values.values()
    J = np.array(
        [
            (position(t, k + 1e-3, c) - position(t, k - 1e-3, c)) / 2e-3,
            (position(t, k, c + 1e-4) - position(t, k, c - 1e-4)) / 2e-4,
        ]
    ).T
    covariance = np.linalg.inv(J.T @ J) * NOISE**2
    errors = [each.error for each in found.parameters.values()]
    assert found.derivatives == "exact"
    # splines over output steps of 20 ms of an oscillation of 7.4 rad/s: (w h)^4 / 384 = 1.3e-6
    np.testing.assert_allclose(errors, np.sqrt(np.diag(covariance)), rtol=5e-6)
    assert found.correlation[0, 1] == pytest.approx(
        covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]), abs=5e-6
    )


def test_errors_are_those_of_differences_where_a_run_has_no_derivatives(tmp_path: Path) -> None:
    path = write(tmp_path, seed=3)
    exact = luff.fit(path)
    netlist = tmp_path / "oscillator.yaml"
    netlist.write_text(netlist.read_text().replace("stop: 4 s", "method: dop853, stop: 4 s"))
    found = luff.fit(path, fresh=True)
    assert (exact.derivatives, found.derivatives) == ("exact", "differences")
    assert (exact.differences_why, found.differences_why) == ("", "this method chooses its own steps")
    assert "differences of runs: this method chooses its own steps" in "\n".join(table(found))
    errors = [[each.error for each in one.parameters.values()] for one in (exact, found)]
    # differences of the model over 1e-4 of the bounds, squared, and its output step
    np.testing.assert_allclose(errors[1], errors[0], rtol=1e-3)


THREE = TASK.replace("  data:", "    rail.initial.position: {lower: 0.05, upper: 0.2, start: 0.12}\n  data:")


@about_compiling
def test_gradients_take_a_fifth_of_the_runs_of_differences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one search: N passes with values and slopes, where differences take 2 n + 1 runs a step for n unknowns."""
    path = write(tmp_path, seed=3, task=THREE)
    exact = luff.fit(path)
    monkeypatch.setattr(
        ThreadBackend, "derivatives", lambda self, wanted, look: DerivedRun("switched off", 0)
    )
    by_differences = luff.fit(path)
    assert exact.derivatives == "exact"
    assert by_differences.differences_why == "switched off"
    assert exact.runs <= 0.2 * by_differences.runs
    for name, each in exact.parameters.items():
        # both end within OFFSET = 1e-3 of a standard error, times sqrt(n); slopes of differences are off by 1e-4
        assert by_differences.values[name] == pytest.approx(each.value, abs=0.01 * each.error)


BOUNCE = """\
luff: 1
name: bounce
blocks:
  rail:
    type: prismatic
    axis: z
    damping: 0.5
    limits: {lower: 0, stiffness: 5 kN/m, damping: 5}
    initial: {position: 0.2}
  body: {type: rigid_link, mass: 2 kg}
connect: [world.frame -- rail.frame_a, rail.frame_b -- body.frame_a]
simulation: {stop: 1 s, step: 1 ms, output_step: 10 ms}
"""


@hours_as_plain_python
def test_a_fit_through_stops_finds_what_was_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of the same model with other numbers; where a stop is met the steps end, by exact slopes or differences."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bounce.yaml").write_text(BOUNCE)
    rows = luff.compile(tmp_path / "bounce.yaml", **{"rail.damping": 0.8}).run(events="locate")
    where = {"column": "rail.position", "deviation": "1 mm"}
    task = {
        "model": "./bounce.yaml",
        "fit": {
            "parameters": {"rail.damping": {"lower": 0.1, "upper": 2}},
            "data": [{"file": rows, "signals": {"rail.position": where}}],
        },
    }
    found = luff.fit(task)
    # splines bend over the kink of the rate at the stop: the same of both, which locate it alike
    assert found.values["rail.damping"] == pytest.approx(
        0.8, abs=0.01 * found.parameters["rail.damping"].error
    )


@hours_as_plain_python
def test_profiles_are_those_of_the_closed_form(tmp_path: Path) -> None:
    """The least squares over the other unknown of the solution by hand, at the quantile of chi square; with 20 rows the
    interval of the damping is far from even about its value."""
    path = write(
        tmp_path,
        seed=3,
        noise=0.04,
        task=TASK.replace("deviation: 2 mm", "deviation: 40 mm") + "  profile: true\n",
    )
    found = luff.fit(path)
    t, place = np.loadtxt(tmp_path / "measured.csv", delimiter=",", skiprows=1).T

    def cost(k: float, c: float) -> float:
        return float(np.sum((position(t, k, c) - 1e-3 * place) ** 2)) / 0.04**2

    def least(name: str, value: float) -> float:
        one = (lambda o: cost(value, o)) if name == "k" else (lambda o: cost(o, value))
        bounds = (0.01, 12.0) if name == "k" else (35.0, 210.0)
        return float(
            scipy.optimize.minimize_scalar(one, bounds=bounds, method="bounded", options={"xatol": 1e-9}).fun
        )

    floor = cost(*found.values.values())
    for name, each in found.parameters.items():
        assert each.interval is not None
        low, high = each.interval
        print(name, each.value, each.error, each.interval)
        for end in filter(math.isfinite, (low, high)):
            # ends are found to 1 % of the half-width, so the rise, its square, to 2 %; splines add 1e-6
            assert least(name, end) - floor == pytest.approx(scipy.stats.chi2.ppf(0.95, 1), rel=0.025)
        beyond = each.lower if math.isinf(low) else each.upper
        if math.isinf(low) or math.isinf(high):
            assert least(name, beyond) - floor < scipy.stats.chi2.ppf(0.95, 1)
    damping = found.parameters["rail.damping"].interval
    assert damping is not None
    assert not math.isnan(sum(damping))
    assert "95 % by profile likelihood" in "\n".join(table(found))


@hours_as_plain_python
def test_an_experiment_that_is_held_out_is_predicted_and_not_fitted(tmp_path: Path) -> None:
    more = (
        "    - {file: heavy.csv, validate: true, signals: {rail.position: place}, set: {body.mass: 5 kg}}\n"
    )
    path = write(tmp_path, seed=7, task=TASK + more)
    t = np.linspace(0.0, 3.0, 100)
    draw = np.random.default_rng(2)
    rows = np.column_stack([t, position(t, *HIDDEN.values(), m=5.0) + draw.normal(0.0, NOISE, 100)])
    np.savetxt(tmp_path / "heavy.csv", rows, delimiter=",", header="time,place", comments="")
    out = call("fit", "task.yaml", "--json", cwd=tmp_path).stdout
    lines = call("fit", "task.yaml", cwd=tmp_path).stdout
    alone = luff.fit(write(tmp_path, seed=7))
    found = json.loads(out)
    assert {name: one["value"] for name, one in found["parameters"].items()} == alone.values
    assert found["residuals"] == 200
    assert found["held_out"] == [1]
    # chi square of 100 rows: its deviation is 7 % of the rms, and the prediction's own error adds less
    assert found["rms"][1]["rail.position"] == pytest.approx(NOISE, rel=0.25)
    assert "experiment 2, held out, rms of rail.position" in lines
    path.write_text(TASK.replace("    - file", "    - validate: true\n      file"))
    assert "all are held out" in call("fit", "task.yaml", cwd=tmp_path, code=1).stderr


def test_the_test_of_whiteness_is_that_of_its_formula() -> None:
    """p of white noise is uniform; that of a first-order process is nothing. Uneven times are unknown."""
    draw = np.random.default_rng(4)
    t = np.arange(400.0)
    p = [ljung_box(t, draw.normal(size=400)) for _ in range(300)]
    # Kolmogorov and Smirnov: 0.094 is 1 % of 300; chi square for 400 rows is itself off by less
    assert scipy.stats.kstest(p, "uniform").statistic < 0.094
    e = draw.normal(size=400)
    assert ljung_box(t, e[1:] + 0.5 * e[:-1] if len(t) == 399 else np.convolve(e, [1.0, 0.5])[:400]) < 1e-6
    r1 = e - e.mean()
    by_hand = sum((r1[k:] @ r1[:-k] / (r1 @ r1)) ** 2 / (400 - k) for k in range(1, 21)) * 400 * 402
    assert ljung_box(t, e) == pytest.approx(scipy.stats.chi2.sf(by_hand, 20), rel=1e-10)
    assert math.isnan(ljung_box(t**1.1, e))
    assert math.isnan(ljung_box(t, np.zeros(400)))


@hours_as_plain_python
def test_errors_without_a_deviation_follow_from_the_residuals(tmp_path: Path) -> None:
    """200 residuals of 2 mm tell their deviation to 1 / sqrt(400); with one given the errors are those of the noise."""
    told = luff.fit(write(tmp_path, seed=1))
    found = luff.fit(write(tmp_path, seed=1, task=TASK.replace(", deviation: 2 mm", "")))
    for name, one in told.parameters.items():
        assert found.parameters[name].error == pytest.approx(one.error, rel=4.0 / math.sqrt(400.0))


def test_a_shift_of_the_clock_is_found_with_the_parameters(tmp_path: Path) -> None:
    task = TASK + "      shift: {lower: 0, upper: 0.3 s}\n"
    found = luff.fit(write(tmp_path, seed=5, late=0.12, task=task))
    shift = found.shifts[0]
    assert abs(shift.value - 0.12) < 3 * shift.error
    assert shift.error < 0.01
    for name, value in HIDDEN.items():
        assert abs(found.values[name] - value) < 3 * found.parameters[name].error


def test_many_starts_find_what_one_misses(tmp_path: Path) -> None:
    # from a far stiffness the curves lose step with each other, and the nearest valley is a wrong one
    far = TASK.replace("upper: 200 N/m, start: 90", "upper: 2000 N/m, start: 1500")
    one = luff.fit(write(tmp_path, seed=6, task=far))
    many = luff.fit(write(tmp_path, seed=6, task=far + "  starts: 12\n"))
    assert abs(one.values["k"] - 110) > 50
    assert abs(many.values["k"] - 110) < 3 * many.parameters["k"].error
    assert len(many.searches) == 12


def test_starts_share_their_runs_and_end_where_each_would_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = write(tmp_path, seed=6, task=TASK + "  starts: 5\n")
    netlist = tmp_path / "oscillator.yaml"  # without derivatives: runs for differences go side by side
    netlist.write_text(netlist.read_text().replace("stop: 4 s", "method: dop853, stop: 4 s"))
    sizes: list[int] = []
    runs = ThreadBackend.runs
    monkeypatch.setattr(
        ThreadBackend, "runs", lambda self, w, look: sizes.append(len(w)) or runs(self, w, look)
    )
    together, batches = luff.fit(task), len(sizes)
    monkeypatch.setattr(ConcurrentSearches, "ends", one_by_one)
    alone = luff.fit(task)
    assert together.as_dict() == alone.as_dict()
    assert sum(together.alone.values()) == together.runs == alone.runs
    # beside them is the one that looked for derivatives; that of the model as it is does not count
    assert together.runs - 1 == sum(sizes[:batches]) - 1
    assert batches < 0.5 * len(sizes[batches:])
    (page, *_) = report(together, tmp_path)
    assert f"of the {together.runs} runs that ran for this report" in page.read_text()


def test_experiments_share_parameters_and_differ_in_what_is_set(tmp_path: Path) -> None:
    task = TASK + "    - {file: heavy.csv, signals: {rail.position: place}, set: {body.mass: 5 kg}}\n"
    path = write(tmp_path, seed=7, task=task)
    t = np.linspace(0.0, 3.0, 100)
    rows = np.column_stack([t, position(t, *HIDDEN.values(), m=5.0)])
    np.savetxt(tmp_path / "heavy.csv", rows, delimiter=",", header="time,place", comments="")
    found = luff.fit(path)
    assert found.values["k"] == pytest.approx(110.0, rel=0.01)
    assert found.experiments[1].rms()["rail.position"] < 2e-4


def test_what_the_data_do_not_tell_has_no_error_that_looks_like_one(tmp_path: Path) -> None:
    task = TASK.replace("  data:", "    world.gravity: {lower: 0, upper: 1}\n  data:")
    task = task.replace("world.gravity", "idle.k")
    path = write(tmp_path, seed=8, task=task)
    model = (tmp_path / "oscillator.yaml").read_text()
    (tmp_path / "oscillator.yaml").write_text(
        model.replace("connect:", "  idle: {type: gain, k: 0.5}\n  one: {type: constant}\nconnect:").replace(
            "connect: [", "connect: [one.y -> idle.u, "
        )
    )
    found = luff.fit(path)
    assert found.parameters["idle.k"].error == np.inf
    assert "do not determine" in found.parameters["idle.k"].note
    assert found.parameters["k"].error < 2.0


def test_a_fit_that_is_ended_goes_on_where_it_was(tmp_path: Path) -> None:
    task = write(tmp_path, seed=9, task=TASK + "  starts: 4\n")
    whole = luff.fit(task, tmp_path / "whole.json")
    ended = luff.fit(task, tmp_path / "cut.json", progress=lambda runs, _: runs < whole.runs // 2)
    assert ended.status == "interrupted"
    assert luff.read(tmp_path / "cut.json").values == ended.values  # the best so far
    seen = []
    rest = luff.fit(task, tmp_path / "cut.json", progress=lambda runs, _: seen.append(runs))
    assert rest.status == "finished"
    assert rest.runs < 0.8 * whole.runs
    for name in HIDDEN:
        assert rest.values[name] == pytest.approx(whole.values[name], rel=1e-5)


def test_slopes_beside_runs_that_fail_are_one_sided_or_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Residuals a z + b of three unknowns; runs fail below 0.5 of the first, and all around 0.5 of the second."""
    residuals = object.__new__(Residuals)
    monkeypatch.setattr(Residuals, "width", 3)
    a = np.array([[2.0, -1.0, 3.0], [0.5, 4.0, -2.0]])

    def at(points: np.ndarray) -> np.ndarray:
        failed = (points[:, 0] < 0.5) | (abs(points[:, 1] - 0.5) > 1e-9)
        return np.where(failed[:, None], LOST, points @ a.T + 1.0)

    residuals.at = at  # type: ignore[method-assign]
    point = np.array([0.5, 0.5, 0.25])
    J = residuals.differences(point, at)
    # differences of NUDGE = 1e-4 lose four of sixteen digits
    np.testing.assert_allclose(J, a * [1.0, 0.0, 1.0], atol=1e-11)
    assert residuals.unknown_mask(point).tolist() == [False, True, False]


def test_a_fit_that_explains_nothing_says_so_first(tmp_path: Path) -> None:
    """The numbers of the doubt are those of the data: a rest at 5 m, beside a motion of decimetres about zero."""
    write(tmp_path, seed=1)
    t = np.linspace(0.0, 3.0, 60)
    rows = np.column_stack([t, 5000.0 + np.sin(7.0 * t)])  # mm: a deviation of 0.7 mm, 5 m away
    np.savetxt(tmp_path / "measured.csv", rows, delimiter=",", header="time [s],place [mm]", comments="")
    out = call("fit", "task.yaml", cwd=tmp_path).stdout
    first = out.splitlines()[0]
    assert first.startswith("the fit does not explain rail.position of experiment 1"), out
    assert re.search(r"rms of (4\.9|5)\d* m, .* deviation of 0\.000(69|7)\d* m", first), first
    assert json.loads((tmp_path / "task.json").read_text())["doubts"][0] == first
    report_lines = call("fit", "task.yaml", "--report", "out", cwd=tmp_path)
    page = (tmp_path / "out" / "report.md").read_text()
    assert report_lines.stdout.index("does not explain") < report_lines.stdout.index("standard error")
    assert page.index("does not explain") < page.index("standard error")


def test_a_fit_at_a_bound_says_so_first(tmp_path: Path) -> None:
    write(tmp_path, seed=1, task=TASK.replace("upper: 200 N/m, start: 90", "upper: 100 N/m, start: 90"))
    out = call("fit", "task.yaml", cwd=tmp_path).stdout
    assert out.splitlines()[0].startswith("k is at its upper bound"), out
    assert json.loads((tmp_path / "task.json").read_text())["parameters"]["k"]["value"] == 100.0


@hours_as_plain_python
def test_standard_errors_are_the_spread_of_many_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """A pendulum with dry and viscous friction by SciPy, measured again and again with other noise.

    The variance of COUNT values over its square error is chi-square, and so is the sum of the squares of what each is
    off over its own error, to the first order in the noise.
    """
    monkeypatch.chdir(tmp_path)
    Path("swing.yaml").write_text(RUBBED)
    t, count = np.arange(0.0, 4.001, 0.02), 25
    hidden, draw = np.array([0.05, 0.12]), np.random.default_rng(seed)
    angle = rubbed_swing(t, *hidden)
    unknowns = {
        "viscous": {"lower": 0.001, "upper": 0.5, "scale": "log", "start": 0.05},
        "dry": {"lower": 0.005, "upper": 1, "scale": "log", "start": 0.12},
    }
    told = []
    for _ in range(count):
        measured = {"time": t, "angle": angle + draw.normal(0.0, 0.001, len(t))}
        signals = {"pin.position": {"column": "angle", "deviation": "1 mrad"}}
        task = {"parameters": unknowns, "data": [{"file": measured, "signals": signals}]}
        found = luff.fit({"model": "./swing.yaml", "fit": task})
        told.append([(each.value, each.error) for each in found.parameters.values()])
    value, error = np.array(told).transpose(2, 0, 1)
    low, high = scipy.stats.chi2.interval(0.9999, count - 1)
    spread = (count - 1) * value.var(axis=0, ddof=1) / (error**2).mean(axis=0)
    assert ((low < spread) & (spread < high)).all()
    low, high = scipy.stats.chi2.interval(0.9999, count)
    off = (((value - hidden) / error) ** 2).sum(axis=0)
    assert ((low < off) & (off < high)).all()


def rubbed_swing(t: np.ndarray, viscous: float, dry: float) -> np.ndarray:
    """Angle of a pendulum that is let go at 1 rad; dry friction is smooth through rest."""

    def rates(_: float, y: np.ndarray) -> list[float]:
        torque = -1.5 * 9.81 * 0.7 * np.sin(y[0]) - viscous * y[1] - dry * np.tanh(y[1] / 0.02)
        return [y[1], torque / 0.9]

    begin = [1.0, 0.0]
    return scipy.integrate.solve_ivp(
        rates, (0.0, t[-1]), begin, "LSODA", t, rtol=1e-9, atol=1e-11, max_step=0.01
    ).y[0]


RUBBED = """\
luff: 1
parameters: {viscous: 0.02 N*m*s/rad, dry: 0.05}
blocks:
  pin:
    type: revolute
    axis: y
    damping: =viscous
    initial: {position: 1 rad}
    friction: {model: coulomb, load: 10 N, diameter: 0.2 m, mu_k: =dry, mu_s: =dry, stribeck: 0.2}
  rod: {type: rigid_link, mass: 1.5 kg, com: [0, 0, -0.7], inertia: [0, 0.165, 0]}
connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a]
simulation: {stop: 4 s, step: 4 ms, output_step: 20 ms}
"""
