"""Observers of a netlist's own model: consistent innovations, parameters that are found, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

import luff
from luff.blocks import CompileError, LuffError, RunError
from luff.solver.estimation.unscented_kalman import upper_root
from luff.tests.process import call

TROLLEY = """luff: 1
name: trolley with a load
parameters: {rope: 5 m, load: 1 t}
inputs: {force: {unit: N}, gust: {unit: N, default: 0}}
outputs: {place: trolley.position, swing: pin.position}
blocks:
  push: {type: sum, signs: "++"}
  trolley: {type: prismatic, axis: x}
  cart: {type: rigid_link, mass: 500 kg}
  pin: {type: revolute, axis: y}
  load: {type: rigid_link, mass: =load, com: [0, 0, =-rope], inertia: [10, 10, 10]}
connect:
  - inputs.force -> push.u1
  - inputs.gust -> push.u2
  - push.y -> trolley.effort
  - world.frame -- trolley.frame_a
  - trolley.frame_b -- cart.frame_a
  - cart.frame_a -- pin.frame_a
  - pin.frame_b -- load.frame_a
simulation: {stop: 20 s, step: 25 ms}
"""
WATCHED = """luff: 1
name: observed
blocks:
  plant: {type: ./trolley.yaml, load: 1.3 t, rope: 5.6 m}
  force: {type: sine, amplitude: AMPLITUDE, frequency: 0.15 Hz, unit: N}
  hold: {type: zero_order_hold, sample_time: 50 ms}
  gust: {type: noise, deviation: 50, sample_time: 50 ms, seed: 3, unit: N}
  error: {type: noise, deviation: [5 mm, 0.2 deg], sample_time: 50 ms, seed: 4}
  place: {type: sum, signs: "++"}
  swing: {type: sum, signs: "++"}
  it:
    type: observer
    model: ./MODEL
    step: 50 ms
    inputs: [force]
    measured: [{signal: trolley.position, noise: 5 mm}, {signal: pin.position, noise: 0.2 deg}]
    noise: [{input: gust, deviation: 50 N}]
    MORE
connect:
  - force.y -> hold.u
  - hold.y -> plant.force
  - gust.y -> plant.gust
  - plant.place -> place.u1
  - error.y[0] -> place.u2
  - plant.swing -> swing.u1
  - error.y[1] -> swing.u2
  - place.y -> it.y[0]
  - swing.y -> it.y[1]
  - hold.y -> it.u
simulation: {stop: STOP, step: 12.5 ms, output_step: 50 ms}
"""
PARAMETERS = """parameters:
      - {name: load, start: 1 t, deviation: 300 kg, lower: 100 kg}
      - {name: rope, start: 5 m, deviation: 0.5 m, lower: 1 m}
    estimate: [load, rope, pin.velocity]"""
STATES = ("trolley.position", "pin.position", "trolley.velocity", "pin.velocity")
TRUE = TROLLEY.replace("rope: 5 m, load: 1 t", "rope: 5.6 m, load: 1.3 t")


def watched(
    folder: Path, model: str = "trolley.yaml", more: str = "", stop: str = "5 s", amplitude: str = "2 kN"
) -> Path:
    (folder / "trolley.yaml").write_text(TROLLEY)
    (folder / "true.yaml").write_text(TRUE)
    text = WATCHED.replace("MODEL", model).replace("MORE", more).replace("STOP", stop)
    (folder / "watched.yaml").write_text(text.replace("AMPLITUDE", amplitude))
    return folder / "watched.yaml"


UNSCENTED = "filter: unscented"
BOTH = pytest.mark.parametrize("way", ["filter: extended", UNSCENTED])


@BOTH
def test_load_and_rope_are_found_from_a_noisy_swing(tmp_path: Path, way: str) -> None:
    watched(tmp_path, more=f"{way}\n    {PARAMETERS}", stop="15 s")
    done = call("run", "watched.yaml", "-o", "seen.npz", "--quiet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = luff.read(tmp_path / "seen.npz")
    found, deviation = result["it.estimates"][-1], result["it.deviations"][-1]
    assert abs(found[0] / 1300 - 1) < 0.02
    assert abs(found[1] / 5.6 - 1) < 0.02
    # as it says itself: three deviations
    assert (abs(found[:2] - [1300, 5.6]) < 3 * deviation[:2]).all()


def test_a_parameter_that_is_zero_at_the_start_is_estimated_by_its_drift(tmp_path: Path) -> None:
    """The load hangs 0.2 m off the line of the rope, which the model begins with."""
    path = watched(
        tmp_path,
        more="parameters: [{name: off, start: 0 m, deviation: 0 m, drift: 0.1 m}]",
        stop="5 s",
        amplitude="0 N",
    )
    for name, off in (("trolley.yaml", 0.0), ("true.yaml", 0.2)):
        text = (tmp_path / name).read_text().replace("com: [0,", "com: [=off,")
        (tmp_path / name).write_text(text.replace("parameters: {", f"parameters: {{off: {off} m, "))
    path.write_text(
        path.read_text().replace(
            "./trolley.yaml, load: 1.3 t, rope: 5.6 m", "./true.yaml, load: 1 t, rope: 5 m"
        )
    )
    result = luff.compile(path).run()
    assert np.isfinite(result["it.estimates"]).all()
    assert abs(result["it.estimates"][-1, 0] - 0.2) < 3 * result["it.deviations"][-1, 0]
    assert result["it.deviations"][-1, 0] < 0.5 * 0.1 * 5**0.5  # of a walk that nothing shows


@BOTH
def test_innovations_of_50_seeds_are_as_large_as_told(tmp_path: Path, way: str) -> None:
    """The sum of normalised innovations is chi-square, of 2 degrees a sample; the known model begins at rest."""
    path, total, samples = watched(tmp_path, "true.yaml", way, "3 s"), 0.0, 0
    inside = 0
    for seed in range(50):
        sim = luff.compile(path, **{"gust.seed": 10 + seed, "error.seed": 100 + seed})
        normalised = sim.run()["it.normalised"][1:]
        low, high = chi2.interval(0.95, 2 * len(normalised))
        inside += low < normalised.sum() < high
        total, samples = total + normalised.sum(), samples + len(normalised)
    low, high = chi2.interval(0.95, 2 * samples)
    assert low < total < high
    assert inside >= 43  # of 50, each with a chance of 95 %: fewer have one of 1 in 250


def test_deviations_become_those_of_the_linear_filter(tmp_path: Path) -> None:
    """At rest the model is linear: the covariance is that of the Riccati equation, predicted over a sample."""
    path = watched(
        tmp_path,
        "true.yaml",
        "estimate: [trolley.position, pin.position, trolley.velocity, pin.velocity]",
        "20 s",
        "0 N",
    )
    told = luff.compile(path).run()["it.deviations"][-1]
    steady = luff.kalman(
        luff.compile(tmp_path / "true.yaml"), {"trolley.position": "5 mm", "pin.position": "0.2 deg"}, {"gust": "50 N"},
        sample_time=0.05,
    )  # fmt: skip
    P = steady.A @ steady.P @ steady.A.T + steady.G @ steady.G.T * 50**2
    # the swing stays below 0.3 deg, whose square counts; Runge-Kutta steps of 25 ms are right to 1e-7
    np.testing.assert_allclose(told, np.sqrt(np.diag(P)), rtol=1e-3)


def test_the_points_of_an_unscented_filter_are_those_of_a_linear_one(tmp_path: Path) -> None:
    """Small swings are linear: both filters have one covariance, and so one gain and one estimate."""
    names = "estimate: [trolley.position, pin.position, trolley.velocity, pin.velocity]"
    results = []
    for way in ("filter: extended", UNSCENTED):
        results.append(
            luff.compile(watched(tmp_path, "true.yaml", f"{way}\n    {names}", "3 s", "0 N")).run()
        )
    a, b = results
    # the swing and its spread stay below 0.3 deg = 5e-3 rad, whose square counts
    np.testing.assert_allclose(b["it.deviations"], a["it.deviations"], rtol=1e-4, atol=1e-12)
    np.testing.assert_allclose(b["it.estimates"], a["it.estimates"], atol=1e-4 * abs(a["it.estimates"]).max())


def test_an_unscented_filter_sees_a_bend_within_the_spread(tmp_path: Path) -> None:
    """The mean of cos(a) about a = 0 of deviation s is that of its points: cos(s) on the only direction of spread; the
    extended filter sees 1, and no deviation."""
    text = TRUE.replace("blocks:", "blocks:\n  up: {type: expression, inputs: [a], expr: cos(a)}", 1)
    more = "uncertain: [{state: pin.position, start: 0 deg, deviation: 20 deg}]\n    estimate: [up.y]"
    seen = []
    for way in ("filter: extended", UNSCENTED):
        path = watched(tmp_path, "up.yaml", f"{way}\n    {more}", "0.1 s")
        (tmp_path / "up.yaml").write_text(text.replace("connect:", "connect:\n  - pin.position -> up.a"))
        result = luff.compile(path).run()
        seen.append((result["it.estimates"][0], result["it.deviations"][0]))
    assert seen[0] == pytest.approx((1.0, 0.0), abs=1e-12)
    assert seen[1] == pytest.approx((np.cos(np.radians(20.0)), 0.0), abs=1e-12)


def test_the_root_of_a_covariance_is_upper_and_squares_to_it() -> None:
    draw = np.random.default_rng(3)
    for rank in (5, 3, 0):
        A = draw.normal(size=(5, rank))
        P = A @ A.T
        U = upper_root(P)
        assert not np.tril(U, -1).any()
        np.testing.assert_allclose(U @ U.T, P, atol=1e-7 * max(1.0, abs(P).max()))  # the root of rounding


def test_a_signal_that_is_no_state_has_the_deviation_of_its_slope(tmp_path: Path) -> None:
    """Where the load is against the trolley: r sin(a) about a, of which the deviation is r cos(a) that of a."""
    text = TRUE.replace("blocks:", "blocks:\n  aside: {type: expression, inputs: [a], expr: 5.6*sin(a)}", 1)
    path = watched(tmp_path, "aside.yaml", "estimate: [aside.y, pin.position]", "2 s")
    (tmp_path / "aside.yaml").write_text(text.replace("connect:", "connect:\n  - pin.position -> aside.a"))
    result = luff.compile(path).run()
    estimates, deviations = result["it.estimates"], result["it.deviations"]
    np.testing.assert_allclose(estimates[:, 0], 5.6 * np.sin(estimates[:, 1]), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(
        deviations[:, 0], 5.6 * np.cos(estimates[:, 1]) * deviations[:, 1], rtol=1e-12, atol=1e-15
    )


def test_a_sample_without_noise_is_predicted_exactly(tmp_path: Path) -> None:
    """A filter that knows the model and hears no noise has the plant's motion, and no innovation."""
    path = watched(tmp_path, "true.yaml", "estimate: [pin.position]", "3 s")
    quiet = {"gust.deviation": 0.0, "error.deviation": 0.0}
    result = luff.compile(path, **quiet).run()
    # Runge-Kutta steps of 25 ms for a swing of 2 rad/s beside those of 12.5 ms
    assert abs(result["it.innovation"]).max() < 1e-7
    assert np.ptp(result["plant.pin.position"]) > 0.02


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (
            "uncertain: [{state: pin.place}]",
            r"uncertain\[0\].state: the model has no state pin.place \(known: pin.position",
        ),
        ("estimate: [pin.speed]", "no such state or signal"),
        (
            "parameters: [{name: rope, start: 5 kg, deviation: 1}]",
            r"parameters\[0\].start: found a unit other",
        ),
        ("parameters: [{name: sling, start: 5, deviation: 1}]", "sling"),
        (
            "uncertain: [{state: pin.position, deviation: 3 mm}]",
            r"uncertain\[0\].deviation: found a unit other",
        ),
        ("enabled: true\n    model: ./gone.yaml", "gone.yaml"),
    ],
)
def test_what_the_model_does_not_have_is_refused(tmp_path: Path, more: str, told: str) -> None:
    path = watched(tmp_path, more=more, stop="0.2 s")
    if "gone" in more:
        path.write_text(
            path.read_text().replace("    model: ./trolley.yaml\n", "").replace("enabled: true\n    ", "")
        )
    with pytest.raises(LuffError, match=told):
        luff.compile(path).run()


def test_models_with_time_or_memories_are_refused(tmp_path: Path) -> None:
    path = watched(tmp_path, "other.yaml", stop="0.2 s")
    for block, told in (
        ("{type: sine}", "depends on the time"),
        ("{type: zero_order_hold}", "keeps memories"),
    ):
        other = TROLLEY.replace("blocks:", f"blocks:\n  other: {block}", 1)
        if "hold" in block:
            other = other.replace("inputs.gust -> push.u2", "inputs.gust -> other.u\n  - other.y -> push.u2")
        else:
            other = other.replace('signs: "++"', 'signs: "+++"').replace(
                "connect:", "connect:\n  - other.y -> push.u3"
            )
        (tmp_path / "other.yaml").write_text(other)
        with pytest.raises(RunError, match=rf"it\.model: other {told}"):
            luff.compile(path).run()


def test_exports_and_batches_name_the_observer(tmp_path: Path) -> None:
    path = watched(tmp_path, stop="0.2 s")
    for make, name in (
        (luff.export_fmu, "x.fmu"),
        (luff.export_page, "x.html"),
        (luff.export_library, "lib"),
    ):
        with pytest.raises(CompileError, match="it: a block observer works outside of the compiled model"):
            make(luff.load(path), tmp_path / name)
    with pytest.raises(RunError, match="cannot run in a batch: it"):
        luff.batch(luff.compile(path), {"gust.deviation": [1.0, 2.0]}, outputs="plant.pin.position")


@pytest.mark.parametrize(
    ("entry", "file"),
    [
        ("inner: {type: ./trolley.yaml}", "trolley.yaml"),
        ('inner: {"type": "./trolley.yaml"}', "trolley.yaml"),
        ("inner:\n    file:\n      'my own.csv'", "my own.csv"),
        ("inner: {type: floating_body, wamit: hull}", "hull.hst"),
    ],
)
def test_a_change_of_the_model_is_seen(tmp_path: Path, entry: str, file: str) -> None:
    """What a run depends on is in its digests: the model's file, and those that it names."""
    path = watched(tmp_path, "outer.yaml", stop="0.2 s")
    (tmp_path / "outer.yaml").write_text(f"luff: 1\nblocks:\n  {entry}\n")
    (tmp_path / file).write_text(TROLLEY)
    block = luff.compile(path).program.flat.blocks["it"]
    before = [*block.reads()]
    (tmp_path / file).write_text(TROLLEY + "# longer\n")
    assert [*block.reads()] != before


def test_no_file_outside_of_the_folders_is_read(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "secret.yaml").write_text(TROLLEY)
    path = watched(tmp_path / "model", "outer.yaml", stop="0.2 s")
    (path.parent / "outer.yaml").write_text("luff: 1\nblocks:\n  inner: {type: ../secret.yaml}\n")
    block = luff.compile(path).program.flat.blocks["it"]
    assert len([*block.reads()]) == 1
    block.files = (tmp_path,)
    assert len([*block.reads()]) == 2
