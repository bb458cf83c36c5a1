"""Seas against their spectra, and vessel motions against the sea."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import luff
from luff.blocks import LuffError
from luff.blocks.environment.sea_spectrum import wave_number
from luff.blocks.environment.vessel_motion import VesselMotion
from luff.blocks.environment.wave_elevation import Waves
from luff.tests.blocks.bench import Bench, make, mistakes

HS, TP = 3.0, 9.0
WP = 2.0 * math.pi / TP
MOTIONS = ("surge", "sway", "heave", "roll", "pitch", "yaw")


def jonswap(w: float, gamma: float) -> float:
    """DNV-RP-C205, 3.5.5: its factor for the energy is a fit, good to a percent or two."""
    s = 0.07 if w <= WP else 0.09
    pm = 5 / 16 * HS**2 * WP**4 * w**-5 * math.exp(-1.25 * (w / WP) ** -4)
    return (1 - 0.287 * math.log(gamma)) * pm * gamma ** math.exp(-0.5 * ((w - WP) / (s * WP)) ** 2)


def moment(n: int, gamma: float, low: float = 0.55, high: float = 4.0) -> float:
    return quad(lambda w: w**n * jonswap(w, gamma), low * WP, high * WP, points=[WP], limit=200)[0]


def tones(block: Any) -> np.ndarray:
    """Frequency, amplitude and phase, a row for each harmonic."""
    return np.array(block.derived()["tones"]).reshape(-1, 3)


@pytest.mark.parametrize(("spectrum", "gamma"), [("jonswap", 3.3), ("pierson_moskowitz", 1.0)])
def test_energy_of_the_harmonics_is_that_of_the_published_spectrum(spectrum: str, gamma: float) -> None:
    block = make(Waves, spectrum=spectrum, Hs=HS, Tp=TP, components=200, seed=5)
    w, a, _ = tones(block).T
    assert 0.5 * np.sum(a**2) == pytest.approx(HS**2 / 16, rel=1e-12)
    assert np.all(np.diff(w) > 0.0)
    edges = [0.55, 0.8, 0.95, 1.05, 1.3, 2.0, 4.0]
    for low, high in pairwise(edges):
        inside = (w > low * WP) & (w < high * WP)
        # a bin may lie across an edge: near the peak each has one in 200 of the energy
        wanted = moment(0, gamma, low, high)
        assert 0.5 * np.sum(a[inside] ** 2) == pytest.approx(wanted, abs=0.012 * HS**2 / 16)


@pytest.mark.parametrize("gamma", [1.0, 3.3, 5.0])
def test_periods_of_the_whole_spectrum_are_those_of_dnv(gamma: float) -> None:
    """DNV-RP-C205, 3.5.5.4: polynomials for the zero-crossing and the mean period over the peak period."""
    w, a, _ = tones(make(Waves, Tp=TP, gamma=gamma, highest=20, components=2000)).T
    m0, m1, m2 = (np.sum(0.5 * a**2 * w**n) for n in range(3))
    g = gamma
    crossing = 0.6673 + 0.05037 * g - 0.006230 * g**2 + 0.0003341 * g**3
    mean = 0.7303 + 0.04936 * g - 0.006556 * g**2 + 0.0003610 * g**3
    # fits of three digits; and of the second moment 0.4 % lie above twenty peak frequencies
    assert 2.0 * math.pi * math.sqrt(m0 / m2) / TP == pytest.approx(crossing, rel=0.006)
    assert 2.0 * math.pi * m0 / m1 / TP == pytest.approx(mean, rel=0.006)


def run(blocks: str, stop: float, step: float) -> luff.Result:
    text = f"luff: 1\nblocks:\n  {blocks}\nsimulation: {{stop: {stop}, step: {step}}}\n"
    return luff.compile(luff.loads(text)).run()


@pytest.mark.parametrize("gamma", [1.0, 3.3])
def test_six_hours_have_the_height_and_the_period_of_their_spectrum(gamma: float) -> None:
    found = run(f"sea: {{type: waves, Hs: {HS}, Tp: {TP}, gamma: {gamma}, seed: 11}}", 21600.0, 0.4)
    z, t = found["sea.elevation"], found.time
    # 2,700 waves, of which a third is independent: the variance to 2 sqrt(1 / 900), its root to half of that
    assert 4.0 * np.std(z) == pytest.approx(HS, rel=0.03)
    up = np.flatnonzero((z[:-1] < 0.0) & (z[1:] >= 0.0))
    crossing = t[up] - z[up] * (t[up + 1] - t[up]) / (z[up + 1] - z[up])
    wanted = 2.0 * math.pi * math.sqrt(moment(0, gamma) / moment(2, gamma))
    assert np.mean(np.diff(crossing)) == pytest.approx(wanted, rel=0.015)
    # heights of waves: a third are higher than some, and their mean is near Hs (Rayleigh, a little less in wide bands)
    heights = [z[i:j].max() - z[i:j].min() for i, j in pairwise(up)]
    third = np.sort(heights)[-len(heights) // 3 :]
    assert 0.9 * HS < third.mean() < 1.02 * HS


def test_nothing_repeats_within_three_hours_and_seeds_differ() -> None:
    w, a, _ = tones(make(Waves, Hs=HS, Tp=TP)).T
    lags = np.arange(60.0, 10800.0, 1.0)
    correlation = np.cos(np.outer(lags, w)) @ a**2 / np.sum(a**2)
    assert np.abs(correlation).max() < 0.55  # evenly spaced frequencies come back to 1
    one, same, other = (tones(make(Waves, seed=seed)) for seed in (3, 3, 4))
    assert np.array_equal(one, same)
    # another seed has other phases, and other frequencies within the same bins
    assert not np.isclose(one[:, [0, 2]], other[:, [0, 2]], rtol=1e-6).any()
    np.testing.assert_allclose(one[:, 1], other[:, 1])


def test_waves_travel_by_the_dispersion_relation() -> None:
    w = np.array([0.2, 0.5, 1.0, 3.0])
    for depth in (5.0, 40.0, 1000.0):
        k = wave_number(w, depth)
        np.testing.assert_allclose(9.81 * k * np.tanh(k * depth), w * w, rtol=1e-12)
    np.testing.assert_allclose(wave_number(w, None), w * w / 9.81)
    numbers = {"Hs": HS, "Tp": TP, "direction": "30 deg", "depth": 20}
    at_origin, off = make(Waves, **numbers), make(Waves, **numbers, position=[70, -20])
    w, a, e = tones(at_origin).T
    way = 70 * math.cos(math.pi / 6) - 20 * math.sin(math.pi / 6)
    for t in (0.0, 12.3):
        wanted = np.sum(a * np.cos(w * t - wave_number(w, 20.0) * way + e))
        assert float(Bench(off).out(t)["elevation"][0]) == pytest.approx(wanted, abs=1e-12)


def vessel(**more: Any) -> VesselMotion:
    numbers: dict[str, Any] = {"Hs": HS, "Tp": TP, "seed": 2, "position": [10, 5]}
    block = make(VesselMotion, **(numbers | more))
    assert isinstance(block, VesselMotion)
    return block


def test_response_of_one_is_the_sea() -> None:
    ship = vessel(rao=[[0.1, 1, 0], [6, 1, 0]], axes=["heave"], fade_in=5)
    sea = Bench(make(Waves, Hs=HS, Tp=TP, seed=2, position=[10, 5], fade_in=5))
    for t in (0.0, 1.0, 4.9, 77.7):
        moved = Bench(ship).out(t)
        np.testing.assert_allclose(moved["heave"], sea.out(t)["trajectory"], atol=1e-12)
        np.testing.assert_allclose(moved["elevation"], sea.out(t)["elevation"], atol=1e-12)
        assert not moved["surge"].any()


def test_response_turns_and_scales_each_harmonic() -> None:
    """Between two rows the complex response is interpolated; leads, lags, and a file in degrees say the same."""
    rows = [[0.3, 0.02, 0.5, 0.8, -1.0], [3.2, 0.05, 0.9, 0.4, -0.5]]
    ship = vessel(rao=rows, axes=["roll", "sway"])
    w, a, e = tones(ship).T
    table = np.array(rows)
    for name, column in (("roll", 1), ("sway", 3)):
        complex_rows = table[:, column] * np.exp(1j * table[:, column + 1])
        response = np.interp(w, table[:, 0], complex_rows.real) + 1j * np.interp(
            w, table[:, 0], complex_rows.imag
        )
        for t in (0.0, 31.0):
            wanted = np.sum((a * response * np.exp(1j * (w * t + e))).real)
            assert Bench(ship).out(t)[name][0] == pytest.approx(wanted, abs=1e-12)
    lagging = [[f, r, -p, s, -q] for f, r, p, s, q in rows]
    same = vessel(rao=lagging, axes=["roll", "sway"], phases="lag")
    np.testing.assert_allclose(same.derived()["response"], ship.derived()["response"], atol=1e-15)


def test_file_in_degrees_says_the_same(tmp_path: Path) -> None:
    rows = [[0.3, 0.8, 20.0, 1.5, 90.0], [1.0, 0.5, 100.0, 2.5, 45.0], [3.2, 0.1, 200.0, 0.5, 10.0]]
    lines = ["frequency, heave, phase, pitch, phase", *(", ".join(map(str, row)) for row in rows)]
    (tmp_path / "rao.csv").write_text("\n".join(lines))
    text = """
luff: 1
blocks:
  ship: {type: vessel_motion, %s, axes: [heave, pitch]}
simulation: {stop: 3 s, step: 0.1 s}
"""
    given = [[f, h, f"{p} deg", f"{math.radians(t)} rad", f"{q} deg"] for f, h, p, t, q in rows]
    (tmp_path / "a.yaml").write_text(text % "file: rao.csv, angles: deg")
    (tmp_path / "b.yaml").write_text(text % f"rao: {given}")
    one, two = (luff.compile(tmp_path / name).run() for name in ("a.yaml", "b.yaml"))
    for name in ("heave", "pitch"):
        np.testing.assert_allclose(one[f"ship.{name}"], two[f"ship.{name}"], atol=1e-12)
        assert np.abs(one[f"ship.{name}"]).max() > 1e-3


def test_rates_are_derivatives_of_each_other_while_the_sea_rises() -> None:
    rows = [
        [0.1, *(x for k in range(6) for x in (1 + k, 0.2 * k))],
        [6.0, *(x for k in range(6) for x in (k, 0.5))],
    ]
    bench, h = Bench(vessel(rao=rows, fade_in=4)), 1e-3
    for t in (1.3, 3.9, 8.0):
        before, now, after = (bench.out(x) for x in (t - h, t, t + h))
        for name in MOTIONS:
            first, second = ((after[name][k] - before[name][k]) / (2 * h) for k in (0, 1))
            # h^2 / 6 of a third derivative, at most 40 m/s^3 here
            assert first == pytest.approx(now[name][1], abs=3e-5)
            assert second == pytest.approx(now[name][2], abs=3e-4)


def test_mistakes_are_told() -> None:
    assert mistakes(VesselMotion, rao=[[0.2, 1, 0], [3, 1, 0]]) == [".rao[0]"]
    assert mistakes(VesselMotion, rao=[[0.9, 1, 0], [3, 1, 0]], axes=["heave"]) == [".rao"]
    assert mistakes(VesselMotion, axes=["heave"]) == [".rao"]
    with pytest.raises(LuffError, match=r"rao\[0\].*found 3 numbers, expected 13$"):
        luff.compile(luff.loads("luff: 1\nblocks: {v: {type: vessel_motion, rao: [[0.2, 1, 0], [3, 1, 0]]}}"))
    assert mistakes(Waves, Hs=8, Tp=5) == [".Tp"]
    assert mistakes(Waves, direction=180) == [".direction"]
    assert mistakes(Waves, Hs=0) == []
