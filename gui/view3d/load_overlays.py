"""Load overlays of the 3-D view: arrows of joint forces and torques, stress colours."""

from __future__ import annotations

import numpy as np

from ..run.run_history import History
from ..theme.number_format import quantity_text
from .canvas3d import Canvas3D
from .scene_model import Scene, frame_at
from .scene_shapes import Arrow, place
from .stress_colours import Stresses

SHOWN = {
    "frames": ("Frames", "The axes of all frames: x red, y green, z blue"),
    "gravity": ("Gravity", "An arrow along gravity"),
    "forces": (
        "Forces in Joints",
        "What each joint's inner side exerts on its outer body, recorded as total_force",
    ),
    "torques": ("Torques in Joints", "The same, recorded as total_torque"),
    "contacts": (
        "Contacts",
        "Where shapes touch, red beyond their roundings, with normal forces at rest; and least distances of clearances",
    ),
    "stresses": (
        "Stresses",
        "Links in the colours of their stresses, by recorded section sensors or by the forces in a flexible link",
    ),
    "rest": ("Pose at the Start", "The mechanism as it stood at the start, drawn transparent"),
    "shadow": ("Shadow", "The shadow on the ground"),
    "water": ("Water", "The sea that waves or a vessel_motion of the model is in, around the mechanism"),
    "grid": ("Ground", "The grid of the ground"),
}
NO_STRESS = "no stresses: flexible links, flexible bodies and section_sensors have them"
NOT_RECORDED = "no stresses: the run has recorded none"
NEAR = 0.02  # s: rows this near to a picture are looked at
NOISE = 1e-9  # N, N*m
LONGEST = 0.2  # length of the largest arrow so far, in units of the mechanism's size
UNITS = {"forces": "N", "torques": "N*m"}
KINDS = {"forces": "total_force", "torques": "total_torque"}


class LoadOverlays:
    """Load overlays of a run, with one arrow scale and one colour scale per run."""

    def __init__(self, canvas: Canvas3D):
        self._canvas = canvas
        self._reactions: Reactions | None = None
        self._stresses: Stresses | None = None

    def show(self, pose: np.ndarray, history: History | None, moment: float | None) -> None:
        """Show a pose with the selected overlays at time `moment` [s]; without a time there are none."""
        look = self._canvas.look
        look.time, look.legend, look.reason = moment or 0.0, "", self._why_grey()
        if self._canvas.scene is None or history is None or moment is None:
            look.clear_colours()
            self._canvas.show_pose(pose)
            return
        if look.stresses:
            stresses = self._stresses_of(history)
            look.colour(stresses, moment)
            look.reason = look.reason or (NOT_RECORDED if stresses.empty else "")
        else:
            look.clear_colours()
        self._canvas.show_pose(pose, self._arrows(history, moment, pose))

    def _why_grey(self) -> str:
        """Why a model has no colours of stresses, where they are wanted."""
        scene = self._canvas.scene
        return NO_STRESS if self._canvas.look.stresses and scene is not None and not scene.stressed else ""

    def forget(self) -> None:
        """Look for what is shown beside the mechanism anew."""
        self._reactions = self._stresses = None

    def _arrows(self, history: History, moment: float, pose: np.ndarray) -> list[Arrow]:
        wanted = [kind for kind in KINDS if getattr(self._canvas.look, kind)]
        scene = self._canvas.scene
        if not wanted or scene is None:
            return []
        known = self._reactions
        if known is None or known.scene is not scene or known.history is not history:
            known = self._reactions = Reactions(scene, history)
        arrows = [arrow for kind in wanted for arrow in known.arrows(kind, moment, pose)]
        sizes = [_size_text(known.largest[kind], kind) for kind in wanted if known.largest[kind] > NOISE]
        self._canvas.look.legend = f"longest arrow so far {', '.join(sizes)}" if sizes else ""
        return arrows

    def _stresses_of(self, history: History) -> Stresses:
        scene, known = self._canvas.scene, self._stresses
        assert scene is not None
        if known is None or known.scene is not scene or known.values is not history:
            known = self._stresses = Stresses(scene, history)
        return known


class Reactions:
    """Reaction arrows of one run; forces and torques have one scale each, which only shrinks during the run."""

    def __init__(self, scene: Scene, history: History):
        self.scene, self.history = scene, history
        self.largest = dict.fromkeys(KINDS, 0.0)
        self.names = {
            kind: [
                block
                for block in scene.resolved
                if f"{block}.frame_b" in scene.frames and f"{block}.{signal}[0]" in history.index
            ]
            for kind, signal in KINDS.items()
        }

    def arrows(self, kind: str, time: float, pose: np.ndarray) -> list[Arrow]:
        """Arrows of joint forces or torques on the body of frame_b, at frame_b, at `time` [s]."""
        blocks = self.names[kind]
        columns = [f"{block}.{KINDS[kind]}[{k}]" for block in blocks for k in range(3)]
        times, values = self.history.read(columns, time - NEAR, time + NEAR)
        if not len(times):
            return []
        row = int(np.abs(times - time).argmin())
        if abs(times[row] - time) > NEAR:
            return []
        vectors = np.array([value[row] for value in values]).reshape(-1, 3)
        lengths = np.linalg.norm(vectors, axis=1)
        self.largest[kind] = max(self.largest[kind], float(lengths.max(initial=0.0)))
        if not np.isfinite(self.largest[kind]) or self.largest[kind] < NOISE:
            return []
        scale = LONGEST * self.scene.size / self.largest[kind]
        arrows = []
        for block, vector, size in zip(blocks, vectors, lengths, strict=True):
            frame = self.scene.resolved[block]
            R = np.eye(3) if frame == "world" else frame_at(self.scene, pose, frame)[0]
            at = place(pose, *self.scene.frames[f"{block}.frame_b"])
            words = f"{block}.{KINDS[kind]}: {_size_text(float(size), kind)}"
            arrows.append(Arrow(at, scale * (R @ vector), double=kind == "torques", words=words))
        return arrows


def _size_text(size: float, kind: str) -> str:
    """Size of a force or a torque with its unit."""
    return quantity_text(size, UNITS[kind], size, 3)
