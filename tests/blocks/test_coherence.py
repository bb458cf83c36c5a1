"""Gusts along a boom: between one gust for all and gusts that know nothing of each other."""

from __future__ import annotations

import math

import numpy as np
import pytest

import luff
from luff.blocks.environment.gust_coherence import cholesky_factors, coherence_matrices
from luff.blocks.environment.wind import Wind
from luff.tests.blocks.bench import make, mistakes

V, LENGTH = 12.0, 50.0
PLACES = 24


def along(count: int, length: float = LENGTH) -> dict[str, dict[str, object]]:
    """Middles of equal parts of a boom."""
    return {f"p{k}": {"at": [length * (k + 0.5) / count, 0.0, 0.0]} for k in range(count)}


def amplitudes(seed: int = 1, **more: object) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Frequencies; complex amplitudes of the wind's own gust, and of each place."""
    block = make(Wind, speed=V, intensity=0.18, components=60, seed=seed, **more)
    numbers = {
        name: np.array(values).reshape(-1, 3) for name, values in block.derived().items() if "tones" in name
    }
    own, each = numbers["tones"], numbers["place_tones"].reshape(len(block.places), -1, 3)
    return own[:, 0], own[:, 1] * np.exp(1j * own[:, 2]), each[..., 1] * np.exp(1j * each[..., 2])


def test_without_decay_one_gust_blows_everywhere() -> None:
    _, own, each = amplitudes(places=along(4), decay=0)
    np.testing.assert_allclose(each, np.broadcast_to(own, each.shape), rtol=1e-12)


def test_the_first_place_has_the_gusts_of_the_wind() -> None:
    _, own, each = amplitudes(places=along(4))
    np.testing.assert_allclose(each[0], own, rtol=1e-12)
    assert np.abs(each[1] - own).max() > 0.1 * np.abs(own).max()


def test_places_that_coincide_have_one_gust() -> None:
    _, _, each = amplitudes(places={"a": {"at": [0, 0, 0]}, "b": {"at": [9, 0, 0]}, "c": {"at": [9, 0, 0]}})
    np.testing.assert_allclose(each[2], each[1], rtol=1e-9)


def test_the_mean_over_a_boom_has_the_variance_of_its_closed_form() -> None:
    """Of a line with exp(-a |x - y|/L), a = C n L/V: the mean keeps 2 (a - 1 + exp(-a))/a^2 of the variance."""
    seeds = range(60)
    runs = [amplitudes(seed, places=along(PLACES), lowest=0.02) for seed in seeds]
    mean = np.mean([0.5 * np.sum(np.abs(each.mean(axis=0)) ** 2) for _, _, each in runs])
    whole = np.mean([0.5 * np.sum(np.abs(own) ** 2) for _, own, _ in runs])
    w, own, _ = runs[0]
    a = 10.0 * w / (2.0 * math.pi) * LENGTH / V
    wanted = np.sum(np.abs(own) ** 2 * 2.0 * (a - 1.0 + np.exp(-a)) / a**2) / np.sum(np.abs(own) ** 2)
    assert wanted < 0.6  # so that there is something to see
    # sixty seeds of some ten harmonics that count: a standard deviation of 1/sqrt(600)
    assert mean / whole == pytest.approx(wanted, rel=0.1)


def test_the_spectrum_of_a_place_is_that_of_the_wind_in_the_mean_of_seeds() -> None:
    runs = [amplitudes(seed, places=along(2, 200.0)) for seed in range(60)]
    own = np.mean([np.sum(np.abs(own) ** 2) for _, own, _ in runs])
    far = np.mean([np.sum(np.abs(each[1]) ** 2) for _, _, each in runs])
    assert far / own == pytest.approx(1.0, rel=0.1)
    together = np.mean([np.sum((each[0] * each[1].conj()).real) for _, _, each in runs])
    w = runs[0][0]
    wanted = np.sum(np.abs(runs[0][1]) ** 2 * np.exp(-10.0 * w / (2.0 * math.pi) * 100.0 / V))
    assert together / own == pytest.approx(wanted / own, abs=0.05)


def test_roots_give_the_matrix_back() -> None:
    places = np.array([[0.0, 0, 0], [3.0, 4.0, 0], [3.0, 4.0, 0], [10.0, 0.0, 2.0]])
    every = coherence_matrices(np.array([0.0, 0.01, 0.3]), places, V, 10.0)
    assert every[1, 0, 1] == pytest.approx(math.exp(-10.0 * 0.01 * 5.0 / V))
    H = cholesky_factors(every)
    np.testing.assert_allclose(H @ H.transpose(0, 2, 1), every, atol=1e-12)


def test_a_run_tells_the_gusts_of_its_places() -> None:
    text = """
luff: 1
blocks:
  wind: {type: wind, speed: 12, direction: 30 deg, seed: 3, components: 10,
    places: {root: {at: [0, 0, 0]}, tip: {at: [40, 0, 0]}}}
simulation: {stop: 2 s, step: 0.5 s}
"""
    run = luff.compile(luff.loads(text)).run()
    np.testing.assert_allclose(run["wind.root"], run["wind.gust"], atol=1e-12)
    assert np.abs(run["wind.tip"] - run["wind.gust"]).max() > 0.1
    # along the wind, and by the harmonics
    np.testing.assert_allclose(
        run["wind.tip[1]"], math.tan(math.radians(30)) * run["wind.tip[0]"], atol=1e-12
    )
    block = make(
        Wind, speed=12.0, seed=3, components=10, places={"root": {"at": [0, 0, 0]}, "tip": {"at": [40, 0, 0]}}
    )
    tones = np.array(block.derived()["place_tones"]).reshape(2, -1, 3)[1]
    wanted = [sum(a * math.cos(w * t + phase) for w, a, phase in tones) for t in run.time]
    np.testing.assert_allclose(np.hypot(run["wind.tip[0]"], run["wind.tip[1]"]), np.abs(wanted), atol=1e-9)


def test_a_place_may_not_have_the_name_of_a_port() -> None:
    assert mistakes(Wind, places={"gust": {"at": [0, 0, 0]}}) == [".places.gust"]
