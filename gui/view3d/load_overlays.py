"""Load overlays of the 3-D view: arrows of joint forces and torques, stress colours."""

from __future__ import annotations

import numpy as np

from ..run.run_history import History
from .canvas3d import Canvas3D
from .reaction_arrows import KINDS, Reactions
from .scene_shapes import Arrow
from .stress_colours import Stresses

SHOWN = {
    "frames": ("Frames", "The axes of all frames: x red, y green, z blue"),
    "gravity": ("Gravity", "An arrow along gravity"),
    "forces": (
        "Forces in Joints",
        "What each joint's inner side exerts on its outer body, recorded as total_force",
    ),
    "torques": ("Torques in Joints", "The same, recorded as total_torque"),
    "stresses": (
        "Stresses",
        "Links in the colours of their stresses, by section sensors whose stresses are recorded",
    ),
    "rest": ("Pose at the Start", "The mechanism as it stood at the start, drawn transparent"),
    "shadow": ("Shadow", "The shadow on the ground"),
    "water": ("Water", "The sea that waves or a vessel_motion of the model is in, around the mechanism"),
    "grid": ("Ground", "The grid of the ground"),
}


class LoadOverlays:
    """Load overlays of a run, with one arrow scale and one colour scale per run."""

    def __init__(self, canvas: Canvas3D):
        self._canvas = canvas
        self._reactions: Reactions | None = None
        self._stresses: Stresses | None = None

    def show(self, pose: np.ndarray, history: History | None, moment: float | None) -> None:
        """Show a pose with the selected overlays at time `moment` [s]; without a time there are none."""
        look = self._canvas.look
        look.time = moment or 0.0
        if self._canvas.scene is None or history is None or moment is None:
            look.uncolour()
            self._canvas.show_pose(pose)
            return
        if look.stresses:
            look.colour(self._stresses_of(history), moment)
        else:
            look.uncolour()
        self._canvas.show_pose(pose, self._arrows(history, moment, pose))

    def _arrows(self, history: History, moment: float, pose: np.ndarray) -> list[Arrow]:
        wanted = [kind for kind in KINDS if getattr(self._canvas.look, kind)]
        scene = self._canvas.scene
        if not wanted or scene is None:
            return []
        known = self._reactions
        if known is None or known.scene is not scene or known.history is not history:
            known = self._reactions = Reactions(scene, history)
        return [arrow for kind in wanted for arrow in known.arrows(kind, moment, pose)]

    def _stresses_of(self, history: History) -> Stresses:
        scene, known = self._canvas.scene, self._stresses
        assert scene is not None
        if known is None or known.scene is not scene or known.values is not history:
            known = self._stresses = Stresses(scene, history)
        return known
