"""Answers of a statics search: an equilibrium with what is known of its stability, or why there is none."""

from __future__ import annotations

from dataclasses import field

import numpy as np

from ...blocks import CompileError
from ...blocks.errors import Problem
from ...blocks.light_dataclass import mutable


class NoEquilibrium(CompileError):
    """The search ended without an equilibrium; `verdict`: "tips" for sure, "loose" (a force and nothing that holds), or
    "unknown", where none was found and none is excluded."""

    def __init__(self, problem: Problem, verdict: str):
        super().__init__(problem)
        self.verdict = verdict


@mutable
class Way:
    """A motion about an equilibrium, over all rows, the largest entry 1; what a run needs to be kicked along it."""

    name: str  # the coordinate that takes most part in it
    rate: float  # |lambda|^(1/2) [1/s]: of a swing, or of the growth
    rows: np.ndarray
    inertia: np.ndarray  # of every row, all that moves with it included
    counted: np.ndarray  # rows that may move, but for those that nothing holds


@mutable
class StaticReport:
    """What the search found."""

    iterations: int = 0
    residual: float = 0.0  # largest force or moment left [N or N m]
    followed: float | None = (
        None  # share of the loads up to which the equilibrium was followed, where that was needed
    )
    held: dict[str, float] = field(default_factory=dict)  # effort that each held coordinate carries
    supports: dict[str, list[float]] = field(
        default_factory=dict
    )  # forces of supports, bushings and contacts [N], by the outputs that show them
    neutral: list[str] = field(default_factory=list)  # coordinates that nothing holds, and nothing moves
    unstable: list[str] = field(default_factory=list)
    undecided: list[str] = field(
        default_factory=list
    )  # coordinates without stiffness, but not without forces nearby
    slowest: Way | None = None  # the motion with the least stiffness for its mass that is not neutral
    left: list[str] = field(
        default_factory=list
    )  # coordinates that left an equilibrium which the least push destroys

    def notes(self) -> list[str]:
        """What has to be said of the rest that was found."""
        if not self.left:
            return []
        names = ", ".join(self.left)
        note = (
            f"{self.left[0]}: the start is balanced where the least push moves it away ({names}), and the stable "
            "equilibrium that it falls to was taken; to begin where it is, give its `initial`, or hold it"
        )
        return [note]
