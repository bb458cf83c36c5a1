"""Mechanisms whose motion is known: runs and derivatives against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.special import ellipk

import luff
from luff.tests.shared.compile_text import outputs, plain, rates

g = 9.81


def compiled(blocks: str, connect: str, simulation: str = "{stop: 1, step: 1 ms}") -> luff.Simulation:
    text = f"luff: 1\nblocks:\n{blocks}\nconnect: [{connect}]\nsimulation: {simulation}\n"
    return luff.compile(luff.loads(text))


def interpreted(blocks: str, connect: str) -> luff.Simulation:
    return plain(f"luff: 1\nblocks:\n{blocks}\nconnect: [{connect}]\n")


@pytest.mark.parametrize(("inertia", "amplitude"), [(0.0, 0.05), (0.0, 2.0), (0.3, 1.2)])
def test_pendulum_returns_after_its_exact_period(inertia: float, amplitude: float) -> None:
    m, l = 2.0, 0.7
    sim = compiled(
        f"""
  pin: {{type: revolute, axis: x, initial: {{position: {amplitude}}}}}
  bob: {{type: rigid_link, mass: {m}, com: [0, 0, -{l}], inertia: [{inertia}, 0.4, 0.4]}}""",
        "world.frame -- pin.frame_a, pin.frame_b -- bob.frame_a",
    )
    slow = math.sqrt((inertia + m * l * l) / (m * g * l))
    period = 4 * slow * ellipk(math.sin(amplitude / 2) ** 2)
    result = sim.run(stop=period, step=period / 4000)
    # RK4: error constant times (w h)^4 = 6e-12 a radian of phase
    assert result["pin.position"][-1] == pytest.approx(amplitude, abs=1e-9)
    assert result["pin.velocity"][-1] == pytest.approx(0.0, abs=1e-8)
    assert result["pin.position"][len(result.time) // 2] == pytest.approx(-amplitude, abs=1e-9)
    assert result.quality["energy"]["relative_residual"] < 1e-10


@given(st.tuples(*[st.floats(-3, 3)] * 4))
def test_double_pendulum_has_the_textbook_s_accelerations(state: tuple[float, ...]) -> None:
    m1, m2, l1, l2 = 1.3, 0.8, 0.9, 0.6
    sim = double_pendulum(m1, m2, l1, l2)
    a, b, u, w = state  # absolute angles from the downward vertical, and their rates
    found = rates(sim, np.array([a, b - a, u, w - u]))
    # m's and l's as in the textbook: (m1+m2) l1 a'' + m2 l2 b'' cos(a-b) + m2 l2 b'^2 sin(a-b) + (m1+m2) g sin a = 0
    d = a - b
    M = np.array([[(m1 + m2) * l1, m2 * l2 * math.cos(d)], [l1 * math.cos(d), l2]])
    f = [
        -m2 * l2 * w * w * math.sin(d) - (m1 + m2) * g * math.sin(a),
        l1 * u * u * math.sin(d) - g * math.sin(b),
    ]
    expected = np.linalg.solve(M, f)
    assert found["one.velocity"] == pytest.approx(expected[0], rel=1e-10, abs=1e-9)
    assert found["one.velocity"] + found["two.velocity"] == pytest.approx(expected[1], rel=1e-10, abs=1e-9)


_double: dict[tuple[float, ...], luff.Simulation] = {}


def double_pendulum(m1: float, m2: float, l1: float, l2: float) -> luff.Simulation:
    key = (m1, m2, l1, l2)
    if key not in _double:
        _double[key] = interpreted(
            f"""
  one: {{type: revolute, axis: x}}
  a: {{type: rigid_link, mass: {m1}, com: [0, 0, -{l1}], frame_b: {{at: [0, 0, -{l1}]}}}}
  two: {{type: revolute, axis: x}}
  b: {{type: rigid_link, mass: {m2}, com: [0, 0, -{l2}]}}""",
            "world.frame -- one.frame_a, one.frame_b -- a.frame_a, a.frame_b -- two.frame_a, two.frame_b -- b.frame_a",
        )
    return _double[key]


FREE_BODY = """
  float: {{type: free, initial: {{position: [1, 2, 3], velocity: [0.5, -1, 4], rotate: [[x, 0.3], [y, -0.7]],
          angular_velocity: [{spin}]}}}}
  body: {{type: rigid_link, mass: 2, com: [{com}], inertia: [0.3, 0.7, 0.5], frames: {{lug: {{at: [0.1, 0.2, -0.3]}}}}}}
"""
FREE_WIRES = "world.frame -- float.frame_a, float.frame_b -- body.frame_a"


def test_projectile_flies_a_parabola() -> None:
    sim = compiled(FREE_BODY.format(spin="1, 2, 3", com="0, 0, 0"), FREE_WIRES)
    result = sim.run(stop=1.5, step=0.01)
    t = result.time
    for k, (start, speed, fall) in enumerate([(1, 0.5, 0), (2, -1, 0), (3, 4, -g)]):
        # RK4 is exact on parabolas: rounding alone
        expected = start + speed * t + 0.5 * fall * t * t
        np.testing.assert_allclose(result[f"float.position[{k}]"], expected, atol=1e-12)


def rotation(q: np.ndarray) -> np.ndarray:
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_free_body_tumbles_by_euler_s_equations_and_keeps_its_angular_momentum() -> None:
    # about the middle axis, y once in a while and through 90 degrees of pitch many times
    I, w0 = np.array([0.3, 0.5, 0.7]), np.array([0.01, 6.0, 0.02])
    text = FREE_BODY.replace("[x, 0.3], [y, -0.7]", "[y, 0.1]").format(
        spin=", ".join(map(str, w0)), com="0, 0, 0"
    )
    text = text.replace("0.3, 0.7, 0.5]", "0.3, 0.5, 0.7]")
    result = compiled(text, FREE_WIRES).run(stop=4, step=1e-3)
    w = np.array([result[f"float.angular_velocity[{k}]"] for k in range(3)]).T
    q = np.array([result[f"float.orientation[{k}]"] for k in range(4)]).T

    euler = solve_ivp(
        lambda t, w: np.cross(I * w, w) / I,
        (0, 4),
        w0,
        t_eval=result.time,
        rtol=1e-12,
        atol=1e-13,
        method="DOP853",
    )
    # the middle axis is unstable: RK4's error of 1e-11 grows with exp(2.3 t)
    np.testing.assert_allclose(w, euler.y.T, atol=1e-6)
    assert w[:, 1].min() < -5  # it did turn over

    momentum = np.array([rotation(qq) @ (I * ww) for qq, ww in zip(q, w, strict=True)])
    np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-9 * 3.0)
    np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1.0, atol=1e-14)
    # energy: RK4 loses (w h)^5 a step, 1e-11 of 9 J a second
    np.testing.assert_allclose(np.sum(I * w * w, axis=1), np.sum(I * w0 * w0), rtol=1e-9)
    pitch = np.arcsin(np.clip(-np.array([rotation(qq)[2, 0] for qq in q]), -1, 1))
    assert pitch.max() > math.radians(89.0)


@pytest.mark.parametrize("resolve", ["world", "b"])
def test_applied_force_and_torque_move_a_free_body(resolve: str) -> None:
    force, torque = np.array([3.0, -1, 2]), np.array([0.2, 0.5, -0.4])
    blocks = FREE_BODY.format(spin="0, 0, 0", com="0.05, 0, 0.1")
    blocks += f"""
  push: {{type: applied_force, resolve: {resolve}}}
  twist: {{type: applied_torque, resolve: {resolve}}}
  f: {{type: constant, value: {force.tolist()}}}
  t: {{type: constant, value: {torque.tolist()}}}"""
    wires = (
        FREE_WIRES
        + ", body.lug -- push.frame_b, body.lug -- twist.frame_b, f.y -> push.force, t.y -> twist.torque"
    )
    sim = interpreted(blocks, wires)
    found, values = rates(sim), sim.evaluate()
    R = rotation(outputs(values, "float.orientation", 4))
    if resolve == "world":
        force, torque = R.T @ force, R.T @ torque
    # Newton and Euler about the com, body axes, from rest
    lever = np.array([0.1, 0.2, -0.3]) - [0.05, 0, 0.1]
    alpha = (torque + np.cross(lever, force)) / [0.3, 0.7, 0.5]
    a = force / 2 + R.T @ [0, 0, -g] + np.cross(alpha, -np.array([0.05, 0, 0.1]))
    spin = [found[f"float.angular_velocity[{k}]"] for k in range(3)]
    np.testing.assert_allclose(spin, alpha, rtol=1e-12)
    np.testing.assert_allclose([found[f"float.velocity[{k}]"] for k in range(3)], R @ a, rtol=1e-12)


def test_damped_spring_and_mass_decay_as_they_should() -> None:
    m, k, c, x0 = 2.0, 50.0, 1.5, 0.3
    sim = compiled(
        f"""
  slide: {{type: prismatic, axis: x, stiffness: {k}, damping: {c}, rest: 0.1, initial: {{position: {x0}}}}}
  mass: {{type: rigid_link, mass: {m}}}""",
        "world.frame -- slide.frame_a, slide.frame_b -- mass.frame_a",
    )
    result = sim.run(stop=3)
    decay = c / (2 * m)
    w = math.sqrt(k / m - decay**2)
    t = result.time
    off = (x0 - 0.1) * np.exp(-decay * t) * (np.cos(w * t) + decay / w * np.sin(w * t))
    # RK4's error (w h)^4 / 120 a radian
    np.testing.assert_allclose(result["slide.position"], 0.1 + off, atol=1e-11)
    energy = result.quality["energy"]
    lost = 0.5 * k * 0.2**2 - 0.5 * k * off[-1] ** 2 - 0.5 * m * result["slide.velocity"][-1] ** 2
    assert energy["dissipated"] == pytest.approx(lost, rel=1e-9)
    assert energy["relative_residual"] < 1e-10


def test_bead_on_a_turning_arm_flies_outwards() -> None:
    """r = r0 cosh(w t), and the drive that keeps the arm turning feels Coriolis' torque 2 m r r' w."""
    m, r0, w = 0.4, 0.2, 2.0
    sim = compiled(
        f"""
  arm: {{type: revolute, axis: z, driven: true}}
  law: {{type: ramp, slope: {w}}}
  rod: {{type: rigid_link}}
  bead: {{type: prismatic, axis: x, initial: {{position: {r0}}}}}
  mass: {{type: rigid_link, mass: {m}}}""",
        "world.frame -- arm.frame_a, arm.frame_b -- rod.frame_a, rod.frame_b -- bead.frame_a, "
        "bead.frame_b -- mass.frame_a, law.trajectory -> arm.follow",
    )
    result = sim.run(stop=1)
    r, v = r0 * np.cosh(w * result.time), r0 * w * np.sinh(w * result.time)
    # RK4's error (w h)^4 / 120
    np.testing.assert_allclose(result["bead.position"], r, rtol=1e-11)
    np.testing.assert_allclose(result["arm.required_effort"], 2 * m * r * v * w, rtol=1e-9, atol=1e-12)
    energy = result.quality["energy"]
    assert energy["constraints"] == pytest.approx(
        0.5 * m * (v[-1] ** 2 + (r[-1] * w) ** 2 - (r0 * w) ** 2), rel=1e-9
    )


def test_driven_joint_reports_the_effort_of_inverse_dynamics() -> None:
    m, l, I, c = 3.0, 0.5, 0.2, 0.7
    sim = compiled(
        f"""
  pin: {{type: revolute, axis: y, driven: true, damping: {c}}}
  law: {{type: motion_law, law: poly7, end_value: 1.2, duration: 0.8}}
  bob: {{type: rigid_link, mass: {m}, com: [0, 0, -{l}], inertia: [1, {I}, 1]}}""",
        "world.frame -- pin.frame_a, pin.frame_b -- bob.frame_a, law.y -> pin.follow",
    )
    result = sim.run(stop=1)
    q, v, a = (result[f"law.y{part}"] for part in ("", ".rate", ".acceleration"))
    np.testing.assert_array_equal(result["pin.position"], q)
    np.testing.assert_allclose(result["pin.acceleration"], a, atol=1e-12)
    effort = (I + m * l * l) * a + m * g * l * np.sin(q) + c * v
    np.testing.assert_allclose(result["pin.required_effort"], effort, rtol=1e-11, atol=1e-11)
    assert result.quality["energy"]["relative_residual"] < 1e-9


def test_smooth_limits_without_damping_keep_the_energy() -> None:
    sim = compiled(
        """
  slide: {type: prismatic, axis: x, initial: {position: 0, velocity: 1},
          limits: {lower: -0.1, upper: 0.15, stiffness: 2000, damping: 0, width: 0.01}}
  mass: {type: rigid_link, mass: 1}
  energy: {type: energy_sensor}""",
        "world.frame -- slide.frame_a, slide.frame_b -- mass.frame_a",
    )
    result = sim.run(stop=2, step=1e-4)
    assert result["slide.position"].max() > 0.16  # beyond the width, where the law changes
    assert result["slide.position"].min() < -0.11
    # the force is smooth up to its slope: RK4 falls to order 2 in the few steps that cross a kink
    np.testing.assert_allclose(result["energy.total"], 0.5, rtol=1e-7)


@pytest.mark.parametrize("start", [0.0, 0.3, 0.5, 0.8])
def test_undamped_stop_gives_back_the_speed_wherever_in_a_step_it_is_met(start: float) -> None:
    """Three times the fade-in's depth a step; depth D of the bounce from m v^2/2 = k (D^2/2 - w^2/12)."""
    m, k, w, v, h = 100.0, 1e6, 1e-3, 3.0, 1e-3
    sim = compiled(
        f"""
  slide: {{type: prismatic, axis: x, initial: {{position: {0.02 + start * v * h}, velocity: {-v}}},
          limits: {{lower: 0, stiffness: {k}, damping: 0, width: {w}}}}}
  mass: {{type: rigid_link, mass: {m}}}""",
        "world.frame -- slide.frame_a, slide.frame_b -- mass.frame_a",
    )
    result = sim.run(stop=0.08, step=h)
    assert result["slide.position"][-1] > 0.02
    # motion of 100 rad/s loses (w h)^6 / 144 a step, and a kink met within an eighth of a step some 1e-6 more
    assert result["slide.velocity"][-1] == pytest.approx(v, rel=3e-6)
    assert result.quality["energy"]["relative_residual"] < 5e-6
    depth = math.sqrt(m * v * v / k + w * w / 6.0)
    fine = sim.run(stop=0.03, step=0.01 * h, output_step=0.01 * h)["slide.position"]
    # rows 0.01 ms apart miss the turn by (w h)^2 / 8 of the depth
    assert -fine.min() == pytest.approx(depth, rel=2e-6)


def test_limits_push_with_the_documented_force() -> None:
    sim = interpreted(
        """
  slide: {type: prismatic, axis: x, limits: {lower: -1, upper: 0.5, stiffness: 1000, damping: 10, width: 0.1}}
  mass: {type: rigid_link, mass: 2}""",
        "world.frame -- slide.frame_a, slide.frame_b -- mass.frame_a",
    )

    def force(q: float, v: float) -> float:
        return 2 * rates(sim, np.array([q, v]))["slide.velocity"]

    assert force(0.5, 3.0) == 0.0
    # k s with s = d u (2 - u), u = d / width, and s = d beyond; the damper fades in with u
    assert force(0.55, 0.0) == pytest.approx(-1000 * 0.05 * 0.5 * 1.5)
    assert force(0.55, 2.0) == pytest.approx(-1000 * 0.05 * 0.5 * 1.5 - 10 * 0.5 * 2)
    assert force(0.9, 1.0) == pytest.approx(-1000 * 0.4 - 10)
    assert force(-1.4, -1.0) == pytest.approx(1000 * 0.4 + 10)
    # on the way back the damper takes away all of the push, and no more
    assert force(0.9, -39.0) == pytest.approx(-1000 * 0.4 + 390)
    assert force(0.9, -41.0) == force(0.55, -1000.0) == force(-1.4, 41.0) == 0.0


def test_bushing_keeps_the_energy_of_a_body_that_turns_far() -> None:
    blocks = (
        FREE_BODY.format(spin="3, 4, -5", com="0.1, 0, 0.2")
        + """
  mount: {type: bushing, stiffness: [100, 150, 200], rotational_stiffness: [4, 3, 5]}
  energy: {type: energy_sensor}"""
    )
    wires = FREE_WIRES + ", world.frame -- mount.frame_a, body.lug -- mount.frame_b"
    result = compiled(blocks, wires).run(stop=3, step=5e-4)
    q0 = result["float.orientation[0]"]
    assert np.abs(q0).min() < 0.3  # turned by more than 140 degrees
    total = result["energy.total"]
    # RK4 at w = 12 rad/s: (w h)^5 a step is 1e-11, six thousand steps
    np.testing.assert_allclose(total, total[0], atol=1e-8 * np.ptp(result["energy.kinetic"]))


def test_line_spring_pulls_along_its_line() -> None:
    sim = interpreted(
        """
  float: {type: free, initial: {position: [3, 0, 4], velocity: [1, 2, 2]}}
  body: {type: rigid_link, mass: 2, inertia: [1, 1, 1]}
  spring: {type: line_spring, stiffness: 10, damping: 0.5, free_length: 4}""",
        FREE_WIRES + ", world.frame -- spring.frame_a, body.frame_a -- spring.frame_b",
    )
    values, found = sim.evaluate(), rates(sim)
    assert values["spring.length"] == pytest.approx(5)
    assert values["spring.rate"] == pytest.approx((3 * 1 + 4 * 2) / 5)
    tension = 10 * 1 + 0.5 * 11 / 5
    assert values["spring.force"] == pytest.approx(tension)
    np.testing.assert_allclose(
        [found[f"float.velocity[{k}]"] for k in range(3)],
        [-tension * 0.6 / 2, 0, -tension * 0.8 / 2 - g],
        rtol=1e-12,
        atol=1e-14,
    )


ARM = "\n".join(
    f"""
  j{k}: {{type: revolute, axis: {"zyyzyzy"[k]}, initial: {{position: {0.5 * (-1) ** k}, velocity: {0.2 * k - 0.5}}}}}
  b{k}: {{type: rigid_link, mass: {4 - 0.5 * k}, com: [0.02, 0.01, -0.15], inertia: [0.05, 0.06, 0.04],
       frame_b: {{at: [0.03, 0, -0.3]}}}}"""
    for k in range(7)
)
ARM_WIRES = ", ".join(
    f"{'world.frame' if k == 0 else f'b{k - 1}.frame_b'} -- j{k}.frame_a, j{k}.frame_b -- b{k}.frame_a"
    for k in range(7)
)


def test_seven_joint_arm_keeps_its_energy_for_ten_seconds() -> None:
    sim = compiled(ARM + "\n  energy: {type: energy_sensor}", ARM_WIRES)
    result = sim.run(stop=10, step=1e-3, output_step=0.1)
    total = result["energy.total"]
    scale = max(abs(total).max(), result["energy.kinetic"].max())
    assert abs(total - total[0]).max() / scale < 1e-8
    assert result.quality["energy"]["relative_residual"] < 1e-8


@pytest.mark.parametrize("resolve", ["world", "a", "b"])
def test_frame_sensor_reports_the_derivatives_of_what_it_reports(resolve: str) -> None:
    h = 1e-4
    sim = compiled(
        ARM + f"\n  eye: {{type: frame_sensor, resolve: {resolve}}}",
        ARM_WIRES + ", b2.frame_b -- eye.frame_a, b5.frame_b -- eye.frame_b",
        f"{{stop: 0.05, step: {h}}}",
    )
    result = sim.run()
    column = lambda name: np.array([result[f"eye.{name}[{k}]"] for k in range(3)]).T  # noqa: E731
    psi, theta, phi = column("rotation").T
    R = np.array([turn(*angles) for angles in zip(psi, theta, phi, strict=True)])
    middle = slice(1, -1)
    # spin: R' R^T in a's axes, from which the others follow
    S = (R[2:] - R[:-2]) / (2 * h) @ np.transpose(R[middle], (0, 2, 1))
    spin = np.stack([S[:, 2, 1], S[:, 0, 2], S[:, 1, 0]], axis=1)
    found = column("angular_velocity")[middle]
    if resolve == "a":
        # central differences: h^2 / 6 times third derivatives of about 100
        np.testing.assert_allclose(found, spin, atol=1e-6)
        velocity = (column("position")[2:] - column("position")[:-2]) / (2 * h)
        np.testing.assert_allclose(column("velocity")[middle], velocity, atol=1e-6)
    elif resolve == "b":
        np.testing.assert_allclose(found, np.einsum("nji,nj->ni", R[middle], spin), atol=1e-6)
    else:
        np.testing.assert_allclose(np.linalg.norm(found, axis=1), np.linalg.norm(spin, axis=1), atol=1e-6)


def turn(psi: float, theta: float, phi: float) -> np.ndarray:
    from luff.blocks.geometry import rotations

    return rotations.rotation_of_turns([((0, 0, 1), psi), ((0, 1, 0), theta), ((1, 0, 0), phi)])


@pytest.mark.parametrize("theta", [90.0, -90.0, 90.0 - 1e-7])
@pytest.mark.parametrize("of", ["world", "other"])
def test_angles_of_a_frame_sensor_give_its_axes_back_where_two_of_them_lie_together(
    theta: float, of: str
) -> None:
    """At theta = 90 deg psi and phi turn about one axis: each alone is what rounding makes it, not all three."""
    turns = math.radians(37.0), math.radians(theta), math.radians(21.0)
    angles = ", ".join(f"[{axis}, {angle!r}]" for axis, angle in zip("zyx", turns, strict=True))
    blocks = f"  one: {{type: fixed, rotate: [{angles}]}}\n  eye: {{type: frame_sensor}}"
    wires = "one.frame_b -- eye.frame_b, "
    if of == "world":
        wires += "world.frame -- one.frame_a"
    else:
        blocks += "\n  two: {type: fixed, rotate: [[z, 3 rad], [x, 1 rad]]}"
        wires += "world.frame -- two.frame_a, two.frame_b -- one.frame_a, two.frame_b -- eye.frame_a"
    found = compiled(blocks, wires, "{stop: 0.01, step: 0.01}").run()["eye.rotation"][0]
    np.testing.assert_allclose(turn(*found), turn(*turns), atol=1e-14)  # a few roundings


def test_frame_sensor_against_the_world_reports_true_velocities_and_accelerations() -> None:
    h = 1e-4
    sim = compiled(
        ARM + "\n  eye: {type: frame_sensor, resolve: world}",
        ARM_WIRES + ", b5.frame_b -- eye.frame_b",
        f"{{stop: 0.05, step: {h}}}",
    )
    result = sim.run()
    for what, rate in (
        ("position", "velocity"),
        ("velocity", "acceleration"),
        ("angular_velocity", "angular_acceleration"),
    ):
        for k in range(3):
            values = result[f"eye.{what}[{k}]"]
            slope = (values[2:] - values[:-2]) / (2 * h)
            scale = max(1.0, np.abs(slope).max())
            # central differences: h^2 / 6 times derivatives that grow by about 30 each
            np.testing.assert_allclose(
                result[f"eye.{rate}[{k}]"][1:-1], slope, atol=3e-6 * scale, err_msg=rate
            )


def test_frame_sensor_of_what_falls_reports_gravity_whichever_way_it_points() -> None:
    gravity = (1.5, -2.5, -9.0)
    values = compiled(
        f"  world: {{gravity: {list(gravity)}}}\n  float: {{type: free}}\n"
        "  body: {type: rigid_link, mass: 2, inertia: [1, 2, 3], frame_b: {at: [0.3, 0.2, 0.1]}}\n"
        "  eye: {type: frame_sensor, resolve: world}",
        "world.frame -- float.frame_a, float.frame_b -- body.frame_a, body.frame_b -- eye.frame_b",
    ).evaluate()
    for k in range(3):
        assert values[f"eye.acceleration[{k}]"] == pytest.approx(gravity[k], rel=1e-13)


def test_energy_ledger_of_every_element_closes() -> None:
    from pathlib import Path

    sim = luff.compile(luff.load(Path(__file__).parents[2] / "data" / "every_joint.yaml"))
    result = sim.run(stop=1, step=5e-4)
    energy = result.quality["energy"]
    assert energy["dissipated"] > 1.0
    assert abs(energy["drives"]) > 0.1
    # the stop's law has a kink in its slope, crossed a few times
    assert energy["relative_residual"] < 1e-7
