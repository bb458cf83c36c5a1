"""An orbiting camera. Pure numpy: nothing here knows Qt."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

FIELD = 0.7  # rad, vertical


@dataclass
class Camera:
    azimuth: float = -0.9
    elevation: float = 0.32
    distance: float = 5.0
    target: np.ndarray = field(default_factory=lambda: np.zeros(3))

    def axes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Right, up, and towards the eye."""
        ca, sa = np.cos(self.azimuth), np.sin(self.azimuth)
        ce, se = np.cos(self.elevation), np.sin(self.elevation)
        towards = np.array([ce * ca, ce * sa, se])
        right = np.array([-sa, ca, 0.0])
        return right, np.cross(towards, right), towards

    def project(self, points: np.ndarray, width: float, height: float) -> np.ndarray:
        """(n, 3) -> (n, 3): pixels, and depth in front of the eye."""
        right, up, towards = self.axes()
        local = np.asarray(points, float) - self.target
        depth = self.distance - local @ towards
        scale = self.pixels_per_metre(height) * self.distance / np.maximum(depth, 0.02 * self.distance)
        return np.column_stack(
            (width / 2 + scale * (local @ right), height / 2 - scale * (local @ up), depth)
        )

    def pixels_per_metre(self, height: float) -> float:
        """At the target."""
        return height / (2 * self.distance * np.tan(FIELD / 2))

    def orbit(self, dx: float, dy: float) -> None:
        self.azimuth -= 0.008 * dx
        self.elevation = float(np.clip(self.elevation + 0.008 * dy, -1.55, 1.55))

    def pan(self, dx: float, dy: float, height: float) -> None:
        right, up, _ = self.axes()
        scale = 1.0 / self.pixels_per_metre(height)
        self.target = self.target - right * dx * scale + up * dy * scale

    def zoom(self, factor: float) -> None:
        self.distance = float(np.clip(self.distance / factor, 1e-3, 1e6))

    def look_at(self, middle: np.ndarray, size: float) -> None:
        self.target = np.array(middle, float)
        self.distance = max(1.9 * size, 1e-3)
