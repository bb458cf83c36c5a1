"""A run whose signals tests of the 3-D view show."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from luff.gui.run.run_history import History
from luff.gui.view3d.view3d_panel import View3D


def show_run(panel: View3D, columns: list[str], rows: list[list[float]]) -> None:
    """Show a run with a row of signals each 0.1 s, whose mechanism stays at its start."""
    runner, times = panel.runner, 0.1 * np.arange(len(rows))
    runner.run = SimpleNamespace(history=History(columns), poses=runner.poses)
    runner.history.append(times, np.array(rows))
    for time in times.tolist():
        runner.poses.add(time, panel.canvas.scene.start)
    panel.follow()
