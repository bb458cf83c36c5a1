"""Sections against published values; what a flexible link is made of, and what it reports."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import luff
from luff.blocks.geometry import cross_sections
from luff.blocks.geometry.rotations import inertia_matrix
from luff.blocks.mechanics.flexible_links import RfemLink
from luff.blocks.multibody_parts import Body
from luff.solver.analysis.step_advice import state_matrix
from luff.tests.shared.compile_text import plain

LINK = "type: rfem_link, length: 2, section: {shape: rectangle, width: 0.03, height: 0.02}"


def link(more: str = "", blocks: str = "", wires: str = "", gravity: str = "[0, 0, -9.81]") -> str:
    """A netlist with one link clamped to the world."""
    return f"""
luff: 1
blocks:
  world: {{gravity: {gravity}}}
  boom: {{{LINK}{more}}}
{blocks}
connect:
  - world.frame -- boom.frame_a
{wires}
simulation: {{stop: 0.2, step: 0.1 ms, output_step: 1 ms}}
"""


def block(**values: Any) -> RfemLink:
    diagram = luff.loads(
        "luff: 1\nblocks: {boom: {type: rfem_link}}\nconnect: [world.frame -- boom.frame_a]\n"
    )
    diagram.data["blocks"]["boom"] |= values
    return luff.compile(luff.loads(diagram.dumps())).program.flat.blocks["boom"]  # type: ignore[return-value]


def listed(text: str, port: str, count: int) -> np.ndarray:
    """A port's elements at the state where the link is at rest."""
    sim = plain(text)
    values = sim.evaluate(0.0, at_rest(sim))
    return np.array([values[f"{port}[{k}]"] for k in range(count)])


def at_rest(sim: luff.Simulation) -> np.ndarray:
    """Static equilibrium by Newton."""
    from luff.solver.analysis.step_advice import state_matrix

    x = sim.x0.copy()
    for _ in range(6):
        x -= np.linalg.solve(state_matrix(sim, x), sim.derivative(0.0, x))
    return x


# --- sections ----------------------------------------------------------------------------------------------------


def test_box_has_the_constants_of_the_crane_of_the_source() -> None:
    # 100 x 100 x 4 mm: I = 2.363e-6 m^4 and J = 3.54e-6 m^4, as printed with four and three digits
    box = cross_sections.box(0.1, 0.1, 0.004)
    assert box.I_y == pytest.approx(2.363e-6, abs=0.5e-9)
    assert box.I_z == box.I_y
    torsion = box.J
    assert torsion == pytest.approx(3.54e-6, abs=0.5e-8)


@pytest.mark.parametrize(
    ("ratio", "k"), [(1.0, 0.1406), (1.5, 0.196), (2.0, 0.229), (3.0, 0.263), (5.0, 0.291), (10.0, 0.312)]
)
def test_torsion_of_rectangles(ratio: float, k: float) -> None:
    """J = k a^3 b, with k of the table in Timoshenko and Goodier, Theory of Elasticity, art. 109."""
    wide, high = (
        cross_sections.rectangle(0.01, 0.01 * ratio).J,
        cross_sections.rectangle(0.01 * ratio, 0.01).J,
    )
    # one unit of the last printed digit: some entries are cut, not rounded
    assert wide / (ratio * 1e-8) == pytest.approx(k, abs=1e-4 if ratio == 1.0 else 1e-3)
    assert high == wide


def test_round_sections() -> None:
    # a solid shaft of 20 mm: J = pi d^4 / 32 = 15708 mm^4; a wall of half the diameter is solid
    solid = cross_sections.circle(0.02).J
    assert solid == pytest.approx(15707.963e-12, rel=1e-7)
    # thin tube: J -> 2 pi r^3 t and I -> J / 2, to second order in t / r
    r, t = 0.05, 0.0005
    tube = cross_sections.tube(2 * r + t, t)
    torsion = tube.J
    assert torsion == pytest.approx(2 * math.pi * r**3 * t, rel=(t / r) ** 2)
    assert tube.I_y + tube.I_z == pytest.approx(torsion)


def test_i_beam_against_the_table_of_ipe_200() -> None:
    """A = 28.5 cm^2, I_y = 1943 cm^4, I_z = 142 cm^4 (EN 10365), of which the four fillets of radius 12 mm are part."""
    beam = cross_sections.i_beam(0.1, 0.2, 0.0056, 0.0085)
    fillets = (4 - math.pi) * 0.012**2
    height = 0.1 - 0.0085 - 0.2234 * 0.012  # of their centroids over the middle
    assert beam.A + fillets == pytest.approx(28.5e-4, rel=2e-3)
    assert beam.I_y + fillets * height**2 == pytest.approx(1943e-8, rel=1e-3)
    assert beam.I_z == pytest.approx(142e-8, rel=5e-3)  # fillets near the web add 0.3 %


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("{shape: box, width: 0.1, height: 0.1}", "thickness is missing"),
        ("{shape: circle, diameter: 0.1, width: 0.1}", "does not take width"),
        ("{shape: tube, diameter: 0.1, thickness: 0.06}", "expected at most 0.05 m"),
        ("{A: 1e-3, I_y: 1e-6, I_z: 1e-6}", "J is missing"),
        ("{shape: ring}", "expected one of"),
    ],
)
def test_wrong_sections_are_told(section: str, message: str) -> None:
    text = link().replace("{shape: rectangle, width: 0.03, height: 0.02}", section)
    with pytest.raises(luff.NetlistError, match=message):
        luff.compile(luff.loads(text))


def test_initial_angles_must_be_one_a_division() -> None:
    with pytest.raises(luff.NetlistError, match="found 2 entries, expected 4"):
        luff.compile(luff.loads(link(", initial: {psi: [0, 0]}")))


# --- what it is made of ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("twist", ["middle", "papers"])
@pytest.mark.parametrize("n", [1, 3, 10])
def test_rigid_twin_has_the_mass_properties_of_the_chain(n: int, twist: str) -> None:
    diagram = luff.loads(link(f", divisions: {n}, twist: {twist}"))
    beam = luff.compile(diagram).program.flat.blocks["boom"]
    assert isinstance(beam, RfemLink)
    mass, moment, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
    for part in beam.chain():
        if isinstance(part, Body):
            number = int(part.frame.split()[1]) if part.frame != "frame_a" else 0
            c = np.array([part.com[0] + beam.start_of(number), *part.com[1:]])
            mass, moment = mass + part.mass, moment + part.mass * c
            inertia += inertia_matrix(part.inertia) + part.mass * (c @ c * np.eye(3) - np.outer(c, c))
    c = moment / mass
    inertia -= mass * (c @ c * np.eye(3) - np.outer(c, c))
    twin = next(p for p in luff.compile(diagram, **{"boom.rigid": True}).program.mechanism.bodies)[1]
    assert twin.mass == pytest.approx(mass, rel=1e-14)
    np.testing.assert_allclose(twin.com, c, rtol=1e-14)
    # sums of n terms of like size: rounding alone
    np.testing.assert_allclose(inertia_matrix(twin.inertia), inertia, rtol=1e-12, atol=1e-14)
    # and a steel bar of 2 m x 30 mm x 20 mm weighs 9.42 kg
    assert mass == pytest.approx(9.42, rel=1e-12)


def test_twins_hang_alike() -> None:
    """An unbent link on a hinge starts to fall as its rigid twin does, when its springs are stiff enough."""
    blocks = "  hinge: {type: revolute, axis: y}"
    falls = []
    for more in (", rigid: true", ", E: 1e20, G: 1e20"):
        text = link(more, blocks).replace("world.frame -- boom.frame_a", "world.frame -- hinge.frame_a")
        sim = plain(
            text.replace("  - world.frame -- h", "  - hinge.frame_b -- boom.frame_a\n  - world.frame -- h")
        )
        # springs at rest, but loaded: let them find their balance under the fall
        falls.append(sim)
    rigid, stiff = falls
    x = stiff.x0.copy()
    angles = [
        k for k, name in enumerate(stiff.state_names) if name.startswith("boom.") and "rate" not in name
    ]
    rates = [stiff.state_names.index(stiff.state_names[a].replace("[", "_rate[")) for a in angles]
    for _ in range(3):
        slope = np.zeros((len(angles), len(angles)))
        for j, a in enumerate(angles):
            step = np.zeros_like(x)
            step[a] = 1e-9
            slope[:, j] = (stiff.derivative(0, x + step) - stiff.derivative(0, x - step))[rates] / 2e-9
        x[angles] -= np.linalg.solve(slope, stiff.derivative(0, x)[rates])
    found = stiff.derivative(0, x)[stiff.state_names.index("hinge.velocity")]
    # m g l/2 / (m l^2/3 + rho I l): the springs give by 1e-9 of the fall
    assert found == pytest.approx(rigid.derivative(0, rigid.x0)[1], rel=1e-8)


def test_names_count_from_zero() -> None:
    sim = plain(link(", divisions: 2, twist: papers"))
    assert sim.state_names[:6] == [f"boom.{name}[{k}]" for k in (0, 1) for name in ("psi", "theta", "phi")]
    assert sim.state_names[6:9] == ["boom.psi_rate[0]", "boom.theta_rate[0]", "boom.phi_rate[0]"]
    assert {"boom.psi[0]", "boom.psi[1]", "boom.torsion[1]"} <= set(sim.signal_names)
    assert "boom.psi[2]" not in sim.signal_names
    # between the elements it bends, within each of the three it twists
    names = plain(link(", divisions: 2")).state_names
    assert names[:7] == [
        f"boom.{name}" for name in ("phi[0]", "psi[0]", "theta[0]", "phi[1]", "psi[1]", "theta[1]", "phi[2]")
    ]


def test_a_single_spring_needs_no_number() -> None:
    sim = plain(link(", divisions: 1, twist: papers"))
    assert sim.state_names[:3] == ["boom.psi", "boom.theta", "boom.phi"]
    assert "boom.bending_moment_y" in sim.signal_names


def test_a_wire_picks_as_states_are_named() -> None:
    text = link(
        ", divisions: 2, initial: {psi: [0.1, 0.2]}",
        "  twice: {type: gain, k: 2}",
        "  - boom.psi[1] -> twice.u",
    )
    assert plain(text).evaluate()["twice.y"] == pytest.approx(0.4, rel=1e-15)
    with pytest.raises(luff.LuffError, match="elements count from 0 to 1"):
        luff.compile(luff.loads(text.replace("psi[1]", "psi[2]")))


def test_frames_ride_on_the_nearest_element() -> None:
    """With one spring bent by 0.1 rad, frames before it stay and those behind it turn about it."""
    frames = ", divisions: 4, frames: {before: {at: [0.7, 0.1, 0]}, behind: {at: [0.8, 0.1, 0]}}"
    blocks = "  a: {type: frame_sensor}\n  b: {type: frame_sensor}"
    wires = "  - boom.before -- a.frame_b\n  - boom.behind -- b.frame_b"
    text = link(frames + ", initial: {psi: [0, 0.1, 0, 0]}", blocks, wires)  # the second spring is at 0.75 m
    values = plain(text).evaluate()
    np.testing.assert_allclose([values[f"a.position[{k}]"] for k in range(3)], [0.7, 0.1, 0.0], atol=1e-15)
    turned = [
        0.75 + 0.05 * math.cos(0.1) - 0.1 * math.sin(0.1),
        0.05 * math.sin(0.1) + 0.1 * math.cos(0.1),
        0.0,
    ]
    np.testing.assert_allclose([values[f"b.position[{k}]"] for k in range(3)], turned, atol=1e-15)


def test_tip_placement_and_branching() -> None:
    """Two links in a fork: frame_b turned by 90 deg carries the second along y; a third starts half way."""
    more = ", frame_b: {rotate: [[z, 90 deg]]}, frames: {half: {at: [1, 0, 0], rotate: [[y, -90 deg]]}}"
    blocks = (
        f"  second: {{{LINK}}}\n  third: {{{LINK}}}\n  s: {{type: frame_sensor}}\n  t: {{type: frame_sensor}}"
    )
    wires = "\n".join(
        f"  - {w}" for w in (
            "boom.frame_b -- second.frame_a", "boom.half -- third.frame_a",
            "second.frame_b -- s.frame_b", "third.frame_b -- t.frame_b",
        )
    )  # fmt: skip
    sim = plain(link(more, blocks, wires))
    values = sim.evaluate()
    np.testing.assert_allclose([values[f"s.position[{k}]"] for k in range(3)], [2.0, 2.0, 0.0], atol=1e-15)
    np.testing.assert_allclose([values[f"t.position[{k}]"] for k in range(3)], [1.0, 0.0, 2.0], atol=1e-15)
    assert len(sim.state_names) == 3 * 2 * (2 * 4 + 5)  # links, rates, springs that bend and that twist


# --- what it reports ---------------------------------------------------------------------------------------------


def test_section_forces_of_a_cantilever() -> None:
    """End forces and weight: statics gives bending moments, shear and axial force at every spring."""
    n, P, N = 5, 30.0, 200.0
    blocks = f"  tip: {{type: applied_force}}\n  f: {{type: constant, value: [{N}, {P}, -{P}]}}"
    wires = "  - f.y -> tip.force\n  - boom.frame_b -- tip.frame_b"
    # a hundred times the stiffness of steel, so that the bent shape matters to 1e-3 only
    text = link(f", divisions: {n}, E: 2e13, damping: 1 ms", blocks, wires)
    x = (np.arange(1, n + 1) - 0.5) * 2.0 / n
    weight = 9.81 * 7850 * 6e-4 * (2.0 - x)  # of what hangs behind each spring
    found = {
        port: listed(text, f"boom.{port}", n)
        for port in ("axial", "shear_y", "shear_z", "bending_moment_y", "bending_moment_z")
    }
    for port, wanted in (
        ("axial", N + 0.0 * x),
        ("shear_y", P + 0.0 * x),
        ("shear_z", -P - weight),
        ("bending_moment_z", P * (2.0 - x)),
        # a force along -z turns the beam about +y
        ("bending_moment_y", P * (2.0 - x) + weight * (2.0 - x) / 2.0),
    ):
        # N and P act across the slope of the bent beam, which is 1e-3
        np.testing.assert_allclose(found[port], wanted, rtol=2e-2, atol=0.5, err_msg=port)


def test_torsion_is_the_torque_at_the_tip() -> None:
    blocks = "  tip: {type: applied_torque}\n  f: {type: constant, value: [25, 0, 0]}"
    text = link(
        ", damping: 1 ms", blocks, "  - f.y -> tip.torque\n  - boom.frame_b -- tip.frame_b", "[0, 0, 0]"
    )
    np.testing.assert_allclose(listed(text, "boom.torsion", 4), 25.0, rtol=1e-10)  # Newton's last step
    J = cross_sections.rectangle(0.03, 0.02).J
    twist = listed(text, "boom.tip_rotation", 3)[2]
    assert twist == pytest.approx(2.0 * 25.0 / (8.1e10 * J), rel=1e-9)  # l T / G J, exact for any division


def test_energy_is_kept_and_stored_energy_is_the_elastic_part() -> None:
    blocks = "  load: {type: rigid_link, mass: 5, com: [0, 0.1, 0], inertia: [0.1, 0.1, 0.1]}"
    text = link("", blocks, "  - boom.frame_b -- load.frame_a")
    result = luff.compile(luff.loads(text)).run(stop=0.1)
    energy = result.quality["energy"]
    # RK4 at 1/20 of the stable step loses (omega h)^6 / 144 of a mode's energy a step
    assert energy["relative_residual"] < 1e-6
    assert energy["end"]["elastic"] > 1.0
    assert result["boom.stored_energy"][-1] == pytest.approx(energy["end"]["elastic"], rel=1e-12)


@pytest.mark.parametrize("damping", ["{ratio: 0.03}", "[0, 0, 0]", "2e-4 s"])
def test_damping(damping: str) -> None:
    """Damping proportional to stiffness by T gives every mode the ratio omega T / 2."""
    sim = plain(link(f", divisions: 8, damping: {damping}", gravity="[0, 0, 0]"))
    values = np.linalg.eigvals(state_matrix(sim))
    first = values[values.imag > 1.0][np.argmin(values.imag[values.imag > 1.0])]
    ratio = -first.real / abs(first)
    wanted = {"{ratio: 0.03}": 0.03, "[0, 0, 0]": 0.0, "2e-4 s": abs(first) * 1e-4}[damping]
    # the ratio is stated for the Euler-Bernoulli beam: eight divisions have its frequency to 0.4 %
    assert ratio == pytest.approx(wanted, rel=5e-3 if "ratio" in damping else 1e-6, abs=1e-9)


def test_a_rigid_link_deforms_by_nothing() -> None:
    blocks = "  hinge: {type: revolute}\n  bob: {type: rigid_link, mass: 1, inertia: [1, 1, 1]}"
    wires = "  - boom.frame_b -- hinge.frame_a\n  - hinge.frame_b -- bob.frame_a"
    sim = plain(link(", rigid: true", blocks, wires))
    values = sim.evaluate()
    assert [values[f"boom.tip_deflection[{k}]"] for k in range(3)] == [0.0, 0.0, 0.0]
    assert values["boom.stored_energy"] == 0.0
    assert not [name for name in sim.signal_names if name.startswith("boom.psi")]


def test_long_links_make_no_more_calls() -> None:
    """Outputs lie where the kernels leave them: what is called does not grow with the divisions."""
    calls = [
        [len(table.calls) for table in plain(link(f", divisions: {n}")).program.tables.values()]
        for n in (10, 100)
    ]
    assert calls[0] == calls[1]


def test_looped_columns_are_the_plain_ones() -> None:
    """Every recorded column of a deformed, moving link is what its state says, whichever way it was written."""
    sim = plain(link(", divisions: 6"))
    rng = np.random.default_rng(4)
    x = 0.1 * rng.standard_normal(len(sim.state_names))
    values = sim.evaluate(0.0, x)
    k_z = 2.1e11 * 0.02 * 0.03**3 / 12.0 / (2.0 / 6)
    for k in range(6):
        for name in ("psi", "theta", "phi"):
            assert values[f"boom.{name}[{k}]"] == x[sim.state_names.index(f"boom.{name}[{k}]")]
        assert values[f"boom.bending_moment_z[{k}]"] == pytest.approx(
            k_z * values[f"boom.psi[{k}]"], rel=1e-12
        )
