"""Problems that propose a word: one click in the list, one step of undo."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QPushButton

from luff.tests.shared.netlists import TWO_LINKS


def offers(window) -> list[QPushButton]:
    tree = window.problems.tree
    return [button for row in range(tree.topLevelItemCount()) for button in [_button(tree, row)] if button]


def _button(tree, row: int) -> QPushButton | None:
    cell = tree.itemWidget(tree.topLevelItem(row), 2)
    return cell.findChild(QPushButton) if cell else None


def test_a_click_puts_the_word_right(make_window, qtbot) -> None:
    window = make_window(TWO_LINKS)
    window.document.add_block("gain", 0, 600, {"k": "=gravty"})
    window.document.set_parameter("gravity", 9.81)
    window.document.check()
    wrong = window.document.diagram.to_yaml()
    (button,) = [each for each in offers(window) if each.text() == 'Use "gravity"']
    window.panels.show("Problems")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.document.diagram.to_yaml() == wrong.replace("gravty", "gravity")
    assert 'Use "gravity"' not in [each.text() for each in offers(window)]
    window.document.undo.undo()
    assert window.document.diagram.to_yaml() == wrong


def test_a_parameter_that_is_missing_is_created(make_window, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    window = make_window(TWO_LINKS)
    window.document.add_block("gain", 0, 600, {"k": "=payload"})
    window.document.check()
    (button,) = [each for each in offers(window) if each.text() == "Create Parameter payload..."]
    window.panels.show("Problems")
    answers = iter([("", False), ("3 kg", True)])
    monkeypatch.setattr(QInputDialog, "getText", lambda *_: next(answers))
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert "payload" not in window.document.diagram.parameters
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.document.diagram.data["parameters"]["payload"] == "3 kg"
    assert not any("payload" in problem.message for problem in window.document.problems)
