"""Section loads against joint reactions and closed forms; stresses at points of sections against textbooks."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import luff
from luff.blocks.geometry.cross_sections import Section
from luff.blocks.geometry.link_stations import Station, line_to, lump_mass, mass_beyond, station_bodies
from luff.blocks.geometry.rotations import inertia_matrix
from luff.blocks.mechanics.section_sensor import greatest_stress, normal_stress, shear_stress
from luff.blocks.mechanics.stress_recovery import points_of, rows
from luff.solver.diagram.composite_types import LIBRARY
from luff.tests.process import call
from luff.tests.shared.compile_text import plain

LOADS = ("N", "V_y", "V_z", "T", "M_y", "M_z")
ENDS = """
luff: 1
blocks:
  swing: {{type: revolute, axis: [1, 2, 2], initial: {{position: 0.4, velocity: 0.7}}}}
  root: {{type: fixed, rotate: [[y, 0.3]]}}
  boom: {{{boom}}}
  tip: {{type: fixed, rotate: [[z, 0.2]]}}
  load: {{type: rigid_link, mass: 30 kg, com: [0.1, 0.2, -0.3], inertia: [2, 3, 2.5]}}
  pull: {{type: applied_force}}
  force: {{type: constant, value: [40, -70, 90]}}
{sensors}
connect:
  - world.frame -- swing.frame_a
  - swing.frame_b -- root.frame_a
  - root.frame_b -- boom.frame_a
  - boom.frame_b -- tip.frame_a
  - tip.frame_b -- load.frame_a
  - boom.lug -- pull.frame_b
  - force.y -> pull.force
simulation: {{stop: 0.05, step: 0.05 ms, output_step: 1 ms, method: rk4}}
"""
BOX = "{shape: box, width: 0.05, height: 0.08, thickness: 0.004}"
LUG = "frames: {lug: {at: [1.2, 0, 0.1]}}"
LINKS = {
    "flexible": f"type: rfem_link, length: 3, divisions: 3, section: {BOX}, {LUG}",
    "stiff twin": f"type: rfem_link, rigid: true, length: 3, section: {BOX}, {LUG}",
    "rigid": "type: rigid_link, mass: 20, com: [1.2, 0.1, -0.1], inertia: [0.4, 15, 15, 0.2, -0.3, 0.1], "
    f"frame_b: {{at: [3, 0, 0]}}, {LUG}",
}


def six(values: dict[str, float], name: str) -> np.ndarray:
    return np.array([values[f"{name}.{load}"] for load in LOADS])


@pytest.mark.parametrize("kind", LINKS)
def test_loads_at_the_ends_are_the_joint_reactions(kind: str) -> None:
    sensors = "  a: {type: section_sensor, of: boom}\n  b: {type: section_sensor, of: boom, at: 3}\n"
    sensors += "  c: {type: section_sensor, of: boom, at: 1.9}"
    values = plain(ENDS.format(boom=LINKS[kind], sensors=sensors)).evaluate()
    vector = lambda name: np.array([values[f"{name}[{k}]"] for k in range(3)])  # noqa: E731
    root = np.concatenate([vector("root.total_force"), vector("root.total_torque")])
    size = abs(root).max()
    np.testing.assert_allclose(six(values, "a"), -root, atol=1e-9 * size)
    # at the tip the wrench on what hangs there is told in the tip's axes
    c, s = math.cos(0.2), math.sin(0.2)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    tip = np.concatenate([turn @ vector("tip.total_force"), turn @ vector("tip.total_torque")])
    np.testing.assert_allclose(six(values, "b"), -tip, atol=1e-9 * size)
    # without the cuts the mechanism is the same
    without = plain(ENDS.format(boom=LINKS[kind], sensors="")).evaluate()
    assert without["swing.acceleration"] == pytest.approx(values["swing.acceleration"], rel=1e-10)


def test_the_lug_counts_for_the_sections_before_it_alone() -> None:
    """A force on a frame goes through the sections nearer to the world, and not through those behind it."""
    sensors = (
        "  near: {type: section_sensor, of: boom, at: 1.1}\n  far: {type: section_sensor, of: boom, at: 1.3}"
    )
    held = [
        plain(
            text.replace(
                "type: revolute, axis: [1, 2, 2], initial: {position: 0.4, velocity: 0.7}", "type: fixed"
            )
        ).evaluate()
        for text in (
            ENDS.format(boom=LINKS["rigid"], sensors=sensors),
            ENDS.format(boom=LINKS["rigid"], sensors=sensors).replace("[40, -70, 90]", "[0, 0, 0]"),
        )
    ]
    # world forces in the boom's axes, turned by 0.3 about y
    c, s = math.cos(0.3), math.sin(0.3)
    local = np.array([c * 40 - s * 90, -70.0, s * 40 + c * 90])
    near, far = (six(held[0], name) - six(held[1], name) for name in ("near", "far"))
    np.testing.assert_allclose(near[:3], local, atol=1e-9)
    np.testing.assert_allclose(near[3:], np.cross([0.1, 0.0, 0.1], local), atol=1e-9)
    np.testing.assert_allclose(far, 0.0, atol=1e-9)


@pytest.mark.parametrize("at", [0.0, 0.7, 1.25, 2.0, 3.99, 4.0])
@pytest.mark.parametrize("kind", ["rfem_link, divisions: 4", "rfem_link, rigid: true", "rigid_link"])
def test_a_bar_under_its_own_weight(kind: str, at: float) -> None:
    """V = -w (l - x) and M_y = w (l - x)^2 / 2, at any station, whatever the divisions."""
    length, w = 4.0, 7850.0 * 0.06 * 0.09 * 9.81
    mass = w * length / 9.81
    across = mass * length**2 / 12
    inertia = f"[0, {across!r}, {across!r}]"
    body = {
        "rigid_link": f"mass: {mass!r}, com: [2, 0, 0], inertia: {inertia}, frame_b: {{at: [4, 0, 0]}}"
    }.get(kind, "length: 4, rho: 7850, E: 1e15, section: {shape: rectangle, width: 0.06, height: 0.09}")
    sim = plain(f"""
luff: 1
blocks:
  boom: {{type: {kind}, {body}}}
  s: {{type: section_sensor, of: boom, at: {at}, section: {{shape: rectangle, width: 0.06, height: 0.09}}}}
connect: [world.frame -- boom.frame_a]
initial: {{solve: static}}
""")
    values = sim.evaluate()
    rest = length - at
    # a stiffness of 1e15 Pa leaves slopes of 1e-7, whose squares and products with the loads are the error
    assert values["s.V_z"] == pytest.approx(-w * rest, rel=1e-6, abs=1e-6)
    assert values["s.M_y"] == pytest.approx(w * rest**2 / 2, rel=1e-6, abs=1e-5)
    # M / W at the upper edge, tension there
    assert values["s.stress[0]"] == pytest.approx(6 * w * rest**2 / 2 / (0.06 * 0.09**2), rel=1e-5, abs=1.0)


@pytest.mark.parametrize("kind", ["rfem_link, divisions: 4", "rigid_link"])
def test_a_bar_that_is_clamped_at_its_far_end(kind: str) -> None:
    """The tree runs from frame_b to frame_a: what lies beyond a station carries the rest."""
    length, w = 4.0, 7850.0 * 0.06 * 0.09 * 9.81
    mass = w * length / 9.81
    across = mass * length**2 / 12
    inertia = f"[0, {across!r}, {across!r}]"
    body = {
        "rigid_link": f"mass: {mass!r}, com: [2, 0, 0], inertia: {inertia}, frame_b: {{at: [4, 0, 0]}}"
    }.get(kind, "length: 4, rho: 7850, E: 1e15, section: {shape: rectangle, width: 0.06, height: 0.09}")
    values = plain(f"""
luff: 1
blocks:
  wall: {{type: fixed, at: [4, 0, 0]}}
  boom: {{type: {kind}, {body}}}
  s: {{type: section_sensor, of: boom, at: 1.5}}
connect: [world.frame -- wall.frame_a, wall.frame_b -- boom.frame_b]
initial: {{solve: static}}
""").evaluate()
    assert values["s.V_z"] == pytest.approx(w * 1.5, rel=1e-6)
    assert values["s.M_y"] == pytest.approx(w * 1.5**2 / 2, rel=1e-6)


def test_a_girder_on_two_supports() -> None:
    """A closed loop: M = -(P l/4 + w l^2/8) in the middle, and 3/4 of the uniform part at the quarter."""
    values = luff.compile(luff.load(LIBRARY / "bridge_crane_hoist.yaml")).evaluate()
    P, A = 1200 * 9.81, 0.4 * 0.8 - 0.382 * 0.782
    w = 7850 * A * 9.81
    # the girder's deflection of some millimetres turns its sections by 1e-3
    assert values["middle.M_y"] == pytest.approx(-(P * 16 / 4 + w * 16**2 / 8), rel=1e-4)
    assert values["quarter.M_y"] == pytest.approx(-(P * 16 / 8 + 0.75 * w * 16**2 / 8), rel=1e-4)


def test_batches_and_counts_are_those_of_single_runs() -> None:
    text = """
luff: 1
blocks:
  hinge: {type: revolute, axis: y, initial: {position: 0.3}}
  boom: {type: rigid_link, mass: 20, com: [1, 0, 0], inertia: [0, 7, 7], frame_b: {at: [2, 0, 0]}}
  s: {type: section_sensor, of: boom, at: 0.5, section: {shape: box, width: 0.1, height: 0.1, thickness: 0.004}}
  c: {type: rainflow, fatigue: {strength: 71 MPa}}
connect:
  - world.frame -- hinge.frame_a
  - hinge.frame_b -- boom.frame_a
  - s.stress -> c.u
simulation: {stop: 0.5, step: 1 ms, output_step: 10 ms}
"""
    positions = [0.1, 0.3, 0.9]
    many = luff.batch(luff.compile(luff.loads(text)), {"hinge.initial.position": positions})
    for k, position in enumerate(positions):
        one = luff.compile(luff.loads(text), **{"hinge.initial.position": position}).run()
        for signal in ("s.M_y", "s.von_mises", "c.damage[0]", "c.cycles[3]"):
            np.testing.assert_array_equal(np.asarray(many[signal])[k], one[signal])
    assert np.asarray(many["c.damage[0]"]).max() > 0.0


def test_a_cantilever_in_resonance() -> None:
    """Root moment per tip force against the exact beam with a complex stiffness E (1 + i w b)."""
    E, I, A, l, rho, ratio = 2.1e11, 0.04 * 0.06**3 / 12, 0.04 * 0.06, 3.0, 7850.0, 0.02
    sim = plain(f"""
luff: 1
blocks:
  world: {{gravity: [0, 0, 0]}}
  boom:
    type: rfem_link
    length: {l}
    divisions: 16
    damping: {{ratio: {ratio}}}
    section: {{shape: rectangle, width: 0.04, height: 0.06}}
  push: {{type: applied_force}}
  f: {{type: constant, value: [0, 0, 0]}}
  s: {{type: section_sensor, of: boom}}
  m: {{type: section_sensor, of: boom, at: 1.3}}
connect:
  - world.frame -- boom.frame_a
  - boom.frame_b -- push.frame_b
  - f.y -> push.force
""")
    omega = (1.8751040687119611 / l) ** 2 * math.sqrt(E * 0.06 * 0.04**3 / 12 / (rho * A))
    beta = 2 * ratio / omega  # `ratio` is of the first mode of all, which bends the weak way
    strong = (1.8751040687119611 / l) ** 2 * math.sqrt(E * I / (rho * A))
    frequencies = np.linspace(0.97, 1.03, 61) * strong
    # the same circular frequencies for both; 16 divisions move the resonance by less than 0.3 %
    response = luff.linearise(sim, inputs=["push.force[2]"], outputs=["s.M_y", "m.M_y"]).bode(frequencies)
    exact = np.array(
        [root_moment(w, E * I * (1 + 1j * w * beta), rho * A, l, (0.0, 1.3)) for w in frequencies]
    )
    for k in (0, 1):
        peak, wanted = response.magnitude[:, k, 0].max(), abs(exact[:, k]).max()
        assert peak == pytest.approx(wanted, rel=0.01)


def root_moment(w: float, EI: complex, line: float, l: float, places: tuple[float, ...]) -> list[complex]:
    """Bending moments of a clamped beam under a unit force at its tip, from EI w'''' = line w^2 w."""
    k = (line * w * w / EI) ** 0.25
    shapes = [
        lambda x, d: [np.cosh, np.sinh][d % 2](k * x) * k**d,
        lambda x, d: [np.sinh, np.cosh][d % 2](k * x) * k**d,
        lambda x, d: [np.cos, lambda y: -np.sin(y), lambda y: -np.cos(y), np.sin][d % 4](k * x) * k**d,
        lambda x, d: [np.sin, np.cos, lambda y: -np.sin(y), lambda y: -np.cos(y)][d % 4](k * x) * k**d,
    ]
    system = np.array(
        [
            [f(0.0, 0) for f in shapes],
            [f(0.0, 1) for f in shapes],
            [f(l, 2) for f in shapes],
            [f(l, 3) for f in shapes],
        ]
    )
    c = np.linalg.solve(system, np.array([0.0, 0.0, 0.0, -1.0 / EI]))
    return [EI * sum(a * f(x, 2) for a, f in zip(c, shapes, strict=True)) for x in places]


# --- what the mass of a rigid link is between its frames ------------------------------------------------------------


def test_pieces_add_up_to_the_link() -> None:
    mass, com, inertia = 12.0, (0.9, 0.2, -0.1), (1.5, 5.0, 5.5, 0.3, -0.2, 0.1)
    line = line_to((1.0, 0.5, 2.0))
    stations = [Station("a", 0.4), Station("b", 1.0), Station("c", 1.7)]
    found = station_bodies(mass, com, inertia, line, stations)
    total = lump_mass(mass, com, inertia)
    frames = {"frame_a": (np.zeros(3), np.eye(3))} | {
        s.joint: (line.point(s.at), line.axes) for s in stations
    }
    m, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for body in found:
        p, R = frames[body.frame]
        J = R @ inertia_matrix(body.inertia) @ R.T
        c = p + R @ np.array(body.com)
        m, first = m + body.mass, first + body.mass * c
        second = second + 0.5 * np.trace(J) * np.eye(3) - J + body.mass * np.outer(c, c)
    assert m == pytest.approx(mass, rel=1e-14)
    np.testing.assert_allclose(first, total.first, atol=1e-13)
    np.testing.assert_allclose(second, total.second, atol=1e-12)


@pytest.mark.parametrize(("at", "wanted"), [(0.0, 3.0), (0.99, 3.0), (1.01, 0.0), (2.0, 0.0)])
def test_a_point_mass_is_on_one_side(at: float, wanted: float) -> None:
    assert mass_beyond(3.0, (1.0, 0.0, 0.0), (0.0,) * 6, line_to((2.0, 0.0, 0.0)), at).mass == wanted


@pytest.mark.parametrize("at", [0.3, 1.5])
def test_a_uniform_bar_is_divided_as_its_integrals_say(at: float) -> None:
    """4 kg of 0.1 by 0.2 m from 0.5 to 2.5 m of a link of 3 m: it begins behind the first station."""
    m, l, b, h = 4.0, 2.0, 0.1, 0.2
    inertia = m / 12 * (b**2 + h**2), m / 12 * (l**2 + h**2), m / 12 * (l**2 + b**2), 0.0, 0.0, 0.0
    pieces = mass_beyond(m, (1.5, 0.0, 0.0), inertia, line_to((3.0, 0.0, 0.0)), at)
    begin = max(at, 0.5)
    part = m * (2.5 - begin) / l
    assert pieces.mass == pytest.approx(part, rel=1e-12)
    np.testing.assert_allclose(pieces.first, [part * (2.5 + begin) / 2, 0, 0], atol=1e-12)
    second = [m / l * (2.5**3 - begin**3) / 3, part * b**2 / 12, part * h**2 / 12]
    np.testing.assert_allclose(pieces.second, np.diag(second), atol=1e-12)


def test_mass_beyond_a_station_as_given() -> None:
    """A jib of two tubes, the outer one of 3 kg with its com at 1.5 m, whatever the inertia of the whole."""
    text = """
luff: 1
blocks:
  jib: {type: rigid_link, mass: 10, com: [0.8, 0, 0], inertia: [0, 9, 9], frame_b: {at: [2, 0, 0]}}
  s: {type: section_sensor, of: jib, at: 1, beyond: {mass: 3, com: [1.5, 0, 0]}}
connect: [world.frame -- jib.frame_a]
"""
    values = plain(text).evaluate()
    assert values["s.V_z"] == pytest.approx(-3 * 9.81, rel=1e-12)
    assert values["s.M_y"] == pytest.approx(3 * 9.81 * 0.5, rel=1e-12)
    with pytest.raises(luff.LuffError, match=r"beyond this station lie 30 kg, and 10 kg"):
        plain(text.replace("mass: 3,", "mass: 30,"))


# --- stresses at points ----------------------------------------------------------------------------------------------


def at_points(of: Section, **loads: float) -> dict[str, tuple[float, float]]:
    """Normal and shear stress by the name of the point."""
    N, V_y, V_z, T, M_y, M_z = (loads.get(name, 0.0) for name in LOADS)
    found = {}
    points = points_of(of)
    for point, r in zip(points, np.reshape(rows(points, of.constants()), (-1, 7)), strict=True):
        found[point.name] = normal_stress(0, r, N, M_y, M_z), shear_stress(0, r, V_y, V_z, T)
    return found


def make_section(**sizes: Any) -> Section:
    """A section as a netlist would make it."""
    text = ", ".join(f"{name}: {value}" for name, value in sizes.items())
    diagram = luff.loads(
        f"luff: 1\nblocks: {{b: {{type: rfem_link, length: 1, section: {{{text}}}}}}}\n"
        "connect: [world.frame -- b.frame_a]\n"
    )
    return luff.compile(diagram).program.flat.blocks["b"].section  # type: ignore[attr-defined]


@pytest.mark.parametrize(("ratio", "long"), [(1.0, 0.208), (2.0, 0.246), (10.0, 0.312)])
def test_torsion_of_bars_as_tabled(ratio: float, long: float) -> None:
    """Timoshenko and Goodier, art. 109: tau = T/(k2 long short^2); that of short sides is 0.743 of it at 10."""
    of = make_section(shape="rectangle", width=0.02, height=0.02 * ratio)
    found = at_points(of, T=1.0)
    wanted = 1.0 / (long * 0.02 * ratio * 0.02**2)
    assert abs(found["side y"][1]) == pytest.approx(wanted, rel=3e-3)  # the table has three digits
    # tau of the short sides over that of the long ones: 1.0, 0.796 and 0.743 (Young and Budynas, table 10.7)
    shares = {1.0: 1.0, 2.0: 0.796, 10.0: 0.743}
    assert abs(found["side z"][1]) == pytest.approx(wanted * shares[ratio], rel=5e-3)


def test_stresses_of_tube_box_and_i_by_hand() -> None:
    tube = at_points(make_section(shape="tube", diameter=0.2, thickness=0.001), N=1e4, V_z=1e3, T=1e3)
    A, J = math.pi / 4 * (0.2**2 - 0.198**2), math.pi / 32 * (0.2**4 - 0.198**4)
    assert tube["0 deg"][0] == pytest.approx(1e4 / A)
    # twice the mean shear in a thin tube, and T r/J, on the side where both run up
    assert tube["0 deg"][1] == pytest.approx(2.0 * 1e3 / A + 1e3 * 0.1 / J, rel=1e-4)
    assert tube["180 deg"][1] == pytest.approx(-2.0 * 1e3 / A + 1e3 * 0.1 / J, rel=1e-3)
    box = at_points(
        make_section(shape="box", width=0.1, height=0.2, thickness=0.005), T=1e3, M_y=2e3, M_z=1e3
    )
    I_y, I_z = (0.1 * 0.2**3 - 0.09 * 0.19**3) / 12, (0.2 * 0.1**3 - 0.19 * 0.09**3) / 12
    assert box["side y"][1] == pytest.approx(1e3 / (2 * 0.095 * 0.195 * 0.005), rel=1e-12)
    assert box["corner y z"][0] == pytest.approx(2e3 * 0.1 / I_y - 1e3 * 0.05 / I_z, rel=1e-12)
    assert box["corner -y z"][0] == pytest.approx(2e3 * 0.1 / I_y + 1e3 * 0.05 / I_z, rel=1e-12)
    i = at_points(make_section(shape="i", width=0.1, height=0.2, thickness=0.006, flange=0.01), V_z=1e4)
    mean = 1e4 / (0.006 * 0.18)
    assert i["web"][1] == pytest.approx(mean, rel=0.15)  # most of it is in the web
    assert i["web"][1] > i["web z"][1] > 0.7 * mean


def test_torsion_of_an_open_wall_adds_to_its_shear_either_way() -> None:
    """It runs up on one face and down on the other: the sign of neither matters."""
    of = make_section(shape="i", width=0.1, height=0.2, thickness=0.006, flange=0.01)
    alone, twisted = (abs(at_points(of, **loads)["web"][1]) for loads in ({"V_z": 1e4}, {"T": 20.0}))
    assert twisted > 0.0
    for V_z in (1e4, -1e4):
        both = at_points(of, V_z=V_z, T=20.0)["web"][1]
        assert both == pytest.approx(math.copysign(alone + twisted, V_z), rel=1e-12)


def test_von_mises_of_a_tube_by_hand() -> None:
    """The greatest of all points, here in the middle of their list: tension, bending and torsion."""
    of = make_section(shape="tube", diameter=0.2, thickness=0.01)
    A, J = math.pi / 4 * (0.2**2 - 0.18**2), math.pi / 32 * (0.2**4 - 0.18**4)
    recovery = rows(points_of(of), of.constants())
    stress = greatest_stress(1e5, 0.0, 0.0, 3e3, 2e4, 0.0, recovery)
    normal, shear = 1e5 / A + 2e4 * 0.1 / (J / 2), 3e3 * 0.1 / J
    assert stress == pytest.approx(math.sqrt(normal**2 + 3 * shear**2), rel=1e-12)


def test_shear_in_a_box_is_the_force() -> None:
    """The parabola through both webs' corners and middles adds up to V_z, for thin walls."""
    of = make_section(shape="box", width=0.1, height=0.2, thickness=0.0005)
    found = at_points(of, V_z=1e3)
    corner, middle = found["corner y z"][1], found["side y"][1]
    total = 2 * 0.0005 * 0.1995 * (corner + 2.0 / 3.0 * (middle - corner))
    assert total == pytest.approx(1e3, rel=5e-3)  # walls of 1/200 of the width


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sensor", "message"),
    [
        ("of: bom", 'no block.*did you mean "boom"'),
        ("of: hinge", "is a revolute, expected a rigid_link or an rfem_link"),
        ("of: boom, at: 5", "expected at most 3 m, the length of boom"),
        ("of: boom, beyond: {mass: 1}", "says by its section what lies beyond"),
        ("of: bare, allowable: 200 MPa", "found no section, and so no stresses"),
        ("of: point", "frame_a and frame_b of point coincide"),
        ("of: bare, section: {shape: box, width: 0.1}", "shape box needs width, height, thickness"),
    ],
)
def test_what_cannot_be_cut_is_told(sensor: str, message: str) -> None:
    text = f"""
luff: 1
blocks:
  hinge: {{type: revolute, axis: y}}
  boom: {{type: rfem_link, length: 3, section: {{shape: circle, diameter: 0.1}}}}
  bare: {{type: rigid_link, mass: 1, inertia: [1, 1, 1], frame_b: {{at: [1, 0, 0]}}}}
  point: {{type: rigid_link, mass: 1}}
  s: {{type: section_sensor, {sensor}}}
connect:
  - world.frame -- hinge.frame_a
  - hinge.frame_b -- boom.frame_a
  - boom.frame_b -- bare.frame_a
  - bare.frame_b -- point.frame_a
"""
    with pytest.raises(luff.LuffError, match=message):
        luff.compile(luff.loads(text))


def test_a_sensor_follows_a_renamed_link() -> None:
    diagram = luff.loads(
        "luff: 1\nblocks:\n  boom: {type: rfem_link, length: 3}\n  s: {type: section_sensor, of: boom}\n"
    )
    diagram.rename_block("boom", "jib")
    assert diagram.blocks["s"]["of"] == "jib"


def test_run_from_the_command_line(tmp_path: Path) -> None:
    """A boom inside a nested netlist is named by its path; all six loads and stresses come out as columns."""
    (tmp_path / "arm.yaml").write_text(
        "luff: 1\nports: {foot: boom.frame_a}\nblocks: {boom: {type: rfem_link, length: 2, divisions: 2, "
        "section: {shape: rectangle, width: 0.02, height: 0.03}}}\n"
    )
    (tmp_path / "crane.yaml").write_text(
        "luff: 1\nblocks:\n  arm: {type: ./arm.yaml}\n"
        "  s: {type: section_sensor, of: arm.boom, at: 0.5, allowable: 100 MPa}\n"
        "connect: [world.frame -- arm.foot]\nsimulation: {stop: 10 ms, step: 0.05 ms, output_step: 1 ms}\n"
    )
    call("run", "crane.yaml", "-o", "out.csv", "--quiet", cwd=tmp_path)
    head = (tmp_path / "out.csv").read_text().splitlines()[0]
    for name in (*LOADS, "stress[7]", "shear[0]", "von_mises", "utilisation"):
        assert f"s.{name}" in head
