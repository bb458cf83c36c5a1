"""Connect dialog: wires without a mouse, from a port to the ports that fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHBoxLayout, QPushButton, QVBoxLayout

from ....blocks import ConnectError
from ...document.element_assignment import connect_ports, fitting, ordered, references
from ...theme.filtered_list import FilteredList
from ...theme.small_widgets import laid, text_label

if TYPE_CHECKING:
    from ..shell import Shell

LOOP = "closes a loop"  # of ports of the same block


class ConnectDialog(QDialog):
    """Connect dialog: Return in the first field moves to the second, there it draws the wire; the dialog stays open for
    the next one, unless it was asked for one port."""

    def __init__(self, window: Shell, first: str = ""):
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Connect")
        self.resize(620, 420)
        self.window_ = window
        self.document = window.document
        self.start = FilteredList("From port", "No port has this name")
        self.goal = FilteredList("To port", "No other port fits")
        self.said = text_label("", "muted", wraps=True)
        kinds = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(kinds.Close)
        self.button = self.buttons.addButton("Connect", QDialogButtonBox.ButtonRole.ActionRole)
        for button in self.buttons.findChildren(QPushButton):
            button.setAutoDefault(False)  # Return is the fields' own
        self.button.clicked.connect(self.connect_ports)
        self.buttons.rejected.connect(self.reject)
        across = laid(QHBoxLayout(), self.start, self.goal)
        laid(QVBoxLayout(self), across, self.said, self.buttons)
        self.start.chosen.connect(self._follow)
        self.goal.chosen.connect(lambda word: self.button.setEnabled(bool(word)))
        self.start.taken.connect(self._focus_goal)
        self.goal.taken.connect(self.connect_ports)
        self._offer()
        self._asked = bool(first)
        if first:
            self.start.field.setText(first)
            self._focus_goal()

    def _offer(self) -> None:
        ports = references(self.document, self.window_.view.canvas.selected_blocks())
        self.start.offer({word: port.doc for word, port in ports.items()})

    def _follow(self, word: str) -> None:
        ports = references(self.document)
        block = self.document.split(word)[0] if word else ""
        fit = fitting(self.document, word)
        own = {other: LOOP for other in fit if self.document.split(other)[0] == block}
        self.goal.offer({other: ports[other].doc for other in fit}, own)

    def _focus_goal(self) -> None:
        self.goal.field.setFocus(Qt.FocusReason.TabFocusReason)
        self.goal.field.selectAll()

    def connect_ports(self) -> None:
        a, b = self.start.word(), self.goal.word()
        if not a or not b:
            return
        try:
            connection = connect_ports(self.document, *ordered(a, b, references(self.document).get(b)))
        except ConnectError as error:
            self.said.setText(str(error))
            return
        self.said.setText(f"Connected {connection}")
        self.window_.view.canvas.sync()
        if self._asked:
            self.accept()
            self.window_.view.show_wire(connection)
            return
        self._offer()
        self.start.field.setFocus(Qt.FocusReason.TabFocusReason)
        self.start.field.selectAll()
        self.goal.field.clear()
