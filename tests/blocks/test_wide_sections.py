"""Links of a wide section: which way is stiff, and which way is slow to turn."""

from __future__ import annotations

import numpy as np
import pytest

import luff

# four times as wide (along y) as high (along z), and short enough for the section to count in its inertia
WIDTH, HEIGHT, LENGTH, RHO, E = 0.8, 0.2, 1.0, 7850.0, 2.1e11
SECTIONS = {
    "shape": f"{{shape: rectangle, width: {WIDTH}, height: {HEIGHT}}}",
    "box": f"{{shape: box, width: {WIDTH}, height: {HEIGHT}, thickness: 0.02}}",
    "numbers": f"{{A: {WIDTH * HEIGHT}, I_y: {WIDTH * HEIGHT**3 / 12}, I_z: {HEIGHT * WIDTH**3 / 12}, J: 1e-3}}",
}
LINK = """
luff: 1
blocks:
  world: {{gravity: [0, 0, 0]}}
{blocks}
  boom: {{type: rfem_link, length: {length}, section: {section}, divisions: 3, rigid: {rigid}}}
connect: [{wires}]
"""


def moments(section: str) -> tuple[float, float, float]:
    """Area, I_y (of z^2) and I_z (of y^2), from the sides of the outer and the inner rectangle."""
    inner = (WIDTH - 0.04, HEIGHT - 0.04) if section == "box" else (0.0, 0.0)
    sides = ((1, WIDTH, HEIGHT), (-1, *inner))
    return (
        sum(s * w * h for s, w, h in sides),
        sum(s * w * h**3 / 12 for s, w, h in sides),
        sum(s * h * w**3 / 12 for s, w, h in sides),
    )


@pytest.mark.parametrize("rigid", ["true", "false"])
@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_a_link_turns_about_its_root_by_the_inertia_of_its_section(
    axis: str, section: str, rigid: str
) -> None:
    """rho (A l^3 / 3 + I l) across, rho (I_y + I_z) l along; a chain of elements that is undeformed and driven alike
    has it too, since the sum of m x^2 and of each element's own inertia is that of the whole."""
    A, I_y, I_z = moments(section)
    wires = "world.frame -- pin.frame_a, pin.frame_b -- boom.frame_a"
    blocks = f"  pin: {{type: revolute, axis: {axis}, initial: {{velocity: 2}}}}\n  energy: {{type: energy_sensor}}"
    text = LINK.format(blocks=blocks, length=LENGTH, section=SECTIONS[section], rigid=rigid, wires=wires)
    sim = luff.compile(luff.loads(text))
    across = A * LENGTH**3 / 3
    inertia = RHO * {"x": (I_y + I_z) * LENGTH, "y": across + I_y * LENGTH, "z": across + I_z * LENGTH}[axis]
    kinetic = sim.evaluate()["energy.kinetic"]
    assert kinetic == pytest.approx(0.5 * inertia * 2.0**2, rel=1e-12)


@pytest.mark.parametrize("section", SECTIONS)
def test_a_wide_link_sags_more_about_y_than_about_z(section: str) -> None:
    """Under as much gravity along y as along z: each spring turns by the moment of what it carries over E I / d."""
    A, I_y, I_z = moments(section)
    text = LINK.format(
        blocks="",
        length=LENGTH,
        section=SECTIONS[section],
        rigid="false",
        wires="world.frame -- boom.frame_a",
    ).replace("gravity: [0, 0, 0]", "gravity: [0, -9.81, -9.81]")
    found = luff.compile(luff.loads(text)).static()["positions"]
    d = LENGTH / 3
    carried = RHO * A * 9.81 * (LENGTH - (np.arange(3) + 0.5) * d) ** 2 / 2
    psi, theta = ([found[f"boom.{name}[{k}]"] for k in range(3)] for name in ("psi", "theta"))
    # small turns: slopes below 1e-4, whose squares are the error
    np.testing.assert_allclose(psi, -carried * d / (E * I_z), rtol=1e-6)
    np.testing.assert_allclose(theta, carried * d / (E * I_y), rtol=1e-6)
    assert sum(theta) > 5 * abs(sum(psi))


def test_the_first_bending_frequency_is_that_of_the_weak_way() -> None:
    """`damping: {ratio}` is of the first bending mode, which is about y where a section is wide."""
    A, I_y, _ = moments("shape")
    # beta l = 1.8751 of a cantilever
    omega = (1.8751040687 / LENGTH) ** 2 * np.sqrt(E * I_y / (RHO * A))
    wires = "world.frame -- boom.frame_a"
    text = LINK.format(blocks="", length=LENGTH, section=SECTIONS["shape"], rigid="false", wires=wires)
    text = text.replace(
        "divisions: 3", "divisions: 3, damping: {ratio: 0.02}, initial: {theta_rate: [0, 0, 1]}"
    )
    damped = luff.compile(luff.loads(text)).evaluate()
    spring = E * I_y / (LENGTH / 3)
    # the moment of the damper alone at a rate of 1 rad/s: 2 ratio / omega times the stiffness
    assert abs(damped["boom.bending_moment_y[2]"]) == pytest.approx(0.04 / omega * spring, rel=1e-9)
