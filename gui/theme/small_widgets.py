"""Small widgets that the platform lacks or draws badly: elided labels, check boxes, choices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
    SignalInstance,
)
from PySide6.QtGui import QActionGroup, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QTreeWidget,
    QWidget,
)

from .active_theme import theme
from .icons import icon

BOX = 14
SCRUB = 4  # px of a step
OLDER = "Results are of an older model: run it again"
EDGE = 8  # px of padding left and right together


def set_style_property(widget: QWidget, name: str, value: str | bool) -> None:
    """Set a property that the style sheet asks for; style the widget anew, which takes long, only if it has changed."""
    before = widget.property(name)
    if before == value or not (before or value):  # unset is as empty
        return
    widget.setProperty(name, value)
    widget.style().unpolish(widget)
    widget.style().polish(widget)


class ElidedLabel(QLabel):
    """Label that elides its text in the middle; the tooltip shows all of it."""

    def __init__(self, text: str = ""):
        super().__init__()
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setToolTip(text)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, super().minimumSizeHint().height())

    def shown(self) -> str:
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, self.width())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(
            self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.shown()
        )


class ScrubLabel(QLabel):
    """Label of a number; dragging it sideways changes the number by one step per few pixels."""

    begun = Signal()
    scrubbed = Signal(int)  # steps since the press; Shift makes ten of one

    def __init__(self, text: str):
        super().__init__(text)
        self.scrubs = False
        self._from: QPointF | None = None
        self._steps = 0

    def set_scrubs(self, on: bool) -> None:
        self.scrubs = on
        self.setCursor(Qt.CursorShape.SizeHorCursor if on else Qt.CursorShape.ArrowCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.scrubs and event.button() == Qt.MouseButton.LeftButton:
            self._from, self._steps = event.position(), 0
            self.begun.emit()
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._from is None:
            return
        steps = int((event.position().x() - self._from.x()) / SCRUB)
        if steps != self._steps:
            self._steps = steps
            fast = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self.scrubbed.emit(10 * steps if fast else steps)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._from = None
        super().mouseReleaseEvent(event)


class CheckBox(QCheckBox):
    """Check box whose outline is visible on dark panels."""

    def sizeHint(self) -> QSize:
        return QSize(BOX + 4, BOX + 4)

    def hitButton(self, pos) -> bool:  # type: ignore[no-untyped-def]
        return self.rect().contains(pos)

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter = theme(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(1.5, (self.height() - BOX) / 2 + 0.5, BOX - 1, BOX - 1)
        partly = self.checkState() is Qt.CheckState.PartiallyChecked
        edge = "accent" if self.hasFocus() or self.isChecked() else "muted"
        painter.setPen(QPen(t.colour(edge), 1.6 if self.hasFocus() else 1))
        painter.setBrush(t.colour("accent" if self.isChecked() and not partly else "field"))
        painter.drawRoundedRect(box, 3, 3)
        if partly:
            painter.setPen(QPen(t.colour("text"), 1.8))
            painter.drawLine(box.center() - QPointF(3.5, 0), box.center() + QPointF(3.5, 0))
        elif self.isChecked():
            painter.setPen(QPen(t.colour("accent_text"), 1.8))
            corners = ((3.2, 6.8), (5.6, 9.4), (10.0, 4.0))
            painter.drawPolyline(QPolygonF([box.topLeft() + QPointF(x, y) for x, y in corners]))


def name_parts(holder: QWidget, name: str) -> None:
    """Set accessible names for unnamed parts of a field; several of one kind are numbered."""
    kinds = (QAbstractButton, QAbstractItemView, QComboBox, QLineEdit, QPlainTextEdit)
    parts = [part for part in holder.findChildren(QWidget) if isinstance(part, kinds)]
    bare = [part for part in parts if not part.accessibleName() and not isinstance(part.parent(), QComboBox)]
    fields = [part for part in bare if not isinstance(part, QToolButton)]
    for part in bare:
        if isinstance(part, QToolButton):
            part.setAccessibleName(f"{name}: {part.toolTip() or 'unit'}")
        else:
            part.setAccessibleName(f"{name} {fields.index(part) + 1}" if len(fields) > 1 else name)


Part = QWidget | QLayout
Box = TypeVar("Box", bound=QBoxLayout)


def laid(
    box: Box,
    *parts: Part | tuple[Part, int] | None,
    margins: tuple[int, int, int, int] | None = None,
    spacing: int | None = None,
) -> Box:
    """Fill a box layout with parts and their stretch factors; None is a stretch."""
    if margins is not None:
        box.setContentsMargins(*margins)
    if spacing is not None:
        box.setSpacing(spacing)
    for entry in parts:
        part, share = entry if isinstance(entry, tuple) else (entry, 0)
        if part is None:
            box.addStretch(1)
        elif isinstance(part, QLayout):
            box.addLayout(part, share)
        else:
            box.addWidget(part, share)
    return box


def kept_room(widget: QWidget) -> None:
    """Keep the room of a widget while it is hidden, so that it moves nothing."""
    policy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    widget.setSizePolicy(policy)


def laid_left(*parts: QWidget) -> QWidget:
    """Widgets at the left of a cell, no wider than they have to be."""
    cell = QWidget()
    laid(QHBoxLayout(cell), *parts, None, margins=(2, 0, 2, 0))
    return cell


def text_label(text: str, role: str, wraps: bool = False) -> QLabel:
    """Label in the style of a role: title, muted, error, ..."""
    label = QLabel(text)
    label.setProperty("role", role)
    label.setWordWrap(wraps)
    return label


def push_button(text: str, tip: str, slot: Callable[[], object] | SignalInstance) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(tip)
    button.clicked.connect(slot)
    return button


def tool_button(symbol: str, tip: str, name: str) -> QToolButton:
    """Tool button with an icon; `name` is its accessible name."""
    button = QToolButton()
    button.setIcon(icon(symbol))
    button.setToolTip(tip)
    button.setAccessibleName(name)
    return button


class DeleteKey(QObject):
    """Event filter for Del in a list; elsewhere Del deletes blocks, and two shortcuts would be ambiguous."""

    pressed = Signal()

    def __init__(self, widget: QWidget):
        super().__init__(widget)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Delete:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.pressed.emit()
                return True
        return False


class Choice(QToolButton):
    """Tool button with a menu of a few choices."""

    chosen = Signal(str)

    def __init__(self, icon_name: str, words: list[str], tip: str):
        super().__init__()
        self.setIcon(icon(icon_name))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setAccessibleName(tip)
        self._tip = tip
        self._group = QActionGroup(self)
        menu = QMenu(self)
        for word in words:
            action = self._group.addAction(menu.addAction(word))
            action.setCheckable(True)
        self.setMenu(menu)
        self._group.triggered.connect(lambda action: self.setCurrentText(action.text()))
        self._current = ""
        self.setCurrentText(words[0])

    def currentText(self) -> str:
        return self._current

    def setCurrentText(self, word: str) -> None:
        if word == self._current:
            return
        self._current = word
        for action in self._group.actions():
            action.setChecked(action.text() == word)
        self.setToolTip(f"{self._tip}: {word.lower()}")
        self.chosen.emit(word)


def stale_banner(parent: QWidget | None = None, words: str = OLDER) -> QLabel:
    """Create the banner, hidden at first."""
    label = QLabel(words, parent)
    label.setProperty("role", "warning")
    label.setProperty("over", parent is not None)  # opaque over other widgets
    label.setContentsMargins(6, 2, 6, 2)
    label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    label.adjustSize()
    label.hide()
    return label


class WrappedRows(QStyledItemDelegate):
    """Item delegate that wraps text within its column instead of eliding it."""

    def __init__(self, tree: QTreeWidget):
        super().__init__(tree)
        self.tree = tree
        tree.setWordWrap(True)
        tree.setTextElideMode(Qt.TextElideMode.ElideNone)
        tree.setUniformRowHeights(False)
        tree.header().sectionResized.connect(lambda *_: tree.scheduleDelayedItemsLayout())

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        hint = super().sizeHint(option, index)
        width = self.tree.columnWidth(index.column()) - EDGE
        if index.data(Qt.ItemDataRole.DecorationRole) is not None:
            width -= self.tree.iconSize().width() + EDGE
        lines = option.fontMetrics.boundingRect(  # type: ignore[attr-defined]
            QRect(0, 0, max(width, 40), 10_000), Qt.TextFlag.TextWordWrap, str(index.data() or "")
        )
        return QSize(hint.width(), max(24, lines.height() + 8))
