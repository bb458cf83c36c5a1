"""Bodies on springs: modes against a hand-assembled problem, energy, and the crane on a vessel."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from scipy.linalg import eigh

import luff
from luff.solver.analysis.step_advice import state_matrix
from luff.tests.shared.compile_text import plain

DATA = Path(__file__).parents[1] / "data"
COORDINATES = ("x", "y", "z", "psi", "theta", "phi")

# the crane base of the source: 2 x 2 x 0.5 m, 2000 kg, on eight springs at its lower edges
MASS = 2000.0
INERTIA = [MASS * (2**2 + 0.5**2) / 12, MASS * (2**2 + 0.5**2) / 12, MASS * (2**2 + 2**2) / 12]
POINTS = [(x, y, -0.25) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]
STIFFNESS, DAMPING = (1e5, 1.2e5, 1e7), (200.0, 300.0, 4000.0)


def base(**more: Any) -> str:
    """The netlist of the base, without gravity."""
    block: dict[str, Any] = {
        "type": "base_support",
        "mass": MASS,
        "inertia": INERTIA,
        "supports": [{"at": list(p), "stiffness": list(STIFFNESS)} for p in POINTS],
    }
    diagram = {"luff": 1, "blocks": {"world": {"gravity": [0, 0, 0]}, "base": block | more}}
    return yaml.safe_dump(
        diagram | {"connect": ["world.frame -- base.frame_a"], "simulation": {"step": "0.2 ms"}}
    )


def linear(values: tuple[float, ...]) -> np.ndarray:
    """6 x 6 matrix of all supports: sum of U^T diag(s) U, with T r - r = U q written out by hand."""
    K = np.zeros((6, 6))
    for x, y, z in POINTS:
        U = np.array([[1, 0, 0, -y, z, 0], [0, 1, 0, x, 0, -z], [0, 0, 1, 0, -x, y]], float)
        K += U.T @ np.diag(values) @ U
    return K


def circular(sim: luff.Simulation) -> np.ndarray:
    values = np.linalg.eigvals(state_matrix(sim))
    return np.sort(values.imag[values.imag > 0.0])


@pytest.mark.parametrize("linearised", [False, True])
def test_six_modes_against_a_hand_assembled_problem(linearised: bool) -> None:
    M = np.diag([MASS, MASS, MASS, INERTIA[2], INERTIA[1], INERTIA[0]])
    wanted = np.sqrt(eigh(linear(STIFFNESS), M, eigvals_only=True))
    # central differences of 1e-6 over rates of up to 1e4
    np.testing.assert_allclose(circular(plain(base(linearised=linearised))), wanted, rtol=1e-8)


@pytest.mark.parametrize("linearised", [False, True])
def test_damping_against_a_hand_assembled_matrix(linearised: bool) -> None:
    supports = [{"at": list(p), "stiffness": list(STIFFNESS), "damping": list(DAMPING)} for p in POINTS]
    A = state_matrix(plain(base(linearised=linearised, supports=supports)))
    masses = np.array([MASS, MASS, MASS, INERTIA[2], INERTIA[1], INERTIA[0]])
    np.testing.assert_allclose(A[6:, 6:], -linear(DAMPING) / masses[:, None], rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(A[6:, :6], -linear(STIFFNESS) / masses[:, None], rtol=1e-7, atol=1e-3)


@pytest.mark.parametrize("kept", [["z", "theta", "phi"], ["x"], ["phi", "psi", "z"]])
def test_subsets_are_the_rows_and_columns_of_the_whole(kept: list[str]) -> None:
    sim = plain(base(coordinates=kept))
    order = [name for name in COORDINATES if name in kept]
    assert sim.state_names == [f"base.{name}" for name in order] + [f"base.{name}_rate" for name in order]
    pick = [COORDINATES.index(name) for name in order]
    M = np.diag([MASS, MASS, MASS, INERTIA[2], INERTIA[1], INERTIA[0]])[np.ix_(pick, pick)]
    wanted = np.sqrt(eigh(linear(STIFFNESS)[np.ix_(pick, pick)], M, eigvals_only=True))
    np.testing.assert_allclose(circular(sim), wanted, rtol=1e-8)


START = {
    "x": 0.02,
    "y": -0.03,
    "z": 0.01,
    "psi": 0.1,
    "theta": -0.05,
    "phi": 0.08,
    "x_rate": 0.5,
    "phi_rate": -0.4,
}


@pytest.mark.parametrize("linearised", [False, True])
@pytest.mark.parametrize("law", ["linear", "cubic"])
def test_energy_is_balanced(linearised: bool, law: str) -> None:
    rotational = {"law": law, "stiffness": [2e6, 1e6, 3e6], "damping": [100.0, 0.0, 50.0]}
    supports = [{"at": list(p), "stiffness": list(STIFFNESS), "damping": list(DAMPING)} for p in POINTS]
    text = base(
        linearised=linearised, initial=START, com=[0.1, 0, 0.3], supports=supports, rotational=rotational
    )
    text = text.replace("gravity:\n    - 0\n    - 0\n    - 0", "gravity: [0, 0, -9.81]")
    energy = luff.compile(luff.loads(text)).run(stop=0.3).quality["energy"]
    # RK4 at omega h = 0.05 loses (omega h)^6 / 144 of a mode's energy a step: 1e-10 a step, 1500 steps
    assert energy["relative_residual"] < 1e-6
    assert energy["dissipated"] > 1.0
    assert energy["end"]["elastic"] > 1.0


def test_force_of_each_support() -> None:
    """-k (T r - r), with T written out for a turned and shifted base."""
    sim = plain(base(initial={name: START[name] for name in COORDINATES}))
    values = sim.evaluate()
    psi, theta, phi = START["psi"], START["theta"], START["phi"]
    c, s = math.cos, math.sin
    Rz = np.array([[c(psi), -s(psi), 0], [s(psi), c(psi), 0], [0, 0, 1]])
    Ry = np.array([[c(theta), 0, s(theta)], [0, 1, 0], [-s(theta), 0, c(theta)]])
    Rx = np.array([[1, 0, 0], [0, c(phi), -s(phi)], [0, s(phi), c(phi)]])
    elastic = 0.0
    for k, r in enumerate(POINTS, 1):
        moved = Rz @ Ry @ Rx @ r + [START["x"], START["y"], START["z"]] - np.array(r)
        np.testing.assert_allclose([values[f"base.deflection_{k}[{i}]"] for i in range(3)], moved, rtol=1e-12)
        forces = [values[f"base.force_{k}[{i}]"] for i in range(3)]
        np.testing.assert_allclose(forces, -np.array(STIFFNESS) * moved, rtol=1e-12)
        elastic += 0.5 * float(moved @ (np.array(STIFFNESS) * moved))
    assert values["base.stored_energy"] == pytest.approx(elastic, rel=1e-12)


def test_linearised_forces_are_the_first_order_of_the_exact_ones() -> None:
    small = {name: 1e-5 * START[name] for name in COORDINATES}
    exact, first = (plain(base(initial=small, linearised=flag)).evaluate() for flag in (False, True))
    for k in range(1, 9):
        for i in range(3):
            # the difference is of second order: angles of 1e-6 times lever arms of 1 m, over deflections of 1e-7 m
            assert first[f"base.deflection_{k}[{i}]"] == pytest.approx(
                exact[f"base.deflection_{k}[{i}]"], abs=2e-12
            )


def test_locked_base_stands_still_where_it_was_put() -> None:
    text = base(locked=True, initial={"z": 0.1, "psi": 0.5}, frame_b={"at": [1, 0, 0]})
    data = yaml.safe_load(text)
    data["blocks"] |= {
        "swing": {"type": "revolute", "axis": "x"},
        "bob": {"type": "rigid_link", "mass": 1, "com": [0, 0, -1]},
        "see": {"type": "frame_sensor"},
    }
    data["connect"] += [
        "base.frame_b -- swing.frame_a",
        "swing.frame_b -- bob.frame_a",
        "base.frame_b -- see.frame_b",
    ]
    sim = plain(yaml.safe_dump(data))
    assert sim.state_names == ["swing.position", "swing.velocity"]
    values = sim.evaluate()
    np.testing.assert_allclose(
        [values[f"see.position[{k}]"] for k in range(3)], [math.cos(0.5), math.sin(0.5), 0.1], rtol=1e-15
    )
    assert (values["base.z"], values["base.psi"], values["base.x"], values["base.z_rate"]) == (
        0.1,
        0.5,
        0.0,
        0.0,
    )
    assert values["base.force_1[2]"] == pytest.approx(-1e7 * 0.1, rel=1e-12)


@pytest.mark.parametrize("springs", [False, True])
def test_a_locked_base_reports_what_its_foundation_takes(springs: bool) -> None:
    """A bob swings from a base that stands still: weight and swing at the base's origin; supports take their share."""
    data = yaml.safe_load(base(locked=True, initial={"z": 0.1}, frame_b={"at": [1, 0, 0]}))
    data["blocks"]["world"]["gravity"] = [0, 0, -9.81]
    if not springs:
        data["blocks"]["base"]["supports"] = []
    data["blocks"] |= {
        "swing": {"type": "revolute", "axis": "x", "initial": {"position": 0.0, "velocity": 3.0}},
        "bob": {"type": "rigid_link", "mass": 5, "com": [0, 0, -2]},
    }
    data["connect"] += ["base.frame_b -- swing.frame_a", "swing.frame_b -- bob.frame_a"]
    values = plain(yaml.safe_dump(data)).evaluate()
    force, torque = (
        [values[f"base.constraint_{what}[{k}]"] for k in range(3)] for what in ("force", "torque")
    )
    # upright swing: m (g + r w^2) at 1 m along x; springs pull the lifted base down with k z
    pull = 5 * (9.81 + 2 * 9)
    stretched = len(POINTS) * STIFFNESS[2] * 0.1 if springs else 0.0
    assert force == pytest.approx([0, 0, MASS * 9.81 + pull + stretched], rel=1e-9, abs=1e-6)
    assert torque == pytest.approx([0, -pull, 0], rel=1e-9, abs=1e-6)


def test_initial_of_a_missing_coordinate_is_told() -> None:
    with pytest.raises(luff.NetlistError, match="found psi, which is none of the base's coordinates"):
        luff.compile(luff.loads(base(coordinates=["z"], initial={"psi": 0.1})))


# --- the crane on a vessel ---------------------------------------------------------------------------------------

CRANE = [("vessel", "phi"), ("vessel", "theta"), ("vessel", "psi")]
JOINTS = ["slew", "inner_luff", "outer_luff"]
CASES = json.loads((DATA / "vessel_crane.json").read_text())


def crane(case: dict[str, Any]) -> tuple[luff.Simulation, np.ndarray, list[int]]:
    """The crane of the library without its controller, at the state of a case; and where its rates stand."""
    data = yaml.safe_load((Path(luff.__file__).parent / "library" / "crane_vessel.yaml").read_text())
    data["connect"] = [wire for wire in data["connect"] if "->" not in wire]
    data["blocks"] = {name: block for name, block in data["blocks"].items() if name not in ("pd", "motion")}
    data["blocks"]["torques"] = {"type": "constant", "value": case["tau"]}
    data["connect"] += [f"torques.y[{k}] -> {joint}.effort" for k, joint in enumerate(JOINTS)]
    del data["plots"]
    sim = plain(yaml.safe_dump(data))
    names = [".".join(pair) for pair in CRANE] + [f"{joint}.position" for joint in JOINTS]
    rates = [f"{'.'.join(pair)}_rate" for pair in CRANE] + [f"{joint}.velocity" for joint in JOINTS]
    x = np.zeros(12)
    x[[sim.state_names.index(name) for name in names]] = case["q"]
    places = [sim.state_names.index(name) for name in rates]
    x[places] = case["u"]
    return sim, x, places


@pytest.mark.parametrize("case", CASES, ids=["case-1", "case-2", "case-3"])
def test_crane_on_a_vessel_against_maximal_coordinates(case: dict[str, Any]) -> None:
    """Accelerations, and the vessel's reaction on the king, from an independent engine (one solve over free bodies)."""
    sim, x, places = crane(case)
    udot = np.array(case["udot"])
    # 1e-9 of the largest entry: the reference itself is solved to 2e-11
    np.testing.assert_allclose(sim.derivative(0.0, x)[places], udot, atol=1e-9 * abs(udot).max())
    values = sim.evaluate(0.0, x)
    for part, wanted in (("force", case["slew_in_frame2"][:3]), ("torque", case["slew_in_frame2"][3:])):
        found = [values[f"slew.constraint_{part}[{k}]"] for k in range(3)]
        np.testing.assert_allclose(found, wanted, atol=1e-9 * np.abs(wanted).max(), err_msg=part)
    # in the vessel's axes: turned by the slewing angle
    c, s = math.cos(case["q"][3]), math.sin(case["q"][3])
    turned = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    np.testing.assert_allclose(turned @ case["slew_in_frame2"][:3], case["slew_in_frame1"][:3], atol=1e-6)


def test_vessel_leans_and_stays() -> None:
    """Upright is unstable, since the vessel's centre of gravity stands above its pivot: it leans by some hundredths
    of a radian, and the cubic springs hold it."""
    sim = luff.compile(Path(luff.__file__).parent / "library" / "crane_vessel.yaml")
    result = sim.run()
    lean = np.hypot(result["vessel.phi"], result["vessel.theta"])
    # theory: m g h = k q^2 for small q, with 1.2 t at 2.5 m and 90 kg at 5 to 7 m: 0.02 rad, and twice that rocking
    assert 0.01 < lean[len(lean) // 2 :].mean() < 0.05
    assert lean.max() < 0.1
    for k, joint in enumerate(JOINTS):
        assert abs(result[f"{joint}.position"][-1] - result[f"motion.y[{k}]"][-1]) < 0.05
    assert result.quality["energy"]["relative_residual"] < 1e-8
