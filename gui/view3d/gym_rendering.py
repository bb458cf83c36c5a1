"""Rendered environments: `luff.gym.Env` and `VectorEnv` with pictures of their models."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...blocks import RunError
from ...solver.batch.gym import environment, vector_environment
from ...solver.simulation.simulation import Simulation

WIDTH, HEIGHT = 640, 480  # px of a picture
DRAWN: dict[str, Any] = {"render_modes": ["rgb_array"]}


class Drawing:
    """Renderer of one environment. Without a `view:` in the netlist, the camera widens to keep everything in view."""

    def __init__(self, sim: Simulation):
        try:
            from .film_encoding import Pictures, Shot
        except ImportError:
            raise RunError("pictures need PySide6", fix="pip install 'luff[gui]'") from None
        from .film import scene_shown

        self.program, self._scene = sim.program, scene_shown(sim)
        points = self._scene.points_at(self._scene.start)
        self._pictures = Pictures(self._scene, Shot(WIDTH, HEIGHT), points)
        self._ends = np.array([points.min(axis=0), points.max(axis=0)])

    def at(self, pose: np.ndarray, moment: float) -> np.ndarray:
        """Picture at a pose and a time [s]: (height, width, 3)."""
        points = np.concatenate([self._scene.points_at(pose), self._ends])
        ends = np.array([points.min(axis=0), points.max(axis=0)])
        if self._pictures.view is None and not np.array_equal(ends, self._ends) and np.all(np.isfinite(ends)):
            self._ends = ends
            self._pictures.fit(np.stack(np.meshgrid(*ends.T), axis=-1).reshape(-1, 3))
        return self._pictures.at(pose, moment)


def drawing_of(sim: Simulation, kept: Drawing | None) -> Drawing:
    """Reuse a drawing as long as the model is the same."""
    return kept if kept is not None and kept.program is sim.program else Drawing(sim)


def check_render_mode(mode: str | None) -> None:
    """Raise RunError unless the environment was made with a render mode."""
    if mode is None:
        fix = 'make the environment with render_mode="rgb_array"'
        raise RunError("found no render_mode, expected rgb_array", path="render", fix=fix)


class Env(environment.Env):
    __doc__ = environment.Env.__doc__

    metadata = DRAWN
    _drawing: Drawing | None = None

    def render(self) -> np.ndarray:  # type: ignore[override]  # of all that Gymnasium lets it give
        """Picture of the environment as an RGB array (height, width, 3)."""
        check_render_mode(self.render_mode)
        self._drawing = drawing_of(self.sim, self._drawing)
        return self._drawing.at(self.poses(), self.session.time)


class VectorEnv(vector_environment.VectorEnv):
    __doc__ = vector_environment.VectorEnv.__doc__

    metadata = DRAWN
    _drawings: tuple[Drawing | None, ...] = ()

    def render(self) -> tuple[np.ndarray, ...]:  # type: ignore[override]
        """One RGB array (height, width, 3) per environment."""
        check_render_mode(self.render_mode)
        kept = self._drawings or (None,) * self.num_envs
        self._drawings = made = tuple(
            drawing_of(*pair) for pair in zip([each.sim for each in self.envs], kept, strict=True)
        )
        return tuple(one.at(*about) for one, about in zip(made, self.poses(), strict=True))
