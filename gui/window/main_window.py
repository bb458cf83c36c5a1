"""Page of a diagram in the window: canvas in the centre, palette left, properties right, results below."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent, QDragEnterEvent, QDropEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QMenuBar,
    QPlainTextEdit,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from ...blocks.text.raw_types import RawMap
from ..canvas.canvas_protocol import dropped_file
from ..dashboard.dashboard_panel import Dashboard
from ..document.document import Document
from ..plots.plot_stack import PlotStack
from ..plots.run_list import RunList
from ..properties.property_panel import PropertyPanel
from ..run.dashboard_state import DashboardState
from ..run.run_control import RunControl
from ..study.study_panel import StudyPanel
from ..theme import active_theme as themes
from ..theme.small_widgets import laid
from ..view3d.view3d_panel import View3D
from .actions import Actions
from .analyses.analysis_docks import AnalysisDocks
from .analyses.panel_table import PANELS
from .compile_status import CompileBar, compiling
from .dialogs.animation_dialog import Exporting
from .dialogs.compare_dialog import CompareDialog
from .dialogs.dialog_table import DIALOGS
from .dialogs.work_dialog import WorkDialogs
from .docks.block_palette import Palette
from .docks.dock_layout import Panels
from .docks.problems_dock import ProblemList
from .docks.signals_dock import SignalTree
from .docks.sliders_dock import SlidersDock
from .drag_pose import PoseDragger
from .edit_actions import Editing
from .file_actions import Files
from .garbage_collection import collect_here
from .note_actions import Notes
from .open_level import Breadcrumbs, OpenLevel
from .outside_changes import OutsideChanges
from .permissions import Permissions
from .recording_limits import Recording
from .repair_actions import Repairs
from .result_runs import Results
from .run_actions import Running
from .shell import Shell
from .study_actions import Studies
from .tabbed_window import TabbedWindow
from .view_actions import Views
from .welcome import Welcome


class Window(Shell):
    def __init__(self, document: Document | None = None, tabs: TabbedWindow | None = None):
        super().__init__()
        self.tabs = tabs or TabbedWindow()
        self.menu_bar = QMenuBar()
        collect_here()
        compiling.listen()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("luff")
        self.levels: list[OpenLevel] = []
        self.runner = RunControl(self)
        self.files, self.editing, self.repairs = Files(self), Editing(self), Repairs(self)
        self.views, self.running = Views(self), Running(self)
        self.recording, self.leave = Recording(self), Permissions(self)
        self.studies, self.notes = Studies(self), Notes(self)
        self.results, self.dialogs = Results(self), WorkDialogs(self)
        self.analyses = AnalysisDocks(self)
        self.comparing, self.outside = CompareDialog(self), OutsideChanges(self)
        self._build_centre()
        self._build_docks()
        handlers = [
            self.files,
            self.editing,
            self.views,
            self.running,
            self.recording,
            Exporting(self),
            self.comparing,
            self.studies,
            self.notes,
        ]
        openers = {key: partial(self.dialogs.open, kind) for key, kind in DIALOGS.items()}
        openers |= {key: partial(self.analyses.open, kind) for key, kind in PANELS.items()}
        self.actions_ = Actions(self, self.menu_bar, handlers, openers)
        self.files.build()
        self.views.build()
        self.running.build()
        self.editing.build()
        self.leave.build()
        self.studies.build()
        self.properties.search_wanted.connect(self.analyses.search)
        self.message_label = QLabel()
        self.message_label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.statusBar().addWidget(self.message_label, 1)
        self.compile_bar = CompileBar()
        self.statusBar().addPermanentWidget(self.compile_bar)
        self.zoom_label = QLabel()
        self.statusBar().addPermanentWidget(self.zoom_label)
        self._message_timer = QTimer(self, singleShot=True, interval=8000)
        self._message_timer.timeout.connect(self.message_label.clear)
        self.setAcceptDrops(True)
        Window.open_windows.append(self)
        themes.holder.changed.connect(self.views.restyle)
        self.push_level(document or Document(), "")
        self._restore_state()

    # ------------------------------------------------------------------ parts

    def _build_centre(self) -> None:
        self.stack = QStackedWidget()
        self.crumbs = Breadcrumbs()
        self.crumbs.chosen.connect(self.pop_to)
        centre = QWidget()
        laid(QVBoxLayout(centre), self.crumbs, self.outside.bar, self.stack, margins=(0, 0, 0, 0), spacing=0)
        self.setCentralWidget(centre)
        self.welcome = Welcome(self.stack)
        self.welcome.hide()

    def _build_docks(self) -> None:
        self.palette_ = Palette()
        self.properties = PropertyPanel()
        self.deck = PlotStack(self.runner)
        kept = self.deck.kept
        kept.changed.connect(lambda: self.runner.keep_only([run.history for run in kept.all()]))
        self.problems = ProblemList()
        self.signal_tree = SignalTree()
        self.controls = SlidersDock()
        self.run_list = RunList(self.deck.kept)
        self.run_list.message.connect(self.say)
        self.study_panel = StudyPanel()
        self.log = QPlainTextEdit()
        self.log.setReadOnly(True)
        self.log.setAccessibleName("Log")
        self.log.setMaximumBlockCount(2000)
        self.log.setPlaceholderText("What the program says")
        self.view3d = View3D(self.runner)
        self.view3d.kept.connect(self._keep_view)
        self.board = DashboardState(self.runner)
        self.dashboard = Dashboard(self.board)
        self.dashboard.message.connect(self.say)
        self.dashboard.wanted_on_canvas.connect(self.put_on_canvas)
        self.poser = PoseDragger(self)
        self.panels = Panels(self)
        for key, title, widget in (
            ("Palette", "Blocks", self.palette_),
            ("Properties", "Properties", self.properties),
            ("Plots", "Plots", self.deck),
            ("Problems", "Problems", self.problems),
            ("Signals", "Signals", self.signal_tree),
            ("Runs", "Runs", self.run_list),
            ("Sliders", "Sliders", self.controls),
            ("Dashboard", "Dashboard", self.dashboard),
            ("Studies", "Studies", self.study_panel),
            ("Log", "Log", self.log),
            ("3-D View", "3-D View", self.view3d),
        ):
            self.panels.add(key, title, widget)

    def _keep_view(self, raw: RawMap) -> None:
        self.top.set_section("view", raw)
        self.say("The model keeps this view")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.panels.show_canvas():
            self.panels.follow_width()
        elif event.key() == Qt.Key.Key_Escape and len(self.levels) > 1:
            self.pop_to(len(self.levels) - 2)
        elif event.key() == Qt.Key.Key_F10 and event.modifiers() == Qt.KeyboardModifier.ShiftModifier:
            self._ask_menu()
        elif event.text() == "?":
            self.views.on_shortcuts()
        else:
            super().keyPressEvent(event)

    def _ask_menu(self) -> None:
        """Ask what has the focus for its context menu, as the menu key does."""
        if focus := QApplication.focusWidget():
            cursor = focus.inputMethodQuery(Qt.InputMethodQuery.ImCursorRectangle)
            place = QRectF(cursor or focus.rect()).center().toPoint()
            reason = QContextMenuEvent.Reason.Keyboard
            QApplication.sendEvent(focus, QContextMenuEvent(reason, place, focus.mapToGlobal(place)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.panels.follow_width()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_file(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.files.open_path(Path(dropped_file(event.mimeData())))
        event.acceptProposedAction()

    # ------------------------------------------------------------------ state

    def _restore_state(self) -> None:
        """Stand in the tabs: panels as on the page that was shown, or as in the last closed window."""
        first = not self.tabs.pages
        self.panels.arrange()
        self.tabs.add(self)
        if first:
            self.tabs.restore_geometry()
            self.panels.restore()

    def release(self) -> None:
        """End what the page has begun, and close its documents."""
        self.running.close()
        self.studies.close()
        self.dialogs.close()
        self.analyses.close()
        self.comparing.close()
        self.results.close()
        themes.holder.changed.disconnect(self.views.restyle)
        super().release()
        if self in Window.open_windows:
            Window.open_windows.remove(self)
