"""A crane as lines, seen from the side and from the front: what its report shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ...blocks.mechanics.bodies import RigidLink
from ...blocks.mechanics.flexible import RfemLink
from ...blocks.mechanics.supports import BaseSupport
from ..mechanism.cylinders import world_frame
from ..run.simulation import Simulation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LINK, ROPE, PAD = "#33475B", "#B3541E", "#7A7A7A"
Line = tuple[np.ndarray, np.ndarray, str]


def lines_of(sim: Simulation) -> Iterator[Line]:
    """Ends of all that is drawn, in the world, and its colour; as the model starts."""
    sim.evaluate()
    mechanism, data = sim.program.mechanism, sim.instance.data
    if not mechanism.rows:
        return

    def at(block: str, frame: str) -> np.ndarray | None:
        number = mechanism.frame_index.get((block, frame))
        return None if number is None else world_frame(mechanism, data, number)[1]

    for name, block in sim.program.flat.blocks.items():
        start = at(name, "frame_a")
        if start is None or not isinstance(block, RigidLink | RfemLink | BaseSupport):
            continue
        for frame in ("frame_b", *block.frames):
            end = at(name, frame)
            if end is not None and np.linalg.norm(end - start) > 1e-6:
                yield start, end, LINK
        if isinstance(block, BaseSupport):
            for support in block.supports:
                yield start, start + np.array(support.at), PAD
    for placed in mechanism.elements:
        if placed.part.kind in ("segment", "line"):
            start, end = (world_frame(mechanism, data, f)[1] for f in (placed.frame_a, placed.frame_b))
            yield start, end, ROPE


def drawn(sim: Simulation) -> Figure:
    """Both views, to one scale."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.4), layout="constrained")
    lines = list(lines_of(sim))
    for axes, across, word in zip(figure.subplots(1, 2), (0, 1), "xy", strict=True):
        for a, b, colour in lines:
            width = 1.0 if colour == ROPE else 2.2
            axes.plot(
                [a[across], b[across]], [a[2], b[2]], "-o", color=colour, linewidth=width, markersize=2.5
            )
        axes.set_aspect("equal", adjustable="datalim")
        axes.set_xlabel(f"{word} [m]")
        axes.set_ylabel("z [m]")
        axes.grid(color="#E3E3E3", linewidth=0.6)
    return figure
