"""Model as one self-contained HTML file for any browser, with its WebAssembly code, numbers and geometry; no Qt."""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict

import numpy as np

from ...blocks.text.atomic_write import write_whole
from ...solver.flatten.diagram import Diagram
from ...solver.fmi import model_description as xml
from ...solver.fmi.exported_model import ExportedModel
from ...solver.fmi.fmu_inputs import Input, with_inputs
from ...solver.fmi.page_sliders import (
    FIXED,
    INPUT,
    LIVE,
    Slider,
    add_slider_starts,
    input_sliders,
    named_ranges,
    sliders,
)
from ...solver.fmi.wasm_module import Module, module
from ...solver.results.display_unit import display_unit
from ...solver.results.matplotlib_plots import default_plots
from ...solver.results.recorded_run import PlotEntry, RecordedRun
from ...solver.simulation.inputs_outputs import chart_state_names, io_signals
from ...solver.simulation.planned_curves import plots_with_plans
from ...solver.simulation.script_values import parameter_changes
from ...solver.simulation.session import Session
from ...solver.simulation.simulation import Simulation
from ..theme.colours import THEMES
from ..view3d.face_arrays import Mesh
from ..view3d.film import Film, film_of_run, with_extras
from ..view3d.html_replay import DRAWING, packed, scene_data, water_data
from ..view3d.scene_model import Scene, scene_of
from ..view3d.scene_shapes import trail_colour

HERE = Path(__file__).parent
COLOURS = (
    "canvas",
    "window",
    "panel",
    "grid",
    "water",
    "text",
    "muted",
    "field",
    "border",
    "accent",
    "error",
)
LOOKED_AT = 20.0  # s of a run, by which the camera is set
PATIENCE = 5.0  # s, for that run
FINE = 32767  # steps of the largest movement of a corner
FEW = 12  # outputs in the table of a model that lists none
PARTS = {
    "STYLE": "page.css",
    "ENGINE": "engine.js",
    "WORKER": "worker.js",
    "PLOTS": "plots.js",
    "PAGE": "page.js",
}


def export_page(
    diagram: Diagram | str | Path,
    path: str | Path,
    sliders: Sequence[str] = (),
    inputs: Sequence[str] = (),
    view: str = "",
    theme: str = "",
    trails: Sequence[str] = (),
    *,
    set: Mapping[str, object] | None = None,
    **overrides: object,
) -> Path:
    """Write an HTML page that runs the model in a browser.

    Parameters
    ----------
    diagram : Diagram or str or Path
        A diagram or a netlist file.
    path : str or Path
        The file to write.
    sliders : sequence of str, optional
        Parameters or inputs that the reader moves, beside `parameters:` and `inputs:`: `king.mass`, or with a range
        `king.mass=5 t..15 t`.
    inputs : sequence of str, optional
        Open inputs of blocks that become inputs (`luff.effort`).
    view : str, optional
        View of the 3-D picture.
    theme : str, optional
        Colours: `light` or `dark`; the reader's by default.
    trails : sequence of str, optional
        Frames whose paths are drawn (`boom.frame_b`).
    set : mapping of str to value, optional
        Values in place of the model's by path: `{"load": "4 t"}`. A name of the arguments above can be given only here.
    **overrides : object
        Parameters in place of the netlist's.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    LuffError
        The model is wrong, or has blocks that cannot run in a browser.

    Examples
    --------
    >>> import luff
    >>> page = luff.export_page("library/templates/pendulum.yaml", "pendulum.html")  # doctest: +SKIP
    """
    path = Path(path)
    source = diagram if isinstance(diagram, Diagram) else Diagram.load(diagram)
    with with_inputs(source, inputs) as given:
        text = Page(source, parameter_changes(set, overrides), given, sliders).text(view, theme, trails)
    write_whole(path, text)
    return path


class PageLine(TypedDict):
    """Plot line as page.js reads it."""

    name: str
    column: int
    factor: float
    unit: str


class PagePlot(TypedDict):
    """Plot as page.js reads it."""

    title: str
    unit: str
    x: int | None  # a column; time without one
    xLabel: str
    range: list[float] | None
    planned: list[list[list[float]]]  # curves of x and y, drawn dashed
    lines: list[PageLine]


class Page:
    """Diagram being exported to a page."""

    def __init__(
        self, diagram: Diagram, overrides: Mapping[str, object], given: list[Input], asked: Sequence[str]
    ):
        sim = Simulation(diagram, overrides)
        known = {*sim.inputs, *(one.name for one in given)}
        ranges = named_ranges(asked)
        own = sliders(sim, {name: ends for name, ends in ranges.items() if name not in known})
        live = [one for one in own if one.kind == LIVE]
        self.model = ExportedModel(diagram, overrides, given, lambda _: [one.parameter for one in live])
        add_slider_starts(self.model, own)
        self.sliders = [*input_sliders(self.model.inputs, ranges), *own]
        self.made: Module = module(self.model)

    def text(self, view: str, theme: str, trails: Sequence[str] = ()) -> str:
        """HTML text of the page."""
        flat = self.model.program.flat
        about = json.dumps(self.about(view, theme, trails), separators=(",", ":"), allow_nan=False)
        text = (HERE / "page.html").read_text("utf-8")
        parts = {f"/*{name}*/": _compact_script(HERE / file) for name, file in PARTS.items()}
        parts["/*DRAWING*/"] = _compact_script(DRAWING)
        parts["<!--TITLE-->"] = html.escape(flat.name or "luff")
        parts["<!--DATA-->"] = _zipped(about.encode())
        parts["<!--CODE-->"] = _zipped(self.made.code)
        return re.sub("|".join(map(re.escape, parts)), lambda match: parts[match[0]], text)

    def about(self, view: str, theme: str, trails: Sequence[str]) -> dict[str, object]:
        """Data that page.js reads."""
        program, settings, made = self.model.program, self.model.settings, self.made
        signals = io_signals(program)
        names = [column.name for column in program.columns]
        plots = self.plots()
        drawn = [(line["name"], line["column"]) for plot in plots for line in plot["lines"]]
        outputs = [*zip(signals.outputs, signals.columns, strict=True)]
        return {
            "name": program.flat.name or "luff",
            "file": self.model.identifier,
            "doc": " ".join(program.flat.doc.split()),
            "stop": settings.stop,
            "step": settings.step,
            "every": max(1, round((settings.output_step or settings.step) / settings.step)),
            "rows": made.rows,
            "poses": made.poses,
            "stride": made.stride,
            "bodies": len(program.model.topo),
            "names": names,
            "units": [column.unit for column in program.columns],
            "states": {
                k: states
                for k, column in enumerate(program.columns)
                if (states := chart_state_names(program.flat, column.key))
            },
            "outputs": outputs,
            "chosen": outputs if program.flat.outputs else [*dict.fromkeys(drawn)][:FEW],
            "plots": plots,
            "theme": theme,
            "themes": {look.name: {key: getattr(look, key) for key in COLOURS} for look in THEMES.values()},
            "lines": {look.name: look.curves for look in THEMES.values()},
            **self.seen(view, trails),
        }

    # --- plots -----------------------------------------------------------------------------------------------------

    def plots(self) -> list[PagePlot]:
        """Plots of the netlist, or the default ones."""
        program = self.model.program
        names = [column.name for column in program.columns]
        units = {column.name: column.unit for column in program.columns}
        nothing = RecordedRun(np.zeros(0), names, np.zeros((0, len(names))), units=units)
        entries = plots_with_plans(self.model.sim) or default_plots(nothing)
        return [_plot(nothing, entry) for entry in entries]

    # --- what is seen ------------------------------------------------------------------------------------------------

    def seen(self, view: str, trails: Sequence[str]) -> dict[str, object]:
        """Mechanism scene, and its change with each slider."""
        sim = self.model.sim
        if scene_of(sim).empty:
            return {"scene": None, "sliders": [self._slider(one, None, ()) for one in self.sliders]}
        film = with_extras(_film(sim), trails, None)
        return {
            "scene": scene_data(film, view, COLOURS, None if view else film.scene.first_view),
            "trails": [
                {"name": name, "colour": trail_colour(k), "row": row, "point": point.tolist()}
                for k, name in enumerate(film.trails)
                for row, point in [film.scene.frames[name]]
            ],
            "sliders": [self._slider(one, film.scene, film.trails) for one in self.sliders],
        }

    def _slider(self, one: Slider, scene: Scene | None, trails: Sequence[str]) -> dict[str, object]:
        kinds = {INPUT: xml.INPUT, LIVE: xml.PARAMETER}
        references = [k for k, own in enumerate(self.made.variables) if own.kind == kinds.get(one.kind)]
        own = [other.name for other in self.sliders if other.kind == one.kind]
        return {
            "name": one.name,
            "unit": one.unit,
            "factor": one.factor,
            "value": one.value,
            "low": one.low,
            "high": one.high,
            "kind": one.kind,
            "why": one.why,
            "doc": one.doc,
            "reference": references[own.index(one.name)] if references else None,
            "apart": one.apart,
            "shapes": [_shape(scene, end, trails) for end in one.ends],
            "starts": [
                {
                    "value": start.value,
                    "at": packed(start.at, "<i4"),
                    "words": packed(start.words, "<i8"),
                    "water": _other_water(scene, start.sim),
                }
                for start in one.starts
            ]
            if one.kind != FIXED
            else [],
        }


def _plot(result: RecordedRun, entry: PlotEntry) -> PagePlot:
    y = entry.get("y", [])
    names = [
        *dict.fromkeys(name for glob in ([y] if isinstance(y, str) else y) for name in result.match(glob))
    ]
    shown = [display_unit(result.units[name], str(entry.get("unit") or "")) for name in names]
    units = {unit for unit, _ in shown}
    x = str(entry.get("x", "time"))
    return {
        "title": str(entry.get("title") or (names[0] if len(names) == 1 else "")),
        "unit": shown[0][0] if len(units) == 1 else "",
        "x": None if x == "time" else result.columns.index(result.match(x)[0]),
        "xLabel": "time [s]" if x == "time" else f"{x} [{result.units[x]}]" if result.units[x] else x,
        "range": [float(end) for end in entry.get("range") or []] or None,
        "planned": [
            [np.round(x, 6).tolist(), np.round(np.multiply(y, shown[0][1]), 6).tolist()]
            for x, y in entry.get("planned", ())
        ],
        "lines": [
            {
                "name": name,
                "column": result.columns.index(name),
                "factor": factor,
                "unit": "" if len(units) == 1 else unit,
            }
            for name, (unit, factor) in zip(names, shown, strict=True)
        ],
    }


def _film(sim: Simulation) -> Film:
    """Record a short run of the model, which sets the camera."""
    end = time.monotonic() + PATIENCE

    def advance(session: Session) -> None:
        while session.status == "running" and session.time < LOOKED_AT and time.monotonic() < end:
            session.advance(0.05)

    return film_of_run(sim, advance)


def _shape(scene: Scene | None, sim: Simulation, trails: Sequence[str]) -> dict[str, object] | None:
    """Displacement of corners and lines between two parameter values; None if nothing moves or shapes differ."""
    if scene is None:
        return None
    other = scene_of(sim)
    here, there = scene.mesh, Mesh(other.skins, like=scene.mesh)
    lines = [line for line in scene.lines if not line.quiet], [line for line in other.lines if not line.quiet]
    alike = here.local.shape == there.local.shape and np.array_equal(here.rows, there.rows)
    if not alike or [line.rows for line in lines[0]] != [line.rows for line in lines[1]]:
        return None
    moved = (there.local - here.local).ravel()
    at = np.flatnonzero(np.abs(moved) > 1e-9 * scene.size)
    changes = [(k, b.points - a.points) for k, (a, b) in enumerate(zip(*lines, strict=True))]
    moves = [[k, np.round(move, 6).tolist()] for k, move in changes if np.abs(move).max() > 1e-9 * scene.size]
    points = [other.frames[name][1] - scene.frames[name][1] for name in trails]
    if not len(at) and not moves and not np.any(points):
        return None
    unit = float(np.abs(moved).max()) / FINE or 1.0
    return {
        "at": packed(at, "<i4"),
        "to": packed(np.round(moved[at] / unit), "<i2"),
        "unit": unit,
        "lines": moves,
        "trails": [np.round(point, 6).tolist() for point in points],
    }


def _other_water(scene: Scene | None, sim: Simulation) -> dict[str, object] | None:
    """Sea surface with another parameter value; None if it does not change."""
    if scene is None or scene.water is None:
        return None
    other = scene_of(sim).water
    return water_data(other) if other is not None and water_data(other) != water_data(scene.water) else None


def _compact_script(script: Path) -> str:
    """Script text without indentation and comment lines, to keep pages small."""
    lines = (line.strip() for line in script.read_text("utf-8").splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _zipped(content: bytes) -> str:
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()
