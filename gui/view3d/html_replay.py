"""Film as a self-contained HTML page that plays in any browser, with embedded geometry and poses. No Qt."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...blocks.errors import LuffError
from ...solver.diagram.view_section import View
from ..theme.colours import THEMES
from .camera import FIELD, FILLED, UP, VIEWS, Camera, MotionExtent
from .face_arrays import CONTACT, LIGHT_FROM, OPAQUE, Mesh
from .film import Film
from .mounted_camera import apply_view, requested_view
from .row_poses import quaternions_of
from .scene_model import Scene
from .scene_shapes import grid, trail_colour
from .scene_shapes import place as placed
from .sea_surface import HAZE, SHOWN, SLOPE, STRIPS, Water

TEMPLATE = Path(__file__).with_name("replay.html")
DRAWING = Path(__file__).with_name("drawing.js")
DATA, TITLE, CODE = "/*DATA*/null", "<!--TITLE-->", "/*DRAWING*/"
COLOURS = ("canvas", "window", "panel", "grid", "water", "text", "accent")
NEAR = 0.05  # nearest painted water, in units of the target's distance


def write_page(
    film: Film, path: Path, view: str = "", theme: str = "", follow: str = "", inside: str = ""
) -> None:
    """Write the page. `view` is one of `VIEWS`, `theme` light or dark; the defaults are the netlist's view or the
    most informative side, and the browser's preference. The camera may follow a frame or sit inside one."""
    text = TEMPLATE.read_text("utf-8").replace(CODE, DRAWING.read_text("utf-8"))
    # a name that holds the end of the script stays text
    data = json.dumps(
        page_data(film, view, theme, follow, inside), separators=(",", ":"), allow_nan=False
    ).replace("<", "\\u003c")
    try:
        path.write_text(text.replace(DATA, data).replace(TITLE, html.escape(film.name)), "utf-8")
    except OSError as error:
        raise LuffError(f"cannot write {path}: {error.strerror}") from None


def page_data(
    film: Film, view: str = "", theme: str = "", follow: str = "", inside: str = ""
) -> dict[str, object]:
    ghost = film.ghost
    return {
        **scene_data(film, view, COLOURS, requested_view(film.scene, view, follow, inside)),
        "name": film.name,
        "start": float(film.times[0]),
        **motion_data(film, film.times[0]),
        "theme": theme,
        "trails": [
            {"name": name, "colour": trail_colour(k), "points": packed(way)}
            for k, (name, way) in enumerate(zip(film.trails, film.trail_paths(), strict=True))
        ],
        "ghost": None
        if ghost is None
        else {
            "rows": ghost.poses.shape[1],
            "corners": packed(ghost.scene.mesh.local),
            "corner_rows": packed(ghost.scene.mesh.rows, "<i4"),
            "bends": bends_data(ghost.scene.mesh),
            **motion_data(ghost, film.times[0]),
        },
    }


def bends_data(mesh: Mesh) -> list[dict[str, object]]:
    """Corners that the modes of flexible bodies move: the first, the point of each, and the points' displacements."""
    return [
        {
            "first": first,
            "points": packed(points, "<i4"),
            "mode": bend.first,
            "modes": bend.shapes.shape[2],
            "shapes": packed(bend.shapes),
        }
        for bend, first, points in mesh.bends
    ]


def motion_data(film: Film, start: float) -> dict[str, str]:
    count, rows = film.poses.shape[:2]
    q = quaternions_of(film.poses[:, :, :9].reshape(-1, 3, 3)).reshape(count, rows, 4)
    return {
        "times": packed(film.times - start),
        "poses": packed(np.concatenate((q, film.poses[:, :, 9:]), axis=2)),
    }


def scene_data(
    film: Film, view: str, colours_of_page: Sequence[str], first: View | None
) -> dict[str, object]:
    """Data for drawing.js: geometry, colours of both themes, the camera of the whole film, and the first camera."""
    scene, mesh = film.scene, film.scene.mesh
    points = film.points()
    hull = MotionExtent()
    hull.add(points, room=0.0)
    camera = Camera(up=scene.up)
    if view:
        camera.look_from(view)
    else:
        camera.show_most(points)
    colours = sorted({*mesh.colours, *(line.colour for line in scene.lines)})
    R_WV = UP[scene.up]
    step, lines, middle = grid(scene.size, scene.middle @ R_WV)
    return {
        "rows": film.poses.shape[1],
        "corners": packed(mesh.local),
        "corner_rows": packed(mesh.rows, "<i4"),
        "bends": bends_data(mesh),
        "face_colours": [colours.index(name) for name in mesh.colours],
        "edges": (scene.smoothing.drawn @ [1, 2, 4, 8]).tolist(),
        "back": mesh.back.tolist(),
        "colours": {name: [look.part(colour) for colour in colours] for name, look in THEMES.items()},
        "lines": [
            {
                "kind": line.kind,
                "colour": colours.index(line.colour),
                "rows": line.rows,
                "points": np.round(line.points, 6).tolist(),
                "size": line.size,
            }
            for line in scene.lines
            if not line.quiet
        ],
        "themes": {
            name: {key: getattr(look, key) for key in colours_of_page} for name, look in THEMES.items()
        },
        "size": scene.size,
        "hull": hull.points.tolist(),
        "grid": [step, lines, *middle.tolist()],
        "ground": scene.ground,
        "camera": [camera.azimuth, camera.elevation],
        "first": None if first is None else first_data(first, scene, replace(camera)),
        "views": VIEWS,
        "field": FIELD,
        "filled": FILLED,
        "light": (R_WV @ LIGHT_FROM).tolist(),
        "view": R_WV.T.tolist(),
        "contact": CONTACT * scene.size,
        "water": None if scene.water is None else water_data(scene.water),
    }


def water_data(water: Water) -> dict[str, object]:
    return {
        "heading": water.heading.tolist(),
        "waves": [[float(f"{number:.9g}") for number in wave] for wave in water.waves.tolist()],
        "fade_in": water.fade_in,
        "along": water.along.tolist(),
        "across": water.across.tolist(),
        "slope": SLOPE,
        "inner": STRIPS,
        "shown": SHOWN,
        "haze": HAZE,
        "reach": water.reach,
        "opaque": OPAQUE,
        "near": NEAR,
    }


def first_data(view: View, scene: Scene, camera: Camera) -> dict[str, object]:
    """Initial camera, and the frame that it is attached to."""
    mount = apply_view(camera, view, scene)
    going: dict[str, object] | None = None
    if mount is not None and mount.carry(camera, scene, scene.start):
        row, point = scene.frames[mount.frame]
        going = {
            "camera": mount.camera,
            "row": row,
            "point": point.tolist(),
            "ahead": (point + scene.axes[mount.frame][:, 0]).tolist(),
            "place": placed(scene.start, row, point).tolist(),
            "heading": mount.heading,
        }
    return {
        "camera": [camera.azimuth, camera.elevation, camera.distance],
        "target": camera.target.tolist(),
        "mount": going,
    }


def packed(numbers: np.ndarray, kind: str = "<f4") -> str:
    return base64.b64encode(np.ascontiguousarray(numbers, kind).tobytes()).decode()
