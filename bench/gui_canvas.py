"""Pan and zoom of a large canvas in software rendering: frames per second.

    python -m luff.bench.gui_canvas [--blocks 1000] [--wires 1500] [--frames 60] [--json] [--write]

A frame is one change of the view and the whole paint that follows it, drawn into memory (offscreen platform, so that
no display and no graphics card take part). Times are of the processor, so that others on the machine count little.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from luff.bench.gui_results import run
from luff.gui.app import application
from luff.gui.canvas.view import CanvasView
from luff.gui.document.document import Document
from luff.gui.window.garbage_collection import collect_here
from luff.solver.flatten.diagram import Diagram


def large(blocks: int, wires: int) -> Diagram:
    """A grid of joints and links in chains, with signals across."""
    diagram = Diagram()
    columns = int(blocks**0.5)
    data = {"luff": 1, "blocks": {}, "connect": [], "layout": {}}
    for k in range(blocks):
        kind = ("revolute", "rigid_link", "gain", "pd")[k % 4]
        data["blocks"][f"b{k}"] = {"type": kind}
        data["layout"][f"b{k}"] = [220 * (k % columns), 160 * (k // columns)]
    text = []
    for k in range(blocks):
        if k % 4 == 0 and k + 1 < blocks:
            text.append(f"b{k}.frame_b -- b{k + 1}.frame_a")
            text.append(f"b{k}.velocity -> b{k + 2}.u" if k + 2 < blocks else "")
            text.append(f"b{k}.trajectory -> b{k + 3}.measured" if k + 3 < blocks else "")
            text.append(f"b{k + 3}.effort -> b{k}.effort" if k + 3 < blocks else "")
        if k % 4 == 1 and k + 3 < blocks:
            text.append(f"b{k}.frame_b -- b{k + 3}.frame_a")
        if k % 4 == 2 and k + 7 < blocks:
            text.append(f"b{k}.y -> b{k + 5}.feedforward")
    data["connect"] = [wire for wire in text if wire][:wires]
    diagram.restore(data)
    return diagram


def frames_per_second(view: CanvasView, change: Callable[[int], None], frames: int) -> dict[str, float]:
    times = []
    for k in range(frames):
        began = time.process_time()
        change(k)
        view.viewport().repaint()
        times.append(time.process_time() - began)
    return {
        "median_fps": round(1 / statistics.median(times), 1),
        "slowest_ms": round(1000 * max(times), 1),
    }


def measure(blocks: int, wires: int, frames: int) -> dict[str, object]:
    app: QApplication = application()
    collect_here()  # at the pace of the window, as there: Python's own full passes would be its slowest frames
    began = time.process_time()
    document = Document(large(blocks, wires))
    view = CanvasView(document)
    view._fit_first = False
    view.resize(1280, 800)
    view.show()
    app.processEvents()
    opened = time.process_time() - began
    figures: dict[str, object] = {
        "blocks": len(view.canvas.blocks),
        "wires": len(view.canvas.wires),
        "open_s": round(opened, 2),
    }
    view.resetTransform()
    view.centerOn(2000, 1500)
    app.processEvents()
    figures["pan at 100 %"] = frames_per_second(
        view, lambda k: view.scroll_by(12 * (-1) ** (k // 20), 8), frames
    )
    view.fit()
    figures["pan whole diagram"] = frames_per_second(
        view, lambda k: view.scroll_by(6 * (-1) ** (k // 10), 4), frames
    )
    view.resetTransform()
    view.scale(0.5, 0.5)
    view.centerOn(3000, 2000)
    figures["pan at 50 %"] = frames_per_second(
        view, lambda k: view.scroll_by(12 * (-1) ** (k // 20), 8), frames
    )
    middle = QPointF(view.viewport().rect().center())
    view.fit()
    steps = lambda k: view.zoom_by(1.08 if (k // 30) % 2 == 0 else 1 / 1.08, middle)  # noqa: E731
    figures["zoom in and out"] = frames_per_second(view, steps, max(60, frames))
    document.close()
    view.close()
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=1000)
    parser.add_argument("--wires", type=int, default=1500)
    parser.add_argument("--frames", type=int, default=60)
    run(
        parser,
        "Pan and zoom of a large canvas",
        "python -m luff.bench.gui_canvas",
        lambda options: measure(options.blocks, options.wires, options.frames),
    )


if __name__ == "__main__":
    main()
