"""List of signals: several are plotted at once, and its search field is a way into it."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtTest import QTest

from luff.gui.window.docks.signals_dock import SignalTree

NAMES = ["shoulder.position", "shoulder.velocity", "elbow.position", "elbow.velocity"]


def listed(qtbot) -> tuple[SignalTree, list[list[str]]]:
    signals, plotted = SignalTree(), []
    qtbot.addWidget(signals)
    signals.plot_wanted.connect(plotted.append)
    signals.show_signals(NAMES, {})
    signals.show()
    return signals, plotted


def test_return_plots_all_that_are_selected(qtbot) -> None:
    signals, plotted = listed(qtbot)
    signals.tree.expandAll()
    for name in NAMES[:3]:
        signals._items[name].setSelected(True)
    stay = QItemSelectionModel.SelectionFlag.NoUpdate
    signals.tree.setCurrentItem(signals._items[NAMES[2]], 0, stay)
    QTest.keyClick(signals.tree, Qt.Key.Key_Return)
    assert plotted == [NAMES[:3]]


def test_down_in_the_search_field_goes_through_what_fits(qtbot) -> None:
    signals, plotted = listed(qtbot)
    QTest.keyClicks(signals.field, "velocity")
    QTest.keyClick(signals.field, Qt.Key.Key_Return)
    QTest.keyClick(signals.field, Qt.Key.Key_Down)  # to the head of the next block
    QTest.keyClick(signals.field, Qt.Key.Key_Down)
    QTest.keyClick(signals.field, Qt.Key.Key_Return)
    assert plotted == [["shoulder.velocity"], ["elbow.velocity"]]
