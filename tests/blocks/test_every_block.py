"""What holds for every block there is."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from luff.blocks import Block, registered
from luff.blocks.class_checks import RESERVED
from luff.blocks.ports import TRAJECTORY
from luff.tests.blocks.bench import Bench, make

# values that pick other functions than the defaults do
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("ramp", {"duration": 1.0}),
    ("pulse", {"period": 0.7}),
    ("constant", {"value": [1.0, 2.0]}),
    ("sum", {"signs": "-+-"}),
    ("product", {"operations": "/*"}),
    ("saturation", {"lower": None}),
    ("integrator", {"initial": [0.1, 0.2], "lower": -1.0}),
    ("transfer_function", {"num": [2.0, 1.0, 1.0], "den": [1.0, 0.5, 4.0]}),
    ("state_space", {"A": [[0, 1], [-1, -1]], "B": [[1, 0], [0, 1]], "C": [[1, 0]], "D": [[0, 2]]}),
    ("mux", {"sizes": [2, 1, 3]}),
    ("demux", {"sizes": [2, 1, 3]}),
    *((name, {"kind": "trajectory"}) for name in ("mux", "demux", "switch", "zero_order_hold")),
    ("stable_inversion", {"carriage_mass": [5, 4], "on_target": "redefined", "beta": 0.9, "length": 20}),
    *(("sampled_command", {"hold": hold}) for hold in ("zero_order", "none")),
    (
        "expression",
        {"inputs": ["a", "b"], "expr": "hypot(a, b, 2) + k*log(9, 3)^2 + floor(t)", "constants": {"k": 2}},
    ),
    (
        "table",
        {"data": [[0, 0, 1], [1, 2, 3], [2, 0, 1], [4, 1, 1]], "interpolation": "cubic", "beyond": "linear"},
    ),
    ("table", {"data": [[-9, 0], [1, 2], [2, 0]], "over": "input", "beyond": "periodic"}),
    ("pd", {"kp": [1.0, 2.0], "upper": 0.1}),
    *(("friction_compensation", {"model": law, "dead_zone": 0.5}) for law in ("none", "dahl", "coulomb")),
    ("pid", {"ki": 2.0, "filter_time": 0.1, "lower": -0.1, "upper": 0.1}),
    *(("motion_law", {"law": law}) for law in ("poly3", "poly7", "cycloidal", "trapezoidal", "s_curve")),
    ("motion_law", {"legs": [{"to": [1, 2]}, {"to": [0, 0], "duration": 0.5}], "repeat": 0}),
    ("path", {"shape": "rhombus", "center": [1, 2, 3]}),
    ("path", {"shape": "spiral", "rotate": [["x", "90 deg"]], "direction": "cw"}),
    ("path", {"shape": "table", "points": [[0, 0], [1, 0], [1, 1], [0, 2]], "spline": "cubic"}),
    ("input_shaper", {"shaper": "ei", "damping": 0.1}),
    (
        "hydraulic_cylinder",
        {
            "barrel": {"length": 1.0, "mass": 20.0},
            "piston": {"mass": 10.0},
            "fluid": {"bore": 0.1, "rod": 0.06, "stroke": 5.0, "initial": {"cap": 1e5}},
        },
    ),
]
# dynamics slow enough for the long steps that are taken here
SLOWER: dict[str, dict[str, Any]] = {"stable_inversion": {"beta": 0.9, "length": 20}}
CASES = [(name, {**cls.example, **SLOWER.get(name, {})}) for name, cls in registered().items()] + VARIANTS
# the example is number 0 of a block, its variants follow: numbers of others do not move them
IDS = [f"{name}-{[other for other, _ in CASES[:k]].count(name)}" for k, (name, _) in enumerate(CASES)]


@pytest.mark.parametrize(("name", "values"), CASES, ids=IDS)
def test_block_is_sound(name: str, values: dict[str, Any]) -> None:
    check_block(registered()[name], values)


def check_block(cls: type[Block], values: dict[str, Any]) -> None:
    """Declarations agree with each other, functions with their compiled form, and all outputs are finite."""
    check_docs(cls)
    block = make(cls, **values)
    check_names(block)
    if block.instance_functions():
        check_functions(block)


def check_docs(cls: type[Block]) -> None:
    assert cls.__doc__
    first = cls.__doc__.splitlines()[0]
    assert first.endswith((".", ",", ";"))
    assert 10 < len(first) <= 120
    for name, param in cls.params.items():
        assert param.doc, name
        assert "\n" not in param.doc


def check_names(block: Block) -> None:
    """Functions of an instance name only what it declares, and return nothing that it does not."""
    ports = block.ports()
    derived = block.derived()
    assert set(derived) <= set(block.derived_names)
    assert all(isinstance(x, float) for values in derived.values() for x in values)
    assert all(values for values in derived.values()), "arrays of no length"
    known = RESERVED | {*block.params, *ports, *block.states, *block.memories, *derived}
    outputs = {port for port in ports if ports[port].direction == "out" or ports[port].in_circuit}
    made: set[str] = set()
    for role, function in block.instance_functions().items():
        assert set(inspect.signature(function).parameters) <= known, role
        made |= outputs if role in ("out", "each_out") else {role[4:]} if role.startswith("out_") else set()
    assert {source.removeprefix("-") for source in block.repeats.values()} <= made or not made
    assert not made & block.repeats.keys()
    made |= block.repeats.keys() & outputs if made else set()
    if block.instance_functions():
        # the solver reports the motion and the loads of parts
        assert made <= outputs if block.parts() else made == outputs


def inputs_at(block: Block, t: float) -> dict[str, Any]:
    """Some lively signal for each input."""
    found: dict[str, Any] = {}
    fed = block.internal_wires()
    for k, (name, port) in enumerate(block.ports().items()):
        if port.direction == "in" or port.in_circuit or name in fed:
            s, c, w = np.sin(3 * t + k) + 1.5, np.cos(3 * t + k), 3.0
            found[name] = (s, w * c, -w * w * s) if port.kind == TRAJECTORY else s
    return found


def check_functions(block: Block) -> None:
    """Plain and compiled functions, run side by side for a while, give the same finite numbers."""
    plain, fast = (Bench(block, step=0.05, jit=jit) for jit in (False, True))
    signal = lambda t: inputs_at(block, t)  # noqa: E731
    (_, slow_rows), (_, fast_rows) = (bench.run(1.5, signal) for bench in (plain, fast))
    for t in (0.0, 0.31, 1.49, 7.0):
        one, two = plain.out(t, **signal(t)), fast.out(t, **signal(t))
        assert one.keys() == two.keys()
        for port in one:
            assert np.isfinite(one[port]).all()
            # both are IEEE arithmetic; only powers and transcendental functions may differ in the last bits
            np.testing.assert_allclose(two[port], one[port], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(fast_rows, slow_rows, rtol=1e-12, atol=1e-12)
    for name, memory in plain.memories.items():
        np.testing.assert_allclose(fast.memories[name], memory, rtol=1e-12, atol=1e-12)
