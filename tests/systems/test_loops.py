"""Closed loops against textbook formulas, and against bodies of six freedoms with a constraint for every joint."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import luff
from luff.solver.simulation import session
from luff.tests.conftest import sized
from luff.tests.shared import loop_cases as cases
from luff.tests.shared.compile_text import outputs, plain
from luff.tests.shared.loop_cases import FLAT, SPATIAL
from luff.tests.shared.maximal_coordinates import Twin, luff_accelerations

ALL = FLAT | SPATIAL
BOOKS = {"four-bar": cases.four_bar_by_hand, "slider-crank": cases.slider_crank_by_hand}
METHODS = ("reduced", "baumgarte", "projected")


def settings(text: str, method: str, more: str = "") -> str:
    """The netlist with its own run settings replaced."""
    body = "\n".join(line for line in text.splitlines() if not line.startswith("simulation:"))
    return body + f"\nsimulation: {{stop: 1 s, step: 1 ms, constraints: {{method: {method}{more}}}}}\n"


def efforts_of(sim: luff.Simulation, values: dict[str, float]) -> dict[str, float]:
    """Springs and dampers of one-coordinate joints, from their parameters."""
    found = {}
    for name, block in sim.program.flat.blocks.items():
        if block.type_name in ("revolute", "prismatic") and f"{name}.position" in values:
            q, v = values[f"{name}.position"], values[f"{name}.velocity"]
            found[name] = -block.stiffness * (q - block.rest) - block.damping * v
    return found


def check_against_twin(sim: luff.Simulation, values: dict[str, float], unique: bool) -> None:
    """Accelerations of all bodies; and reactions of all joints where the loop is not over-constrained."""
    twin = Twin(sim)
    spin, point = luff_accelerations(sim)
    answer = twin.solve(efforts_of(sim, values))
    assert answer.unbalanced < 1e-8 * max(1.0, max(abs(x).max() for x in answer.total.values()))
    assert answer.violated < 1e-11  # poses and rates close every joint
    assert answer.mobility == sim.summary["degrees_of_freedom"]
    for found, wanted in ((spin, answer.spin), (point, answer.point)):
        scale = max(abs(a).max() for a in wanted.values())
        for body, a in found.items():
            # the twin's own least squares loses some digits
            np.testing.assert_allclose(a, wanted[body], rtol=0, atol=1e-9 * scale, err_msg=body)
    if not unique:
        return
    scale = max(abs(wrench).max() for wrench in answer.total.values())
    for joint in answer.total:
        for kind, wanted in (("total", answer.total[joint]), ("constraint", answer.constraint[joint])):
            found = np.concatenate(
                [outputs(values, f"{joint}.{kind}_{part}") for part in ("force", "torque")]
            )
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9 * scale, err_msg=f"{kind} {joint}")


@pytest.mark.parametrize("name", FLAT)
def test_flat_loops_agree_with_the_textbook_all_the_way_round(name: str) -> None:
    book = BOOKS[name]()
    sim = plain(ALL[name])
    for q in np.linspace(0.6, 0.6 + 2 * math.pi, 9):
        v = 2.0 - q
        values = sim.evaluate(0.0, [q, v])
        a = book.acceleration(q, v)
        # closure to 1e-12, times the curvature of the coupler curves
        assert values["A.acceleration"] == pytest.approx(a, rel=1e-9, abs=1e-9)
        for joint in book.coordinates:
            if f"{joint}.position" not in values:
                continue
            wanted = book.motion(joint, q, v, a)
            found = [values[f"{joint}.{part}"] for part in ("position", "velocity", "acceleration")]
            found[0] = wanted[0] + math.remainder(found[0] - wanted[0], 2 * math.pi)
            assert found == pytest.approx(wanted, rel=1e-9, abs=1e-9), joint


def test_bricard_angles_follow_the_closed_form() -> None:
    sim = plain(SPATIAL["bricard"])
    for theta in (1.2, 1.7, 1.9, 2.05):
        values = sim.evaluate(0.0, [theta, 0.7])
        partner = cases.bricard_partner(theta, -1.0)
        assert [values[f"J{k}.position"] for k in range(5)] == pytest.approx(
            [theta, partner, theta, partner, theta], abs=1e-11
        )


@pytest.mark.parametrize("name", ALL)
def test_accelerations_and_reactions_agree_with_bodies_of_six_freedoms(name: str) -> None:
    sim = plain(ALL[name])
    values = sim.evaluate()
    check_against_twin(sim, values, unique=not sim.summary["redundant"])


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("method", ["baumgarte", "projected"])
def test_other_methods_have_the_same_accelerations(name: str, method: str) -> None:
    sim = plain(settings(ALL[name], method))
    check_against_twin(sim, sim.evaluate(), unique=not sim.summary["redundant"])


# --- runs ------------------------------------------------------------------------------------------------------------

# neither crank nor rocker can turn round: each comes to a dead centre, where it cannot be the state
TRIPLE_ROCKER = (
    cases.FOUR_BAR.replace("frame_b: {at: [2.3, 0, 0]}", "frame_b: {at: [1.2, 0, 0]}")
    .replace("frame_b: {at: [1.6, 0, 0]}", "frame_b: {at: [1.1, 0, 0]}")
    .replace("at: [2, 0, 0]}", "at: [2.2, 0, 0]}")
    .replace("position: 0.6, velocity: 2.0", "position: 0.6, velocity: 6.0")
    .replace("guess: {position: 0.3}", "guess: {position: -0.5}")
)


def test_a_million_steps_keep_the_loop_closed_through_thousands_of_changes_of_state(monkeypatch) -> None:
    sim = luff.compile(luff.loads(TRIPLE_ROCKER))
    changes = []
    change = session.repartition

    def counted(*arguments) -> None:
        change(*arguments)
        changes.append(1)

    monkeypatch.setattr("luff.solver.simulation.session.repartition", counted)
    result = sim.run(stop=sized(1000.0, 4.0), output_step=sized(100.0, 1.0))
    assert result.quality["constraint_violation"] < 1e-11  # of all steps, redundant constraints included
    assert len(changes) > sized(1000, 3)
    # RK4 at 1 ms of a swing of 20 rad/s: 1e-3 of the energy over 1000 s
    assert result.quality["energy"]["relative_residual"] < 1e-2


def test_a_change_of_state_leaves_no_trace_in_the_motion() -> None:
    fine = luff.compile(luff.loads(TRIPLE_ROCKER)).run(stop=3.0, step=5e-4, output_step=1e-3)
    names = [f"{joint}.{part}" for joint in "ABC" for part in ("position", "velocity", "acceleration")]
    for name in names:
        y = fine[name]
        jump = abs(np.diff(y, 3)).max()
        # third differences of a smooth curve fall with the cube of the step, a jump would stay
        coarse = abs(np.diff(y[::2], 3)).max()
        assert coarse > 5.0 * jump, name
    # and the same with all coordinates as states
    other = luff.compile(luff.loads(settings(TRIPLE_ROCKER, "projected"))).run(
        stop=3.0, step=5e-4, output_step=1e-3
    )
    for name in ("A.position", "B.position", "C.position"):
        np.testing.assert_allclose(fine[name], other[name], atol=1e-5)  # RK4's own error differs


@pytest.mark.parametrize("method", METHODS)
def test_methods_converge_to_the_textbook_motion_at_fourth_order(method: str) -> None:
    from scipy.integrate import solve_ivp

    book = cases.four_bar_by_hand()
    stop = 0.8
    exact = solve_ivp(
        lambda t, x: [x[1], book.acceleration(x[0], x[1])],
        (0, stop),
        [0.6, 2.0],
        "DOP853",
        rtol=1e-13,
        atol=1e-13,
    ).y[:, -1]
    sim = luff.compile(luff.loads(settings(cases.FOUR_BAR, method, ", alpha: 20, beta: 20")))
    errors = []
    for step in (8e-3, 4e-3, 2e-3):
        result = sim.run(stop=stop, step=step, output_step=stop)
        errors.append(abs(result["A.position"][-1] - exact[0]))
    ratios = [one / other for one, other in itertools.pairwise(errors)]
    assert min(ratios) > 11.0, errors  # 16 in the limit
    assert errors[-1] < 1e-8


def test_the_driven_crank_asks_for_the_textbook_torque() -> None:
    text = cases.SLIDER_CRANK.replace("initial: {position: 0.7, velocity: 5.0}", "driven: true")
    text = text.replace(
        "connect:",
        "  law: {type: sine, amplitude: 2, frequency: 4.4 rad/s, unit: rad}\nconnect:\n  - law.trajectory -> A.follow",
    )
    sim = plain(text)
    assert sim.summary["degrees_of_freedom"] == 0
    assert not [note for note in sim.notes if "nothing moves" in note]
    book = cases.slider_crank_by_hand()
    w = 4.4
    for t in (0.1, 0.3, 1.1):
        values = sim.evaluate(t, [])
        q, v, a = 2 * math.sin(w * t), 2 * w * math.cos(w * t), -2 * w * w * math.sin(w * t)
        effort = book.inertia(q) * a + 0.5 * book.slope(q) * v * v + book.pull(q)
        assert values["A.required_effort"] == pytest.approx(effort, rel=1e-9, abs=1e-9)
    energy = luff.compile(luff.loads(text)).run().quality["energy"]
    assert abs(energy["constraints"]) > 1.0  # the drive's work
    assert energy["relative_residual"] < 1e-8


@pytest.mark.parametrize("cut", ["B", "C", "D"])
def test_wherever_the_loop_is_cut_it_is_the_same_mechanism(cut: str) -> None:
    text = cases.FOUR_BAR.replace(f"{cut}: {{type: revolute", f"{cut}: {{cut: true, type: revolute")
    sim = plain(text)
    assert [found.block for found in sim.program.mechanism.cuts] == [cut]
    book, values = cases.four_bar_by_hand(), sim.evaluate()
    assert values["A.acceleration"] == pytest.approx(book.acceleration(0.6, 2.0), rel=1e-9)
    twin = Twin(sim).solve()
    for joint in "ABCD":
        # in the plane reactions are unique
        found = outputs(values, f"{joint}.total_force")[:2]
        np.testing.assert_allclose(found, twin.total[joint][:2], rtol=1e-8, err_msg=joint)


def test_a_cut_joint_whose_position_is_asked_for_reports_it() -> None:
    """Its coordinate is kept then, and a weld behind it closes the loop."""
    book = cases.four_bar_by_hand()
    force = np.zeros(3)
    for more in ("record: [D.position, D.velocity, D.acceleration, D.total_force, A.acceleration]\n", ""):
        text = cases.FOUR_BAR.replace("D: {type: revolute", "D: {cut: true, type: revolute") + more
        values = plain(text).evaluate()
        twin = Twin(plain(text)) if not more else None
        a = book.acceleration(0.6, 2.0)
        assert values["A.acceleration"] == pytest.approx(a, rel=1e-9)
        if more:
            found = [values[f"D.{part}"] for part in ("position", "velocity", "acceleration")]
            assert found == pytest.approx(book.motion("D", 0.6, 2.0, a), rel=1e-9)
            force = outputs(values, "D.total_force")
        else:
            assert "D.position" not in values
            assert twin is not None
            np.testing.assert_allclose(outputs(values, "D.total_force")[:2], force[:2], rtol=1e-9)


ELBOW = """
luff: 1
blocks:
  crank: {type: revolute, axis: y}
  arm: {type: rigid_link, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1], frame_b: {at: [1, 0, 0]}}
  elbow: JOINT
  rod: {type: rigid_link, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1], frame_b: {at: [1.2, 0, 0]}}
  end: {type: spherical, cut: true}
  foot: {type: fixed, at: [1.5, 0, 0]}
connect:
  - world.frame -- crank.frame_a
  - crank.frame_b -- arm.frame_a
  - arm.frame_b -- elbow.frame_a
  - elbow.frame_b -- rod.frame_a
  - rod.frame_b -- end.frame_a
  - foot.frame_b -- end.frame_b
  - world.frame -- foot.frame_a
"""


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize(
    ("joint", "angle"),
    [
        ("{type: universal, axis_a: y, axis_b: z, guess: {alpha: ANGLE deg}}", "alpha"),
        ("{type: spherical, guess: {theta: ANGLE deg}, initial: {psi: 0, phi: 0}}", "theta"),
    ],
)
def test_the_guess_of_an_angle_chooses_the_side_of_an_elbow(joint: str, angle: str, side: float) -> None:
    """By the law of cosines arms of 1 m and 1.2 m over 1.5 m turn by acos(-(1 + 1.44 - 2.25)/2.4) at their joint."""
    text = ELBOW.replace("JOINT", joint.replace("ANGLE", str(side * 80.0)))
    found = plain(text).evaluate()[f"elbow.{angle}"]
    assert found == pytest.approx(side * math.acos(-0.19 / 2.4), abs=1e-9)  # loops are closed to 1e-12


def test_a_floating_loop_is_projected_with_its_orientation() -> None:
    """A free body pinned to the world at its corner is a pendulum; all six of its coordinates are projected."""
    free = """
luff: 1
blocks:
  float: {type: free, initial: {position: [0.6, 0, 0], rotate: [[y, 20 deg]]}}
  plate: {type: rigid_link, mass: 2, inertia: [0.1, 0.2, 0.3], frames: {hole: {at: [-0.6, 0, 0]}}}
  pin: {type: revolute, axis: y, cut: true}
connect:
  - world.frame -- float.frame_a
  - float.frame_b -- plate.frame_a
  - world.frame -- pin.frame_a
  - pin.frame_b -- plate.hole
simulation: {stop: 1 s, step: 1 ms, constraints: {method: projected}}
"""
    sim = luff.compile(luff.loads(free))
    assert sim.summary["degrees_of_freedom"] == 1
    result = sim.run()
    assert result.quality["constraint_violation"] < 1e-11
    assert result.quality["energy"]["relative_residual"] < 1e-9
    angle = np.arctan2(result["float.position[2]"], result["float.position[0]"])
    from scipy.integrate import solve_ivp

    fall = solve_ivp(
        lambda t, x: [x[1], -2 * 9.81 * 0.6 * np.cos(x[0]) / (0.2 + 2 * 0.36)],
        (0, 1),
        [angle[0], 0.0],
        rtol=1e-11,
        atol=1e-11,
    )
    assert angle[-1] == pytest.approx(fall.y[0, -1], abs=1e-8)


@pytest.mark.parametrize("name", ["crane", "rpsup"])
def test_quality_report_of_a_run_is_true(name: str) -> None:
    sim = luff.compile(luff.loads(settings(SPATIAL[name], "reduced")))
    quality = sim.run(stop=0.5).quality
    assert quality["energy"]["relative_residual"] < 1e-7  # the ram's spring swings at 40 1/s
    assert quality["constraint_violation"] < 1e-11
    assert quality["newton_euler_residual"] < 1e-9
    assert 1.0 <= quality["condition"]["mass"] < 1e8
    assert 1.0 <= quality["condition"]["constraints"] < 1e4


FOUR_BAR = """
luff: 1
blocks:
  far: {{type: fixed, at: [1.2, 0, 0]}}
  j0: {{type: revolute, axis: y, initial: {{position: -1.3, velocity: 0.6}}}}
  l0: {{type: rigid_link, mass: 1, com: [0.2, 0, 0], inertia: [0.1, 0.1, 0.1], frame_b: {{at: [0.4, 0, 0]}}}}
  j1: {{type: revolute, axis: y, guess: {{position: 1}}}}
  l1: {{type: rigid_link, mass: 0.5, com: [0.3, 0, 0], inertia: [0.1, 0.05, 0.1], frame_b: {{at: [0.7, 0, 0]}}}}
  j2: {{type: revolute, axis: y, guess: {{position: 1.2}}}}
  l2: {{type: rigid_link, mass: 0.5, com: [0.3, 0, 0], inertia: [0.1, {turned}, 0.1], frame_b: {{at: [0.7, 0, 0]}}}}
  last: {{type: revolute, axis: y, guess: {{position: -0.9}}, {more}}}
{blocks}
connect: [world.frame -- j0.frame_a, j0.frame_b -- l0.frame_a, l0.frame_b -- j1.frame_a, j1.frame_b -- l1.frame_a,
          l1.frame_b -- j2.frame_a, j2.frame_b -- l2.frame_a, world.frame -- far.frame_a, l2.frame_b -- last.frame_a,
          far.frame_b -- last.frame_b{wires}]
simulation: {{stop: 0.3, step: 1e-3, constraints: {{method: {method}, redundant: minimum_norm}}}}
"""


def four_bar(
    more: str, blocks: str = "", wires: str = "", turned: float = 0.05, method: str = "reduced"
) -> luff.Simulation:
    text = FOUR_BAR.format(more=more, blocks=blocks, wires=wires, turned=turned, method=method)
    return luff.compile(luff.loads(text))


def crank(sim: luff.Simulation) -> float:
    return sim.evaluate()["j0.acceleration"]


@pytest.mark.parametrize(
    ("acts", "blocks", "wires"),
    [
        ("stiffness: 60", "", ""),
        ("damping: 5", "", ""),
        ("armature: 0.4", "", ""),
        ("limits: {lower: -0.5, stiffness: 300}", "", ""),
        ("friction: {model: coulomb, mu_s: 0.2, mu_k: 0.2, load: 800 N}", "", ""),
        ("resolve: b", "  push: {type: constant, value: 5}", ", push.y -> last.effort"),
        (
            "resolve: b",
            "  push: {type: constant, value: 5}\n  turn: {type: torque_source}",
            ", push.y -> turn.torque, turn.shaft -- last.shaft",
        ),
    ],
)
def test_what_acts_in_a_joint_is_felt_wherever_the_loop_is_cut(acts: str, blocks: str, wires: str) -> None:
    here = crank(four_bar(f"{acts}, cut: true", blocks, wires))
    assert here == pytest.approx(crank(four_bar(acts, blocks, wires)), rel=1e-8)
    assert abs(here - crank(four_bar("cut: true"))) > 1e-2


@pytest.mark.parametrize("method", ["reduced", "projected"])
def test_rotor_of_the_joint_that_closes_the_loop_is_a_heavier_link(method: str) -> None:
    rotor = four_bar("armature: 0.4, cut: true", method=method)
    assert crank(rotor) == pytest.approx(crank(four_bar("cut: true", turned=0.45, method=method)), rel=1e-9)
    assert abs(crank(rotor) - crank(four_bar("cut: true", method=method))) > 1e-2
    assert rotor.run().quality["energy"]["relative_residual"] < 1e-7
