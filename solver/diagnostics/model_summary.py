"""What a simulation says of itself, for `luff check` and `luff static`: plain numbers and names."""

from __future__ import annotations

from typing import TypedDict


class Summary(TypedDict):
    name: str
    blocks: int
    degrees_of_freedom: int
    coordinates: int
    states: int
    mechanical_states: int
    constraints: int
    redundant: list[str]
    internal: list[str]
    bodies: int
    signals: int


class StaticSummary(TypedDict):
    """Coordinates at an equilibrium, the efforts of those that are held, the forces of supports [N] by the outputs that
    show them, and coordinates that nothing holds."""

    positions: dict[str, float]
    units: dict[str, str]
    iterations: int
    residual: float
    held: dict[str, float]
    supports: dict[str, list[float]]
    neutral: list[str]
    unstable: list[str]
    undecided: list[str]
    left: list[str]
