"""Models with too few, too many, repeated or contradicting constraints: what is said, and how commands end."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import luff
from luff.cli import app
from luff.solver.kernels.model_data import PHI
from luff.solver.simulation import constraint_state
from luff.tests.shared.compile_text import plain
from luff.tests.shared.loop_cases import CRANE, FOUR_BAR, RPSUP, SLIDER_CRANK, bricard

SHORT = "simulation: {stop: 10 ms, step: 1 ms}"
RUN = "simulation: {stop: 1 s, step: 1 ms}"


def command(tmp_path: Path, text: str, *words: str, code: int = 0):
    path = tmp_path / "model.yaml"
    path.write_text(text.replace(RUN, SHORT))
    done = CliRunner().invoke(app, [words[0], str(path), *words[1:]])
    assert done.exit_code == code, done.output
    return done


# mobility by Gruebler's formula for space (6 (links - 1) - joint constraints), what moves, and what repeats
COUNTS = {
    "four-bar": (FOUR_BAR, 6 * 3 - 4 * 5, 1, 3),
    "slider-crank": (SLIDER_CRANK, 6 * 3 - 4 * 5, 1, 3),
    "bricard": (bricard(), 6 * 5 - 6 * 5, 1, 1),
    "rpsup": (RPSUP, 6 * 4 - 5 - 5 - 3 - 4 - 5, 2, 0),
    "crane": (CRANE, 6 * 5 - 5 - 5 - 4 - 5 - 3 - 4, 4, 0),
}


@pytest.mark.parametrize("name", COUNTS)
def test_freedoms_before_and_after(name: str, tmp_path: Path) -> None:
    text, gruebler, freedoms, repeated = COUNTS[name]
    found = json.loads(command(tmp_path, text, "info", "--json").stdout)
    assert found["degrees_of_freedom"] == freedoms
    assert found["coordinates"] - found["constraints"] == gruebler
    assert len(found["redundant"]) == repeated == freedoms - gruebler
    lines = command(tmp_path, text, "info").stdout
    assert f"degrees of freedom   {freedoms} of {found['coordinates']} coordinates" in lines
    assert f"constraints          {found['constraints']}" in lines


def test_redundant_constraints_are_named_by_block_and_direction(tmp_path: Path) -> None:
    done = command(tmp_path, SLIDER_CRANK, "run")
    # a flat loop in the x-y plane: nothing stops it from leaning out but what the pins do already
    for words in ("slide: over-constrains rotation about x", "rotation about y", "translation along z"):
        assert words in done.stderr
    assert "rotation about z" not in done.stderr
    assert "reactions of A, B, C, slide are not unique" in done.stderr
    assert done.stdout  # and it runs


def test_flat_loop_gets_one_warning_that_says_what_it_means(tmp_path: Path) -> None:
    done = command(tmp_path, FOUR_BAR, "run")
    warnings = [line for line in done.stderr.splitlines() if "warning" in line]
    assert len(warnings) == 1, done.stderr
    assert "D: over-constrains " in warnings[0]
    for what in ("translation along z", "rotation about x", "rotation about y"):
        assert what in warnings[0]
    assert "the motion is not affected; the reactions of A, B, C, ground, D are not unique" in warnings[0]


def test_redundant_constraints_can_be_refused(tmp_path: Path) -> None:
    text = FOUR_BAR.replace("step: 1 ms}", "step: 1 ms, constraints: {redundant: refuse}}")
    done = command(tmp_path, text, "run", code=1)
    assert "D over-constrains translation along z" in done.stderr
    assert "free a direction" in done.stderr


TRUSS = """
luff: 1
name: two bars
blocks:
  world: {gravity: [0, -9.81, 0]}
  A: {type: revolute, guess: {position: 0.9}}
  left: {type: rigid_link, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1], frame_b: {at: [1, 0, 0]}}
  top: {type: revolute, guess: {position: -1.9}}
  right: {type: rigid_link, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1], frame_b: {at: [1, 0, 0]}}
  B: {type: revolute, cut: true}
  ground: {type: fixed, at: [1.2, 0, 0]}
connect:
  - world.frame -- A.frame_a
  - A.frame_b -- left.frame_a
  - left.frame_b -- top.frame_a
  - top.frame_b -- right.frame_a
  - right.frame_b -- B.frame_b
  - world.frame -- ground.frame_a
  - ground.frame_b -- B.frame_a
simulation: {stop: 1 s, step: 1 ms}
"""


def test_a_structure_without_freedom_is_said_to_be_one_and_carries_its_load(tmp_path: Path) -> None:
    done = command(tmp_path, TRUSS, "run")
    assert "nothing moves: the constraints leave no degree of freedom" in done.stderr
    assert "degrees of freedom   0 of 2 coordinates" in command(tmp_path, TRUSS, "info").stdout
    values = plain(TRUSS).evaluate()
    # half the weight of both bars on either pin; thrust by moments about the top: m g (1/2 s) / (2 h), s = 1.2 m
    height = np.sqrt(1 - 0.6**2)
    pin = [values[f"A.constraint_force[{k}]"] for k in range(3)]
    turn = values["A.position"]
    world = [
        pin[0] * np.cos(turn) - pin[1] * np.sin(turn), pin[0] * np.sin(turn) + pin[1] * np.cos(turn)
    ]  # fmt: skip
    assert world == pytest.approx([9.81 * 0.3 / height, 9.81], rel=1e-9)


def test_a_loop_that_cannot_close_says_by_how_much(tmp_path: Path) -> None:
    text = FOUR_BAR.replace("at: [2, 0, 0]}", "at: [6, 0, 0]}")
    done = command(tmp_path, text, "run", code=1)
    # links of 1, 2.3 and 1.6 m reach 4.9 m at most, with the crank at 0.6 rad less: sqrt(5.17^2 + 0.56^2) - 3.9 m
    assert "D: the constraints cannot be closed: D (translation along" in done.stderr
    assert "check dimensions and given initial values" in done.stderr


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("at: [2, 0, 0], rotate: [[x, 3 deg]]}", "D (rotation about x) is off by 0.0523 rad"),
        ("at: [2, 0, 0.01]}", "D (translation along z) is off by 0.01 m"),
    ],
)
def test_a_loop_that_is_off_where_nothing_moves_is_told_to_look_at_its_frames(
    tmp_path: Path, change: str, words: str
) -> None:
    done = command(tmp_path, FOUR_BAR.replace("at: [2, 0, 0]}", change), "run", code=1)
    assert f"{words}, and no joint of its loop moves in that direction" in done.stderr
    assert "check `at`, `rotate` and `axis` of the frames and joints around the loop" in done.stderr


def test_joints_that_hold_what_repeats_are_named(tmp_path: Path) -> None:
    found = json.loads(command(tmp_path, FOUR_BAR, "info", "--json").stdout)["redundant"]
    assert "D over-constrains translation along z (already held by A, B, C)" in found


@pytest.mark.parametrize("size", ["1e-9", "1", "1e9"])
def test_what_holds_a_repeated_relation_is_named_in_any_unit(tmp_path: Path, size: str) -> None:
    text = f"""luff: 1
blocks:
  a: {{type: prismatic, axis: x}}
  b: {{type: prismatic, axis: z}}
  body: {{type: rigid_link, mass: 2 kg}}
  one: {{type: programmed_constraint, relation: "{size}*(x - z)"}}
  two: {{type: programmed_constraint, relation: "x - z"}}
connect: [world.frame -- a.frame_a, a.frame_b -- b.frame_a, b.frame_b -- body.frame_a, body.frame_a -- one.frame,
  body.frame_a -- two.frame]
"""
    found = json.loads(command(tmp_path, text, "info", "--json").stdout)["redundant"]
    assert [words.partition("(")[2] for words in found] == ["already held by one)"]


def test_given_velocities_that_contradict_a_loop_are_refused(tmp_path: Path) -> None:
    text = FOUR_BAR.replace(
        "{type: revolute, guess: {position: 0.3}}",
        "{type: revolute, guess: {position: 0.3}, initial: {velocity: 9}}",
    )
    done = command(tmp_path, text, "run", code=1)
    assert "given velocities contradict" in done.stderr
    assert "leave one of the given velocities open" in done.stderr


def test_given_positions_that_contradict_a_loop_are_refused(tmp_path: Path) -> None:
    text = FOUR_BAR.replace(
        "B: {type: revolute, guess: {position: 0.3}}", "B: {type: revolute, initial: {position: 0.3}}"
    )
    done = command(tmp_path, text, "run", "--json", code=1)
    found = json.loads(done.stdout)
    assert found["status"] == "error"
    assert found["problems"][0]["path"] == "D"
    assert "leave one of them open" in found["problems"][0]["fix"]


def test_a_body_that_nothing_carries_is_named(tmp_path: Path) -> None:
    done = command(
        tmp_path,
        FOUR_BAR.replace("  - world.frame -- A.frame_a\n", "").replace(
            "  - ground.frame_b -- D.frame_a\n", ""
        ),
        "run",
        code=1,
    )
    assert "rod: no chain of joints leads from the world to this block" in done.stderr


def test_a_massless_link_that_carries_only_what_floats_is_named(tmp_path: Path) -> None:
    text = """
luff: 1
blocks:
  pin: {type: revolute}
  boom: {type: rigid_link, frame_b: {at: [1, 0, 0]}}
  float: {type: free}
  buoy: {type: rigid_link, mass: 5, inertia: [1, 1, 1]}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- boom.frame_a
  - boom.frame_b -- float.frame_a
  - float.frame_b -- buoy.frame_a
"""
    done = command(tmp_path, text, "run", code=1)
    # a free joint transmits nothing: the pin would turn without any inertia
    assert "pin: found no mass on the far side of this joint" in done.stderr


@pytest.mark.parametrize("coordinates", ["quaternion", "angles"])
def test_a_massless_slide_carries_what_hangs_on_a_ball_joint(coordinates: str) -> None:
    """A ball joint transmits force: m z'' = -k z - m g of the bob straight below, let go where the spring is slack."""
    text = f"""
luff: 1
blocks:
  slide: {{type: prismatic, axis: z, stiffness: 1000}}
  ball: {{type: spherical, coordinates: {coordinates}}}
  bob: {{type: rigid_link, mass: 5, com: [0, 0, -0.3], inertia: [0.4, 0.5, 0.6]}}
connect: [world.frame -- slide.frame_a, slide.frame_b -- ball.frame_a, ball.frame_b -- bob.frame_a]
simulation: {{stop: 1 s, step: 1 ms, output_step: 10 ms}}
"""
    run = plain(text).run()
    expected = -5 * 9.81 / 1000 * (1.0 - np.cos(math.sqrt(1000 / 5) * run.time))
    # global error of rk4: (w h)^5 t / (120 h), 5e-9 of the amplitude
    np.testing.assert_allclose(run["slide.position"], expected, atol=1e-8)


def test_mismatched_link_lengths_of_a_bricard_linkage_leave_it_rigid() -> None:
    """Overconstrained mobility is a matter of geometry: with one link 1 mm longer the loop closes, but is stuck."""
    text = bricard().replace("initial: {position: 1.9, velocity: 1.5}", "guess: {position: 1.9}")
    lines = [
        line.replace("at: [1, 0", "at: [1.001, 0") if "L2:" in line else line for line in text.splitlines()
    ]
    sim = plain("\n".join(lines))
    assert sim.summary["degrees_of_freedom"] == 0


@pytest.mark.parametrize(("side", "angle"), [(1, 1.0), (-1, -2.0)])
def test_either_way_a_loop_can_stand_is_kept(side: int, angle: float) -> None:
    text = FOUR_BAR.replace(
        "B: {type: revolute, guess: {position: 0.3}}", f"B: {{type: revolute, guess: {{position: {angle}}}}}"
    )
    text = text.replace("D: {type: revolute, guess: {position: 1.5}}", "D: {type: revolute}")
    sim = plain(text)
    values = sim.evaluate()
    # C above or below the line from B to D
    b = np.array([np.cos(0.6), np.sin(0.6)])
    rod = 0.6 + values["B.position"]
    c = b + 2.3 * np.array([np.cos(rod), np.sin(rod)])
    line = np.array([2.0, 0.0]) - b
    assert np.sign(line[0] * (c - b)[1] - line[1] * (c - b)[0]) == side
    assert not [note for note in sim.notes if "guess" in note]


def test_a_start_from_another_guess_is_said() -> None:
    """From a stretched chain no step leads off its line: another start closes, either way, and a note says so."""
    text = TRUSS.replace("guess: {position: 0.9}", "guess: {position: 0}").replace(
        "guess: {position: -1.9}", "guess: {position: 0}"
    )
    sim = plain(text)
    assert abs(sim.instance.data.con[:, PHI]).max() < 1e-11
    assert [
        note for note in sim.notes if "a start near them was used: check which way the loops stand" in note
    ]


@pytest.mark.parametrize("method", ["reduced", "baumgarte", "projected"])
def test_a_closure_between_bodies_that_are_welded_anyway_changes_nothing(method: str) -> None:
    """All that it holds is held already: no constraint is left to solve for, and the pendulum swings as before."""
    pendulum = """
luff: 1
blocks:
  pin: {type: revolute, axis: y, initial: {position: 0.4, velocity: 2}}
  bob: {type: rigid_link, mass: 2, com: [0, 0, -0.7], inertia: [0.1, 0.1, 0.1], frame_b: {at: [0, 0, -1]}}
  weld: {type: fixed, at: [0.1, 0, 0]}
  tip: {type: rigid_link, mass: 1, com: [0.1, 0, 0], inertia: [0.01, 0.02, 0.02], frame_b: {at: [-0.1, 0, 0]}}
  strut: {type: spherical}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- bob.frame_a
  - bob.frame_b -- weld.frame_a
  - weld.frame_b -- tip.frame_a
"""
    held = pendulum + "  - bob.frame_b -- strut.frame_a\n  - strut.frame_b -- tip.frame_b\n"
    held += f"simulation: {{constraints: {{method: {method}}}}}\n"
    free = pendulum.replace("  strut: {type: spherical}\n", "")
    found, wanted = plain(held), plain(free)
    assert len(found.summary["redundant"]) == 3
    values = found.evaluate()
    assert values["pin.acceleration"] == pytest.approx(wanted.evaluate()["pin.acceleration"], rel=1e-12)
    # the least that the strut may carry is nothing
    assert values["strut.total_force[2]"] == pytest.approx(0.0, abs=1e-12)


def test_rounding_in_a_direction_that_cannot_move_is_no_constraint() -> None:
    """Two plates on pins that stand askew, welded to each other: pins lock, and the weld's translations say nothing.

    Seen from the pins' own crossing they are zero but for rounding, and must not be picked as independent.
    """
    text = """
luff: 1
blocks:
  base: {type: revolute, axis: [0.6, 0, 0.8], guess: {position: 0.7}}
  post: {type: rigid_link, mass: 1, com: [0.1, 0.2, 0.3], inertia: [1, 1, 1], frame_b: {at: [0.31, 0.17, -0.43]}}
  left: {type: revolute, axis: [0.48, 0.6, 0.64], stiffness: 2}
  plate: {type: rigid_link, mass: 1, com: [0.2, 0, 0], inertia: [0.1, 0.1, 0.1], EYE}
  right: {type: revolute, axis: [-0.64, 0.6, 0.48], stiffness: 3}
  other: {type: rigid_link, mass: 1, com: [0, 0.3, 0], inertia: [0.1, 0.1, 0.1], EYE}
  weld: {type: fixed}
connect:
  - world.frame -- base.frame_a
  - base.frame_b -- post.frame_a
  - post.frame_b -- left.frame_a
  - left.frame_b -- plate.frame_a
  - post.frame_b -- right.frame_a
  - right.frame_b -- other.frame_a
  - plate.eye -- weld.frame_a
  - weld.frame_b -- other.eye
"""
    text = text.replace("EYE", "frames: {eye: {at: [0.13, -0.37, 0.29], rotate: [[z, 0.3], [x, 0.9]]}}")
    for turn in np.linspace(0.0, 3.0, 7):
        sim = plain(text.replace("0.7", repr(float(turn))))
        # both pins are locked, the post turns
        assert sim.summary["degrees_of_freedom"] == 1
        assert np.isfinite(list(sim.evaluate().values())).all()
        assert not [note for note in sim.summary["redundant"] if "held by base" in note]


# equal cranks, one more than a parallelogram needs
CRANKS = """
luff: 1
name: three equal cranks
blocks:
  world: {gravity: [0, -9.81, 0]}
  A: {type: revolute, initial: {position: TURN, velocity: 2}}
  first: {type: rigid_link, mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1], frame_b: {at: [1, 0, 0]}}
  B: {type: revolute, guess: {position: -TURN}}
  coupler: {type: rigid_link, mass: 2, com: [1, 0, 0], inertia: [0.01, 0.7, 0.7], frame_b: {at: [2, 0, 0]},
    frames: {middle: {at: [0.8, 0, 0]}}}
  C: {type: revolute, guess: {position: TURN}}
  last: {type: rigid_link, mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1], frame_b: {at: [1, 0, 0]}}
  D: {type: revolute, cut: true}
  E: {type: revolute, guess: {position: TURN}}
  third: {type: rigid_link, mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1], frame_b: {at: [1, 0, 0]}}
  F: {type: revolute, cut: true}
  right: {type: fixed, at: [2, 0, 0]}
  between: {type: fixed, at: [0.8, 0, 0]}
connect:
  - world.frame -- A.frame_a
  - A.frame_b -- first.frame_a
  - first.frame_b -- B.frame_a
  - B.frame_b -- coupler.frame_a
  - coupler.frame_b -- C.frame_a
  - C.frame_b -- last.frame_b
  - world.frame -- right.frame_a
  - right.frame_b -- D.frame_a
  - D.frame_b -- last.frame_a
  - world.frame -- between.frame_a
  - between.frame_b -- E.frame_a
  - E.frame_b -- third.frame_a
  - third.frame_b -- F.frame_a
  - F.frame_b -- coupler.middle
simulation: {stop: 1 s, step: 1 ms}
"""


def test_a_crank_more_than_needed_turns_with_the_others() -> None:
    """Redundant in its own plane, for all positions: the coupler only shifts, and the cranks swing as one pendulum."""
    sim = plain(CRANKS.replace("TURN", "0.7"))
    assert sim.summary["degrees_of_freedom"] == 1
    # out of the plane three of each loop; and in it one, since a third crank says nothing new
    assert len(sim.summary["redundant"]) == 7
    inertia = 3 * (0.1 + 1 * 0.25) + 2
    pull = -9.81 * np.cos(0.7) * (3 * 0.5 + 2)
    assert sim.evaluate()["A.acceleration"] == pytest.approx(pull / inertia, rel=1e-9)


@pytest.mark.parametrize("method", ["reduced", "baumgarte", "projected"])
def test_links_that_start_in_one_line_are_not_taken_for_redundant(method: str, tmp_path: Path) -> None:
    """There the loop has a freedom too many, and would open by metres once it moved."""
    text = CRANKS.replace("step: 1 ms}", f"step: 1 ms, constraints: {{method: {method}}}}}")
    done = command(tmp_path, text.replace("TURN", "0"), "run", code=1)
    assert "a singular start: translation along" in done.stderr
    assert "follows from the other constraints here, but not in neighbouring positions" in done.stderr
    assert "a start a little off this position" in done.stderr
    command(tmp_path, text.replace("TURN", "0.01"), "run")


def test_a_stretched_truss_does_not_pass_for_a_mechanism(tmp_path: Path) -> None:
    """Two bars in line give way by nothing but the square of a step: no freedom, though the rank says so."""
    text = TRUSS.replace("at: [1.2, 0, 0]", "at: [2, 0, 0]").replace(
        "guess: {position: 0.9}", "guess: {position: 0}"
    )
    done = command(tmp_path, text.replace("guess: {position: -1.9}", "guess: {position: 0}"), "run", code=1)
    assert "B: a singular start: translation along x" in done.stderr


IN_A_ROW = """
luff: 1
blocks:
  one: {type: revolute, axis: y}
  a: {type: rigid_link, frame_b: {at: [0.3, 0, 0]}}
  two: {type: TWO}
  k: {type: rigid_link, mass: 1, com: [0.2, 0.1, 0.3], inertia: [1, 1, 1]}
connect:
  - world.frame -- one.frame_a
  - one.frame_b -- a.frame_a
  - a.frame_b -- two.frame_a
  - two.frame_b -- k.frame_a
"""


@pytest.mark.parametrize(
    "two",
    [
        "revolute, axis: y",  # beside the first
        "revolute, axis: z",
        "universal, axis_a: y, axis_b: z",
        "spherical",
        "prismatic, axis: x",
        "prismatic, axis: y",
    ],
)
def test_joints_with_no_mass_between_them_move_in_ways_of_their_own(two: str) -> None:
    sim = luff.compile(luff.loads(IN_A_ROW.replace("TWO", two)))
    assert np.isfinite(sim.derivative(0.0, sim.x0)).all()


def test_two_joints_about_one_axis_need_a_mass_between_them() -> None:
    """Else the mass matrix is singular everywhere, and rounding alone would say how they share the motion."""
    netlist = IN_A_ROW.replace("TWO", "revolute, axis: y").replace("0.3, 0, 0]}", "0, 0.3, 0]}")
    with pytest.raises(luff.CompileError, match="two: moves what it carries as one can"):
        luff.compile(luff.loads(netlist))
    massive = netlist.replace("frame_b: {at", "mass: 1, inertia: [1, 1, 1], frame_b: {at")
    for text in (massive, netlist.replace("axis: y}", "axis: y, armature: 0.1}")):  # or the rotor of a motor
        sim = luff.compile(luff.loads(text))
        assert np.abs(sim.derivative(0.0, sim.x0)).max() < 20.0


def test_a_massless_motion_of_many_coordinates_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mass of all differences alone: the motion of all together, each with a share of 1 / sqrt(n), moves none."""
    n = 400
    mass = np.eye(n) - np.ones((n, n)) / n
    monkeypatch.setattr(constraint_state, "scaled_mass", lambda *_: (np.arange(n), mass, np.zeros((0, 0))))
    names = [f"joint_{k}.velocity" for k in range(n)]
    one: Any = SimpleNamespace(mechanism=SimpleNamespace(rate_names=lambda: names))
    model: Any = SimpleNamespace(topo=np.zeros((n, 6)))
    assert constraint_state.idle(one, model, model) == names
