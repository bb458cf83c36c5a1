"""Shapes that touch, or keep clear, in any pose: forces that their law gives at rest, and least distances."""

from __future__ import annotations

import numpy as np

from ...blocks.multibody_parts import Distance, Touch
from ...solver.kernels import model_data as f
from ...solver.kernels.clearance import clearances
from ...solver.kernels.kernel_selection import touch_kernels
from ...solver.simulation.compiled_model import Compiled
from ..theme.number_format import quantity_text
from .scene_shapes import Arrow

LONGEST = 0.15  # length of the largest force so far, in units of the mechanism's size


class ShapeContacts:
    """Normal forces of all pairs without friction and damping, whose scale only shrinks, and clearances.

    Parameters
    ----------
    sim : Compiled
        A compiled model; a run of its own is used, from the first pose that is asked for.
    """

    def __init__(self, sim: Compiled):
        self.sim, self.run = sim, None
        elements = sim.program.mechanism.elements
        self.pairs = [(e, placed.part) for e, placed in enumerate(elements) if isinstance(placed.part, Touch)]
        self.kernels = [*touch_kernels({part.kind for _, part in self.pairs}).values()]
        self.apart: dict[str, list[int]] = {}
        for e, placed in enumerate(elements):
            if isinstance(placed.part, Distance):
                self.apart.setdefault(placed.block, []).append(e)
        if self.apart:
            self.kernels.append(clearances)
        self.largest = 0.0

    def arrows(self, pose: np.ndarray, size: float) -> list[Arrow]:
        """Forces on the bodies of `of` at the centres of pressure, and least distances to them.

        Parameters
        ----------
        pose : ndarray
            R_WB and p_WB of the rows of the tree (n, 12).
        size : float
            Size of the mechanism [m].

        Returns
        -------
        list of Arrow
            One a pair that touches, red where its cores may meet, and one a `clearance`.
        """
        if not self.kernels:
            return []
        if self.run is None:
            self.run = self.sim.new_instance()
        model, data = self.run.model, self.run.data
        if len(pose) != len(data.row):
            return []
        data.x[:] = 0.0  # bristles
        data.row[:, f.TWIST : f.TWIST + 6] = 0.0
        data.row[:, f.R_WB : f.R_WB + 12] = pose
        for kernel in self.kernels:
            kernel(model, data)
        return [*self._forces(data.element_out, size), *self._distances(data.element_out)]

    def _forces(self, out: np.ndarray, size: float) -> list[Arrow]:
        touching: list[tuple[np.ndarray, np.ndarray, str, str]] = []
        for e, part in self.pairs:
            depth = out[e, f.DEFLECTION]
            if depth > 0.0:
                deepest = part.solid_a.rounding + part.solid_b.rounding
                lit = "error" if depth > deepest and part.solid_a.kind != "plane" else "fits"
                at, force = f.PRESSURE_CENTRE, f.FORCE_ON_B
                block = self.sim.program.mechanism.elements[e].block
                touching.append((out[e, at : at + 3].copy(), out[e, force : force + 3].copy(), lit, block))
        newtons = [float(np.linalg.norm(force)) for _, force, _, _ in touching]
        self.largest = max([self.largest, *newtons])
        scale = LONGEST * size / self.largest if self.largest > 0.0 else 0.0
        return [
            Arrow(
                at, scale * force, lit=lit, words=f"{block}: {quantity_text(newton, 'N', newton, 3)} at rest"
            )
            for (at, force, lit, block), newton in zip(touching, newtons, strict=True)
        ]

    def _distances(self, out: np.ndarray) -> list[Arrow]:
        arrows = []
        for block, pairs in self.apart.items():
            nearest = min(pairs, key=lambda e: out[e, f.GAP_BETWEEN])
            first, last = (out[nearest, at : at + 3].copy() for at in (f.POINT_ON_A, f.POINT_ON_B))
            apart = float(np.linalg.norm(last - first))
            words = f"{block}: {quantity_text(apart, 'm', apart, 3)} apart"
            arrows.append(Arrow(first, last - first, lit="muted", words=words))
        return arrows
