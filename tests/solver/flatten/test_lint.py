"""What a netlist may say and hardly means: each is told by `luff check`, with its place and the likely fix."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from luff.cli import app

PENDULUM = """\
luff: 1
blocks:
  pin: {type: revolute, axis: y%s}
  rod: {type: rigid_link, mass: 2 kg, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01]}
connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a]
%s
"""
SIGNALS = """\
luff: 1
blocks:
  a: {type: sine, unit: rad}
  b: {type: sine, unit: %s}
  s: {type: sum}
  p: {type: pulse, duration: 2 s%s}
  n: {type: noise, sample_time: %s}
connect: [a.y -> s.u1, b.y -> s.u2]
simulation: {step: 1 ms}
"""
TOUCH = """\
luff: 1
blocks:
  free: {type: free}
  ball: {type: rigid_link, mass: 2 kg, inertia: [1, 1, 1],
    shapes: {a: {kind: sphere, size: 1}, b: {kind: sphere, size: 2}}}
  wall: {type: fixture, shape: {kind: plane}}
  one: {type: touch, of: [ball], against: [wall]}
  two: {type: touch, among: [%s, wall]}
connect: [world.frame -- free.frame_a, free.frame_b -- ball.frame_a]
"""
DOUBTS = {
    "round ball": (
        TOUCH.replace("size: 1}", "size: 1, round: 10 mm}").replace("of: [ball]", "of: [ball.a]") % "ball.b",
        "5:41: warning: blocks.ball.shapes.a.round: found round of a sphere, which has no edges to round",
    ),
    "pair of two blocks": (
        TOUCH % "ball.b",
        "8:8: warning: blocks.two: one has ball.b and wall too: they touch twice, and both forces act",
    ),
    "friction without a model": (
        PENDULUM % (", friction: {mu_s: 0.3}", ""),
        "3:44: warning: blocks.pin.friction: found mu_s and no model: lugre is taken (write model: ",
    ),
    "degrees meant": (
        PENDULUM % (", initial: {position: 60}", ""),
        "3:54: warning: blocks.pin.initial.position: found 60 rad, which is 9.55 turns (write 60 deg",
    ),
    "inverted": (
        PENDULUM % (", guess: {position: 180 deg}", "initial: {solve: static}"),
        "3:8: warning: pin.position: the start is balanced where the least push moves it away",
    ),
    "hold without rest": (
        PENDULUM % ("", "initial: {hold: [pin]}"),
        "warning: pin: `hold` has no effect: this start solves for nothing",
    ),
    "units of a sum": (
        SIGNALS % ("rad/s", "", "1 ms"),
        "5:6: warning: blocks.s: adds a.y [rad] at u1 and b.y [rad/s]",
    ),
    "long pulse": (
        SIGNALS % ("rad", ", period: 1 s", "1 ms"),
        "blocks.p.duration: found a duration of 2 s in a period of 1 s",
    ),
    "fast noise": (
        SIGNALS % ("rad", "", "1 us"),
        "blocks.n.sample_time: found a sample time of 1e-06 s, far below",
    ),
}


def checked(tmp_path: Path, text: str) -> tuple[int, str]:
    path = tmp_path / "model.yaml"
    path.write_text(text)
    done = CliRunner().invoke(app, ["check", str(path)])
    return done.exit_code, done.stderr


@pytest.mark.parametrize(("text", "words"), DOUBTS.values(), ids=DOUBTS.keys())
def test_what_is_hardly_meant_is_told_and_runs_all_the_same(tmp_path: Path, text: str, words: str) -> None:
    code, said = checked(tmp_path, text)
    assert code == 0
    assert words in said
    assert len(said.splitlines()) == 1, said


@pytest.mark.parametrize(
    "text",
    [
        PENDULUM % (", friction: {model: coulomb, mu_s: 0.3}, initial: {position: 60 deg}", ""),
        PENDULUM % (", initial: {position: 1.5708}", ""),
        PENDULUM % (", guess: {position: 170 deg}", "initial: {solve: static}"),
        PENDULUM % ("", "initial: {solve: static, hold: [pin]}"),
        SIGNALS % ("rad", "", "1 ms"),
        SIGNALS % ("rad", ", period: 2.5 s", "0.5 s"),
        TOUCH.replace("of: [ball]", "of: [ball.a]") % "ball.b",
    ],
)
def test_what_is_meant_is_not_doubted(tmp_path: Path, text: str) -> None:
    assert checked(tmp_path, text) == (0, "")


def test_check_of_a_model_without_shapes_loads_nothing_of_touch() -> None:
    script = f"import luff, sys; luff.compile(luff.loads({PENDULUM % ('', '')!r})); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "luff.solver.flatten.lint" in loaded
    assert "luff.blocks.mechanics.touch" not in loaded


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ("initial: 5, upper: 1", "found a start of 5, beyond the upper limit of 1"),
        ("initial: [0, -3], lower: [-1, -2]", "found a start of -3, beyond the lower limit of -2"),
    ],
)
def test_integrator_starts_within_its_limits(tmp_path: Path, limits: str, words: str) -> None:
    text = "luff: 1\nblocks:\n  c: {type: constant}\n  i: {type: integrator, %s}\nconnect: [c.y -> i.u]\n"
    code, said = checked(tmp_path, text % limits)
    assert code == 1
    assert words in said
    assert checked(tmp_path, text % "initial: 1, upper: 1") == (0, "")
