"""MIME data accepted by the canvas: a block of the palette, or a netlist file."""

from __future__ import annotations

from PySide6.QtCore import QMimeData

BLOCK_MIME = "application/x-luff-block"


def dropped_type(data: QMimeData) -> str:
    return bytes(data.data(BLOCK_MIME).data()).decode() if data.hasFormat(BLOCK_MIME) else ""


def dropped_file(data: QMimeData) -> str:
    paths = [url.toLocalFile() for url in data.urls()]
    return next((path for path in paths if path.lower().endswith((".yaml", ".yml"))), "")
