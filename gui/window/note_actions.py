"""Notes: insertion by menu and key, their context menu, export of the diagram as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFileDialog, QMenu

from ...blocks.errors import LuffError
from ..canvas.diagram_picture import FORMATS, export
from ..canvas.note_item import text_colour
from ..document import note_edits
from ..document.note_edits import COLOURS, Note
from ..drawing.snap_guides import to_grid
from ..theme.icons import swatch

if TYPE_CHECKING:
    from .shell import Shell

PICTURES = "PNG (*.png);;SVG (*.svg);;PDF (*.pdf)"


class Notes:
    def __init__(self, window: Shell):
        self.window = window

    def on_note(self) -> None:
        """Add a note around the selected blocks or at the pointer, and edit its text."""
        view, document = self.window.view, self.window.document
        names = view.canvas.selected_blocks()
        at = view.paste_target()
        note = note_edits.around(document, names) if names else Note("", to_grid(at.x()), to_grid(at.y()))
        index = note_edits.add(document, note)
        view.canvas.sync()
        view.canvas.select([], notes=[index])
        # a menu that is about to close would take the focus away
        QTimer.singleShot(0, view, lambda: view.note_editor.open(index, fresh=True))

    def menu(self, index: int) -> QMenu:
        window, document = self.window, self.window.document
        note = note_edits.notes(document)[index]
        menu = QMenu(window)
        edit = lambda: window.view.note_editor.open(index)  # noqa: E731
        menu.addAction("Edit Text", lambda: QTimer.singleShot(0, window.view, edit))
        inks = menu.addMenu("Colour")
        for name in COLOURS:
            word = name.capitalize() or "None"
            slot = lambda name=name: note_edits.change(document, index, "colour note", colour=name)  # noqa: E731
            action = inks.addAction(swatch(text_colour(name).name()), word, slot)
            action.setCheckable(True)
            action.setChecked(name == note.colour)
        holds = menu.addAction(
            "Move Its Blocks Along", lambda: note_edits.change(document, index, holds=not note.holds)
        )
        holds.setCheckable(True)
        holds.setChecked(note.holds)
        menu.addSeparator()
        menu.addAction(window.actions_["delete"])
        return menu

    def on_export_diagram(self) -> None:
        window = self.window
        base = window.document.path
        start = base.with_suffix(".png") if base else Path("diagram.png")
        name, _ = QFileDialog.getSaveFileName(window, "Export Diagram", str(start), PICTURES)
        if not name:
            return
        path = Path(name) if Path(name).suffix in FORMATS else Path(f"{name}.png")
        try:
            export(window.view.canvas, path)
        except LuffError as error:
            window.say(str(error))
            return
        window.say(f"Wrote {path}")
