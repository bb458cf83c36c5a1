"""Ports of composites and elements of vectors as signals: recorded, plotted, listed, cut, linearised, in batches."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import luff
from luff import LuffError
from luff.solver.analysis.perturbed_runs import confirm_margins

LAG = """
luff: 1
parameters: {k: 2}
blocks:
  own: {type: gain, k: =k}
  lag: {type: transfer_function, num: [1], den: [0.1, 1]}
connect: [own.y -> lag.u]
ports: {u: own.u, y: lag.y, mid: own.y}
"""
LOOP = """
luff: 1
inputs: {aim: {}, w: {width: 2}}
blocks:
  err: {type: sum, signs: "+-"}
  part: {type: ./lag.yaml, k: 3}
  plant: {type: integrator}
  two: {type: gain, k: [10, 20]}
connect: [inputs.aim -> err.u1, plant.y -> err.u2, err.y -> part.u, part.y -> plant.u, inputs.w -> two.u]
record: RECORD
simulation: {stop: 0.1 s, step: 1 ms}
"""
# two loops through the elements of one gain: L = 3 / s and 5 / (s (0.1 s + 1)) e^(-0.05 s)
VECTOR = """
luff: 1
blocks:
  k: {type: gain, k: [-3, -5]}
  one: {type: integrator}
  other: {type: transfer_function, num: [1], den: [0.1, 1, 0]}
  late: {type: delay, delay: 50 ms}
  both: {type: mux, sizes: [1, 1]}
connect: ["k.y[0] -> one.u", "k.y[1] -> other.u", other.y -> late.u, one.y -> both.u1, late.y -> both.u2, both.y -> k.u]
simulation: {stop: 0.1 s, step: 1 ms}
"""


def loop(folder: Path, more: str = "", record: str = '["*"]') -> luff.Simulation:
    (folder / "lag.yaml").write_text(LAG)
    return luff.compile(luff.loads(LOOP.replace("RECORD", record) + more, base=folder))


def test_a_port_of_a_composite_is_recorded_by_its_name(tmp_path: Path) -> None:
    assert "part.y" not in loop(tmp_path).signal_names, "by * a signal is recorded once"
    assert loop(tmp_path, record="[part.*]").signal_names == ["part.own.y", "part.lag.y"]
    result = loop(tmp_path, record='["*", part.y, part.mid]').run(inputs={"aim": 1.0})
    np.testing.assert_array_equal(result["part.y"], result["part.lag.y"])
    np.testing.assert_array_equal(result["part.mid"], result["part.own.y"])
    assert abs(result["part.y"]).max() > 1.0
    with pytest.raises(LuffError, match=r'no signal matches "part\.u"'):  # an input is recorded at its source
        loop(tmp_path, record="[part.u]")


def test_a_result_says_how_a_port_of_a_composite_is_kept(tmp_path: Path) -> None:
    result = loop(tmp_path).run()
    with pytest.raises(KeyError, match=r'record: \["\*", part\.y\] keeps a port of a nested netlist'):
        result["part.y"]


def test_plots_record_the_ports_that_they_name(tmp_path: Path) -> None:
    sim = loop(tmp_path, "plots: [{y: [part.y, 'two.y[1]']}]\n")
    assert not sim.remarks
    figure = sim.run().plot()
    labels = [line.get_label() for line in figure.axes[0].lines]
    assert [label.partition(" ")[0] for label in labels] == ["part.y", "two.y[1]"]


def test_outputs_may_be_elements(tmp_path: Path) -> None:
    sim = loop(tmp_path, "outputs: {second: 'two.y[1]', swapped: 'two.y[0:2]', lag: part.y}\n")
    assert sim.outputs == ["second", "swapped[0]", "swapped[1]", "lag"]
    assert sim.start().step({"w[0]": 1.0, "w[1]": 2.0}).tolist() == [40.0, 10.0, 40.0, 0.0]
    with pytest.raises(LuffError, match=r"outputs\.o: found two\.y\[2\], expected an element from 0 to 1"):
        loop(tmp_path, "outputs: {o: 'two.y[2]'}\n")


def test_an_element_is_no_port_of_a_nested_netlist(tmp_path: Path) -> None:
    inner = LAG.replace("ports:", "outputs: {part: 'lag.y[0]'}\nports:")
    (tmp_path / "lag.yaml").write_text(inner)
    with pytest.raises(
        LuffError, match=r"found lag\.y\[0\], expected a whole port \(remove the \[ \]; a demux"
    ):
        luff.compile(luff.loads(LOOP.replace("RECORD", '["*"]'), base=tmp_path))


def test_a_loop_is_cut_at_a_port_of_a_composite(tmp_path: Path) -> None:
    """L = 3 / (s (0.1 s + 1)): |L| = 1 at w with w^2 (0.01 w^2 + 1) = 9."""
    w = math.sqrt(50 * (math.sqrt(1 + 4 * 0.01 * 9) - 1))
    phase = math.pi / 2 - math.atan(0.1 * w)
    for cut in ("part.u", "part.y", "part.mid"):
        told = luff.margins(loop(tmp_path), cut)
        assert (told.cut, told.phase) == (cut, pytest.approx(phase, rel=1e-9))


def test_linear_models_name_ports_of_composites(tmp_path: Path) -> None:
    sim = loop(tmp_path)
    lin = luff.linearise(sim, inputs=["aim", "part.u", "w[1]"], outputs=["part.y", "two.y[1]"])
    assert lin.input_names == ["aim", "part.u", "w[1]"]
    assert lin.output_names == ["part.y", "two.y[1]"]
    found = -lin.C @ np.linalg.solve(lin.A, lin.B) + lin.D
    # at rest plant.y follows the aim; what is added before the lag is taken back by the loop
    np.testing.assert_allclose(found, [[0, 0, 0], [0, 0, 20]], atol=1e-12)


def test_batches_give_ports_of_composites(tmp_path: Path) -> None:
    sim = loop(tmp_path)
    table = luff.batch(sim, {"aim": [1.0, 2.0]}, outputs=["part.y", "part.lag.y"])
    np.testing.assert_array_equal(table["part.y"], table["part.lag.y"])
    assert table.names == ["part.y", "part.lag.y"]


def test_a_vector_is_cut_at_one_element() -> None:
    sim = luff.compile(luff.loads(VECTOR))
    for cut in ("k.y[0]", "k.u[0]"):
        assert luff.margins(sim, cut).phase == pytest.approx(math.pi / 2, rel=1e-9)
    w = math.sqrt(50 * (math.sqrt(1 + 4 * 0.01 * 25) - 1))
    phase = math.pi / 2 - math.atan(0.1 * w) - 0.05 * w
    for cut in ("k.y[1]", "k.u[1]", "both.y[1]"):
        told = luff.margins(sim, cut)
        assert told.phase == pytest.approx(phase, rel=1e-9)
    # runs with a gain and a delay in the wire of this element alone, inside and outside of each margin
    seen = [*confirm_margins(sim, luff.margins(sim, "k.y[1]"))]
    assert len(seen) >= 4
    assert [one.agrees for one in seen] == [True] * len(seen)
    with pytest.raises(LuffError, match="found a vector, expected one number to cut"):
        luff.margins(sim, "k.y")
