"""Question for the value of a parameter that an expression uses and the diagram does not declare."""

from __future__ import annotations

from PySide6.QtWidgets import QInputDialog, QWidget

from ...solver.netlist import read_value
from ..document.document import Document


def create_parameter(asker: QWidget, document: Document, name: str) -> bool:
    """Ask for the value of a parameter and declare it in the outermost diagram; False where none is given."""
    text, given = QInputDialog.getText(
        asker, "Create Parameter", f"Value of {name}, with its unit, as 3 kg or 45 deg:"
    )
    if not given or not text.strip():
        return False
    document.root.set_parameter(name, read_value(text.strip()))
    document.root.check()
    return True
