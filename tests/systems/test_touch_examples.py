"""Models of the library in which shapes touch: gripper, ball on a beam, stack, slope, loads that are set down."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import luff
from luff.tests.conftest import PLAIN

LIBRARY = Path(luff.__file__).parent / "library"
G = 9.81


@pytest.mark.skipif(PLAIN, reason="three seconds of steps take minutes as plain Python")
@pytest.mark.parametrize(("force", "held"), [(13.0, True), (11.0, False)])
def test_jaws_hold_what_friction_bears(force: float, held: bool) -> None:
    """2 mu F against m (g + a), with the greatest acceleration of the law, 10 / sqrt(3) of way over time^2."""
    needed = 1.0 * (G + 10.0 / 3.0**0.5 * 0.3)
    assert (2.0 * 0.5 * force > 1.05 * needed) == held
    found = luff.compile(LIBRARY / "gripper.yaml", force=force).run()
    slipped = (found["hand.position"] - found["free.position"][:, 2] + 0.05).max()
    # bristles of 20 kN/m bend by at most mu F / k = 0.33 mm, and the block has sunk into the table by 0.13 mm
    assert slipped < 0.5e-3 if held else slipped > 1e-3
    if held:
        assert found["grip.friction_force"][-1] == pytest.approx(G, rel=1e-6)
        assert found["grip.normal_force"][-1] == pytest.approx(2.0 * force, rel=1e-6)


@pytest.mark.skipif(PLAIN, reason="a second of steps takes minutes as plain Python")
def test_ball_rolls_on_a_tilted_beam_by_five_sevenths() -> None:
    """The beam is held at an angle by the torque that its weight and the ball's ask for."""
    angle = 0.05
    sim = luff.compile(LIBRARY / "ball_on_beam.yaml")
    # a stiff hold by feedback, which leaves the beam at rest: weight of the ball at its place, and more
    session = sim.start(stop=1.0, x0={"pin.position": angle, "free.position[2]": 0.05 - 0.2 * angle})
    places, times = [], []
    index = sim.state_names.index
    for _ in range(1000):
        x = np.array(session.x)
        ball, q, v = x[index("free.position[0]")], x[index("pin.position")], x[index("pin.velocity")]
        torque = -0.5 * G * ball - 4e3 * (q - angle) - 150.0 * v
        session.step([torque])
        places.append(ball)
        times.append(session.time)
    late = np.array(times) > 0.2
    fit = np.polyfit(np.array(times)[late], np.array(places)[late], 2)
    # the beam gives way by some 1e-4 of 0.05 rad, and the ball is pressed in by 0.5 % of its radius
    assert 2.0 * fit[0] == pytest.approx(5.0 / 7.0 * G * np.sin(angle), rel=5e-3)


def test_ball_on_beam_is_an_environment() -> None:
    pytest.importorskip("gymnasium")
    env = luff.gym.Env(
        luff.compile(LIBRARY / "ball_on_beam.yaml"),
        actions={"torque": (-20, 20)},
        observations={"place": (-2, 2), "speed": (-5, 5), "angle": (-1, 1), "rate": (-9, 9)},
        reward=lambda y, u: -(y["place"] ** 2),
        terminated=lambda y: abs(y["place"]) > 1.0,
    )
    seen, _ = env.reset(seed=1)
    steps = 3 if PLAIN else 250
    for _ in range(steps):
        place, speed, angle, rate = (float(one) for one in seen)
        # the ball's weight on the beam, and a tilt against the place and speed of the ball
        wanted = -0.25 * place - 0.25 * speed
        torque = -0.5 * G * place - 60.0 * (angle - wanted) - 12.0 * rate
        seen, _, ended, _, _ = env.step(np.clip([torque], -20, 20))
        assert not ended
    if not PLAIN:
        assert abs(seen[0]) < 0.05
    env.close()


@pytest.mark.skipif(PLAIN, reason="forty seconds of steps take hours as plain Python")
def test_load_set_down_in_waves_stands_on_the_deck() -> None:
    found = luff.compile(LIBRARY / "set_down_in_waves.yaml").run()
    push, mass, omega = found["lands.normal_force"], 30e3, 2.0 * np.pi / 8.0
    # a peak above the weight as it lands
    assert push.max() > 1.1 * mass * G
    # the rope is slack, and the deck carries the load through its heave: on average its weight, and m w^2 z about it
    late = found.time >= 32.0 - 1e-9
    assert (found["rope.slack"][late] > 1.0).all()
    assert push[late][:-1].mean() == pytest.approx(mass * G, rel=1e-3)  # cos of 2 degrees: 6e-4
    assert np.ptp(push[late]) == pytest.approx(2.0 * mass * omega**2 * 0.5, rel=0.02)
    # friction holds at 2 degrees: it swings by 2.6 mm on the bristle, and comes back but for 2e-3 of that, which decay
    place = found["on_deck.position"]
    assert np.abs(place[late][-1] - place[late][0]).max() < 1e-5


@pytest.mark.skipif(PLAIN, reason="tens of seconds of steps take hours as plain Python")
def test_boom_in_its_rest_is_held_by_both_rods() -> None:
    """Heeled by 5 degrees and without friction, each rod bears its component of 0.6 of the weight at 10 m."""
    found = luff.compile(LIBRARY / "boom_in_rest.yaml", roll=0.0, heel="5 deg", mu=0.0).run(stop=25.0)
    assert found["rope.tension"][1] > 30e3
    assert found["rope.tension"][-1] == 0.0
    weight = 0.6 * 4000.0 * G
    # the boom lies 0.7 degrees below the horizontal, on rods 0.4 m below its axis: 7e-4
    for rod, angle in (("starboard", 50.0), ("port", 40.0)):
        force = weight * np.sin(np.radians(angle))
        assert found[f"on_{rod}.normal_force"][-1] == pytest.approx(force, rel=1e-3)
    assert abs(found["slewing.velocity"][-1]) < 1e-6


@pytest.mark.skipif(PLAIN, reason="seconds of steps take minutes as plain Python")
def test_block_against_a_hull_gives_its_momentum_to_the_ship() -> None:
    """Impulse of the first impact on a ship at rest, over m (v_after - v_before)."""
    found = luff.compile(LIBRARY / "block_against_hull.yaml", roll=0.0).run(stop=2.0, output_step=1e-3)
    touching = found["hits.normal_force"] > 0.0
    first = np.argmax(touching)
    last = first + np.argmax(~touching[first:])
    v = found["free.velocity"][:, 1]
    impulse = np.trapezoid(found["hits.force"][first - 1 : last + 1, 1], found.time[first - 1 : last + 1])
    assert 0.65 < v[first - 1] < 0.75  # it left with 0.8 m/s, and rose by 7 mm
    # the rope pulls by m g y / l of 0.5 kN across: 1 % of the impact's
    assert impulse == pytest.approx(2000.0 * (v[last] - v[first - 1]), rel=0.03)
    assert 0.0 < -v[last] < v[first - 1]


@pytest.mark.skipif(PLAIN, reason="seconds of steps take minutes as plain Python")
def test_offset_boxes_stand_above_each_other() -> None:
    found = luff.compile(LIBRARY / "stack_of_boxes.yaml").run(output_step=0.1)
    # three, two and one of a tonne, on average over what is left of their rocking
    late = found.time > 5.0
    assert found["stack.normal_force"][late].mean() == pytest.approx(6.0 * 1000.0 * G, rel=1e-3)
    place = found["free_3.position"]
    # within the rocking, which decays: no creep
    assert np.abs(place[late][:, :2] - place[-1, :2]).max() < 1e-3
    # lower by at most the sums of all roundings, and 15 mm of gaps at the start
    assert 2.5 - 5 * 0.02 < place[-1, 2] < 2.5
    energy = found["energy.total"]
    assert np.diff(energy).max() < 1e-9 * energy[0]


@pytest.mark.skipif(PLAIN, reason="seconds of steps take minutes as plain Python")
@pytest.mark.parametrize("angle", [15.0, 25.0])
def test_crate_slides_above_its_angle_of_friction_and_holds_below(angle: float) -> None:
    found = luff.compile(LIBRARY / "crate_on_slope.yaml", angle=f"{angle} deg").run(stop=4.0)
    late = found.time > 2.0
    way = found["free.position"][late, 0]
    rate = 2.0 * np.polyfit(found.time[late], way, 2)[0]
    expected = max(G * (np.sin(np.radians(angle)) - 0.3 * np.cos(np.radians(angle))), 0.0)
    # it was let go 2.5 mm too high, which rings off
    assert rate == pytest.approx(expected, abs=1e-5)
