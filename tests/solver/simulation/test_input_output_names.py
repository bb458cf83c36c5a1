"""What `inputs:` and `outputs:` name goes by that name everywhere, and drives whole runs."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.tests.process import call

# m x'' = force, from rest
CART = """luff: 1
name: cart
inputs: {force: {unit: N}, wind: {unit: N, width: 2}}
blocks:
  rail: {type: prismatic, axis: x}
  cart: {type: rigid_link, mass: 2}
  all: {type: sum, signs: "+++"}
connect:
  - world.frame -- rail.frame_a
  - rail.frame_b -- cart.frame_a
  - inputs.force -> all.u1
  - inputs.wind[0] -> all.u2
  - inputs.wind[1] -> all.u3
  - all.y -> rail.effort
outputs: {place: rail.position, speed: rail.velocity}
plots: [{y: [place, force]}]
simulation: {stop: 1 s, step: 10 ms}
"""


@pytest.fixture
def cart() -> luff.Simulation:
    return luff.compile(luff.loads(CART))


def test_names_are_those_of_results_linear_models_and_batches(cart: luff.Simulation, tmp_path: Path) -> None:
    result = cart.run(inputs={"force": 4.0})
    assert result["place"][-1] == pytest.approx(1.0, rel=1e-12)  # F t^2 / 2 m
    assert np.array_equal(result["place"], result["rail.position"])
    assert np.array_equal(result["force"], result["inputs.force"])
    assert (result.units["place"], result.units["force"], result["wind"].shape[1]) == ("m", "N", 2)
    assert result.remarks == []  # plots see the names too
    result.save(tmp_path / "out.csv")
    head = (tmp_path / "out.csv").read_text().splitlines()[0]
    assert "place [m]" in head
    assert "force [N]" in head
    lin = luff.linearise(cart, inputs=["force", "wind[1]"], outputs=["place"])
    assert (lin.input_names, lin.output_names) == (["force", "wind[1]"], ["place"])
    assert lin.B[1].tolist() == pytest.approx([0.5, 0.5], rel=1e-9)
    runs = luff.batch(cart, {"force": [2.0, 4.0], "inputs.wind[0]": 2.0}, outputs=["place"])
    assert runs["place"][:, -1].tolist() == pytest.approx([1.0, 1.5], rel=1e-12)
    assert cart.outputs == ["place", "speed"]
    assert cart.inputs == ["force", "wind[0]", "wind[1]"]


def test_names_are_those_of_the_commands(tmp_path: Path) -> None:
    (tmp_path / "cart.yaml").write_text(CART)
    out = call("linearize", "cart.yaml", "--from", "force", "--to", "place", cwd=tmp_path).stdout
    assert "inputs: force\noutputs: place" in out
    call("bode", "cart.yaml", "--from", "force", "--to", "place", "-o", "out.png", cwd=tmp_path)
    call("run", "cart.yaml", "--input", "force=4 N", "-o", "out.h5", "-q", cwd=tmp_path)
    call("plot", "out.h5", "place", "force", "-o", "two.png", cwd=tmp_path)
    assert luff.read(tmp_path / "out.h5")["place"][-1] == pytest.approx(1.0, rel=1e-12)


def test_series_and_functions_drive_a_run(cart: luff.Simulation) -> None:
    times = [0.0, 1.0]
    ramp = cart.run(inputs={"force": (times, [0.0, 6.0])})
    # F = 6 t: place = t^3 / 2; RK4 takes cubics exactly
    np.testing.assert_allclose(ramp["place"], ramp.time**3 / 2, atol=1e-13)
    both = cart.run(inputs={"wind": (times, [[0.0, 1.0], [6.0, -1.0]])})
    np.testing.assert_allclose(both["wind"][50], [3.0, 0.0], atol=1e-15)

    def force(t: float) -> float:
        return 4.0 * math.cos(3.0 * t)

    held = cart.run(inputs={"force": force})
    k = np.arange(101)
    # held over each step: h F(t_k) / m is added to the speed
    speed = np.concatenate([[0.0], np.cumsum(0.01 * 4.0 * np.cos(0.03 * k[:-1]) / 2.0)])
    np.testing.assert_allclose(held["speed"], speed, atol=1e-13)
    assert cart.run()["force"].tolist() == [0.0] * 101  # and nothing of it stays


def test_functions_are_asked_where_a_session_gives(cart: luff.Simulation) -> None:
    session = cart.start()
    places = [0.0]
    while session.status == "running":
        places.append(float(session.step({"force": session.time})[0]))
    assert cart.run(inputs={"force": lambda t: t})["place"].tolist() == places


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"forse": 1.0}, 'no input "forse" (did you mean "force"?)'),
        ({"force": [1.0, 2.0]}, "force: found 2 numbers, expected one number"),
        ({"wind": [1.0, 2.0, 3.0]}, "wind: found 3 numbers, expected one number, or one for each of 2 elements"),
        ({"force": "much"}, "force: found 'much', expected finite numbers"),
        ({"force": ([0, 1], [1, 2, 3])}, "force: found (2,) times and (3, 1) values"),
        ({"force": ([0, 1, 1], [1, 2, 3])}, "force: expected two times or more, each later"),
        ({"force": lambda t: math.nan}, "force: found nan, expected finite numbers"),
    ],
)  # fmt: skip
def test_inputs_that_cannot_be_are_told(cart: luff.Simulation, inputs: dict[str, object], said: str) -> None:
    with pytest.raises(luff.RunError) as found:
        cart.run(inputs=inputs)  # pyright: ignore[reportArgumentType]
    assert said in str(found.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("{place: rail", "{force: rail", '"force" is listed in inputs already'),
        ("{place: rail", "{time: rail", '"time" is the name of the time'),
        ("{force: {unit: N}", "{time: {unit: N}", '"time" is the name of the time'),
    ],
)
def test_one_name_for_two_things_is_refused(old: str, new: str, said: str) -> None:
    with pytest.raises(luff.NetlistError) as found:
        luff.loads(CART.replace(old, new))
    assert said in str(found.value)


def test_dir_shows_the_api() -> None:
    assert {"compile", "load", "batch", "ModelWarning", "Simulation", "__version__"} <= {*dir(luff)}
    assert all(hasattr(luff, name) for name in dir(luff))
