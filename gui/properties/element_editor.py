"""Element choice for a wire at a vector port."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox

from ...blocks import LuffError
from ...solver.netlist.wire_syntax import parse_wire
from ..document.document import Document
from ..document.element_assignment import change_element, free_choices, used_elements

ALL = "all elements"


class ElementChoice(QComboBox):
    """Combo box for one end of a wire: the whole port, or an element that no other wire takes."""

    rewired = Signal(str)

    def __init__(self, document: Document, connection: str, end: int):
        super().__init__()
        self.document, self.connection, self.end = document, connection, end
        self.setAccessibleName(f"Element of the {'source' if end == 0 else 'target'}")
        self.setToolTip("The element of this port that the wire takes")
        try:
            wire = parse_wire(connection)
        except LuffError:
            return
        elements = (wire.a, wire.b)[end].elements
        free = free_choices(document, connection, end)
        if not free and elements is None:
            return
        if (
            elements is None
            or end == 0
            or not used_elements(document, str((wire.a, wire.b)[end]), connection)
        ):
            self.addItem(ALL, None)
        for k in sorted({*free, *(elements or ())[:1]}):
            self.addItem(f"element [{k}]", k)
        self.setCurrentIndex(self.findData(elements[0]) if elements else 0)
        if elements and len(elements) > 1:
            self.setCurrentIndex(-1)
            self.setPlaceholderText(f"elements [{elements[0]}:{elements[-1] + 1}]")
        self.activated.connect(self._take)

    def _take(self, _: int) -> None:
        try:
            self.rewired.emit(change_element(self.document, self.connection, self.end, self.currentData()))
        except LuffError as error:
            self.setToolTip(str(error))
            self.rewired.emit(self.connection)
