"""Shapes that roll, spin and stack, and containers in guides: closed forms, momentum and energy."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.kernels import model_data as f
from luff.tests.systems.test_touch import ENERGY, GROUND, G, body, box, compiled


def ball(name: str, mass: float, radius: float, start: str) -> tuple[str, str]:
    moment = 0.4 * mass * radius**2
    return body(name, mass, f"{{kind: sphere, size: {2 * radius}}}", [moment] * 3, start)


def disc(
    name: str, mass: float, radius: float, length: float, start: str, rounding: float
) -> tuple[str, str]:
    """Homogeneous cylinder about its z axis."""
    across = mass * (3.0 * radius**2 + length**2) / 12.0
    shape = f"{{kind: cylinder, size: [{2 * radius}, {length}], round: {rounding}}}"
    return body(name, mass, shape, [across, across, mass * radius**2 / 2.0], start)


@pytest.mark.parametrize("floor", ["plane", "box"])
def test_cylinder_rolls_down_a_slope_at_two_thirds_of_its_fall(floor: str) -> None:
    mass, radius, degrees = 500.0, 0.5, 10.0
    angle = math.radians(degrees)
    n, along = (
        np.array([math.sin(angle), 0, math.cos(angle)]),
        np.array([math.cos(angle), 0, -math.sin(angle)]),
    )
    sinks = mass * G * math.cos(angle) / (2.0 * 2e6)
    at = (n * (radius - sinks)).tolist()
    own, wires = disc(
        "drum", mass, radius, 0.4, f"position: {at}, rotate: [[y, {degrees} deg], [x, 90 deg]]", 0.02
    )
    shape = "kind: plane" if floor == "plane" else "kind: box, size: [60, 4, 1], round: 0.02"
    at_floor = [0, 0, 0] if floor == "plane" else (-0.5 * n).tolist()
    blocks = (
        f"{own}  slope: {{type: fixture, shape: {{{shape}, at: {at_floor}, rotate: [[y, {degrees} deg]]}}}}\n"
        "  rolls: {type: touch, of: [drum], against: [slope], friction: {mu: 0.5},"
        " law: {stiffness: 2e6, dissipation: 0.5}}"
    )
    found = compiled(blocks, wires, stop=4, step=1e-3, output_step=0.1).run()
    path = (found["drum_free.position"] - found["drum_free.position"][0]) @ along
    # the bristle bends first, and it rolls about the middle of the depth
    assert path[-1] == pytest.approx(0.5 * 2.0 / 3.0 * G * math.sin(angle) * 16.0, rel=2e-3)
    assert np.abs(found["drum_free.position"][:, 1]).max() < 1e-8
    height = found["drum_free.position"] @ n
    assert np.ptp(height) < 2e-5  # no corner is felt: eight corners of a polygon would lift it by 38 mm


def test_ball_on_a_turntable_circles_at_two_sevenths_of_its_speed() -> None:
    """Earnshaw (1844): a ball that rolls on a disc which turns at w runs in circles at 2 w / 7."""
    mass, radius, spin, stiffness = 2.0, 0.1, 3.0, 1e5
    depth = mass * G / stiffness
    left = radius - depth
    # at rest in the world at x = 0.5 it would turn with the disc below: v = w x, and its own spin rolls backwards
    speed = 0.4
    turning = f"[{0.0}, {(speed) / left}, 0]"
    own, wires = ball(
        "ball",
        mass,
        radius,
        f"position: [0, 0, {left}], velocity: [{speed}, 0, 0], angular_velocity: {turning}",
    )
    blocks = (
        f"{own}  table: {{type: platform}}\n  turns: {{type: ramp, slope: {spin}, unit: rad}}\n"
        "  top: {type: fixture, shape: {kind: plane}}\n"
        f"  rolls: {{type: touch, of: [ball], against: [top], law: {{stiffness: {stiffness}, dissipation: 2}},"
        " friction: {mu: 0.8}}"
    )
    wires += ", world.frame -- table.frame_a, table.frame_b -- top.frame, turns.trajectory -> table.yaw"
    found = compiled(blocks, wires, stop=6, step=1e-3, output_step=0.01).run()
    v = found["ball_free.velocity"]
    heading = np.unwrap(np.arctan2(v[:, 1], v[:, 0]))
    late = found.time > 0.5
    rate = np.polyfit(found.time[late], heading[late], 1)[0]
    # it rolls on what is left of its radius, at half the depth
    rolling = 1.0 / (1.0 + mass * (radius - 0.5 * depth) ** 2 / (0.4 * mass * radius**2))
    assert rate == pytest.approx(rolling * spin, rel=1e-3)
    assert rolling == pytest.approx(2.0 / 7.0, rel=2e-3)


def test_disc_on_its_end_spins_down_by_friction_at_its_rim() -> None:
    """Eight corners at 0.95 of the radius: J w' = -mu m g r_eff; `spin` makes r_eff of a uniform pressure of it."""
    mass, radius, length, mu, rounding = 200.0, 0.5, 0.3, 0.3, 0.02
    corners = radius - rounding - 0.05 * radius
    own, wires = disc(
        "disc", mass, radius, length, f"position: [0, 0, {length / 2 - mass * G / 8e6}], angular_velocity: [0, 0, 10]",
        rounding,
    )  # fmt: skip
    blocks = (
        f"{own}{GROUND}  stand: {{type: touch, of: [disc], against: [ground],"
        f" law: {{stiffness: 1e6, dissipation: 5}}, friction: {{mu: {mu}, spin: {2 / 3 * radius / corners}}}}}"
    )
    found = compiled(blocks, wires, stop=2, step=1e-3, output_step=1e-3).run()
    spin = found["disc_free.angular_velocity"][:, 2]
    stops = found.time[np.argmax(spin < 1e-2)]
    assert stops == pytest.approx(3.0 * 10.0 * radius / (4.0 * mu * G), rel=5e-3)
    assert abs(spin[-1]) < 1e-2  # the bristle swings


def test_resistance_to_rolling_stops_a_ball_after_its_way() -> None:
    """m (1 + 2/5) v v' = -m g lever / r: it stops after 0.7 v^2 r / (g lever)."""
    mass, radius, speed, lever, stiffness = 10.0, 0.2, 1.0, 0.01, 1e6
    left = radius - mass * G / stiffness
    own, wires = ball(
        "ball", mass, radius,
        f"position: [0, 0, {left}], velocity: [{speed}, 0, 0], angular_velocity: [0, {speed / left}, 0]",
    )  # fmt: skip
    blocks = (
        f"{own}{GROUND}  rolls: {{type: touch, of: [ball], against: [ground],"
        f" law: {{stiffness: {stiffness}, dissipation: 1}}, friction: {{mu: 0.5, rolling: {lever}}}}}"
    )
    found = compiled(blocks, wires, stop=5, step=1e-3, output_step=0.01).run()
    # its bristle swings to and fro by its deflection at the limit, 0.05 mm
    assert found["ball_free.position"][-1, 0] == pytest.approx(
        0.7 * speed**2 * radius / (G * lever), rel=5e-3
    )
    assert np.abs(found["ball_free.velocity"][-1]).max() < 2e-3


def test_boxes_that_collide_keep_their_momentum() -> None:
    first, wires = box("a", 100.0, (1.0, 0.8, 0.6), "position: [0, 0, 0], velocity: [1, 0, 0]", 0.05)
    turn = "rotate: [[x, 20 deg], [z, 35 deg]], angular_velocity: [0.3, -0.2, 0.5]"
    second, more = box(
        "b", 60.0, (0.7, 0.5, 0.9), f"position: [1.2, 0.1, 0.1], velocity: [-0.5, 0, 0], {turn}", 0.05
    )
    blocks = (
        f"  world: {{gravity: [0, 0, 0]}}\n{first}{second}{ENERGY}"
        "  hit: {type: touch, among: [a, b], law: {stiffness: 1e6, dissipation: 0.5}, friction: {mu: 0.4}}"
    )
    found = compiled(blocks, f"{wires}, {more}", stop=0.6, step=2.5e-4, output_step=1e-3).run()
    assert found["hit.count"].max() == 1.0
    momenta, spins = np.zeros((len(found.time), 3)), np.zeros((len(found.time), 3))
    for name, mass, (x, y, z) in (("a", 100.0, (1.0, 0.8, 0.6)), ("b", 60.0, (0.7, 0.5, 0.9))):
        own = mass * found[f"{name}_free.velocity"]
        momenta += own
        w, i, j, k = found[f"{name}_free.orientation"].T
        inertia = mass / 12.0 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
        H = found[f"{name}_free.angular_velocity"] * inertia
        q = np.stack([i, j, k], axis=1)
        t = 2.0 * np.cross(q, H)
        spins += H + w[:, None] * t + np.cross(q, t) + np.cross(found[f"{name}_free.position"], own)
    assert np.ptp(momenta, axis=0).max() < 1e-11  # rounding of 100 kg m/s
    assert np.ptp(spins, axis=0).max() < 1e-6  # order of the steps: 1e-10 of 40 J s
    energy = found["energy.total"]
    assert (energy - energy[0]).max() < 1e-9 * energy[0]
    assert energy[-1] < 0.97 * energy[0]


def test_stack_of_three_comes_to_rest_and_stays() -> None:
    blocks, wires = "", []
    for k, shift in enumerate((0.0, 0.07, 0.14)):
        start = f"position: [{shift}, {0.3 * shift}, {0.501 + 1.002 * k}], rotate: [[z, {0.1 * k} rad]]"
        own, more = box(f"box_{k}", 1000.0, (1.0, 1.0, 1.0), start, 0.02)
        blocks, wires = blocks + own, [*wires, more]
    blocks += (
        f'{GROUND}  pile: {{type: touch, among: ["box_*", ground], law: {{stiffness: 5e6, dissipation: 3}},'
    )
    blocks += " friction: {mu: 0.4}}"
    found = compiled(blocks, ", ".join(wires), stop=30, step=1e-3, output_step=0.1).run()
    assert found["pile.count"][-1] == 3.0
    late = found.time > 20.0
    for k in range(3):
        assert np.ptp(found[f"box_{k}_free.position"][late], axis=0).max() < 1e-6  # it still settles
        assert np.abs(found[f"box_{k}_free.velocity"][-1]).max() < 1e-7


def test_load_holds_on_a_deck_that_rolls_below_the_angle_of_friction() -> None:
    """Fifteen degrees, tan 0.268, and mu 0.4: four periods of 8 s move it by its bristle alone, to and fro."""
    mass, stiffness, roll = 5000.0, 1e7, math.radians(15.0)
    rate = 2.0 * math.pi / 8.0
    first = -roll
    up = [0.0, -math.sin(first) * 0.499, math.cos(first) * 0.499]
    own, wires = box("load", mass, (2.0, 2.0, 1.0), f"position: {up}, rotate: [[x, {first} rad]]", 0.02)
    blocks = (
        f"{own}  deck: {{type: platform}}\n"
        f"  sea: {{type: sine, amplitude: {roll}, frequency: {rate}, phase: {-math.pi / 2}, unit: rad}}\n"
        "  floor: {type: fixture, shape: {kind: box, size: [12, 8, 0.5], at: [0, 0, -0.25], round: 0.02}}\n"
        f"  stand: {{type: touch, of: [load], against: [floor], law: {{stiffness: {stiffness}, dissipation: 3}},"
        " friction: {mu: 0.4}}\n  seen: {type: frame_sensor}"
    )
    wires += ", world.frame -- deck.frame_a, deck.frame_b -- floor.frame, sea.trajectory -> deck.roll"
    wires += ", deck.frame_b -- seen.frame_a, load.frame_a -- seen.frame_b"
    found = compiled(blocks, wires, stop=48, step=1e-3, output_step=0.5).run()
    path = found["seen.position"]
    later, before = path[int(24 / 0.5) :], path[int(16 / 0.5) : int(-8 / 0.5)]
    # what is left of the start after two periods, and no creep
    assert np.abs(later - before).max() < 1e-9
    sway = 2.0 * mass * (G * math.sin(roll)) / stiffness
    # of the bristle alone, and what rolling adds to the weight across: r w^2 roll of 0.15 m/s^2 at half a metre
    assert np.ptp(path[int(16 / 0.5) :, 1]) == pytest.approx(sway, rel=0.2)


def test_container_slides_into_its_guides_and_stands_on_their_floor() -> None:
    """Play of 10 mm on each side, 20 t on four corners of 30 MN/m, on a deck that rolls."""
    sim = luff.compile(Path(luff.__file__).parent / "library" / "container_in_guides.yaml")
    found = sim.run(stop=32)
    place = found["place.position"] + [0.0, 0.0, 4.5]  # the deck rolls about an axis above its floor
    seated = found.time[np.argmax(place[:, 2] - 2.591 / 2.0 < 0.01)]
    assert 12.0 < seated < 18.0
    late = found.time > 20.0
    # the plates give way by no more than they touch
    assert np.abs(place[late, :2]).max() < 0.010 + found["plates.depth"][late].max()
    # after it has been let go; the roll takes 1 - cos 3 deg of its weight, and moves it
    assert 2.591 / 2.0 - place[-1, 2] == pytest.approx(20e3 * G / (4.0 * 30e6), rel=1e-2)
    assert max(found["plates.depth"].max(), found["floor.depth"].max()) < 0.025
    assert found.remarks == []


def test_energy_of_a_bristle_stays_where_shapes_part() -> None:
    """Deflections along the normal, into which a pair turns them, are stored too: in touch as just out of it."""
    own, wires = ball("ball", 2.0, 0.1, "position: [0, 0, 0.1]")
    rubs = "friction: {mu: 0.3, rolling: 5 mm}, law: {stiffness: 1e5, dissipation: 1}"
    sim = compiled(
        f"{own}{GROUND}{ENERGY}  rolls: {{type: touch, of: [ball], against: [ground], {rubs}}}", wires
    )
    names, run = sim.state_names, sim.new_instance()
    x = np.array(sim.x0)
    bristle = [k for k, name in enumerate(names) if "bristle" in name]
    assert len(bristle) == 7  # three across, one of spin, three of rolling
    x[bristle] = 1e-4 * np.arange(1.0, 8.0)
    stored = []
    for gap in (-1e-9, 1e-9):
        x[names.index("ball_free.position[2]")] = 0.1 + gap
        run.rates(0.0, x)
        stored.append(float(run.data.element_out[0, f.STORED]))
    # but for the elastic energy of a nanometre
    assert stored[0] == pytest.approx(stored[1], rel=1e-9)
