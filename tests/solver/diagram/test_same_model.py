"""Names of blocks after edits of names and levels alone, and edits that change more."""

from __future__ import annotations

import pytest

from luff.solver.diagram.same_model import exchange, following, new_names
from luff.solver.diagram.subsystem_grouping import group_blocks
from luff.solver.diagram.subsystem_ungrouping import ungroup_block
from luff.solver.flatten.diagram import Diagram

ARM = """luff: 1
parameters: {l: 1 m}
blocks:
  pin: {type: revolute, axis: y}
  arm:
    type:
      parameters: {k: 2 N*m*s/rad}
      blocks:
        rod: {type: rigid_link, mass: 3 kg, frame_b: {at: [=l, 0, 0]}}
        elbow: {type: revolute, axis: y, damping: =k}
      connect: [rod.frame_b -- elbow.frame_a]
      ports: {root: rod.frame_a, tip: elbow.frame_b, speed: elbow.velocity}
    k: 0.5 N*m*s/rad
  fore: {type: rigid_link, mass: 1 kg, com: [0.2, 0, 0], inertia: [0.1, 0.1, 0.1]}
  g: {type: gain, k: 2}
connect: [world.frame -- pin.frame_a, pin.frame_b -- arm.root, arm.tip -- fore.frame_a, arm.speed -> g.u]
record: [arm.*, g.y]
simulation: {stop_when: g.y > 5}
"""
NAMES = ["pin", "arm.rod", "arm.elbow", "fore", "g"]


def names_after(edit) -> dict[str, str] | None:
    diagram = Diagram.from_yaml(ARM)
    before = diagram.snapshot()
    edit(diagram)
    return new_names(before, diagram)


@pytest.mark.parametrize(
    ("edit", "renamed"),
    [
        (lambda it: group_blocks(it, ["pin", "g"], "far"), {"pin": "far.pin", "g": "far.g"}),
        (lambda it: group_blocks(it, ["arm"], "all"), {"arm.rod": "all.arm.rod", "arm.elbow": "all.arm.elbow"}),
        (lambda it: ungroup_block(it, "arm"), {"arm.rod": "rod", "arm.elbow": "elbow"}),
        (lambda it: it.rename_block("fore", "lower"), {"fore": "lower"}),
        (lambda it: it.at_level(("arm",)).rename_block("rod", "bar"), {"arm.rod": "arm.bar"}),
        (lambda it: it.set_section("plots", [{"y": ["g.y"]}]), {}),
    ],
    ids=["group", "nest", "ungroup", "rename", "rename inside", "plots"],
)  # fmt: skip
def test_edits_of_names_and_levels_keep_the_model(edit, renamed: dict[str, str]) -> None:
    assert names_after(edit) == {name: renamed.get(name, name) for name in NAMES}


@pytest.mark.parametrize(
    "edit",
    [
        lambda it: it.set_value("arm.k", "0.6 N*m*s/rad"),
        lambda it: it.set_value("arm.rod.mass", "4 kg"),
        lambda it: it.disconnect("arm.speed -> g.u"),
        lambda it: it.set_section("simulation", {"stop_when": "g.y > 6"}),
        lambda it: it.set_section("record", ["g.y"]),
        lambda it: (group_blocks(it, ["pin", "g"], "far"), it.set_value("far.g.k", 3)),
    ],
    ids=["parameter", "value", "wire", "stop", "record", "group and value"],
)
def test_edits_of_more_than_names_make_another_model(edit) -> None:
    assert names_after(edit) is None


def test_signals_follow_the_longest_name_and_find_the_way_back() -> None:
    names = {"arm": "limb", "arm.rod": "rod", "a": "b", "b": "c"}
    there = exchange(names)
    back = {new: old for old, new in there.items()}
    signals = ["arm.rod.frame_a", "arm.tip[0]", "a.y", "b.y", "c.y", "armour.y", "rod.x"]
    moved = [*map(following(there), signals)]
    assert moved == ["rod.frame_a", "limb.tip[0]", "b.y", "c.y", "a.y", "armour.y", "arm.rod.x"]
    assert [*map(following(back), moved)] == signals
