"""Natural modes against closed forms: chains, springs, beams, four-bar linkages."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.optimize
import scipy.special

import luff
from luff.blocks.errors import LuffError
from luff.solver.analysis.linearise import linearise
from luff.solver.analysis.natural_modes import describe_modes, modes, number_ranges, shape_words

G = 9.81


def chain(n: int, length: float, lean: float = 0.0) -> str:
    """n equal point masses on strings of one length, hanging from each other."""
    blocks, wires, last = [], [], "world.frame"
    for k in range(n):
        blocks.append(f"  pin{k}: {{type: revolute, axis: -y, initial: {{position: {lean}}}}}")
        at = f"[0, 0, {-length}]"
        blocks.append(f"  bob{k}: {{type: rigid_link, mass: 1.7, com: {at}, frame_b: {{at: {at}}}}}")
        wires += [f"{last} -- pin{k}.frame_a", f"pin{k}.frame_b -- bob{k}.frame_a"]
        last = f"bob{k}.frame_b"
    wired = "\n".join(f"  - {wire}" for wire in wires)
    return (
        "luff: 1\nblocks:\n"
        + "\n".join(blocks)
        + f"\nconnect:\n{wired}\nsimulation: {{stop: 1 s, step: 1 ms}}\n"
    )


@pytest.mark.parametrize("n", [1, 2, 5])
def test_pendulum_chain_has_the_roots_of_laguerre(n: int) -> None:
    """Equal masses on equal strings: w^2 = g / l times the roots of the Laguerre polynomial (D. Bernoulli)."""
    found = modes(luff.compile(luff.loads(chain(n, 0.6, lean=0.2))))
    roots = scipy.special.roots_laguerre(n)[0]
    # eigenvalues of A, whose entries are good to 1e-10
    np.testing.assert_allclose(found.frequencies, np.sqrt(G / 0.6 * roots), rtol=1e-8)
    assert found.oscillating.all()
    # found starting from a lean of 0.2 rad
    np.testing.assert_allclose(found.x, 0.0, atol=1e-9)
    np.testing.assert_allclose(found.damping, 0.0, atol=1e-9)


def test_shapes_of_a_double_pendulum() -> None:
    """Relative angles: the lower string leans sqrt(2) times as far as the upper one, to the same or the other side."""
    found = modes(luff.compile(luff.loads(chain(2, 0.6))))
    slow, fast = found.shape(1), found.shape(2)
    assert slow["pin1.position"] / slow["pin0.position"] == pytest.approx(math.sqrt(2) - 1, rel=1e-7)
    assert fast["pin1.position"] / fast["pin0.position"] == pytest.approx(-math.sqrt(2) - 1, rel=1e-7)
    assert max(abs(z) for name, z in fast.items() if "position" in name) == pytest.approx(1.0)


def test_shapes_are_told_in_percent_of_their_kind_with_phases() -> None:
    """A slide and a turn beside it are of two units; a damper turns a shape's entries against each other."""
    found = modes(luff.compile(luff.loads(chain(2, 0.6))))
    low = 100 * (math.sqrt(2) - 1)  # of the relative angles
    assert shape_words(found, 1) == f"rotation: pin0.position 100 %, pin1.position {low:.3g} %"
    assert (
        shape_words(found, 2)
        == f"rotation: pin1.position 100 %, pin0.position {low:.3g} % at 180\N{DEGREE SIGN}"
    )
    both = replace(
        found,
        kinds=["translation", "rotation", "", ""],
        shapes=np.array([[0.5], [1j], [0.0], [0.0]]),
        weights=np.ones((4, 1)),
        eigenvalues=found.eigenvalues[:1],
    )
    assert both.state_names[:2] == ["pin0.position", "pin1.position"]
    assert (
        shape_words(both, 1)
        == "rotation: pin1.position 100 %; translation: pin0.position 100 % at -90\N{DEGREE SIGN}"
    )


def test_damped_and_free_modes_are_told_apart() -> None:
    text = """
luff: 1
blocks:
  slew: {type: revolute, axis: z}
  arm: {type: rigid_link, mass: 1, inertia: [1, 1, 1]}
  spring: {type: prismatic, axis: z, stiffness: 800, damping: 6, initial: {position: 0}}
  bob: {type: rigid_link, mass: 2}
  lag: {type: transfer_function, num: [1.0], den: [0.5, 1.0]}
  zero: {type: constant, value: 0}
connect:
  - world.frame -- slew.frame_a
  - slew.frame_b -- arm.frame_a
  - arm.frame_b -- spring.frame_a
  - spring.frame_b -- bob.frame_a
  - zero.y -> lag.u
simulation: {stop: 1 s, step: 1 ms}
"""
    found = modes(luff.compile(luff.loads(text)))
    assert found.frequencies[0] == pytest.approx(20.0, rel=1e-9)
    assert found.damping[0] == pytest.approx(6 / (2 * 2 * 20), rel=1e-8)
    assert found.tuning(1) == {"frequency": found.frequencies[0], "damping": found.damping[0]}
    assert found.eigenvalues[1:].tolist() == [0.0, 0.0, pytest.approx(-2.0, rel=1e-9)]
    assert next(iter(found.shape(1))) == "spring.velocity"
    text = "\n".join(describe_modes(found))
    assert "stands still  rotation: slew.position 100 %" in text
    assert "decays, time constant 0.5 s" in text
    with pytest.raises(luff.LuffError, match="mode 2 does not oscillate"):
        found.tuning(2)
    with pytest.raises(luff.LuffError, match="found mode 9, expected 1 to 4"):
        found.tuning(9)


def test_upright_pendulum_grows() -> None:
    found = modes(luff.compile(luff.loads(chain(1, 0.6, lean=math.pi))), x="initial")
    rate = math.sqrt(G / 0.6)
    np.testing.assert_allclose(sorted(found.eigenvalues.real), [-rate, rate], rtol=1e-8)
    assert found.stability == "unstable"
    assert "unstable: mode" in describe_modes(found)[-1]


COUPLED = """luff: 1
blocks:
  a: {type: prismatic, axis: x}
  one: {type: rigid_link, mass: 3}
  b: {type: prismatic, axis: x, initial: {position: 1}}
  two: {type: rigid_link, mass: 2}
  spring: {type: line_spring, stiffness: 700, damping: 1, free_length: 1}
connect: [world.frame -- a.frame_a, a.frame_b -- one.frame_a, world.frame -- b.frame_a, b.frame_b -- two.frame_a,
  one.frame_b -- spring.frame_a, two.frame_b -- spring.frame_b]
simulation: {stop: 1 s, step: 1 ms}
"""


def test_roots_that_are_zero_within_their_errors_take_one_line() -> None:
    found = modes(luff.compile(luff.loads(COUPLED)))
    assert found.signs == ["decays", "open", "open"]  # the pair drifts as one: a double root
    assert found.stability == "indifferent"
    assert found.frequencies[0] == pytest.approx(math.sqrt(700 / 1.2), rel=1e-9)
    lines = describe_modes(found)
    assert len(lines) == 4
    assert re.match(r"   2  2 roots of 0 \+- \S+( to \S+)? 1/s, modes 2, 3  ", lines[2])
    assert lines[3].endswith("mode 2, 3")
    assert number_ranges([1, 2, 3, 5, 6, 9]) == "1 to 3, 5, 6, 9"


def test_a_root_that_is_zero_within_its_error_is_told_with_it() -> None:
    """x' = 0.3 (y - x), y' = 0.7 (x - y): 0.7 x + 0.3 y stays, which rounding hides."""
    text = """luff: 1
blocks:
  x: {type: integrator, initial: 1}
  y: {type: integrator, initial: 0}
  e: {type: expression, inputs: [p, q], expr: 0.3 * (q - p)}
  f: {type: expression, inputs: [p, q], expr: 0.7 * (p - q)}
connect: [x.y -> e.p, y.y -> e.q, x.y -> f.p, y.y -> f.q, e.y -> x.u, f.y -> y.u]
simulation: {stop: 1 s, step: 1 ms}
"""
    found = modes(luff.compile(luff.loads(text)), x="initial")
    assert sorted(found.signs) == ["decays", "open"]
    (line,) = [line for line in describe_modes(found) if "0 +- " in line]
    assert float(line.partition("0 +- ")[2].split()[0]) < 1e-14


def test_what_has_no_states_has_no_modes() -> None:
    sim = luff.compile(luff.loads("luff: 1\nblocks: {c: {type: constant, value: 1}}\n"))
    with pytest.raises(LuffError, match="no state and no memory"):
        modes(sim)


FOOT = """luff: 1
blocks:
  stand:
    type: base_support
    mass: 2 t
    one_sided: true
    inertia: [3e3, 3e3, 3e3]
    supports:
      - {at: [1, 1, 0], stiffness: [1e6, 1e6, 4e6], damping: [1e4, 1e4, 1e4]}
      - {at: [1, -1, 0], stiffness: [1e6, 1e6, 4e6], damping: [1e4, 1e4, 1e4]}
      - {at: [-1, 1, 0], stiffness: [1e6, 1e6, 4e6], damping: [1e4, 1e4, 1e4]}
      - {at: [-1, -1, 0], stiffness: [1e6, 1e6, 4e6], damping: [1e4, 1e4, 1e4]}
  slide: {type: prismatic, axis: z}
  load: {type: rigid_link, mass: 100}
  top: {type: fixed, at: [0, 0, 5]}
  rope: {type: rope, EA: 1e6 N, damping: 0.1 s, length: 3 m}
connect: [world.frame -- stand.frame_a, stand.frame_b -- slide.frame_a, slide.frame_b -- load.frame_a,
  stand.frame_b -- top.frame_a, top.frame_b -- rope.frame_a, load.frame_b -- rope.frame_b]
initial: {solve: static}
simulation: {stop: 1 s, step: 1 ms}
"""


def test_what_stands_still_beside_feet_that_stick_is_named() -> None:
    """Each of 8 bristles lets the crane rest beside where it does; a rope keeps its natural length, too."""
    found = modes(luff.compile(luff.loads(FOOT)))
    still = [k for k in range(len(found.signs)) if found.eigenvalues[k] == 0.0]
    assert [next(iter(found.driving_states(k + 1))) for k in still] == ["rope.natural"]


def test_floating_body_on_springs() -> None:
    """A free joint: its quaternion brings one state too many, which stands still and disturbs nothing."""
    text = """
luff: 1
blocks:
  world: {gravity: [0, 0, 0]}
  float: {type: free}
  hull: {type: rigid_link, mass: 4, inertia: [2, 3, 5]}
  mount: {type: bushing, stiffness: [100, 200, 300], rotational_stiffness: [40, 50, 60]}
connect:
  - world.frame -- float.frame_a
  - float.frame_b -- hull.frame_a
  - world.frame -- mount.frame_a
  - hull.frame_a -- mount.frame_b
simulation: {stop: 1 s, step: 1 ms}
"""
    found = modes(luff.compile(luff.loads(text)))
    wanted = np.sqrt([100 / 4, 200 / 4, 300 / 4, 40 / 2, 50 / 3, 60 / 5])
    np.testing.assert_allclose(found.frequencies[found.oscillating], np.sort(wanted), rtol=1e-7)
    assert found.frequencies[~found.oscillating].tolist() == [0.0]


def beam(divisions: int) -> str:
    return f"""
luff: 1
blocks:
  world: {{gravity: [0, 0, 0]}}
  beam:
    {{type: rfem_link, length: 2 m, divisions: {divisions},
     section: {{shape: rectangle, width: 10 mm, height: 6 mm}}}}
connect: [world.frame -- beam.frame_a]
simulation: {{stop: 1 s, step: 1 ms}}
"""


def test_cantilever_converges_to_euler_bernoulli_at_second_order() -> None:
    E, rho = 2.1e11, 7850.0
    area, I_y, I_z = 0.01 * 0.006, 0.01 * 0.006**3 / 12, 0.006 * 0.01**3 / 12
    first, second = 1.8751040687119611, 4.694091132974174  # roots of cos(b) cosh(b) = -1
    wanted = sorted(
        (b / 2.0) ** 2 * math.sqrt(E * I / (rho * area)) for b in (first, second) for I in (I_y, I_z)
    )
    errors = []
    for divisions in (6, 12):
        found = modes(luff.compile(luff.loads(beam(divisions))))
        errors.append(found.frequencies[:4] / wanted - 1)
    assert np.abs(errors[1]).max() < 0.02
    # the next order, n^-4, blurs the ratio of four; rotary inertia, which the theory leaves out, is below 1e-4 here
    np.testing.assert_allclose(errors[0] / errors[1], 4.0, rtol=0.1)


def four_bar(
    crank: float, coupler: float, rocker: float, base: float, guess: tuple[float, float, float]
) -> str:
    bars = {"crank": crank, "coupler": coupler, "rocker": rocker}
    blocks = [
        f"  {name}: {{type: rigid_link, mass: {3 * a}, com: [{a / 2}, 0, 0], inertia: [0, 0, {3 * a**3 / 12}], "
        f"frame_b: {{at: [{a}, 0, 0]}}}}"
        for name, a in bars.items()
    ]
    pins = [
        f"  pin{k}: {{type: revolute, axis: z, guess: {{position: {angle}}}{', cut: true' if k == 3 else ''}}}"
        for k, angle in enumerate((*guess, 0.0))
    ]
    return "\n".join(
        [
            "luff: 1",
            "blocks:",
            "  world: {gravity: [0, -9.81, 0]}",
            f"  ground: {{type: fixed, at: [{base}, 0, 0]}}",
            *blocks,
            *pins,
            "connect:",
            "  - world.frame -- pin0.frame_a",
            "  - pin0.frame_b -- crank.frame_a",
            "  - crank.frame_b -- pin1.frame_a",
            "  - pin1.frame_b -- coupler.frame_a",
            "  - coupler.frame_b -- pin2.frame_a",
            "  - pin2.frame_b -- rocker.frame_a",
            "  - world.frame -- ground.frame_a",
            "  - ground.frame_b -- pin3.frame_a",
            "  - rocker.frame_b -- pin3.frame_b",
            "simulation: {stop: 1 s, step: 1 ms}",
        ]
    )


def pendulous(crank: float, coupler: float, rocker: float, base: float) -> tuple[float, float]:
    """Frequency of a hanging four-bar of uniform bars, and its inertia over the crank's angle, from its energies."""

    def joints(angle: float) -> tuple[np.ndarray, np.ndarray]:
        a = crank * np.array([math.cos(angle), math.sin(angle)])
        way = np.array([base, 0.0]) - a
        reach = np.linalg.norm(way)
        along = (coupler**2 - rocker**2 + reach**2) / (2 * reach)
        across = np.array([way[1], -way[0]]) / reach  # the lower of the two closures
        return a, a + along * way / reach + math.sqrt(coupler**2 - along**2) * across

    def potential(angle: float) -> float:
        a, b = joints(angle)
        return 9.81 * 3 * (crank * a[1] / 2 + coupler * (a + b)[1] / 2 + rocker * b[1] / 2)

    def inertia(angle: float, h: float = 1e-5) -> float:
        a, b = (
            (ahead - behind) / (2 * h)
            for ahead, behind in zip(joints(angle + h), joints(angle - h), strict=True)
        )
        # a uniform bar has m / 3 (u^2 + u v + v^2) twice its kinetic energy, from the velocities of its ends
        bar = lambda length, u, v: length * (u @ u + u @ v + v @ v)  # noqa: E731
        return bar(crank, 0 * a, a) + bar(coupler, a, b) + bar(rocker, b, 0 * b)

    rest = scipy.optimize.minimize_scalar(
        potential, bounds=(-2.6, -0.6), method="bounded", options={"xatol": 1e-10}
    ).x
    h = 1e-3
    second = (potential(rest + h) - 2 * potential(rest) + potential(rest - h)) / h**2
    return math.sqrt(second / inertia(rest)), inertia(rest)


@pytest.mark.parametrize(
    ("lengths", "guess"),
    [
        ((0.5, 0.8, 0.5, 0.8), (-1.3, 1.3, 1.8)),  # a parallelogram
        ((0.4, 0.9, 0.6, 0.8), (-1.4, 1.2, 2.1)),
    ],
)
def test_four_bar_swings_as_its_energies_tell(
    lengths: tuple[float, float, float, float], guess: tuple[float, float, float]
) -> None:
    sim = luff.compile(luff.loads(four_bar(*lengths, guess)))
    assert len(sim.state_names) == 2
    found = modes(sim)
    wanted, inertia = pendulous(*lengths)
    if lengths[0] == lengths[2]:
        # the coupler moves without turning: bars of m l^2 / 3 and a coupler of its mass at the cranks' ends
        r, c = 0.5, 0.8
        assert wanted == pytest.approx(
            math.sqrt(9.81 * (r * r + c * r) / (2 * r**3 / 3 + c * r * r)), rel=1e-5
        )
    # the reference takes second differences: 1e-16 of the potential over 1e-6, and the curvature's own h^2 / 12
    assert found.frequencies[0] == pytest.approx(wanted, rel=1e-5)
    assert found.damping[0] == pytest.approx(0.0, abs=1e-7)
    # a torque on the crank: the states stay the same, whatever is driven; rates of the crank per rate of the state
    lin = linearise(sim, x="equilibrium", inputs=["pin0.effort"], outputs=["pin0.velocity"])
    assert lin.state_names == found.state_names
    ratio = lin.C[0, 1]
    assert lin.B[1, 0] == pytest.approx(1 / (inertia * ratio), rel=1e-5)
    assert math.sqrt(-lin.A[1, 0]) == pytest.approx(wanted, rel=1e-5)
