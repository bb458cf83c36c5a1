"""The first window on screens of all sizes, its panels, and the plots in it."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QFontMetrics, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDockWidget, QPushButton, QScrollArea, QTabBar

from luff.gui.plots.plot_caption import CURVES
from luff.gui.plots.plot_export import alone
from luff.gui.plots.plot_pane import PlotPane
from luff.gui.plots.plot_spec import PlotSpec
from luff.gui.run.run_history import History
from luff.gui.theme import active_theme
from luff.gui.window.docks import dock_layout
from luff.tests.gui.driver import LEFT, LONG, NONE
from luff.tests.shared.netlists import TWO_LINKS

FOUR = TWO_LINKS + "plots:\n" + "".join(f"  - {{y: [shoulder.{name}]}}\n" for name in ("a", "b", "c", "d"))
SMALL = {"1280x720": (1272, 680), "1280x720 at 200 %": (632, 320), "1920x1080": (1912, 1040)}


@pytest.mark.parametrize("size", SMALL.values(), ids=SMALL)
def test_window_fits_the_screen_and_plots_stay_readable(
    make_window, qtbot, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    monkeypatch.setattr(dock_layout, "_room", lambda window: QRect(0, 0, *size))
    window = make_window(FOUR)
    badge = window.running.badge
    window.running.bar.show_badge("16 DOF, 132 states, 12 constraints", "", "")
    qtbot.waitUntil(lambda: badge.size() == badge.sizeHint(), timeout=LONG)
    assert badge.visibleRegion().boundingRect().size() == badge.size()
    assert window.width() <= size[0]
    assert window.height() <= size[1]
    assert len(window.deck.panes) == 4
    assert all(pane.box.height() >= CURVES for pane in window.deck.panes if pane.isVisible())
    assert window.view.height() >= 80
    for tabs in window.findChildren(QTabBar):
        for k in range(tabs.count()):  # whole names, whatever the room
            assert tabs.tabRect(k).width() > tabs.fontMetrics().horizontalAdvance(tabs.tabText(k))


@pytest.mark.parametrize("size", [(632, 320), (1432, 860)])
def test_all_ways_to_begin_are_reached_on_any_screen(
    make_window, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    monkeypatch.setattr(dock_layout, "_room", lambda window: QRect(0, 0, *size))
    window = make_window()
    QApplication.processEvents()
    canvas, scroll = window.view.viewport(), window.welcome.findChild(QScrollArea)
    assert scroll is not None
    links = window.welcome.findChildren(QPushButton)
    assert len(links) > 6
    for link in links:
        scroll.ensureWidgetVisible(link)
        QApplication.processEvents()
        place = link.mapTo(canvas, link.rect().center())
        assert canvas.rect().contains(place)
        assert canvas.childAt(place) is link
    scrolled = scroll.verticalScrollBar().maximum() + scroll.horizontalScrollBar().maximum() > 0
    assert scrolled == (size[0] < 1000)


def test_the_first_page_is_whole_at_200_percent_of_a_full_hd_screen(make_window, qtbot, monkeypatch) -> None:
    monkeypatch.setattr(dock_layout, "_room", lambda window: QRect(0, 0, 952, 510))
    window = make_window()
    scroll = window.welcome.findChild(QScrollArea)
    bars = lambda: scroll.verticalScrollBar().maximum() + scroll.horizontalScrollBar().maximum()  # noqa: E731
    qtbot.waitUntil(lambda: window.welcome.isVisible() and bars() == 0, timeout=LONG)
    assert window.view.viewport().rect().contains(window.welcome.geometry())


def test_panels_below_lend_the_first_page_their_height(make_window, qtbot, monkeypatch) -> None:
    """In a low window the page is whole; panels have their height again with the first block, and in the next start."""
    monkeypatch.setattr(dock_layout, "_room", lambda window: QRect(0, 0, 1272, 600))
    window = make_window()
    welcome, plots = window.welcome, window.panels.docks["Plots"]
    scroll = welcome.findChild(QScrollArea)
    bars = lambda: scroll.verticalScrollBar().maximum() + scroll.horizontalScrollBar().maximum()  # noqa: E731
    qtbot.waitUntil(lambda: welcome.isVisible() and bars() == 0, timeout=LONG)
    low = plots.height()
    window.files.open_template("pendulum")
    qtbot.waitUntil(lambda: plots.height() > low, timeout=LONG)
    high = plots.height()
    second = make_window()  # a tab beside it, with a page of its own
    below = second.panels.docks["Plots"]
    qtbot.waitUntil(lambda: below.height() == low, timeout=LONG)
    second.files.open_template("pendulum")
    qtbot.waitUntil(lambda: below.height() == high, timeout=LONG)
    # what the user has set meanwhile stays
    third = make_window()
    below = third.panels.docks["Plots"]
    qtbot.waitUntil(lambda: below.height() == low, timeout=LONG)
    third.panels._set_height(below, low - 40)
    qtbot.waitUntil(lambda: below.height() < low, timeout=LONG)
    third.files.open_template("pendulum")
    QApplication.processEvents()
    assert below.height() == low - 40


def test_every_panel_floats_tabs_and_is_kept(make_window) -> None:
    window = make_window(TWO_LINKS)
    features = QDockWidget.DockWidgetFeature
    for dock in window.panels.docks.values():
        assert dock.features() & features.DockWidgetFloatable
        assert dock.features() & features.DockWidgetMovable
    sliders, signals = window.panels.docks["Sliders"], window.panels.docks["Signals"]
    window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, sliders)
    signals.setFloating(True)
    window.panels.docks["Log"].hide()
    QApplication.processEvents()
    window.panels.keep()
    other = make_window(TWO_LINKS)
    docks = other.panels.docks
    assert other.dockWidgetArea(docks["Sliders"]) == Qt.DockWidgetArea.RightDockWidgetArea
    assert docks["Signals"].isFloating()
    assert docks["Log"].isHidden()
    other.actions_["reset_panels"].trigger()
    assert other.dockWidgetArea(docks["Sliders"]) == Qt.DockWidgetArea.BottomDockWidgetArea
    assert not docks["Signals"].isFloating()
    assert not docks["Log"].isHidden()
    # and the next window begins as the first one did
    assert not make_window(TWO_LINKS).panels.docks["Signals"].isFloating()


def test_a_panel_is_dragged_out_of_its_tabs_and_back(make_window) -> None:
    window = make_window(TWO_LINKS)
    QApplication.processEvents()
    signals = window.panels.docks["Signals"]
    bars = window.findChildren(QTabBar)
    tabs, k = next((bar, k) for bar in bars for k in range(bar.count()) if bar.tabText(k) == "Signals")
    start = tabs.tabRect(k).center()

    def move(place: QPoint) -> None:
        at = QPointF(place)
        event = QMouseEvent(
            QEvent.Type.MouseMove, at, tabs.mapToGlobal(at), Qt.MouseButton.NoButton, LEFT, NONE
        )
        QApplication.sendEvent(tabs, event)

    QTest.mousePress(tabs, LEFT, NONE, start)
    move(start + QPoint(30, 0))
    assert not signals.isFloating()
    move(start + QPoint(0, -200))
    assert signals.isFloating()
    assert signals.titleBarWidget() is None  # it is moved and closed there
    QTest.mouseRelease(tabs, LEFT, NONE, start)
    move(start + QPoint(0, -200))
    signals.setFloating(False)
    QApplication.processEvents()
    assert window.tabifiedDockWidgets(signals)
    # panels that share a floating window end in a double free in Qt
    assert not window.dockOptions() & window.DockOption.GroupedDragging


def filled(columns: dict[str, np.ndarray], units: dict[str, str]) -> History:
    history = History(list(columns), units)
    table = np.column_stack(list(columns.values()))
    history.append(np.arange(len(table)) * 0.01, table)
    return history


def shown(qtbot, spec: PlotSpec, history: History, size: tuple[int, int] = (420, 260)) -> PlotPane:
    pane = PlotPane(spec)
    qtbot.addWidget(pane)
    pane.resize(*size)
    pane.show()
    QApplication.processEvents()
    pane.refresh(history, (0.0, 1.0), live=False)
    QApplication.processEvents()
    return pane


def test_plots_are_dark_in_the_dark_theme_and_white_when_exported(qtbot) -> None:
    history = filled({"a": np.sin(np.arange(100) / 10)}, {"a": "rad"})
    active_theme.holder.use("dark")
    pane = shown(qtbot, PlotSpec("", ["a"]), history)

    def paper() -> int:
        return pane.grab().toImage().pixelColor(2, 2).lightness()

    assert paper() < 70
    with alone(pane, 1):
        assert paper() > 240
    assert paper() < 70
    line = pane.curves["a"].opts["pen"].color()
    active_theme.holder.use("light")
    assert paper() > 240
    assert pane.curves["a"].opts["pen"].color() != line


def test_path_keeps_its_shape_only_where_both_axes_stay_readable(qtbot) -> None:
    angle = np.linspace(0, 6.28, 100)
    units = {"x": "m", "y": "m", "z": "m", "p": "bar"}
    columns = {"x": np.cos(angle), "y": 2 * np.sin(angle), "z": 0.01 * np.sin(angle), "p": np.sin(angle)}
    history = filled(columns, units)
    for name, equal in (("y", True), ("z", False), ("p", False)):
        pane = shown(qtbot, PlotSpec("", [name], "x"), history)
        (left, right), (low, high) = pane.box.viewRange()
        scale = (right - left) / pane.box.width() / ((high - low) / pane.box.height())
        assert (abs(scale - 1) < 0.02) == equal, name  # a pixel or two of rounding
        assert np.ptp(columns[name]) > 0.3 * (high - low)  # not squeezed to a strip


def test_values_at_the_cursor_have_units(qtbot) -> None:
    history = filled({"boom.angle": np.linspace(0, 1, 101)}, {"boom.angle": "rad"})
    pane = shown(qtbot, PlotSpec("", ["boom.angle"]), history)
    pane.cursors.show(True)
    pane.cursors.place(0.5)
    told = lambda: [(row.numbers, row.unit) for row in pane.cursors.rows()]  # noqa: E731
    assert told() == [(["0.5"], "rad")]
    pane.cursors.place(1e-16)  # of a radian, which rounding leaves
    assert told() == [(["0"], "rad")]


def test_the_title_of_an_axis_stands_clear_of_long_numbers(qtbot) -> None:
    history = filled({"rod.force": np.linspace(-987654, 123456, 101)}, {"rod.force": "N"})
    pane = shown(qtbot, PlotSpec("", ["rod.force"]), history, (420, 200))
    left = pane.item.getAxis("left")
    numbers = left.tickStrings([-500000.0, 0.0], 1.0, 500000.0)
    words = max(QFontMetrics(left.font()).horizontalAdvance(text) for text in numbers)
    title = left.label.mapRectToParent(left.label.boundingRect())
    assert title.right() - 5 <= left.size().width() - words  # the title's own margin


def test_what_the_model_is_stays_in_sight_in_a_narrow_window(make_window) -> None:
    window = make_window(FOUR)
    for key in ("Palette", "Properties"):
        window.panels.docks[key].hide()
    window.running.bar.show_badge("16 DOF, 132 states, 12 constraints", "", "")
    window.running.bar.show_note("The run has 12 warnings: see Problems")
    badge = window.running.badge
    for width in (1600, 1280, 1000, 800, 640):
        window.tabs.resize(width, 800)
        for _ in range(3):
            QApplication.processEvents()
        assert window.width() == width
        assert badge.visibleRegion().boundingRect().size() == badge.size()
        assert badge.width() >= badge.sizeHint().width()
        assert window.running.time.visibleRegion().boundingRect().width() >= 80


def test_panels_of_the_sides_fold_in_a_narrow_window_and_come_back(make_window, qtbot) -> None:
    left, right = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
    window = make_window(TWO_LINKS)
    palette, properties = (window.panels.docks[key] for key in ("Palette", "Properties"))

    def sides() -> tuple[object, object, bool]:
        together = properties in window.tabifiedDockWidgets(palette)
        return window.dockWidgetArea(palette), window.dockWidgetArea(properties), together

    assert sides() == (left, right, False)
    wide = window.view.width()
    window.panels.docks["Log"].hide()
    window.tabs.resize(1280, 720)
    qtbot.waitUntil(window.panels._strip.isVisible, timeout=LONG)
    window.panels._strip.actions()[0].trigger()
    qtbot.waitUntil(lambda: sides() == (left, left, True), timeout=LONG)
    assert window.width() == 1280
    assert window.view.width() > wide
    assert window.panels.docks["Log"].isHidden()
    window.tabs.resize(1440, 900)
    qtbot.waitUntil(lambda: sides() == (left, right, False), timeout=LONG)
    QApplication.processEvents()
    window.addDockWidget(left, properties)  # the user's own arrangement stays
    QApplication.processEvents()
    window.tabs.resize(1280, 720)
    QApplication.processEvents()
    QApplication.processEvents()
    assert sides() == (left, left, False)


def test_panels_of_the_sides_fold_once_a_narrow_window_has_blocks(make_window, qtbot, monkeypatch) -> None:
    """A strip stands for them; what the user opens there stays open, in the next tab and the next start, too."""
    size = SMALL["1280x720"]
    monkeypatch.setattr(dock_layout, "_room", lambda window: QRect(0, 0, *size))
    window = make_window()
    palette, strip = window.panels.docks["Palette"], window.panels._strip
    assert palette.isVisible()
    assert strip.isHidden()
    window.files.open_template("pendulum")
    qtbot.waitUntil(strip.isVisible, timeout=LONG)
    assert palette.isHidden()
    assert window.panels.docks["Properties"].isHidden()
    qtbot.waitUntil(lambda: window.view.width() == window.width() - strip.width() - strip.x(), timeout=LONG)
    assert window.panels.docks["Plots"].height() <= 0.35 * size[1]

    strip.actions()[1].trigger()
    qtbot.waitUntil(lambda: window.panels.is_visible("Properties"), timeout=LONG)
    assert not palette.isHidden()  # behind it
    tab = window.panels.docks["Properties"]
    qtbot.waitUntil(lambda: tab.titleBarWidget() is not None, timeout=LONG)  # its tab says its name
    assert strip.isHidden()
    assert palette.width() >= dock_layout.LEAST["Properties"].width()
    window.panels.keep()
    third = make_window(TWO_LINKS)
    assert third.panels.docks["Palette"].isVisible()
    third.actions_["reset_panels"].trigger()  # as at a first start
    assert third.panels.docks["Palette"].isHidden()
    third.tabs.resize(1440, 900)
    qtbot.waitUntil(third.panels.docks["Palette"].isVisible, timeout=LONG)
    assert third.panels._strip.isHidden()
    # closing one of them leaves the width of the other
    docks = third.panels.docks
    third.resizeDocks([docks["Palette"]], [270], Qt.Orientation.Horizontal)
    qtbot.waitUntil(lambda: docks["Palette"].width() == 270, timeout=LONG)
    docks["Properties"].close()
    QApplication.processEvents()
    assert docks["Palette"].width() == 270
