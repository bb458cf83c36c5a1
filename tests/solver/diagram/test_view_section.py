"""`view:` of a netlist: what it may say, and that it follows its block."""

from __future__ import annotations

import json

import pytest

import luff
from luff.solver.diagram.json_schema import schema
from luff.solver.diagram.netlist_diff import compare_netlists

ARM = """luff: 1
blocks:
  pin: {type: revolute, axis: y}
  rod: {type: rigid_link, mass: 1, inertia: [1, 1, 1], frame_b: {at: [1, 0, 0]}}
connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a]
"""


@pytest.mark.parametrize(
    ("view", "told"),
    [
        ("{camera: fixed}", "view.camera: found 'fixed', expected one of all, follow, cab, tip, free"),
        ("{camera: follow}", "found the camera follow without a frame"),
        ("{camera: tip, of: rad}", 'view.of: there is no frame "rad"'),
        ("{camera: follow, of: rod.position}", 'view.of: there is no frame "rod.position"'),
        ("{camera: free, of: rod, from: [1, 0, 0], to: [0, 0, 0]}", "view.of: found"),
        ("{camera: free, from: [1, 0, 0]}", "found a free camera without both from and to"),
        ("{camera: free, from: [1, 0, 0], to: [1, 0, 0]}", "view.to: found the place of the eye"),
        ("{camera: follow, of: rod, from: [1, 0]}", "view.from: found"),
        ("{camera: cab, of: rod, to: [0, 0, 0]}", "view.to: found the place of the eye"),
        (
            "{camera: cab, of: rod, from: [1, 0, 0]}",
            "view.from: found the place of an eye that is in a frame",
        ),
        ("{camera: follow, of: rod, at: 1}", "at"),
    ],
)
def test_mistake_is_one_clear_error(view: str, told: str) -> None:
    with pytest.raises(luff.LuffError) as caught:
        luff.compile(luff.loads(f"{ARM}view: {view}\n"))
    assert told in str(caught.value)
    assert len(caught.value.problems) == 1


def test_view_follows_its_block_is_compared_and_is_in_the_schema() -> None:
    text = f"{ARM}view: {{camera: tip, of: rod.frame_b}}  # from above\n"
    diagram = luff.loads(text)
    assert luff.compile(diagram).program.flat.view.camera == "tip"
    diagram.rename_block("rod", "boom")
    assert diagram.to_yaml().endswith("view: {camera: tip, of: boom.frame_b}  # from above\n")
    lines = compare_netlists(luff.loads(ARM), luff.loads(text)).lines()
    assert lines[0] == "view"
    assert any("rod.frame_b" in line for line in lines)
    entry = json.dumps(schema()["properties"]["view"])
    assert all(f'"{word}"' in entry for word in ("camera", "of", "from", "to", "cab"))
