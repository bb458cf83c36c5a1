"""Signals that are dragged to a plot."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QMimeData, QObject, Qt
from PySide6.QtGui import QDrag

SIGNALS_MIME = "application/x-luff-signals"


def data_of(names: Iterable[str]) -> QMimeData:
    """Data of a drag of signals."""
    data = QMimeData()
    data.setData(SIGNALS_MIME, "\n".join(names).encode())
    return data


def names_in(data: QMimeData) -> list[str]:
    """Signals that a drag carries; none of another one."""
    return bytes(data.data(SIGNALS_MIME).data()).decode().split("\n") if data.hasFormat(SIGNALS_MIME) else []


def drag(source: QObject, names: Iterable[str]) -> None:
    """Drag signals until they are dropped."""
    made = QDrag(source)
    made.setMimeData(data_of(names))
    made.exec(Qt.DropAction.CopyAction)
