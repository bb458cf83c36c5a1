"""Data of a plan: controls over time, limits that hold them back, flights."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..flatten.diagram import Diagram
from .active_limits import ActiveLimit
from .flight import Flown


@dataclass(repr=False)
class PlanData:
    """Fields of a plan, in SI units."""

    name: str
    status: str
    cost: float
    cost_unit: str
    time: np.ndarray
    controls: dict[str, np.ndarray]
    rest: dict[str, float]
    interpolation: str
    units: dict[str, str]
    parameters: dict[str, float] = field(default_factory=dict)
    bounds: dict[str, tuple[float, float]] = field(default_factory=dict)  # of controls and limited signals
    limits: list[ActiveLimit] = field(default_factory=list)
    flown: list[Flown] = field(default_factory=list)
    flights: list[Flown] = field(default_factory=list)  # on other models
    remarks: list[str] = field(default_factory=list)
    states: dict[str, dict[str, np.ndarray]] = field(default_factory=dict)  # by case and name, at all points
    points: np.ndarray = field(default_factory=lambda: np.zeros(0))  # times of these [s]
    switches: np.ndarray = field(default_factory=lambda: np.zeros(0))  # [s] of bang-bang controls
    iterations: int = 0
    rows: np.ndarray = field(default_factory=lambda: np.zeros((0, 1)))  # [t, controls...] that a table plays
    diagram: Diagram | None = None

    @property
    def duration(self) -> float:
        """Duration T of the motion [s]."""
        return float(self.time[-1])
