"""Parameter editors, one per kind of parameter. An editor shows a raw value and reports a new one; it does not
access the document."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QPaintEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QStyle,
    QStyleOptionToolButton,
    QStylePainter,
    QToolButton,
    QWidget,
)

from ...blocks import LuffError
from ...blocks.params import Param
from ...blocks.text.raw_types import Raw
from ..document.undo_commands import UNSET
from ..theme.number_format import as_typed, unit_words, units_in_print
from ..theme.quiet_boxes import QuietCombo
from ..theme.small_widgets import CheckBox, set_style_property
from . import value_text
from .property_words import choice_words
from .value_text import default_text, from_text, short_default, to_text

UNIT_WIDTH, WIDEST_UNIT = 44, 84  # px for the units of a panel
UNIT_EDGE, UNIT_GAP = 5, 4  # px before a unit, and between its place and the field
FIELD_EDGE = 18  # px of a field beside its text
LINE = 18  # letters of a value that a field shows without scrolling


@runtime_checkable
class FillsMenu(Protocol):
    """Holder of a field that adds entries to its context menu."""

    def fill_menu(self, menu: QMenu) -> None: ...


class Field(QLineEdit):
    """Line edit that commits on Return and on loss of focus; Escape restores its text."""

    committed = Signal(str)

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._shown = ""
        self.editingFinished.connect(self.finish)

    def show_text(self, text: str) -> None:
        self._shown = text
        if text != self.text():
            self.setText(text)
            self.setCursorPosition(0)

    def finish(self) -> None:
        if self.text() != self._shown:
            self._shown = self.text()
            self.committed.emit(self.text())

    def event(self, event: QEvent) -> bool:
        if is_windows(event, self.text() == self._shown):
            event.ignore()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text() != self._shown:
            self.setText(self._shown)
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show the field's own menu entries, then those of its row."""
        menu = self.createStandardContextMenu()
        holder = self.parentWidget()
        while holder is not None and not isinstance(holder, FillsMenu):
            holder = holder.parentWidget()
        if holder is not None:
            menu.addSeparator()
            holder.fill_menu(menu)
        menu.exec(event.globalPos())
        menu.deleteLater()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self.selectAll()


class QuantityField(Field):
    """Field of numbers, whose units are in print; what is typed may have them as files do."""

    def show_text(self, text: str) -> None:
        super().show_text(units_in_print(text))

    def finish(self) -> None:
        if self.text() != self._shown:
            self._shown = self.text()
            self.committed.emit(self.typed())

    def typed(self) -> str:
        return as_typed(self.text())


def is_windows(event: QEvent, known: bool) -> bool:
    """True if a key belongs to the window: undo and redo are the field's own only while its text is uncommitted (not
    `known`)."""
    if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
        return False
    keys = QKeySequence.StandardKey
    return known and (event.matches(keys.Undo) or event.matches(keys.Redo))


def finish_typing() -> None:
    """Commit the text of the focused field, before saving or running."""
    finish = getattr(QApplication.focusWidget(), "finish", None)
    if finish is not None:
        finish()


SEVERAL = "several"  # of blocks with different values


class Editor(QWidget):
    edited = Signal(object)  # a raw value, or UNSET
    refused = Signal(str)  # the text is no value at all

    def __init__(self, param: Param, parent: QWidget | None = None):
        super().__init__(parent)
        self.param = param
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(0, 0, 0, 0)
        self.row.setSpacing(UNIT_GAP)

    def show_raw(self, raw: Raw) -> None:
        """Show a raw value; None shows the default."""

    def show_several(self) -> bool:
        """Show in the place of the default that several blocks have different values; False if it cannot."""
        return False

    def least_width(self) -> int:
        """Width that shows the value [px]; a row with less puts the editor below its name."""
        return 0

    def mark_wrong(self, wrong: bool, place: int | None = None) -> None:
        """Mark a mistake; `place` is that of the wrong one among several numbers, if it is known."""
        for child in self.findChildren(QWidget):
            set_style_property(child, "wrong", wrong)

    def commit_text(self, text: str) -> None:
        try:
            raw = from_text(text)
        except LuffError as error:
            self.refused.emit(error.problems[0].message)
            return
        self.edited.emit(UNSET if raw is None else raw)


class UnitButton(QToolButton):
    """Unit behind a field, in print and at the left, so that the units of a panel begin in one line. Behind numbers
    without a unit its place stays free, so that their fields end in one line too."""

    def __init__(self, parent: QWidget, numeric: bool):
        super().__init__(parent)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMinimumWidth(UNIT_WIDTH)
        self.setProperty("role", "unit")
        keep = self.sizePolicy()
        keep.setRetainSizeWhenHidden(numeric)
        self.setSizePolicy(keep)
        self.hide()

    def tell(self, text: str, tip: str = "") -> None:
        """Show a unit that cannot be chosen; none where the text is empty."""
        self.setText(unit_words(text))
        self.setToolTip(tip)
        self.setVisible(bool(text))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, option = QStylePainter(self), QStyleOptionToolButton()
        self.initStyleOption(option)
        option.text = ""  # type: ignore[attr-defined]
        if self.menu() is not None:
            painter.drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(
            self.rect().adjusted(UNIT_EDGE, 0, 0, 0),
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
            self.text(),
        )


class LineEditor(Editor):
    """Editor of any one-line value in netlist syntax; numbers have a menu of units."""

    def __init__(self, param: Param, parent: QWidget | None = None):
        super().__init__(param, parent)
        self.raw: Raw = None
        self.raw_unit = ""
        self.field = Field(self) if param.kind == "text" else QuantityField(self)
        self.field.setPlaceholderText(short_default(param))
        self.field.committed.connect(self._commit)
        self.row.addWidget(self.field, 1)
        self.unit = UnitButton(self, param.kind in ("number", "integer"))
        number = param.kind == "number"
        self._is_free = number and not param.unit  # any unit may stand behind it
        offered = value_text.choices(param.unit) if number and not param.shape else []
        if offered:
            menu = QMenu(self.unit)
            for name in offered:
                action = menu.addAction(unit_words(name))
                action.setCheckable(True)
                action.setData(name)
                action.triggered.connect(lambda _=False, name=name: self._convert(name))
            self.unit.setMenu(menu)
            self.unit.show()
        self.row.addWidget(self.unit)
        self.setFocusProxy(self.field)

    def _commit(self, text: str) -> None:
        parts = value_text.split(text)
        if self.param.kind == "text":
            self.edited.emit(text if text else UNSET)
        elif parts and not parts[1] and self.raw_unit:
            self.edited.emit(f"{text.strip()} {self.raw_unit}")
        else:
            self.commit_text(text)

    def least_width(self) -> int:
        text = self.field.text()
        if self.unit.menu() or (len(text) <= LINE and not self.param.shape):
            return 0
        return text_width(self.field, text) + unit_width(self.unit)

    def _convert(self, to: str) -> None:
        raw = self.raw if self.raw is not None else self.param.default
        changed = value_text.converted(raw, self.param.unit, to)
        if changed != self.raw:
            self.edited.emit(changed)

    def show_raw(self, raw: Raw) -> None:
        """Show a raw value; the unit of a quantity is on the button and applies to the next bare number typed."""
        self.raw = raw
        parts = value_text.split(self.param.default if raw is None else raw)
        self.raw_unit = parts[1] if parts and (self.unit.menu() or self._is_free) else ""
        self.field.show_text(without(to_text(raw), self.raw_unit))
        self.field.setPlaceholderText(
            without(short_default(self.param), self.raw_unit if raw is None else "")
        )
        if not self.unit.menu():
            if self._is_free:
                self.unit.tell(self.raw_unit)
            elif self.param.unit:
                self.unit.tell(self.param.unit if without_units(raw) else "")
            return
        own = self.raw_unit or self.param.unit
        self.unit.setText(unit_words(own))
        for action in self.unit.menu().actions():
            action.setChecked(action.data() == own)
        self.unit.setToolTip(f"In {self.unit.text()}; give the value in another unit")

    def show_several(self) -> bool:
        self.field.setPlaceholderText(SEVERAL)
        return True


def without_units(raw: Raw) -> bool:
    """True if a value has numbers alone, in the unit of its parameter."""
    numbers = raw if isinstance(raw, list) else [] if raw is None else [raw]
    return all(isinstance(number, int | float) for number in numbers)


def text_width(field: QLineEdit, text: str) -> int:
    """Width in which a field shows all of a text [px]."""
    return field.fontMetrics().horizontalAdvance(text) + FIELD_EDGE


def unit_width(unit: UnitButton) -> int:
    """Width that a unit takes beside its field [px]."""
    kept = unit.sizePolicy().retainSizeWhenHidden() or not unit.isHidden()
    return max(unit.minimumWidth(), unit.sizeHint().width()) + UNIT_GAP if kept else 0


def align_units(panel: QWidget) -> None:
    """Give the units of a panel one width, so that the fields before them end in line."""
    units = panel.findChildren(UnitButton)
    width = max((unit.sizeHint().width() for unit in units if unit.text()), default=0)
    for unit in units:
        unit.setMinimumWidth(min(width, WIDEST_UNIT))


def without(text: str, unit: str) -> str:
    """Number of a quantity's text, without its unit."""
    return text[: text.rindex(unit)].strip() if unit and unit in text else text


class ChoiceEditor(Editor):
    """Combo box of words; the default is its first entry, in grey."""

    def __init__(
        self,
        param: Param,
        choices: list[str],
        free: bool = False,
        key: str = "",
        parent: QWidget | None = None,
    ):
        super().__init__(param, parent)
        self.box = QuietCombo(self)
        # a long word is cut in its own field, and pushes nothing out of the panel
        self.box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.box.setMinimumContentsLength(6)
        self.box.setEditable(free)
        self.box.setInsertPolicy(
            QComboBox.InsertPolicy.NoInsert
        )  # it would pick what it inserts, which has no value
        self.free = free
        text = default_text(param)
        self._known: list[str] = []  # what the file says, by entry
        if not free:
            self._add("choose" if param.required else choice_words(key, text), text, None)
        for choice in choices:
            if free or param.required or choice != text:
                self._add(choice if free else choice_words(key, choice), choice, choice)
        if free:
            self.field = Field(self.box)
            self.box.setLineEdit(self.field)
            self.field.setPlaceholderText(text)
            self.field.committed.connect(self.commit_text)
        self.box.activated.connect(self._commit_choice)
        self.row.addWidget(self.box, 1)
        self.setFocusProxy(self.box)

    def _add(self, words: str, text: str, value: Raw) -> None:
        self.box.addItem(words, value)
        self._known.append(text)

    def _commit_choice(self, index: int) -> None:
        value = self.box.itemData(index)
        self.edited.emit(UNSET if value is None else value)

    def show_raw(self, raw: Raw) -> None:
        text = to_text(raw)
        if self.free:
            # keys and the open list go on from the entry that holds, the default's where nothing is written
            self.box.setCurrentIndex(self._place_of(text or default_text(self.param)))
            self.field.show_text(text)
            self.field.setPlaceholderText(default_text(self.param))
            return
        index = 0 if raw is None else self._place_of(text)
        if index < 0:
            # the file's value, although it is not among the choices
            self._add(text, text, raw)
            index = self.box.count() - 1
        self.box.setCurrentIndex(index)

    def show_several(self) -> bool:
        if self.free:
            self.field.setPlaceholderText(SEVERAL)
        else:
            self.box.setPlaceholderText(SEVERAL)
        self.box.setCurrentIndex(-1)
        return True

    def _place_of(self, text: str) -> int:
        """Place of a word of the file in the list; -1 where it has none."""
        return self._known.index(text) if text in self._known else -1


class FlagEditor(Editor):
    def __init__(self, param: Param, parent: QWidget | None = None):
        super().__init__(param, parent)
        self.box = CheckBox(self)
        self.box.clicked.connect(self._commit_choice)
        self.row.addWidget(self.box)
        self.row.addStretch(1)
        self.setFocusProxy(self.box)

    def _commit_choice(self, on: bool) -> None:
        self.edited.emit(UNSET if on == self.param.default else on)

    def show_raw(self, raw: Raw) -> None:
        self.box.setTristate(False)
        self.box.setChecked(bool(self.param.default if raw is None else raw))

    def show_several(self) -> bool:
        """Show a dash; the next click switches all on."""
        self.box.setTristate(True)
        self.box.setCheckState(Qt.CheckState.PartiallyChecked)
        return True
