"""Export of the diagram to PNG, SVG or PDF, always in the light theme."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMarginsF, QRectF, QSizeF, Qt
from PySide6.QtGui import QImage, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from ...blocks.errors import LuffError, Problem
from ..theme.active_theme import holder
from .scene import CanvasScene

FORMATS = (".png", ".svg", ".pdf")
EDGE, SCALE = 20.0, 2.0  # px around the diagram; points of a PNG for each px
MOST = 12_000  # points of a PNG across


def export(canvas: CanvasScene, path: Path) -> None:
    """Write the diagram to an image file. Raises LuffError if the file cannot be written."""
    area = canvas.content_rect().adjusted(-EDGE, -EDGE, EDGE, EDGE)
    chosen = canvas.selectedItems()
    canvas.blockSignals(True)
    for item in chosen:
        item.setSelected(False)
    try:
        with holder.lent("light"):
            written = _WRITERS[path.suffix.lower()](canvas, area, path)
    except KeyError:
        raise LuffError(Problem(f"found {path.suffix}, expected {', '.join(FORMATS)}", str(path))) from None
    finally:
        for item in chosen:
            item.setSelected(True)
        canvas.blockSignals(False)
    if not written:
        raise LuffError(Problem("cannot be written", str(path)))


def _draw(canvas: CanvasScene, area: QRectF, painter: QPainter, whole: QRectF) -> None:
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    painter.fillRect(whole, Qt.GlobalColor.white)
    afar = canvas.overview
    canvas.set_overview(False)
    for name in canvas.blocks:
        canvas.show_picture(name)
    canvas.render(painter, whole, area)
    canvas.set_overview(afar)
    painter.end()


def _png(canvas: CanvasScene, area: QRectF, path: Path) -> bool:
    scale = min(SCALE, MOST / max(area.width(), area.height()))
    image = QImage((area.size() * scale).toSize(), QImage.Format.Format_RGB32)
    _draw(canvas, area, QPainter(image), QRectF(image.rect()))
    return image.save(str(path))


def _svg(canvas: CanvasScene, area: QRectF, path: Path) -> bool:
    target = QSvgGenerator()
    target.setFileName(str(path))
    target.setSize(area.size().toSize())
    whole = QRectF(0, 0, area.width(), area.height())
    target.setViewBox(whole)
    painter = QPainter()
    if not painter.begin(target):
        return False
    _draw(canvas, area, painter, whole)
    return True


def _pdf(canvas: CanvasScene, area: QRectF, path: Path) -> bool:
    target = QPdfWriter(str(path))
    size = QSizeF(area.width(), area.height()) * 0.75  # points of 1/72 inch, px of 1/96
    target.setPageSize(QPageSize(size, QPageSize.Unit.Point, "diagram"))
    target.setPageMargins(QMarginsF())
    painter = QPainter()
    if not painter.begin(target):
        return False
    _draw(canvas, area, painter, QRectF(0, 0, target.width(), target.height()))
    return True


_WRITERS = {".png": _png, ".svg": _svg, ".pdf": _pdf}
