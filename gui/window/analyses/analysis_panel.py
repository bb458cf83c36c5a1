"""Shell of an analysis: settings and words at one side, the answer at the other, and a bar when it is old."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from ....blocks.errors import LuffError, Problem
from ....solver.analysis.bounded_roots import indifferent_states, standing_states
from ....solver.analysis.confirmation import HEADS, Confirmation, table
from ...run.background_job import BackgroundJob
from ...run.stale_check import StaleCheck
from ...theme.small_widgets import CheckBox, kept_room, laid, text_label, tool_button
from ...view3d.scene_model import Scene
from ..proposed_file import proposed_file
from ..work_form import ABOUT, AT_TIME, WorkForm, at_state, at_time, show_examples
from .age_bar import AgeBar
from .figures_list import FiguresList
from .findings_table import FindingsTable
from .folded_notes import FoldedNotes, split_place
from .state_links import StateLinks
from .swing_view import SwingView
from .told_column import SizedWidget, ToldColumn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ....solver.analysis.linearise import Linear
    from ..shell import Shell

CONFIRM = "Also make the runs just beside the border, and show what they do"
FOLLOW = "Compute again after each edit, once the model compiles"
CONFIRMING = "Making the runs that confirm it"
OTHER = "It is of another model than the one in this window"
UNSAVED = "The diagram in this window has changes that are not saved: the runs are of its file."
BESIDE = "Beside the Border"  # page of confirmation runs
PICTURES = "PNG (*.png);;SVG (*.svg);;PDF (*.pdf)"
SIDE, MOST = 290, 0.45  # px of the settings, and their share of a narrow panel
PICTURE, SHARE = 240, 0.4  # px of a picture beside the pages at least, and its share of the width at most
NARROW = 460  # px below which settings stand above the answer
EDGE = 10  # px


class AnalysisPanel(WorkForm, QWidget):
    """Docked panel of one analysis; a subclass has its fields, its work and its views."""

    closing = Signal()
    cancelled = "Stopped"
    follows = False  # cheap enough to be computed again after each edit
    side_width = SIDE

    def __init__(self, window: Shell, job: BackgroundJob):
        QWidget.__init__(self, window)
        self.stale = StaleCheck()
        self._taken: StaleCheck | None = None  # model that has taken the answer over
        self.answered = False
        self.ages = True  # the answer is of the model in the window
        self._again = False  # the model has changed during the work
        self._moved = False
        self.posed: tuple[Scene, np.ndarray, str] | None = None  # of the answer, in the 3-D view
        self._buttons = QHBoxLayout()
        self.make_parts(window, job)
        self.cancel.setText("Stop")
        job.ended.connect(lambda _: self._ended())
        self.begin.setProperty("accent", True)
        self.close_button = tool_button("close", "Close this panel", "Close panel")
        self.close_button.clicked.connect(self.closing)
        self.form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self.form.setSpacing(6)
        self.busy = QProgressBar(minimum=0, maximum=0, textVisible=False)
        self.busy.setAccessibleName("Progress")
        kept_room(self.busy)
        self.notes, self.figures = FoldedNotes(), FiguresList()
        self.states = StateLinks(lambda name: window.editing.go_to(name))
        self.pages = QTabWidget(documentMode=True)
        self.pages.setTabBarAutoHide(True)
        self.age = AgeBar(self.start)
        self._lay_out()
        self.build()
        self._follow_line()
        laid(self._buttons, None, self.close_button)
        self._show_pages(False)
        self._set_busy(False)
        self.said.hide()
        bar = self.side.verticalScrollBar().sizeHint().width()
        self.side.setMinimumWidth(self._settings.minimumSizeHint().width() + bar)

    def _lay_out(self) -> None:
        side = self._settings = QWidget()
        laid(QVBoxLayout(side), self.form, None, margins=(EDGE, 0, EDGE, EDGE), spacing=8)
        self.side = QScrollArea(widgetResizable=True)
        self.side.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.side.setFrameShape(QFrame.Shape.NoFrame)
        self.side.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.side.setWidget(side)
        left = self._settings_side = QWidget()
        head = QWidget()  # what begins and ends the work stays in sight
        laid(QVBoxLayout(head), self._buttons, self.busy, margins=(EDGE, EDGE, EDGE, 0), spacing=4)
        self._left = laid(QVBoxLayout(left), head, (self.side, 1), margins=(0, 0, 0, 0), spacing=4)
        self.question = text_label(self.purpose, "muted", wraps=True)
        self.question.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.question.setContentsMargins(24, 12, 24, 12)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.question)
        self.stack.addWidget(self.pages)
        self.beside = QSplitter()  # the pages, and a picture of what they tell
        self.beside.addWidget(self.stack)
        self.beside.setHandleWidth(1)
        self.told = ToldColumn(self.said, self.states, self.figures, self.notes)  # it moves no field
        self._body = laid(QHBoxLayout(), (self.beside, 1), spacing=0)
        answer = self._answer = SizedWidget(self._place_told)
        laid(QVBoxLayout(answer), self.age, (self._body, 1), margins=(0, 0, 0, 0), spacing=0)
        self.splitter = QSplitter()
        self.splitter.addWidget(left)
        self.splitter.addWidget(answer)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setHandleWidth(1)
        self.splitter.splitterMoved.connect(lambda *_: self._note_moved())
        laid(QVBoxLayout(self), self.splitter, margins=(0, 0, 0, 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put settings above the answer where there is no width for both."""
        upright = self.width() < NARROW and self.height() > 0.8 * self.width()
        way = Qt.Orientation.Vertical if upright else Qt.Orientation.Horizontal
        if way != self.splitter.orientation():
            self.splitter.setOrientation(way)
            self._moved = False
        super().resizeEvent(event)
        if not self._moved:
            whole = self.height() if upright else self.width()
            side = whole // 3 if upright else min(self.side_width, int(MOST * whole))
            self.splitter.setSizes([side, whole - side])

    def _note_moved(self) -> None:
        self._moved = True  # by the user: it stays so

    def _place_told(self) -> None:
        """Give words their place by the room that the pages have, without a picture beside them."""
        pictured = "own_view" in vars(self) and not self.own_view.isHidden()
        wide = self._answer.width() - PICTURE * pictured
        self.told.place(self._left, self._body, wide, self._settings_side.height())

    def say(self, text: str, role: str = "") -> None:
        super().say(text, role)
        self.said.setVisible(bool(text))
        self.told.fit()
        if not self.job.active:
            self.told.verticalScrollBar().setValue(0)  # where it stands

    # ------------------------------------------------------------------ parts for each kind

    def button(self, text: str) -> QPushButton:
        made = QPushButton(text)
        made.setProperty("compact", True)
        made.setAutoDefault(False)
        self._buttons.addWidget(made)
        return made

    def state_lines(self) -> None:
        """Fields of the state and time about which the model is linearised."""
        self.about = at_state()
        self.line("Operating point", self.about, ABOUT)
        self.time = at_time()
        self.line("Time", self.time, AT_TIME)

    def confirm_line(self) -> None:
        """Tick for confirmation runs."""
        self.confirm = CheckBox()
        self.line("Confirm by runs", self.confirm, CONFIRM)

    def _follow_line(self) -> None:
        """Tick for following the model, where that is cheap."""
        self.follow = CheckBox()
        if self.follows:
            self.line("Follow the model", self.follow, FOLLOW)

    def wants_confirmation(self) -> bool:
        """True if confirmation runs are wanted; raises LuffError for a state beside which none are made."""
        if not self.confirm.isChecked():
            return False
        about = getattr(self, "about", None)
        if about is not None and (about.currentText() != "equilibrium" or self.time.value() != 0.0):
            raise LuffError(
                "Found Confirm by runs with another state or time, expected the equilibrium at time 0"
            )
        return True

    def offer(self) -> None:
        """Fill empty fields when the panel is opened."""

    def show_pages(self, pages: Mapping[str, QWidget]) -> None:
        """Show widgets as pages; tables of the answer before are deleted."""
        while self.pages.count():
            page = self.pages.widget(0)
            self.pages.removeTab(0)
            if isinstance(page, FindingsTable) and page not in pages.values():
                page.deleteLater()
        for title, page in pages.items():
            self.pages.addTab(page, title)
        self.pages.setCurrentIndex(0)
        self._show_pages(bool(pages))

    def verdict(self, stability: str, sentence: str) -> str:
        """Sentence of a verdict, with a capital, in the colour of what is bad or open."""
        self.role = {"stable": "", "unstable": "error"}.get(stability, "warning")
        return sentence[:1].upper() + sentence[1:]

    def of_equilibrium(self, stability: str, words: Sequence[str], states: Sequence[str]) -> str:
        """Sentence of `split_place` with the verdict on an equilibrium; nothing about another state.

        The links are those of the states that it speaks of.
        """
        self.states.show_names(states)
        return self.verdict(stability, words[0]) if words else ""

    def of_linear(self, linear: Linear, notes: Sequence[str]) -> str:
        """Show notes on a linear model; return the sentence with the verdict on its equilibrium.

        That some states are indifferent and all else decays is the last note: it changes nothing in the answer.
        """
        words, where = split_place(linear.equilibrium)
        last = words if linear.stability == "indifferent" and standing_states(linear) else []
        self.notes.show_notes([*notes, *last], where)
        if last:
            words = []
        return self.of_equilibrium(linear.stability, words, indifferent_states(linear) if words else [])

    def show_runs(self, runs: Sequence[Confirmation] | None) -> list[str]:
        """Add the page of confirmation runs; return the sentence that counts them."""
        if runs is None:
            return []
        if runs:
            rows = [[one.varied, one.value, one.expected, one.seen, one.word] for one in runs]
            self.pages.addTab(FindingsTable("Confirmation runs", [[*HEADS[:-1], "verdict"], *rows]), BESIDE)
        return [next(iter(table(runs)))]

    def _show_pages(self, on: bool) -> None:
        self.stack.setCurrentWidget(self.pages if on else self.question)

    def saved(self, name: str, title: str, kinds: str, suffix: str) -> Path | None:
        """File for a part of the answer, as the user names it."""
        start = proposed_file(self.window_.top, f"-{name}{suffix}")
        chosen, _ = QFileDialog.getSaveFileName(self, title, str(start), kinds)
        return self.window_.files.with_suffix(Path(chosen), suffix) if chosen else None

    def save_picture(self, figure: Figure) -> None:
        """Write a figure to a file that the user names, as the command draws it."""
        path = self.saved(self.title.lower().replace(" ", "-"), "Save Picture", PICTURES, ".png")
        if path is None:
            return
        try:
            figure.savefig(path, dpi=120)
        except (OSError, ValueError) as error:
            self.say(str(error), "error")
            return
        self.window_.say(f"Saved {path}")

    def swing(self, scene: Scene | None, frames: np.ndarray, words: str) -> bool:
        """Show poses in the 3-D view, beside this panel, with `words` for their time.

        False if the view belongs to a run or there is none.
        """
        window = self.window_
        if scene is None or scene.empty or window.runner.active:
            return False
        self.posed = scene, frames, words
        window.analyses.swing(self, *self.posed)
        return True

    def swing_beside(self, on: bool) -> None:
        """Show the poses of `swing` beside the pages too, or no longer."""
        if on and self.posed is not None:
            new = "own_view" not in vars(self)
            if new:
                self.beside.addWidget(self.own_view)
            self.own_view.show_swing(*self.posed)
            self._place_told()
            if new:
                self.beside.setSizes(self._shares())
        elif "own_view" in vars(self):
            self.own_view.end()
            self._place_told()

    def _shares(self) -> list[int]:
        """Widths of the pages and of a picture beside them: tables are whole where that leaves a picture."""
        wide = self._answer.width() - self.told.width_beside
        tables = max((table.whole_width() for table in self.stack.findChildren(FindingsTable)), default=0)
        picture = max(PICTURE, min(wide - tables, round(SHARE * wide)))
        return [wide - picture, picture]

    @cached_property
    def own_view(self) -> SwingView:
        return SwingView()

    def end_swing(self) -> None:
        self.posed = None
        self.window_.analyses.end_swing(self)

    # ------------------------------------------------------------------ work and age

    @cached_property
    def work_folder(self) -> Path:
        """Temporary folder of this panel's work, deleted with the panel."""
        made = tempfile.mkdtemp(prefix="luff-analysis-")
        weakref.finalize(self, shutil.rmtree, made, ignore_errors=True)
        return Path(made)

    def start(self) -> None:
        if self.job.active:
            return
        self._again = False
        self.stale.begin(self.window_.top.diagram)
        super().start()

    def is_current(self) -> bool:
        diagram = self.window_.top.diagram
        taken = self._taken is not None and not self._taken.outdated(diagram)
        return taken or not self.stale.outdated(diagram)

    def accept_model(self) -> None:
        """Take the model as it is now for one that the answer is of: it has taken the answer over."""
        self._taken = StaleCheck()
        self._taken.begin(self.window_.top.diagram)
        self.check_age()

    def clear(self) -> None:
        self.answered, self._taken = False, None
        self.end_swing()
        self.states.show_names([])
        self.notes.show_notes([])
        self.figures.show_rows([])
        self.show_pages({})
        self.age.hide()

    def forget(self) -> None:
        """Stop the work and remove the answer: the panel was closed, or another model was opened."""
        self.job.stop()
        self.clear()
        self.say("")
        self.stale.forget()
        self._set_busy(False)

    def edit_inside(self) -> None:
        """Note the edit of a composite, which the work reads from its file."""
        for check in filter(None, (self.stale, self._taken)):
            check.edit_inside()

    def check_age(self) -> None:
        """Say whether the answer is of an older model; why work failed goes with the model that it was about."""
        if self._refusal and not self.is_current():
            self.withdraw()
        self.age.setVisible(self.answered and self.ages and not self.is_current())

    def is_of(self, model: Path | None) -> list[str]:
        """Note of which model file the answer is, and return remarks if the window shows another model.

        None is the window's model as it stood when the work began. An answer of another file does not grow old
        with the window's model.
        """
        top = self.window_.top
        if model is None:
            self.ages = True
            return []
        self.ages = top.path is not None and top.path.resolve() == model.resolve()
        if not self.ages:
            return [f"{OTHER}: {model.name}."]
        return [UNSAVED] if top.modified else []

    def model_compiled(self) -> None:
        """Compute again if the panel follows the model, which has changed."""
        show_examples(self.fields.values())
        if not (self.follow.isChecked() and self.isVisible()) or self.is_current():
            return
        if self.job.active:
            self._again = True
        elif self.answered or self._again:
            self.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        show_examples(self.fields.values())
        self.check_age()
        if self.window_.actions_["modes"].isEnabled():
            self.model_compiled()

    def _set_busy(self, on: bool) -> None:
        focused = self.begin.hasFocus() or self.cancel.hasFocus()
        super()._set_busy(on)
        self.begin.setVisible(not on)
        self.cancel.setVisible(on)
        self.busy.setVisible(on)
        if focused:  # else it goes to a field
            (self.cancel if on else self.begin).setFocus()

    def _told(self, told: object) -> None:
        self.show_share(*self.share(told))
        super()._told(told)

    def share(self, told: object) -> tuple[int, int]:
        """Done and all parts of the work, from a progress report; (0, 0) if unknown."""
        return 0, 0

    def show_share(self, done: int, of: int) -> None:
        self.busy.setRange(0, of)
        self.busy.setValue(done)

    def _done(self, answer: object) -> None:
        self.answered = True
        super()._done(answer)
        self.show_share(0, 0)
        self.check_age()
        if self._again:
            self.model_compiled()

    def _failed(self, problems: list[Problem]) -> None:
        super()._failed(problems)
        if self._again:
            self.model_compiled()

    def _ended(self) -> None:
        """Show that work was cancelled: it has no answer."""
        self._set_busy(False)
        self.say(self.cancelled)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Begin by Return; leave a field by Escape, and stop by it after a word."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers() & ~_KEYPAD:
            self.start()
        elif not (event.key() == Qt.Key.Key_Escape and self.take_escape()):
            super().keyPressEvent(event)


def counted(runs: Iterable[Confirmation], tell: Callable[[object], None]) -> list[Confirmation]:
    """Confirmation runs, made one by one with progress."""
    made: list[Confirmation] = []
    tell(CONFIRMING)
    for run in runs:
        made.append(run)
        tell(f"{CONFIRMING}: {len(made)} done")
    return made


_KEYPAD = Qt.KeyboardModifier.KeypadModifier
