"""Look at a model in a window: analyses, tabs, plots, the first minute, looks.

Run by `test_sessions.py` in a process of its own with a display: `showing.py NAME FOLDER FILES`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRect, QSize, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLineEdit,
    QPushButton,
    QTableWidget,
    QToolBar,
    QToolButton,
)

from luff.gui.theme.active_theme import theme
from luff.gui.view3d.canvas3d import Canvas3D
from luff.gui.window.analyses.panel_table import PANELS
from luff.gui.window.main_window import Window
from luff.gui.window.tour import STOPS, Tour
from luff.tests.gui.sessions.real_window import CTRL, WholeHand, dialogs, in_window, to_front, words
from luff.tests.gui.window.session_script import settle, wait_until

SHIFT, ALT = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier


def outside_of(screen: QRect) -> list[str]:
    """Windows that reach beyond the screen."""
    tops = [one for one in QApplication.topLevelWidgets() if one.isVisible()]
    return [str(one) for one in tops if not screen.contains(one.geometry())]


def analyses(hand: WholeHand) -> dict[str, Any]:
    """Open each analysis from the menu, compute some, edit the model: each says that it is old."""
    window = hand.window
    wait_until(window.actions_["modes"].isEnabled, "the model to compile")
    opened, asked = [], 0
    for key, kind in PANELS.items():
        menu = "Analyse" if window.actions_[key] in analyse_menu(window) else "Study"
        hand.menu(menu, words(window.actions_[key].text()))
        panel = window.analyses.panels[kind]
        wait_until(panel.isVisible, kind.title)
        opened.append(kind.title)
        asked += len(dialogs())
        focus = QApplication.focusWidget()
        assert focus is not None
        assert panel.isAncestorOf(focus), (kind.title, focus)
    answered = {}
    for key in ("static", "modes", "response", "locus"):
        panel = window.analyses.panels[PANELS[key]]
        window.panels.show(PANELS[key].title)
        settle()
        for field, text in FIELDS.get(key, {}).items():
            box = getattr(panel, field)
            hand.press(box)
            hand.key(Qt.Key.Key_A, CTRL)
            hand.type(text)
            hand.key(Qt.Key.Key_Tab)
        hand.press(panel.begin)
        wait_until(lambda panel=panel: panel.begin.isEnabled() and not panel.job.active, key)
        settle()
        hand.picture(key)
        answered[key] = panel.said.text()
    hand.fill("fore", mass="3_kg")
    settle()
    done = [window.analyses.panels[PANELS[key]] for key in answered]
    old = [not panel.age.isHidden() for panel in done]
    modes = done[1]
    window.panels.show("Modes")
    settle()
    hand.picture("old")
    hand.press(modes.age.again)
    wait_until(lambda: modes.begin.isEnabled() and not modes.job.active, "modes again")
    again = [modes.age.isHidden(), window.view3d.swing.on]
    hand.key(Qt.Key.Key_Z, CTRL)
    return {
        "opened": opened,
        "asked": asked + len(dialogs()),
        "answered": answered,
        "old": old,
        "again": again,  # of this model, and it swings in the 3-D view
        "undone": not modes.age.isHidden(),
        "matplotlib": "matplotlib" in sys.modules,
        "windows": len({panel.window() for panel in window.analyses.panels.values()}),
    }


FIELDS = {
    "response": {"inputs": "shoulder.effort", "outputs": "shoulder.position"},
    "locus": {"parameter": "controller.kp", "low": "0", "high": "200"},
}


def analyse_menu(window: Window) -> list[Any]:
    bar = next(one for one in window.menu_bar.actions() if words(one.text()) == "Analyse")
    menu = bar.menu()
    return list(menu.actions()) if menu is not None else []  # type: ignore[attr-defined]


def tabs(hand: WholeHand) -> dict[str, Any]:
    """Two diagrams in one window; narrow, then wide again: nothing lies off the screen."""
    window = hand.window
    screen = window.screen().geometry()
    outer = window.tabs
    hand.in_dialog(hand.folder / "other.yaml", lambda: hand.key(Qt.Key.Key_O, CTRL))
    titles = [outer.tabs.tabText(k) for k in range(outer.tabs.count())]
    second = outer.current
    hand.key(Qt.Key.Key_PageDown, CTRL)
    turned = outer.current is window
    looks = {}
    room = screen.size() - QSize(40, 60)
    for name, size in (("narrow", QSize(1280, 680)), ("wide", QSize(1560, 940))):
        size = size.boundedTo(room)
        width = size.width()
        outer.resize(size)
        folded = width < 1400
        wait_until(lambda on=folded: window.panels.docks["Palette"].isHidden() == on, name)
        settle()
        hand.picture(name)
        seen = [dock for dock in window.panels.docks.values() if window.panels.is_visible(dock.objectName())]
        inside = all(
            outer.rect().contains(QRect(dock.mapTo(outer, dock.rect().topLeft()), dock.size()))
            for dock in seen
        )
        looks[name] = [inside, window.view.viewport().width() >= 0.45 * width, outside_of(screen)]
    for k, order in enumerate((CTRL | SHIFT, CTRL)):  # the commands, the search
        hand.key((Qt.Key.Key_P, Qt.Key.Key_F)[k], order)
        wait_until(lambda: bool(dialogs()), "the dialog")
        looks[f"dialog {k}"] = outside_of(screen)
        QTest.keyClick(dialogs()[0].windowHandle(), Qt.Key.Key_Escape)
        settle()
    hand.key(Qt.Key.Key_PageDown, CTRL)
    back = outer.current is second
    hand.key(Qt.Key.Key_W, CTRL)
    return {
        "titles": titles,
        "turned": [turned, back],
        "looks": looks,
        "left": [page.top.title for page in outer.pages],
        "asked": len(dialogs()),
    }


def plots(hand: WholeHand) -> dict[str, Any]:
    """Signals of three units by dragging, two runs with a value changed between, steps of undo."""
    window = hand.window
    deck = window.deck
    wait_until(window.actions_["modes"].isEnabled, "the model to compile")
    for port in ("shoulder.position", "controller.effort"):
        hand.drag(hand.port(port), hand.point(deck.panes[0]))
    (tools,) = deck.findChildren(QToolBar)
    plus = next(one for one in tools.actions() if one.text() == "Add Plot")
    hand.press(tools.widgetForAction(plus))
    hand.drag(hand.port("half.y"), hand.point(deck.panes[1]))
    hand.runs()
    hand.fill("upper", mass="4_kg")
    hand.click(hand.on_canvas(0, 300))
    hand.key(Qt.Key.Key_Return, CTRL)
    apart = 0.0
    while window.runner.active:
        QTest.qWait(20)
        deck.tick(force=True)
        ends = [end for pane in deck.panes for end in ends_of(pane)]
        apart = max(apart, *(abs(end - ends[0]) for end in ends)) if ends else apart
    settle()
    deck.tick(force=True)
    hand.picture("plots")
    first, second = deck.panes
    layout = [(pane.geometry().getRect(), pane.spec.y) for pane in deck.panes]
    earlier = [run.name for run in deck.kept.earlier]
    hand.key(Qt.Key.Key_Z, CTRL)
    hand.picture("undone")
    hand.key(Qt.Key.Key_Z, CTRL | SHIFT)
    return {
        "axes": [first.side.text, first.right.label.text, second.side.text],
        "apart": apart,  # s: charts of a run end at the same time
        "earlier": earlier,
        "same": [(pane.geometry().getRect(), pane.spec.y) for pane in deck.panes] == layout,
    }


def ends_of(pane: Any) -> list[float]:
    return [float(curve.getData()[0][-1]) for curve in pane.curves.values() if curve.getData()[0] is not None]


def first_minute(hand: WholeHand) -> dict[str, Any]:
    """Start without a file: pictures of the first page, the tour by Return, the menu of a parameter."""
    window = hand.window
    for tour in shown_tours(hand):  # which is offered at the first start
        hand.key(Qt.Key.Key_Escape)
        assert not tour.isVisible()
    hand.picture("first_page")
    links = {one.text(): one for one in window.welcome.findChildren(QPushButton) if one.isVisible()}
    pictures = {text: not one.icon().isNull() for text, one in links.items()}
    hand.press(links["Take the tour"])
    titles, runs = [], []
    while shown_tours(hand):
        (tour,) = shown_tours(hand)
        assert tour.next.hasFocus()
        titles.append(tour.title.text())
        runs.append(page(hand).runner.active)
        hand.picture(f"tour_{len(titles)}")
        hand.key(Qt.Key.Key_Return)
    crane = page(hand)
    hand.key(Qt.Key.Key_Return, CTRL | SHIFT)
    wait_until(lambda: not crane.runner.active, "the run to stop")
    hand.window = crane
    hand.in_dialog(hand.folder / "arm.yaml", lambda: hand.key(Qt.Key.Key_O, CTRL))
    hand.window = page(hand)
    found = {}
    for entry in ("Vary in a Study", "Fit to Measurements", "Optimise"):
        hand.click_block("controller")
        field = next(row for row in hand.window.properties.rows if row.keys == ("kp",)).findChild(QLineEdit)
        hand.right_click(hand.point(field), entry, picture=f"menu_{entry.split()[0]}")
        settle()
        found[entry] = typed_in(hand)
        hand.picture(f"from_{entry.split()[0]}")
        if dialogs():
            QTest.keyClick(dialogs()[0].windowHandle(), Qt.Key.Key_Escape)
            settle()
    hand.key(Qt.Key.Key_N, CTRL)
    empty = page(hand)
    settle()
    recent = [one.text() for one in empty.welcome.findChildren(QPushButton) if one.isVisible()]
    return {
        "pictures": pictures,
        "titles": titles,
        "stops": [stop.title for stop in STOPS],
        "runs": runs,
        "found": found,
        "recent": [text for text in recent if text.endswith(".yaml")],
    }


def page(hand: WholeHand) -> Window:
    shown = hand.window.tabs.current
    assert isinstance(shown, Window)
    return shown


def shown_tours(hand: WholeHand) -> list[Tour]:
    return [each for each in hand.window.tabs.findChildren(Tour) if each.isVisible()]


def typed_in(hand: WholeHand) -> list[str]:
    """Class of what has the focus, its text, and the parameter where the panel or dialog has taken it in."""
    to_front(dialogs()[0] if dialogs() else hand.window.tabs)
    focus = QApplication.focusWidget()
    assert focus is not None
    texts = [one.text() for one in focus.window().findChildren(QLineEdit) if one.isVisible()]
    tables = [one for one in focus.window().findChildren(QTableWidget) if one.isVisible()]
    texts += [cell.text() for one in tables if (cell := one.item(0, 0)) is not None]
    return [type(focus).__name__, *(text for text in texts if text == "controller.kp")]


def looks(hand: WholeHand) -> dict[str, Any]:
    """Dark and light: dialogs in the theme's colour, boxes of one height, a held camera, hops that follow undo."""
    window = hand.window
    wait_until(window.actions_["modes"].isEnabled, "the model to compile")
    colours = {}
    for name in ("light", "dark"):
        if theme().name != name:
            hand.menu("View", "Dark Theme")
        for title, key, keys in (
            ("commands", Qt.Key.Key_P, CTRL | SHIFT),
            ("find", Qt.Key.Key_F, CTRL),
            ("file", Qt.Key.Key_O, CTRL),
        ):
            colours[f"{title} {name}"] = dialog_colour(hand, key, keys, f"{title}_{name}")
        colours[f"window {name}"] = theme().colour("window").name()
    boxes = [one for one in window.tabs.findChildren(QComboBox) if one.isVisible()]
    heights = sorted({one.height() for one in boxes})
    before = drawn_wires(window)
    hand.click_block("half")
    hand.key(Qt.Key.Key_Delete)
    without = drawn_wires(window)
    hand.key(Qt.Key.Key_Z, CTRL)
    after = drawn_wires(window)
    view = window.view3d
    (look,) = [one for one in view.findChildren(QToolButton) if one.text() == "View"]
    hand.choose(lambda: hand.press(look), "Stresses", picture="view_menu")
    hand.runs()
    hand.picture("stresses")
    scale = view.canvas.look.scale
    return {
        "ticks": [word for _, word in scale.ticks] if scale is not None else [],
        "out_of_view": misses(view.canvas),
        "colours": colours,
        "heights": heights,
        "hops": sum(len(jumps) for _, jumps, _ in before.values()),
        "drawn": [before == after, before == without],
    }


def dialog_colour(hand: WholeHand, key: Qt.Key, keys: Qt.KeyboardModifier, name: str) -> str:
    """Colour of most of a dialog that a key opens, as it is on the screen."""
    found: list[str] = []

    def look() -> None:
        dialog = QApplication.activeModalWidget() or next(iter(dialogs()), None)
        handle = dialog.windowHandle() if dialog is not None else None
        if dialog is None or handle is None or not handle.isExposed():
            QTimer.singleShot(50, look)
            return
        hand.picture(name)
        image = dialog.grab().toImage()
        edge = [image.pixelColor(x, 4).name() for x in range(8, image.width() - 8, 4)]
        found.append(max(set(edge), key=edge.count))
        QTest.keyClick(handle, Qt.Key.Key_Escape)

    QTimer.singleShot(50, look)
    hand.key(key, keys)
    wait_until(lambda: bool(found) and not dialogs(), name)
    to_front(hand.window.tabs)
    return found[0]


def misses(canvas: Canvas3D) -> bool:
    assert canvas.scene is not None
    points = canvas.scene.drawn_at(canvas.pose)
    return canvas.camera.misses(points, canvas.width(), canvas.height(), canvas.top)


def drawn_wires(window: Window) -> dict[str, Any]:
    """Points, hops and dots of the wires as they are drawn."""
    return {text: (wire.points, wire.jumps, wire.dots) for text, wire in window.view.canvas.wires.items()}


SESSIONS = {one.__name__: one for one in (analyses, tabs, plots, first_minute, looks)}

if __name__ == "__main__":
    name, folder, *files = sys.argv[1:]
    in_window(files, Path(folder), SESSIONS[name])
