"""Many faces as one QPainterPath, deserialised from bytes: about ten times faster than a call per face."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QByteArray, QDataStream, Qt
from PySide6.QtGui import QPainterPath

MOVE, DRAW = 0, 1  # kinds of elements
ELEMENT = np.dtype([("kind", ">i4"), ("x", ">f8"), ("y", ">f8")])


def faces_as_path(faces: np.ndarray) -> QPainterPath:
    """QPainterPath of the union of faces of one orientation, (n, corners, 2), through QDataStream's format."""
    elements = np.zeros((len(faces), faces.shape[1] + 1), ELEMENT)  # back to the first corner
    elements["kind"] = DRAW
    elements["kind"][:, 0] = MOVE
    elements["x"], elements["y"] = np.moveaxis(np.concatenate((faces, faces[:, :1]), axis=1), 2, 0)
    begin, rule = max(0, elements.size - elements.shape[1]), Qt.FillRule.WindingFill.value
    ends = [np.array(numbers, ">i4").tobytes() for numbers in ([elements.size], [begin, rule])]
    path = QPainterPath()
    stream = QDataStream(QByteArray(elements.tobytes().join(ends)))
    _ = stream >> path
    return path
