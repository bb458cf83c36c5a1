"""The page of benchmarks: references against published digits, and the command that runs them."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.bench import benchmark_crank
from luff.bench import benchmark_references as references
from luff.bench.benchmark_regressions import REGRESSIONS, four_bar_at
from luff.docs import benchmarks


def command(*names: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-W", "ignore", "-m", "luff.docs.benchmarks", *names]
    return subprocess.run(words, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("speed", "digits"),
    [(0.0, (3.5160, 22.0345)), (4.0, (5.5850, 24.2733)), (12.0, (13.1702, 37.6031))],
)
def test_power_series_has_the_digits_of_wright(speed: float, digits: tuple[float, float]) -> None:
    """Wright et al. (1982), hub radius and tip mass zero, four decimals."""
    assert references.rotating_cantilever(speed, 2) == pytest.approx(digits, abs=5e-5)


def test_top_has_the_digits_of_its_source() -> None:
    """Terze, Mueller, Zlatar (2016) with RK4: a quaternion to five decimals, of a top along y."""
    w, x, y, z = -0.70828, 0.43878, 0.54573, 0.0894
    along_y = 2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)
    assert references.top() == pytest.approx([along_y[1], -along_y[0], along_y[2]], abs=4e-5)


def test_double_four_bar_is_what_exudyn_converges_to() -> None:
    """As its test model prints for steps of 0.25 and 0.125 ms, extrapolated with its second order."""
    coarse, fine = np.array([[0.3284552113, 0.9445195467], [0.3284573768, 0.9445187937]])
    assert references.double_four_bar() == pytest.approx((4 * fine - coarse) / 3, abs=2e-8)


def test_command_runs_a_benchmark_and_tells_its_deviation() -> None:
    """Fourth order in the step: the pendulum's nine times 1e-12 at 1 ms, the top's rounding."""
    done = command("pendulum", "top")
    assert (done.returncode, done.stderr) == (0, "")
    rows = re.findall(r"^\| luff \| rk4 \| (\S+ \S+) \| (\S+) \|", done.stdout, re.MULTILINE)
    found = [float(off) for _, off in rows]
    assert [step for step, _ in rows] == ["2 ms", "1 ms", "0.2 ms", "0.1 ms"]
    assert 10 < found[0] / found[1] < 25
    assert found[1] < 1e-10
    assert max(found[2:]) < 1e-11
    for engine in ("MuJoCo", "Exudyn", "Pinocchio"):
        assert done.stdout.count(f"| {engine} |") == 2


@pytest.mark.parametrize("name", REGRESSIONS)
def test_values_of_exudyns_test_suite(name: str) -> None:
    """Published with an error of Exudyn's step, which halving it tells; its limit is known to its extrapolation's.

    Below that are rounding and tolerances of Newton's method, 1e-13; at singular positions luff stops at 1e-8.
    """
    one = REGRESSIONS[name]
    limit, unsure = one.limit()
    if name == "fourBarMechanismIftomm":
        assert limit == pytest.approx(four_bar_at(4.0), abs=unsure)
        limit, unsure = four_bar_at(4.0), 1e-8
    found = one.found()
    assert found == pytest.approx(limit, abs=unsure + 1e-13)
    assert found == pytest.approx(one.published, abs=1.2 * 2.0**one.order * abs(one.finer[0] - limit))


def test_chain_on_pins_askew_is_that_of_exudyns_kinematic_tree() -> None:
    """The reference's tip is that of the angles whose sum Exudyn has; rk4 at 1 ms: 8e-11 m."""
    ours, _ = benchmarks.run("kinematic_tree", "luff", "1 ms")
    assert [*ours.values()] == pytest.approx(references.kinematic_tree(), abs=1e-9)


def test_slider_crank_turns_as_exudyns_file_says() -> None:
    """Its solution by ode45 with tolerances of 1e-6 has 55.0513 rad at 1.9994585 s and 39.95 rad/s: 55.0729 at 2 s."""
    _, x, y = references.rigid_slider_crank()
    assert math.remainder(
        math.atan2(y, x) - 55.0513 - 39.95 * (2.0 - 1.9994585), 2.0 * math.pi
    ) == pytest.approx(0.0, abs=1e-3)


def test_flyball_governor_is_that_of_its_symmetric_motion() -> None:
    """rk4 at 0.2 ms and rates of 1e4/s: 6e-12 m of what decays. Exudyn's step of 1 ms is off by 3e-5 m."""
    expected = references.flyball_governor()
    ours, _ = benchmarks.run("flyball_governor", "luff", "0.2 ms")
    assert [*ours.values()] == pytest.approx(expected, abs=1e-9)


def test_pinocchio_closes_the_squeezers_loops() -> None:
    """rk4 at 20 us, in coordinates that luff does not have: both are off by 1e-7 at most."""
    ours, _ = benchmarks.run("squeezer", "luff", "20 us")
    theirs, _ = benchmarks.run("squeezer", "pinocchio", "20 us")
    for name, value in ours.items():
        assert theirs[name] == pytest.approx(value, abs=1e-6)


def test_pybullet_gets_the_same_chain() -> None:
    """Its steps are of first order: 0.1 ms leave 6e-4 m, and a tenth of them a tenth."""
    pytest.importorskip("pybullet")
    ours, _ = benchmarks.run("kinematic_tree", "luff", "1 ms")
    theirs, _ = benchmarks.run("kinematic_tree", "bullet", "0.1 ms")
    for name, value in ours.items():
        assert theirs[name] == pytest.approx(value, abs=2e-3)


def test_flexible_slider_crank_has_the_digits_of_the_test_set(tmp_path: Path) -> None:
    """Its own digits hold to 1e-10: another release of the test set differs by as much. rk4 at 5 us: 2e-11."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", luff.ModelWarning)  # a planar loop is over-constrained
        rows, _ = benchmark_crank.slider_crank(tmp_path)
    for name, found, expected in rows:
        assert found == pytest.approx(expected, abs=1e-10), name


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Exudyn's, of its own settings
def test_other_engines_get_universal_and_prismatic_joints() -> None:
    """Exudyn's step of 1 ms is off by 8e-6 m, luff's by 1e-9."""
    ours, _ = benchmarks.run("stewart", "luff", "2 ms")
    theirs, _ = benchmarks.run("stewart", "exudyn", "1 ms")
    for name, value in ours.items():
        assert theirs[name] == pytest.approx(value, abs=2e-5)


def test_a_body_tossed_over_its_ball_joint() -> None:
    """rk4 at 1 ms and some 5 rad/s: (w h)^4 / 120 a radian."""
    ours, _ = benchmarks.run("tumbling", "luff", "1 ms")
    assert [*ours.values()] == pytest.approx(references.tumbling(), abs=1e-9)


def test_command_tells_a_name_that_is_none() -> None:
    done = command("pendulums")
    assert done.returncode == 1
    assert "no benchmark pendulums (known: pendulum, double_four_bar" in done.stderr


def test_page_has_a_section_for_each_benchmark() -> None:
    titles = re.findall(r"^## (.*)", benchmarks.PAGE.read_text("utf-8"), re.MULTILINE)
    assert titles == [*(entry["title"] for entry in benchmarks.benchmarks().values()), "Not here"]
    models = {entry["model"] for entry in benchmarks.benchmarks().values() if "model" in entry}
    models |= {one.model for one in REGRESSIONS.values()}
    assert models == {path.stem for path in benchmarks.MODELS.glob("*.yaml")}


def test_verdict_says_where_luff_is_not_the_best() -> None:
    own, near, fast = (
        benchmarks.Measured("luff", "1 ms", 1e-8, 1.0),
        benchmarks.Measured("exudyn", "1 ms", 1e-9, 2.0),
        benchmarks.Measured("mujoco", "1 ms", 1e-8, 0.5),
    )
    assert benchmarks.verdict([own, fast]) == "MuJoCo: nearer in less time than luff."
    assert benchmarks.verdict([own, near]) == "No engine is both nearer and faster than all others."
    assert benchmarks.verdict([own, benchmarks.Measured("exudyn", "1 ms", 1e-8, 2.0)]).startswith(
        "luff: nearer"
    )
    bound = benchmarks.Measured("aba", "1 ms", 1e-9, 0.5)
    assert benchmarks.verdict([own, bound]) == "No engine is both nearer and faster than all others."
    assert benchmarks.verdict([own]) == ""
    assert benchmarks.verdict([own, benchmarks.Measured("exudyn", "1 ms", float("nan"), 2.0)]) == ""
