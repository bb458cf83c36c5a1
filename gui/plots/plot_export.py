"""Plot export: PNG, SVG, and data as CSV."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QColor, QImage, QPaintDevice, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QFileDialog, QWidget

from ...blocks import LuffError
from ...solver.results.result import Result, read_result
from ..run.run_history import History
from ..theme.active_theme import WHITE
from .plot_pane import PlotPane
from .run_curves import columns_of

PICTURE = QSize(480, 300)  # px of a single picture at least
SCALE = 2  # pixels of the image for one of the screen
FILTERS = "PNG image (*.png);;SVG drawing (*.svg);;CSV table (*.csv)"


def export_pane(pane: PlotPane, history: History | None, path: Path, complete: Path | None = None) -> None:
    """Export a plot. `complete` is the result file with every row of a run that is longer than the stored history."""
    suffix = path.suffix.lower()
    size = picture_size(pane)
    if suffix == ".png":
        image = QImage(size * SCALE, QImage.Format.Format_RGB32)
        image.fill(QColor(WHITE.paper))
        paint(pane, image, SCALE)
        if not image.save(str(path)):
            raise LuffError(f"Cannot write {path}")
    elif suffix == ".svg":
        drawing = QSvgGenerator()
        drawing.setFileName(str(path))
        drawing.setSize(size)
        drawing.setViewBox(QRect(0, 0, size.width(), size.height()))
        drawing.setTitle(pane.spec.title or "luff")
        paint(pane, drawing)
    elif suffix == ".csv":
        write_csv(pane, history, path, complete)
    else:
        raise LuffError(f"Found the file type {suffix or 'none'}", fix="name it .png, .svg or .csv")


def paint(pane: PlotPane, device: QPaintDevice, scale: int = 1) -> None:
    painter = QPainter(device)
    if not painter.isActive():
        raise LuffError("Cannot write the drawing", fix="choose another folder")
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    with alone(pane, scale):
        pane.render(painter)
    painter.end()


def picture_size(pane: PlotPane) -> QSize:
    """Size of a plot as a single picture [px]: that of the window, or what a reader needs."""
    return pane.size().expandedTo(PICTURE)


@contextmanager
def alone(pane: PlotPane, scale: int) -> Iterator[None]:
    """Prepare a plot as a single picture: on white, with its time axis, curves as wide as the scale asks for."""
    numbered, size, own = pane.numbered, pane.size(), pane.paper
    curves = [(curve, pg.mkPen(curve.opts["pen"])) for curve in (*pane.curves.values(), *pane.behind.all())]
    pane.restyle(WHITE)
    pane.show_lower_axis(True)
    pane.resize(picture_size(pane))
    pane.grab(QRect(0, 0, 1, 1))  # a plot in a row out of sight hears of its size only now
    pane.draw_in_detail(scale)
    for curve, _ in curves:
        broad = pg.mkPen(curve.opts["pen"])
        broad.setWidthF(scale * broad.widthF() / pane.devicePixelRatioF())
        curve.setPen(broad)
    pane.item.layout.activate()
    try:
        yield
    finally:
        for curve, pen in curves:
            curve.setPen(pen)
        pane.restyle(own)
        pane.show_lower_axis(numbered)
        pane.resize(size)
        pane.draw_in_detail(1)
        pane.item.layout.activate()


def write_csv(pane: PlotPane, history: History | None, path: Path, complete: Path | None = None) -> None:
    """Write the plot's data: time first, dotted names, units in brackets, numbers at full precision."""
    if history is None or not history.rows:
        raise LuffError("There is no run to export yet", fix="run the model first (Ctrl+Enter)")
    wanted = [pane.spec.x] if pane.xy else []
    # a signal over itself is one column
    names = [
        *dict.fromkeys(column for name in [*wanted, *pane.spec.y] for column in columns_of(name, history))
    ]
    if complete:
        result = read_result(complete)
        time, columns = result.time, [result[history.recorded[history.index[name]]] for name in names]
    else:
        time, columns = history.read(names)
    table = np.column_stack(columns) if columns else np.zeros((len(time), 0))
    Result(time, names, table, {name: history.units.get(name, "") for name in names}).save(path)


def ask_and_export(
    parent: QWidget, pane: PlotPane, history: History | None, folder: Path, complete: Path | None = None
) -> str:
    """Ask for a file, in `folder` at first, and export the plot; return what to say of it, an empty string where no
    file was named."""
    stem = re.sub(r"\W+", "_", pane.spec.title or "plot").strip("_").lower() or "plot"
    name, chosen = QFileDialog.getSaveFileName(parent, "Export Plot", str(folder / f"{stem}.png"), FILTERS)
    if not name:
        return ""
    path = Path(name)
    if not path.suffix:
        path = path.with_suffix(chosen[-5:-1])
    try:
        export_pane(pane, history, path, complete)
    except (LuffError, OSError) as error:
        return str(error)
    return f"Saved {path}"
