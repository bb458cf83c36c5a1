"""Stress colours of links by their gauges, of flexible bodies by their modes. Pure numpy: no Qt.

Between two gauges of a link the stress is interpolated linearly, beyond the outermost it is constant; a face of a
flexible body has the mean of its corners. Where each sensor, and a sensor of each flexible body, has an allowable
stress, colours show the utilisation; else the share of the largest stress so far.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np

from .face_arrays import Mesh
from .link_gauges import Gauge
from .scene_model import Scene, frame_at
from .scene_shapes import Bend

COLOURS = ("#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725")
OVER = "#d62728"
UNSTRESSED = "#b8b8b8"  # of what has no stress: no colour of the scale
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


@dataclass(frozen=True)
class BentBody:
    """Faces of a flexible body whose stresses follow from its modal coordinates."""

    bend: Bend
    modes: list[str]  # signals of the modal coordinates
    faces: np.ndarray  # numbers of its faces
    points: np.ndarray  # (faces, 4): of their corners among those of `bend`

    def stresses(self, eta: np.ndarray) -> np.ndarray:
        """Stress of each face [Pa]: the mean of its corners."""
        assert self.bend.stresses is not None
        return self.bend.stresses(eta)[self.points].mean(axis=1)


def _bodies(mesh: Mesh) -> Iterator[BentBody]:
    """Flexible bodies of a mesh whose stresses are known."""
    for bend, first, points in mesh.bends:
        if bend.stresses is None:
            continue
        faces = first // 4 + np.arange(len(points) // 4)
        count = bend.shapes.shape[2]
        name = f"{mesh.blocks[first // 4]}.mode"
        modes = [f"{name}[{j}]" for j in range(count)] if count > 1 else [name]
        yield BentBody(bend, modes, faces, points.reshape(-1, 4))


class Stresses:
    """Stress colours of one mechanism and one run, which may hold only some of the signals."""

    def __init__(self, scene: Scene, values: Values):
        self.scene, self.values = scene, values
        known = set(values.columns)
        self.bodies = [one for one in _bodies(scene.mesh) if known.issuperset(one.modes)]
        all_gauges = [gauge for own in scene.gauges.values() for gauge in own]
        limits = [
            *(gauge.share in known for gauge in all_gauges if gauge.measured),
            *(one.bend.allowable for one in self.bodies),
        ]
        self.shares = bool(limits) and all(limits)
        self.gauges = {
            link: seen
            for link, own in scene.gauges.items()
            if (seen := [gauge for gauge in own if known.issuperset(self._signals(gauge))])
        }
        self.largest = 0.0
        self._faces = {link: self._along(link) for link in self.gauges}

    @property
    def empty(self) -> bool:
        """True if the run holds no stress that could be shown."""
        return not self.gauges and not self.bodies

    def _signals(self, gauge: Gauge) -> Sequence[str]:
        return [gauge.share] if self.shares else gauge.signals

    def _level(self, gauge: Gauge, time: float) -> float:
        """Utilisation, or stress [Pa]."""
        read = partial(self.values.at, time=time)
        return read(gauge.share) if self.shares else gauge.stress(read)

    def _along(self, link: str) -> tuple[np.ndarray, np.ndarray]:
        """Face indices of a link, and the positions of their centres along it at the start [m]."""
        scene = self.scene
        faces = np.flatnonzero(np.array(scene.mesh.blocks) == link)
        middles = scene.mesh.vertices(scene.start).reshape(-1, 4, 3)[faces].mean(axis=1)
        a, b = (frame_at(scene, scene.start, f"{link}.{port}")[1] for port in ("frame_a", "frame_b"))
        length = float(np.linalg.norm(b - a))
        return faces, (middles - a) @ (b - a) / length if length else np.zeros(len(faces))

    def colours(self, time: float) -> list[str]:
        """Colours of all faces at `time` [s]; grey without a stress, their own if nothing has one."""
        own = self.scene.mesh.colours
        colours = list(own) if self.empty else [UNSTRESSED] * len(own)
        levels: list[tuple[np.ndarray, np.ndarray]] = []
        for link, own in self.gauges.items():
            faces, along = self._faces[link]
            read = [self._level(gauge, time) for gauge in own]
            levels.append((faces, np.interp(along, [gauge.at for gauge in own], read)))
            self._see(np.array(read))
        for one in self.bodies:
            stress = one.stresses(np.array([self.values.at(name, time) for name in one.modes]))
            levels.append(
                (one.faces, stress / one.bend.allowable if self.shares and one.bend.allowable else stress)
            )
            self._see(levels[-1][1])
        top = 1.0 if self.shares else self.largest
        for faces, each in levels:
            for face, level in zip(faces.tolist(), each.tolist(), strict=True):
                colours[face] = colour_at(level / top if top > 0 else 0.0)
        return colours

    def _see(self, values: np.ndarray) -> None:
        """Remember the largest value so far."""
        self.largest = float(np.max(values, initial=self.largest, where=np.isfinite(values)))

    @property
    def scale(self) -> Scale | None:
        """Colour scale; None if nothing is coloured."""
        if self.empty:
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
