"""Gusts against their spectra, and drag against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from llvmlite.binding import parse_bitcode
from scipy.integrate import quad
from scipy.spatial.transform import Rotation

import luff
from luff.blocks.environment.random_harmonics import NEAR
from luff.blocks.environment.wind import Wind
from luff.solver.codegen.cross_compile import bitcode
from luff.solver.codegen.libm.trigonometric import LARGE, cos
from luff.tests.blocks.bench import make, mistakes
from luff.tests.conftest import about_compiling

V, INTENSITY = 12.0, 0.18


def davenport(n: float) -> float:
    """Davenport (1961): n S = 4 kappa V^2 x^2 / (1 + x^2)^(4/3); the variance is 6 kappa V^2."""
    x, kappa = 1200.0 * n / V, INTENSITY**2 / 6.0
    return 4.0 * kappa * V**2 * x**2 / (1.0 + x**2) ** (4.0 / 3.0) / n


def kaimal(n: float) -> float:
    """IEC 61400-1 (2005), table B.1: n S = s^2 4 x / (1 + 6 x)^(5/3), L_1 = 8.1 * 42 m."""
    x = 8.1 * 42.0 * n / V
    return (INTENSITY * V) ** 2 * 4.0 * x / (1.0 + 6.0 * x) ** (5.0 / 3.0) / n


@pytest.mark.parametrize("law", [davenport, kaimal])
def test_energy_of_the_gusts_is_that_of_the_published_spectrum(law: Any) -> None:
    block = make(Wind, speed=V, intensity=INTENSITY, spectrum=law.__name__, components=200)
    w, a, _ = np.array(block.derived()["tones"]).reshape(-1, 3).T
    n = w / (2.0 * math.pi)
    assert np.all((n > 1 / 3600) & (n < 1.0))
    for low, high in ((1 / 3600, 0.002), (0.002, 0.01), (0.01, 0.1), (0.1, 1.0)):
        inside = (n > low) & (n < high)
        wanted = quad(law, low, high, limit=200)[0]
        # a bin across an edge has one in 100 of the variance
        assert 0.5 * np.sum(a[inside] ** 2) == pytest.approx(wanted, abs=0.012 * (INTENSITY * V) ** 2)


@pytest.mark.parametrize("step", [0.5, 3e6])  # s; angles of the longer ones are too large for four at a time
def test_gusts_are_the_sum_of_their_harmonics_one_by_one(step: float) -> None:
    text = f"""
luff: 1
blocks:
  wind: {{type: wind, speed: {V}, seed: 3, components: 14, places: {{tip: {{at: [30, 0, 0]}}}}}}
simulation: {{stop: {4 * step}, step: {step}}}
"""
    found = luff.compile(luff.loads(text)).run()
    block = make(Wind, speed=V, seed=3, components=14)
    for t, speed, tip in zip(found.time, found["wind.along"], found["wind.tip"], strict=True):
        gust = 0.0
        for w, a, phase in np.array(block.derived()["tones"]).reshape(-1, 3).tolist():
            gust += a * cos(w * t + phase)
        assert speed == V + gust  # to the last bit
        # a place that is alone has the wind's own gust, of amplitudes and phases that are computed anew
        assert tip[0] == pytest.approx(gust, abs=1e-8)


@about_compiling
def test_a_register_takes_harmonics_side_by_side() -> None:
    """Of the least processor of a family already: by the sine's own bound its way for far angles falls away."""
    assert NEAR == LARGE
    sim = luff.compile(luff.loads("luff: 1\nblocks: {wind: {type: wind}}\nsimulation: {stop: 1, step: 0.1}"))
    entries = [call.code for call in sim.program.tables["outputs"].calls]
    texts = [
        str(parse_bitcode(code)) for symbol, (_, code) in bitcode(entries).items() if "operation" in symbol
    ]
    sums = [text for text in texts if "@luff_cos" in text]
    assert len(sums) == 2  # the gust, and the wind along
    for text in sums:
        assert text.count("fmul <2 x double>") > 40  # 60 were seen: two pairs of cosines


def test_gusts_of_two_days_have_their_variance_about_the_mean() -> None:
    text = f"""
luff: 1
blocks:
  wind: {{type: wind, speed: {V}, intensity: {INTENSITY}, direction: 60 deg, seed: 4}}
simulation: {{stop: 172800 s, step: 5 s}}
"""
    found = luff.compile(luff.loads(text)).run()
    speed = found["wind.along"]
    assert speed.mean() == pytest.approx(V, rel=0.01)
    wanted = quad(kaimal, 1 / 3600, 1.0, limit=200)[0]
    assert np.var(speed) == pytest.approx(wanted, rel=0.04)
    # the components of mean and gust along the direction make the same
    ahead = np.array([0.5, math.sqrt(0.75), 0.0])
    np.testing.assert_allclose((found["wind.mean"] + found["wind.gust"]) @ ahead, speed, atol=1e-12)


def test_mistakes_of_winds_are_told() -> None:
    assert mistakes(Wind, lowest=2.0) == [".highest"]
    assert mistakes(Wind, direction=90) == [".direction"]
    assert mistakes(Wind, direction="90 deg") == []


def test_sphere_falls_to_its_terminal_speed() -> None:
    """v = v_t tanh(g t / v_t), v_t^2 = 2 m g / (rho c A)."""
    text = """
luff: 1
blocks:
  fall: {type: prismatic, axis: z}
  ball: {type: rigid_link, mass: 2}
  air: {type: wind_drag, area: 0.05, coefficient: 0.47, density: 1.2}
connect: [world.frame -- fall.frame_a, fall.frame_b -- ball.frame_a, ball.frame_a -- air.frame_b]
simulation: {stop: 20 s, step: 10 ms}
"""
    found = luff.compile(luff.loads(text)).run()
    terminal = math.sqrt(2 * 2 * 9.81 / (1.2 * 0.47 * 0.05))
    wanted = -terminal * np.tanh(9.81 * found.time / terminal)
    np.testing.assert_allclose(found["fall.velocity"], wanted, atol=1e-8)  # RK4
    assert found["air.force"][-1, 2] == pytest.approx(2 * 9.81, rel=2e-4)  # 1 - tanh^2 of 5.3
    assert abs(found.quality["energy"]["relative_residual"]) < 1e-9


@pytest.mark.parametrize("exponent", [0.0, 0.14])
def test_pendulum_in_a_steady_wind_leans_as_the_drag_asks(exponent: float) -> None:
    """tan q = F / (m g), with the wind at the height where the bob comes to rest."""
    text = f"""
luff: 1
blocks:
  mast: {{type: fixed, at: [0, 0, 40]}}
  pin: {{type: revolute, axis: y, damping: 400, guess: {{position: -0.1}}}}
  bob: {{type: rigid_link, mass: 20, com: [0, 0, -5], frame_b: {{at: [0, 0, -5]}}}}
  wind: {{type: wind, speed: {V}, spectrum: none}}
  air: {{type: wind_drag, area: 0.8, coefficient: 1.1, density: 1.25, exponent: {exponent}}}
connect: [world.frame -- mast.frame_a, mast.frame_b -- pin.frame_a, pin.frame_b -- bob.frame_a,
          bob.frame_b -- air.frame_b, wind.mean -> air.wind, wind.gust -> air.gust]
simulation: {{stop: 60 s, step: 10 ms}}
"""
    found = luff.compile(luff.loads(text)).run()
    q = found["pin.position"][-1]
    speed = V * ((40 - 5 * math.cos(q)) / 10) ** exponent
    force = 0.5 * 1.25 * 1.1 * 0.8 * speed**2
    assert abs(found["pin.velocity"][-1]) < 1e-9
    assert math.tan(-q) == pytest.approx(force / (20 * 9.81), rel=1e-8)


@pytest.mark.parametrize("angles", [(0.0, 0.0, 0.0), (0.7, 0.4, -0.3), (-2.0, 1.2, 2.9)])
def test_wall_drags_along_its_normal_alone(angles: tuple[float, float, float]) -> None:
    """A wall on a turned deck that drifts: k |u.n| (u.n) n, n from another library's rotation."""
    psi, theta, phi = angles
    text = f"""
luff: 1
blocks:
  deck: {{type: platform}}
  drift: {{type: ramp, slope: 3}}
  psi: {{type: constant, value: {psi}}}
  theta: {{type: constant, value: {theta}}}
  phi: {{type: constant, value: {phi}}}
  wall: {{type: rigid_link, mass: 1, inertia: [1, 1, 1]}}
  wind: {{type: constant, value: [4, -7, 1]}}
  gust: {{type: constant, value: [0.5, 0.5, 0]}}
  air: {{type: wind_drag, area: 2, coefficient: 1.3, axis: [1, 2, -2]}}
connect: [world.frame -- deck.frame_a, drift.trajectory -> deck.sway, psi.trajectory -> deck.yaw,
          theta.trajectory -> deck.pitch, phi.trajectory -> deck.roll, deck.frame_b -- wall.frame_a,
          wall.frame_b -- air.frame_b, wind.y -> air.wind, gust.y -> air.gust]
simulation: {{stop: 0.1 s, step: 50 ms}}
"""
    found = luff.compile(luff.loads(text)).run()
    n = Rotation.from_euler("ZYX", angles).apply(np.array([1, 2, -2]) / 3)
    u = np.array([4.5, -6.5 - 3.0, 1.0])
    np.testing.assert_allclose(found["air.air"][1], u, atol=1e-14)
    wanted = 0.5 * 1.225 * 1.3 * 2 * abs(u @ n) * (u @ n) * n
    np.testing.assert_allclose(found["air.force"][1], wanted, atol=1e-12)
    # the deck holds against it: what it exerts is the weight less the drag
    R = Rotation.from_euler("ZYX", angles)
    np.testing.assert_allclose(
        R.apply(found["deck.total_force"][1]), -wanted + np.array([0.0, 0.0, 9.81]), atol=1e-10
    )


@pytest.mark.parametrize("places", [{}, {"tip": {"at": [0, 0, 30]}, "foot": {"at": [0, 0, 0]}}])
@pytest.mark.parametrize("law", ["kaimal", "davenport", "none"])
def test_calm_has_neither_mean_nor_gusts(law: str, places: dict[str, Any]) -> None:
    """A chart over the wind begins at none; its gusts are those of ever slower winds, which vanish with V."""
    derived = make(Wind, speed=0.0, spectrum=law, places=places).derived()
    for name in ("tones", "place_tones"):
        amplitudes = np.reshape(derived.get(name, ()), (-1, 3))[:, 1]
        assert np.all(amplitudes == 0.0)
    with pytest.raises(luff.LuffError, match="expected a number >= 0"):
        make(Wind, speed=-1.0)
