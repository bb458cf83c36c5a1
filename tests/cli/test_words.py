"""What is said names the cause, in the words and the units of the one who asked."""

from __future__ import annotations

from pathlib import Path

from luff.tests.process import call
from luff.tests.shared.loop_cases import FOUR_BAR

DELAYED = """\
luff: 1
parameters: {lag: 0.1 s}
blocks:
  jump: {type: step}
  late: {type: delay, delay: =lag}
connect: [jump.y -> late.u]
simulation: {stop: 10 ms, step: 1 ms}
"""
PENDULUM = """\
luff: 1
blocks:
  pin: {type: revolute, axis: y, initial: {position: 20 deg}}
  rod: {type: rigid_link, mass: 1, inertia: [1, 1, 1], com: [0, 0, -1]}
connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a]
simulation: {stop: 10 ms, step: 1 ms}
"""
SPINNING = """\
luff: 1
blocks:
  world: {gravity: [0, 0, 0]}
  loose: {type: free, initial: {angular_velocity: [1, 2, 3]}}
  body: {type: rigid_link, mass: 1, inertia: [1, 2, 3], com: [0.3, 0.2, 0.1]}
connect: [world.frame -- loose.frame_a, loose.frame_b -- body.frame_a]
simulation: {stop: 100 ms, step: 1 ms}
"""


def written(folder: Path, text: str, name: str = "model.yaml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_an_expression_is_told_with_its_value(tmp_path: Path) -> None:
    path = written(tmp_path, DELAYED)
    done = call("run", path, "--set", "lag=0", cwd=tmp_path, code=1)
    assert "blocks.late.delay: found '=lag', which is 0 s, expected a number > 0 s" in done.stderr


def test_a_coordinate_that_a_cut_took_away_is_told_with_the_cut(tmp_path: Path) -> None:
    path = written(tmp_path, FOUR_BAR)
    call("run", path, "-o", "four.h5", cwd=tmp_path)
    done = call("plot", "four.h5", "D.position", cwd=tmp_path, code=1)
    assert "D closes a loop and so has no coordinate of its own" in done.stderr
    done = call("linearize", path, "--to", "D.position", cwd=tmp_path, code=1)
    assert "D closes a loop" in done.stderr
    done = call("plot", "four.h5", "ground.position", cwd=tmp_path, code=1)
    assert "closes a loop" not in done.stderr, "a weld never had a coordinate"


def test_a_joint_that_closes_a_loop_gets_its_coordinate_as_the_message_says(tmp_path: Path) -> None:
    path = written(tmp_path, FOUR_BAR + 'record: ["*", D.position]\n')
    call("run", path, "-o", "four.h5", cwd=tmp_path)
    call("plot", "four.h5", "D.position", "-o", "four.png", cwd=tmp_path)


def test_a_requirement_is_answered_in_the_unit_of_its_limit(tmp_path: Path) -> None:
    written(tmp_path, PENDULUM)
    study = """\
luff: 1
model: ./model.yaml
variants: {list: {lower: {pin.initial.position: 15 deg}, upper: {}}}
require:
  - {metric: initial, of: pin.position, below: 16 deg}
  - {metric: initial, of: pin.position, below: 0.1}
  - {metric: initial, of: pin.position, below: 16 deg, above: 0.3}
"""
    done = call("study", written(tmp_path, study, "study.yaml"), cwd=tmp_path, code=None)
    rows = [line for line in done.stdout.splitlines() if line.startswith("| initial of")]
    assert "20 deg in upper" in rows[0]
    assert "0.349 rad in upper" in rows[1], "a bare number is in the unit of the signal"
    assert "0.349 rad in upper" in rows[2], "one bare number, and both are in the unit of the signal"


def test_a_body_that_nothing_pushes_balances(tmp_path: Path) -> None:
    """m a and I alpha + w x I w vanish as sums of parts that do not; their rounding is no imbalance."""
    done = call("run", written(tmp_path, SPINNING), cwd=tmp_path)
    line = next(line for line in done.stderr.splitlines() + done.stdout.splitlines() if "balance to" in line)
    share = float(line.split("balance to ")[1].split()[0])
    assert share < 1e-14, "a few roundings of doubles"
