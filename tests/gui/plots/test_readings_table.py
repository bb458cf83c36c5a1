"""Table of readings: of the plot that has the focus, beside or below the plots, to copy and to hide curves with."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDrag, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from luff.gui.plots.plot_pane import PlotPane
from luff.gui.plots.plot_spec import PlotSpec
from luff.gui.plots.readings import NO_VALUE
from luff.gui.plots.readings_split import BESIDE, ReadingsSplit
from luff.gui.plots.readings_table import NAMES
from luff.gui.plots.signal_drag import names_in
from luff.gui.run.run_history import History
from luff.gui.window.main_window import Window
from luff.tests.gui.driver import LONG
from luff.tests.gui.fake_run import FakeSim
from luff.tests.shared.netlists import TWO_LINKS

PLOTS = "plots: [{title: Both, y: [shoulder.position, elbow.position]}, {y: [elbow.position]}]\n"
NONE, CTRL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def window(make_window, qtbot) -> Window:
    """A window with two plots after a run of 0.5 s, its cursor at 0.3 s."""
    window = make_window(TWO_LINKS + PLOTS)
    run(window, qtbot, 1.0)
    window.deck.cursor_action.setChecked(True)
    window.deck.panes[0].line.setValue(0.3)
    return window


def run(window: Window, qtbot, gain: float) -> None:
    sim = FakeSim(["shoulder.position", "elbow.position"], stop=0.5)
    sim.gain = gain
    window.runner.compiler = lambda diagram: sim
    window.running.on_run()
    qtbot.waitUntil(
        lambda: window.runner.state == "finished" and not window.running._clock.isActive(), timeout=LONG
    )
    window.deck.tick(force=True)


def words(window: Window) -> list[list[str]]:
    table = window.deck.split.table
    items = [table.topLevelItem(k) for k in range(table.topLevelItemCount())]
    return [table.titles, *([item.text(k) for k in range(table.columnCount())] for item in items)]


def test_the_table_is_of_the_plot_that_has_the_focus(window, qtbot) -> None:
    first, other = (f"{np.sin(0.3 + k):.5g}" for k in (0.0, 1.0))
    assert words(window) == [
        ["Signal", "Unit", "at 0.3 s"],
        ["shoulder.position", "rad", first],
        ["elbow.position", "rad", other],
    ]
    QTest.mouseClick(window.deck.panes[1].viewport(), Qt.MouseButton.LeftButton, NONE, QPoint(100, 20))
    assert words(window) == [["Signal", "Unit", "at 0.3 s"], ["elbow.position", "rad", other]]
    run(window, qtbot, 2.0)
    window.deck.panes[0].line.setValue(0.6)  # behind the end of both runs
    assert words(window)[1:] == [["elbow.position", f"Run {k}", "rad", NO_VALUE] for k in (2, 1)]


def test_rows_are_copied_with_tabs_and_not_the_blocks(window) -> None:
    window.view.canvas.select(["shoulder"])
    table, clipboard = window.deck.split.table, QApplication.clipboard()
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_C, CTRL)
    lines = clipboard.text().split("\n")
    assert [line.split("\t") for line in lines] == words(window)
    table.topLevelItem(1).setSelected(True)
    QTest.keyClick(table, Qt.Key.Key_C, CTRL)
    assert clipboard.text().split("\n") == [lines[0], lines[2]]


def test_a_click_on_the_line_of_a_row_hides_its_curve_and_the_row_goes_to_another_plot(window) -> None:
    table, (pane, other) = window.deck.split.table, window.deck.panes
    middle = table.visualItemRect(table.topLevelItem(0)).center().y()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, NONE, QPoint(8, middle))
    assert not pane.curves["shoulder.position"].isVisible()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, NONE, QPoint(60, middle))  # on its name
    assert not pane.curves["shoulder.position"].isVisible()
    data: QMimeData = table.mimeData([table.topLevelItem(0)])
    other.signals_dropped.emit(names_in(data))
    assert window.document.diagram.plots[1]["y"] == ["elbow.position", "shoulder.position"]


def test_the_table_stands_where_it_leaves_more_to_the_plots(window, qtbot) -> None:
    split = ReadingsSplit(QWidget())
    qtbot.addWidget(split)
    split.show()
    for (width, height), beside in (
        ((1200, 240), True),
        ((700, 900), False),
        ((900, 200), True),
        ((1900, 950), True),
    ):
        split.resize(width, height)
        split.show_of(window.deck.panes[0])
        QApplication.processEvents()
        assert split.orientation() == (Qt.Orientation.Horizontal if beside else Qt.Orientation.Vertical)
        table, whole = split.table.size(), split.table.whole()
        own, wanted = (table.width(), whole.width()) if beside else (table.height(), whole.height())
        assert abs(own - wanted) <= 1
    window.deck.panes[0].line.setValue(0.3001)  # a longer title of its column
    split.show_of(window.deck.panes[0])
    QApplication.processEvents()
    assert split.table.width() == split.table.whole().width() > whole.width()
    window.deck.panes[0].cursors.show(False)
    split.show_of(window.deck.panes[0])
    QApplication.processEvents()
    assert split.plots.width() == split.width()


def test_names_give_their_room_to_numbers_and_titles_of_columns(window, qtbot) -> None:
    window.deck.second_action.setChecked(True)
    window.deck.panes[0].line.setValue(0.3001)
    split = ReadingsSplit(QWidget())
    qtbot.addWidget(split)
    split.resize(1200, 240)
    split.show()
    table = split.table

    def settle() -> list[int]:
        split.show_of(window.deck.panes[0])
        QApplication.processEvents()
        return [table.columnWidth(k) for k in range(table.columnCount())]

    names, *wide = settle()
    assert names >= table.sizeHintForColumn(0)
    assert all(
        own >= max(table.header().sectionSizeHint(k), table.sizeHintForColumn(k))
        for k, own in enumerate(wide, 1)
    )
    assert table.horizontalScrollBar().maximum() == 0
    split.resize(round((sum(wide) + NAMES + 20) / BESIDE), 240)
    shorter, *same = settle()
    assert same == wide
    assert NAMES <= shorter < names
    assert table.horizontalScrollBar().maximum() == 0
    # cut to what tells them apart, yet copied whole
    cut = [table.topLevelItem(k).text(0) for k in range(2)]
    assert [text.partition("…")[0][:3] for text in cut] == ["sho", "elb"]
    assert table.sizeHintForColumn(0) <= shorter
    assert [line.split("\t")[0] for line in table.text().split("\n")[1:]] == [
        "shoulder.position",
        "elbow.position",
    ]


def test_a_row_that_is_activated_fills_the_height_with_its_curve(window) -> None:
    table, pane = window.deck.split.table, window.deck.panes[0]
    for name in ("elbow.position", "shoulder.position"):
        row = [row.source.name for row in table.rows].index(name)
        table.setFocus()
        table.setCurrentItem(table.topLevelItem(row))
        table.itemActivated.emit(table.topLevelItem(row), 0)  # by Return or a double click
        values = pane.curves[name].yData
        free = 0.08 * np.ptp(values)
        assert pane.box.viewRange()[1] == pytest.approx([values.min() - free, values.max() + free])
    window.deck.fit()
    low, high = pane.box.viewRange()[1]
    assert low < 0.0 < np.sin(1.5) < high


def test_a_curve_of_the_right_axis_fills_the_height(qtbot) -> None:
    pane = PlotPane(PlotSpec(y=["torque", "share"]))
    qtbot.addWidget(pane)
    history = History(["torque", "share"], {"torque": "N*m", "share": ""})
    history.append(np.linspace(0.0, 1.0, 11), np.linspace((0.0, 0.4), (100.0, 0.6), 11))
    pane.refresh(history, (0.0, 1.0), live=False)
    pane.fixed_y = True
    pane.box.setYRange(0.0, 7000.0)
    pane.zoom_to(pane.curves["share"])
    pane.refresh(history, (0.0, 1.0), live=False)
    assert pane.right.box.viewRange()[1] == pytest.approx([0.4 - 0.016, 0.6 + 0.016])


def test_a_name_that_is_dragged_goes_to_another_plot_and_hides_no_curve(window, monkeypatch) -> None:
    dragged: list[list[str]] = []
    monkeypatch.setattr(QDrag, "exec", lambda drag, _: dragged.append(names_in(drag.mimeData())))
    pane = window.deck.panes[0]
    box = next(box for box, k, _ in pane.caption._boxes() if k == 1)
    place = pane.mapFromScene(pane.caption.mapToScene(box.center()))
    QTest.mousePress(pane.viewport(), Qt.MouseButton.LeftButton, NONE, place)
    far = QPointF(place + QPoint(0, 3 * QApplication.startDragDistance()))
    left = Qt.MouseButton.LeftButton
    at = pane.viewport().mapToGlobal(far)
    QApplication.sendEvent(pane.viewport(), QMouseEvent(QEvent.Type.MouseMove, far, at, left, left, NONE))
    QTest.mouseRelease(pane.viewport(), Qt.MouseButton.LeftButton, NONE, far.toPoint())
    assert dragged == [["elbow.position"]]
    assert pane.curves["elbow.position"].isVisible()
    QTest.mouseClick(pane.viewport(), Qt.MouseButton.LeftButton, NONE, place)
    assert not pane.curves["elbow.position"].isVisible()
