"""Stress colours of links, from the section sensors of a run. Pure numpy: no Qt.

Between two sensors of a link the stress is interpolated linearly, beyond the outermost it is constant. Where every
sensor has an allowable stress, colours show the utilisation; else the share of the largest stress so far.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .scene_model import Gauge, Scene, frame_at

COLOURS = ("#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725")
OVER = "#d62728"
STEPS = 28  # colours that are told apart


@dataclass(frozen=True)
class Scale:
    """Colour scale with its title and numbers at their places, from 0 to 1 along it."""

    colours: tuple[str, ...]
    title: str
    ticks: tuple[tuple[float, str], ...]
    over: str = ""  # colour of values beyond the scale


class Values(Protocol):
    """Signals over time."""

    @property
    def columns(self) -> list[str]: ...
    def at(self, name: str, time: float) -> float: ...


class Stresses:
    """Stress colours of one mechanism and one run, which may hold only some of the signals."""

    def __init__(self, scene: Scene, values: Values):
        self.scene, self.values = scene, values
        known = set(values.columns)
        all_gauges = [gauge for own in scene.gauges.values() for gauge in own]
        self.shares = bool(all_gauges) and all(gauge.share in known for gauge in all_gauges)
        self.gauges = {
            link: seen
            for link, own in scene.gauges.items()
            if (seen := [gauge for gauge in own if self._signal(gauge) in known])
        }
        self.largest = 0.0
        self._faces = {link: self._along(link) for link in self.gauges}

    def _signal(self, gauge: Gauge) -> str:
        return gauge.share if self.shares else gauge.stress

    def _along(self, link: str) -> tuple[np.ndarray, np.ndarray]:
        """Face indices of a link, and the positions of their centres along it at the start [m]."""
        scene = self.scene
        faces = np.flatnonzero(np.array(scene.mesh.blocks) == link)
        middles = scene.mesh.vertices(scene.start).reshape(-1, 4, 3)[faces].mean(axis=1)
        a, b = (frame_at(scene, scene.start, f"{link}.{port}")[1] for port in ("frame_a", "frame_b"))
        length = float(np.linalg.norm(b - a))
        return faces, (middles - a) @ (b - a) / length if length else np.zeros(len(faces))

    def colours(self, time: float) -> list[str]:
        """Colours of all faces at `time` [s]; links without a sensor keep their own."""
        colours = list(self.scene.mesh.colours)
        read = {
            link: [self.values.at(self._signal(gauge), time) for gauge in own]
            for link, own in self.gauges.items()
        }
        finite = [value for own in read.values() for value in own if np.isfinite(value)]
        self.largest = max(self.largest, *finite) if finite else self.largest
        top = 1.0 if self.shares else self.largest
        for link, own in read.items():
            faces, along = self._faces[link]
            levels = np.interp(along, [gauge.at for gauge in self.gauges[link]], own)
            for face, level in zip(faces.tolist(), levels.tolist(), strict=True):
                colours[face] = colour_at(level / top if top > 0 else 0.0)
        return colours

    @property
    def scale(self) -> Scale | None:
        """Colour scale; None if nothing is coloured."""
        if not self.gauges:
            return None
        colours = tuple(colour_at(k / STEPS) for k in range(STEPS + 1))
        if self.shares:
            return Scale(
                colours,
                "share of the allowable stress",
                tuple((k / 2, f"{50 * k} %") for k in range(3)),
                OVER,
            )
        ticks = tuple((k / 2, f"{k / 2 * self.largest / 1e6:.3g}") for k in range(3))
        return Scale(colours, "stress [MPa], up to the largest so far", ticks)


def colour_at(share: float) -> str:
    """Colour of a share from 0 to 1, in steps; a separate colour beyond 1, grey for NaN."""
    if not np.isfinite(share):
        return "#808080"
    if share > 1.0 + 1e-9:
        return OVER
    place = round(max(share, 0.0) * STEPS) / STEPS * (len(COLOURS) - 1)
    k = min(int(place), len(COLOURS) - 2)
    low, high = (np.array([*bytes.fromhex(COLOURS[j][1:])], float) for j in (k, k + 1))
    return "#" + bytes(np.round(low + (place - k) * (high - low)).astype(np.uint8).tolist()).hex()
