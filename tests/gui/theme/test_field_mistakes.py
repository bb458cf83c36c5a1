"""What is wrong with a field is read whole in a narrow panel, whatever names it tells."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QFormLayout, QLineEdit, QScrollArea, QWidget

from luff.gui.theme.field_mistake import FieldMistake
from luff.tests.gui.cut_text import cut_texts

NARROW = 210  # px of a panel beside the canvas in a small window


@pytest.mark.parametrize(
    "words",
    [
        "found no input, expected one such as slide.effort",
        "shoulder_joint_of_the_left_arm.measured_effort_of_the_drive[1] is no input",
        f"found {'x' * 90}, expected a number",
        "there is no /home/someone/a_long_name_of_a_folder/another_long_name_of_a_folder/model.yaml",
    ],
)
def test_a_mistake_is_read_whole_in_a_narrow_form(qapp: QApplication, words: str) -> None:
    panel, body, field = QScrollArea(), QWidget(), QLineEdit()
    panel.setWidgetResizable(True)
    form = QFormLayout(body)
    form.addRow("Inputs", field)
    mistake = FieldMistake(field)
    form.addRow(mistake)
    panel.setWidget(body)
    panel.resize(NARROW, 300)
    panel.show()
    mistake.tell(words)
    QApplication.processEvents()
    assert body.width() <= panel.viewport().width()
    assert mistake.height() >= mistake.heightForWidth(mistake.width())
    assert not list(cut_texts(body))
    assert mistake.words == words == field.accessibleDescription()
    panel.close()
