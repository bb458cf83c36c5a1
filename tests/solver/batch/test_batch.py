"""`luff.batch`: the rows of single runs, for many at once, whatever may happen to one of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.batch import runner
from luff.solver.simulation import parameters
from luff.tests.conftest import sized

ROOT = Path(luff.__file__).parent
PENDULUM = ROOT / "library" / "templates" / "pendulum.yaml"
CRANE = ROOT / "library" / "templates" / "crane.yaml"

SPRING = """
luff: 1
inputs: {force: {unit: N}, more: {width: 2}}
parameters: {k: 100 N/m}
blocks:
  rail: {type: prismatic, axis: x, stiffness: =k}
  body: {type: rigid_link, mass: 1}
  hold: {type: zero_order_hold, sample_time: 0.01}
  slow: {type: rate_limit, rising: 0.01}
connect:
  - world.frame -- rail.frame_a
  - rail.frame_b -- body.frame_a
  - inputs.force -> rail.effort
  - rail.position -> hold.u
  - rail.position -> slow.u
outputs: {place: rail.position}
simulation: {stop: 0.5, step: 0.001, output_step: 0.01}
"""


@pytest.mark.parametrize("threads", [1, 3])
def test_a_batch_has_the_closed_form_in_every_run(threads: int) -> None:
    sim = luff.compile(luff.loads(SPRING))
    mass, force = np.linspace(0.5, 4.0, 9), np.linspace(-3.0, 3.0, 9)
    found = luff.batch(sim, {"body.mass": mass, "inputs.force": force, "k": 50.0}, threads=threads)
    assert found.names == [*found] == ["place"]
    w = np.sqrt(50.0 / mass)[:, None]
    expected = force[:, None] / 50.0 * (1.0 - np.cos(w * found.time))
    # RK4 at a thousandth of a second: (w h)^5 / 120 in each of 500 steps is below 1e-11
    np.testing.assert_allclose(found["place"], expected, atol=1e-11)
    assert found.status == ["finished"] * 9
    assert repr(found) == "<Batch: 9 runs, 51 times, 1 signals>"
    # the simulation is as it was
    assert sim.overrides == {}
    assert sim.evaluate()["rail.position"] == 0.0


@pytest.mark.parametrize(
    ("path", "parameter", "values"),
    [
        (PENDULUM, "mass", [1.0, 2.0, 3.0]),
        (PENDULUM, "pin.initial.position", [0.1, 2.0, -1.0]),
        (CRANE, "load.mass", [1500.0, 700.0, 400.0]),
        (CRANE, "load.mass", ["1.5 t", "700 kg", "400 kg"]),
        (CRANE, "luff_drive.initial", [1e5, 1.2e5, 1.1e5]),
        (ROOT / "library" / "crane_gpme.yaml", "", [50.0, 70.0, 60.0]),
        (ROOT / "library" / "mechanism_rpsup.yaml", "", [5.0, 9.0, 7.0]),
        (ROOT / "library" / "crane_overhead.yaml", "", [0.5, 0.7, 0.6]),
    ],
)
def test_rows_are_those_of_single_runs_bit_for_bit(path: Path, parameter: str, values: list[float]) -> None:
    sim = luff.compile(path)
    stop = sized(200, 4) * sim.settings.step
    parameter = parameter or next(f"{name}.mass" for name, raw in sim.diagram.blocks.items() if "mass" in raw)
    found = luff.batch(sim, {parameter: values}, outputs="*", stop=stop)
    for k, value in enumerate(values):
        alone = luff.compile(path)
        alone.set(parameter, value)
        result = alone.run(stop=stop)
        np.testing.assert_array_equal(found.table[k], result.table)
        np.testing.assert_array_equal(found.time, result.time)


def refuse(*_: object) -> None:
    raise AssertionError("a program is made anew")


def test_numbers_that_a_start_does_not_hang_on_need_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    sim = luff.compile(luff.loads(SPRING))
    monkeypatch.setattr(runner, "flatten", refuse)
    monkeypatch.setattr(parameters, "start_program", refuse)
    mass, stiffness = (each.ravel() for each in np.meshgrid([0.5, 1.0, 4.0], np.linspace(52.0, 50.0, 5)))
    varied = {"body.mass": mass, "rail.stiffness": stiffness, "inputs.force": 1.0}
    found = luff.batch(sim, varied, outputs="*", threads=1)
    monkeypatch.undo()
    for k in range(15):
        alone = luff.compile(luff.loads(SPRING), **{"body.mass": mass[k], "rail.stiffness": stiffness[k]})
        session = alone.start()
        session.inputs[0] = 1.0
        while session.advance() == "running":
            pass
        np.testing.assert_array_equal(found.table[k, 1:], session.take()[1][1:])


def test_a_value_that_says_more_than_its_number_goes_the_whole_way() -> None:
    # without stiffness there is no spring, and 0 does not stand at an end of the range
    sim = luff.compile(luff.loads(SPRING.replace("=k", "100")))
    values = [100.0, 0.0, 90.0, 80.0]
    found = luff.batch(
        sim, {"rail.damping": [1.0, 2.0, 3.0, 4.0], "rail.stiffness": values, "inputs.force": 1.0}
    )
    assert found["place"][1, -1] > 3.0 * found["place"][0, -1]
    backwards = luff.batch(
        sim,
        {"rail.damping": [4.0, 3.0, 2.0, 1.0], "rail.stiffness": values[::-1], "inputs.force": 1.0},
        threads=1,
    )
    np.testing.assert_array_equal(found.table, backwards.table[::-1])


def test_a_start_at_rest_is_found_for_every_run() -> None:
    text = SPRING.replace("simulation:", "initial: {solve: static}\nsimulation:").replace(
        "axis: x", "axis: z"
    )
    masses = np.linspace(1.0, 2.0, 6)
    found = luff.batch(luff.compile(luff.loads(text)), {"body.mass": masses})
    np.testing.assert_allclose(found["place"][:, 0], -9.81 * masses / 100.0, rtol=1e-9)


def test_sampled_blocks_begin_anew_in_every_run() -> None:
    text = SPRING.replace("stiffness: =k", "stiffness: =k, initial: {position: 0.2}").replace(
        "0.01}", "0.03}"
    )
    sim = luff.compile(luff.loads(text))
    found = luff.batch(sim, {"body.mass": [1.0, 2.0, 3.0]}, outputs="*", threads=1)
    assert found["hold.y"][:, 0].tolist() == [0.2, 0.2, 0.2]
    for k, mass in enumerate((1.0, 2.0, 3.0)):
        sim.set("body.mass", mass)
        np.testing.assert_array_equal(found.table[k], sim.run().table)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_run_that_fails_is_told_and_the_others_are_whole(threads: int) -> None:
    sim = luff.compile(luff.loads(SPRING.replace("k: 100 N/m", "k: 100")))
    # beyond h w = 2.83 RK4 diverges
    found = luff.batch(sim, {"k": [100.0, 1e9, 200.0], "inputs.force": 1.0}, stop=2.0, threads=threads)
    assert found.status == ["finished", "failed", "finished"]
    assert "not finite" in found.messages[1]
    assert np.isnan(found["place"][1, -1])
    assert np.all(np.isfinite(found["place"][[0, 2]]))


def test_runs_of_another_structure_or_an_adaptive_method_are_made_one_by_one() -> None:
    sim = luff.compile(luff.loads(SPRING))
    found = luff.batch(sim, {"rail.limits": [None, {"lower": -1, "upper": 1}]} | {"inputs.force": [1.0, 2.0]})
    slow = luff.batch(sim, {"inputs.force": [1.0, 2.0]}, method="dop853")
    w = 10.0
    for k, force in enumerate((1.0, 2.0)):
        expected = force / 100.0 * (1.0 - np.cos(w * found.time))
        np.testing.assert_allclose(found["place"][k], expected, atol=1e-11)
        np.testing.assert_allclose(slow["place"][k], expected, atol=1e-7)  # its rtol is 1e-8


WRONG = [
    ({"body.mass": [1.0, -2.0]}, {}, "run 1: found -2.0"),
    ({"body.mas": [1.0]}, {}, "mass"),
    ({"inputs.forse": [1.0]}, {}, "force"),
    ({"body.mass": [1.0, 2.0], "k": [1.0]}, {}, "found 1 values and 2 of body.mass"),
    ({"body.mass": 1.0}, {}, "no array"),
    ({"body.mass": [1.0]}, {"outputs": ["rail.plaice"]}, "no recorded signal"),
    ({"body.mass": [1.0]}, {"method": "rk5"}, "rk4"),
]


@pytest.mark.parametrize(("parameters", "more", "what"), WRONG)
def test_wrong_use_is_one_clear_error(parameters, more, what: str) -> None:
    with pytest.raises(luff.LuffError) as caught:
        luff.batch(luff.compile(luff.loads(SPRING)), parameters, **more)
    assert what in str(caught.value)


def test_a_batch_is_a_dataset() -> None:
    pytest.importorskip("xarray")
    sim = luff.compile(luff.loads(SPRING))
    found = luff.batch(sim, {"body.mass": [1.0, 2.0]}, outputs=["place", "rail.v*"]).to_xarray()
    assert dict(found.sizes) == {"run": 2, "time": 51}
    assert found["place"].attrs["units"] == "m"
    assert found["rail.velocity"].sel(time=0.0).values.tolist() == [0.0, 0.0]
    assert found["body.mass"].values.tolist() == [1.0, 2.0]


def test_progress_counts_every_run() -> None:
    seen: list[tuple[int, int]] = []
    luff.batch(
        luff.compile(luff.loads(SPRING)),
        {"body.mass": np.linspace(1, 2, 7)},
        progress=lambda done, count: seen.append((done, count)),
        stop=0.01,
    )
    assert seen == [(k, 7) for k in range(1, 8)]


def test_grid_runs_every_combination_and_names_its_axes() -> None:
    sim = luff.compile(luff.loads(SLIDE))
    forces, masses = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0])
    grid = luff.batch(sim, {"body.mass": masses, "force": forces}, outputs=["place"], grid=True)
    # F t^2 / 2 m at 1 s
    expected = forces[None, :] / (2.0 * masses[:, None])
    assert grid.shape == (2, 3)
    np.testing.assert_allclose(grid["place"][:, :, -1], expected, rtol=1e-12)
    data = grid.to_xarray()
    assert data["place"].dims == ("body.mass", "force", "time")
    assert float(data["place"].sel({"body.mass": 2.0, "force": 3.0})[-1]) == pytest.approx(0.75, rel=1e-12)
    frame = grid.to_pandas()
    assert frame.index.names == ["body.mass", "force", "time"]
    assert frame.loc[(2.0, 3.0), "place"].iloc[-1] == pytest.approx(0.75, rel=1e-12)
    assert frame.attrs["units"] == {"place": "m"}


def test_runs_in_a_row_are_a_frame_with_their_parameters() -> None:
    sim = luff.compile(luff.loads(SLIDE))
    row = luff.batch(sim, {"force": [1.0, 2.0], "body.mass": 2.0}, outputs=["place"])
    frame = row.to_pandas()
    assert [*frame.columns] == ["force", "body.mass", "place"]
    assert frame.loc[1, "place"].iloc[-1] == row["place"][1, -1] == pytest.approx(0.5, rel=1e-12)
    assert set(frame.loc[1, "force"]) == {2.0}


SLIDE = """luff: 1
inputs: {force: {unit: N}}
blocks: {rail: {type: prismatic, axis: x}, body: {type: rigid_link, mass: 1}}
connect: [inputs.force -> rail.effort, world.frame -- rail.frame_a, rail.frame_b -- body.frame_a]
outputs: {place: rail.position}
simulation: {stop: 1, step: 0.01}
"""
