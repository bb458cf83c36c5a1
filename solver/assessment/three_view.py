"""Three views of a crane as lines, for its report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...blocks.mechanics.bodies import RigidLink
from ...blocks.mechanics.elastic_supports import BaseSupport
from ...blocks.mechanics.flexible_links import RfemLink
from ...blocks.mechanics.joints import Fixed
from ..mechanism.cylinder_geometry import world_frame
from ..simulation.simulation import Simulation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINK, ROPE, STAND = "#33475B", "#B3541E", "#A5ADB5"
SHORT = 1e-6  # m: lines below it are points
VIEWS = (
    (0, 2, "seen from the front (along y)"),
    (1, 2, "seen from the side (along x)"),
    (0, 1, "seen from above"),
)


class DrawnLine(NamedTuple):
    """Ends in the world, the colour, and the block's name."""

    start: np.ndarray
    end: np.ndarray
    colour: str
    name: str


def crane_lines(sim: Simulation) -> Iterator[DrawnLine]:
    """Yield the lines of all bodies at the start of the model."""
    sim.evaluate()
    mechanism, data = sim.program.mechanism, sim.instance.data
    if not mechanism.rows:
        return

    def at(block: str, frame: str) -> np.ndarray | None:
        number = mechanism.frame_index.get((block, frame))
        return None if number is None else world_frame(mechanism, data, number)[1]

    def middle(block: str, com: np.ndarray) -> np.ndarray:
        R, p = world_frame(mechanism, data, mechanism.frame_index[block, "frame_a"])
        return p + R @ com

    for name, block in sim.program.flat.blocks.items():
        start = at(name, "frame_a")
        if start is None or not isinstance(block, RigidLink | RfemLink | BaseSupport | Fixed):
            continue
        if isinstance(block, Fixed):  # what stands there is no part of the model
            end = at(name, "frame_b")
            if end is not None and np.linalg.norm(end - start) > SHORT:
                yield DrawnLine(end, end, STAND, name)
            continue
        ends = [
            end
            for frame in ("frame_b", *getattr(block, "frames", ()))
            if (end := at(name, frame)) is not None
        ]
        ends = [end for end in ends if np.linalg.norm(end - start) > SHORT]
        if not ends and isinstance(
            block, RigidLink
        ):  # nothing is joined to it: a counterweight, up to its middle
            ends = [middle(name, np.array(block.com))] if np.linalg.norm(block.com) > SHORT else []
        yield from (DrawnLine(start, end, LINK, name) for end in ends)
        if isinstance(block, BaseSupport):
            yield from (DrawnLine(start, start + np.array(one.at), STAND, name) for one in block.supports)
    for placed in mechanism.elements:
        if placed.part.kind in ("segment", "line"):
            start, end = (world_frame(mechanism, data, f)[1] for f in (placed.frame_a, placed.frame_b))
            yield DrawnLine(start, end, ROPE, placed.block)


def draw_views(sim: Simulation) -> Figure:
    """The views, to one scale; links are named in the first one that shows them in length."""
    from matplotlib.figure import Figure

    lines = list(crane_lines(sim))
    ends = np.array([end for line in lines for end in (line.start, line.end)] or [np.zeros(3)])
    spans = np.maximum(np.ptp(ends, axis=0), 1e-3 + 0.15 * np.ptp(ends, axis=0).max())
    middle = 0.5 * (ends.min(axis=0) + ends.max(axis=0))
    # a view that shows all links in one line says nothing that the others do not
    views = [view for view in VIEWS if min(spans[view[0]], spans[view[1]]) > 0.151 * spans.max()] or [
        VIEWS[0]
    ]
    figure = Figure(figsize=(8.0, 4.4 if len(views) < 3 else 3.6), layout="constrained")
    widths = [float(spans[view[0]]) for view in views]
    grid = figure.subplots(
        1, len(views), squeeze=False, width_ratios=[max(w, 0.35 * max(widths)) for w in widths]
    )
    named: set[str] = set()
    for axes, (across, up, title) in zip(grid[0], views, strict=True):
        _view(axes, lines, across, up, named)
        axes.set_title(title, fontsize="small")
        for k, limits in ((across, axes.set_xlim), (up, axes.set_ylim)):
            limits(middle[k] - 0.58 * spans[k], middle[k] + 0.58 * spans[k])
        axes.set_aspect("equal", adjustable="box")
    return figure


def _view(axes: Axes, lines: list[DrawnLine], across: int, up: int, named: set[str]) -> None:
    for line in lines:
        (x, y), (u, v) = ((float(end[across]), float(end[up])) for end in (line.start, line.end))
        if (x, y) == (u, v) and line.colour == STAND:
            axes.plot([x], [y], "^", color=STAND, markersize=8, zorder=0)
            continue
        width = 2.2 if line.colour == LINK else 1.0
        axes.plot([x, u], [y, v], "-o", color=line.colour, linewidth=width, markersize=2.5)
        seen = np.hypot(u - x, v - y) > 0.5 * np.linalg.norm(line.end - line.start)
        if seen and line.colour != STAND and line.name not in named:
            named.add(line.name)
            middle = (0.5 * (x + u), 0.5 * (y + v))
            axes.annotate(line.name, middle, xytext=(3, 3), textcoords="offset points", fontsize="x-small")
    axes.set_xlabel(f"{'xyz'[across]} [m]")
    axes.set_ylabel(f"{'xyz'[up]} [m]")
    axes.grid(color="#E3E3E3", linewidth=0.6)
