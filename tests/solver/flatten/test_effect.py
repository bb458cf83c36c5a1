"""Blocks out of effect: the model is the one without them and their wires, and what still asks for them is told."""

from __future__ import annotations

from pathlib import Path

import pytest

import luff
from luff.solver.diagram.json_schema import schema

ARM = """luff: 1
blocks:
  pin: {type: revolute, axis: y, initial: {position: 1}}
  bob: {type: rigid_link, mass: 2, com: [0, 0, -1], inertia: [1, 1, 1]}
  brake: {type: pd, kp: 0, kd: 3, enabled: false}
  goal: {type: constant, value: 0, unit: rad, enabled: false}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- bob.frame_a
  - goal.trajectory -> brake.target
  - pin.trajectory -> brake.measured
  - brake.effort -> pin.effort
plots: [{y: [brake.effort, pin.position]}]
simulation: {stop: 0.2 s, step: 1 ms, output_step: 20 ms}
"""
BARE = (
    "\n".join(line for line in ARM.splitlines() if not any(word in line for word in ("brake", "goal"))) + "\n"
)


def test_model_is_the_one_without_the_block_and_its_wires() -> None:
    with_it, without = luff.compile(luff.loads(ARM)), luff.compile(luff.loads(BARE))
    assert with_it.signal_names == without.signal_names
    assert with_it.state_names == without.state_names
    assert luff.modes(with_it).eigenvalues == pytest.approx(luff.modes(without).eigenvalues, rel=1e-9)


def test_it_is_taken_in_and_out_from_outside() -> None:
    braked = luff.compile(luff.loads(ARM), **{"brake.enabled": True, "goal.enabled": True})
    assert "brake.effort" in braked.signal_names
    assert luff.modes(braked).damping[0] > 0.1
    out = luff.loads(ARM.replace(", enabled: false", ""))
    assert "brake.effort" not in luff.compile(out, **{"blocks.brake.enabled": False}).signal_names


def test_a_block_in_effect_misses_what_is_out(tmp_path: Path) -> None:
    problems = luff.loads(ARM.replace("kd: 3, enabled: false", "kd: 3")).check()
    assert [problem.path for problem in problems] == ["brake.target"]
    assert "missing wire" in problems[0].message


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("outputs: {effort: brake.effort}", 'the block "brake" is out of effect'),
        ("assert: [brake.effort below 3 N*m]", 'the block "brake" is out of effect'),
        ("record: [brake.effort]", ""),
    ],
)
def test_what_asks_for_it_is_told(line: str, words: str) -> None:
    problems = luff.loads(f"{ARM}{line}\n").check()
    assert [words in problem.message for problem in problems] == ([True] if words else [])
    if words:
        assert "enabled: true" in problems[0].fix


@pytest.mark.parametrize(
    ("text", "path", "words"),
    [
        (ARM.replace("enabled: false", "enabled: 0", 1), "blocks.brake.enabled", "expected true or false"),
        (
            ARM.replace("blocks:", "blocks:\n  world: {enabled: false}"),
            "blocks.world.enabled",
            "always in effect",
        ),
    ],
)
def test_mistakes_of_the_entry(text: str, path: str, words: str) -> None:
    problems = [one for one in luff.loads(text).check() if one.path == path]
    assert len(problems) == 1
    assert words in problems[0].message


def test_a_composite_goes_with_all_that_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "limb.yaml").write_text(
        "luff: 1\nblocks:\n  pin: {type: revolute}\n  link: {type: rigid_link, mass: 1, inertia: [1, 1, 1]}\n"
        "connect: [pin.frame_b -- link.frame_a]\nports: {base: pin.frame_a}\n"
    )
    limb = "  limb: {type: ./limb.yaml, enabled: false}\nconnect:\n  - bob.frame_b -- limb.base"
    text = BARE.replace("connect:", limb)
    sim = luff.compile(luff.loads(text, tmp_path))
    assert not [name for name in sim.signal_names if name.startswith("limb")]
    assert luff.compile(luff.loads(text, tmp_path), **{"limb.enabled": True}).state_names != sim.state_names


def test_the_schema_knows_the_entry() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    data = luff.loads(ARM).data
    jsonschema.validate(data, schema())
    data["blocks"]["brake"]["enabled"] = "no"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, schema())
