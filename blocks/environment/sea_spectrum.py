"""A long-crested sea: its spectrum, its harmonics, and where their phases count from."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from ..block import Block
from ..errors import Problem
from ..geometry import rotations
from ..params import Choice, Integer, Param
from .random_harmonics import SEA, harmonics

LOWEST = 0.55  # of the peak's frequency: a millionth of the energy of Pierson and Moskowitz's sea lies below
G = 9.81


class Sea(Block, abstract=True):
    """Base of blocks in a sea; equal numbers give the same sea."""

    family = "environment"
    usual = ("Hs", "Tp", "direction", "spectrum")
    rare = ("gamma", "highest", "components", "fade_in")
    spectrum = Choice("jonswap", ["jonswap", "pierson_moskowitz"], doc="law of the spectrum")
    Hs = Param(2.0, "m", ge=0, doc="significant height, four times the standard deviation of the elevation")
    Tp = Param(8.0, "s", gt=0, doc="peak period")
    gamma = Param(3.3, ge=1, le=10, doc="jonswap: peak enhancement")
    direction = Param(
        0.0, "rad", doc="where the waves run to, counted from x towards y; no matter at the origin"
    )
    position = Param((0.0, 0.0), "m", shape=(2,), doc="where it is: x and y in the world")
    depth = Param(None, "m", gt=0, doc="depth of the water; deep when not given; no matter at the origin")
    highest = Param(4.0, gt=1.5, le=20, doc="the spectrum ends at so many peak frequencies")
    components = Integer(100, ge=10, le=2000, doc="number of harmonics")
    seed = Integer(0, ge=0, le=2**31 - 1, doc="another seed, another sea of the same spectrum")
    fade_in = Param(0.0, "s", ge=0, doc="duration over which the sea rises smoothly from calm")

    def energy(self) -> tuple[np.ndarray, np.ndarray]:
        """Frequencies of the band, and the variance of the elevation below each; in all of it Hs^2/16."""
        x = np.geomspace(LOWEST, self.highest, 4001)
        shape = x**-5 * np.exp(-1.25 * x**-4)
        if self.spectrum == "jonswap":
            width = np.where(x <= 1.0, 0.07, 0.09)
            shape *= self.gamma ** np.exp(-0.5 * ((x - 1.0) / width) ** 2)
        steps = 0.5 * (shape[1:] + shape[:-1]) * np.diff(x)
        below = np.concatenate(([0.0], np.cumsum(steps)))
        return 2.0 * math.pi / self.Tp * x, self.Hs**2 / 16.0 / below[-1] * below

    def waves(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Frequencies, amplitudes and phases of the elevation where the block stands."""
        frequency, energy = self.energy()
        unit = energy / energy[-1] if energy[-1] > 0.0 else np.linspace(0.0, 1.0, len(energy))
        w, a, phase = harmonics(frequency, unit, self.components, self.seed, SEA)
        along = self.position[0] * math.cos(self.direction) + self.position[1] * math.sin(self.direction)
        return w, 0.25 * self.Hs * a, phase - wave_number(w, self.depth) * along

    def energy_share_outside(self, low: float, high: float) -> float:
        """The share of the energy that lies outside of a band of frequencies."""
        frequency, energy = self.energy()
        if energy[-1] == 0.0:
            return 0.0
        inside = np.interp([low, high], frequency, energy)
        return float(1.0 - (inside[1] - inside[0]) / energy[-1])

    def check(self) -> Iterable[Problem]:
        yield from rotations.degrees_meant(self.direction, ".direction")
        steepness = 2.0 * math.pi * self.Hs / (G * self.Tp**2)
        if steepness > 0.09:
            mistake = f"found a significant steepness of {steepness:.2g}: waves break from about 0.07"
            yield Problem(mistake, ".Tp", "a longer peak period, or a lower sea", severity="warning")


def wave_number(w: np.ndarray, depth: float | None) -> np.ndarray:
    """k of w^2 = g k tanh(k h), by Newton's method; w^2 / g in deep water."""
    deep = w * w / G
    if depth is None:
        return deep
    # from above, where the function is convex: each step comes nearer
    k = deep / np.sqrt(np.tanh(np.minimum(deep * depth, 50.0)))
    for _ in range(20):
        T = np.tanh(np.minimum(k * depth, 50.0))
        k = k - (k * T - deep) / (T + k * depth * (1.0 - T * T))
    return k
