"""Processor time of the canvas with many blocks: opening it, a frame of dragging a block with its wires, of zooming.

    QT_QPA_PLATFORM=offscreen python -m luff.bench.gui_canvas [--blocks 1000] [--frames 20]

A frame is one event of the mouse or the wheel with all that follows before the next one: layout, routes and painting
without a graphics card. 33 ms are 30 frames a second; processor time, since a busy machine says nothing by a clock.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable

ACROSS = 40  # blocks in a row of the grid


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--blocks", type=int, default=1000)
    parser.add_argument("--frames", type=int, default=20)
    options = parser.parse_args()

    from PySide6.QtCore import QPoint, Qt
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    from luff.gui.app import application
    from luff.gui.canvas.view import CanvasView
    from luff.gui.document.document import Document
    from luff.solver.flatten.diagram import Diagram

    application()
    began = time.process_time()
    document = Document(Diagram.from_yaml(grid(options.blocks)))
    view = CanvasView(document)
    view.resize(1400, 800)
    view.show()
    QApplication.processEvents()
    opened = 1000 * (time.process_time() - began)

    def frames(act: Callable[[int], object]) -> dict[str, float]:
        spent = []
        for k in range(options.frames):
            began = time.process_time()
            act(k)
            view.viewport().update()  # whole, as after a zoom
            QApplication.processEvents()
            spent.append(1000 * (time.process_time() - began))
        spent.sort()
        return {"median_ms": round(spent[len(spent) // 2], 1), "worst_ms": round(spent[-1], 1)}

    figures: dict[str, dict[str, float]] = {"open": {"once_ms": round(opened, 1)}}
    for name, scale in (("whole", 0.0), ("near", 1.0)):
        view.fit()
        if scale:
            view.resetTransform()
            view.centerOn(view.canvas.blocks[f"b{options.blocks // 2}"])
        QApplication.processEvents()
        figures[f"paint_{name}"] = frames(lambda k: None)
        figures[f"zoom_{name}"] = frames(lambda k: view.zoom_by(1.1 if k % 2 else 1 / 1.1))
        item = view.canvas.blocks[f"b{options.blocks // 2}"]
        start = view.mapFromScene(item.sceneBoundingRect().center())
        pad = view.viewport()
        QTest.mousePress(pad, Qt.MouseButton.LeftButton, pos=start)
        steps = [start + QPoint(7 * (k + 1), 5 * (k % 5)) for k in range(options.frames)]
        figures[f"drag_{name}"] = frames(lambda k, pad=pad, steps=steps: QTest.mouseMove(pad, steps[k]))
        began = time.process_time()
        QTest.mouseRelease(pad, Qt.MouseButton.LeftButton, pos=steps[-1])
        QApplication.processEvents()
        figures[f"drop_{name}"] = {"median_ms": round(1000 * (time.process_time() - began), 1)}
        document.undo.undo()
    print(json.dumps(figures, indent=1))
    return 0


def grid(count: int) -> str:
    """Rows of gains in series, each fed by the end of the row above."""
    blocks, wires, places = [], [], []
    for k in range(count):
        blocks.append(f"  b{k}: {{type: {'sine' if k == 0 else 'gain'}}}")
        places.append(f"  b{k}: [{120 * (k % ACROSS)}, {110 * (k // ACROSS)}]")
        if k:
            wires.append(f"- b{k - 1}.y -> b{k}.u")
    parts = ["luff: 1", "blocks:", *blocks, "connect:", *wires, "layout:", *places]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.exit(main())
