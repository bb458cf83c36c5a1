"""Calls of a script as Python's users make them: times with units, numpy's numbers, parameters read back."""

from __future__ import annotations

import logging
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import luff
from luff import LuffError, RunError

ARM = """
luff: 1
parameters: {load: 2 kg, twice: =2*load}
inputs: {force: {unit: N, width: 2, default: [3, 4]}}
blocks:
  pin: {type: revolute, axis: y, initial: {position: 30 deg}, friction: {model: coulomb, mu_k: 0.2, diameter: 50 mm}}
  rod: {type: rigid_link, mass: =twice, com: [0, 0, -50 cm], inertia: [1, 1, 0]}
  held: {type: gain, k: 3}
connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a, "inputs.force[1] -> held.u"]
simulation: {stop: 0.1 s, step: 1 ms}
"""


@pytest.fixture
def sim() -> luff.Simulation:
    return luff.compile(luff.loads(ARM))


def test_times_have_units(sim: luff.Simulation) -> None:
    result = sim.run(stop="0.5 s", step="2 ms", output_step="0.02 s")
    np.testing.assert_allclose(result.time, np.arange(26) * 0.02, rtol=1e-12, atol=0.0)  # of rounding alone
    assert sim.start(stop="0.5 min").stop == 30.0
    assert sim.start(stop="3").stop == 3.0
    table = luff.batch(sim, {"rod.mass": [1.0, 2.0]}, stop="50 ms")
    assert table.time[-1] == pytest.approx(0.05, rel=1e-12)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("1 kg", r'^stop: found "1 kg" \(kg\), expected a quantity in s'),
        ("soon", r"^stop: "),
        ([1], r"^stop: found a list, expected a time \(a number in seconds"),
        ("-1 s", r"simulation\.stop: found -1, expected a number > 0 s"),
    ],
)
def test_a_time_that_is_none_is_refused(sim: luff.Simulation, wrong: Any, message: str) -> None:
    with pytest.raises(RunError, match=message):
        sim.run(stop=wrong)


def test_parameters_are_read_back_in_si(sim: luff.Simulation) -> None:
    assert (sim.get("load"), sim.get("parameters.twice"), sim.get("rod.mass")) == (2.0, 4.0, 4.0)
    assert sim.get("pin.initial.position") == pytest.approx(np.pi / 6, rel=1e-15)
    np.testing.assert_array_equal(sim.get("rod.com"), [0.0, 0.0, -0.5])
    assert sim.get("rod.com[2]") == -0.5
    assert (sim.get("simulation.step"), sim.get("simulation.method")) == (1e-3, "rk4")
    assert sim.get("pin.friction.diameter") == 0.05
    np.testing.assert_array_equal(sim.get("world.gravity"), [0.0, 0.0, -9.81])
    np.testing.assert_array_equal(sim.get("inputs.force.default"), [3.0, 4.0])
    sim.set("load", 3.0)
    assert sim.get("rod.mass") == 6.0
    sim.set({"rod.mass": np.float32(5.0), "rod.com": np.array([0.0, 0.1, -0.2]), "held.k": np.int64(7)})
    assert (sim.get("load"), sim.get("rod.mass"), sim.get("held.k")) == (3.0, 5.0, 7.0)
    np.testing.assert_array_equal(sim.get("rod.com"), [0.0, 0.1, -0.2])


def test_parameters_of_composites_are_read_back(tmp_path: Path) -> None:
    (tmp_path / "inner.yaml").write_text(
        "luff: 1\nparameters: {k: 2, double: =2*k}\nblocks: {own: {type: gain, k: =double}}\n"
        "ports: {u: own.u, y: own.y}\n"
    )
    (tmp_path / "outer.yaml").write_text(
        "luff: 1\nparameters: {p: 5}\nblocks: {one: {type: constant}, part: {type: ./inner.yaml, k: =p}}\n"
        "connect: [one.y -> part.u]\n"
    )
    sim = luff.compile(tmp_path / "outer.yaml")
    for p, value in ((5.0, None), (6.0, 6.0)):
        if value:
            sim.set("p", value)
        assert (sim.get("part.k"), sim.get("part.double"), sim.get("part.own.k")) == (p, 2 * p, 2 * p)
    sim.set("part.k", 7.0)
    assert (sim.get("p"), sim.get("part.double"), sim.get("part.own.k")) == (6.0, 14.0, 14.0)


@pytest.mark.parametrize(
    "path", ["rod.mas", "rood.mass", "lod", "rod", "", "simulation.stp", "rod.com[7]", "world"]
)
def test_a_parameter_that_is_not_there_is_named(sim: luff.Simulation, path: str) -> None:
    with pytest.raises(LuffError, match="there is no such parameter") as caught:
        sim.get(path)
    assert path != "rod.mas" or 'did you mean "rod.mass"' in str(caught.value)


def test_compile_sets_by_path() -> None:
    sim = luff.compile(luff.loads(ARM), set={"pin.initial.position": "60 deg", "rod.com": (0, 0, -1)}, load=5)
    assert sim.x0[0] == pytest.approx(np.pi / 3, rel=1e-12)
    assert (sim.get("rod.mass"), sim.get("rod.com")[2]) == (10.0, -1.0)
    with pytest.raises(LuffError, match=r"load: found two values, one in `set` and one as keyword"):
        luff.compile(luff.loads(ARM), set={"load": 1}, load=5)
    with pytest.raises(LuffError, match=r"^set: found \['rod.mass'\], expected values by the paths"):
        luff.compile(luff.loads(ARM), set=["rod.mass"])
    with pytest.raises(LuffError, match='rigid_link has no parameter "mas"'):
        luff.compile(luff.loads(ARM), set={"rod.mas": 1})


def test_both_spellings_are_one_function() -> None:
    assert luff.linearize is luff.linearise
    assert luff.optimize is luff.optimise
    assert {"linearize", "optimize"} <= {*dir(luff)}


def test_a_session_is_a_context(sim: luff.Simulation) -> None:
    with sim.start(stop=5) as session:
        session.advance(steps=10)
    assert (session.status, len(session.take()[0])) == ("cancelled", 11)
    with pytest.raises(ZeroDivisionError), sim.start() as session:
        raise ZeroDivisionError
    assert session.status == "cancelled"


def test_a_context_frees_the_port_of_its_partner() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    model = f"""
luff: 1
blocks:
  link: {{type: udp_receive, at: "127.0.0.1:{port}"}}
  twice: {{type: gain, k: 2}}
connect: [link.y -> twice.u]
simulation: {{stop: 1 s, step: 1 ms}}
"""
    with luff.compile(luff.loads(model, allow_code=True)).start() as session:
        assert session.instance.has_partners
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as again:
        again.bind(("127.0.0.1", port))


def test_compilation_and_runs_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="luff")
    sim = luff.compile(luff.loads(ARM))
    sim.run(stop=0.01)
    told = [record.getMessage() for record in caplog.records if record.name == "luff"]
    assert len(told) == 2
    assert told[0].startswith("compiled <Simulation: 1 degree of freedom, 2 states")
    assert told[1].startswith("<Session: finished, t = 0.01 s of 0.01 s, rk4")


def test_expressions_take_quantities_and_tanh_everywhere() -> None:
    """tanh of a parameter, of a signal, and in a state machine, by exponentials."""
    model = """
luff: 1
parameters: {load: 2 kg, gain: =tanh(0.3), heavy: =load + 0.5 t}
blocks:
  u: {type: constant, value: =heavy/1 t}
  curve: {type: expression, inputs: [u], expr: tanh(u)}
  machine:
    type: state_machine
    inputs: [u]
    outputs: {y: {}}
    states: {on: {during: {y: tanh(u)}}}
    transitions: []
connect: [u.y -> curve.u, u.y -> machine.u]
simulation: {stop: 0.01 s, step: 1 ms}
"""
    sim = luff.compile(luff.loads(model))
    assert (sim.get("heavy"), sim.get("u.value")) == (502.0, pytest.approx(0.502, rel=1e-15))
    assert sim.get("gain") == pytest.approx((np.exp(0.6) - 1) / (np.exp(0.6) + 1), rel=1e-15)
    expected = (np.exp(1.004) - 1) / (np.exp(1.004) + 1)
    result = sim.run()
    assert result["curve.y"][-1] == pytest.approx(expected, rel=1e-15)
    assert result["machine.y"][-1] == pytest.approx(expected, rel=1e-15)
