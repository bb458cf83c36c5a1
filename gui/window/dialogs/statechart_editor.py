"""State chart editor: the chart, and beside it the outputs of its states and its transitions."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent, QPainter, QPaintEvent, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QInputDialog,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from ....blocks import LuffError
from ....solver.diagram.edit_events import Event
from ...canvas.scene import CanvasScene
from ...canvas.statechart_item import paint_chart
from ...document import statechart_edits
from ...document.document import Document
from ...drawing.statechart_layout import ROW, Arrow, Box, Chart
from ...properties.edit_target import EditTarget
from ...properties.property_groups import make_rows
from ...theme import active_theme as themes
from ...theme.active_theme import theme
from ...theme.small_widgets import laid, push_button, text_label

LARGEST, SMALLEST = 1.7, 0.8  # scales of the chart
SHOWN = ("states", "transitions", "initial", "inputs", "outputs", "constants", "active")


class ChartView(QWidget):
    """Chart widget scaled to its size; a click selects a state or a transition."""

    chosen = Signal()
    renaming = Signal()
    removing = Signal()

    def __init__(self, chart: Chart, accent: str):
        super().__init__()
        self.chart, self.accent = chart, accent
        self.active = 0
        self.state, self.transition = "", -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Chart")
        themes.holder.changed.connect(self.update)
        self.show_chart(chart)

    def show_chart(self, chart: Chart) -> None:
        self.chart = chart
        if self.state not in {box.name for box in chart.boxes}:
            self.state = ""
        if self.transition not in {arrow.index for arrow in chart.arrows}:
            self.transition = -1
        self.setMinimumSize(QSize(round(SMALLEST * chart.width), round(SMALLEST * chart.height)))
        self.update()

    def scale(self) -> float:
        fits = min(self.width() / self.chart.width, self.height() / self.chart.height)
        return max(SMALLEST, min(LARGEST, fits))

    def place_of(self, box: Box) -> QPointF:
        """Centre of a state in widget coordinates."""
        return QPointF(box.x + box.width / 2, box.y + box.height / 2) * self.scale()

    def choose(self, state: str = "", transition: int = -1) -> None:
        self.state, self.transition = state, transition
        self.update()
        self.chosen.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = event.position() / self.scale()
        box = next((box for box in self.chart.boxes if _contains(box, at)), None)
        arrow = next((arrow for arrow in self.chart.arrows if _is_on_text(arrow, at)), None)
        self.choose(box.name if box else "", -1 if box or not arrow else arrow.index)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.mousePressEvent(event)
        if self.state:
            self.renaming.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle arrow keys (next state), F2 (rename) and Del (remove)."""
        names = [box.name for box in self.chart.boxes]
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if step is not None and names:
            now = names.index(self.state) + step if self.state in names else 0
            self.choose(names[now % len(names)])
        elif event.key() == Qt.Key.Key_F2:
            self.renaming.emit()
        elif event.key() == Qt.Key.Key_Delete:
            self.removing.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme().colour("canvas"))
        painter.scale(self.scale(), self.scale())
        paint_chart(
            painter, self.chart, theme().family(self.accent), self.active, self.state, self.transition
        )
        painter.end()


def _contains(box: Box, at: QPointF) -> bool:
    return box.x <= at.x() <= box.x + box.width and box.y <= at.y() <= box.y + box.height


def _is_on_text(arrow: Arrow, at: QPointF) -> bool:
    """True if a point is on the text line of a transition."""
    x, y = arrow.place
    return x - 10 <= at.x() and abs(at.y() - y) <= ROW / 2


class ChartEditor(QDialog):
    def __init__(self, parent: QWidget, document: Document, scene: CanvasScene, name: str):
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(980, 640)
        self.document, self.scene, self.name = document, scene, name
        chart = document.chart(name)
        assert chart is not None  # only state machines have one
        self.view = ChartView(chart, document.type_and_family(name)[1])
        self.says = text_label("", "error", wraps=True)
        params = document.diagram.block_params(name)
        self.rows = make_rows(EditTarget(document, name), {key: params[key] for key in SHOWN})
        self._lay_out()
        self.view.chosen.connect(self._enable)
        self.view.renaming.connect(self.rename)
        scene.lit.connect(self._highlight_active)
        document.edited.connect(self._on_event)
        keys = QKeySequence.StandardKey
        QShortcut(QKeySequence(keys.Undo), self, document.undo.undo)
        QShortcut(QKeySequence(keys.Redo), self, document.undo.redo)
        self.view.removing.connect(self.remove)
        self._refresh()
        self._highlight_active()

    def _lay_out(self) -> None:
        area = QScrollArea()
        area.setWidget(self.view)
        area.setWidgetResizable(True)
        self.buttons: dict[str, QPushButton] = {}
        for key, text, tip, done in (
            ("state", "Add State", "A new state below the others", self.add_state),
            ("transition", "Add Transition", "From the chosen state to the next one", self.add_transition),
            ("rename", "Rename...", "The chosen state; transitions follow (F2)", self.rename),
            (
                "remove",
                "Remove",
                "The chosen state with its transitions, or the chosen transition (Del)",
                self.remove,
            ),
        ):
            self.buttons[key] = push_button(text, tip, done)
            self.buttons[key].setAutoDefault(False)
        line = laid(QHBoxLayout(), *self.buttons.values())
        left, body = laid(QVBoxLayout(), (area, 1), line, self.says), QWidget()
        laid(QVBoxLayout(body), *self.rows, None)
        right = QScrollArea()
        right.setWidget(body)
        right.setWidgetResizable(True)
        laid(QHBoxLayout(self), (left, 3), (right, 4))

    # ------------------------------------------------------------------ following

    def _on_event(self, event: Event) -> None:
        if (event.kind == "renamed" and event.detail == self.name) or self.document.chart(self.name) is None:
            self.close()
        else:
            self._refresh()

    def _refresh(self) -> None:
        chart = self.document.chart(self.name)
        assert chart is not None
        self.setWindowTitle(f"Chart of {self.name}")
        self.view.show_chart(chart)
        for row in self.rows:
            row.refresh()
        self._enable()

    def _enable(self) -> None:
        chosen = bool(self.view.state)
        self.buttons["transition"].setEnabled(chosen)
        self.buttons["rename"].setEnabled(chosen)
        self.buttons["remove"].setEnabled(chosen or self.view.transition >= 0)

    def _highlight_active(self) -> None:
        """Highlight the state that is active at the moment shown on the canvas."""
        item = self.scene.blocks.get(self.name)
        self.view.active = item.active_state if item else 0
        self.view.update()

    # ------------------------------------------------------------------ edits

    def add_state(self) -> None:
        name = statechart_edits.add_state(self.document, self.name)
        self.view.choose(name)

    def add_transition(self) -> None:
        names = list(statechart_edits.states(self.document, self.name))
        if self.view.state not in names:
            return
        following = names[(names.index(self.view.state) + 1) % len(names)]
        index = statechart_edits.add_transition(self.document, self.name, self.view.state, following)
        self.view.choose(transition=index)

    def rename(self) -> None:
        old = self.view.state
        if not old:
            return
        new, agreed = QInputDialog.getText(self, "Rename State", "Name of the state", text=old)
        if agreed:
            self._try_rename(old, new.strip())

    def _try_rename(self, old: str, new: str) -> None:
        try:
            statechart_edits.rename_state(self.document, self.name, old, new)
        except LuffError as error:
            self.says.setText(error.problems[0].message)
            return
        self.says.clear()
        self.view.choose(new)

    def remove(self) -> None:
        if self.view.state:
            statechart_edits.remove_state(self.document, self.name, self.view.state)
        elif self.view.transition >= 0:
            statechart_edits.remove_transition(self.document, self.name, self.view.transition)
