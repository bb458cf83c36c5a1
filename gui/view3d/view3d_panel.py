"""3-D view panel with its time slider: live during a run, a replay afterwards."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ...solver.simulation.simulation import Simulation
from ..run.run_control import RunControl
from ..run.run_history import History, Poses
from ..theme.icons import icon
from ..theme.number_format import clock_text
from ..theme.small_widgets import stale_banner, tool_button
from .canvas3d import FIT_KEY, Canvas3D
from .film import Film
from .frame_menus import TraceMenu
from .frame_traces import FrameTraces
from .load_overlays import LoadOverlays
from .mode_animation import ModeAnimation
from .scene_model import Scene, scene_of
from .view_menu import ViewMenu

PERIOD = 33  # ms
LOOKS = 24  # poses of a run that has ended, by which the view knows where it has been
FILM_PERIOD = 30  # ms, of a run that is played back
SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)


class View3D(QWidget):
    kept = Signal(object)  # the camera, as `view:` of a netlist
    shown = Signal(float)  # the time of what is shown, while no run is on
    left = Signal()  # the window is to be given back

    def __init__(self, runner: RunControl) -> None:
        super().__init__()
        self.runner = runner
        self.canvas = Canvas3D()
        self.canvas.picked.connect(self._pick)
        self.play = tool_button("run", "Play the run back", "Play")
        self.play.setCheckable(True)
        self.play.toggled.connect(self._play)
        self.speed = QComboBox()
        for speed in SPEEDS:
            self.speed.addItem(f"{speed:g} x", speed)
        self.speed.setCurrentIndex(SPEEDS.index(1.0))
        self.speed.setToolTip("Speed at which the run is played back")
        self.speed.setAccessibleName("Speed")
        self.speed.currentIndexChanged.connect(self._new_speed)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, 0)
        self.slider.setAccessibleName("Time")
        self.slider.valueChanged.connect(self._show_frame)
        self.label = QLabel(clock_text(0.0))
        self.label.setMinimumWidth(92)
        self.label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.trace_button = self._trace_menu()
        keys = QKeySequence(FIT_KEY).toString()
        self.fit = tool_button("fit", f"Show the whole mechanism ({keys})", "Fit")
        self.fit.clicked.connect(self.canvas.fit)
        tip = "From where to look, and what to show beside the mechanism"
        self.views = tool_button("cube", tip, "View")
        self.views.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = ViewMenu(self.canvas)
        self.menu.kept.connect(lambda: self.kept.emit(self.canvas.kept()))
        self.menu.shown.connect(self._show_beside)
        self.shown_beside, self.mount_menus = self.menu.shown_beside, self.menu.mount_menus
        self.views.setMenu(self.menu)
        self.views.setText("View")
        self.views.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        tip = "Drag bodies to where they are at the start (P; or hold Ctrl)"
        self.hand = tool_button("hand", tip, "Pose by dragging")
        self.hand.setCheckable(True)
        self.hand.toggled.connect(self.canvas.pose_by_drag)
        self.canvas.posing.connect(self.hand.setChecked)
        self.back = self._way_back()
        self.age, self._older = stale_banner(), False
        self._lay_out()
        self._timer = QTimer(self, interval=PERIOD)
        self._timer.timeout.connect(self._tick)
        self._film_start = (0.0, 0.0)
        self.traces = FrameTraces()
        self.moment: float | None = None  # time of the shown moment of a run [s]
        self._missed = False  # the run has ended while the view was hidden
        self.beside = LoadOverlays(self.canvas)
        self.model: Simulation | None = (
            None  # the simulation of the diagram, whose start is shown where nothing has run
        )
        self.swing = ModeAnimation(self.canvas)  # a mode in place of what is shown else
        self.swing.ended.connect(lambda: self.label.setText(self._time_words))
        self._time_words = ""  # of what is shown else
        # poses and history of a result shown in place of the window's run
        self.film: tuple[Poses, History] | None = None

    def _way_back(self) -> QToolButton:
        """Button that is there while the view has the whole window."""
        made = tool_button("back", "Give the window back to the diagram (F11)", "Leave Large View")
        made.setText("Leave Large View")
        made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        made.clicked.connect(self.left)
        return made

    def _trace_menu(self) -> QToolButton:
        """Button with the menu of the frames whose ways are drawn."""
        tip = "Draw the ways of frames; double-click one in the view to choose it"
        made = tool_button("trace", tip, "Traces")
        made.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        made.setText("Traces")
        menu = TraceMenu("", self.canvas)
        menu.aboutToShow.connect(lambda: menu.offer(self.canvas, self.traces.names))
        menu.chosen.connect(self.trace)
        made.setMenu(menu)
        return made

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(6, 2, 10, 4)
        row.setSpacing(8)
        for widget in (self.play, self.slider, self.label, self.speed):
            row.addWidget(widget, 1 if widget is self.slider else 0)
        # display controls above the picture; the row below is for time
        over = QHBoxLayout(self.canvas)
        over.setContentsMargins(8, 8, 8, 8)
        over.addWidget(self.back, 0, Qt.AlignmentFlag.AlignTop)
        self.back.hide()
        over.addStretch(1)
        for widget in (self.trace_button, self.hand, self.views, self.fit):
            over.addWidget(widget, 0, Qt.AlignmentFlag.AlignTop)
        self.canvas.top = over.sizeHint().height()
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        box.addWidget(self.canvas, 1)
        box.addWidget(self.age)
        box.addLayout(row)

    def _show_beside(self, name: str, on: bool) -> None:
        setattr(self.canvas.look, name, on)
        self.beside.show(self.canvas.pose, self.history, self.moment)

    @property
    def poses(self) -> Poses:
        """Recorded poses of the run or film shown."""
        return self.film[0] if self.film is not None else self.runner.poses

    @property
    def history(self) -> History | None:
        return self.film[1] if self.film is not None else self.runner.history

    def show_model(self, sim: Simulation) -> None:
        """Show the mechanism at its initial state."""
        self.model = sim
        if self.film is not None and not self.runner.active:
            return  # it is shown once the film of a result gives way
        self.film, self._missed = None, False
        self._show_scene(scene_of(sim))
        self._nothing_run()
        self.slider.blockSignals(True)
        self.slider.setValue(0)
        self.slider.blockSignals(False)
        self.label.setText(clock_text(0.0))
        if not self.runner.active:
            self.shown.emit(0.0)

    def show_run(self, sim: Simulation) -> None:
        """Show the run of a model, which has ended, at its last moment, if another model has been shown since."""
        if self.model is not sim:
            self.model = sim
            self._show_scene(scene_of(sim))
            self.shown.emit(self.runner.time)
            self.follow()

    def show_names(self, sim: Simulation) -> None:
        """Take the names of a model that is that of the run but for names; the picture stays."""
        run, shown = self.runner.run, self.canvas.pose
        if run is None or run.sim is None or run.sim is not self.model or self.film or self.swing.on:
            return
        if run.sim.signal_names == sim.signal_names:
            return
        scene = scene_of(sim)
        if len(scene.start) == len(shown):
            self.model = run.sim = sim
            self._show_scene(scene)
            self.beside.show(shown, self.history, self.moment)

    def show_swing(self, scene: Scene, frames: np.ndarray, words: str) -> None:
        """Show the animation of a mode until something else is shown; `words` stand in place of the time."""
        self.play.setChecked(False)
        self.end_film()
        self._show_scene(scene)
        self.beside.show(scene.start, None, None)
        self.swing.begin(frames)
        self._time_words = self.label.text()
        self.label.setText(words)

    def _show_scene(self, scene: Scene) -> None:
        self.menu.fit_to(scene)
        self.swing.end()
        self.canvas.show_scene(scene)
        self.traces.choose([name for name in self.traces.names if name in scene.frames])
        self.canvas.look.trails = ()

    def show_film(self, film: Film, history: History) -> None:
        """Show a recorded result in place of the window's run, at its last moment."""
        poses = Poses()
        poses.extend(film.times, film.poses)
        self.film = poses, history
        self._show_scene(film.scene)
        self.follow()

    def end_film(self) -> None:
        """End a film or a mode animation and show the current model."""
        self.swing.end()
        if self.film is not None:
            self.rest()

    def rest(self) -> None:
        """Show the model at its initial state, without a film."""
        self.swing.end()
        filmed, self.film, self._missed = self.film is not None, None, False
        self.play.setChecked(False)
        self._timer.stop()
        self.slider.setRange(0, 0)
        self.slider.setEnabled(False)
        self.play.setEnabled(False)
        self.label.setText(clock_text(0.0))
        self.canvas.look.trails = ()
        self._nothing_run()
        if filmed and self.model is not None:
            self._show_scene(scene_of(self.model))
        elif self.canvas.scene is not None:
            self.canvas.begin_motion()
            self.canvas.show_pose(self.canvas.scene.start)

    def _nothing_run(self) -> None:
        """Clear loads and stress colours; the initial state has none."""
        self.moment = None
        self.beside.show(self.canvas.pose, None, None)
        self.show_age(self._older)

    def show_age(self, older: bool) -> None:
        """Label a shown moment as one of an older model."""
        self._older = older
        self.age.setVisible(older and self.moment is not None)

    def at_start(self) -> bool:
        """True if the initial state, which can be posed, is shown; otherwise show it, unless a run is active, and
        return False."""
        scene = self.canvas.scene
        if self.film is not None or self.swing.on:
            self.end_film()
            return False
        if self.runner.active or scene is None or np.array_equal(self.canvas.pose, scene.start):
            return not self.runner.active
        self.play.setChecked(False)
        self.slider.setValue(0)
        self.canvas.show_pose(scene.start)
        return False

    def follow(self) -> None:
        """Update the panel when the state of the run changes."""
        if self.runner.active:
            self.end_film()
            self.play.setChecked(False)
            self._timer.start(PERIOD)
            if not self.poses.times:
                self.label.setText(clock_text(0.0))  # not the last run's any more
                self.canvas.begin_motion()
        else:
            self._timer.stop()
            self.poses.end()
            self._fit_film()
            self._tick()
        self.slider.setEnabled(not self.runner.active)
        self.play.setEnabled(not self.runner.active and len(self.poses.frames) > 1)

    def show_clock(self, time: float) -> None:
        """Tell the time of the run that is on, as the window's clock does."""
        if not self.swing.on:
            self.label.setText(clock_text(time))

    def showEvent(self, event: QShowEvent) -> None:
        """Show the end of a run during which the view was hidden."""
        super().showEvent(event)
        if self._missed:
            self._tick()

    def _fit_film(self) -> None:
        """Fit the camera to the whole film; a fast run shows few of its poses live."""
        frames, scene = self.poses.frames, self.canvas.scene
        if scene is not None and frames and len(frames[0]) == len(scene.start):
            some = np.unique(np.linspace(0, len(frames) - 1, LOOKS).astype(int))
            self.canvas.extend_view(np.concatenate([scene.points_at(frames[k]) for k in some]))
            camera = self.canvas.camera
            if self.canvas.may_turn:  # neither end of the film is seen edge-on
                before, ends = camera.azimuth, [scene.points_at(frames[k]) for k in (0, -1)]
                camera.show_most(*ends, first=before)
                if camera.azimuth != before:
                    self.canvas.fit()

    def _tick(self) -> None:
        if self.play.isChecked():
            self._film()
            return
        began = time.thread_time()
        poses = self.poses
        count = min(len(poses.times), len(poses.frames))
        self.slider.blockSignals(True)
        self.slider.setRange(0, max(0, count - 1))
        self.slider.setValue(max(0, count - 1))
        self.slider.blockSignals(False)
        self._missed = count > 0 and not self.isVisible()
        if count and not self._missed:
            self._show_frame(count - 1)
            if self.runner.active and poses.now is not None:
                self._show(*poses.now)
            self.canvas.repaint()
            spent = (time.thread_time() - began) * 1000
            # half of the time of this thread at most: the hand on a lever sees what it does without delay
            self._timer.setInterval(round(max(PERIOD - spent, spent)))

    def _show_frame(self, k: int) -> None:
        poses = self.poses
        if not 0 <= k < min(len(poses.times), len(poses.frames)) or not self.isVisible():
            return
        self._show(poses.times[k], poses.frames[k], k)

    def _show(self, time: float, pose: np.ndarray, frame: int | None = None) -> None:
        self.swing.end()
        if not self.runner.active:
            self.label.setText(clock_text(time))
            self.shown.emit(time)
        if self.canvas.scene is not None and len(pose) == len(self.canvas.scene.start):
            if frame is not None:
                self._extend_traces(frame)
            self.moment = time
            self.show_age(self._older)
            self.beside.show(pose, self.history, time)

    # ------------------------------------------------------------------ the film

    def _play(self, on: bool) -> None:
        self.play.setIcon(icon("pause" if on else "run"))
        if not on:
            if not self.runner.active:
                self._timer.stop()
            return
        poses = self.poses
        if not poses.times:
            self.play.setChecked(False)
            return
        k = self.slider.value()
        start = poses.times[k] if k < len(poses.times) - 1 else poses.times[0]
        self._film_start = (time.perf_counter(), start)
        self._timer.start(FILM_PERIOD)

    def _new_speed(self, _: int) -> None:
        """Continue playback from the current frame at the new speed."""
        if self.play.isChecked():
            self._film_start = (time.perf_counter(), self.poses.times[self.slider.value()])

    def _film(self) -> None:
        poses = self.poses
        began, start = self._film_start
        now = start + self.speed.currentData() * (time.perf_counter() - began)
        k = int(np.searchsorted(poses.times, now, "right")) - 1
        self.slider.setValue(max(0, min(k, len(poses.times) - 1)))
        if now >= poses.times[-1]:
            self.play.setChecked(False)

    # ------------------------------------------------------------------ traces

    def _pick(self, name: str) -> None:
        others = [other for other in self.traces.names if other != name]
        self.trace(others if name in self.traces.names else [*others, name])

    def trace(self, names: Sequence[str]) -> None:
        """Draw the ways of these frames."""
        self.traces.choose(names)
        self._extend_traces(self.slider.value())
        self.canvas.update()

    def _extend_traces(self, k: int) -> None:
        """Draw the ways of the chosen frames up to frame k of the film."""
        if self.canvas.scene is not None:
            self.canvas.extend_view(self.traces.extend(self.canvas.scene, self.poses))
            self.canvas.look.trails = self.traces.up_to(k)
