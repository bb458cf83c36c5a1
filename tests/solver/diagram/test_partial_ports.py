"""A block with a mistake keeps the ports that its other parameters declare."""

from __future__ import annotations

from typing import Any

import pytest

from luff.solver.flatten.diagram import Diagram, loads

LINK = {"type": "rigid_link", "mass": "2 kg", "frames": {"pin": {"at": [0, 1, 0]}, "eye": {}}}


def ports_of(raw: dict[str, Any]) -> set[str]:
    diagram = Diagram()
    diagram.add_block("it", raw)
    return set(diagram.block_ports("it"))


@pytest.mark.parametrize(
    ("raw", "wrong"),
    [
        (LINK, {"mass": "2 m"}),
        (LINK, {"mass": "2 kg +"}),
        (LINK, {"com": [1, 2]}),
        (LINK, {"no_such": 1}),
        (LINK, {"frames": {"pin": {"at": [0, "1 kg", 0]}, "eye": {"rotate": 3}}}),
        ({"type": "revolute"}, {"axis": "w"}),
        ({"type": "revolute", "driven": True}, {"damping": -1}),
        ({"type": "revolute", "friction": {"model": "dahl"}}, {"friction": {"model": "dahl", "mu_s": "?"}}),
        ({"type": "rfem_link", "length": 2, "rigid": True}, {"length": "2 s"}),
        (
            {"type": "rfem_link", "length": 2, "frames": {"mid": {}}},
            {"section": {"shape": "box", "width": []}},
        ),
        ({"type": "mux", "sizes": [1, 2, 1]}, {"sizes": [1, "x", 1]}),
        ({"type": "sum", "signs": "+--"}, {"nothing": 1}),
        (
            {"type": "hydraulic_cylinder", "barrel": {"mass": 1, "length": 1}, "piston": {"mass": 1}},
            {"barrel": {"mass": -1}},
        ),
    ],
    ids=lambda value: next(reversed(value)) if isinstance(value, dict) else None,
)
def test_wrong_value_takes_no_port_and_gives_none(raw: dict[str, Any], wrong: dict[str, Any]) -> None:
    assert ports_of(raw | wrong) == ports_of(raw)


@pytest.mark.parametrize(
    "raw",
    [
        {"type": "motion_law", "legs": [{"to": "?"}, 3, None]},
        {"type": "mux", "sizes": [[1], [2]]},
        {"type": "rigid_link", "frames": 3},
        {"type": "rigid_link", "frames": {"a b": {}}},
        {"type": "programmed_constraint", "components": ["x", "x"], "realised_by": 3},
        {"type": "state_space", "A": [[1, 2], [3]], "B": [], "C": [[]]},
        {"type": "revolute", "initial": [1], "friction": "dahl"},
    ],
    ids=lambda raw: raw["type"],
)
def test_nonsense_leaves_the_ports_of_the_defaults(raw: dict[str, Any]) -> None:
    assert ports_of(raw)


def test_wires_of_a_wrong_link_are_still_checked() -> None:
    text = "luff: 1\nblocks:\n  pin: {type: revolute}\n"
    text += "  rod: {type: rigid_link, mass: 2 m, frames: {eye: {}}}\n"
    text += "connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.eye, pin.position -> rod.eye]\n"
    messages = [str(problem) for problem in loads(text).check()]
    assert len(messages) == 2
    assert "expected a quantity in kg" in messages[0]
    assert "is a frame" in messages[1]
