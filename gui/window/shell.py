"""Window interface for its parts: the widgets that it holds and the operations that it offers."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import QPoint, QSizeF, QTimer
from PySide6.QtWidgets import (
    QLabel,
    QMenu,
    QPlainTextEdit,
    QStackedWidget,
)

from ...solver.diagram.dashboard_section import HANDS
from ...solver.diagram.edit_events import Event
from ...solver.diagram.implicit_inputs import operated_ports
from ..canvas.view import CanvasView
from ..dashboard.dashboard_panel import Dashboard
from ..document import dial_edits
from ..document.document import INCOMPLETE, Document
from ..document.grouping import is_subsystem
from ..document.labelled_wires import labelled_wires
from ..plots.plot_stack import PlotStack
from ..plots.run_list import RunList
from ..properties.property_panel import PropertyPanel
from ..run.dashboard_state import DashboardState
from ..run.run_control import RunControl
from ..study.study_panel import StudyPanel
from ..theme.dial_painting import size_of
from ..theme.window_words import in_window
from ..view3d.view3d_panel import View3D
from .actions import Actions
from .docks.block_palette import Palette
from .docks.problems_dock import ProblemList
from .docks.signals_dock import SignalTree
from .docks.sliders_dock import SlidersDock
from .open_level import Breadcrumbs, OpenLevel
from .part_protocols import (
    AnalysesPart,
    ComparingPart,
    EditingPart,
    NotesPart,
    OutsidePart,
    PermissionsPart,
    RepairsPart,
    ResultsPart,
    RunningPart,
    StudiesPart,
    ViewsPart,
)
from .tabbed_window import Page, TabbedWindow
from .welcome import Welcome


class Shell(Page):
    """Base of a page: nesting levels and shared widgets. `Window` fills in the parts (`part_protocols.py`)."""

    open_windows: ClassVar[list[Shell]] = []

    def __init__(self, document: Document | None = None, tabs: TabbedWindow | None = None):
        super().__init__()

    runner: RunControl
    editing: EditingPart
    repairs: RepairsPart
    views: ViewsPart
    running: RunningPart
    results: ResultsPart
    studies: StudiesPart
    analyses: AnalysesPart
    notes: NotesPart
    leave: PermissionsPart
    outside: OutsidePart
    comparing: ComparingPart
    actions_: Actions
    palette_: Palette
    properties: PropertyPanel
    deck: PlotStack
    problems: ProblemList
    signal_tree: SignalTree
    run_list: RunList
    study_panel: StudyPanel
    controls: SlidersDock
    view3d: View3D
    board: DashboardState
    dashboard: Dashboard
    log: QPlainTextEdit
    stack: QStackedWidget
    crumbs: Breadcrumbs
    message_label: QLabel
    zoom_label: QLabel
    _message_timer: QTimer
    welcome: Welcome

    @property
    def level(self) -> OpenLevel:
        return self.levels[-1]

    @property
    def document(self) -> Document:
        return self.levels[-1].document

    @property
    def view(self) -> CanvasView:
        return self.levels[-1].view

    def push_level(self, document: Document, label: str) -> None:
        level = OpenLevel(document, label)
        self.levels.append(level)
        self.outside.watch(level)
        view = level.view
        self.stack.addWidget(view)
        view.opened.connect(self.editing.open_block)
        view.renaming.connect(self.editing.focus_name)
        view.block_clicked.connect(lambda _: self.panels.reveal("Properties", "Palette"))
        view.menu_wanted.connect(self._context_menu)
        view.port_menu_wanted.connect(lambda port, at: self.editing.port_menu(port).exec(at))
        view.dial_opened.connect(self.dashboard.edit)
        if document is self.top:
            view.canvas.dials.follow(self.board)
        view.file_dropped.connect(lambda name: self.files.open_path(Path(name)))
        view.message.connect(self.say)
        view.zoomed.connect(lambda _: self._show_zoom())
        view.port_dropped.connect(self.editing.plot_port)
        view.canvas.selectionChanged.connect(self._show_selection)
        document.checked.connect(self.show_problems)
        # methods, no functions made here: a document would keep those, and they this window, when it is closed
        if document.is_root:  # which hears of the edits inside its subsystems too
            document.checked.connect(self._ask_for_needed)
            document.titled.connect(self._show_title)
            document.edited.connect(self._on_event)
            document.undo.canUndoChanged.connect(self._show_undo)
            document.undo.canRedoChanged.connect(self._show_undo)
            document.undo.indexChanged.connect(self._on_step)
        self._show_level()

    @property
    def in_top(self) -> bool:
        """True if the level that is shown belongs to the outermost document: itself, or a subsystem in it."""
        return self.document.root is self.top

    def show_level_of(self, document: Document, level: tuple[str, ...]) -> None:
        """Show a level of a document that is open here, or what is left of the way to it."""
        depth = next(k for k, each in enumerate(self.levels) if each.document is document.root)
        shown = [each.label for each in self.levels[depth + 1 :]]
        same = 0
        while same < min(len(shown), len(level)) and shown[same] == level[same]:
            same += 1
        self.pop_to(depth + same)
        for name in level[same:]:
            inner = self.document.inside(name)
            if not inner.exists:
                inner.close()
                break
            self.push_level(inner, name)

    def _leave_lost_levels(self) -> None:
        """Go back to the innermost level that is still there."""
        depth = next((k for k, level in enumerate(self.levels) if not level.document.exists), 0)
        if depth:
            self.pop_to(depth - 1)

    def put_on_canvas(self, k: int) -> None:
        """Put a dashboard item on the canvas at a free place."""
        view = self.levels[0].view
        dial_edits.put(self.top, {k: view.room_for(QSizeF(*size_of(self.board.dials[k])))}, "put on canvas")
        view.canvas.select([], dials=[k])
        view.ensureVisible(view.canvas.dials.items[k])
        if self.view is not view:
            self.say("It stands on the canvas of the outermost diagram")

    def pop_to(self, depth: int) -> bool:
        """Return to an outer level; a changed inner diagram asks first. False if declined."""
        while len(self.levels) > depth + 1:
            if not self.files.may_close(self.levels[-1]):
                return False
            self._drop_level(self.levels.pop())
        self._show_level()
        return True

    def _drop_level(self, level: OpenLevel) -> None:
        self.welcome.show_on(None)
        self.outside.level_closed(level)
        level.close()
        self.stack.removeWidget(level.view)
        level.view.deleteLater()

    def replace(self, document: Document) -> None:
        """Show another document in this window."""
        was_driven = bool(self.levels) and self._driven()
        self.runner.forget()
        self.deck.loaded = None
        self.deck.kept.clear()
        for level in self.levels:
            self._drop_level(level)
        self.levels = []
        self.view3d.canvas.anew = True
        self.push_level(document, "")
        self.running.forget_run()
        self.studies.show_document()
        self.analyses.show_document()
        self.panels.follow_model()
        self._prepare_operator(was_driven)

    def _driven(self) -> bool:
        """True if the model has operator inputs: a joystick, or levers for inputs or parameters."""
        hands = any(dial.kind in HANDS for dial in self.board.dials)
        return hands or bool(operated_ports(self.top.diagram.data))

    def _prepare_operator(self, was_driven: bool) -> None:
        """Set real-time speed and show the dashboard when a model with operator inputs is opened."""
        driven = self._driven()
        if driven is not was_driven:
            self.running.speed.setCurrentText("Real time" if driven else "As fast as possible")
        if driven and self.top.diagram.dashboard:
            self.panels.show("Dashboard")

    def _show_level(self) -> None:
        document = self.document
        self.stack.setCurrentWidget(self.view)
        self.palette_.show_document(document)
        self.properties.show_document(document)
        self.deck.show_document(self.top)
        self.controls.show_document(self.top)
        self.board.show_document(self.top)
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

    def _on_event(self, event: Event) -> None:
        if not all(level.document.exists for level in self.levels):
            QTimer.singleShot(0, self, self._leave_lost_levels)  # when all have heard of the edit
        self._show_welcome()
        if self._title() != (self.windowTitle(), self.isWindowModified()):
            self._show_title()  # which notes the open files, and not at each edit
        self.running.on_edit(event)

    def _show_selection(self) -> None:
        canvas = self.view.canvas
        self.properties.show_selection(canvas.selected_blocks(), canvas.selected_wires())
        self.views.show_selected()
        chosen = bool(canvas.selectedItems())
        for key in ("cut", "copy", "duplicate", "delete", "effect", "group", "rotate", "rename"):
            self.actions_[key].setEnabled(chosen)
        inside = [name for name in canvas.selected_blocks() if is_subsystem(self.document, name)]
        self.actions_["ungroup"].setEnabled(bool(inside))
        self.actions_["save_as_block"].setEnabled(len(inside) == 1)

    def show_problems(self) -> None:
        compiled = self.running.compile_problems()
        problems = self.document.root.problems + compiled
        if self.in_top:
            self.view.canvas.show_run_problems([*self.document.diagram.problems_here(compiled)])
        mark_of = self.document.mark_of
        self.problems.show_problems(problems, mark_of)
        marks = [mark_of(problem) for problem in problems]
        title = f"Problems ({len(problems)})" if problems else "Problems"
        self.panels.docks["Problems"].setWindowTitle(title)
        self.running.show_badge(*(marks.count(mark) for mark in ("error", INCOMPLETE, "warning")))

    def _title(self) -> tuple[str, bool]:
        """Title of the page, and true if one of its levels is modified."""
        return f"{self.top.title}[*] – luff", any(level.document.modified for level in self.levels)

    def _show_title(self) -> None:
        title, modified = self._title()
        self.setWindowTitle(title)
        self.setWindowModified(modified)
        if self in self.tabs.pages:
            self.tabs.show_titles()
        self.crumbs.show_path([self.top.title, *(level.label for level in self.levels[1:])])

    def _ask_for_needed(self) -> None:
        for document in dict.fromkeys(level.document.root for level in self.levels):
            self.leave.ask_for_needed(document)

    def _on_step(self, index: int) -> None:
        self.message_label.clear()  # it was about what came before
        self._show_undo()

    def _show_undo(self, changed: bool = True) -> None:
        undo = self.document.undo
        for key, can, text in (
            ("undo", undo.canUndo(), undo.undoText()),
            ("redo", undo.canRedo(), undo.redoText()),
        ):
            action = self.actions_[key]
            action.setEnabled(can)
            action.setText(f"{'&Undo' if key == 'undo' else '&Redo'}{' ' + text if text else ''}")

    def _show_welcome(self) -> None:
        empty = len(self.levels) == 1 and not self.document.block_names()
        self.welcome.show_on(self.view.viewport() if empty else None)
        if not empty:
            self.panels.take_back_height()

    def can_run(self) -> bool:
        """True if the outermost diagram has no errors; otherwise show them."""
        self.top.check()
        errors = [problem for problem in self.top.problems if problem.severity == "error"]
        if errors:
            self.panels.show("Problems")
            self.say(f"The model cannot run: {errors[0]}")
        return not errors

    def say(self, text: str) -> None:
        text = in_window(text)
        self.message_label.setText(text.replace("\n", "  "))
        self._message_timer.start()
        if text:
            self.log.appendPlainText(text)

    def _context_menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        canvas = self.view.canvas
        if canvas.selected_blocks():
            self.repairs.fill_menu(menu, canvas.selected_blocks())
            keys = [
                "open_block",
                "connect",
                "rename",
                "effect",
                "rotate",
                "group",
                *(("ungroup",) if self.actions_["ungroup"].isEnabled() else ()),
                *(("save_as_block",) if self.actions_["save_as_block"].isEnabled() else ()),
                "note",
                None,
                "cut",
                "copy",
                "duplicate",
                "delete",
            ]
            keys += [None, "reference"]
        elif canvas.selected_wires():
            if len(canvas.selected_wires()) == 1:
                self.editing.wire_menu(menu, canvas.selected_wires()[0])
            keys = ["labels", "delete"]
        elif canvas.selected_notes():
            self.notes.menu(canvas.selected_notes()[0]).exec(at)
            return
        elif canvas.dials.selected():
            self.dashboard.menu_of(canvas.dials.selected()[0]).exec(at)
            return
        else:
            keys = ["insert", "note", "paste", "select_all", None, "fit", "arrange"]
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
            elif key == "labels":
                shown = all(labelled_wires(self.document, text) for text in canvas.selected_wires())
                menu.addAction("Show as Wire" if shown else "Show as Labels", self.actions_["labels"].trigger)
            elif key == "open_block":
                menu.addAction("Open", lambda: self.editing.open_block(canvas.selected_blocks()[0]))
            else:
                menu.addAction(self.actions_[key])
        self.view.held = self.view.cursor_place
        menu.exec(at)
        self.view.held = None
