"""Reactions of loops that are held more than once: equal bushings in the joints share them, wherever loops are cut."""

from __future__ import annotations

import numpy as np
import pytest

from luff.solver.kernels.model_data import NORMAL
from luff.tests.shared.compile_text import plain
from luff.tests.shared.loop_cases import FOUR_BAR

# a boom on two pins in one line, 2 m apart; the second one stands on a post
BOOM = """
luff: 1
blocks:
  world: {gravity: GRAVITY}
  A: {type: revolute, axis: y, resolve: world, AT_A}
  post: {type: fixed, at: [0, 2, 0]}
  B: {type: revolute, axis: y, resolve: world, AT_B}
  boom: {type: rigid_link, mass: 100, com: [3, COM, 0.2], inertia: [10, 300, 300], frames: {b: {at: [0, 2, 0]}}}
connect:
  - world.frame -- A.frame_a
  - A.frame_b -- boom.frame_a
  - world.frame -- post.frame_a
  - post.frame_b -- B.frame_a
  - B.frame_b -- boom.b
simulation: {constraints: {LENGTH}}
"""
START = "initial: {position: 0.3, velocity: 1.5}"
GUESS = "cut: true"
OUTPUTS = ("total_force", "total_torque")


def boom(cut: str, com: float, gravity: list[float], more: str = "", length: str = "", **starts: str) -> str:
    at = {"A": starts.get("A", START), "B": starts.get("B", START)}
    at[cut] = starts.get("other", GUESS)
    text = BOOM.replace("GRAVITY", str(gravity)).replace("COM", str(com)).replace("LENGTH", length)
    return text.replace("AT_A", at["A"] + more).replace("AT_B", at["B"] + more)


def wrench(values: dict[str, float], joint: str) -> np.ndarray:
    """Force and torque."""
    return np.array([values[f"{joint}.{name}[{k}]"] for name in OUTPUTS for k in range(3)])


@pytest.mark.parametrize("cut", ["A", "B"])
def test_a_symmetric_boom_loads_both_pins_alike(cut: str) -> None:
    values = plain(boom(cut, 1.0, [0.0, 0.0, -9.81])).evaluate()
    a, b = wrench(values, "A"), wrench(values, "B")
    assert abs(a[:3]).max() > 100.0
    np.testing.assert_allclose(a[:3], b[:3], rtol=1e-12, atol=1e-9)  # to rounding, of forces of some 100 N
    np.testing.assert_allclose(a[3:], -b[3:], rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("length", ["", "bushing_length: 0.4 m"])
def test_reactions_do_not_depend_on_where_a_loop_is_cut(length: str) -> None:
    found = []
    for cut in ("A", "B"):
        values = plain(boom(cut, 0.4, [0.7, 0.3, -9.81], length=length)).evaluate()
        found.append([wrench(values, "A"), wrench(values, "B")])
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-9)  # rounding of some 100 N


# its pins at four heights, so that what the links carry in their planes tilts the pins
RAISED = {"[1, 0, 0]": "[1, 0, 0.3]", "[2.3, 0, 0]": "[2.3, 0, 0.2]", "[1.6, 0, 0]": "[1.6, 0, 0.1]"}
RAISED |= {"[2, 0, 0]": "[2, 0, 0.4]"}


@pytest.mark.parametrize("raised", [{}, RAISED], ids=["flat", "raised"])
def test_a_four_bar_pushed_across_its_plane_has_the_same_reactions_whichever_joint_is_cut(
    raised: dict[str, str],
) -> None:
    """Three internal forces, that load all four pins; two of them are walked from b to a in some of the trees."""
    text = FOUR_BAR
    for flat, there in raised.items():
        text = text.replace(f"at: {flat}", f"at: {there}")
    text = text.replace("gravity: [0, -9.81, 0]", "gravity: [0.4, -9.81, 3]")
    found = {}
    for cut in "ABCD":
        there = text.replace(f"  {cut}: {{type: revolute", f"  {cut}: {{type: revolute, cut: true")
        values = plain(there).evaluate()
        found[cut] = np.array([wrench(values, joint) for joint in "ABCD"])
    assert abs(found["A"][:, 2]).min() > 0.1  # across the plane
    for cut in "BCD":
        # closed to 1e-12, of forces of some 10 N
        np.testing.assert_allclose(found[cut], found["A"], rtol=0, atol=1e-8, err_msg=cut)


BUSHINGS = """
luff: 1
blocks:
  world: {gravity: [0.0, 0.3, -9.81]}
  free: {type: free}
  turn: {type: fixed, rotate: [[y, ANGLE]]}
  boom: {type: rigid_link, mass: 100, com: [3, 0.4, 0.2], inertia: [10, 300, 300]}
  along: {type: rigid_link, mass: 0, inertia: [0, 0, 0], frame_b: {at: [0, 2, 0]}}
  post: {type: fixed, at: [0, 2, 0]}
  A: {type: bushing, stiffness: [K, K, K], rotational_stiffness: [T, 0, T]}
  B: {type: bushing, stiffness: [K, K, K], rotational_stiffness: [T, 0, T]}
connect:
  - world.frame -- free.frame_a
  - free.frame_b -- turn.frame_a
  - turn.frame_b -- boom.frame_a
  - world.frame -- post.frame_a
  - world.frame -- A.frame_a
  - A.frame_b -- free.frame_b
  - free.frame_b -- along.frame_a
  - post.frame_b -- B.frame_a
  - B.frame_b -- along.frame_b
initial: {solve: static}
record: ["*"]
"""


@pytest.mark.parametrize("length", [2.0, 0.5])
def test_bushings_of_growing_stiffness_tend_to_the_reactions(length: float) -> None:
    more = "" if length == 2.0 else f"bushing_length: {length} m"
    start = "initial: {position: 1.5}"
    text = boom("B", 0.4, [0.0, 0.3, -9.81], length=more, A=start) + "initial: {solve: static}\n"
    sim = plain(text.replace("initial: {position: 1.5}", "guess: {position: 1.5}"))
    values = sim.evaluate()
    wanted = np.array([wrench(values, joint) for joint in "AB"])
    angle = values["A.position"]
    off = []
    for k in (1e6, 1e7):
        stiff = BUSHINGS.replace("K", f"{k}").replace("T", f"{k * length**2}").replace("ANGLE", str(angle))
        held = plain(stiff).evaluate()
        found = np.array(
            [[held[f"{j}.{name}[{i}]"] for name in ("force", "torque") for i in range(3)] for j in "AB"]
        )
        off.append(abs(found - wanted).max())
    # they turn the boom by some 1e-4 and 1e-5, of forces of some 1 kN
    assert off[0] < 2.0
    assert off[1] == pytest.approx(off[0] / 10.0, rel=0.05)


FRICTION = ", friction: {model: lugre, mu_s: 0.3, mu_k: 0.2, stribeck: 0.1, sigma_0: 100, sigma_1: 0.3, diameter: 0.2}"


def test_friction_goes_with_the_shared_reactions() -> None:
    found = []
    for cut in ("A", "B"):
        text = boom(cut, 0.4, [0.7, 0.3, -9.81], FRICTION, other="cut: true, guess: {position: 0.3}")
        sim = plain(text)
        x = sim.x0.copy()
        x[[name.endswith(".bristle") for name in sim.state_names]] = 2e-3
        values = sim.evaluate(0.0, x)
        rows = {
            sim.program.mechanism.joints[row.joint].block: i
            for i, row in enumerate(sim.program.mechanism.rows)
        }
        for joint in "AB":
            normal = sim.instance.data.row[rows[joint], NORMAL]
            assert normal == pytest.approx(values[f"{joint}.normal_force"], rel=1e-10)
        assert all("not unique" in note for note in sim.notes)
        found.append([values["A.acceleration"], *(values[f"{j}.normal_force"] for j in "AB")])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-10)
    assert abs(found[0][1] - found[0][2]) > 1.0  # the mass stands nearer to one of them


def test_a_slab_between_two_welds_is_held_by_both() -> None:
    text = """
luff: 1
blocks:
  left: {type: fixed, resolve: world}
  right: {type: fixed, at: [2, 0, 0], cut: true, resolve: world}
  slab: {type: rigid_link, mass: 10, com: [1, 0, 0], inertia: [1, 1, 1], frames: {r: {at: [2, 0, 0]}}}
  arm: {type: revolute, axis: y}
  hand: {type: rigid_link, mass: 1e-3, inertia: [1, 1, 1]}
connect:
  - world.frame -- left.frame_a
  - left.frame_b -- slab.frame_a
  - world.frame -- right.frame_a
  - right.frame_b -- slab.r
  - slab.frame_a -- arm.frame_a
  - arm.frame_b -- hand.frame_a
"""
    values = plain(text).evaluate()
    weight = 10.001 * 9.81
    assert values["left.total_force[2]"] + values["right.total_force[2]"] == pytest.approx(weight, rel=1e-12)
    assert values["right.total_force[2]"] == pytest.approx(
        weight / 2, rel=1e-3
    )  # the hand is not in the middle


@pytest.mark.parametrize("size", [1e-9, 1e-4, 1e4, 1e9])
def test_a_model_of_any_size_has_the_loads_of_its_likeness(size: float) -> None:
    """Lengths times s, masses and times as they are: forces are s times, torques s^2 times as large (m l / t^2)."""

    def scaled(s: float) -> dict[str, float]:
        text = boom("B", 0.4, [0.7 * s, 0.3 * s, -9.81 * s])
        text = text.replace("com: [3, 0.4, 0.2], inertia: [10, 300, 300]", "com: [COM], inertia: [INERTIA]")
        text = text.replace("COM", ", ".join(repr(s * x) for x in (3, 0.4, 0.2)))
        text = text.replace("INERTIA", ", ".join(repr(s * s * x) for x in (10, 300, 300)))
        return plain(text.replace("at: [0, 2, 0]", f"at: [0, {2 * s!r}, 0]")).evaluate()

    one, other = scaled(1.0), scaled(size)
    for joint in ("A", "B"):
        wanted = wrench(one, joint) * np.repeat([size, size**2], 3)
        np.testing.assert_allclose(wrench(other, joint)[:3], wanted[:3], rtol=1e-9, atol=1e-7 * size)
        np.testing.assert_allclose(wrench(other, joint)[3:], wanted[3:], rtol=1e-9, atol=1e-7 * size**2)
