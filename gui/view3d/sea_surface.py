"""Sea surface around a mechanism with its waves: strips along the crests. Pure numpy: no Qt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...blocks.block import Block
from ...blocks.environment.random_harmonics import smooth_ramp
from ...blocks.environment.sea_spectrum import Sea, wave_number

STRIPS = 80
REACH = 1.6  # extent of the water, in units of the grid's
WHOLE = 0.6  # share of REACH from which the water fades into the sky
SLOPE = 2.5  # change of brightness per slope of the surface


@dataclass(frozen=True)
class Water:
    """Wave surface z = sum of a cos(w t - k s + e), with s the distance along the heading; z = 0 in calm water."""

    heading: np.ndarray  # (2,) unit vector along which waves run
    waves: np.ndarray  # (n, 4): w, a, k, e; none so short that six strips do not show it
    fade_in: float
    along: np.ndarray  # (STRIPS + 1,) s of the lines between strips
    across: np.ndarray  # (4,) of their ends, and between them of the places where they begin to fade

    def heights(self, time: float) -> np.ndarray:
        """Wave elevation z at the strip boundaries [m], at `time` [s]."""
        w, a, k, e = self.waves.T
        return smooth_ramp(time, self.fade_in)[0] * (np.cos(w * time + e - np.outer(self.along, k)) @ a)

    @property
    def faded(self) -> np.ndarray:
        """Fade of each strip into the sky, 0 in the middle to 1 at the horizon."""
        from_middle = np.abs(np.linspace(-1.0, 1.0, STRIPS + 1)[1:] - 1.0 / STRIPS)
        return np.clip((from_middle - WHOLE) / (1.0 - WHOLE), 0.0, 1.0)

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

    def strips(self) -> np.ndarray:
        """Corners of the three pieces of each strip, (STRIPS, 3, 4, 3)."""
        (c, s), along = self.water.heading, self.water.along
        lines = np.stack(
            [
                np.stack((c * along - s * end, s * along + c * end, self.heights), axis=1)
                for end in self.water.across
            ],
            axis=1,
        )
        return np.stack((lines[:-1, :-1], lines[1:, :-1], lines[1:, 1:], lines[:-1, 1:]), axis=2)

    def light(self) -> np.ndarray:
        """Brightness of each strip, 0 to 1; slopes that face the oncoming waves are brighter."""
        return np.clip(0.5 + SLOPE * np.diff(self.heights) / np.diff(self.water.along), 0.0, 1.0)


def water_of(blocks: Iterable[Block], middle: np.ndarray, ground: float) -> Water | None:
    """Surface of the model's highest sea, beyond radius `ground` around `middle`; None without a sea."""
    sea = max((block for block in blocks if isinstance(block, Sea)), key=lambda sea: sea.Hs, default=None)
    if sea is None:
        return None
    reach = REACH * ground
    heading = np.array([np.cos(sea.direction), np.sin(sea.direction)])
    w, a, phase = sea.waves()
    k = wave_number(w, sea.depth)
    along = middle[:2] @ heading + np.linspace(-reach, reach, STRIPS + 1)
    across = middle[:2] @ [-heading[1], heading[0]] + reach * np.array([-1.0, -WHOLE, WHOLE, 1.0])
    e = phase + k * (np.array(sea.position) @ heading)  # phases of the block are those where it stands
    shown = k * (along[1] - along[0]) < np.pi / 3.0
    return Water(heading, np.stack((w, a, k, e), axis=1)[shown], sea.fade_in, along, across)
