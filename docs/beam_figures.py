"""Figures of the page on flexible links: how frequencies and deflections converge in the divisions."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from luff.tests.systems import test_beams as beams
from luff.tests.systems import test_twisted_beam as twisted

from .drawing import figure, panels

DIVISIONS = [3, 4, 6, 8, 12, 16, 24]
LINKS = [6, 8, 12, 16, 24]  # of the twisted beam, of one division each


def converge(axes: Axes, divisions: list[int], errors: np.ndarray, label: str) -> None:
    """Errors against divisions, on logarithmic axes."""
    axes.loglog(divisions, np.abs(errors), "o-", ms=3, label=label)


def slope(axes: Axes, divisions: list[int], start: float, order: int) -> None:
    n = np.array(divisions, float)
    axes.loglog(n, start * (n / n[0]) ** -order, "k:", lw=0.8, label=f"order {order}")


def first_frequency(divisions: list[int], free: bool) -> np.ndarray:
    """Relative errors of the first frequency of bending about z."""
    blocks, held, wires = (
        "  float: {type: free}",
        "world.frame -- float.frame_a",
        "  - float.frame_b -- boom.frame_a",
    )
    texts = [beams.bar(n, blocks, wires, held) if free else beams.bar(n) for n in divisions]
    exact = beams.bending(beams.FREE if free else beams.CLAMPED, beams.I_Z)[0]
    return np.array([beams.frequencies(text)["psi"][0] for text in texts]) / exact - 1.0


@figure
def beam_convergence() -> Figure:
    titles = ["Error of the first bending frequency", "Error of the tip deflection"]
    drawn, (frequency, deflection) = panels(titles, columns=2, width=8.4, height=3.0)
    for free, label in ((False, "clamped"), (True, "both ends free")):
        converge(frequency, DIVISIONS, first_frequency(DIVISIONS, free), label)
    slope(frequency, DIVISIONS, 2e-2, 2)
    slope(frequency, DIVISIONS, 5e-3, 4)
    for axis, label in (("y", "twisted, along its width"), ("z", "twisted, along its depth")):
        errors = [twisted.deflection(n, axis) / twisted.theory(axis) - 1.0 for n in LINKS]
        converge(deflection, LINKS, np.array(errors), label)
    converge(deflection, DIVISIONS, 0.25 / np.array(DIVISIONS) ** 2, "straight, 1/4n²")
    slope(deflection, DIVISIONS, 1e-1, 2)
    for axes in (frequency, deflection):
        axes.set_xlabel("divisions")
        axes.set_xticks(DIVISIONS, [str(n) for n in DIVISIONS], minor=False)
        axes.set_xticks([], minor=True)
        axes.legend()
    return drawn
