"""Motion in a plane against the same models in space, and the loads that the plane holds against closed forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import luff
from luff.blocks.errors import LuffError
from luff.tests.process import call
from luff.tests.shared.compile_text import plain

LIBRARY = Path(__file__).parents[2] / "library"
# the same sums in another order: some thousand roundings, grown by the stiffness of what bends
SAME = 1e-8


def both(path: Path, stop: float, normal: str) -> tuple[luff.Result, luff.Result]:
    """Runs of a model in space and in the plane across an axis."""
    results = [luff.compile(path, set={"world.planar": planar}).run(stop=stop) for planar in (False, normal)]
    return results[0], results[1]


def furthest(space: luff.Result, plane: luff.Result) -> tuple[float, str]:
    """Largest deviation of a signal in shares of its largest value, or of 1 in its unit where it is smaller."""
    shared = [name for name in space if name in plane]
    worst = (
        (
            float(
                abs(np.asarray(space[name]) - plane[name]).max()
                / max(abs(np.asarray(space[name])).max(), 1.0)
            ),
            name,
        )
        for name in shared
    )
    return max(worst)


CHAIN = """
luff: 1
blocks:
  world: {{gravity: {gravity}}}
  place: {{type: fixed, rotate: [[z, {turned}]]}}
  hinge: {{type: revolute, axis: {axis}, damping: 20, initial: {{position: {a}, velocity: {b}}}}}
  boom:
    type: rfem_link
    length: 4
    divisions: {divisions}
    section: {{shape: box, width: 0.1, height: 0.15, thickness: 0.005}}
    twist: {twist}
    shear: {shear}
    damping: {{ratio: [0.02, 0.03]}}
  ball: {{type: {ball}, damping: 1, initial: {{{angle}: {c}}}}}
  load: {{type: rigid_link, mass: {mass}, com: [{com}], inertia: [10, 12, 8]}}
  line: {{type: line_spring, stiffness: 2 kN/m, damping: 50, free_length: 3}}
  fly:
    type: free
    initial: {{position: [{d}, {e}, {f}], velocity: [{g}], rotate: [[{axis}, {a}]], angular_velocity: [{spin}]}}
  stone: {{type: rigid_link, mass: 5, inertia: [1, 2, 3], com: [{com}]}}
connect:
  - world.frame -- place.frame_a
  - place.frame_b -- hinge.frame_a
  - hinge.frame_b -- boom.frame_a
  - boom.frame_b -- ball.frame_a
  - ball.frame_b -- load.frame_a
  - place.frame_b -- fly.frame_a
  - fly.frame_b -- stone.frame_a
  - load.frame_b -- line.frame_a
  - stone.frame_a -- line.frame_b
simulation: {{stop: 0.3 s, step: 0.1 ms, output_step: 10 ms}}
"""


def drawn_chain(rng: np.random.Generator, axis: str) -> str:
    """A boom that bends, a load on a ball or a Hooke joint, and a stone that floats beside it, tied to the load."""
    x, up = {"y": (0, 2), "z": (0, 1)}[axis]
    a, b, c, d, e, f = rng.uniform(-0.6, 0.6, 6).round(3).tolist()

    def vector(first: float, second: float, across: float = 0.0) -> str:
        entries = [across] * 3
        entries[x], entries[up] = first, second
        return ", ".join(map(str, entries))

    across = 3 - x - up
    place, spin = [d, e, f], [0.0, 0.0, 0.0]
    place[across], spin[across] = 0.0, round(float(rng.uniform(-2.0, 2.0)), 3)
    gravity = [0.0, 0.0, 0.0]
    gravity[up] = -9.81
    ball = str(rng.choice(["spherical", "universal"])) if axis == "y" else "spherical"
    return CHAIN.format(
        gravity=gravity,
        turned="180 deg" if rng.random() < 0.5 else "0 deg",
        axis=axis,
        a=a,
        b=b,
        c=c,
        d=place[0],
        e=place[1],
        f=place[2],
        g=vector(b, a),
        spin=", ".join(map(str, spin)),
        divisions=int(rng.integers(1, 5)),
        twist=rng.choice(["middle", "papers"]),
        shear=str(bool(rng.random() < 0.5)).lower(),
        ball=ball,
        angle={"spherical": "theta" if axis == "y" else "psi", "universal": "beta"}[ball],
        mass=round(float(rng.uniform(20.0, 60.0)), 2),
        com=vector(0.2, -0.4),
    )


@pytest.mark.parametrize("axis", ["y", "z"])
def test_models_by_chance_move_in_the_plane_as_in_space(axis: str, seed: int) -> None:
    rng = np.random.default_rng([seed, ord(axis)])
    for _ in range(4):
        text = drawn_chain(rng, axis)
        space = plain(text)
        plane = plain(text.replace("world: {", f"world: {{planar: {axis}, "))
        assert len(plane.state_names) < 0.55 * len(space.state_names)
        results = space.run(), plane.run()
        assert results[1].status == "finished"
        assert {*results[0]} <= {*results[1]}
        assert furthest(*results) < (SAME, ""), text
        assert np.max(results[1]["world.held_share"]) < 1e-12
        assert not any("plane" in remark.message for remark in results[1].remarks)


@pytest.mark.parametrize(
    ("model", "normal", "stop"),
    [("excavator", "y", 0.3), ("luffing_circuit", "x", 0.3), ("tandem_lift", "y", 0.5)],
)
def test_library_models_move_in_the_plane_as_in_space(model: str, normal: str, stop: float) -> None:
    space, plane = both(LIBRARY / f"{model}.yaml", stop, normal)
    # implicit steps follow matrices of differences, points of parallel faces the last digits of an attitude
    assert furthest(space, plane) < (1e-6, "")
    assert np.max(plane["world.held_share"]) == pytest.approx(0.0, abs=1e-12)
    # loops have no constraints across the plane, so none is said twice
    assert not [remark for remark in plane.remarks if "over-constrains" in remark.message]


HANGING = """
luff: 1
blocks:
  world: {planar: y}
  ball: {type: JOINT, initial: {ANGLE: 0.4}, resolve: AXES}
  bob: {type: rigid_link, mass: 2, inertia: [1, 1, 1], com: [0, 0.3, -1]}
connect:
  - world.frame -- ball.frame_a
  - ball.frame_b -- bob.frame_a
simulation: {stop: 1 ms, step: 1 ms}
"""


@pytest.mark.parametrize("axes", ["world", "a", "b"])
@pytest.mark.parametrize(("joint", "angle"), [("spherical", "theta"), ("universal", "beta")])
def test_a_load_beside_the_plane_is_told(joint: str, angle: str, axes: str) -> None:
    text = HANGING.replace("JOINT", joint).replace("ANGLE", angle).replace("AXES", axes)
    result = plain(text).run()
    # a pendulum of 2 kg, 1 m and 1 kg m^2 whose joint pulls by F = m (a - g) at 0.3 m from the bob
    sin, cos = np.sin(0.4), np.cos(0.4)
    alpha = -2.0 * 9.81 * sin / (1.0 + 2.0)
    x, z = 2.0 * -alpha * cos, 2.0 * (alpha * sin + 9.81)
    # a ball is held about z of frame_a (psi) and x of frame_b (phi), a Hooke joint about x of frame_a (alpha)
    arms = [x, sin * x + cos * z] if joint == "spherical" else [z]
    expected = 0.3 * abs(np.array(arms)).max()
    assert result["world.held_torque"][0] == pytest.approx(expected, rel=1e-9)
    assert any("its plane holds up to" in remark.message for remark in result.remarks)


def test_a_force_across_the_plane_is_told() -> None:
    text = """
luff: 1
blocks:
  world: {planar: y, gravity: [0, 0, 0]}
  free: {type: free}
  stone: {type: rigid_link, mass: 5, inertia: [1, 2, 3]}
  push: {type: applied_force}
  value: {type: constant, value: [0, 7, 2]}
connect:
  - world.frame -- free.frame_a
  - free.frame_b -- stone.frame_a
  - push.frame_b -- stone.frame_a
  - value.y -> push.force
simulation: {stop: 10 ms, step: 1 ms}
"""
    result = plain(text).run()
    assert result["world.held_force"] == pytest.approx(np.full(11, 7.0), rel=1e-12)
    assert result["free.position"][-1] == pytest.approx([0.0, 0.0, 0.5 * 0.4 * 0.01**2], abs=1e-15)


def test_parameters_set_in_a_session_are_those_of_a_new_model(seed: int) -> None:
    text = drawn_chain(np.random.default_rng(seed), "y").replace("world: {", "world: {planar: y, ")
    sim = plain(text)
    sim.run(stop=0.01)
    changes = {"load.mass": 31.0, "boom.damping.ratio": [0.05, 0.1], "fly.initial.rotate": [["y", 0.2]]}
    for path, value in changes.items():
        sim.set(path, value)
    anew = luff.compile(luff.loads(text), set=changes)
    assert furthest(sim.run(stop=0.05), anew.run(stop=0.05)) == (
        0.0,
        furthest(anew.run(stop=0.05), anew.run(stop=0.05))[1],
    )


SUSPENDED = """
luff: 1
blocks:
  world: {planar: y}
  rail: {type: prismatic, axis: x}
  cart: {type: rigid_link, mass: 3, frame_b: {at: [0, 0, -0.5]}}
  ball: {type: spherical, initial: {theta: 0.4}}
  bob: {type: rigid_link, mass: 2, inertia: [1, 1, 1], com: [0, 0.3, -1]}
  push: {type: applied_force}
  value: {type: constant, value: [0, 7, 2]}
connect:
  - world.frame -- rail.frame_a
  - rail.frame_b -- cart.frame_a
  - cart.frame_b -- ball.frame_a
  - ball.frame_b -- bob.frame_a
  - push.frame_b -- bob.frame_a
  - value.y -> push.force
simulation: {stop: 10 ms, step: 1 ms}
"""


@pytest.mark.parametrize(
    "changes", [{"bob.mass": 70.0}, {"cart.frame_b.at": [0, 0, -9]}, {"world.gravity": [0, 0, -2]}]
)
def test_the_share_of_the_load_follows_what_is_set(changes: dict[str, object]) -> None:
    sim = plain(SUSPENDED)
    before = sim.run()["world.held_share"]
    sim.set(changes)
    anew = luff.compile(luff.loads(SUSPENDED), set=changes)
    share = anew.run()["world.held_share"]
    assert (share != before).any()
    np.testing.assert_array_equal(sim.run()["world.held_share"], share)


def test_runs_in_lanes_are_those_of_single_runs(seed: int) -> None:
    text = drawn_chain(np.random.default_rng([seed, 1]), "y").replace("world: {", "world: {planar: y, ")
    masses = [20.0, 30.0, 40.0, 50.0, 60.0]
    together, apart = (
        luff.batch(plain(text), {"load.mass": masses}, "*", stop=0.05, lanes=lanes, threads=1)
        for lanes in (True, False)
    )
    assert together.status == ["finished"] * 5
    np.testing.assert_array_equal(together.table, apart.table)


MISTAKES = {
    "gravity": ("world: {planar: x, gravity: [1, 0, 0]}", "gravity leaves the plane"),
    "revolute": ("world: {planar: y}\n  j: {type: revolute, axis: z}", "it moves out of the plane"),
    "oblique": (
        "world: {planar: y}\n  j: {type: revolute, axis: [0, 1, 1]}",
        "its turn position is oblique to the plane",
    ),
    "start": (
        "world: {planar: y}\n  j: {type: free, initial: {velocity: [0, 1, 0]}}",
        "its slide position[1] starts at a rate out of the plane",
    ),
    "spin": (
        "world: {planar: y}\n  j: {type: free, initial: {angular_velocity: [1, 0, 0]}}",
        "it starts to turn out of the plane",
    ),
    "quaternion": (
        "world: {planar: y}\n  j: {type: spherical, coordinates: quaternion}",
        "its orientation has one angle in the plane",
    ),
    "universal": ("world: {planar: z}\n  j: {type: universal}", "it cannot move in the plane"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_cannot_move_in_the_plane_is_refused(mistake: str) -> None:
    world, words = MISTAKES[mistake]
    joint = "" if "j:" in world else "\n  j: {type: free}"
    gravity = "" if "gravity" in world else "world: {gravity: [0, 0, 0], "
    text = f"""
luff: 1
blocks:
  {world.replace("world: {", gravity) if gravity else world}{joint}
  stone: {{type: rigid_link, mass: 5, inertia: [1, 2, 3]}}
connect: [world.frame -- j.frame_a, j.frame_b -- stone.frame_a]
"""
    with pytest.raises(LuffError, match=words.replace("[", r"\[")) as raised:
        plain(text)
    (problem,) = raised.value.problems
    assert problem.fix
    assert problem.path.partition(".")[0] in {"j", "world"}


def test_a_prescribed_motion_out_of_the_plane_is_refused() -> None:
    with pytest.raises(LuffError, match="is prescribed, out of the plane"):
        luff.compile(LIBRARY / "container_in_guides.yaml", set={"world.planar": "y"})


def test_a_loop_across_the_plane_is_refused() -> None:
    text = """
luff: 1
blocks:
  world: {planar: y}
  a: {type: revolute, axis: y}
  bar: {type: rigid_link, frame_b: {at: [1, 0, 0]}, mass: 1, inertia: [1, 1, 1]}
  b: {type: revolute, axis: y}
  there: {type: fixed, at: [1, 0, 0], rotate: [[z, 90 deg]]}
connect:
  - world.frame -- a.frame_a
  - a.frame_b -- bar.frame_a
  - world.frame -- there.frame_a
  - bar.frame_b -- b.frame_a
  - there.frame_b -- b.frame_b
"""
    with pytest.raises(LuffError, match="does not lie in the plane"):
        plain(text)


def test_a_command_tells_what_the_plane_holds(tmp_path: Path) -> None:
    path = tmp_path / "crane.yaml"
    path.write_text(HANGING.replace("JOINT", "spherical").replace("ANGLE", "theta").replace("AXES", "b"))
    done = call("run", path, cwd=tmp_path)
    assert done.returncode == 0
    assert "world: its plane holds up to" in done.stderr
    space = call("run", path, "--set", "world.planar=false", cwd=tmp_path)
    assert space.returncode == 0
    assert "plane" not in space.stderr


def test_a_moment_rolls_a_beam_up_to_two_turns() -> None:
    # constant curvature M/EI (Euler): n springs of n EI/l turn by M l/(n EI) each
    n, moment = 32, 4.0 * np.pi * 2e5 / 10.0
    report = plain(f"""
luff: 1
blocks:
  world: {{planar: y, gravity: [0, 0, 0]}}
  beam: {{type: rfem_link, length: 10, divisions: {n}, section: {{A: 0.01, I_y: 1e-6, I_z: 1e-6, J: 2e-6}}, E: 2e11}}
  push: {{type: applied_torque}}
  moment: {{type: constant, value: [0, {moment}, 0]}}
connect:
  - world.frame -- beam.frame_a
  - push.frame_b -- beam.frame_b
  - moment.y -> push.torque
""").static()
    turns = [report["positions"][f"beam.theta[{k}]"] for k in range(n)]
    assert turns == pytest.approx(np.full(n, 4.0 * np.pi / n), rel=1e-9)
    assert not [*report["neutral"], *report["unstable"], *report["undecided"]]
