"""Many faces as one path: Qt reads it from bytes, in a tenth of the time of a call for each face."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QByteArray, QDataStream, Qt
from PySide6.QtGui import QPainterPath

MOVE, DRAW = 0, 1  # kinds of elements
ELEMENT = np.dtype([("kind", ">i4"), ("x", ">f8"), ("y", ">f8")])


def faces_as_path(faces: np.ndarray) -> QPainterPath:
    """What faces of one sense (n, corners, 2) cover, written as Qt's data stream has a path."""
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
