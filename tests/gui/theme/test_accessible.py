"""For those who see little, or use no mouse: every widget has a name and can be reached, every text can be read."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QDialog,
    QGraphicsView,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollBar,
    QTextBrowser,
    QWidget,
)

from luff.gui.study.study_questions import MeasureDialog, VaryDialog
from luff.gui.theme.active_theme import DARK, GRAPHITE, LIGHT, WHITE, Theme, theme
from luff.gui.window.actions import CANVAS_KEYS, INNER, MENUS, SUBMENUS, specs
from luff.gui.window.dialogs.connect_dialog import ConnectDialog
from luff.gui.window.dialogs.dialog_table import DIALOGS
from luff.gui.window.dialogs.find_dialog import FindDialog
from luff.gui.window.help_dialogs import Reference
from luff.tests.gui.driver import LONG
from luff.tests.gui.user import User

INTERACTIVE = (
    QAbstractButton, QAbstractItemView, QAbstractSlider, QComboBox, QGraphicsView, QLineEdit, QPlainTextEdit,
    QTextBrowser,
)  # fmt: skip
LEAST = 4.5  # WCAG 2.1, level AA


def nameless(root: QWidget) -> list[str]:
    """Interactive widgets that a screen reader would call by nothing."""
    found = []
    for widget in root.findChildren(QWidget):
        inner = widget.objectName().startswith("qt_") or isinstance(widget, QScrollBar | QHeaderView)
        if not isinstance(widget, INTERACTIVE) or inner or part_of_another(widget):
            continue
        text = widget.text() if isinstance(widget, QAbstractButton) else ""
        if not (widget.accessibleName() or text):
            where = type(widget.parent()).__name__ if widget.parent() else ""
            found.append(f"{type(widget).__name__} in {where}: {widget.toolTip()[:40]}")
    return found


def part_of_another(widget: QWidget) -> bool:
    """Made by Qt inside of a list or a field, which has the name."""
    if type(widget).__name__ in ("QTableCornerButton", "CloseButton"):
        return True
    above = widget.parent()
    while above is not None and not isinstance(above, QComboBox | QLineEdit):
        above = above.parent()
    return above is not None


def test_every_widget_has_a_name(user: User) -> None:
    window = user.window
    window.controls.add("shoulder.damping")
    window.study_panel.vary("upper.mass", ["1 kg", "2 kg"])
    dialogs = [
        VaryDialog(window, "upper.mass", [], lambda path: (None, ""), lambda path, value: ""),
        MeasureDialog(window, []),
        FindDialog(window), Reference(window), ConnectDialog(window),
        *map(window.dialogs.open, DIALOGS.values()),
    ]  # fmt: skip
    assert [name for dialog in dialogs for name in nameless(dialog)] == []
    seen: list[str] = []
    for chosen in ([], ["shoulder"], ["upper"], ["controller"], ["reference"], ["upper", "fore"]):
        user.select(*chosen)
        QApplication.processEvents()
        seen += nameless(window)
    assert sorted(set(seen)) == []
    for dialog in dialogs:
        dialog.close()


def test_every_action_has_a_key_or_stands_in_a_menu_with_a_letter() -> None:
    for title, entries in {**MENUS, **INNER}.items():
        assert "&" in title or title in INNER
        letters = [one.text[one.text.index("&") + 1].lower() for one in entries if one and "&" in one.text]
        assert len(letters) == len(set(letters)), f"{title}: two entries share a letter: {sorted(letters)}"
    assert all(spec.tip for spec in specs())
    assert {spec.key for spec in specs()} >= CANVAS_KEYS | SUBMENUS


def test_panels_are_reached_and_left_by_tab(user: User) -> None:
    window = user.window
    window.activateWindow()
    window.panels.show("Studies")
    user.select("shoulder")
    window.view.setFocus()
    seen: set[QWidget | None] = set()
    for _ in range(150):
        QTest.keyClick(
            QApplication.focusWidget() or window, Qt.Key.Key_Tab, Qt.KeyboardModifier.ControlModifier
            if QApplication.focusWidget() is window.view else Qt.KeyboardModifier.NoModifier,
        )  # fmt: skip
        seen.add(QApplication.focusWidget())
    for widget in (
        window.palette_.field, window.palette_.tree, window.study_panel.run_button, window.study_panel.tree,
        window.running.speed, user.row("damping").editor.field,
    ):  # fmt: skip
        assert widget in seen, f"{widget.accessibleName()} is not reached by Tab"


def test_what_has_the_focus_shows_it(user: User, qtbot) -> None:
    """Panels' own canvases by a line around them; what Qt draws has its line in the style sheet."""
    window = user.window
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window.tabs, timeout=LONG)
    window.panels.show("Plots")
    accent = theme().accent
    for widget in (window.view, window.deck.panes[0], window.view3d.canvas):
        shown = []
        for focus in (widget, window.palette_.field):
            focus.setFocus(Qt.FocusReason.TabFocusReason)
            QApplication.processEvents()
            image = widget.grab().toImage()
            shown.append(image.pixelColor(0, image.height() // 2).name() == accent)
        assert shown == [True, False], widget.accessibleName()


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2.1."""
    found = QColor(colour)
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in found.getRgbF()[:3]]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def test_the_contrast_is_that_of_the_guideline() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)  # the guideline's own example


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_every_text_can_be_read(theme: Theme) -> None:
    grounds = ("window", "panel", "canvas", "card", "field")
    pairs = [(text, ground) for text in ("text", "muted", "error", "warning", "accent") for ground in grounds]
    pairs += [("accent_text", "accent"), ("text", "running"), ("muted", "running"), ("warning", "running")]
    colours = [(f"{a} on {b}", getattr(theme, a), getattr(theme, b)) for a, b in pairs]
    paper = GRAPHITE if theme is DARK else WHITE
    colours += [("ink", paper.ink, paper.paper), ("what is hidden", paper.muted, paper.paper)]
    low = {what: round(contrast(a, b), 2) for what, a, b in colours if contrast(a, b) < LEAST}
    assert low == {}


@pytest.mark.parametrize("enabled", [True, False])
def test_the_button_that_return_presses_is_filled_while_it_can_be_pressed(qtbot, enabled: bool) -> None:
    dialog = QDialog()
    qtbot.addWidget(dialog)
    button = QPushButton("Find", dialog)
    button.setDefault(True)
    button.setEnabled(enabled)
    dialog.show()
    ground = button.grab().toImage().pixelColor(5, button.height() // 2).name()
    assert ground == (theme().accent if enabled else theme().card)
