"""Terms of a plan's running cost: squares of quantities, and the positive power of drives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from ...blocks.netlist_inputs import NAME as INPUTS
from ..flatten.flatten import Flat, Wire

ROUNDING = 1e-3  # power over its size within which the corner at zero is rounded


class CostTerm(ABC):
    """Function of a few quantities of a point, by their `places` in [x, u, y]; methods take rows (points, places)."""

    places: tuple[int, ...]

    @abstractmethod
    def value(self, q: np.ndarray) -> np.ndarray:
        """Values at the points."""

    @abstractmethod
    def slopes(self, q: np.ndarray) -> np.ndarray:
        """Derivatives by the quantities (points, places)."""

    @abstractmethod
    def curvature(self, q: np.ndarray) -> np.ndarray:
        """Second derivatives by the quantities (points, places, places)."""


@dataclass
class Square(CostTerm):
    """weight q^2."""

    places: tuple[int, ...]
    weight: float

    def value(self, q: np.ndarray) -> np.ndarray:
        return self.weight * q[:, 0] ** 2

    def slopes(self, q: np.ndarray) -> np.ndarray:
        return 2.0 * self.weight * q

    def curvature(self, q: np.ndarray) -> np.ndarray:
        return np.full((len(q), 1, 1), 2.0 * self.weight)


@dataclass
class PositivePower(CostTerm):
    """weight max(P, 0) of the power P = effort rate, rounded at zero: (P + sqrt(P^2 + rounding^2)) / 2 [W]."""

    places: tuple[int, ...]
    weight: float
    rounding: float = 1.0

    def _parts(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The power, the rounded part's first and second derivative by it."""
        power = q[:, 0] * q[:, 1]
        root = np.sqrt(power**2 + self.rounding**2)
        return power, 0.5 * (1.0 + power / root), 0.5 * self.rounding**2 / root**3

    def value(self, q: np.ndarray) -> np.ndarray:
        power = q[:, 0] * q[:, 1]
        return 0.5 * self.weight * (power + np.sqrt(power**2 + self.rounding**2))

    def slopes(self, q: np.ndarray) -> np.ndarray:
        _, first, _ = self._parts(q)
        return self.weight * first[:, None] * q[:, ::-1]

    def curvature(self, q: np.ndarray) -> np.ndarray:
        power, first, second = self._parts(q)
        mixed = first + second * power
        rows = [[second * q[:, 1] ** 2, mixed], [mixed, second * q[:, 0] ** 2]]
        return self.weight * np.moveaxis(np.array(rows), 2, 0)


def drive_signals(flat: Flat) -> list[tuple[str, str]]:
    """Effort and rate signals of all drives: driven joints, and blocks whose effort is wired."""
    found = []
    for name, block in flat.blocks.items():
        ports = block.ports()
        if "velocity" not in ports or ports["velocity"].direction != "out":
            continue
        if "required_effort" in ports:
            found.append((f"{name}.required_effort", f"{name}.velocity"))
            continue
        found += [
            (_source(flat, wire), f"{name}.velocity")
            for wire in flat.wires
            if (wire.target.block, wire.target.port) == (name, "effort")
        ]
    return found


def _source(flat: Flat, wire: Wire) -> str:
    """Signal that a wire of one element brings."""
    source = wire.source
    name = source.port if source.block == INPUTS else str(source)
    return (
        f"{name}[{wire.source_elements[0]}]" if flat.widths.get((source.block, source.port), 1) != 1 else name
    )
