"""Sea surface around a mechanism with its waves, up to the haze before the horizon. Pure numpy: no Qt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...blocks.block import Block
from ...blocks.environment.random_harmonics import smooth_ramp
from ...blocks.environment.sea_spectrum import Sea, wave_number

STRIPS, COLUMNS = 80, 4  # along the waves and across them, evenly, within REACH
REACH = 1.6  # in units of the grid's
FAR = 400.0  # extent of the water, in units of REACH
WIDER = 1.4  # growth of strips and columns beyond REACH, one by one
SLOPE = 2.5  # change of brightness per slope of the surface
SHOWN = np.pi / 3.0  # phase from line to line up to which strips show a wave
HAZE = 3.2  # depth at which exp(-1) of the water is seen, in units of REACH or of the target's distance if that is more


@dataclass(frozen=True)
class Water:
    """Wave surface z = sum of a cos(w t - k s + e), with s the distance along the heading; z = 0 in calm water."""

    heading: np.ndarray  # (2,) unit vector along which waves run
    waves: np.ndarray  # (n, 4): w, a, k, e; none so short that six strips do not show it
    fade_in: float
    along: np.ndarray  # s of the lines between strips, evenly spaced in the middle
    across: np.ndarray  # of the lines between columns
    reach: float  # m

    @cached_property
    def shares(self) -> np.ndarray:
        """Share of each wave on each line, (lines, n): 1 in the middle, less where strips grow, 0 where six strips do
        not show it."""
        phases = np.outer(np.gradient(self.along), self.waves[:, 2])
        middle = phases[len(phases) // 2]
        return np.clip((SHOWN - phases) / (SHOWN - middle), 0.0, 1.0)

    def heights(self, time: float) -> np.ndarray:
        """Wave elevation z at the strip boundaries [m], at `time` [s]."""
        w, a, k, e = self.waves.T
        waves = self.shares * np.cos(w * time + e - np.outer(self.along, k))
        return smooth_ramp(time, self.fade_in)[0] * (waves @ a)

    def seen(self, depth: np.ndarray, distance: float) -> np.ndarray:
        """Share of the water that is seen through haze at depths before the eye, whose target is at `distance` [m]."""
        return np.exp(-((depth / (HAZE * max(distance, self.reach))) ** 2))

    def at(self, time: float, eye: np.ndarray) -> Surface:
        heights = self.heights(time)
        surface = Surface(self, heights, 1.0)
        return surface if eye[2] > surface.level(eye) else Surface(self, heights, -1.0)


@dataclass(frozen=True)
class Surface:
    """Water surface at one time; `side` is 1 with the eye above it, -1 below."""

    water: Water
    heights: np.ndarray
    side: float

    def level(self, points: np.ndarray) -> np.ndarray:
        """Wave elevation at the points' x, y [m]."""
        return np.interp(points[..., :2] @ self.water.heading, self.water.along, self.heights)

    def pieces(self) -> np.ndarray:
        """Corners of all pieces, (strips, columns, 4, 3)."""
        (c, s), along, across = self.water.heading, self.water.along[:, None], self.water.across
        points = np.empty((len(along), len(across), 3))
        points[..., 0], points[..., 1] = c * along - s * across, s * along + c * across
        points[..., 2] = self.heights[:, None]
        return np.stack((points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]), axis=2)

    def light(self) -> np.ndarray:
        """Brightness on each line, 0 to 1; slopes that face the oncoming waves are brighter."""
        return np.clip(0.5 + SLOPE * np.gradient(self.heights, self.water.along), 0.0, 1.0)


def water_of(blocks: Iterable[Block], middle: np.ndarray, ground: float) -> Water | None:
    """Surface of the model's highest sea, beyond radius `ground` around `middle`; None without a sea."""
    sea = max((block for block in blocks if isinstance(block, Sea)), key=lambda sea: sea.Hs, default=None)
    if sea is None:
        return None
    reach = REACH * ground
    heading = np.array([np.cos(sea.direction), np.sin(sea.direction)])
    w, a, phase = sea.waves()
    k = wave_number(w, sea.depth)
    along = middle[:2] @ heading + _lines(reach, STRIPS)
    across = middle[:2] @ [-heading[1], heading[0]] + _lines(reach, COLUMNS)
    e = phase + k * (np.array(sea.position) @ heading)  # phases of the block are those where it stands
    shown = k * 2.0 * reach / STRIPS < SHOWN
    return Water(heading, np.stack((w, a, k, e), axis=1)[shown], sea.fade_in, along, across, reach)


def _lines(reach: float, count: int) -> np.ndarray:
    """Places of lines about 0: `count` even spaces up to `reach` on both sides, then growing ones up to FAR."""
    space, outer = 2.0 * reach / count, [reach]
    while outer[-1] < FAR * reach:
        space *= WIDER
        outer.append(outer[-1] + space)
    beyond = np.array(outer[1:])
    return np.concatenate((-beyond[::-1], np.linspace(-reach, reach, count + 1), beyond))
