"""Flexible links against beam theory: frequencies, deflections, their order of convergence, and spin-stiffening."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from scipy.optimize import brentq

import luff
from luff.solver.analysis.step_advice import advise, divisions_for, state_matrix
from luff.solver.integrators.method_table import METHODS
from luff.tests.shared.compile_text import plain

# a bar so slender that turning of its sections (r/l)^2 and shear matter less than 1e-9
LENGTH, AREA, RHO, E, G = 2.0, 1e-2, 1000.0, 1e15, 4e14
I_Y, I_Z, J = 2e-12, 5e-12, 3e-12
MASS = RHO * AREA * LENGTH
ANGLES = ("psi", "theta", "phi")


def bar(
    n: int, blocks: str = "", wires: str = "", held: str = "world.frame -- boom.frame_a", more: str = ""
) -> str:
    return f"""
luff: 1
blocks:
  world: {{gravity: [0, 0, 0]}}
  boom:
    type: rfem_link
    length: {LENGTH}
    section: {{A: {AREA}, I_y: {I_Y}, I_z: {I_Z}, J: {J}}}
    E: {E}
    G: {G}
    rho: {RHO}
    divisions: {n}
    {more}
{blocks}
connect:
  - {held}
{wires}
"""


def frequencies(text: str, x: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """Circular frequencies by the angle that leads in them: psi (bending about z), theta (about y), phi (torsion)."""
    sim = plain(text)
    values, vectors = np.linalg.eig(state_matrix(sim, x))
    rates = {
        name: np.array([state.startswith(f"boom.{name}_rate") for state in sim.state_names])
        for name in ANGLES
    }
    found: dict[str, list[float]] = {name: [] for name in ANGLES}
    for value, vector in zip(values, vectors.T, strict=True):
        share = {name: float(np.linalg.norm(vector[own])) for name, own in rates.items()}
        # the least of all cases is 10 rad/s; motion of the whole has eigenvalues of zero, but for rounding
        if value.imag > 1.0:
            found[max(share, key=share.__getitem__)].append(value.imag)
    return {name: np.array(sorted(rows)) for name, rows in found.items()}


def orders(errors: Sequence[float] | np.ndarray, divisions: list[int]) -> np.ndarray:
    """Slope of the error against the division, between neighbours."""
    return -np.diff(np.log(np.abs(errors))) / np.diff(np.log(divisions))


def roots(function: Callable[[float], float], count: int, step: float = 0.05) -> np.ndarray:
    """The first positive roots of a characteristic equation."""
    found: list[float] = []
    b = 0.3
    while len(found) < count:
        if function(b) * function(b + step) < 0.0:
            found.append(float(brentq(function, b, b + step, xtol=1e-14)))  # type: ignore[arg-type]
        b += step
    return np.array(found)


CLAMPED = roots(lambda b: math.cos(b) + 1.0 / math.cosh(b), 2)
FREE = roots(lambda b: math.cos(b) - 1.0 / math.cosh(b), 2, 0.5)
MU = 0.5  # mass at the tip over that of the bar
LOADED = roots(
    lambda b: 1 / math.cosh(b) + math.cos(b) + MU * b * (math.cos(b) * math.tanh(b) - math.sin(b)), 2
)


def bending(beta: np.ndarray, I: float) -> np.ndarray:
    """Euler-Bernoulli frequencies."""
    return (beta / LENGTH) ** 2 * math.sqrt(E * I / (RHO * AREA))


@pytest.mark.parametrize(("axis", "I"), [("psi", I_Z), ("theta", I_Y)])
def test_cantilever_converges_with_second_order(axis: str, I: float) -> None:
    divisions = [4, 8, 16]
    found = np.array([frequencies(bar(n))[axis][:2] for n in divisions])
    errors = found / bending(CLAMPED, I) - 1.0
    # the second mode at four divisions, three wave quarters, is not yet quite in the asymptotic range
    np.testing.assert_allclose(orders(errors[:, 0], divisions), 2.0, atol=0.03)
    np.testing.assert_allclose(orders(errors[:, 1], divisions), 2.0, atol=0.1)
    assert abs(errors[-1, 0]) < 1e-3


@pytest.mark.parametrize(("axis", "I"), [("psi", I_Z), ("theta", I_Y)])
def test_cantilever_with_a_mass_at_its_tip(axis: str, I: float) -> None:
    load = f"  load: {{type: rigid_link, mass: {MU * MASS}}}"
    divisions = [4, 8, 16]
    found = np.array(
        [frequencies(bar(n, load, "  - boom.frame_b -- load.frame_a"))[axis][:2] for n in divisions]
    )
    errors = found / bending(LOADED, I) - 1.0
    np.testing.assert_allclose(orders(errors[:, 0], divisions), 2.0, atol=0.03)
    np.testing.assert_allclose(orders(errors[:, 1], divisions), 2.0, atol=0.1)


@pytest.mark.parametrize(("axis", "I"), [("psi", I_Z), ("theta", I_Y)])
def test_free_beam_converges_with_fourth_order(axis: str, I: float) -> None:
    """Half elements at both free ends make this scheme symmetric, and the leading error drops out: n^-4."""
    divisions = [12, 24]
    held, wires = "world.frame -- float.frame_a", "  - float.frame_b -- boom.frame_a"
    found = np.array([frequencies(bar(n, "  float: {type: free}", wires, held))[axis][0] for n in divisions])
    errors = found / bending(FREE, I)[0] - 1.0
    assert orders(list(errors), divisions)[0] == pytest.approx(4.0, abs=0.2)
    assert abs(errors[0]) < 2e-5


def test_torsion_converges_with_second_order() -> None:
    """Fixed and free: omega_k = (2k - 1) pi/2 sqrt(G J / rho I_p) / l."""
    divisions = [4, 8, 16]
    wanted = (np.arange(1, 4) * 2 - 1) * math.pi / 2 * math.sqrt(G * J / (RHO * (I_Y + I_Z))) / LENGTH
    found = np.array([frequencies(bar(n, more="twist: papers"))["phi"][:3] for n in divisions])
    errors = found / wanted - 1.0
    # the chain's own dispersion: (2n/pi') sin(pi'/2n)
    n = np.array(divisions)[:, None]
    angle = (np.arange(1, 4) * 2 - 1) * math.pi / 4 / n
    np.testing.assert_allclose(errors, np.sin(angle) / angle - 1.0, rtol=1e-4)
    np.testing.assert_allclose(orders(list(errors[:, 0]), divisions), 2.0, atol=0.02)
    # twist in the middle of the elements: other pieces, nearer to the shaft, and second order in the end
    middle = np.array([frequencies(bar(n))["phi"][:3] for n in divisions])
    np.testing.assert_allclose(middle, [shaft(n)[:3] for n in divisions], rtol=1e-6)  # plain differences
    assert np.all(np.abs(middle / wanted - 1.0) < np.abs(errors))
    assert orders(middle[:, 0] / wanted[0] - 1.0, divisions)[-1] == pytest.approx(2.0, abs=0.1)


def shaft(n: int) -> np.ndarray:
    """Frequencies of discs on torsion springs: a shaft cut in the middle of n + 1 elements, its first piece held."""
    d = LENGTH / n
    polar = RHO * (I_Y + I_Z) * d * np.array([0.75, *[1.0] * (n - 2), 0.75, 0.25])
    springs = G * J / d * np.array([2.0, *[1.0] * (n - 1), 2.0])
    stretch = np.eye(n + 1) - np.eye(n + 1, k=-1)
    stiffness = stretch.T @ (springs[:, None] * stretch)
    return np.sqrt(np.sort(np.linalg.eigvals(stiffness / polar[:, None]).real))


@pytest.mark.parametrize("n", [2, 5, 10])
def test_static_deflection(n: int) -> None:
    """Tip force: P l^3 / 3 E I (1 - 1/4n^2); tip moment: M l^2 / 2 E I and slope M l / E I for any division."""
    P, M = 0.01, 0.02
    blocks = """  push: {type: applied_force}
  turn: {type: applied_torque}
  f: {type: constant, value: FORCE}
  m: {type: constant, value: TORQUE}"""
    wires = [
        "f.y -> push.force",
        "m.y -> turn.torque",
        "boom.frame_b -- push.frame_b",
        "boom.frame_b -- turn.frame_b",
    ]
    text = bar(n, blocks, "\n".join(f"  - {wire}" for wire in wires))
    force = text.replace("FORCE", f"[0, {P}, {-P}]").replace("TORQUE", "[0, 0, 0]")
    torque = text.replace("FORCE", "[0, 0, 0]").replace("TORQUE", f"[0, {M}, {M}]")
    tip, _ = static(force)
    exact = 1.0 - 0.25 / n**2  # midpoint rule on (l - x)^2
    # slopes of 3e-6: geometry is linear to 1e-11, the solution to Newton's last step
    assert tip[1] == pytest.approx(P * LENGTH**3 / (3 * E * I_Z) * exact, rel=1e-7)
    assert tip[2] == pytest.approx(-P * LENGTH**3 / (3 * E * I_Y) * exact, rel=1e-7)
    tip, rotation = static(torque)
    assert tip[1] == pytest.approx(M * LENGTH**2 / (2 * E * I_Z), rel=1e-7)
    assert tip[2] == pytest.approx(-M * LENGTH**2 / (2 * E * I_Y), rel=1e-7)
    assert rotation[0] == pytest.approx(M * LENGTH / (E * I_Z), rel=1e-7)
    assert rotation[1] == pytest.approx(M * LENGTH / (E * I_Y), rel=1e-7)


def static(text: str) -> tuple[np.ndarray, np.ndarray]:
    """Deflection and rotation of the tip at rest, by Newton."""
    sim = plain(text)
    x = sim.x0.copy()
    for _ in range(3):
        x -= np.linalg.solve(state_matrix(sim, x), sim.derivative(0.0, x))
    values = sim.evaluate(0.0, x)
    tip, rotation = (
        [values[f"boom.tip_{what}[{k}]"] for k in range(3)] for what in ("deflection", "rotation")
    )
    return np.array(tip), np.array(rotation)


@pytest.mark.parametrize(
    ("speed", "flap", "second"), [(2.0, 4.1373, 22.6149), (6.0, 7.3604, 26.8091), (12.0, 13.1702, 37.6031)]
)
def test_rotating_beam(speed: float, flap: float, second: float) -> None:
    """Flapwise frequencies of a beam that turns about its root, no hub: Wright, Smith, Thresher and Wang (1982),
    J. Appl. Mech. 49, table 1, scaled by l^2 sqrt(rho A / E I)."""
    scale = math.sqrt(E * I_Y / (RHO * AREA)) / LENGTH**2
    errors = []
    divisions = [6, 12, 24]
    for n in divisions:
        found = flapping(n, speed * scale) / scale
        errors.append(found[:2] / np.array([flap, second]) - 1.0)
    # printed with five digits; errors of the division fall with n^-2
    extrapolated = np.array(errors[-1]) + (np.array(errors[-1]) - np.array(errors[-2])) / 3.0
    np.testing.assert_allclose(extrapolated, 0.0, atol=2e-4)
    assert 1.8 < orders([e[1] for e in errors], divisions)[-1] < 2.3


def flapping(n: int, omega: float) -> np.ndarray:
    """Frequencies about y of the beam on a heavy wheel that spins freely, and so steadily."""
    blocks = f"""  spin: {{type: revolute, axis: z, initial: {{position: 0, velocity: {omega!r}}}}}
  wheel: {{type: rigid_link, mass: 1, inertia: [1e9, 1e9, 1e9]}}"""
    wires = "  - spin.frame_b -- wheel.frame_a\n  - wheel.frame_b -- boom.frame_a"
    return frequencies(bar(n, blocks, wires, "world.frame -- spin.frame_a"))["theta"]


# --- advice ------------------------------------------------------------------------------------------------------


def test_advised_step_is_where_rk4_blows_up() -> None:
    sim = luff.compile(luff.loads(bar(3, more="initial: {psi: [1e-3, 0, 0], phi: [1e-3, 0, 0, -1e-3]}")))
    advice = advise(sim)
    assert advice.state.startswith("boom.phi")  # twisting of a slender bar is its fastest motion
    assert advice.largest_step == pytest.approx(2 * math.sqrt(2) / advice.frequency, rel=1e-9)
    steps = 3000
    below = sim.run(stop=steps * 0.98 * advice.largest_step, step=0.98 * advice.largest_step)
    assert np.max(np.abs(below["boom.phi[1]"])) < 2e-3
    with pytest.raises(luff.RunError):
        sim.run(stop=steps * 1.05 * advice.largest_step, step=1.05 * advice.largest_step)


def test_stable_steps_of_rk4() -> None:
    rk4_step = METHODS["rk4"].largest_step
    assert rk4_step(-2.0) * 2.0 == pytest.approx(2.785293563405282, rel=1e-9)  # Hairer and Wanner II, IV.2
    assert rk4_step(3.0j) * 3.0 == pytest.approx(math.sqrt(8.0), rel=1e-9)
    assert rk4_step(0.0) == rk4_step(5.0) == math.inf


@pytest.mark.parametrize("accuracy", [0.01, 0.002])
def test_advised_divisions_are_enough_and_not_many_more(accuracy: float) -> None:
    n = divisions_for(accuracy, modes=2)
    errors = [abs(frequencies(bar(k))["psi"][1] / bending(CLAMPED, I_Z)[1] - 1.0) for k in (n, n - 1)]
    # C / n^2 is asymptotic: a few percent of the wished accuracy
    assert errors[0] < 1.05 * accuracy
    assert errors[1] > 0.95 * accuracy


def test_advice_on_links() -> None:
    advice = advise(plain(bar(4)), accuracy=0.001, modes=1)
    link = advice.links["boom"]
    found = frequencies(bar(4))["psi"][0] / bending(CLAMPED, I_Z)[0] - 1.0
    assert link.divisions == 4
    assert link.error == pytest.approx(abs(found), rel=0.02)  # asymptotic
    assert link.enough == divisions_for(0.001, 1)
