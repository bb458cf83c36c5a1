"""Preferences take effect at once, and hold for the next session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from luff.gui.theme import active_theme
from luff.gui.window.dialogs.preferences_dialog import Preferences
from luff.gui.window.main_window import Window
from luff.solver.codegen import object_store
from luff.tests.shared.netlists import TWO_LINKS


@pytest.fixture
def opened(make_window) -> Iterator[tuple[Window, Preferences]]:
    window = make_window(TWO_LINKS)
    was = active_theme.theme().name
    window.actions_["preferences"].trigger()
    (dialog,) = window.findChildren(Preferences)
    assert dialog.isVisible()
    yield window, dialog
    active_theme.set_text_size(100)
    active_theme.holder.use(was)


def test_the_theme_is_that_of_the_menu(opened) -> None:
    window, dialog = opened
    dark = window.actions_["dark"]
    for name in ("dark", "light"):
        dialog.theme.setCurrentText(name.capitalize())
        assert active_theme.theme().name == name
        assert dark.isChecked() is (name == "dark")
    dark.setChecked(True)
    assert dialog.theme.currentText() == "Dark"
    assert QSettings().value("theme") == "dark"
    dialog.minimap.setChecked(not window.actions_["minimap"].isChecked())
    assert window.actions_["minimap"].isChecked() is dialog.minimap.isChecked()


def test_they_hold_for_all_windows(opened, make_window) -> None:
    window, dialog = opened
    other = make_window(TWO_LINKS)
    other.actions_["preferences"].trigger()
    (beside,) = other.findChildren(Preferences)
    dialog.minimap.setChecked(on := not dialog.minimap.isChecked())
    assert other.actions_["minimap"].isChecked() is on
    assert other.view.minimap.wanted is on
    dialog.theme.setCurrentText("Dark")
    dialog.text.setValue(120)
    QApplication.sendEvent(beside, QEvent(QEvent.Type.WindowActivate))
    assert (beside.theme.currentText(), beside.text.value(), beside.minimap.isChecked()) == ("Dark", 120, on)
    assert window.actions_["dark"].isChecked()


def test_text_grows_at_once_and_from_its_usual_size(opened) -> None:
    window, dialog = opened
    label = window.running.badge
    usual, high = QApplication.font().pointSizeF(), label.fontMetrics().height()
    dialog.text.setValue(150)
    assert QApplication.font().pointSizeF() == pytest.approx(1.5 * usual)
    assert label.fontMetrics().height() > 1.3 * high  # whole pixels
    dialog.text.setValue(120)
    assert QApplication.font().pointSizeF() == pytest.approx(1.2 * usual)
    assert active_theme.text_size() == 120  # for the next session
    dialog.text.setValue(100)
    assert label.fontMetrics().height() == high


@pytest.mark.parametrize(("kept", "found"), [("soon", 100), ("1000", 150), ("1", 80), ("-5", 100)])
def test_a_text_size_that_is_none_is_left_out(kept: str, found: int, opened) -> None:
    QSettings().setValue(active_theme.TEXT_SIZE, kept)
    assert active_theme.text_size() == found


def test_compiled_code_is_cleared_and_nothing_else(opened, tmp_path: Path, monkeypatch) -> None:
    _, dialog = opened
    monkeypatch.setattr(object_store, "cache_dir", lambda: tmp_path)
    own, other = tmp_path / "objects" / ("0" * 16), tmp_path / "objects" / "mine"
    for folder in (own, other):
        folder.mkdir(parents=True)
        (folder / "f.code").write_bytes(b"x" * 2_000_000)
    (tmp_path / "notes.txt").write_text("kept")
    dialog._show_kept()
    assert dialog.kept.text() == "2 MB"
    QTest.mouseClick(dialog.clear_button, Qt.MouseButton.LeftButton)
    assert dialog.kept.text() == "0 kB"
    assert not dialog.clear_button.isEnabled()
    assert not [*own.iterdir()]
    assert (other / "f.code").exists()
    assert (tmp_path / "notes.txt").exists()
