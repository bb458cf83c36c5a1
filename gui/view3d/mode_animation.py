"""Mode shape animation: poses that oscillate about an equilibrium, and their display in the 3-D view."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from ...blocks.errors import LuffError
from ...solver.analysis.buckling import loaded_point
from ...solver.analysis.operating_point import OperatingPoint
from ...solver.kernels import model_data
from .canvas3d import Canvas3D
from .row_poses import poses

if TYPE_CHECKING:
    from ...solver.analysis.buckling import Buckling
    from ...solver.analysis.natural_modes import Modes
    from ...solver.simulation.simulation import Simulation

FRAMES = 72  # frames of one period
PERIOD = 40  # ms between them
FITTED = 12  # of them, to which a view is fitted
MOVES, TURNS = (
    0.15,
    0.6,
)  # amplitudes: translation in units of the mechanism's size, rotation in rad
STEP = 1e-4  # step of the finite difference


def swing_under_load(sim: Simulation, buckling: Buckling, size: float) -> np.ndarray:
    """One period of a buckling mode about the equilibrium under the critical load."""
    loaded = loaded_point(sim, buckling.load, buckling.value, buckling.t)
    return swing_of(loaded, buckling.x, buckling.shape, size)


def swing_of_mode(sim: Simulation, modes: Modes, number: int, size: float) -> np.ndarray:
    """One period of mode `number` (1, 2, ...); memory states of blocks do not take part."""
    point = OperatingPoint(sim, modes.t)
    known = dict(zip(modes.state_names, modes.x, strict=True))
    x = np.array([known.get(name, own) for name, own in zip(point.sim.state_names, point.x, strict=True)])
    return swing_of(point, x, modes.shape(number), size)


def swing_of(point: OperatingPoint, x: np.ndarray, shape: Mapping[str, complex], size: float) -> np.ndarray:
    """Poses (FRAMES, rows, 12) over one period of a mode about state `x`, starting at the real part of the shape."""
    point.go(x)
    data, model = point.sim.instance.data, point.sim.program.model
    turning = {
        int(row): int(model.topo[row, model_data.QUAT])
        for row in np.flatnonzero(model.topo[:, model_data.KIND] == model_data.QUAT_X)
    }

    def coordinates(x: np.ndarray) -> np.ndarray:
        point.rates(x)
        return np.concatenate((data.q, data.quat.ravel()))

    def followed(x: np.ndarray) -> np.ndarray:
        """Coordinates at state `x` after projection onto the loop constraints."""
        point.go(x)
        return coordinates(x)

    def along(part: np.ndarray) -> np.ndarray:
        return (coordinates(x + STEP * part) - coordinates(x - STEP * part)) / (2 * STEP)

    def posed(rows: np.ndarray) -> np.ndarray:
        quats = rows[:, len(data.q) :].reshape(len(rows), -1, 4)
        return poses(model, rows[:, : len(data.q)], {row: quats[:, k] for row, k in turning.items()})

    mode = np.array([shape.get(name, 0.0) for name in point.sim.state_names])
    here, real, imaginary = coordinates(x), along(np.real(mode)), along(np.imag(mode))
    phase = np.linspace(0.0, 2.0 * np.pi, FRAMES, endpoint=False)[:, None]
    swing = np.cos(phase) * real - np.sin(phase) * imaginary
    slope = abs(posed(here + STEP * swing) - posed(here[None])).max(axis=(0, 1), initial=0.0) / STEP
    turns, moves = slope[:9].max(), slope[9:].max()
    scale = min(MOVES * size / max(moves, 1e-12), TURNS / max(turns, 1e-12))
    rates = np.ones(len(x), bool)
    rates[[*point.positions, *point.quaternions]] = False
    ways = np.where(rates, 0.0, np.cos(phase) * np.real(mode) - np.sin(phase) * np.imag(mode))
    for reach in (scale, 0.5 * scale, 0.25 * scale):
        with contextlib.suppress(LuffError):  # a loop that cannot close so far out
            return posed(np.array([followed(x + reach * way) for way in ways]))
    return posed(here + 0.25 * scale * swing)


class ModeAnimation(QObject):
    """Animation of a mode in place of the current picture, with the start as a ghost, until ended."""

    ended = Signal()

    def __init__(self, canvas: Canvas3D):
        super().__init__(canvas)
        self.canvas = canvas
        self.frames = np.zeros((0, 0, 12))
        self._before = canvas.pose, False
        self._k = 0
        self._timer = QTimer(self, interval=PERIOD)
        self._timer.timeout.connect(lambda: self._next() if canvas.isVisible() else None)

    @property
    def on(self) -> bool:
        return self._timer.isActive()

    def begin(self, frames: np.ndarray) -> None:
        self.end()
        self._before = self.canvas.pose, self.canvas.look.rest
        self.canvas.look.rest = True
        self.frames, self._k = frames, 0
        self._timer.start()
        self._fit()
        self._next()

    def _fit(self) -> None:
        """Fit the view to the poses, unless the user has moved the camera."""
        canvas, scene = self.canvas, self.canvas.scene
        if scene is not None and not scene.empty and not canvas.by_hand:
            canvas.begin_motion()
            some = self.frames[:: max(1, len(self.frames) // FITTED)]
            canvas.extend_view(np.concatenate([scene.points_at(pose) for pose in some]))
            canvas.fit()

    def end(self) -> None:
        """Stop the animation and restore the previous picture."""
        if self.on:
            self._timer.stop()
            pose, self.canvas.look.rest = self._before
            self.canvas.show_pose(pose)
            self.ended.emit()

    def _next(self) -> None:
        self.canvas.show_pose(self.frames[self._k])
        self._k = (self._k + 1) % len(self.frames)
