"""Typed dictionaries of `luff check` and `luff static`: counts, names, equilibrium."""

from __future__ import annotations

from typing import TypedDict


class Summary(TypedDict):
    """Counts of a model."""

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
    """Equilibrium: coordinates, efforts of held coordinates, forces of supports [N] by output, free coordinates."""

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
    at_start: list[str]
    left_out: list[str]
