"""The 3-D view: processor time of one picture, as the platform `offscreen` paints it, without a graphics card.

    python -m luff.bench.gui_view3d [MODEL] [--size 760x520] [--write]

Pictures are of a run, with all that may be shown beside the mechanism, and without.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the window has it

import numpy as np
from PySide6.QtCore import QSettings

from luff.bench.report import keep
from luff.gui.app import application
from luff.gui.run.run_control import RunControl
from luff.gui.view3d import depth_image
from luff.gui.view3d.load_overlays import KINDS, SHOWN
from luff.gui.view3d.view3d_panel import View3D
from luff.solver.simulation.compile_diagram import compile as compile_diagram

MODEL = Path(__file__).resolve().parents[1] / "library" / "crane_gpme.yaml"
PICTURES = 60


def measure(model: Path, width: int, height: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        QSettings.setDefaultFormat(QSettings.Format.IniFormat)
        QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, folder)
        app = application()
        depth_image.get_ready()
        sim = compile_diagram(model)
        session = sim.start(stop=2.0)
        session.film = 1
        while session.advance(0.1) == "running":
            pass
        _, poses = session.take_film()
        view = View3D(RunControl())
        view.resize(width, height)
        view.show()
        view.show_model(sim)
        app.processEvents()
        canvas = view.canvas
        figures: dict[str, object] = {
            "model": model.stem,
            "size": f"{canvas.width()}x{canvas.height()}",
            "faces": len(canvas.scene.mesh.faces) if canvas.scene else 0,
        }
        for key, shown in (("plain", ()), ("all", [name for name in SHOWN if name not in KINDS])):
            for name in SHOWN:
                setattr(canvas.look, name, name in shown or name in ("grid", "shadow"))
            began = time.process_time()
            for k in np.linspace(0, len(poses) - 1, PICTURES).astype(int):
                canvas.show_pose(poses[k])
                canvas.repaint()
            figures[f"ms_a_picture_{key}"] = round(1000 * (time.process_time() - began) / PICTURES, 1)
        view.close()
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", type=Path, default=MODEL)
    parser.add_argument("--size", default="760x520")
    parser.add_argument("--write", action="store_true", help="keep the figures in bench/results/gui.md")
    options = parser.parse_args()
    figures = measure(options.model, *map(int, options.size.split("x")))
    rows = [f"| {name.replace('_', ' ')} | {value} |" for name, value in figures.items()]
    lines = [
        "# A picture of the 3-D view",
        "",
        "`python -m luff.bench.gui_view3d --write`",
        "",
        "| | |",
        "|---|---|",
    ]
    keep("gui.md", [*lines, *rows], options.write)


if __name__ == "__main__":
    main()
