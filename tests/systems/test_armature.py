"""Rotors that joints feel: in trees against M + diag(I), in loops against a link that is heavier by as much."""

from __future__ import annotations

import numpy as np
import pytest

import luff

CHAIN = """
luff: 1
blocks:
  a: {{type: revolute, axis: y, armature: {0}, initial: {{position: 0.4, velocity: 0.7}}}}
  one: {{type: rigid_link, mass: 3, com: [0.3, 0.1, 0], inertia: [0.1, 0.2, 0.3], frame_b: {{at: [0.6, 0, 0.1]}}}}
  b: {{type: prismatic, axis: x, armature: {1}, initial: {{position: 0.2, velocity: -0.5}}}}
  two: {{type: rigid_link, mass: 2, com: [0.1, 0, 0.2], inertia: [0.1, 0.1, 0.2], frame_b: {{at: [0.2, 0.1, 0]}}}}
  c: {{type: revolute, axis: [1, 0, 1], armature: {2}, initial: {{position: -0.8, velocity: 1.1}}}}
  three: {{type: rigid_link, mass: 1, com: [0, 0.2, 0.1], inertia: [0.05, 0.02, 0.04]}}
  u: {{type: constant, value: {push}}}
connect: [world.frame -- a.frame_a, a.frame_b -- one.frame_a, one.frame_b -- b.frame_a, b.frame_b -- two.frame_a,
          two.frame_b -- c.frame_a, c.frame_b -- three.frame_a, "u.y[0] -> a.effort", "u.y[1] -> b.effort",
          "u.y[2] -> c.effort"]
simulation: {{stop: 1, step: 5e-4}}
"""
ROTORS = (0.7, 4.0, 0.3)


def accelerations(rotors: tuple[float, ...], push: list[float]) -> np.ndarray:
    sim = luff.compile(luff.loads(CHAIN.format(*rotors, push=push)))
    found = sim.evaluate()
    return np.array([found[f"{name}.acceleration"] for name in "abc"])


def test_tree_with_rotors_solves_its_mass_matrix_with_their_inertia() -> None:
    none = (0.0, 0.0, 0.0)
    push = [3.0, -5.0, 2.0]
    free = accelerations(none, push)
    # M^-1, from what unit efforts add
    inverse = np.array([accelerations(none, np.add(push, unit).tolist()) - free for unit in np.eye(3)]).T
    M = np.linalg.inv(inverse)
    wanted = np.linalg.solve(M + np.diag(ROTORS), M @ free)
    np.testing.assert_allclose(accelerations(ROTORS, push), wanted, rtol=1e-9)


def test_energy_of_rotors_is_in_the_ledger() -> None:
    sim = luff.compile(luff.loads(CHAIN.format(*ROTORS, push=[3.0, -5.0, 2.0])))
    quality = sim.run().quality
    assert quality["energy"]["relative_residual"] < 1e-9
    assert quality["newton_euler_residual"] < 1e-9
    speeds = np.array([0.7, -0.5, 1.1])
    light = luff.compile(luff.loads(CHAIN.format(0, 0, 0, push=[0, 0, 0]))).start()
    heavy = luff.compile(luff.loads(CHAIN.format(*ROTORS, push=[0, 0, 0]))).start()
    more = heavy.energy_start["kinetic"] - light.energy_start["kinetic"]
    assert more == pytest.approx(0.5 * np.dot(ROTORS, speeds**2), rel=1e-12)


def loop(
    links: int, rotor: float, more: float, driven: bool = False, method: str = "reduced"
) -> luff.Simulation:
    """A chain that hangs between two fixed pins; its first joint is at the ground, its first link a crank there."""
    drive = "driven: true" if driven else "initial: {position: -1.3, velocity: 0.6}"
    text = f"""
luff: 1
blocks:
  far: {{type: fixed, at: [1.2, 0, 0]}}
  j0: {{type: revolute, axis: y, armature: {rotor}, {drive}}}
  l0: {{type: rigid_link, mass: 1, com: [0.2, 0, 0], inertia: [0.1, {0.1 + more}, 0.1], frame_b: {{at: [0.4, 0, 0]}}}}
"""
    wires = ["world.frame -- j0.frame_a", "j0.frame_b -- l0.frame_a", "world.frame -- far.frame_a"]
    if driven:
        text += "  law: {type: motion_law, start_value: 1.3, end_value: 1.0, duration: 1, unit: rad}\n"
        wires.append("law.y -> j0.follow")
    for k in range(1, links):
        # cranks that turn against each other: the guess leads to one way of closing
        guess = -0.5 if k > 1 else -1.2
        text += f"  j{k}: {{type: revolute, axis: y, guess: {{position: {guess}}}}}\n"
        text += f"  l{k}: {{type: rigid_link, mass: 0.5, com: [0.3, 0, 0], inertia: [0.1, 0.05, 0.1],"
        text += " frame_b: {at: [0.7, 0, 0]}}\n"
        wires += [f"l{k - 1}.frame_b -- j{k}.frame_a", f"j{k}.frame_b -- l{k}.frame_a"]
    text += "  last: {type: revolute, axis: y, cut: true}\n"
    wires += [f"l{links - 1}.frame_b -- last.frame_a", "far.frame_b -- last.frame_b"]
    text += f"connect: [{', '.join(wires)}]\n"
    text += (
        f"simulation: {{stop: 0.3, step: 1e-3, constraints: {{method: {method}, redundant: minimum_norm}}}}\n"
    )
    return luff.compile(luff.loads(text))


# one freedom, a dense reduced mass matrix, and Schur's complement; loops in a plane say three things twice
@pytest.mark.parametrize(
    ("links", "method"), [(3, "reduced"), (4, "reduced"), (4, "projected"), (14, "reduced")]
)
def test_rotor_at_the_ground_is_a_heavier_crank(links: int, method: str) -> None:
    rotor, heavy = loop(links, 0.3, 0.0, method=method), loop(links, 0.0, 0.3, method=method)
    assert rotor.state_names == heavy.state_names
    one, two = rotor.derivative(0.0, rotor.x0), heavy.derivative(0.0, heavy.x0)
    np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-9)
    assert np.abs(one - loop(links, 0.0, 0.0, method=method).derivative(0.0, rotor.x0)).max() > 1e-2
    ran = rotor.run()
    assert ran.quality["energy"]["relative_residual"] < 1e-7
    np.testing.assert_allclose(ran["j1.normal_force"], heavy.run()["j1.normal_force"], rtol=1e-6)


def test_driven_rotor_asks_for_its_own_torque() -> None:
    rotor, bare = loop(3, 0.3, 0.0, driven=True).run(), loop(3, 0.0, 0.0, driven=True).run()
    more = rotor["j0.required_effort"] - bare["j0.required_effort"]
    np.testing.assert_allclose(more, 0.3 * rotor["j0.acceleration"], atol=1e-9)


def test_computed_torque_counts_rotors() -> None:
    text = CHAIN.format(*ROTORS, push=[0.0, 0.0, 0.0]).replace(
        "u: {type: constant, value: [0.0, 0.0, 0.0]}",
        "wish: {type: constant, value: [1.0, -2.0, 3.0]}\n  zero: {type: constant, value: [0, 0, 0]}\n"
        "  target: {type: make_trajectory}\n"
        "  u: {type: computed_torque, drives: [a, b, c], kp: [0, 0, 0], kd: [0, 0, 0]}",
    )
    text = text.replace('"u.y[', '"u.effort[').replace(
        "connect: [", "connect: [zero.y -> target.value, zero.y -> target.rate, wish.y -> target.acceleration, "
        "target.y -> u.target, "
    )  # fmt: skip
    found = luff.compile(luff.loads(text)).evaluate()
    np.testing.assert_allclose([found[f"{name}.acceleration"] for name in "abc"], [1.0, -2.0, 3.0], atol=1e-9)
