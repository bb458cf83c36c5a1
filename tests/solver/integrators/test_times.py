"""Times of a run that cannot be, or can hardly be meant."""

from __future__ import annotations

import math

import pytest

import luff
from luff.blocks import NetlistError, RunError
from luff.solver.diagram.run_settings import nearest_multiple, steps_to
from luff.solver.flatten.diagram import loads

LAG = "luff: 1\nblocks:\n  x: {type: integrator, initial: 1}\n  g: {type: gain, k: -1}\n"
LAG += "connect: [x.y -> g.u, g.y -> x.u]\nsimulation: {%s}\n"


@pytest.mark.parametrize(
    ("times", "path", "words"),
    [
        ("stop: 0.05, step: 1", "simulation.step", "longer than the whole run"),
        ("stop: 1e300, step: 1e-300", "simulation.step", "steps of 1e-300 s, expected fewer"),
        ("stop: 1, step: 1 ms, output_step: 1.5 ms", "simulation.output_step", "multiple of the step"),
        ("stop: 1, step: 1 ms, output_step: 0.1 ms", "simulation.output_step", "multiple of the step"),
    ],
)
def test_times_that_cannot_be_are_the_netlists_mistake(times: str, path: str, words: str) -> None:
    with pytest.raises(NetlistError, match=words) as caught:
        luff.compile(loads(LAG % times))
    assert [problem.path for problem in caught.value.problems] == [path]
    assert caught.value.problems[0].mark is not None


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ("stop: 50.5 ms, step: 1 ms", "not a whole number of steps of 0.001 s: the run ends at 0.051 s"),
        ("stop: 1, step: 1 ms, output_step: 2", "only the start of a run of 1 s is recorded"),
    ],
)
def test_times_that_are_hardly_meant_are_remarked(times: str, words: str) -> None:
    (remark,) = luff.compile(loads(LAG % times)).remarks
    assert words in remark.message
    assert remark.mark is not None


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
@pytest.mark.parametrize("name", ["stop", "step", "output_step"])
def test_run_takes_no_time_that_is_none(name: str, value: float) -> None:
    sim = luff.compile(loads(LAG % "stop: 0.01, step: 1 ms"))
    with pytest.raises(RunError, match=rf"simulation.{name}: found .*, expected a number > 0 s"):
        sim.run(**{name: value})


def test_step_by_hand_need_not_divide_the_output_step() -> None:
    diagram = loads(LAG % "stop: 0.1, step: 1 ms, output_step: 10 ms")
    for result in (
        luff.compile(diagram).run(step=3e-3),
        luff.compile(diagram, **{"simulation.step": 3e-3}).run(),
    ):
        assert result.time[1] == pytest.approx(9e-3)


def test_sampled_block_off_the_steps_is_remarked() -> None:
    text = "luff: 1\nblocks:\n  c: {type: sine}\n  hold: {type: zero_order_hold, sample_time: %s}\n"
    text += "connect: [c.y -> hold.u]\nsimulation: {stop: 0.1, step: 1 ms}\n"
    assert luff.compile(loads(text % "3 ms")).remarks == []
    (remark,) = luff.compile(loads(text % "0.3 ms")).remarks
    assert str(remark).startswith("<text>:4:9: warning: hold: samples every 0.001 s, not every 0.0003 s")


@pytest.mark.parametrize(
    ("stop", "step", "steps"), [(1.0, 0.1, 10), (0.3, 0.1, 3), (0.25, 0.1, 3), (1.0, 3.0, 1)]
)
def test_steps_reach_the_end_or_pass_it(stop: float, step: float, steps: int) -> None:
    assert steps_to(stop, step) == steps


def test_nearest_multiple_is_never_none() -> None:
    assert nearest_multiple(0.01, 3e-3) == pytest.approx(9e-3)
    assert nearest_multiple(1e-6, 1e-3) == 1e-3


def test_parts_of_a_step_over_a_stop_see_the_force_at_their_own_times() -> None:
    """A force that rises as 4e5 t^2 against a soft stop: steps of which one lies over the stop, and short ones."""
    text = """
luff: 1
blocks:
  world: {gravity: [0, 0, 0]}
  slide: {type: prismatic, axis: x, limits: {lower: -1, upper: 1 mm, stiffness: 1e3, damping: 0}}
  body: {type: rigid_link, mass: 1 kg}
  push: {type: expression, expr: "4e5*t^2"}
connect: [world.frame -- slide.frame_a, slide.frame_b -- body.frame_a, push.y -> slide.effort]
simulation: {stop: 20 ms, step: 10 ms}
"""
    sim = luff.compile(luff.loads(text))
    true = sim.run(step=1e-5, output_step=1e-2)["slide.velocity"][-1]
    # parts of 1.25 ms follow t^2 and the stop of 32 rad/s to 1e-3; up to 8.75 ms too early the force is half
    assert sim.run()["slide.velocity"][-1] == pytest.approx(true, rel=5e-3)
