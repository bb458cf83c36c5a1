"""Question for the value of a parameter that an expression uses and the diagram does not declare."""

from __future__ import annotations

from PySide6.QtWidgets import QInputDialog, QWidget

from ...solver.netlist import read_value
from ..document.document import Document


def create_parameter(asker: QWidget, document: Document, name: str) -> None:
    """Ask for the value of a parameter and declare it in the outermost diagram."""
    text, given = QInputDialog.getText(
        asker, "Create Parameter", f"Value of {name}, with its unit, as 3 kg or 45 deg:"
    )
    if given and text.strip():
        document.root.set_parameter(name, read_value(text.strip()))
        document.root.check()
