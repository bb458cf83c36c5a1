"""A short file may ask for anything; what cannot be given is refused soon, in words."""

from __future__ import annotations

from pathlib import Path

import pytest

import luff
from luff.blocks import CompileError, LuffError, NetlistError, RunError
from luff.solver.flatten import instantiate
from luff.solver.flatten.diagram import load, loads
from luff.solver.flatten.flatten import flatten
from luff.solver.program.started_program import started


def test_nested_netlists_that_multiply_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight lines in each of five files ask for 8^5 blocks."""
    monkeypatch.setattr(instantiate, "MOST_BLOCKS", 500)
    for k in range(5):
        lines = "".join(f"  b{j}: {{type: ./level{k + 1}.yaml}}\n" for j in range(8))
        (tmp_path / f"level{k}.yaml").write_text(f"luff: 1\nblocks:\n{lines}")
    (tmp_path / "level5.yaml").write_text("luff: 1\nblocks:\n  c: {type: constant}\n")
    with pytest.raises(NetlistError, match="more than 500 blocks, counting those of nested netlists"):
        flatten(load(tmp_path / "level0.yaml"))
    (problem,) = load(tmp_path / "level0.yaml").check()
    assert problem.mark is not None


def test_world_takes_no_type() -> None:
    text = "luff: 1\nblocks:\n  world: {type: %s}\n"
    assert loads(text % "world").check() == []
    (problem,) = loads(text % "revolute").check()
    assert str(problem).startswith("<text>:3:17: blocks.world.type: found the type 'revolute', but the world")


@pytest.mark.parametrize(
    ("wire", "words"),
    [
        ("a.y ->", "a wire with only one end"),
        ("-- a.y", "a wire with only one end"),
        ("a.y[-1] -> b.u", 'found "a.y[-1]", expected a port (elements count from 0)'),
        ("a.y - b.u", "found the sign - in"),
        ("a.y <- b.u", "write b.u -> a.y"),
        ("a.y -> b.u -> c.u", 'found "b.u -> c.u", expected a port'),
    ],
)
def test_wires_that_are_none_say_why(wire: str, words: str) -> None:
    text = f"luff: 1\nblocks:\n  a: {{type: constant}}\n  b: {{type: gain}}\nconnect:\n  - {wire}\n"
    assert any(words in str(problem) for problem in loads(text).check())


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ('__import__("os")', "use numbers, names, + - * / ^ and functions"),
        ("(1).real", "use numbers, names, + - * / ^ and functions"),
        ("l1/2", "declare l1 in `parameters:`"),
    ],
)
def test_expressions_say_what_they_take(expression: str, words: str) -> None:
    text = f"luff: 1\nblocks:\n  a: {{type: constant, value: '={expression}'}}\n"
    (problem,) = loads(text).check()
    assert words in problem.fix


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ("{type: delay, delay: 1e9}", "would keep 1e+12 values, expected at most 1e+07"),
        ("{type: input_shaper, frequency: 1e-9}", "values, expected at most 1e+07"),
        ("{type: mux, sizes: [1000000000, 1]}", "found 1000000000 elements, expected at most 1000"),
        (
            "{{type: gain, k: [{}]}}".format(", ".join("1" * 1001)),
            "found 1001 elements, expected at most 1000",
        ),
        (
            "{type: saturation, lower: [1, 2], upper: [3, 4, 5]}",
            'found 2 numbers in "lower" and 3 in "upper"',
        ),
    ],
    ids=["delay", "shaper", "mux", "vector", "unlike"],
)
def test_blocks_that_ask_for_too_much_are_named(block: str, words: str) -> None:
    kind = "trajectory" if "shaper" in block else "y"
    ports = "u1" if "mux" in block else "u"
    text = f"luff: 1\nblocks:\n  it: {block}\n  c: {{type: constant}}\n"
    text += f"connect: [c.{kind} -> it.{ports}]\nsimulation: {{stop: 1, step: 1 ms}}\n"
    with pytest.raises(LuffError) as caught:
        started(flatten(loads(text)))
    told = [str(problem) for problem in caught.value.problems if words in problem.message]
    assert told
    assert told[0].startswith("<text>:3:7: ")


COAXIAL = """
luff: 1
blocks:
  a: {type: revolute, axis: x}
  b: {type: revolute, axis: x}
  bob: {type: rigid_link, mass: 1, com: [0, 0, -1]}
connect: [world.frame -- a.frame_a, a.frame_b -- b.frame_a, b.frame_b -- bob.frame_a]
simulation: {stop: 0.1, step: 1 ms}
"""


def test_motion_that_moves_no_mass_is_named() -> None:
    with pytest.raises(
        CompileError, match=r"<text>:5:6: b: moves what it carries as a can, and no mass stands"
    ):
        luff.compile(loads(COAXIAL))
    apart = COAXIAL.replace("b: {type: revolute, axis: x}", "b: {type: revolute, axis: y}")
    assert luff.compile(loads(apart)).start().remarks == []


def test_locked_angles_of_a_spherical_joint_are_named() -> None:
    """At theta = 90 degrees psi and phi turn about one line."""
    text = "luff: 1\nblocks:\n  ball: {type: spherical, initial: {theta: 90 deg}}\n"
    text += "  bob: {type: rigid_link, mass: 1, com: [1, 0, 0], inertia: [1, 1, 1]}\n"
    text += "connect: [world.frame -- ball.frame_a, ball.frame_b -- bob.frame_a]\n"
    with pytest.raises(
        RunError, match=r"<text>:3:9: .*ball\.psi_rate, ball\.phi_rate can .*coordinates: quaternion"
    ):
        luff.compile(loads(text)).run(stop=0.01)


def test_start_of_a_driven_joint_is_told_to_be_unused() -> None:
    text = "luff: 1\nblocks:\n  a: {type: revolute, driven: true, initial: {position: 1}}\n"
    text += "  bob: {type: rigid_link, mass: 1, inertia: [1, 1, 1]}\n  c: {type: constant, unit: rad}\n"
    text += "connect: [world.frame -- a.frame_a, a.frame_b -- bob.frame_a, c.trajectory -> a.follow]\n"
    (remark,) = luff.compile(loads(text)).remarks
    assert remark.path == "blocks.a.initial"
    assert remark.mark is not None
