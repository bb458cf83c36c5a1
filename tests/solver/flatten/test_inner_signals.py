"""Outputs of blocks inside a composite are read by their full names, wherever signals are named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import luff
from luff.blocks import LuffError
from luff.solver.flatten.diagram import load
from luff.tests.process import call

INNER = """\
luff: 1
name: inner
ports: {root: rail.frame_a}
blocks:
  rail: {type: prismatic, axis: x, stiffness: 400 N/m, initial: {position: 0.1}}
  cart: {type: rigid_link, mass: 4}
connect: [rail.frame_b -- cart.frame_a]
"""
MIDDLE = """\
luff: 1
name: middle
ports: {root: cell.root}
blocks: {cell: {type: ./inner.yaml}}
"""
OUTER = """\
luff: 1
name: outer
blocks:
  sling: {type: ./middle.yaml}
  twice: {type: gain, k: 2}
connect: [world.frame -- sling.root, sling.cell.rail.position -> twice.u]
outputs: {x: sling.cell.rail.position}
record: ["sling.cell.rail.*", twice.y]
plots: [{y: [sling.cell.rail.position]}]
assert: [sling.cell.rail.position below 1 m]
simulation: {stop: 1 s, step: 1 ms, stop_when: sling.cell.rail.velocity below -0.5}
"""


@pytest.fixture
def outer(tmp_path: Path) -> Path:
    for name, text in (("inner", INNER), ("middle", MIDDLE), ("outer", OUTER)):
        (tmp_path / f"{name}.yaml").write_text(text)
    return tmp_path / "outer.yaml"


def test_wires_outputs_conditions_and_results_name_inner_signals(outer: Path) -> None:
    result = luff.compile(load(outer)).run()
    x = result["sling.cell.rail.position"]
    # 0.1 cos(10 t): its velocity falls below -0.5 at asin(0.5) / 10; a row is at most one step later
    assert result.time[-1] == pytest.approx(np.arcsin(0.5) / 10, abs=1.1e-3)
    assert np.allclose(x, 0.1 * np.cos(10 * result.time), atol=1e-9)  # RK4 at 10 rad/s and 1 ms
    assert np.array_equal(result["x"], x)
    assert np.array_equal(result["twice.y"], 2 * x)


def test_commands_name_inner_signals(outer: Path) -> None:
    call("check", outer, cwd=outer.parent)
    call("run", outer, "-o", "a.h5", "--plot", "a.png", cwd=outer.parent)
    call("plot", "a.h5", "sling.cell.rail.velocity", "-o", "b.png", cwd=outer.parent)
    done = call("linearize", outer, "--to", "sling.cell.rail.position", cwd=outer.parent)
    assert "C =\n[[1. 0.]]" in done.stdout
    assert "memory" not in done.stderr, "a condition is no state of the model"


def test_an_edit_wires_inner_outputs(outer: Path) -> None:
    diagram = load(outer)
    diagram.add_block("more", {"type": "gain"})
    assert diagram.connect("sling.cell.rail.velocity", "more.u") == "sling.cell.rail.velocity -> more.u"
    assert diagram.check() == []


@pytest.mark.parametrize(
    ("wire", "words"),
    [
        ("world.frame -- sling.cell.cart.frame_b", "lies inside a nested netlist"),
        ("twice.y -> sling.cell.rail.effort", "lies inside a nested netlist"),
        ("sling.cell.rail.speed -> twice.u", "lies inside a nested netlist"),
    ],
)
def test_frames_and_inputs_need_ports(outer: Path, wire: str, words: str) -> None:
    outer.write_text(OUTER.replace("sling.cell.rail.position -> twice.u", wire))
    with pytest.raises(LuffError, match=words):
        luff.compile(load(outer))
