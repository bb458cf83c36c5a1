"""Widget of the 3-D view: scene, camera and mouse handling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from ...blocks.errors import LuffError
from ...blocks.text.raw_types import RawMap
from ..theme.active_theme import theme
from . import depth_image
from .axes_gizmo import Gizmo, Knob, described
from .camera import Camera, MotionExtent
from .mounted_camera import MountedCamera, apply_view, kept
from .painter import SCALE, Handle, Look, Painting, sky
from .scene_model import Scene
from .scene_shapes import Arrow, place

VIEW_KEYS = {
    Qt.Key.Key_0: "iso",
    Qt.Key.Key_1: "front",
    Qt.Key.Key_2: "side",
    Qt.Key.Key_3: "top",
    Qt.Key.Key_4: "back",
    Qt.Key.Key_5: "left",
    Qt.Key.Key_6: "bottom",
}
POSE_KEY, FIT_KEY, PARALLEL_KEY = Qt.Key.Key_P, Qt.Key.Key_Space, Qt.Key.Key_O
AWAITS = "A mechanism shows here once it compiles"
LOOK_AGAIN = 100  # ms
PREPARES = "The picture is being prepared"
GROWN = 4.0  # change of size from which a mechanism is shown anew
CLICK = 4.0  # px that a click may move
CLEAR, LOWEST = 8, 100  # px between mechanism and controls, and of the height


class Grip(Protocol):
    """Drag interface of a body held at one of its points."""

    @property
    def pose(self) -> np.ndarray: ...
    def pull(self, row: int, point: np.ndarray, target: np.ndarray) -> None: ...


class Canvas3D(QWidget):
    posed = Signal(object)  # the Grip that was let go
    posing = Signal(bool)  # True if a drag moves bodies instead of the camera
    parallels = Signal(bool)  # the projection is without perspective, or with it
    picked = Signal(str)  # a frame, by a double click
    chosen = Signal(str, bool)  # a block, or empty for the ground; and whether it adds to what is selected

    def __init__(self) -> None:
        super().__init__()
        self.camera, self.look = Camera(), Look()
        self.scene: Scene | None = None
        self.pose = np.zeros((0, 12))
        self._last: QPointF | None = None
        self._pressed: QPointF | None = None
        self._seen = MotionExtent()  # hull of the motion so far
        self._by_side = False  # the projection is parallel as the view is from a side
        self.by_hand = False  # the user has moved the camera
        self._own_side = True  # the view has chosen the side that it shows
        self.mount: MountedCamera | None = None  # attachment of the camera; None for a fixed one
        self.anew = False  # the next scene is of another document
        self.hold: Callable[[Handle], Grip | None] = lambda handle: None
        self.poses = False  # without Ctrl too
        self.awaits = AWAITS
        self.top = 0.0  # px, behind the controls
        self._scaled = 0.0  # px, below the picture that is shown
        self._held: tuple[Handle, Grip | None] | None = None
        self.setMinimumSize(220, LOWEST)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("3-D view")

    def show_scene(self, scene: Scene) -> None:
        """Show a scene: a new mechanism from its `view:` or its most informative side; a changed one with the camera
        kept unless all of it would be out of the picture, or, where no hand has moved the camera, some of it, or it is
        of quite another size."""
        self.let_go()
        before, self.camera.up = self.scene, scene.up
        grown = scene.size / before.size if before is not None else 1.0
        self.scene, self.pose, self.look.arrows = scene, scene.start, ()
        self.look.clear_colours()
        other, self.anew = before is None or before.empty or self.anew, False
        self.begin_motion()
        if other:
            self._begin(scene)
        elif not self._stays(scene, grown):
            self.by_hand = False
            self._stand_back()
        self.update()

    def _stays(self, scene: Scene, grown: float) -> bool:
        """True if a changed mechanism is shown by the camera as it stands."""
        points = scene.drawn_at(scene.start)
        if self.by_hand:
            return not self.camera.misses(points, self.width(), self.height(), self.top)
        return 1.0 / GROWN < grown < GROWN and self._shows(points)

    def begin_motion(self) -> None:
        """Forget where the mechanism has been: what is fitted is its start and what moves from there."""
        self._seen = MotionExtent()
        if self.scene is not None:
            self._seen.add(self.scene.points_at(self.scene.start), 0.0)

    def show_pose(self, pose: np.ndarray, arrows: Sequence[Arrow] = ()) -> None:
        if self.look.contacts and self.scene is not None and self.scene.contacts is not None:
            arrows = [*arrows, *self.scene.contacts.arrows(pose, self.scene.size)]
        self.pose, self.look.arrows = pose, arrows
        scaled, self._scaled = self._scaled, self._bottom
        if self.scene is not None:
            if self._scaled != scaled and not (self.by_hand or self.scene.empty):
                self._stand_back()
            tips = np.array([arrow.at + arrow.vector for arrow in arrows]).reshape(-1, 3)
            self.extend_view(np.concatenate((self.scene.points_at(pose), tips)))
        self.update()

    def extend_view(self, points: np.ndarray, room: float = 0.05) -> None:
        """Extend the fitted region by points; the camera stands back where they leave the picture, unless the user
        has moved it."""
        if self.scene is None or self.scene.empty:
            return
        outside = self._seen.add(points, room * self.scene.size) and not self.by_hand
        if outside and not self._shows(points):
            self._stand_back()
            self.update()

    def select(self, blocks: frozenset[str]) -> None:
        if blocks != self.look.selected:
            self.look.selected = blocks
            self.update()

    def _begin(self, scene: Scene) -> None:
        self.home()
        if scene.first_view is not None:
            with suppress(LuffError):  # a frame that is in no mechanism
                self.mount = apply_view(self.camera, scene.first_view, scene)
                self.by_hand = True
                self.project_parallel(self.camera.parallel)

    def kept(self) -> RawMap:
        """Current camera as a `view:` section of the netlist."""
        if self.mount is not None and self.scene is not None:
            self.mount.carry(self.camera, self.scene, self.pose)
        return kept(self.camera, self.mount)

    def home(self) -> None:
        """Show everything, wherever it has moved, from the most informative side."""
        self.mount = None
        if self.scene and not self.scene.empty:
            self.look_from("iso")
            self._own_side = True
            self.camera.show_most(self.scene.points_at(self.pose))
            self._stand_back()

    @property
    def may_turn(self) -> bool:
        """True while the user has neither chosen a side nor moved the camera."""
        return self._own_side and not self.by_hand and self.camera.stands_around

    def fit(self) -> None:
        """Show everything, wherever it has moved, from the side the camera looks from; detach it from a frame."""
        if self.mount is not None:
            self.home()
        elif self.scene and not self.scene.empty:
            self.by_hand = False
            self._stand_back()
            self.update()

    def look_from(self, view: str) -> None:
        """Look from a side, without perspective but from the corner, as drawings do."""
        if self.scene:
            self._own_side = False
            self.camera.look_from(view)
            self.project_parallel(view != "iso")
            self._by_side = self.camera.parallel
            if self.mount is None:
                self.fit()
            self.update()

    def orbit(self, across: float, down: float) -> None:
        """Turn; a side that was looked from without perspective has it again."""
        if self._by_side:
            self.project_parallel(False)
        self.camera.orbit(across, down)

    def project_parallel(self, on: bool) -> None:
        """Project without perspective, or with it; a camera on a frame keeps its perspective."""
        on, self._by_side = on and self.mount is None, False
        if on != self.camera.parallel:
            self.camera.parallel = on
            self.parallels.emit(on)
            if not self.by_hand:
                self._stand_back()
            self.update()

    def attach_camera(self, mount: MountedCamera | None) -> None:
        """Attach the camera to a frame; with None, show everything from a fixed camera."""
        self.mount, self.by_hand = mount, mount is not None
        self.project_parallel(self.camera.parallel)
        if mount is None:
            self.home()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.scene is not None and not self.scene.empty and not self.by_hand:
            self._stand_back()

    def _stand_back(self) -> None:
        """Fit all that has been seen: beside the controls where it stands clear of them, else below them."""
        points, size = self._seen.points, (self.width(), self.height())
        self.camera.fit(points, *size, 0.0, self._bottom)
        if self._covered(points):
            self.camera.fit(points, *size, self.top, self._bottom)

    def _shows(self, points: np.ndarray) -> bool:
        shown = self.camera.shows(points, self.width(), self.height(), 0.0, self._bottom)
        return shown and not self._covered(points)

    def _covered(self, points: np.ndarray) -> bool:
        """True if controls may cover some of what points span."""
        x, y, _ = self.project(points).T if len(points) else np.zeros((3, 1))
        seen = QRectF(QPointF(x.min(), y.min()), QPointF(x.max(), y.max())).toAlignedRect()
        return self.childrenRegion().intersects(seen.adjusted(-CLEAR, -CLEAR, CLEAR, CLEAR))

    @property
    def _bottom(self) -> float:
        """Height below the picture that a scale of colours takes [px]."""
        return SCALE if self.look.scale is not None else 0.0

    def paintEvent(self, event: QPaintEvent) -> None:
        scene, mount = self.scene, self.mount
        if scene is not None and mount is not None and not mount.carry(self.camera, scene, self.pose):
            self.attach_camera(None)
        painter = QPainter(self)
        if self.scene is None or self.empty_text():
            sky(painter, self.width(), self.height())
            painter.setPen(theme().colour("muted"))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.empty_text())
        else:
            self._painting(self.scene).paint(painter, self.pose)
        if self.hasFocus():  # keys turn the view
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(theme().colour("accent"))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _painting(self, scene: Scene) -> Painting:
        return Painting(scene, self.camera, self.look, self.width(), self.height())

    def show_empty_text(self, words: str) -> None:
        """Set the text shown while there is no mechanism."""
        if words != self.awaits:
            self.awaits = words
            self.update()

    def empty_text(self) -> str:
        """Text shown in place of the picture; empty if there is one."""
        if self.scene is None:
            return self.awaits
        if not self.scene.empty and not self._prepared():
            return PREPARES
        return "This model has no mechanism to show" if self.scene.empty else ""

    def _prepared(self) -> bool:
        """True if pictures can be painted without a wait; else what paints them is compiled beside."""
        if depth_image.prepared():
            return True
        QTimer.singleShot(LOOK_AGAIN, self, self.update)
        return False

    def project(self, points: np.ndarray) -> np.ndarray:
        return self.camera.project(points, self.width(), self.height())

    def block_at(self, at: QPointF) -> str:
        return self._painting(self.scene).block_at(self.pose, at.x(), at.y()) if self.scene else ""

    def tip_at(self, at: QPointF) -> str:
        """Arrow with its size, frame or block under the mouse; what a knob of the axes does."""
        knob = self._knob_at(at)
        if knob is not None:
            return described(knob)
        arrow = self._painting(self.scene).arrow_at(at.x(), at.y()) if self.scene else ""
        return arrow or self.frame_at(at, reach=6.0) or self.block_at(at)

    # ------------------------------------------------------------------ mouse and keys

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._last = self._pressed = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._last is None or not event.buttons():
            return
        if self._pressed is not None:
            if (event.position() - self._pressed).manhattanLength() <= CLICK:
                return  # not a drag yet
            self._take_hold(event)
        self._pressed = None
        if self._held is not None:
            self._pull(event.position())
            return
        self.by_hand = True
        moved = event.position() - self._last
        self._last = event.position()
        shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if event.buttons() & Qt.MouseButton.LeftButton and not shift:
            self.orbit(moved.x(), moved.y())
        else:
            self.camera.pan(moved.x(), moved.y(), self.height())
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Select what is under the mouse on a click; end a drag."""
        held = self._held
        if held is not None:
            self._held = None
            self._show_hand()
            if held[1] is not None:
                self.posed.emit(held[1])
        elif self._pressed is not None and event.button() == Qt.MouseButton.LeftButton:
            knob = self._knob_at(event.position())
            if knob is not None:
                self._look_along(knob)
                return
            keys = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier
            self.chosen.emit(self.block_at(event.position()), bool(event.modifiers() & keys))
        self._last = self._pressed = None

    def _knob_at(self, at: QPointF) -> Knob | None:
        shown = self.look.corner and not self.empty_text()
        return Gizmo(self.camera, self.height()).knob_at(at) if shown else None

    def _look_along(self, knob: Knob) -> None:
        self._last = self._pressed = None
        Gizmo(self.camera, self.height()).look_along(knob)
        if self.mount is None:
            self.fit()
        self.update()

    # ------------------------------------------------------------------ posing

    def pose_by_drag(self, on: bool) -> None:
        if on != self.poses:
            self.poses = on
            self._show_hand()
            self.posing.emit(on)

    def let_go(self) -> None:
        """Cancel the drag of a body."""
        if self._held is not None:
            self._held = self._last = None
            self._show_hand()
            if self.scene is not None:
                self.pose = self.scene.start
                self.update()

    def _take_hold(self, event: QMouseEvent) -> None:
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if self.scene is None or self._pressed is None or not (self.poses or control):
            return
        if event.buttons() & Qt.MouseButton.LeftButton:
            at = self._pressed
            handle = self._painting(self.scene).handle_at(self.pose, at.x(), at.y())
            if handle is not None:
                self._held = handle, self.hold(handle)
                self._show_hand()

    def _pull(self, at: QPointF) -> None:
        assert self._held is not None  # asked before
        handle, grip = self._held
        if grip is not None:
            target = self.camera.unproject(at.x(), at.y(), handle.depth, self.width(), self.height())
            grip.pull(handle.row, handle.point, target)
            self.pose = grip.pose
            self.update()

    def _show_hand(self) -> None:
        if self._held is not None:
            held = self._held[1] is not None
            self.setCursor(Qt.CursorShape.ClosedHandCursor if held else Qt.CursorShape.ForbiddenCursor)
        elif self.poses:
            self.setCursor(Qt.CursorShape.OpenHandCursor)
        else:
            self.unsetCursor()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Trace the frame under the mouse, centre the point of a body, over the ground show everything."""
        at = event.position()
        knob = self._knob_at(at)
        name, point = self.frame_at(at), self._point_at(at)
        if knob is not None:
            self._look_along(knob)
        elif name:
            self.picked.emit(name)
        elif point is None:
            self.home()
        elif self.mount is None:
            self.by_hand = True
            self.camera.centre(point)
            self.update()

    def _point_at(self, at: QPointF) -> np.ndarray | None:
        """Point in the world of the surface under the mouse [m]; None over the ground."""
        if self.scene is None:
            return None
        handle = self._painting(self.scene).handle_at(self.pose, at.x(), at.y())
        return None if handle is None else place(self.pose, handle.row, handle.point)

    def frame_at(self, at: QPointF, reach: float = 14.0) -> str:
        if not self.scene or not self.scene.frames:
            return ""
        names = list(self.scene.frames)
        flat = self.project(self.scene.frames_at(self.pose))
        far = np.hypot(flat[:, 0] - at.x(), flat[:, 1] - at.y())
        near = np.flatnonzero(far <= reach)
        # several frames coincide in a joint: the last one is the furthest out
        return names[near[-1]] if len(near) else ""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom to what is under the mouse; with a camera on a frame, to the middle."""
        self.by_hand = True
        at, about = event.position(), None
        if self.mount is None:
            about = self._point_at(at)
            if about is None:
                size = self.width(), self.height()
                about = self.camera.unproject(at.x(), at.y(), self.camera.reach, *size)
        self.camera.zoom(1.0015 ** event.angleDelta().y(), about)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Left: (-12, 0),
            Qt.Key.Key_Right: (12, 0),
            Qt.Key.Key_Up: (0, 12),
            Qt.Key.Key_Down: (0, -12),
        }
        if event.key() in steps:
            self.by_hand = True
            self.orbit(*steps[Qt.Key(event.key())])
        elif event.key() in (Qt.Key.Key_Plus, Qt.Key.Key_Minus):
            self.by_hand = True
            self.camera.zoom(1.2 if event.key() == Qt.Key.Key_Plus else 1 / 1.2)
        elif event.key() in VIEW_KEYS:
            self.look_from(VIEW_KEYS[Qt.Key(event.key())])
        elif event.key() == Qt.Key.Key_Home:
            self.home()
        elif event.key() == FIT_KEY:
            self.fit()
        elif event.key() == PARALLEL_KEY:
            self.project_parallel(not self.camera.parallel)
        elif event.key() == POSE_KEY:
            self.pose_by_drag(not self.poses)
        elif event.key() == Qt.Key.Key_Escape and self._held is not None:
            self.let_go()
        else:
            super().keyPressEvent(event)
            return
        self.update()
