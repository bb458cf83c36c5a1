"""A composite's entry sets what is in its blocks, as `--set` does; the netlist keeps it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import luff
from luff.solver.flatten.diagram import Diagram

ARM = """luff: 1
name: arm
parameters: {l: 2 m}
blocks:
  pin: {type: revolute, axis: y, initial: {position: 0.3}}
  rod: {type: rigid_link, mass: 1 kg, com: [=l/2, 0, 0], inertia: [0.1, 0.1, 0.1], frame_b: {at: [=l, 0, 0]}}
connect: [pin.frame_b -- rod.frame_a]
ports: {root: pin.frame_a, tip: rod.frame_b}
"""
TOP = """luff: 1
parameters: {l: 7 m}
blocks:
  a: {type: ./arm.yaml, l: 3 m}
connect: [world.frame -- a.root]
simulation: {stop: 0.1, step: 1 ms}
"""


@pytest.fixture
def top(tmp_path: Path) -> Path:
    (tmp_path / "arm.yaml").write_text(ARM)
    (tmp_path / "top.yaml").write_text(TOP)
    return tmp_path / "top.yaml"


def changed(diagram: Diagram, path: str, value: object) -> Diagram:
    diagram.set_value(path, value)  # type: ignore[arg-type]
    return diagram


CASES = [
    ("a.rod.mass", "4 kg"),
    ("a.rod.com", ["=l/3", 0, 0]),  # its own l, of 3 m, and not that of the netlist around it
    ("a.rod.frame_b.at", [1, 0, 0]),
    ("a.pin.initial.position", "40 deg"),
]


@pytest.mark.parametrize(("path", "value"), CASES, ids=[path for path, _ in CASES])
def test_a_value_inside_is_that_of_set_and_is_kept(top: Path, path: str, value: object) -> None:
    diagram, plain = Diagram.load(top), Diagram.load(top)
    changed(diagram, path, value)
    assert [p for p in diagram.check() if p.severity == "error"] == []
    diagram.save(top)
    kept, given = luff.compile(top).run(), luff.compile(plain, **{path: value}).run()
    assert kept.table.tobytes() == given.table.tobytes()


def test_what_is_set_from_outside_counts_more(top: Path) -> None:
    diagram = Diagram.load(top)
    diagram.set_value("a.rod.mass", "4 kg")
    assert luff.compile(diagram, **{"a.rod.mass": "5 kg"}).program.flat.blocks["a.rod"].mass == 5.0
    assert luff.compile(diagram).program.flat.blocks["a.rod"].mass == 4.0


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("a.rodd.mass", 4, 'has no parameter or block "rodd" (did you mean "rod"?)'),
        ("a.rod.mas", 4, 'blocks.a.rod.mas: rigid_link has no parameter "mas" (did you mean "mass"?)'),
        ("a.rod", 4, "blocks.a.rod: found 4, expected what is set of the block rod"),
        ("a.rod.mass", "4 m", "blocks.a.rod.mass: found"),
        ("a.rod.com[0]", 4, "a.rod.com[0]: there is no such element to set"),
    ],
)
def test_mistakes_inside_are_told(top: Path, path: str, value: object, told: str) -> None:
    diagram = Diagram.load(top)
    with pytest.raises(luff.LuffError, match=re.escape(told)):
        luff.compile(changed(diagram, path, value))


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("", 'there is nothing named "" to set'),
        ("a", 'there is nothing named "a" to set'),
        (
            "blocks.one",
            'there is nothing named "blocks.one" to set (name a parameter of it, such as one.',
        ),
        ("one", 'there is nothing named "one" to set (name a parameter of it, such as one.'),
        ("[0]", 'there is nothing named "[0]" to set'),
        ("inputs.pull.default", 'there is nothing named "inputs.pull.default" to set'),
    ],
)
def test_a_path_that_ends_before_a_parameter_is_refused(top: Path, path: str, told: str) -> None:
    text = TOP.replace("blocks:", "inputs: {push: {default: 1}}\nblocks:\n  one: {type: constant, value: 1}")
    top.write_text(text)
    with pytest.raises(luff.LuffError, match=re.escape(told)):
        luff.compile(top, set={path: 4})
    with pytest.raises(luff.LuffError, match=re.escape(told)):
        luff.compile(top).set(path, 4)


def test_an_element_that_a_default_does_not_have_is_refused_by_a_running_model(top: Path) -> None:
    sim = luff.compile(top)
    sim.set("world.gravity[1]", 3.0)
    with pytest.raises(luff.LuffError, match=re.escape("gravity expects a list of 3 numbers in m/s^2")):
        sim.set("world.gravity[7]", 3.0)
    assert sim.get("world.gravity").tolist() == [0.0, 3.0, -9.81]


def test_a_path_in_full_counts_more_than_a_short_one(top: Path) -> None:
    for paths in (["a.rod.mass", "blocks.a.rod.mass"], ["blocks.a.rod.mass", "a.rod.mass"]):
        given = {path: 4.0 + ("blocks" in path) for path in paths}
        assert luff.compile(top, set=given).program.flat.blocks["a.rod"].mass == 5.0
