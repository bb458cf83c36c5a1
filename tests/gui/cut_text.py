"""Text that has less room than it needs: of labels, buttons, fields, tabs, heads of tables and their cells."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QDoubleSpinBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QStyleOptionViewItem,
    QTabBar,
    QTableView,
    QTreeView,
    QWidget,
)

from luff.gui.theme.small_widgets import CheckBox, ElidedLabel

ROUNDING = 1  # px: widths of text are rounded up, and margins down
FIELD = 2 * 2  # px that a line edit leaves beside its text, which is Qt's own constant on both sides


def cut_texts(root: QWidget) -> Iterator[str]:
    """A line for each text below `root` that is cut; what lies outside of a scroll area's view counts too."""
    for widget in [root, *root.findChildren(QWidget)]:
        if widget.isVisible():
            for text, need, has in _shortages(widget):
                if need > has + ROUNDING:
                    yield f'{type(widget).__name__} "{text}" needs {need} px, has {has}'


def _shortages(widget: QWidget) -> Iterator[tuple[str, int, int]]:
    """Text, room that it needs and room that it has [px]."""
    if isinstance(widget, QHeaderView):
        yield from _heads(widget)
    elif isinstance(widget, QTreeView | QTableView):
        yield from _cells(widget)
    elif isinstance(widget, QLabel):
        yield from _label(widget)
    elif isinstance(widget, QComboBox):
        yield from _combo_box(widget)
    elif isinstance(widget, QTabBar):
        yield from _tabs(widget)
    elif isinstance(widget, QSpinBox | QDoubleSpinBox):
        edit = widget.lineEdit()
        yield from _line(edit)
    elif isinstance(widget, QLineEdit):
        if not isinstance(widget.parent(), QComboBox | QSpinBox | QDoubleSpinBox):
            yield from _line(widget)
    elif isinstance(widget, QAbstractButton) and not isinstance(widget.parent(), QLineEdit | QTabBar):
        needed = 0 if isinstance(widget, CheckBox) else widget.sizeHint().width()
        yield widget.text(), needed, widget.width()


def _label(label: QLabel) -> Iterator[tuple[str, int, int]]:
    text = label.text()
    if not text or (isinstance(label, ElidedLabel) and label.shown() == text):
        return
    if label.wordWrap():
        yield text, label.heightForWidth(label.width()), label.height()
    else:
        yield text, label.sizeHint().width(), label.width()
        yield text, label.sizeHint().height(), label.height()


def _combo_box(box: QComboBox) -> Iterator[tuple[str, int, int]]:
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    place = box.style().subControlRect(
        QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, box
    )
    texts = {box.currentText(), box.placeholderText()} if box.currentIndex() < 0 else {box.currentText()}
    for text in texts:
        yield text, box.fontMetrics().horizontalAdvance(text), place.width()


def _line(edit: QLineEdit) -> Iterator[tuple[str, int, int]]:
    margins, contents = edit.textMargins(), edit.contentsRect()
    # a trailing action narrows the text by what Qt keeps to itself; the cursor's rectangle tells where it begins
    buttons = [one for one in edit.findChildren(QAbstractButton) if one.isVisible()]
    right = min((one.x() for one in buttons), default=contents.right())
    room = right - contents.left() - margins.left() - margins.right() - FIELD
    text = edit.text() or edit.placeholderText()
    yield text, edit.fontMetrics().horizontalAdvance(text), room


def _tabs(bar: QTabBar) -> Iterator[tuple[str, int, int]]:
    for k in range(bar.count()):
        if bar.isTabVisible(k):
            yield bar.tabText(k), bar.fontMetrics().horizontalAdvance(bar.tabText(k)), bar.tabRect(k).width()


def _heads(head: QHeaderView) -> Iterator[tuple[str, int, int]]:
    model = head.model()
    if head.orientation() != Qt.Orientation.Horizontal or model is None:
        return
    for k in range(head.count()):
        text = str(model.headerData(k, head.orientation()) or "")
        if text and not head.isSectionHidden(k):
            yield text, head.sectionSizeFromContents(k).width(), head.sectionSize(k)


def _cells(view: QAbstractItemView) -> Iterator[tuple[str, int, int]]:
    """Cells of all columns, and columns that lie beside the view."""
    model = view.model()
    if model is None:
        return
    for index in _indices(view, model, QModelIndex()):
        place, text = view.visualRect(index), str(index.data() or "")
        if (
            not text
            or not place.isValid()
            or (isinstance(view, QTreeView) and view.isFirstColumnSpanned(index.row(), index.parent()))
        ):
            continue
        option = QStyleOptionViewItem()
        view.initViewItemOption(option)
        option.rect = place
        delegate = view.itemDelegateForIndex(index)
        need, wraps = (
            delegate.sizeHint(option, index),
            isinstance(view, QTreeView) and not view.uniformRowHeights(),
        )
        if wraps and view.textElideMode() == Qt.TextElideMode.ElideNone:
            yield text, need.height(), place.height()
            yield text, max(map(view.fontMetrics().horizontalAdvance, text.split(" "))), place.width()
        else:
            yield text, need.width(), place.width()
        yield text, place.right(), view.viewport().width()


def _indices(view, model, parent: QModelIndex) -> Iterator[QModelIndex]:
    for row in range(model.rowCount(parent)):
        for column in range(model.columnCount(parent)):
            yield model.index(row, column, parent)
        yield from _indices(view, model, model.index(row, 0, parent))
