"""For those who see little, or use no mouse: every widget has a name and can be reached, every text can be read."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QPalette
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

from luff.gui.canvas.composite_painting import WIRE_ALPHA
from luff.gui.canvas.wire_item import washed
from luff.gui.plots.reference_curves import pale
from luff.gui.study.study_questions import MeasureDialog, VaryDialog
from luff.gui.theme import active_theme
from luff.gui.theme.active_theme import DARK, GRAPHITE, LIGHT, WHITE, Paper, Theme, palette, theme
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
LEAST, LEAST_DRAWN = 4.5, 3.0  # WCAG 2.1, level AA: text; what is drawn, and the edges of fields (1.4.11)
# RGB as those see it who lack the cones of long, middle or short waves (Machado, Oliveira and Fernandes 2009, table 1)
BLINDNESS = (
    ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
)
TO_XYZ = ((0.412456, 0.357576, 0.180438), (0.212673, 0.715152, 0.072175), (0.019334, 0.119192, 0.950304))
WHITE_POINT = (0.950456, 1.0, 1.088754)  # D65
APART = (
    9.0  # CIELAB; 2.3 is just noticeable (Mahy, Van Eycken and Oosterlinck 1994), and thin lines want several
)


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


def test_tab_leads_to_nothing_that_does_not_show_it(user: User, qtbot) -> None:
    window = user.window
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window.tabs, timeout=LONG)
    window.panels.show("Plots")
    user.select("shoulder")
    window.view.setFocus()
    hidden, before = [], window.tabs.grab().toImage()
    for k in range(150):
        keys = Qt.KeyboardModifier.NoModifier if k else Qt.KeyboardModifier.ControlModifier
        QTest.keyClick(window.tabs.windowHandle(), Qt.Key.Key_Tab, keys)
        at = QApplication.focusWidget()
        assert at is not None
        place, after = QRect(at.mapTo(window.tabs, QPoint()), at.size()), window.tabs.grab().toImage()
        if after.copy(place) == before.copy(place):
            hidden.append((type(at).__name__, at.accessibleName()))
        if at is window.view:
            break
        before = after
    assert QApplication.focusWidget() is window.view
    assert hidden == []


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


def linear_rgb(colour: str) -> np.ndarray:
    parts = np.array(QColor(colour).getRgbF()[:3])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2.1."""
    return float(np.dot((0.2126, 0.7152, 0.0722), linear_rgb(colour)))


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIELAB of linear sRGB."""
    xyz = np.dot(TO_XYZ, np.clip(rgb, 0.0, 1.0)) / WHITE_POINT
    x, y, z = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


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
    paper = paper_of(theme)
    colours += [("ink", paper.ink, paper.paper), ("what is hidden", paper.muted, paper.paper)]
    low = {what: round(contrast(a, b), 2) for what, a, b in colours if contrast(a, b) < LEAST}
    assert low == {}


def paper_of(theme: Theme) -> Paper:
    return GRAPHITE if theme is DARK else WHITE


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_all_that_is_drawn_can_be_seen(theme: Theme) -> None:
    paper = paper_of(theme)
    grounds = ("canvas", "card", "panel", "window", "field")
    colours = [
        (f"{a} on {b}", getattr(theme, a), getattr(theme, b)) for a in ("outline", "accent") for b in grounds
    ]
    colours += [(f"selection on {b}", theme.selection, getattr(theme, b)) for b in ("canvas", "card")]
    colours += [("selected text", theme.accent_text, theme.accent), ("fits", theme.fits, theme.canvas)]
    colours += [(f"curve {ink}", ink, paper.paper) for ink in (*theme.curves, *paper.earlier, paper.muted)]
    colours += [(f"symbol of {key}", ink, theme.card) for key, ink in theme.families.items()]
    colours += [(f"wire {key}", ink, theme.canvas) for key, ink in theme.wires.items()]
    colours += [
        (f"what is {key}", ink, ground)
        for key, ink in theme.fates.items()
        for ground in (theme.canvas, theme.card)
    ]
    low = {what: round(contrast(a, b), 2) for what, a, b in colours if contrast(a, b) < LEAST_DRAWN}
    assert low == {}


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_labels_of_wires_can_be_read_on_their_wash(theme: Theme) -> None:
    active_theme.holder.use(theme.name)
    low = {kind: round(contrast(ink, washed(QColor(ink)).name()), 2) for kind, ink in theme.wires.items()}
    assert {kind: ratio for kind, ratio in low.items() if ratio < LEAST} == {}


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_the_picture_of_a_composite_can_be_seen(theme: Theme) -> None:
    """Wires inside are translucent on the card."""
    share = WIRE_ALPHA / 255
    mixed = {
        kind: QColor.fromRgbF(
            *(share * a + (1 - share) * b for a, b in zip(rgb(ink), rgb(theme.card), strict=True))
        ).name()
        for kind, ink in theme.wires.items()
    }
    low = {kind: round(contrast(ink, theme.card), 2) for kind, ink in mixed.items()}
    assert {kind: ratio for kind, ratio in low.items() if ratio < LEAST_DRAWN} == {}


def rgb(colour: str) -> tuple[float, float, float]:
    return QColor(colour).getRgbF()[:3]


def test_what_cannot_be_done_can_be_read() -> None:
    for t in (LIGHT, DARK):
        disabled = palette(t)
        for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText, QPalette.ColorRole.ButtonText):
            words = disabled.color(QPalette.ColorGroup.Disabled, role).name()
            assert min(contrast(words, ground) for ground in (t.panel, t.card, t.field)) >= LEAST
        marked = palette(t)
        pair = [
            marked.color(role).name()
            for role in (QPalette.ColorRole.Highlight, QPalette.ColorRole.HighlightedText)
        ]
        assert contrast(*pair) >= LEAST


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_curves_are_told_apart_by_those_who_are_colour_blind(theme: Theme) -> None:
    for eye in (np.eye(3), *map(np.array, BLINDNESS)):
        seen = {ink: lab(eye @ linear_rgb(ink)) for ink in theme.curves}
        for a, b in itertools.combinations(seen, 2):
            assert np.linalg.norm(seen[a] - seen[b]) >= APART, (a, b)
    assert len(paper_of(theme).names) == len(set(paper_of(theme).names)) == len(theme.curves)


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


@pytest.mark.parametrize("own", [WHITE, GRAPHITE], ids=["white", "graphite"])
def test_curves_of_earlier_runs_stand_out_from_the_paper_and_behind_the_last_one(own: Paper) -> None:
    weak = {hue: contrast(pale(hue, own.paper).name(), own.paper) for hue in own.curves}
    assert {hue: round(found, 2) for hue, found in weak.items() if found < 3.0} == {}
    assert all(
        found < contrast(hue, own.paper) for hue, found in weak.items() if contrast(hue, own.paper) > 3.2
    )
