"""Guided tour (Help > Tour): a short text beside each part of the window; Esc ends it.

In an empty window it opens a crane, which runs while it talks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSettings, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from ..theme.active_theme import theme
from ..theme.block_catalog import examples
from ..theme.small_widgets import laid

if TYPE_CHECKING:
    from .shell import Shell

TOURED = "tour"  # settings key: the tour was shown
CRANE, OPENS = "crane_demo", 1  # example that the tour opens, at this stop
BELOW = ("Plots", "Problems", "Signals", "Log")  # panels that the tour may bring to the front
WIDE, APART = 300, 10  # px: the words, and between them and what they speak of
LARGE = 1.5  # of the words: a part that has room for them


@dataclass(frozen=True)
class TourStop:
    """Tour stop: a part of the window and its text; `panel` is shown first.

    `act` is done where the tour has opened its own model.
    """

    title: str
    words: str
    part: Callable[[Shell], QWidget]
    panel: str = ""
    act: Callable[[Shell], None] | None = None


def run_crane(window: Shell) -> None:
    """Run the tour's model in real time, so that it moves while the tour goes on."""
    if not window.runner.active:
        window.running.speed.setCurrentText("Real time")
        window.running.on_run()


def beginning(window: Shell) -> QWidget:
    """The first page, or the canvas where there is none."""
    return window.welcome if window.welcome.isVisible() else window.view


STOPS = (
    TourStop("Begin", "An example, a template with its picture, or blocks of your own.", beginning),
    TourStop("Blocks", "Drag one onto the canvas, or press / there and type.", lambda w: w.palette_, "Palette"),
    TourStop("Wires", "Drag from port to port: those that fit glow, others say why they do not.", lambda w: w.view),
    TourStop("Properties", "The parameters of what is selected, in any unit.", lambda w: w.properties, "Properties"),
    TourStop("Run", "Ctrl+Return begins at once. Here stands what the model has.", lambda w: w.running.badge,
             act=run_crane),
    TourStop("In space", "Turn it with the mouse; a click finds the block of a body.", lambda w: w.view3d, "3-D View"),
    TourStop("Plots", "Signals grow here; drag a port of the canvas into a plot.", lambda w: w.deck, "Plots"),
    TourStop("Problems", "What is wrong is red, what is left to do grey.", lambda w: w.problems, "Problems"),
    TourStop("All the rest", "Ctrl+Shift+P finds any action; F1 tells of a block.", lambda w: w.menu_bar),
)  # fmt: skip


class Tour(QFrame):
    """Overlay that frames one part of the window after the other, with a text beside it."""

    def __init__(self, window: Shell):
        super().__init__(window.tabs)
        self.window_, self.at = window, 0
        self.opened = False  # the tour shows a model of its own
        self.before = ""  # panel of the dock below that was in front
        self.setAccessibleName("Tour")
        self.title, self.words, self.count = QLabel(), QLabel(), QLabel()
        self.title.setProperty("role", "title")
        self.count.setProperty("role", "muted")
        self.words.setWordWrap(True)
        self.words.setFixedWidth(WIDE)
        self.skip, self.next = QPushButton("Skip"), QPushButton()
        self.skip.clicked.connect(self.end)
        self.next.clicked.connect(lambda: self.show_stop(self.at + 1))
        buttons = laid(QHBoxLayout(), self.count, None, self.skip, self.next)
        laid(QVBoxLayout(self), self.title, self.words, buttons)
        self.mark = QFrame(window.tabs)
        self.mark.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        window.installEventFilter(self)
        self.hide()
        self.mark.hide()

    def begin(self) -> None:
        QSettings().setValue(TOURED, True)
        self.opened = False
        panels = self.window_.panels
        self.before = next((key for key in BELOW if panels.is_visible(key)), "")
        if self.parentWidget() is not self.window_.tabs:  # the diagram has a window of its own by now
            self.setParent(self.window_.tabs)
            self.mark.setParent(self.window_.tabs)
        self.show_stop(0)

    def _open_crane(self) -> None:
        """Open the example in a window that is empty."""
        window = self.window_
        path = next((path for path in examples() if path.stem == CRANE), None)
        if path is not None and window.top.path is None and not window.top.diagram.blocks:
            window.files.open_example(path)
            self.opened = True

    def show_stop(self, k: int) -> None:
        if k >= len(STOPS):
            self.end()
            return
        self.at, stop = k, STOPS[k]
        if k == OPENS:
            self._open_crane()
        if stop.act is not None and self.opened:
            stop.act(self.window_)
        if stop.panel:
            self.window_.panels.show(stop.panel)
        part: QWidget | None = stop.part(self.window_)
        while part is not None and part is not self.window_:  # panels and bars are laid out later
            part.installEventFilter(self)
            part = part.parentWidget()
        self.title.setText(stop.title)
        self.words.setText(stop.words)
        self.count.setText(f"{k + 1} of {len(STOPS)}")
        self.next.setText("Next" if k + 1 < len(STOPS) else "Done")
        t = theme()
        self.setStyleSheet(
            f"Tour {{ background: {t.panel}; border: 1px solid {t.accent}; border-radius: 6px; }}"
        )
        self.mark.setStyleSheet(f"QFrame {{ border: 2px solid {t.accent}; border-radius: 4px; }}")
        for part in (self.mark, self):
            part.show()
            part.raise_()
        self.next.setFocus()  # panels that are shown, or a run that begins, may have it
        self.place()

    def place(self) -> None:
        """Place the text beside its part, or inside it where that is large, not in the first page; over it
        where there is no room.
        """
        part = STOPS[self.at].part(self.window_)
        outer = self.window_.tabs
        there = QRect(part.mapTo(outer, QPoint(0, 0)), part.size()) & outer.rect()
        self.mark.setGeometry(there)
        self.adjustSize()
        whole, size = outer.rect(), self.size()
        large = there.width() > LARGE * size.width() and there.height() > LARGE * size.height()
        if large and part is not self.window_.welcome:
            self.move(there.right() - APART - size.width(), there.top() + APART)  # beside it lie other panels
            return
        for x, y in (
            (there.right() + APART, there.top()),
            # palette and properties have their tabs and search above
            (there.left() - APART - size.width(), there.bottom() + 1 - size.height()),
            (there.left(), there.bottom() + APART),
            (there.left(), there.top() - APART - size.height()),
        ):
            if whole.contains(QRect(QPoint(x, y), size)):
                self.move(x, y)
                return
        over = there.center() - self.rect().center()
        self.move(
            max(min(over.x(), whole.width() - size.width()), 0),
            max(min(over.y(), whole.height() - size.height()), 0),
        )

    def end(self) -> None:
        self.hide()
        self.mark.hide()
        if self.before:
            self.window_.panels.show(self.before)
        self.window_.view.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.end()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            (self.skip if self.skip.hasFocus() else self.next).click()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move) and self.isVisible():
            self.place()
        elif event.type() == QEvent.Type.Hide and watched is self.window_ and self.isVisible():
            # another tab is shown
            self.end()
        return super().eventFilter(watched, event)
