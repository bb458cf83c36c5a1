"""Resolved rates at the edges of their law: stretched, at the bounds of damping and limits, of nothing."""

from __future__ import annotations

from .edge import edge
from .joints import Answers, R

LINK = "{type: rigid_link, mass: 1, inertia: [1, 1, 1], frame_b: {at: [1, 0, 0]}}"


@edge(
    "tip_velocity",
    f"""
  world: {{gravity: [0, 0, 0]}}
  one: {{type: revolute, axis: y}}
  upper: {LINK}
  two: {{type: revolute, axis: y}}
  fore: {LINK}
  out: {{type: constant, value: [0.3, 0, 0]}}
  up: {{type: constant, value: [0, 0, 0.5]}}
  along: {{type: tip_velocity, drives: [one, two], components: [x, z], near: 0.1, damping: 0.2}}
  across: {{type: tip_velocity, drives: [one, two], components: [x, z], near: 0.1, damping: 0.2}}
  z_only: {{type: tip_velocity, drives: [one, two], components: [z], near: 0.1, damping: 0.2}}
""",
    "world.frame -- one.frame_a, one.frame_b -- upper.frame_a, upper.frame_b -- two.frame_a,"
    " two.frame_b -- fore.frame_a, "
    + ", ".join(f"fore.frame_b -- {n}.frame_b" for n in ("along", "across", "z_only"))
    + ", out.y -> along.target, up.y -> across.target, up.y -> z_only.target",
)
def arm_that_is_stretched(r: R) -> Answers:
    """Along x: J is [0 0; -2 -1], singular values 0 and the root of 5, so that l is `damping`."""
    yield "along the arm nothing moves it", r["along.rates"], 0.0, 1e-12
    yield "and it says so", r["along.reached"], 0.0, 1e-12
    # cubes of the eigenvalues' sum, 125, over near^2: rounding of 1e-14 of the smallest one
    yield "across: lags", r["across.reached[2]"], 0.5 * 5 / 5.04, 1e-10
    yield "its rates", [r["across.rates[0]"], r["across.rates[1]"]], [[-1.0 / 5.04], [-0.5 / 5.04]], 1e-10
    yield "a component that does not count makes nothing singular", r["z_only.reached[2]"], 0.5, 1e-12


KINDS = {
    "free": ("", "plus"),
    "at": ("near: 1, damping: 3", "plus"),  # singular value 1
    "within": ("near: 2, damping: 0.4", "plus"),
    "just": ("limits: 0.4", "plus"),
    "half": ("limits: 0.2", "plus"),
    "back": ("limits: 0.2", "minus"),
    "none": ("limits: 0.2", "zero"),
}


@edge(
    "tip_velocity",
    """
  s: {type: prismatic, axis: x}
  a: {type: rigid_link, mass: 1}
  t: {type: prismatic, axis: x}
  b: {type: rigid_link, mass: 1}
  plus: {type: constant, value: [0.4, 7, 0]}
  minus: {type: constant, value: [-0.4, -7, 0]}
  zero: {type: constant, value: [0, 0, 0]}
  wish: {type: constant, value: [0.5, -0.5]}
  share: {type: tip_velocity, drives: [s, t], components: [x], weights: [3, 1]}
  idle: {type: tip_velocity, drives: [s, t], components: [x], weights: [3, 1]}
"""
    + "".join(
        f"\n  {n}: {{type: tip_velocity, drives: [s], components: [x], {text}}}"
        for n, (text, _) in KINDS.items()
    ),
    "world.frame -- s.frame_a, s.frame_b -- a.frame_a, a.frame_b -- t.frame_a, t.frame_b -- b.frame_a,"
    " b.frame_a -- share.frame_b, b.frame_a -- idle.frame_b, plus.y -> share.target, zero.y -> idle.target,"
    " wish.y -> idle.prefer, "
    + ", ".join(f"a.frame_a -- {n}.frame_b, {goal}.y -> {n}.target" for n, (_, goal) in KINDS.items()),
)
def slides_at_the_bounds_of_damping_and_of_limits(r: R) -> Answers:
    yield "exact", r["free.rates"], 0.4, 1e-15
    yield "singular value at the bound", r["at.rates"], 0.4, 1e-15
    yield "within it", r["within.rates"], 0.4 / (1 + 0.16 * 0.75), 1e-15
    yield "limit just met", [r["just.rates"], r["just.scale"]], [[0.4], [1.0]], 1e-15
    yield "half of it", [r["half.rates"], r["half.scale"]], [[0.2], [0.5]], 1e-15
    yield "backwards", [r["back.rates"], r["back.scale"]], [[-0.2], [0.5]], 1e-15
    yield "nothing", [r["none.rates"], r["none.scale"]], [[0.0], [1.0]], 0.0
    yield "by weight", [r["share.rates[0]"], r["share.rates[1]"]], [[0.3], [0.1]], 1e-15
    yield "as it likes", [r["idle.rates[0]"], r["idle.rates[1]"]], [[0.5], [-0.5]], 1e-15
