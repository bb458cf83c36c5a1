"""The menu of the panels' tabs closes analyses and leads to panels whose tabs are out of sight."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTabBar, QWidget

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
