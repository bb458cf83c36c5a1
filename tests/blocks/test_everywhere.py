"""Sampled blocks, tables of several inputs and logic: the same numbers in an FMU, in plain Python and in lanes."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import luff
from luff.tests.conftest import about_compiling

DATA = "[[1, 2], [3, -1], [0, 1]]"
BLOCKS = {
    "quantizer": ("{type: quantizer, interval: 0.1}", "s.y -> IT.u"),
    "unit_delay": ("{type: unit_delay, sample_time: 30 ms, initial: 0.5}", "s.y -> IT.u"),
    "tf_zoh": ("{type: transfer_function, num: [2, 1], den: [0.1, 1, 4], sample_time: 20 ms}", "s.y -> IT.u"),
    "tf_tustin": (
        "{type: transfer_function, num: [1], den: [0.1, 1], sample_time: 20 ms, discretised: tustin}",
        "s.y -> IT.u",
    ),
    "tf_none": (
        "{type: transfer_function, num: [0.25, 0.5], den: [1, -1.5, 0.625], sample_time: 40 ms, discretised: none}",
        "s.y -> IT.u",
    ),
    "state_space": (
        "{type: state_space, A: [[0, 1], [-4, -1]], B: [[0], [1]], C: [[1, 0]], D: [[0.5]], sample_time: 20 ms}",
        "s.y -> IT.u",
    ),
    "pid": (
        "{type: pid, kp: 3, ki: 5, kd: 0.2, filter_time: 30 ms, upper: 2, lower: -1, sample_time: 20 ms}",
        "s.trajectory -> IT.target, p.trajectory -> IT.measured",
    ),
    "grid": (
        "{type: table, over: inputs, grids: [[-1, 0, 2], [-2, 1, 2]], data: [[1, 2, 0], [3, -1, 5], [0, 1, 4]]}",
        "s.y -> IT.u1, p.y -> IT.u2",
    ),
    "grid_cubic": (
        "{type: table, over: inputs, interpolation: cubic, beyond: linear, grids: [[-1, 0, 1], [-1, 1]], data: DATA}",
        "s.y -> IT.u1, p.y -> IT.u2",
    ),
    "arithmetic": (
        "{type: expression, inputs: [a, b], expr: 'round(3*a) + mod(b, 0.7) + sign(a - b) + floor(4*b)'}",
        "s.y -> IT.a, p.y -> IT.b",
    ),
    "decisions": (
        "{type: expression, inputs: [a, b], expr: '2 if a > 0.2 and not b < -0.3 or a < -0.8 else b'}",
        "s.y -> IT.a, p.y -> IT.b",
    ),
    "latch": ("{type: latch}", "high.y -> IT.set, low.y -> IT.reset"),
    "edge": ("{type: edge, edge: either}", "high.y -> IT.u"),
    "counter": ("{type: counter}", "high.y -> IT.u"),
    "timer": ("{type: timer, duration: 50 ms}", "high.y -> IT.u"),
    "relay": ("{type: relay, upper: 0.4, lower: -0.4}", "s.y -> IT.u"),
    "limiter": (
        "{type: trajectory_limiter, speed: 2, acceleration: 10, jerk: 200}", "s.y -> IT.u",
    ),
}  # fmt: skip
PORTS = {name: f"{name}.y" for name in BLOCKS} | {"pid": "pid.effort", "limiter": "parts.value"}
WIRES = [wire for name, (_, wires) in BLOCKS.items() for wire in wires.replace("IT", name).split(", ")]
MODEL = "\n".join(
    [
        "luff: 1",
        "blocks:",
        "  s: {type: sine, amplitude: 1, frequency: 2.3 Hz, phase: 0.4}",
        "  p: {type: sine, amplitude: 1.3, frequency: 3.1 Hz}",
        "  high: {type: expression, inputs: [a], expr: a > 0.5}",
        "  low: {type: expression, inputs: [a], expr: a < -0.5}",
        "  parts: {type: split_trajectory}",
        *(f"  {name}: {text.replace('DATA', DATA)}" for name, (text, _) in BLOCKS.items()),
        "connect:",
        *(f"  - {wire}" for wire in ["s.y -> high.a", "s.y -> low.a", "limiter.y -> parts.u", *WIRES]),
        "outputs:",
        *(f"  {name}_out: {port}" for name, port in PORTS.items()),
        "simulation: {stop: 1.2, step: 10 ms, output_step: 10 ms}",
    ]
)
NAMES = [f"{name}_out" for name in BLOCKS]


@pytest.fixture(scope="module")
def native() -> luff.Result:
    return luff.compile(luff.loads(MODEL)).run()


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> luff.Result:
    folder = tmp_path_factory.mktemp("plain")
    (folder / "model.yaml").write_text(MODEL)
    subprocess.run(
        [sys.executable, "-m", "luff", "run", "model.yaml", "-o", "result.npz"],
        cwd=folder, env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, check=True, capture_output=True,
    )  # fmt: skip
    return luff.read(folder / "result.npz")


@pytest.fixture(scope="module")
def fmu(tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    import fmpy

    path = tmp_path_factory.mktemp("fmu") / "model.fmu"
    luff.export_fmu(luff.loads(MODEL), path)
    return fmpy.simulate_fmu(str(path), stop_time=1.2, output_interval=0.01, output=NAMES)


@pytest.fixture(scope="module")
def batches() -> tuple[luff.Batch, luff.Batch]:
    sim = luff.compile(luff.loads(MODEL))
    wide = {"s.amplitude": np.linspace(0.4, 1.6, 8), "p.phase": np.linspace(0, 6, 8)}
    return luff.batch(sim, wide, NAMES, lanes=False), luff.batch(sim, wide, NAMES, lanes=True)


def test_each_output_says_something(native: luff.Result) -> None:
    assert all(np.ptp(native[name]) > 0.1 for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_plain_python_gives_the_same(name: str, native: luff.Result, plain: luff.Result) -> None:
    # compiled code may round a product and a sum once (fused), Python twice
    np.testing.assert_allclose(plain[name], native[name], rtol=0, atol=1e-12)


@about_compiling
@pytest.mark.parametrize("name", NAMES)
def test_an_fmu_gives_the_same_bits(name: str, native: luff.Result, fmu: np.ndarray) -> None:
    np.testing.assert_array_equal(fmu[name], native[name])


@about_compiling
@pytest.mark.parametrize("name", NAMES)
def test_lanes_give_the_same_bits(name: str, batches: tuple[luff.Batch, luff.Batch]) -> None:
    alone, together = batches
    assert together.lanes == 8, set(together.alone)
    np.testing.assert_array_equal(together[name], alone[name])
    # lanes that all did the same would prove nothing
    assert len({row.tobytes() for row in together[name]}) > 1
