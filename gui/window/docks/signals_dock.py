"""Signals dock: recorded signals by block with their values; drag them to a plot."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QMimeData, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QLineEdit,
    QMenu,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ...plots.signal_drag import data_of
from ...run.run_history import History
from ...theme.filtered_list import ListKeys
from ...theme.number_format import quantity_text, round_off_noise, unit_words
from ...theme.small_widgets import laid

NAME = Qt.ItemDataRole.UserRole


class SignalTree(QWidget):
    plot_wanted = Signal(list)
    new_plot_wanted = Signal(list)

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.units: Mapping[str, str] = {}
        self.history: History | None = None
        self.moment: float | None = None  # whose values are shown; the last when none is chosen
        self.field = QLineEdit(placeholderText="Search signals")
        self.field.setClearButtonEnabled(True)
        self.field.setAccessibleName("Search signals")
        self.tree = _Tree()
        self.tree.setAccessibleName("Signals")
        self.tree.setColumnCount(3)
        self.tree.setHeaderLabels(["Signal", "Value", "Unit"])
        self.tree.header().setStretchLastSection(False)
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.tree.setColumnWidth(1, 110)
        self.tree.setColumnWidth(2, 80)
        self.tree.itemExpanded.connect(lambda _: self._values())
        self.tree.itemActivated.connect(lambda item, _: self._plot(self._with(item)))
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._ask_menu)
        self.field.textChanged.connect(self._search)
        ListKeys(self.field, self.tree)
        self.field.returnPressed.connect(lambda: self._plot(self.tree.selectedItems()))
        laid(QVBoxLayout(self), self.field, self.tree, margins=(6, 6, 6, 0))
        self._items: dict[str, QTreeWidgetItem] = {}
        self._timer = QTimer(self, interval=200)
        self._timer.timeout.connect(self._values)

    def show_signals(self, names: list[str], units: Mapping[str, str]) -> None:
        if names == self.names:
            self._show_units(units)
            return
        self.units = units
        self.names = list(names)
        self.tree.clear()
        self._items = {}
        heads: dict[str, QTreeWidgetItem] = {}
        for name in names:
            block, _, signal = name.rpartition(".")
            head = heads.get(block)
            if head is None:
                head = heads[block] = QTreeWidgetItem([block or "model"])
                head.setFlags(Qt.ItemFlag.ItemIsEnabled)
                self.tree.addTopLevelItem(head)
            item = QTreeWidgetItem([signal, "", unit_words(units.get(name, ""))])
            item.setData(0, NAME, name)
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight)
            head.addChild(item)
            self._items[name] = item
        self._filter(self.field.text())

    def _show_units(self, units: Mapping[str, str]) -> None:
        """Show other units of the same signals: their wires have changed."""
        if units == self.units:
            return
        self.units = units
        for name, item in self._items.items():
            item.setText(1, "")
            item.setText(2, unit_words(units.get(name, "")))
        self._values()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._values()

    def show_at(self, time: float) -> None:
        """Show the values at `time` [s] of the run."""
        self.moment = time
        self._values()

    def follow(self, history: History | None, running: bool) -> None:
        self.history, self.moment = history, None
        if history:
            self.show_signals(history.columns, history.units)
        self._values()
        self._timer.start() if running else self._timer.stop()

    def _values(self) -> None:
        if not self.history or not self.isVisible():
            return
        if not self.history.rows:
            return
        for name, item in self._items.items():
            head = item.parent()
            if head and head.isExpanded() and name in self.history.index:
                history = self.history
                value = history.last(name) if self.moment is None else history.at(name, self.moment)
                value = round_off_noise(value, history.noise(name))
                text = quantity_text(value, self.units.get(name, ""), history.peak(name), 6)
                number, _, unit = text.partition(" ")
                item.setText(1, number)
                item.setText(2, unit)

    def _filter(self, text: str) -> None:
        words = text.lower().split()
        for k in range(self.tree.topLevelItemCount()):
            head = self.tree.topLevelItem(k)
            assert head
            shown = 0
            for i in range(head.childCount()):
                item = head.child(i)
                assert item
                fits = all(word in str(item.data(0, NAME)).lower() for word in words)
                item.setHidden(not fits)
                shown += fits
            head.setHidden(not shown)
            head.setExpanded(bool(words) or head.isExpanded())

    def _search(self, text: str) -> None:
        """Show the signals that fit, and select the first for Return."""
        self._filter(text)
        fits = (item for item in self._items.values() if not item.isHidden())
        if text.strip() and (first := next(fits, None)):
            self.tree.setCurrentItem(first)

    def _with(self, item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
        """Selected rows, if this one is among them."""
        return self.tree.selectedItems() if item.isSelected() else [item]

    def _plot(self, items: list[QTreeWidgetItem]) -> None:
        names = names_of(items)
        if names:
            self.plot_wanted.emit(names)

    def _ask_menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        self.fill_menu(menu)
        if menu.actions():
            menu.exec(self.tree.viewport().mapToGlobal(at))
        menu.deleteLater()

    def fill_menu(self, menu: QMenu) -> None:
        """Fill the context menu for the selected signals."""
        names = names_of(self.tree.selectedItems())
        if names:
            menu.addAction("Plot", lambda: self.plot_wanted.emit(names))
            menu.addAction("Plot in a New Plot", lambda: self.new_plot_wanted.emit(names))
            menu.addAction("Copy Name", lambda: QApplication.clipboard().setText("\n".join(names)))


def names_of(items: list[QTreeWidgetItem]) -> list[str]:
    """Signals among the rows, without the heads of their blocks."""
    return [str(item.data(0, NAME)) for item in items if item.data(0, NAME)]


class _Tree(QTreeWidget):
    def __init__(self) -> None:
        super().__init__()
        self.setDragEnabled(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setUniformRowHeights(True)

    def mimeData(self, items: list[QTreeWidgetItem]) -> QMimeData:  # type: ignore[override]
        return data_of(names_of(items))
