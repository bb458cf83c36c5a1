"""Figures of the page on validation: luff's curves, the other engine's as dots, and the difference below."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from luff.tests.systems import validation_cases as cases
from luff.tests.systems.validation_cases import Comparison

from .drawing import COLOURS, figure, panels


def compare(titles: list[str], columns: list[list[int]], comparisons: list[Comparison], other: str) -> Figure:
    """Curves above, differences below, a column each."""
    drawn, grid = panels([*titles, *["difference"] * len(titles)], len(titles), 3.6 * len(titles), 2.0)
    for k, (picked, one) in enumerate(zip(columns, comparisons, strict=True)):
        top, bottom = grid[k], grid[len(titles) + k]
        for colour, j in zip(COLOURS, picked, strict=False):
            top.plot(one.time, one.luff[:, j], color=colour, label=one.names[j])
            every = slice(None, None, max(1, len(one.time) // 25))
            top.plot(one.time[every], one.other[every, j], "o", ms=2.5, color=colour)
            off = np.abs(one.luff[:, j] - one.other[:, j])
            bottom.semilogy(one.time, np.maximum(off, 1e-16), color=colour, lw=0.8)
        top.plot([], [], "ko", ms=2.5, label=other)
        top.legend()
        bottom.set_xlabel("time [s]")
    return drawn


@figure
def validation_vessel() -> Figure:
    angles, forces = cases.vessel()
    titles = ["Vessel [rad]", "Force on the king [N]"]
    return compare(titles, [[0, 1, 2], [0, 1, 2]], [angles, forces], "Pinocchio")


@figure
def validation_overhead() -> Figure:
    comparisons = cases.overhead()
    return compare(
        ["Bridge, trolley [m]", "Sway [rad]"], [[0, 1], [2, 3]], [comparisons, comparisons], "MuJoCo"
    )


@figure
def validation_beam() -> Figure:
    fine = cases.beam(8)
    rigid = cases.beam(8, "rigid: true")
    drawn, (path, off) = panels(["Tip [m]", "Distance of the tips [m]"], columns=2)
    path.plot(*rigid.luff.T, color="#b0b7bf", label="rigid")
    path.plot(*fine.luff.T, label="8 divisions")
    path.plot(*fine.other[::4].T, "ko", ms=2.5, label="Exudyn")
    path.set_aspect("equal", "datalim")
    off.semilogy(rigid.time[1:], np.hypot(*(rigid.luff - rigid.other).T)[1:], color="#b0b7bf", label="rigid")
    for divisions, colour in ((2, COLOURS[2]), (4, COLOURS[1]), (8, COLOURS[0])):
        comparisons = cases.beam(divisions)
        apart = np.hypot(*(comparisons.luff - comparisons.other).T)
        off.semilogy(comparisons.time[1:], apart[1:], color=colour, label=f"{divisions} divisions")
    off.set_xlabel("time [s]")
    path.legend()
    off.legend()
    return drawn
