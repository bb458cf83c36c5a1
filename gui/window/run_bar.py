"""Run status in the tool bars: speed, time, progress, model summary and a remark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QProgressBar,
    QSizePolicy,
    QToolBar,
    QWidget,
)

from ..run.run_control import RunControl
from ..run.run_thread import COMPILING, PAUSED, RUNNING, UNLIMITED
from ..theme.number_format import clock_text
from ..theme.small_widgets import ElidedLabel, laid, set_style_property, text_label

if TYPE_CHECKING:
    from ...solver.diagnostics.model_summary import Summary

SPEEDS = {
    "As fast as possible": UNLIMITED,
    "4 x": 4.0,
    "2 x": 2.0,
    "Real time": 1.0,
    "1/2 x": 0.5,
    "1/4 x": 0.25,
    "1/10 x": 0.1,
}


class Clock(ElidedLabel):
    """Clock label with a width that does not change with its digits; short of room it drops words, then the last
    digits of the time, and the real-time factor never."""

    def __init__(self) -> None:
        self.shorter: list[str] = []  # texts for less and less room
        super().__init__(clock_text(0.0))

    def show_time(self, time: float, factor: str, state: str) -> None:
        words = lambda number, *rest: "   ".join(filter(None, (number, *rest)))  # noqa: E731
        self.setText(words(clock_text(time), factor, state))
        self.shorter = [words(f"{time:.{digits}f} s", factor, state) for digits in (3, 2, 1, 0)]

    def setText(self, text: str) -> None:
        super().setText(text)
        self.shorter = []

    def sizeHint(self) -> QSize:
        return super().sizeHint().expandedTo(QSize(190, 0))

    def shown(self) -> str:
        fits = lambda text: self.fontMetrics().horizontalAdvance(text) <= self.width()  # noqa: E731
        return next(filter(fits, (self.text(), *self.shorter)), super().shown())


class RunBar:
    """Run status bar. The speed is behind the buttons; the rest is a bar of its own, which keeps its place in a
    narrow window: its texts are shortened there, the model summary is not."""

    def __init__(self, runner: RunControl, bar: QToolBar):
        self.runner = runner
        self.told = QToolBar("Run")
        self.told.setObjectName("Run")
        self.told.setMovable(False)
        self.told.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.speed = QComboBox()
        self.speed.addItems(list(SPEEDS))
        self.speed.setToolTip("How fast simulated time passes")
        self.speed.setAccessibleName("Speed")
        self.speed.currentTextChanged.connect(lambda text: runner.set_speed(SPEEDS[text]))
        bar.addSeparator()
        bar.addWidget(self.speed)
        self.time = Clock()
        self.progress = QProgressBar()
        self.progress.setRange(0, 1000)
        self.progress.setTextVisible(False)
        self.progress.setMinimumWidth(24)
        self.progress.setMaximumWidth(120)
        keeps = self.progress.sizePolicy()
        keeps.setRetainSizeWhenHidden(True)  # what stands behind it does not move
        self.progress.setSizePolicy(keeps)
        self.progress.hide()  # until there is a run
        self.badge = text_label("", "badge")
        self.badge.setFixedHeight(22)
        self.badge.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.note = ElidedLabel()
        self.note.setProperty("role", "warning")
        self.note.hide()
        self.told.addWidget(_in_a_row(self.time, self.progress, self.badge, self.note))

    def show_note(self, text: str) -> None:
        self.note.setText(text)
        self.note.setVisible(bool(text))

    def show_time(self, shown: float | None) -> None:
        """Show the time of the run, or the time `shown` [s] after its end."""
        runner = self.runner
        if runner.state == COMPILING:
            self.time.setText(runner.doing or "Starting")
            self._show_progress(0)
        elif not runner.active and shown is not None:
            self.time.show_time(shown, "", "")
            share = shown / runner.time if runner.time else 0.0
            self._show_progress(round(1000 * runner.progress * min(share, 1.0)))
        elif runner.active and runner.doing:
            self.time.setText(runner.doing)
        else:
            running = runner.state == RUNNING and runner.rate > 0
            factor = f"{runner.rate:.3g} x" if running else ""
            self.time.show_time(runner.time, factor, "paused" if runner.state == PAUSED else "")
            if running:
                self.time.setToolTip(f"{self.time.text()} real time")
            self._show_progress(round(1000 * runner.progress))

    def _show_progress(self, share: int) -> None:
        self.progress.setValue(share)
        self.progress.setVisible(self.runner.active or share > 0)

    def show_time_of(self, name: str, end: float, shown: float | None) -> None:
        """Show the time of an opened result."""
        self.time.setText(f"{name}, {clock_text(end if shown is None else shown)}")
        self._show_progress(0 if shown is None or not end else round(1000 * shown / end))

    def show_badge(self, text: str, state: str, tip: str) -> None:
        self.badge.setText(text)
        self.badge.setToolTip(tip)
        set_style_property(self.badge, "state", state)


def _in_a_row(*parts: QWidget) -> QWidget:
    whole = QWidget()
    laid(QHBoxLayout(whole), *parts, None, margins=(8, 0, 0, 0), spacing=10)
    return whole


def summary_text(summary: Summary) -> str:
    """Model summary, as `6 DOF, 15 states, 2 constraints`"""
    words = []
    if summary.get("degrees_of_freedom") or summary.get("bodies"):
        words.append(f"{summary['degrees_of_freedom']} DOF")
    words.append(f"{summary['states']} state{'' if summary['states'] == 1 else 's'}")
    constraints = summary.get("constraints", 0)
    if constraints:
        words.append(f"{constraints} constraint{'' if constraints == 1 else 's'}")
    return ", ".join(words)


def counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def to_mend(errors: int, left: int, doubts: int) -> str:
    """Words of the badge for what is wrong, left to do and doubtful in a diagram."""
    first = counted(errors, "error") if errors else f"Incomplete: {left} to do"
    more = [f"{left} to do"] if errors and left else []
    return ", ".join([first, *more, *([counted(doubts, "warning")] if doubts else [])])
