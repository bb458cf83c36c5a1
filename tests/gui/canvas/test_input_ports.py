"""`inputs:` of a netlist in the window: a card with its signals, wired and moved like any, with nothing to set."""

from __future__ import annotations

from luff.tests.gui.driver import LONG

TEXT = """luff: 1
inputs:
  torque: {unit: N*m, default: 3}
  wind: {width: 2}
blocks:
  axle: {type: revolute, axis: z}
  disc: {type: rigid_link, mass: 2, inertia: [1, 1, 1.5]}
  both: {type: gain, k: 10}
connect:
  - world.frame -- axle.frame_a
  - axle.frame_b -- disc.frame_a
  - inputs.torque -> axle.effort
outputs: {angle: axle.position}
simulation: {stop: 0.1 s, step: 10 ms}
"""


def test_inputs_are_a_card_that_can_be_wired_and_moved(make_window, qtbot) -> None:
    window = make_window(TEXT)
    canvas, document = window.view.canvas, window.document
    assert set(canvas.blocks["inputs"].block_ports) == {"torque", "wind"}
    assert "inputs.torque -> axle.effort" in canvas.wires
    canvas.select(["inputs"], ())
    assert canvas.selected_blocks() == ["inputs"]
    assert not window.properties.rows
    before = document.diagram.to_yaml()
    document.connect_ports("inputs.wind", "both.u")
    qtbot.waitUntil(lambda: "inputs.wind -> both.u" in canvas.wires, timeout=LONG)
    document.move({"inputs": (-400.0, 300.0)})
    assert "inputs" in document.diagram.layout
    window.actions_["run"].trigger()
    qtbot.waitUntil(lambda: window.runner.state == "finished", timeout=LONG)
    while document.undo.canUndo():
        document.undo.undo()
    assert document.diagram.to_yaml() == before
