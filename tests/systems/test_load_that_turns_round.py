"""Coulomb friction under a joint's own load, where friction elsewhere turns that load round."""

from __future__ import annotations

import numpy as np
import pytest

import luff

# a cart on a rail, and on the cart an upright rail with a slider that is pressed against it by the cart's acceleration
CART = """
luff: 1
blocks:
  rail: {{type: prismatic, axis: x, initial: {{velocity: {along}}},
    friction: {{model: coulomb, mu_s: {mu_rail}, mu_k: {mu_rail}, stribeck: 1e-3}}}}
  cart: {{type: rigid_link, mass: {cart}}}
  mast: {{type: prismatic, axis: z, initial: {{velocity: {up}}},
    friction: {{model: coulomb, mu_s: {mu_mast}, mu_k: {mu_mast}, stribeck: 1e-3}}}}
  slider: {{type: rigid_link, mass: {slider}}}
  push: {{type: constant, value: {push}}}
connect: [world.frame -- rail.frame_a, rail.frame_b -- cart.frame_a, cart.frame_b -- mast.frame_a,
          mast.frame_b -- slider.frame_a, push.y -> rail.effort]
simulation: {{stop: 1 ms, step: 1 ms}}
"""


@pytest.mark.parametrize(("push", "turned"), [(60.0, True), (15.0, False), (-60.0, True)])
@pytest.mark.parametrize(("along", "up"), [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0)])
def test_a_load_that_friction_elsewhere_turns_round_is_its_magnitude(
    push: float, turned: bool, along: float, up: float
) -> None:
    """By hand: N_mast = m_s |a|, N_rail = |m_c g - mu_mast N_mast sgn(up)|, (m_c + m_s) a = push - mu N_rail sgn."""
    cart, slider, mu_rail, mu_mast, g = 1.0, 2.0, 0.3, 0.8, 9.81
    numbers = {"cart": cart, "slider": slider, "mu_rail": mu_rail, "mu_mast": mu_mast}
    sim = luff.compile(luff.loads(CART.format(push=push, along=along, up=up, **numbers)))
    values = sim.evaluate()
    rates = dict(zip(sim.state_names, sim.derivative(0.0, sim.x0), strict=True))
    # two signs to be found, of the acceleration and of the load on the rail: one choice agrees with itself
    answers = []
    for s in (-1.0, 1.0):
        for n in (-1.0, 1.0):
            # N_rail = n (m_c g - mu_mast m_s s a up); speeds of 1 m/s are far beyond stribeck, so that mu is constant
            a = (push - along * mu_rail * n * cart * g) / (
                cart + slider - along * mu_rail * n * mu_mast * slider * s * up
            )
            if np.sign(a) == s and n * (cart * g - mu_mast * slider * s * a * up) >= 0:
                answers.append((a, n, cart * g - mu_mast * slider * s * a * up))
    ((a, n, load),) = answers
    if up > 0 and along * push > 0:
        assert (n < 0) == turned
    assert rates["rail.velocity"] == pytest.approx(a, rel=1e-9)
    assert values["rail.normal_force"] == pytest.approx(abs(load), rel=1e-9)
    assert values["mast.normal_force"] == pytest.approx(slider * abs(a), rel=1e-9)
    assert values["rail.friction"] == pytest.approx(-along * mu_rail * abs(load), rel=1e-9)
    # what the slider does upwards: its weight, and friction against its motion
    assert rates["mast.velocity"] == pytest.approx(-g - up * mu_mast * abs(a), rel=1e-9)


def test_a_balance_beyond_the_limit_of_friction_is_none() -> None:
    """At mu_rail mu_mast m_s > m_c + m_s a larger push would give a smaller acceleration.

    Numbers that satisfy the equations can be found all the same, a = 0.924 m/s^2 with both loads positive, and are no
    motion that comes about: on the way from no friction to this much the loads have passed all bounds.
    """
    push, cart, slider, mu, g = 15.0, 1.0, 2.0, 2.0, 9.81
    per_acceleration = cart + slider - mu * mu * slider
    a = (push - mu * cart * g) / per_acceleration
    assert per_acceleration < 0 < min(a, cart * g - mu * slider * a)
    sim = luff.compile(
        luff.loads(
            CART.format(push=push, along=1.0, up=1.0, cart=cart, slider=slider, mu_rail=mu, mu_mast=mu)
        )
    )
    assert not np.isfinite(sim.derivative(0.0, sim.x0)).all()
    with pytest.raises(luff.RunError, match="feed each other without limit"):
        sim.run()
