"""3-D pictures of models at a moment of their run: `python -m luff.docs.scene_pictures [NAME ...]`.

The colours are those of the window; arrows are forces of contacts.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NamedTuple

if not os.environ.get("DISPLAY") and sys.platform.startswith("linux"):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QSize

import luff
from luff.cli.run_progress import run_to_end
from luff.docs.drawing import IMAGES
from luff.docs.screenshots import squeeze
from luff.gui.app import application
from luff.gui.theme import active_theme
from luff.gui.view3d.canvas3d import Canvas3D
from luff.gui.view3d.film import Film, film_of_result, film_of_run
from luff.solver.netlist.library_paths import LIBRARY

SIZE = QSize(760, 480)


class Moment(NamedTuple):
    """Moment of a run, or of the flight of a plan."""

    file: str  # of the library
    time: float  # s
    turn: tuple[float, float] = (0.0, 0.0)  # px by which a mouse turns the view that the model begins with


PICTURES = {
    "boom_in_rest": Moment("boom_in_rest.yaml", 30.0),
    "boulders_on_a_slope": Moment("boulders_on_a_slope.yaml", 0.6),
    "container_in_guides": Moment("container_in_guides.yaml", 9.0),
    "set_down_in_waves": Moment("set_down_in_waves.yaml", 20.0),
    "lift_past_building": Moment("plans/slewing_crane_building.yaml", 8.0, (393.0, 0.0)),
}


def film_of(file: Path) -> Film:
    """Film of a model's run up to its end, or of the run that flies a plan."""
    if file.parent.name != "plans":
        sim = luff.compile(file)
        return film_of_run(sim, lambda session: run_to_end(sim, session, None, bar=False))
    made = luff.plan(file)
    assert made.result is not None
    return film_of_result(made.result, file.parent)


def save(name: str) -> Path:
    """Take a picture of a moment, of what a film shows up to there."""
    moment = PICTURES[name]
    film = film_of(LIBRARY / moment.file)
    canvas = Canvas3D()
    canvas.resize(SIZE)
    canvas.show_scene(film.scene)
    canvas.look.time = moment.time
    canvas.show_pose(film.at(np.array([moment.time]))[0])
    canvas.orbit(*moment.turn)
    path = IMAGES / f"{name}.png"
    canvas.grab().save(str(path))
    squeeze(path)
    return path


def main(names: list[str]) -> None:
    application()
    active_theme.holder.use("light")
    for name in names or PICTURES:
        print(save(name))


if __name__ == "__main__":
    main(sys.argv[1:])
