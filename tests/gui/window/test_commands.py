"""The palette of commands: actions and blocks by a few letters."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from luff.blocks.registry import HOMES
from luff.gui.window.actions import INNER, MENUS, SUBMENUS
from luff.gui.window.dialogs.command_palette import CommandPalette, commands, plain
from luff.gui.window.main_window import Window
from luff.tests.shared.netlists import TWO_LINKS


def opened(window: Window, words: str) -> CommandPalette:
    window.actions_["commands"].trigger()
    dialog = next(child for child in window.findChildren(CommandPalette) if child.isVisible())
    QTest.keyClicks(dialog.field, words)
    return dialog


def test_a_few_letters_and_return_do_what_the_menu_does(make_window) -> None:
    window = make_window(TWO_LINKS)
    window.view.canvas.select(["fore"])
    dialog = opened(window, "edit delete")
    first = dialog.list.topLevelItem(0)
    assert first is not None
    assert (first.text(0), first.text(1)) == ("Edit: Delete", "Del")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    QApplication.processEvents()
    assert "fore" not in window.document.block_names()
    assert not window.findChildren(CommandPalette)


def test_a_block_is_inserted_by_its_name(make_window) -> None:
    window = make_window(TWO_LINKS)
    before = set(window.document.block_names())
    QTest.keyClick(opened(window, "integrator").field, Qt.Key.Key_Return)
    assert set(window.document.block_names()) - before == {"integrator"}


def test_every_action_that_is_enabled_and_every_block_is_there(make_window) -> None:
    window = make_window(TWO_LINKS)
    words = [command.words for command in commands(window)]
    for title, entries in MENUS.items():
        for spec in entries:
            for one in [spec, *INNER.get(spec.key, [])] if spec else ():
                action = window.actions_.all.get(one.key)
                if one.key not in SUBMENUS and action is not None and action.isEnabled():
                    ends = f": {plain(action)}"
                    assert any(w.endswith(ends) and w.startswith(title.replace("&", "")) for w in words), (
                        one.key
                    )
    assert {f"Insert {name}" for name in HOMES} <= set(words)
    assert "File: Examples: crane demo" in words


def test_what_is_disabled_is_not_offered(make_window) -> None:
    window = make_window(TWO_LINKS)
    window.view.canvas.select([])
    assert "Edit: Delete" not in [command.words for command in commands(window)]


def test_tools_of_the_plots_are_found(make_window) -> None:
    window = make_window(TWO_LINKS)
    dialog = opened(window, "peaks")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert window.deck.measures_action.isChecked()
    words = [command.words for command in commands(window)]
    assert {"Plots: Cursor", "Plots: Second Cursor", "Plots: Time Shown: Last 5 s"} <= set(words)


def test_what_fits_nothing_is_told(make_window) -> None:
    dialog = opened(make_window(TWO_LINKS), "qqq")
    (line,) = [dialog.list.topLevelItem(k) for k in range(dialog.list.topLevelItemCount())]
    assert line is not None
    assert line.text(0) == 'No action or block matches "qqq"'
    QTest.keyClick(dialog.field, Qt.Key.Key_Down)
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.isVisible()
