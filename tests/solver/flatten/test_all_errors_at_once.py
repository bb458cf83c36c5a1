"""Mistakes of all stages are told in one pass, and one mistake is told once, without what follows from it alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from luff.blocks import LuffError
from luff.solver.flatten.diagram import loads
from luff.tests.process import call

LIBRARY = Path(__file__).parents[3] / "library"

# one mistake a line, but for the fourth, whose joint is a mistake twice over
MANY = """\
luff: 1
blocks:
  slew: {type: revolute, axis: z, damping: 3 kg}
  king: {type: rigid_link, mass: 10 t, inertia: [1, 1, 1]}
  loose: {type: rigid_link, mass: 2 kg, inertia: [1, 1, 1]}
  led: {type: revolute, driven: true}
  rope: {type: line_spring, length: 2}
  half: {type: line_spring}
  amplifier: {type: gain, k: 2}
  pump: {type: flow_source}
  first: {type: supply, pressure: 3 bar}
  second: {type: supply, pressure: 2 bar}
  sine: {type: sine}
connect:
  - slew.frame_b -- king.frame_A
  - world.frame -- slew.frame_a
  - sine.y -> slew.efort
  - first.port -- second.port
  - king.frame_b -- half.frame_a
initial: {hold: [slw]}
simulation: {stop: 1, step: 3}
record: [sine.nothing]
assert: [slew.position below 30 degg, kng.position below 3]
"""
TOLD = [
    (3, "in N*m*s/rad"),
    (5, "no chain of joints leads from the world to this block"),
    (6, "led.follow: missing wire"),
    (6, "no chain of joints leads from the world to this block"),
    (7, 'line_spring has no parameter "length"'),
    (8, "half.frame_b: this frame is connected to no body"),
    (9, "amplifier.u: missing wire"),
    (12, "both give the pressure of one node"),
    (15, 'rigid_link king has no port "frame_A" (did you mean "frame_a"?)'),
    (17, 'revolute slew has no port "efort" (did you mean "effort"?)'),
    (20, 'there is no block "slw" to hold'),
    (21, "a step of 3 s, longer than the whole run"),
    (22, 'no signal matches "sine.nothing"'),
    (23, 'unknown unit "degg"'),
    (23, 'there is no block "kng"'),
]


def errors(text: str, folder: Path | None = None) -> list[str]:
    try:
        problems = loads(text, folder).check()
    except LuffError as error:
        problems = error.problems
    return [str(problem) for problem in problems if problem.severity == "error"]


def test_mistakes_of_all_stages_are_told_in_one_pass(tmp_path: Path) -> None:
    path = tmp_path / "many.yaml"
    path.write_text(MANY)
    told = call("check", path, cwd=tmp_path, code=1).stderr.splitlines()
    pump = [line for line in told if "pump" in line]
    rest = [line for line in told if line not in pump]
    assert [int(line.removeprefix(f"{path}:").partition(":")[0]) for line in rest] == [k for k, _ in TOLD]
    assert all(words in line for line, (_, words) in zip(rest, TOLD, strict=True))
    assert pump, "its port is wired to nothing"


def test_the_window_has_the_list_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "many.yaml"
    path.write_text(MANY)
    told = call("check", path, cwd=tmp_path, code=1).stderr.splitlines()
    assert [line.removeprefix(str(path)) for line in told] == [
        line.removeprefix("<text>") for line in errors(MANY)
    ]


def broken(text: str) -> Iterator[str]:
    """One mistake at a time: in each wire a port, a block, the sign; in each block its type."""
    lines, section = text.splitlines(), ""
    for k, line in enumerate(lines):
        begun = re.match(r"(\w+):", line)
        section = begun[1] if begun else section
        wrong = []
        if section == "connect" and line.lstrip().startswith("- "):
            for end in re.finditer(r"([\w.]+)\.(\w+)(\[\S*\])?( |$)", line):
                wrong += [f"{line[: end.end(part)]}q{line[end.end(part) :]}" for part in (1, 2)]
            wrong.append(re.sub(r" (--|->) ", " ~ ", line))
        kind = re.search(r"type: \w+", line)
        if section == "blocks" and kind:
            wrong.append(f"{line[: kind.end()]}qq{line[kind.end() :]}")
        yield from ("\n".join([*lines[:k], one, *lines[k + 1 :]]) for one in wrong)


@pytest.mark.parametrize("name", ["luffing_circuit", "crane_in_wind", "drive_train_shafts"])
def test_one_mistake_is_told_once(name: str) -> None:
    text = (LIBRARY / f"{name}.yaml").read_text()
    assert errors(text, LIBRARY) == []
    variants = [*broken(text)]
    assert len(variants) > 30
    for variant in variants:
        assert len(errors(variant, LIBRARY)) == 1, errors(variant, LIBRARY)


def test_ports_that_follow_from_a_wrong_parameter_are_not_missed() -> None:
    text = """\
luff: 1
blocks:
  king: {type: rigid_link, mass: 1, frames: {pin: {at: [1, 2]}, eye: {at: [1, 2, 3]}}}
  arm: {type: rigid_link, mass: 1}
connect: [world.frame -- king.frame_a, king.pin -- arm.frame_a]
"""
    assert len(errors(text)) == 1
    assert len(errors(text.replace("frames: ", "framez: "))) == 1, "the frames may have been meant"


def test_a_wire_that_cannot_be_read_holds_what_it_names() -> None:
    text = """\
luff: 1
blocks:
  pin: {type: revolute}
  arm: {type: rigid_link, mass: 1}
  far: {type: rigid_link, mass: 1}
connect: [world.frame - pin.frame_a, pin.frame_b -- arm.frame_a]
"""
    told = errors(text)
    assert len(told) == 2
    assert "far: no chain" in told[0]
