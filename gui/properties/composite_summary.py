"""Summary of a selected composite in the properties: what is inside, its ports, and ways in."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ...blocks import LuffError, Port
from ...solver.diagram.composite_types import CompositeType
from ..document.document import Document
from ..theme.number_format import unit_words
from ..theme.small_widgets import laid, push_button

LISTED = 16  # ports that are named


class CompositeSummary(QWidget):
    """Counts, ports, *Open*, and *Save as Block* for a subsystem in place; it follows edits at any level."""

    open_wanted = Signal(str)
    save_wanted = Signal()

    def __init__(self, document: Document, name: str, in_place: bool):
        super().__init__()
        self.document, self.name = document, name
        self.inside, self.ports = QLabel(), QLabel()
        for label in (self.inside, self.ports):
            label.setWordWrap(True)
        self.ports.setProperty("role", "muted")
        self.open = push_button(
            "Open", "Show the diagram inside (Return, or a double-click)", lambda: self.open_wanted.emit(name)
        )
        self.save = push_button(
            "Save as Block...", "Save the subsystem as a block for other diagrams", self.save_wanted.emit
        )
        buttons = laid(QHBoxLayout(), self.open, *([self.save] if in_place else []), None)
        laid(QVBoxLayout(self), self.inside, self.ports, buttons, margins=(0, 0, 0, 0))
        self.refresh()

    def refresh(self) -> None:
        try:
            kind = self.document.diagram.block_class(self.name)
        except LuffError:
            return  # told where the block is
        if not isinstance(kind, CompositeType):
            return
        inner = kind.diagram
        blocks, wires = len(inner.blocks), len(inner.connections)
        self.inside.setText(f"{_count(blocks, 'block')} and {_count(wires, 'wire')} inside")
        lines = [_port_line(name, port) for name, port in self.document.ports(self.name).items()]
        more = [f"and {len(lines) - LISTED} more"] if len(lines) > LISTED else []
        self.ports.setText("\n".join(["Ports:", *lines[:LISTED], *more] if lines else ["It has no ports"]))


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _port_line(name: str, port: Port) -> str:
    """Port in words: `tip: frame`, `speed: signal in [rad/s]`."""
    unit = f" [{unit_words(port.unit)}]" if port.unit else ""
    return f"{name}: {' '.join(filter(None, (port.kind, port.direction)))}{unit}"
