"""Subsystems in place: what they see, what their results are, and how blocks get in and out of them."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.blocks import LuffError
from luff.solver.diagram.composite_types import LIBRARY
from luff.solver.diagram.edit_events import Event
from luff.solver.diagram.subsystem_file import standalone
from luff.solver.diagram.subsystem_grouping import group_blocks
from luff.solver.diagram.subsystem_ungrouping import ungroup_block
from luff.solver.flatten.diagram import Diagram
from luff.solver.netlist import deep_copy, same_data

NESTED = """\
luff: 1
parameters: {l: 1 m, m: 2 kg}
blocks:
  pin: {type: revolute, axis: y, initial: {position: 30 deg}}
  arm:
    # two parts in one
    type:
      parameters: {k: 2 N*m*s/rad}
      blocks:
        rod: {type: rigid_link, mass: =m, frame_b: {at: [=l, 0, 0]}}   # the rod
        elbow: {type: revolute, axis: y, damping: =k}
      connect:
        - rod.frame_b -- elbow.frame_a
      ports: {root: rod.frame_a, tip: elbow.frame_b, speed: elbow.velocity}
    k: 0.5 N*m*s/rad
    rod: {mass: 3 kg}
  fore: {type: rigid_link, mass: 1 kg, com: [0.2, 0, 0], inertia: [0.1, 0.1, 0.1]}
  g: {type: gain}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- arm.root
  - arm.tip -- fore.frame_a
  - arm.speed -> g.u
record: [arm.elbow.position, arm.speed, g.y]
"""
FLAT = """\
luff: 1
parameters: {l: 1 m, m: 2 kg}
blocks:
  pin: {type: revolute, axis: y, initial: {position: 30 deg}}
  rod: {type: rigid_link, mass: 3 kg, frame_b: {at: [=l, 0, 0]}}
  elbow: {type: revolute, axis: y, damping: 0.5 N*m*s/rad}
  fore: {type: rigid_link, mass: 1 kg, com: [0.2, 0, 0], inertia: [0.1, 0.1, 0.1]}
  g: {type: gain}
connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a, elbow.frame_b -- fore.frame_a,
          elbow.velocity -> g.u, rod.frame_b -- elbow.frame_a]
"""
# each stands for a kind of model: a tree, a closed loop, oil, composites in files, sampled control
MODELS = ("templates/crane", "mechanism_rpsup", "luffing_circuit", "crane_knuckle_boom", "tower_crane")


def errors(diagram: Diagram) -> list[str]:
    return [str(problem) for problem in diagram.check() if problem.severity == "error"]


def group(diagram: Diagram, names: list[str], name: str = "sub") -> Diagram:
    """The level that the group makes."""
    group_blocks(diagram, names, name)
    return diagram.at_level((*diagram.level, name))


def refused(edit: object, diagram: Diagram) -> str:
    before = deep_copy(diagram.root.data)
    with pytest.raises(LuffError) as caught:
        edit()  # type: ignore[operator]
    assert same_data(diagram.root.data, before)
    return str(caught.value)


# results


def test_results_are_those_of_the_flat_netlist() -> None:
    nested = luff.compile(luff.loads(NESTED)).run(stop=0.2)
    flat = luff.compile(luff.loads(FLAT)).run(stop=0.2)
    for nested_name, name in (
        ("arm.elbow.position", "elbow.position"),
        ("arm.speed", "elbow.velocity"),
        ("g.y", "g.y"),
    ):
        assert np.array_equal(nested[nested_name], flat[name])  # the same operations in the same order


@pytest.mark.parametrize("model", MODELS)
def test_grouping_neighbours_changes_no_digit(model: str) -> None:
    flat, diagram = Diagram.load(LIBRARY / f"{model}.yaml"), Diagram.load(LIBRARY / f"{model}.yaml")
    names = [name for name in flat.blocks if name != "world"]
    chosen = names[1 : 1 + max(2, len(names) // 2)]
    group(group(diagram, chosen), chosen[:1], "deep")
    before, after = (luff.compile(one).run(stop=0.01) for one in (flat, diagram))

    def inside(name: str) -> str:
        block = name.partition(".")[0]
        return f"sub.deep.{name}" if block == chosen[0] else f"sub.{name}" if block in chosen else name

    assert len(before) > 10
    for name in before:
        assert np.array_equal(before[name], after[inside(name)], equal_nan=True), name


@pytest.mark.parametrize("path", sorted(LIBRARY.glob("*.yaml")), ids=lambda path: path.stem)
def test_any_blocks_of_the_library_go_into_a_subsystem_and_out_again(path: Path) -> None:
    pick = random.Random(path.stem)
    diagram = Diagram.load(path)
    text, names = diagram.to_yaml(), [name for name in diagram.blocks if name != "world"]
    before = deep_copy(diagram.data)
    undo = group_blocks(diagram, pick.sample(names, pick.randint(1, len(names))), "sub")
    assert not errors(diagram)
    assert same_data(luff.loads(diagram.to_yaml(), base=diagram.base).data, diagram.data)
    ungroup_block(diagram, "sub")
    assert not errors(diagram)
    for key in before.keys() - {"layout", "connect", "blocks"}:
        assert same_data(diagram.data.get(key), before[key]), key
    assert diagram.data["blocks"] == before["blocks"]  # in another order, where these were apart
    assert sorted(map(str, diagram.connections)) == sorted(map(str, before.get("connect", [])))
    diagram.restore(undo)
    assert diagram.to_yaml() == text


# what is seen inside


def test_parameters_around_are_known_inside_unless_hidden() -> None:
    sim = luff.compile(luff.loads(NESTED), set={"l": 4, "arm.k": 7})
    assert (sim.get("arm.elbow.damping"), sim.get("arm.rod.frame_b.at")[0]) == (7.0, 4.0)
    hidden = NESTED.replace("{k: 2 N*m*s/rad}", "{k: 2 N*m*s/rad, l: 9 m}")
    assert luff.compile(luff.loads(hidden)).get("arm.rod.frame_b.at")[0] == 9.0
    inner = luff.loads(NESTED).at_level(("arm",))
    assert inner.scope().parameter("k").value == 0.5
    assert inner.scope(defaults=True).parameter("k").value == 2.0


def test_blocks_around_are_known_inside_by_their_names() -> None:
    text = """\
luff: 1
blocks:
  slew: {type: revolute, axis: z, initial: {position: 0.1}}
  arm: {type: rigid_link, mass: 1 kg, inertia: [1, 1, 1], frame_b: {at: [1, 0, 0]}}
  feedback: {type: gravity_compensation, drives: [slew]}
connect: [world.frame -- slew.frame_a, slew.frame_b -- arm.frame_a, "feedback.effort -> slew.effort"]
"""
    diagram = luff.loads(text)
    inner = group(diagram, ["feedback"])
    assert inner.value("feedback.drives") == ["slew"]
    assert not errors(diagram)
    diagram.rename_block("slew", "turn")
    assert inner.value("feedback.drives") == ["turn"]
    assert not errors(diagram)
    words = refused(lambda: standalone(diagram, "sub"), diagram)
    assert words == "blocks in sub name blocks around it: turn (take these into the subsystem too)"
    words = refused(lambda: diagram.rename_block("turn", "feedback"), diagram)
    assert 'has a block "feedback" of its own' in words


def test_mistakes_inside_are_told_at_their_places() -> None:
    wrong = NESTED.replace("axis: y, damping", "axis: y, dampings").replace(
        "rod.frame_b --", "rod.frame_c --"
    )
    assert errors(luff.loads(wrong)) == [
        '<text>:11:42: blocks.arm.elbow.dampings: revolute has no parameter "dampings" (did you mean "damping"?)',
        '<text>:13:11: arm.rod.frame_c: rigid_link rod has no port "frame_c" (did you mean "frame_b"?)',
    ]
    form = NESTED.replace("ports: {root", "simulation: {}\n      portz: {root").replace(": =m", ": =mm")
    with pytest.raises(LuffError) as caught:
        luff.loads(form.replace("rod: {mass: 3 kg}", "other: 3"))
    told = str(caught.value).splitlines()
    place = '<text>:14:7: blocks.arm.type.simulation: a subsystem has no section "simulation"'
    mass = '<text>:10:39: blocks.arm.rod.mass: in the expression "mm"'
    assert told[:2] == [
        f'{mass}: there is no parameter "mm" (did you mean "m"? Else declare mm in `parameters:`)',
        f"{place} (write it in the outermost netlist)",
    ]
    assert 'blocks.arm.type.portz: a subsystem has no section "portz" (did you mean "ports"?)' in told[2]
    inner = luff.loads(wrong).at_level(("arm",))
    assert [problem.path for problem in inner.check()] == ["blocks.elbow.dampings", "rod.frame_c"]


# edits


def test_edits_of_a_level_change_its_lines_of_the_file_alone() -> None:
    diagram = luff.loads(NESTED)
    inner = diagram.at_level(("arm",))
    inner.set_value("rod.mass", "7 kg")
    inner.add_block("tap", {"type": "gain", "k": 2})
    inner.connect("elbow.velocity", "tap.u")
    lines = set(diagram.to_yaml().splitlines()) ^ set(NESTED.splitlines())
    assert {line.strip() for line in lines} == {
        "rod: {type: rigid_link, mass: =m, frame_b: {at: [=l, 0, 0]}}   # the rod",
        "rod: {type: rigid_link, mass: 7 kg, frame_b: {at: [=l, 0, 0]}}   # the rod",
        "tap: {type: gain, k: 2}",
        "- elbow.velocity -> tap.u",
    }
    inner.disconnect("elbow.velocity -> tap.u")
    inner.remove_block("tap")
    inner.set_value("rod.mass", "=m")
    assert diagram.to_yaml() == NESTED
    assert not diagram.modified


def test_a_new_name_inside_is_followed_outside() -> None:
    diagram = luff.loads(NESTED)
    inner = diagram.at_level(("arm",))
    before = inner.rename_block("rod", "bar")
    inner.rename_block("elbow", "joint")
    assert diagram.record == ["arm.joint.position", "arm.speed", "g.y"]
    assert diagram.value("arm.bar") == {"mass": "3 kg"}
    assert inner.ports == {"root": "bar.frame_a", "tip": "joint.frame_b", "speed": "joint.velocity"}
    assert not errors(diagram)
    inner.rename_back("rod", "bar", before)
    assert diagram.to_yaml() == NESTED


def test_levels_hear_of_each_others_edits() -> None:
    diagram = luff.loads(NESTED)
    inner = diagram.at_level(("arm",))
    heard: list[tuple[str, Event]] = []
    diagram.subscribe(lambda event: heard.append(("outside", event)))
    end = inner.subscribe(lambda event: heard.append(("inside", event)))
    inner.set_value("rod.mass", 2)
    inner.place("rod", 0, 0)
    diagram.set_value("arm.k", 2)
    diagram.set_value("pin.damping", 2)
    end()
    inner.set_value("rod.mass", 3)
    assert heard == [
        ("outside", Event("changed", "arm", "arm.rod.mass")),
        ("inside", Event("changed", "rod", "rod.mass")),
        ("outside", Event("moved", "arm")),
        ("inside", Event("moved", "rod")),
        ("outside", Event("changed", "arm", "arm.k")),
        ("inside", Event("reset", "")),
        ("outside", Event("changed", "pin", "pin.damping")),
        ("outside", Event("changed", "arm", "arm.rod.mass")),
    ]


def test_ungrouping_keeps_values_and_makes_names_free() -> None:
    text = NESTED.replace("  g: {type: gain}", "  rod: {type: gain}\n  g: {type: gain}").replace(
        "parameters: {l: 1 m, m: 2 kg}", "parameters: {l: 1 m, m: 2 kg, k: 1}"
    )
    diagram = luff.loads(text.replace("- arm.speed -> g.u", "- arm.speed -> g.u\n  - g.y -> rod.u"))
    before = luff.compile(diagram).run(stop=0.1)
    ungroup_block(diagram, "arm")
    assert diagram.parameters == {"l": "1 m", "m": "2 kg", "k": 1, "arm_k": "0.5 N*m*s/rad"}
    assert diagram.value("arm_rod.mass") == "3 kg"
    assert diagram.value("elbow.damping") == "=arm_k"
    assert diagram.record == ["elbow.position", "elbow.velocity", "g.y"]
    after = luff.compile(diagram).run(stop=0.1)
    assert np.array_equal(before["arm.speed"], after["elbow.velocity"])


def test_ungrouping_renames_parameters_and_no_units() -> None:
    diagram = luff.loads("""\
luff: 1
parameters: {m: 2 kg}
blocks:
  arm: {type: {parameters: {m: 3 m}, blocks: {rod: {type: rigid_link, frame_b: {at: [=m + 1 m, 0, 0]}}}}}
""")
    ungroup_block(diagram, "arm")
    assert diagram.value("rod.frame_b.at") == ["=arm_m + 1 m", 0, 0]


def test_ungrouping_leaves_the_world_as_it_is() -> None:
    diagram = luff.loads("""\
luff: 1
blocks:
  arm:
    type:
      blocks: {world: {gravity: [0, 0, -1]}, pin: {type: revolute}, rod: {type: rigid_link}}
      connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a]
""")
    ungroup_block(diagram, "arm")
    assert [*diagram.blocks] == ["pin", "rod"]
    assert diagram.connections == ["world.frame -- pin.frame_a", "pin.frame_b -- rod.frame_a"]
    assert not errors(diagram)


def test_sections_made_by_ungrouping_stand_in_their_order() -> None:
    text = """\
luff: 1
blocks:
  arm: {type: {parameters: {k: 2}, blocks: {g: {type: gain, gain: =k}}, assert: [g.y below 3]}}
layout: {arm: [0, 0]}
"""
    diagram = luff.loads(text)
    ungroup_block(diagram, "arm")
    assert list(diagram.data) == ["luff", "parameters", "blocks", "assert", "layout"]


def test_inputs_of_a_subsystem_are_wired_through() -> None:
    text = """\
luff: 1
blocks:
  one: {type: constant, value: 2}
  sub:
    type:
      inputs: {f: {unit: N}}
      blocks: {a: {type: gain, k: 3}, b: {type: gain, k: 4}}
      connect: [inputs.f -> a.u, inputs.f -> b.u]
      outputs: {y: a.y}
  sum: {type: sum}
connect: [one.y -> sub.f, sub.y -> sum.u1, sub.b.y -> sum.u2]
"""
    diagram = luff.loads(text)
    assert luff.compile(diagram).run(stop=0.01)["sum.y"][-1] == -2.0  # 3 * 2 - 4 * 2
    ungroup_block(diagram, "sub")
    assert diagram.connections == ["one.y -> a.u", "one.y -> b.u", "a.y -> sum.u1", "b.y -> sum.u2"]
    assert luff.compile(diagram).run(stop=0.01)["sum.y"][-1] == -2.0  # 3 * 2 - 4 * 2
    open_input = luff.loads(text.replace("one.y -> sub.f, ", ""))
    assert "the input f of sub has no wire" in refused(lambda: ungroup_block(open_input, "sub"), open_input)


def test_wires_at_ports_that_lead_nowhere_go_with_their_subsystem() -> None:
    diagram = luff.loads("""\
luff: 1
blocks:
  arm:
    type:
      blocks: {rod: {type: rigid_link}, inner: {type: {blocks: {rod: {type: rigid_link}}}}}
      ports: {root: rod.frame_a, gone: pin.frame_a, deep: inner.rod.frame_b}
  pin: {type: revolute}
  tip: {type: rigid_link}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- arm.root
  - tip.frame_a -- arm.gone
  - tip.frame_a -- arm.missing
  - arm.deep -- tip.frame_b
""")
    ungroup_block(diagram, "arm")
    assert diagram.connections == [
        "world.frame -- pin.frame_a",
        "pin.frame_b -- rod.frame_a",
        "inner.rod.frame_b -- tip.frame_b",
    ]


def test_what_cannot_be_grouped_is_refused() -> None:
    diagram = luff.loads(NESTED)
    assert 'already is a block "g"' in refused(lambda: group_blocks(diagram, ["pin"], "g"), diagram)
    assert "found rodd" in refused(lambda: group_blocks(diagram, ["rodd"], "x"), diagram)
    assert "no subsystem in place" in refused(lambda: ungroup_block(diagram, "pin"), diagram)
    diagram.add_block("stick", {"type": "joystick"})
    assert "driven by an operator" in refused(lambda: group_blocks(diagram, ["stick"], "x"), diagram)
    inner = group(diagram, ["arm", "fore"])
    diagram.set_value("sub.arm.k", "1 N*m*s/rad")
    assert "sub sets values of arm" in refused(lambda: ungroup_block(inner, "arm"), diagram)


def test_nothing_is_nested_deeper_than_what_is_read() -> None:
    diagram = luff.loads("luff: 1\nblocks: {a: {type: constant, value: 1}, b: {type: step}}\n")
    level = diagram
    for _ in range(15):
        level = group(level, ["a"], "sub")
        assert not errors(luff.loads(diagram.to_yaml()).at_level(level.level))

    def deeper(level: Diagram) -> None:
        for _ in range(9):
            level = group(level, ["a"])

    with pytest.raises(LuffError, match="more than 54 levels of nesting"):
        deeper(level)
    assert not errors(luff.loads(diagram.to_yaml()))


def test_a_file_of_its_own_brings_the_parameters_that_it_uses(tmp_path: Path) -> None:
    diagram = luff.loads(NESTED, base=tmp_path)
    before = luff.compile(diagram).run(stop=0.1)
    data, brought = standalone(diagram, "arm")
    assert (brought, data["parameters"]) == (["l", "m"], {"l": "1 m", "m": "2 kg", "k": "2 N*m*s/rad"})
    part = Diagram()
    part.restore(data)
    part.save(tmp_path / "arm.yaml")
    diagram.set_value("arm.type", "./arm.yaml")
    for key in brought:
        diagram.set_value(f"arm.{key}", f"={key}")
    assert not errors(diagram)
    after = luff.compile(diagram).run(stop=0.1)
    assert np.array_equal(before["arm.speed"], after["arm.speed"])  # blocks stand where the composite stands
