"""Help dialogs: the block reference, generated from the block declarations; keys and gestures; about."""

from __future__ import annotations

import html
import re

from PySide6.QtCore import QUrl
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMessageBox,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from ...solver.diagram.block_reference import describe_block, param_rows, port_kind
from ...version import told
from ..theme.active_theme import theme
from ..theme.block_catalog import builtin, search
from ..theme.icons import app_icon, symbol_icon
from ..theme.small_widgets import laid

CODE = re.compile(r"`([^`]+)`")
GESTURES = [
    (
        "/ or any letter",
        "insert a block by name at the cursor; over the selected block, or with the cursor elsewhere, as Tab does",
    ),
    (
        "drag from a port, or click and click",
        "draw a wire; a click on empty canvas sets a corner, the end of a drag there asks for a block that fits",
    ),
    ("drop a block on a wire", "insert it into the wire"),
    ("more\u2026 on a card", "show the block's other outputs"),
    (
        "right-click a wire",
        "plot it, insert a block, take an element; Show as Labels names its ends, a double-click ends that",
    ),
    ("drag a segment of a wire", "move it; a double-click routes the wire automatically again"),
    ("right-click a port", "plot it, or make it a port of the diagram"),
    ("drag a block", "move it; Alt turns off snapping to grid and guides"),
    (
        "drag a dial of the dashboard",
        "move it; during a run drag its title, since the rest operates it",
    ),
    ("drag on empty canvas", "select; Shift adds to the selection"),
    ("wheel", "zoom at the cursor; Shift scrolls sideways"),
    ("middle button, or Space and drag", "pan"),
    ("Space", "show the whole diagram"),
    ("arrows", "nudge by 10 px; Shift 50 px, Alt 1 px"),
    ("R", "rotate the selected blocks by 90 degrees"),
    ("F2", "rename the selected block"),
    (
        "Tab",
        "with a block selected: insert the next, wired to it, a planner before its drive; Ctrl+Tab leaves the canvas",
    ),
    (
        "Page Down, Page Up",
        "select the next or the previous block, note or wire; so does Tab without a selection",
    ),
    (
        "Tab in a cell of a table",
        "edit the next one; behind the last a new row, which is dropped if nothing is typed",
    ),
    ("Alt+1, Alt+2, ...", "go to the canvas, or to a panel: View, Go to"),
    ("menu key, or Shift+F10", "open the menu of the selection"),
    ("Return or double-click", "open a composite, or go to the block's properties"),
    (
        "wheel or drag in a plot",
        "zoom or move its time or frequency, whose values fit themselves; over an axis that axis, with Ctrl both",
    ),
    ("left and right in a plot", "move the cursor; Shift takes large steps, Ctrl moves the second cursor"),
    ("Ctrl+C, Space in the readings", "copy the rows with tabs; hide or show the curve of a row"),
    ("Return or double-click in the readings", "zoom to the curve of a row; Fit shows all again"),
    ("drag a name above a plot, or a row of readings", "show the signal in another plot, too"),
    (
        "double-click a picture of an analysis or of a study",
        "show all of it again, after the wheel or a drag",
    ),
    ("double-click a plot, or F11 in it", "give it the whole window; the same or Esc gives the window back"),
    ("menu of a panel's tab", "close it or all analyses, or show another panel; the middle button closes it"),
    ("click in the 3-D view", "select the block; Shift adds; a drag turns the view, with Shift it moves it"),
    (
        "Ctrl and drag in the 3-D view",
        "move a body to its start position; after P a drag does so without Ctrl",
    ),
    ("wheel in the 3-D view", "zoom to what is under the mouse"),
    ("double-click in the 3-D view", "centre the point and turn about it; on a frame, trace its path"),
    ("0 to 6 in the 3-D view", "look from the corner, front, side, top, back, left, bottom; so do the axes"),
    ("O in the 3-D view", "project without perspective, or with it"),
    ("Space, Home in the 3-D view", "fit the whole mechanism; Home also turns to the side that shows most"),
    ("Esc", "cancel a gesture, deselect, go up one level; in the properties: back to the canvas"),
    (
        "Esc during work",
        "of a panel or dialog: leave its field; say that the next one stops the work; stop it",
    ),
]


def block_page(type_name: str) -> str:
    """Reference page of a block as HTML."""
    block = describe_block(type_name)
    t = theme()
    esc = html.escape
    rows = [(port["name"], port_kind(port), port["doc"]) for port in block["ports"]]
    ports = table(["port", "kind", ""], rows)
    params = table(["parameter", "default", "unit", "bounds", ""], list(param_rows(block["parameters"])))
    doc = CODE.sub(r"<code>\1</code>", esc(block["doc"])).replace("\n\n", "<p>")
    return (
        f"<h2>{esc(type_name)}</h2><p style='color:{t.muted}'>{esc(block['family'])}</p><p>{doc}</p>"
        f"<h3>Ports</h3>{ports}<h3>Parameters</h3>{params}"
    )


def table(heads: list[str], rows: list[tuple[str, ...]]) -> str:
    if not rows:
        return "<p>none</p>"

    def line(cells, tag):
        return (
            "<tr>"
            + "".join(f"<{tag} align='left'>{html.escape(c)}&nbsp;&nbsp;</{tag}>" for c in cells)
            + "</tr>"
        )

    return (
        "<table cellpadding='3'>" + line(heads, "th") + "".join(line(row, "td") for row in rows) + "</table>"
    )


class Reference(QDialog):
    """Block reference: list on the left, page of the selected block on the right."""

    def __init__(self, parent: QWidget, type_name: str = ""):
        super().__init__(parent)
        self.setWindowTitle("Block Reference")
        self.resize(900, 640)
        self.field = QLineEdit(placeholderText="Search blocks")
        self.list = QListWidget()
        self.list.setFixedWidth(220)
        self.field.setAccessibleName("Search blocks")
        self.list.setAccessibleName("Blocks")
        self.page = QTextBrowser()
        self.page.setAccessibleName("Page of the block")
        self.page.setOpenLinks(False)
        self.page.anchorClicked.connect(lambda url: self.show_block(QUrl(url).toString()))
        left = laid(QVBoxLayout(), self.field, self.list)
        laid(QHBoxLayout(self), left, (self.page, 1))
        self.field.textChanged.connect(self._fill)
        self.list.currentItemChanged.connect(lambda item: item and self.page.setHtml(block_page(item.text())))
        self._fill("")
        self.show_block(type_name or (self.list.item(0).text() if self.list.count() else ""))

    def _fill(self, words: str) -> None:
        self.list.clear()
        for entry in search(list(builtin()), words):
            self.list.addItem(QListWidgetItem(symbol_icon(entry.type_name, entry.family), entry.label))

    def show_block(self, type_name: str) -> None:
        self.field.clear()  # a search of before may leave it out
        for k in range(self.list.count()):
            if self.list.item(k).text() == type_name:
                self.list.setCurrentRow(k)


def show_keys(parent: QWidget) -> QDialog:
    from .actions import MENUS

    dialog = QDialog(parent)
    dialog.setWindowTitle("Keys and Gestures")
    dialog.resize(560, 640)
    page = QTextBrowser()
    rows = [(keys, what) for keys, what in GESTURES]
    text = "<h3>On the canvas</h3>" + table(["", ""], rows)
    for title, specs in MENUS.items():
        rows = [(spec.shortcut, spec.tip) for spec in specs if spec and spec.shortcut]
        text += f"<h3>{title.replace('&', '')}</h3>" + table(["", ""], rows)
    page.setHtml(text)
    box = QVBoxLayout(dialog)
    box.addWidget(page)
    return dialog


def about(parent: QWidget) -> QMessageBox:
    box = QMessageBox(parent)
    box.setWindowTitle("About luff")
    box.setIconPixmap(app_icon().pixmap(64, 64))
    box.setText(f"<b>luff {told()}</b>")
    box.setInformativeText(
        "Block-diagram simulator for constrained rigid and flexible multibody systems.\n\nLicence: BSD-3-Clause."
    )
    return box
