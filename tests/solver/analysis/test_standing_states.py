"""In a model in which nothing but states on which nothing acts to first order is indifferent, all else decays."""

from __future__ import annotations

import pytest

import luff
from luff.solver.analysis.bounded_roots import standing_states
from luff.solver.analysis.root_locus import describe_locus

HELD = """luff: 1
blocks:
  pin: {type: revolute, axis: y}
  rod: {type: rigid_link, mass: 1, com: [1, 0, 0]}
  drive: {type: pid, kp: 100, ki: 50, kd: 20}
  level: {type: constant, value: 0}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- rod.frame_a
  - level.trajectory -> drive.target
  - pin.trajectory -> drive.measured
  - drive.effort -> pin.effort
"""
STANDS = "indifferent: drive.f neither decays nor grows, all else decays"


def test_a_filter_that_is_not_in_use_hides_no_verdict() -> None:
    sim = luff.compile(luff.loads(HELD))
    lin = luff.linearise(sim, x="equilibrium")
    assert lin.stability == "indifferent"  # as documented: some root is zero
    assert standing_states(lin) == ["drive.f"]
    assert lin.equilibrium.endswith(f" is {STANDS}")
    assert luff.modes(sim, x="equilibrium").equilibrium == lin.equilibrium
    told = luff.locus(sim, "drive.kp", [80.0, 100.0])
    assert set(told.stability) == {"indifferent"}
    assert next(describe_locus(told)).endswith(STANDS)
    assert luff.margins(sim, "pin.effort").notes[-1].endswith(STANDS)
    # a rod that turns about the vertical is held by its drive alone
    loose = luff.compile(luff.loads(HELD.replace("axis: y", "axis: z").replace("ki: 50", "ki: 0")))
    told = luff.locus(loose, "drive.kp", [0.0, 50.0, 100.0], x="initial")
    beside = "indifferent: drive.x and drive.f neither decay nor grow, all else decays"
    assert told.verdicts == ["indifferent", beside, beside]


SLIDE = """  slide: {type: prismatic, axis: x}
  cart: {type: rigid_link, mass: 1}
connect:
  - world.frame -- slide.frame_a
  - slide.frame_b -- cart.frame_a"""
SUM = "  sum: {type: integrator}\nconnect:\n  - level.y -> sum.u"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (SLIDE, "indifferent: slide.position and drive.f neither decay nor grow"),
        (SUM, "indifferent: drive.f and sum.x neither decay nor grow, all else decays"),
    ],
)
def test_what_can_move_beside_it_is_indifferent(more: str, words: str) -> None:
    lin = luff.linearise(luff.compile(luff.loads(HELD.replace("connect:", more))), x="equilibrium")
    assert lin.stability == "indifferent"
    assert lin.equilibrium.endswith(f" is {words}")


def test_what_grows_is_unstable_whatever_stands_still() -> None:
    text = HELD.replace("kp: 100, ki: 50", "kp: 0, ki: 0").replace("com: [1, 0, 0]", "com: [0, 0, 1]")
    assert luff.linearise(luff.compile(luff.loads(text))).stability == "unstable"


@pytest.mark.parametrize("expr", ["u**3", "-u**3"])
def test_what_nothing_moves_to_first_order_may_leave_and_is_not_called_stable(expr: str) -> None:
    blocks = f"  away: {{type: integrator}}\n  law: {{type: expression, inputs: [u], expr: {expr}}}\n"
    text = HELD.replace("connect:\n", blocks + "connect:\n  - away.y -> law.u\n  - law.y -> away.u\n")
    lin = luff.linearise(luff.compile(luff.loads(text)), x="equilibrium")
    assert lin.stability == "indifferent"
    assert lin.equilibrium.endswith("indifferent: drive.f and away.x neither decay nor grow, all else decays")
