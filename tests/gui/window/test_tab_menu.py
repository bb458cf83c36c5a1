"""The menu of the panels' tabs closes analyses and leads to panels whose tabs are out of sight."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTabBar, QToolButton, QWidget

from luff.gui.window.main_window import Window

ANALYSES = ("Modes", "Static", "Root Locus", "Bode")


def row_of(window: Window, title: str) -> QTabBar:
    bars = [bar for bar in window.findChildren(QTabBar) if bar.isVisible()]
    return next(bar for bar in bars if title in map(bar.tabText, range(bar.count())))


def test_analyses_are_closed_from_the_menu_of_their_tabs(make_window) -> None:
    window = make_window()
    for title in ANALYSES:
        window.panels.add_beside_plots(title, QWidget())
    QApplication.processEvents()
    opened = [*ANALYSES]

    def entries(title: str) -> dict[str, QAction]:
        tabs = row_of(window, title)
        at = [tabs.tabText(k) for k in range(tabs.count())].index(title)
        menu = window.panels._tab_menu.menu(tabs, at)
        return {action.text(): action for action in menu.actions() if not action.isSeparator()}

    shown = entries("Plots")
    assert {"Plots", "Log", *opened} <= shown.keys()
    assert not any(text.startswith("Close Plots") for text in shown)  # it has no other way back
    shown["Log"].trigger()
    assert window.panels.is_visible("Log")
    entries(opened[0])[f"Close {opened[0]}"].trigger()
    assert window.panels.opened[opened[0]].isHidden()
    tabs = row_of(window, opened[1])
    k = [tabs.tabText(j) for j in range(tabs.count())].index(opened[1])
    at: QPoint = tabs.tabRect(k).center()
    QTest.mouseClick(tabs, Qt.MouseButton.MiddleButton, Qt.KeyboardModifier.NoModifier, at)
    assert window.panels.opened[opened[1]].isHidden()
    entries("Plots")["Close All Analyses"].trigger()
    assert all(dock.isHidden() for dock in window.panels.opened.values())
    assert not entries("Plots")["Close All Analyses"].isEnabled()


def test_analyses_without_room_fold_behind_tabs_that_keep_their_places(make_window) -> None:
    window = make_window()
    window.tabs.resize(1450, 800)
    window.panels.show("Plots")
    QApplication.processEvents()
    row = row_of(window, "Plots")
    places = lambda: {row.tabText(k): row.tabRect(k) for k in range(row.count()) if row.isTabVisible(k)}  # noqa: E731
    before = places()
    titles = [f"Analysis of kind {k}" for k in range(10)]
    for title in titles:
        window.panels.add_beside_plots(title, QWidget())
        QApplication.processEvents()
    after = places()
    assert {title: after[title] for title in before} == before
    assert max(rect.right() for rect in after.values()) < row.width()
    shown = [title for title in titles if title in after]
    assert shown == titles[-len(shown) :]  # those that were in front last
    (more,) = (one for one in row.findChildren(QToolButton) if one.text().startswith("+"))
    assert more.text() == f"+{len(titles) - len(shown)}"
    assert more.isVisible()
    more.menu().aboutToShow.emit()
    folded = {action.text(): action for action in more.menu().actions()}
    assert [*folded] == titles[: -len(shown)]
    folded[titles[0]].trigger()
    QApplication.processEvents()
    assert window.panels.is_visible(titles[0])
    assert titles[0] in places()
    assert {title: places()[title] for title in before} == before
    for title in titles:
        window.panels.opened[title].close()
    QApplication.processEvents()
    assert not more.isVisible()
    assert places() == before
