"""Wind: a mean, and gusts along it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import ClassVar

import numpy as np

from ..block import Block, Equation
from ..errors import Problem
from ..geometry import rotations
from ..params import Choice, Integer, Param, Struct, SubMap
from ..ports import Out, Port
from ..text.generated_functions import function_from
from .gust_coherence import harmonics_at_places
from .random_harmonics import AIR, harmonic_sum, harmonics, smooth_ramp


def davenport(n: np.ndarray, speed: float, length: float) -> np.ndarray:
    """Share of the variance below n of n S = s^2 (2/3) x^2 / (1 + x^2)^(4/3), x = L n / V (Davenport, 1961)."""
    return 1.0 - (1.0 + (length * n / speed) ** 2) ** (-1.0 / 3.0)


def kaimal(n: np.ndarray, speed: float, length: float) -> np.ndarray:
    """Share of the variance below n of n S = s^2 4 x / (1 + 6 x)^(5/3), x = L n / V (Kaimal, IEC 61400-1)."""
    return 1.0 - (1.0 + 6.0 * length * n / speed) ** (-2.0 / 3.0)


def gust_among(t, place_tones, ahead, fade_in, first, last):
    """The gust of one place, whose tones stand between two numbers."""
    value = smooth_ramp(t, fade_in)[0] * harmonic_sum(t, place_tones, first, last)[0]
    return value * ahead[0], value * ahead[1], 0.0


class GustPlace(Struct):
    """A place with gusts of its own."""

    at = Param(shape=(3,), unit="m", doc="in the world, or in any frame that all places share")


class Wind(Block):
    """A wind: its mean at the reference height, and gusts along it as a sum of harmonics of a spectrum and a seed.

    kaimal (IEC 61400-1): n S = s^2 4 x / (1 + 6 x)^(5/3); davenport (1961): n S = s^2 (2/3) x^2 / (1 + x^2)^(4/3), with
    x = n L / V and s = intensity V; they carry what of s^2 lies in the band, in every seed. One gust blows everywhere,
    unless `places` are named along a boom: each has an output with gusts of the same spectrum, and two of them are
    alike by Davenport's exp(-decay n r / V), r being their distance.
    """

    family = "environment"
    rare = ("length", "lowest", "highest", "components", "fade_in", "decay")
    speed = Param(
        10.0, "m/s", ge=0, doc="mean speed V at the reference height of what it blows on; 0 is calm"
    )
    direction = Param(0.0, "rad", doc="where it blows to, counted from x towards y")
    spectrum = Choice("kaimal", ["kaimal", "davenport", "none"], doc="law of the gusts")
    intensity = Param(0.15, ge=0, le=1, doc="standard deviation of the gusts as a share of the mean speed")
    length = Param(None, "m", gt=0, doc="length L of the spectrum; 340.2 m for kaimal, 1200 m for davenport")
    lowest = Param(1.0 / 3600.0, "1/s", gt=0, doc="where the band begins, in cycles a second")
    highest = Param(
        1.0, "1/s", gt=0, doc="where the band ends; bodies of some metres feel no faster gusts as one"
    )
    components = Integer(100, ge=10, le=2000, doc="number of harmonics")
    seed = Integer(0, ge=0, le=2**31 - 1, doc="another seed, other gusts of the same spectrum")
    fade_in = Param(0.0, "s", ge=0, doc="duration over which the wind rises smoothly from calm")
    places = SubMap(GustPlace, doc="places whose gusts differ, by name {at}; each becomes an output")
    decay = Param(
        10.0, ge=0, doc="with places: decay of the coherence of two of them; 0: all have the same gusts"
    )
    mean = Out(3, "m/s", doc="mean velocity at the reference height, world axes")
    gust = Out(3, "m/s", doc="velocity of the gusts, world axes")
    along = Out(unit="m/s", doc="speed of both along the direction")
    derived_names = ("tones", "ahead", "place_tones")
    laws: ClassVar[dict[str, tuple[Callable[..., np.ndarray], float]]] = {
        "kaimal": (kaimal, 340.2),
        "davenport": (davenport, 1200.0),
    }

    def check(self) -> Iterable[Problem]:
        yield from rotations.degrees_meant(self.direction, ".direction")
        if self.highest <= self.lowest:
            mistake = f"found a band from {self.lowest:g} to {self.highest:g} 1/s"
            yield Problem(mistake, ".highest", "it ends above where it begins")
        for name in self.places.keys() & self.class_ports.keys():
            mistake = f'there is already a port "{name}"'
            yield Problem(mistake, f".places.{name}", "choose another name", key=True)

    def ports(self) -> dict[str, Port]:
        gusts = {
            name: Out(3, "m/s", f"velocity of the gusts at {name}, world axes").named(name)
            for name in self.places
        }
        return {**super().ports(), **gusts}

    def derived(self) -> dict[str, tuple[float, ...]]:
        ahead = (math.cos(self.direction), math.sin(self.direction))
        if self.spectrum == "none":
            calm = {"tones": (0.0, 0.0, 0.0), "ahead": ahead}
            return {**calm, "place_tones": (0.0, 0.0, 0.0) * len(self.places)} if self.places else calm
        law, length = self.laws[self.spectrum]
        V = self.speed or 1.0  # a calm has harmonics without amplitudes
        n = np.geomspace(self.lowest, self.highest, 4001)
        share = law(n, V, self.length or length)
        w, a, phase = harmonics(2.0 * math.pi * n, share - share[0], self.components, self.seed, AIR)
        a *= self.intensity * self.speed
        if not self.places:
            return {"tones": in_threes(w, a, phase), "ahead": ahead}
        at = np.array([place.at for place in self.places.values()])
        each = harmonics_at_places(w, a, phase, at, V, self.decay, self.seed)
        there = in_threes(np.broadcast_to(w, each[0].shape), *each)
        return {"tones": in_threes(w, a, phase), "ahead": ahead, "place_tones": there}

    def instance_functions(self) -> dict[str, Equation]:
        count = 3 * (1 if self.spectrum == "none" else self.components)
        made: dict[str, Equation] = {}
        for k, name in enumerate(self.places):
            text = (
                "def gust_there(t, place_tones, ahead, fade_in):\n"
                f"    return gust_among(t, place_tones, ahead, fade_in, {count * k}, {count * (k + 1)})\n"
            )
            made[f"out_{name}"] = function_from(text, gust_among)
        return {**self.functions, **made}

    def out_mean(t, speed, ahead, fade_in):
        blows = smooth_ramp(t, fade_in)[0] * speed
        return blows * ahead[0], blows * ahead[1], 0.0

    def out_gust(t, tones, ahead, fade_in):
        blows = smooth_ramp(t, fade_in)[0] * harmonic_sum(t, tones, 0, len(tones))[0]
        return blows * ahead[0], blows * ahead[1], 0.0

    def out_along(t, speed, tones, fade_in):
        return smooth_ramp(t, fade_in)[0] * (speed + harmonic_sum(t, tones, 0, len(tones))[0])


def in_threes(w: np.ndarray, a: np.ndarray, phase: np.ndarray) -> tuple[float, ...]:
    """Frequency, amplitude and phase of each harmonic."""
    return tuple(np.stack([w, a, phase], axis=-1).ravel().tolist())
