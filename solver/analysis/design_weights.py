"""Numbers of a controller's design by signal, with their units; modes for which a Riccati equation has no solution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ...blocks.errors import LuffError, Problem
from .analysis_units import unit_of

if TYPE_CHECKING:
    from ..simulation.simulation import Simulation
    from .linearise import Linear

Weights = Mapping[str, float | str]


def si_values(sim: Simulation, given: Weights, path: str) -> dict[str, float]:
    """Positive numbers of signals or ports in SI, checked against their units."""
    scope, values = sim.diagram.scope(), {}
    for name, raw in given.items():
        try:
            quantity = scope.quantity(raw)
            unit = unit_of(sim, scope, name)
            value = scope.number(raw, unit) if unit else quantity.value
        except LuffError as error:
            raise LuffError(problem.at(path=f"{path}.{name}") for problem in error.problems) from None
        if not 0.0 < value < np.inf:
            raise LuffError(
                Problem(f"found {value:g}, expected a finite number above zero", f"{path}.{name}")
            )
        values[name] = value
    return values


def per_element(lin_names: list[str], values: Mapping[str, float], path: str) -> np.ndarray:
    """Number of each element: its own, or that of the whole signal."""
    found = []
    for name in lin_names:
        value = values.get(name, values.get(name.partition("[")[0]))
        if value is None:
            raise LuffError(Problem(f"found no number for {name}", path, "name signals without globs"))
        found.append(value)
    return np.array(found)


def refuse_samplers(lin: Linear, command: str) -> None:
    """LuffError for a model that is no system of rates alone."""
    if lin.period or lin.open:
        reason = lin.open or f"its loops close through samplers or delays, with a period of {lin.period:g} s"
        fix = "leave controllers and samplers out of the netlist that it is designed for"
        raise LuffError(Problem(f"found a model that {command} does not take: {reason}", command, fix))


def unmoved_mode(A: np.ndarray, B: np.ndarray, state_names: list[str]) -> str:
    """The mode that grows or stays and is least moved by B (Popov, Belevitch and Hautus), in words."""
    n, size = len(A), np.linalg.norm(A) + np.linalg.norm(B)
    worst, words = np.inf, "a mode"
    for root in np.linalg.eigvals(A):
        if root.real < -1e-9 * size:
            continue
        left, singular, _ = np.linalg.svd(np.hstack([A - root * np.eye(n), B]))
        if singular[-1] < worst:
            worst, share = singular[-1], abs(left[:, -1])
            moving = [state_names[k] for k in np.argsort(-share)[:3] if share[k] > 0.1 * share.max()]
            shown = f"{root:.4g}" if root.imag else f"{root.real:.4g}"
            words = f"the mode at {shown} 1/s of {', '.join(moving)}"
    return words
