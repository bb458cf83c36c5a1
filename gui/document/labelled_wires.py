"""Wires that are shown as a label at each end."""

from __future__ import annotations

from collections.abc import Sequence

from ..drawing.net_labels import SHOWN, is_labelled
from .document import Document
from .undo_commands import RouteAs


def labelled_wires(document: Document, connection: str) -> bool:
    return is_labelled(document.diagram.layout or {}, connection)


def show_as_labels(document: Document, connections: Sequence[str], on: bool) -> None:
    with document.step("show as labels" if on else "show as wire"):
        document.settle()
        for text in connections:
            if labelled_wires(document, text) != on:
                document.push(RouteAs(document.diagram, text, SHOWN if on else None))


def toggle_labels(document: Document, connections: Sequence[str]) -> None:
    """Show the wires as labels, or as lines if all are labels already."""
    show_as_labels(document, connections, not all(labelled_wires(document, text) for text in connections))
