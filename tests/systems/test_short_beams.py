"""Beams that are short, that change along their length, that are damped by mode: against theories without divisions."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.linalg import eigh, expm
from scipy.optimize import brentq

import luff
from luff.blocks.geometry.cross_sections import Section
from luff.blocks.mechanics.flexible_links import RfemLink
from luff.solver.analysis.step_advice import state_matrix
from luff.tests.blocks.bench import make, mistakes
from luff.tests.shared.compile_text import plain

E, G, RHO, L = 2.08e11, 8e10, 7850.0, 1.0  # Poisson's ratio 0.3
WIDTH, HEIGHT = 0.002, 0.2  # a plate on edge: its planes do not mix
A, I_Y = WIDTH * HEIGHT, WIDTH * HEIGHT**3 / 12.0
KAPPA = 10.0 * 1.3 / (12.0 + 11.0 * 0.3)


def link(
    n: int, more: str = "", section: str = f"{{shape: rectangle, width: {WIDTH}, height: {HEIGHT}}}"
) -> str:
    return f"""
luff: 1
blocks:
  world: {{gravity: [0, 0, 0]}}
  boom: {{type: rfem_link, length: {L}, section: {section}, E: {E}, G: {G}, rho: {RHO}, divisions: {n}{more}}}
connect: [world.frame -- boom.frame_a]
"""


def modes(text: str, *names: str) -> list[tuple[float, float]]:
    """Frequencies [rad/s] and damping ratios of the modes in which these coordinates lead, the lowest first."""
    sim = plain(text)
    values, vectors = np.linalg.eig(state_matrix(sim))
    # rates of slides count as much as rates of turns
    found = []
    for value, vector in zip(values, vectors.T, strict=True):
        parts = zip(sim.state_names, abs(vector), strict=True)
        rates = {name.removeprefix("boom."): part for name, part in parts if "_rate" in name}
        if value.imag > 0.0 and max(rates, key=rates.__getitem__).partition("_rate")[0] in names:
            found.append((abs(value), -value.real / abs(value)))
    return sorted(found)


def timoshenko(count: int) -> np.ndarray:
    """First frequencies of a clamped and free Timoshenko beam: free end's moment and shear from the clamped end's."""

    def determinant(w: float) -> float:
        # deflection, turn of the section, moment, shear force
        rates = np.array([
            [0, 1, 0, 1 / (KAPPA * G * A)],
            [0, 0, 1 / (E * I_Y), 0],
            [0, -RHO * I_Y * w * w, 0, -1],
            [-RHO * A * w * w, 0, 0, 0],
        ])  # fmt: skip
        scale = np.diag([1.0, 1.0, E * I_Y, KAPPA * G * A])
        return float(np.linalg.det(expm(np.linalg.inv(scale) @ rates @ scale * L)[2:, 2:]))

    return roots(determinant, 40.0, count)


def roots(function: Callable[[float], float], step: float, count: int) -> np.ndarray:
    found, x = list[float](), step
    while len(found) < count:
        if function(x) * function(x + step) < 0.0:
            found.append(float(brentq(function, x, x + step, xtol=1e-6)))  # type: ignore[arg-type]
        x += step
    return np.array(found)


def test_six_modes_of_a_beam_of_five_heights_are_those_of_timoshenko() -> None:
    found = np.array([w for w, _ in modes(link(24, ", shear: true"), "theta", "slide_z")[:6]])
    wanted = timoshenko(6)
    # the sixth is off by 1.9e-3 with 24 divisions, by 1.0e-2 with 12
    assert np.max(abs(found / wanted - 1.0)) < 0.002
    # without shear the first two are 2.3 and 14 % too high, as the beam's theory says
    slender = np.array([w for w, _ in modes(link(24), "theta")[:2]])
    np.testing.assert_allclose(slender / wanted[:2] - 1.0, [0.023, 0.139], atol=0.001)


def test_stretch_is_a_bar() -> None:
    """Clamped and free bar: w = (2 k - 1) pi/2 sqrt(E / rho) / l, to the fourth order of the divisions."""
    errors = []
    for n in (6, 12):
        found = np.array([w for w, _ in modes(link(n, ", extensible: true"), "stretch")[:2]])
        errors.append(found / ((2 * np.arange(1, 3) - 1) * math.pi / 2 * math.sqrt(E / RHO) / L) - 1.0)
    assert abs(errors[1][0]) < 1e-4
    assert abs(errors[1][1]) < 2e-3


@pytest.mark.parametrize("twist", ["middle", "papers"])
def test_tip_deflects_by_bending_shear_and_stretch(twist: str) -> None:
    n, N, P = 3, 100.0, 1.0
    forces = f"""
  tip: {{type: applied_force}}
  f: {{type: constant, value: [{N}, 0, {P}]}}
"""
    text = link(n, f", shear: true, extensible: true, twist: {twist}").replace(
        "connect: [", forces + "connect: ["
    )
    text = text.replace("boom.frame_a]", "boom.frame_a, f.y -> tip.force, boom.frame_b -- tip.frame_b]")
    text += "initial: {solve: static}\n"
    values = plain(text).evaluate()
    bent = P * L**3 / (3.0 * E * I_Y) * (1.0 - 0.25 / n**2) + P * L / (KAPPA * G * A)
    # the pull stiffens it by N l^2 / E I, 4e-4
    assert values["boom.tip_deflection[2]"] == pytest.approx(bent, rel=2e-3)
    assert values["boom.tip_deflection[0]"] == pytest.approx(N * L / (E * A), rel=1e-3)
    assert values["boom.slide_z[1]"] == pytest.approx(P * L / n / (KAPPA * G * A), rel=1e-3)
    assert values["boom.shear_z[1]"] == pytest.approx(P, rel=1e-3)
    assert values["boom.axial[1]"] == pytest.approx(N, rel=1e-6)


def test_energy_and_momentum_of_a_short_beam_in_flight() -> None:
    """Slides have less inertia than lumped masses: nothing of the beam's momentum is theirs."""
    spinning = ", shear: true, extensible: true, initial: {psi_rate: [300, 0, 0], theta_rate: [0, 50, 0]}"
    text = link(3, spinning, "{shape: circle, diameter: 0.15}").partition("connect:")[0]
    text += """  float: {type: free, initial: {angular_velocity: [0, 0, 20]}}
  energy: {type: energy_sensor}
connect: [world.frame -- float.frame_a, float.frame_b -- boom.frame_a]
"""
    sim = luff.compile(luff.loads(text))
    fine = [sim.run(stop=2e-3, step=step) for step in (1e-5, 5e-6)]
    totals = [np.asarray(run["energy.total"]) for run in fine]
    lost = [float(np.ptp(total)) / total[0] for total in totals]
    assert lost[1] < 1e-6
    assert lost[0] / lost[1] > 10.0  # rk4 keeps it to order 4 or 5
    assert np.linalg.eigvalsh(sim.mass_matrix()).min() > 0.0


# --- sections along the beam -------------------------------------------------------------------------------------


def heights(x: float) -> float:
    return float(np.interp(x, [0.0, 0.3, 0.7, 1.0], [0.03, 0.024, 0.012, 0.010]))


def test_sections_at_stations_bend_as_rayleigh_and_ritz_say() -> None:
    stations = """, stations: {knee: {at: 0.3, section: {shape: rectangle, width: 0.001, height: 0.024}},
 neck: {at: 0.7, section: {shape: rectangle, width: 0.001, height: 0.012}}},
 section_b: {shape: rectangle, width: 0.001, height: 0.010}"""
    text = link(24, stations, "{shape: rectangle, width: 0.001, height: 0.03}")
    found = np.array([w for w, _ in modes(text, "theta")[:3]])
    # x^2 times Chebyshev's polynomials, quadrature from station to station
    K, M = np.zeros((12, 12)), np.zeros((12, 12))
    shapes = [np.polynomial.Polynomial([0, 0, 1]) * one.convert(kind=np.polynomial.Polynomial)
              for one in (np.polynomial.Chebyshev.basis(k, domain=[0, 1]) for k in range(12))]  # fmt: skip
    for a, b in ((0.0, 0.3), (0.3, 0.7), (0.7, 1.0)):
        for u, weight in zip(*np.polynomial.legendre.leggauss(20), strict=True):
            x, w = a + 0.5 * (b - a) * (u + 1.0), 0.5 * (b - a) * weight
            area, second = 0.001 * heights(x), 0.001 * heights(x) ** 3 / 12.0
            shape, slope, curvature = (np.array([one.deriv(k)(x) for one in shapes]) for k in range(3))
            K += w * E * second * np.outer(curvature, curvature)
            M += w * RHO * (area * np.outer(shape, shape) + second * np.outer(slope, slope))
    wanted = np.sqrt(eigh(K, M, eigvals_only=True))[:3]
    np.testing.assert_allclose(found / wanted, 1.0, atol=0.005)


def test_a_step_between_two_stations_at_one_place_is_sharp() -> None:
    thin, thick = ({"shape": "circle", "diameter": d} for d in (0.04, 0.08))
    stations = {"before": {"at": 1.0, "section": thick}, "behind": {"at": 1.0, "section": thin}}
    shaft = make(RfemLink, length=2.0, section=thick, stations=stations, section_b=thin)
    areas = [math.pi / 4.0 * d * d for d in (0.08, 0.04)]
    mass, com, _ = shaft.mass_properties()
    assert mass == pytest.approx(7850.0 * sum(areas), rel=1e-12)
    assert com[0] == pytest.approx((0.5 * areas[0] + 1.5 * areas[1]) / sum(areas), rel=1e-12)
    assert shaft.section_at(0.999).diameter == pytest.approx(0.08)
    assert shaft.section_at(1.0).diameter == pytest.approx(0.04)


def test_mistakes_of_stations_and_shear_are_told() -> None:
    round_one, numbers = (
        {"shape": "circle", "diameter": 0.1},
        {"A": 1e-3, "I_y": 1e-6, "I_z": 1e-6, "J": 1e-6},
    )
    beyond = {"far": {"at": 2.5, "section": round_one}}
    assert mistakes(RfemLink, length=2.0, section=round_one, stations=beyond) == [".stations.far.at"]
    other = {"odd": {"at": 1.0, "section": numbers}}
    assert mistakes(RfemLink, length=2.0, section=round_one, stations=other) == [".stations.odd.section"]
    assert mistakes(RfemLink, length=2.0, section=numbers, shear=True) == [".section"]
    assert not mistakes(RfemLink, length=2.0, section={**numbers, "shear_y": 0.8, "shear_z": 0.5}, shear=True)


# --- damping -----------------------------------------------------------------------------------------------------


TAPER = ", section_b: {shape: box, width: 0.05, height: 0.06, thickness: 0.004}"


@pytest.mark.parametrize("more", [", shear: true, extensible: true", ", twist: papers", TAPER])
def test_each_mode_has_its_ratio(more: str) -> None:
    ratios = [0.01, 0.05, 0.02]
    text = link(
        6, f", damping: {{ratio: {ratios}}}{more}", "{shape: box, width: 0.1, height: 0.16, thickness: 0.005}"
    )
    planes = [
        ("theta", "slide_z"),
        ("psi", "slide_y"),
        ("phi",),
        *([("stretch",)] if "extensible" in more else []),
    ]
    lowest = [modes(text, *names)[:4] for names in planes]
    for found in lowest:
        # the slowest mode of each kind, wherever its neighbours are
        assert found[0][1] == pytest.approx(0.01, rel=1e-3)
    # of all modes the ratios are the three given ones, the last of them for those beyond
    every = sorted({round(ratio, 4) for found in lowest for _, ratio in found})
    assert every == [0.01, 0.02, 0.05]


def test_one_ratio_of_a_list_holds_for_all_modes_and_a_number_for_the_first() -> None:
    by_mode = [ratio for _, ratio in modes(link(6, ", damping: {ratio: [0.02]}"), "theta")]
    np.testing.assert_allclose(by_mode, 0.02, rtol=1e-4)
    by_stiffness = modes(link(6, ", damping: {ratio: 1e-3}"), "theta")
    assert by_stiffness[1][1] > 5.0 * by_stiffness[0][1]


def test_modes_are_damped_in_one_mechanism_as_in_several() -> None:
    """Tables of dampers of two mechanisms have different widths."""
    beam = "{type: rfem_link, length: 1, section: {shape: circle, diameter: 0.02}, damping: {ratio: [0.1]}"
    a = f"{beam}, divisions: 3, shear: true, initial: {{psi_rate: [1, 0, 0]}}}}"
    b = f"{beam}, divisions: 1, initial: {{theta_rate: [1]}}}}"

    def run(**links: str) -> luff.Result:
        blocks = ", ".join(f"{name}: {link}" for name, link in links.items())
        wires = ", ".join(f"world.frame -- {name}.frame_a" for name in links)
        text = f"luff: 1\nblocks: {{{blocks}}}\nconnect: [{wires}]\nsimulation: {{stop: 1 ms, step: 5 us}}\n"
        return luff.compile(luff.loads(text)).run()

    together = run(a=a, b=b)
    for name, link_alone in (("a", run(a=a)), ("b", run(b=b))):
        np.testing.assert_array_equal(
            together[f"{name}.tip_deflection"], link_alone[f"{name}.tip_deflection"]
        )


# --- shear coefficients ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "wanted"),
    [
        ({"shape": "rectangle", "width": 0.1, "height": 0.3}, (0.85, 0.85)),
        ({"shape": "circle", "diameter": 0.1}, (0.886, 0.886)),
        ({"shape": "tube", "diameter": 0.1, "thickness": 1e-5}, (0.5306, 0.5306)),
        ({"shape": "box", "width": 0.1, "height": 0.1, "thickness": 1e-5}, (0.4355, 0.4355)),
        # walls of no flange: a rectangle; webs alone carry shear along them
        ({"shape": "i", "width": 0.0101, "height": 0.3, "thickness": 0.01, "flange": 1e-6}, (0.0, 0.85)),
    ],
)  # fmt: skip
def test_coefficients_are_those_of_cowper(sizes: dict[str, object], wanted: tuple[float, float]) -> None:
    """Table of Cowper (1966) at nu = 0.3, which finite-element codes use: 0.85, 0.89, 0.53, 0.44."""
    section: Section = make(RfemLink, length=1.0, section=sizes).section
    np.testing.assert_allclose(section.shear_coefficients(0.3), wanted, atol=2e-3)
