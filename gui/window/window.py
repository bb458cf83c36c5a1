"""The main window: canvas in the middle, palette left, properties right, results below; several may be open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import (
    QLabel,
    QMenu,
    QPlainTextEdit,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from ..canvas.dropping import dropped_file
from ..document.document import Document
from ..look import theme as themes
from ..plots.deck import PlotDeck
from ..plots.run_list import RunList
from ..properties.editors import finish_typing
from ..properties.panel import PropertyPanel
from ..run.orders import Runner
from ..view3d.panel import View3D
from .actions import Actions
from .breadcrumbs import Breadcrumbs
from .compiling import CompileBar, compiling
from .controls import Controls
from .editing import Editing
from .files import Files
from .garbage import collect_here
from .leave import Leave
from .palette import Palette
from .panels import Panels
from .problems import ProblemList
from .recording import Recording
from .running import Running
from .shell import Level, Shell
from .signals_dock import SignalTree
from .views import Views
from .welcome import Welcome


class Window(Shell):
    def __init__(self, document: Document | None = None):
        super().__init__()
        collect_here()
        compiling.listen()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("luff")
        self.levels: list[Level] = []
        self.runner = Runner(self)
        self.files, self.editing = Files(self), Editing(self)
        self.views, self.running = Views(self), Running(self)
        self.recording, self.leave = Recording(self), Leave(self)
        self._build_centre()
        self._build_docks()
        handlers = [self.files, self.editing, self.views, self.running, self.recording]
        self.actions_ = Actions(self, self.menuBar(), handlers)
        self.files.build()
        self.views.build()
        self.running.build()
        self.editing.build()
        self.leave.build()
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
        box = QVBoxLayout(centre)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        box.addWidget(self.crumbs)
        box.addWidget(self.stack)
        self.setCentralWidget(centre)
        self.welcome = Welcome(self.stack)
        self.welcome.hide()

    def _build_docks(self) -> None:
        self.palette_ = Palette()
        self.properties = PropertyPanel()
        self.deck = PlotDeck(self.runner)
        self.problems = ProblemList()
        self.signal_tree = SignalTree()
        self.controls = Controls()
        self.run_list = RunList(self.deck.kept)
        self.run_list.message.connect(self.say)
        self.log = QPlainTextEdit()
        self.log.setReadOnly(True)
        self.log.setMaximumBlockCount(2000)
        self.log.setPlaceholderText("What the program says")
        self.view3d = View3D(self.runner)
        self.panels = Panels(self)
        for key, title, widget in (
            ("Palette", "Blocks", self.palette_),
            ("Properties", "Properties", self.properties),
            ("Plots", "Plots", self.deck),
            ("Problems", "Problems", self.problems),
            ("Signals", "Signals", self.signal_tree),
            ("Runs", "Runs", self.run_list),
            ("Sliders", "Sliders", self.controls),
            ("Log", "Log", self.log),
            ("3-D View", "3-D View", self.view3d),
        ):
            self.panels.add(key, title, widget)

    # ------------------------------------------------------------------ levels of nesting

    def push_level(self, document: Document, label: str) -> None:
        level = Level(document, label)
        self.levels.append(level)
        view = level.view
        self.stack.addWidget(view)
        view.opened.connect(self.editing.open_block)
        view.renaming.connect(self.editing.focus_name)
        view.menu_wanted.connect(self._context_menu)
        view.port_menu_wanted.connect(lambda port, at: self.editing.port_menu(port).exec(at))
        view.file_dropped.connect(lambda name: self.files.open_path(Path(name)))
        view.message.connect(self.say)
        view.zoomed.connect(lambda _: self._show_zoom())
        view.port_dropped.connect(self.editing.plot_port)
        view.canvas.selectionChanged.connect(self._show_selection)
        document.checked.connect(self.show_problems)
        document.checked.connect(lambda: self.leave.look(document))
        document.titled.connect(self._show_title)
        document.edited.connect(self._on_event)
        document.undo.canUndoChanged.connect(lambda _: self._show_undo())
        document.undo.canRedoChanged.connect(lambda _: self._show_undo())
        document.undo.indexChanged.connect(lambda _: self._show_undo())
        self._show_level()

    def pop_to(self, depth: int) -> bool:
        """Go up; an inner diagram that was changed asks first."""
        while len(self.levels) > depth + 1:
            if not self.files.may_close(self.levels[-1]):
                return False
            self._drop_level(self.levels.pop())
        self._show_level()
        return True

    def _drop_level(self, level: Level) -> None:
        self.welcome.lie_on(None)
        level.close()
        self.stack.removeWidget(level.view)
        level.view.deleteLater()

    def replace(self, document: Document) -> None:
        """Show another document in this window."""
        self.runner.forget()
        self.deck.loaded = None
        self.deck.kept.clear()
        for level in self.levels:
            self._drop_level(level)
        self.levels = []
        self.push_level(document, "")
        self.running.forget_run()

    def _show_level(self) -> None:
        document = self.document
        self.stack.setCurrentWidget(self.view)
        self.palette_.show_document(document)
        self.properties.show_document(document)
        self.deck.show_document(self.top)
        self.controls.show_document(self.top)
        self.crumbs.show_path([self.top.title, *(level.label for level in self.levels[1:])])
        self._show_selection()
        self.show_problems()
        self._show_title()
        self._show_undo()
        self._show_welcome()
        self._show_zoom()
        self.view.setFocus()
        self.running.ask_analysis()

    def _show_zoom(self) -> None:
        self.zoom_label.setText(f"{self.view.zoom() * 100:.0f} %")

    # ------------------------------------------------------------------ following

    def _on_event(self, event: Any) -> None:
        self._show_welcome()
        self._show_title()
        self.running.on_edit(event)

    def _show_selection(self) -> None:
        canvas = self.view.canvas
        self.properties.show_selection(canvas.selected_blocks(), canvas.selected_wires())
        chosen = bool(canvas.selectedItems())
        for key in ("cut", "copy", "duplicate", "delete", "group", "rotate", "rename"):
            self.actions_[key].setEnabled(chosen)

    def show_problems(self) -> None:
        found = self.running.compile_problems()
        problems = self.document.problems + found
        if self.document is self.top:
            self.view.canvas.show_found(found)
        self.problems.show_problems(problems)
        errors = sum(problem.severity == "error" for problem in problems)
        title = f"Problems ({len(problems)})" if problems else "Problems"
        self.panels.docks["Problems"].setWindowTitle(title)
        self.running.show_badge(errors)

    def _show_title(self) -> None:
        star = "[*]"
        self.setWindowTitle(f"{self.top.title}{star} – luff")
        self.setWindowModified(any(level.document.modified for level in self.levels))
        self.crumbs.show_path([self.top.title, *(level.label for level in self.levels[1:])])

    def _show_undo(self) -> None:
        undo = self.document.undo
        for key, can, text in (
            ("undo", undo.canUndo(), undo.undoText()),
            ("redo", undo.canRedo(), undo.redoText()),
        ):
            action = self.actions_[key]
            action.setEnabled(can)
            action.setText(f"{'&Undo' if key == 'undo' else '&Redo'}{' ' + text if text else ''}")

    def _show_welcome(self) -> None:
        empty = not self.document.diagram.blocks and len(self.levels) == 1 and not self.document.block_names()
        self.welcome.lie_on(self.view.viewport() if empty else None)

    def say(self, text: str) -> None:
        self.message_label.setText(text.replace("\n", "  "))
        self._message_timer.start()
        if text:
            self.log.appendPlainText(text)

    def _context_menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        canvas = self.view.canvas
        if canvas.selected_blocks():
            keys = ["open_block", "rename", "rotate", "group", None, "cut", "copy", "duplicate", "delete"]
            keys += [None, "reference"]
        elif canvas.selected_wires():
            keys = ["delete"]
        else:
            keys = ["insert", "paste", "select_all", None, "fit", "arrange"]
        for key in keys:
            if key is None:
                menu.addSeparator()
            elif key == "insert":
                menu.addAction(
                    "Insert Block...\t/", lambda: self.view.quick_insert.open(self.view.cursor_place)
                )
            elif key == "rotate":
                menu.addAction(self.actions_[key])
                menu.addMenu(self.actions_.menus["align"])
            elif key == "open_block":
                menu.addAction("Open", lambda: self.editing.open_block(canvas.selected_blocks()[0]))
            else:
                menu.addAction(self.actions_[key])
        menu.exec(at)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and len(self.levels) > 1:
            self.pop_to(len(self.levels) - 2)
        elif event.text() == "?":
            self.views.on_shortcuts()
        else:
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_file(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.files.open_path(Path(dropped_file(event.mimeData())))
        event.acceptProposedAction()

    # ------------------------------------------------------------------ state

    def _restore_state(self) -> None:
        self.panels.restore()
        others = [window for window in Window.open_windows if window is not self and window.isVisible()]
        if others:
            self.move(others[-1].pos() + QPoint(28, 28))

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.isActiveWindow():
            finish_typing()
        if not all(self.files.may_close(level) for level in reversed(self.levels)):
            event.ignore()
            return
        if not self.recording.may_forget():
            event.ignore()
            return
        self.panels.keep()
        self.running.close()
        themes.holder.changed.disconnect(self.views.restyle)
        for level in self.levels:
            level.close()
        if self in Window.open_windows:
            Window.open_windows.remove(self)
        event.accept()
