"""The sea around a mechanism, as its waves run through it: a sheet of strips along crests. Pure numpy: no Qt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...blocks.block import Block
from ...blocks.environment.random_harmonics import fade
from ...blocks.environment.sea_spectrum import Sea, wave_number

STRIPS = 80
REACH = 1.6  # of the grid's
WHOLE = 0.6  # of that reach: from here on the water fades into the sky
CUT = -1  # in place of a side: where a face meets the water
SLOPE = 2.5  # by which a slope of the surface is light or dark


@dataclass(frozen=True)
class Water:
    """z = sum of a cos(w t - k s + e) over the distance s along the way of the waves; calm water is the plane z = 0."""

    heading: np.ndarray  # (2,) unit vector along which waves run
    waves: np.ndarray  # (n, 4): w, a, k, e; none so short that six strips do not show it
    fade_in: float
    along: np.ndarray  # (STRIPS + 1,) s of the lines between strips
    across: np.ndarray  # (4,) of their ends, and between them of the places where they begin to fade

    def heights(self, time: float) -> np.ndarray:
        """Of the lines between strips."""
        w, a, k, e = self.waves.T
        return fade(time, self.fade_in)[0] * (np.cos(w * time + e - np.outer(self.along, k)) @ a)

    @property
    def faded(self) -> np.ndarray:
        """Of each strip, 0 in the middle to 1 where the sky begins."""
        from_middle = np.abs(np.linspace(-1.0, 1.0, STRIPS + 1)[1:] - 1.0 / STRIPS)
        return np.clip((from_middle - WHOLE) / (1.0 - WHOLE), 0.0, 1.0)

    def at(self, time: float, eye: np.ndarray) -> Surface:
        heights = self.heights(time)
        surface = Surface(self, heights, 1.0)
        return surface if surface.before(eye) > 0.0 else Surface(self, heights, -1.0)


@dataclass(frozen=True)
class Surface:
    """The water at one time, from the side where the eye is: 1 above it, -1 below."""

    water: Water
    heights: np.ndarray
    side: float

    def before(self, points: np.ndarray) -> np.ndarray:
        """How far points are from the water, on the side of the eye."""
        return self.side * (points[..., 2] - self.level(points))

    def level(self, points: np.ndarray) -> np.ndarray:
        """Of the water above or below points."""
        return np.interp(points[..., :2] @ self.water.heading, self.water.along, self.heights)

    def strips(self) -> np.ndarray:
        """Three pieces each with four corners, (STRIPS, 3, 4, 3)."""
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
        """0 to 1 for each strip: the side from which waves come lies in the light."""
        return np.clip(0.5 + SLOPE * np.diff(self.heights) / np.diff(self.water.along), 0.0, 1.0)


def water_of(blocks: Iterable[Block], middle: np.ndarray, ground: float) -> Water | None:
    """The highest sea of a model, beyond a ground around a place; none where no block stands in a sea."""
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


def cut(points: np.ndarray, before: np.ndarray, closed: bool) -> tuple[np.ndarray, list[int]]:
    """What of a polygon, or of a chain, has `before` > 0; of each point in it the side that begins there, or CUT."""
    kept, sides, count = [], [], len(points)
    for k in range(count):
        after = (k + 1) % count
        here, there = before[k], before[after]
        if here > 0.0:
            kept.append(points[k])
            sides.append(k)
        if (here > 0.0) != (there > 0.0) and (closed or after):
            kept.append(points[k] + here / (here - there) * (points[after] - points[k]))
            sides.append(CUT if here > 0.0 else k)
    return np.array(kept).reshape(-1, 3), sides
