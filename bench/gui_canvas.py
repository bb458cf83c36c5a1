"""Processor time of a window with many blocks: opening it, a frame of dragging a block with its wires, of zooming,
of panning and of drawing a wire, and an edit with all that it redraws.

    xvfb-run python -m luff.bench.gui_canvas [--blocks 1000] [--frames 20] [--subsystems 0]

A frame is one event of the mouse or the wheel with all that follows before the next one: layout, routes and painting
without a graphics card. 33 ms are 30 frames a second; processor time, since a busy machine says nothing by a clock.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable

ACROSS = 40  # blocks in a row of the grid
PITCH = 200  # px from one to the next
SUBSYSTEM = (
    "{blocks: {a: {type: gain}, b: {type: sum}, c: {type: integrator}}, "
    "connect: [a.y -> b.u1, c.y -> b.u2, b.y -> c.u], ports: {u: a.u, y: c.y}}"
)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--blocks", type=int, default=1000)
    parser.add_argument("--frames", type=int, default=20)
    parser.add_argument("--subsystems", type=int, default=0, help="so many of the blocks are subsystems")
    options = parser.parse_args()
    # not the settings of the user
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as settings:
        os.environ["XDG_DATA_HOME"] = os.environ["XDG_CONFIG_HOME"] = settings
        print(json.dumps(measured(options.blocks, options.frames, options.subsystems), indent=1))
    return 0


def measured(blocks: int, count: int, subsystems: int = 0) -> dict[str, dict[str, float]]:
    """Processor time of each act in ms, with so many blocks, frames and subsystems."""
    from PySide6.QtCore import QPoint, QPointF, Qt
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    from luff.gui.app import application
    from luff.gui.document.document import Document
    from luff.gui.window.main_window import Window
    from luff.solver.flatten.diagram import Diagram

    application()
    began = time.process_time()
    document = Document(Diagram.from_yaml(grid(blocks, subsystems)))
    window = Window(document)
    window.tabs.resize(1600, 1000)
    window.tabs.show()
    view = window.view
    QApplication.processEvents()
    opened = 1000 * (time.process_time() - began)

    def frames(act: Callable[[int], object]) -> dict[str, float]:
        spent = []
        for k in range(count):
            began = time.process_time()
            act(k)
            view.viewport().update()  # whole, as after a zoom
            QApplication.processEvents()
            spent.append(1000 * (time.process_time() - began))
        spent.sort()
        return {"median_ms": round(spent[len(spent) // 2], 1), "worst_ms": round(spent[-1], 1)}

    def once(act: Callable[[], object]) -> dict[str, float]:
        began = time.process_time()
        act()
        QApplication.processEvents()
        return {"once_ms": round(1000 * (time.process_time() - began), 1)}

    figures: dict[str, dict[str, float]] = {"open": {"once_ms": round(opened, 1)}}
    for name, scale in (("whole", 0.0), ("middle", 0.4), ("near", 1.0)):
        view.fit()
        if scale:
            view.zoom_by(scale / view.zoom())
            view.centerOn(view.canvas.blocks[f"b{blocks // 2}"])
        QApplication.processEvents()
        figures[f"paint_{name}"] = frames(lambda k: None)
        figures[f"zoom_{name}"] = frames(lambda k: view.zoom_by(1.1 if k % 2 else 1 / 1.1))
        figures[f"pan_{name}"] = frames(lambda k: view.scroll_by(7, 3))
        item = view.canvas.blocks[f"b{blocks // 2}"]
        start = view.mapFromScene(item.sceneBoundingRect().center())
        pad = view.viewport()
        QTest.mousePress(pad, Qt.MouseButton.LeftButton, pos=start)
        steps = [start + QPoint(7 * (k + 1), 5 * (k % 5)) for k in range(count)]
        figures[f"drag_{name}"] = frames(lambda k, pad=pad, steps=steps: QTest.mouseMove(pad, steps[k]))
        figures[f"drop_{name}"] = once(
            lambda pad=pad, steps=steps: QTest.mouseRelease(pad, Qt.MouseButton.LeftButton, pos=steps[-1])
        )
        figures[f"undo_{name}"] = once(document.undo.undo)
    view.centerOn(view.canvas.blocks[f"b{blocks // 2}"])
    end = view.canvas.blocks[f"b{blocks // 2}"].end("y")
    assert end is not None  # a gain has an output
    pad, start = view.viewport(), view.mapFromScene(QPointF(end.x, end.y))
    figures["wire_begin"] = once(lambda: QTest.mousePress(pad, Qt.MouseButton.LeftButton, pos=start))
    route = [start + QPoint(8 * k - 80, 9 * k - 60) for k in range(count)]
    figures["wire"] = frames(lambda k: QTest.mouseMove(pad, route[k]))
    figures["wire_drop"] = once(lambda: QTest.mouseRelease(pad, Qt.MouseButton.LeftButton, pos=route[-1]))
    figures["add"] = once(lambda: document.add_block("gain", 100.0, -200.0))
    figures["remove"] = once(lambda: document.remove(["b5"]))
    return figures


def grid(count: int, subsystems: int = 0) -> str:
    """Rows of gains in series, each fed by the end of the row above; some are subsystems of three."""
    blocks, wires, places = [], [], []
    for k in range(count):
        spread = (k + 1) * subsystems // count > k * subsystems // count
        kind = "sine" if k == 0 else SUBSYSTEM if spread else "gain"
        blocks.append(f"  b{k}: {{type: {kind}}}")
        places.append(f"  b{k}: [{PITCH * (k % ACROSS)}, {110 * (k // ACROSS)}]")
        if k:
            wires.append(f"- b{k - 1}.y -> b{k}.u")
    parts = ["luff: 1", "blocks:", *blocks, "connect:", *wires, "layout:", *places]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.exit(main())
