"""Poses of frames, and mass properties that transform with them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from . import rotations

Turns = tuple[tuple[tuple[float, ...], float], ...]


@dataclass
class Pose:
    """Pose of a frame in another: position, rotation matrix R; `turns` is the rotation as the source wrote it, if
    known."""

    at: np.ndarray = field(default_factory=lambda: np.zeros(3))
    R: np.ndarray = field(default_factory=lambda: np.eye(3))
    turns: Turns | None = None

    @classmethod
    def of(cls, at: tuple[float, ...], turns: Turns) -> Pose:
        kept = tuple((axis, angle) for axis, angle in turns if angle)
        return cls(np.array(at, float), rotations.rotation_of_turns(kept), kept)

    def __matmul__(self, inner: Pose) -> Pose:
        """The pose of what stands at `inner` in this frame."""
        at = self.at + self.R @ inner.at
        if not self.turned:
            return Pose(at, inner.R, inner.turns)
        if not inner.turned:
            return Pose(at, self.R, self.turns)
        return Pose(at, self.R @ inner.R)

    def inverse(self) -> Pose:
        return Pose(-self.R.T @ self.at, self.R.T)

    @property
    def turned(self) -> bool:
        return bool(np.abs(self.R - np.eye(3)).max() > 1e-15)

    @property
    def identity(self) -> bool:
        return not self.turned and not self.at.any()


@dataclass
class Inertia:
    """Mass, com, and inertia about the com, in one frame's axes."""

    mass: float = 0.0
    com: np.ndarray = field(default_factory=lambda: np.zeros(3))
    about_com: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))

    def seen_from(self, pose: Pose) -> Inertia:
        """Inertia in the frame in which the present frame stands at `pose`."""
        return Inertia(self.mass, pose.at + pose.R @ self.com, pose.R @ self.about_com @ pose.R.T)

    def __add__(self, other: Inertia) -> Inertia:
        mass = self.mass + other.mass
        if mass == 0.0:
            return Inertia()
        com = (self.mass * self.com + other.mass * other.com) / mass
        return Inertia(mass, com, self.about(com) + other.about(com))

    def about(self, point: np.ndarray) -> np.ndarray:
        """Parallel axes: about a point instead of the com."""
        K = rotations.skew(self.com - point)
        return self.about_com - self.mass * K @ K

    def scaled(self, factor: float) -> Inertia:
        return Inertia(self.mass * factor, self.com, self.about_com * factor)
