"""Menu of the 3-D view: where to look from, what the camera goes with, what is shown beside the mechanism."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from ...solver.diagram.view_section import CAB, FOLLOW, TIP
from .camera import VIEWS
from .canvas3d import FIT_KEY, PARALLEL_KEY, POSE_KEY, VIEW_KEYS, Canvas3D
from .frame_menus import StayingMenu, add_frames
from .load_overlays import SHOWN
from .mounted_camera import MountedCamera
from .scene_model import Scene

MOUNTS = {FOLLOW: "Follow", CAB: "Look out of", TIP: "Look down from"}


class ViewMenu(StayingMenu):
    """Menu of the 3-D view."""

    kept = Signal()  # the view is to be kept
    shown = Signal(str, bool)  # what is shown beside, and whether

    def __init__(self, canvas: Canvas3D) -> None:
        super().__init__(canvas)  # what it holds of the canvas goes with it
        self.canvas = canvas
        self.setToolTipsVisible(True)
        keys = {view: QKeySequence(key).toString() for key, view in VIEW_KEYS.items()}
        sides = self.addMenu("Look from")
        for view in VIEWS:
            text = f"{view.capitalize()}\t{keys[view]}"
            sides.addAction(text, lambda view=view: canvas.look_from(view))
        self.addAction(f"Fit\t{QKeySequence(FIT_KEY).toString()}", canvas.fit)
        parallel = self._switch(
            f"Parallel Projection\t{QKeySequence(PARALLEL_KEY).toString()}",
            "Lengths across the picture compare; without perspective",
        )
        parallel.triggered.connect(canvas.project_parallel)
        canvas.parallels.connect(parallel.setChecked)
        self.mount_menus = {camera: self.addMenu(text) for camera, text in MOUNTS.items()}
        for camera, mounts in self.mount_menus.items():
            mounts.aboutToShow.connect(
                lambda mounts=mounts, camera=camera: self._offer_frames(mounts, camera)
            )
        keep = self.addAction("Keep This View", self.kept.emit)
        keep.setToolTip("The model opens with it, and its films and pages begin with it")
        self.addSeparator()
        pose = self._switch(
            f"Pose by Dragging\t{QKeySequence(POSE_KEY).toString()}",
            "A drag moves bodies to where they are at the start; Ctrl and a drag does so at any time",
        )
        pose.toggled.connect(canvas.pose_by_drag)
        canvas.posing.connect(pose.setChecked)
        self.addSeparator()
        self.shown_beside: dict[str, QAction] = {}
        for name, (text, tip) in SHOWN.items():
            action = self.shown_beside[name] = self._switch(text, tip)
            action.setChecked(getattr(canvas.look, name))
            action.toggled.connect(lambda on, name=name: self.shown.emit(name, on))

    def _switch(self, text: str, tip: str) -> QAction:
        action = self.addAction(text)
        action.setToolTip(tip)
        action.setCheckable(True)
        return action

    def fit_to(self, scene: Scene) -> None:
        """Offer what a scene has: water in a sea."""
        self.shown_beside["water"].setVisible(scene.water is not None)

    def _offer_frames(self, menu: QMenu, camera: str) -> None:
        """Fill a menu with the frames that the camera can be attached to; the whole mechanism comes first."""
        menu.clear()
        chosen = self.canvas.mount
        current = chosen.frame if chosen is not None and chosen.camera == camera else ""

        def add(menu: QMenu, name: str, text: str) -> None:
            action = menu.addAction(text)
            action.setCheckable(True)
            action.setChecked(name == current)
            mount = MountedCamera(name, camera) if name else None
            action.triggered.connect(lambda _: self.canvas.attach_camera(mount))

        add(menu, "", "Nothing")
        add_frames(menu, self.canvas, add)
