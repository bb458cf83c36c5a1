"""What a block declares to the solver: outputs that repeat another, wires of its own, ports of circuits."""

import inspect
from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import pytest

import luff
from luff.blocks import Block, In, Out
from luff.blocks.registry import registered

TWO_PORTS = """
luff: 1
blocks:
  low: {type: tank}
  relief: {type: relief_valve, pressure: 25 MPa, gain: 2e-9, band: 0.2 MPa}
  volume: {type: volume, size: 1 l, initial: 30 MPa}
connect:
  - volume.port -- relief.a
  - relief.b -- low.port
simulation: {stop: 10 ms, step: 0.01 ms, method: rk4}
"""


def test_one_law_feeds_both_sides_of_a_valve() -> None:
    """What leaves the volume runs into the tank: both stand for the flow that the one function gives."""
    result = luff.compile(luff.loads(TWO_PORTS)).run()
    flow = result["relief.flow"]
    assert flow[0] == pytest.approx(2e-9 * (5e6 - 0.1e6), rel=1e-12)
    assert (result["low.flow"] == -flow).all()
    # oil that left the volume; the trapezoidal rule is off by the rows' distance squared
    passed = float(np.trapezoid(flow, result.time))
    assert result["volume.oil"][0] - result["volume.oil"][-1] == pytest.approx(passed, rel=1e-4)


def test_outputs_that_repeat_others_have_no_function_of_their_own() -> None:
    with pytest.raises(TypeError, match=r"Twice.repeats: z is no port, or has a function of its own"):

        class Twice(Block):
            """y = u, and z twice."""

            u, y, z = In(), Out(), Out()
            repeats: ClassVar[Mapping[str, str]] = {"z": "-y"}

            def out_y(u):
                return u

            def out_z(u):
                return -u


def test_outputs_repeat_what_is_declared() -> None:
    with pytest.raises(TypeError, match=r"Unknown.repeats: z is no port, or has a function of its own"):

        class Unknown(Block):
            """y = u."""

            u, y = In(), Out()
            repeats: ClassVar[Mapping[str, str]] = {"z": "y"}

            def out_y(u):
                return u


def test_each_hook_of_the_solver_stands_in_the_guide() -> None:
    guide = inspect.getdoc(inspect.getmodule(Block)) or ""
    hooks = ("across_ports", "stand_ins", "repeats", "internal_wires")
    for hook in (*hooks, "crossing_<name>", "opening_<name>", "room_<name>"):
        assert f"`{hook}`" in guide
    for hook in hooks:
        assert hasattr(Block, hook)
    classes = registered().values()
    assert all(isinstance(cls.across_ports, tuple) for cls in classes)
    for hook in hooks:  # none of them is there for nothing
        assert any(hook in vars(base) for cls in classes for base in set(cls.__mro__) - set(Block.__mro__))
