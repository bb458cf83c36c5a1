"""Design of controllers from a linear model: weights by signal with their units, errors of the matrices, weak modes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...blocks.errors import LuffError, Problem
from .analysis_units import unit_of
from .bounded_roots import DECAYS, GROWS, signs_of
from .eigenvalues import EPS, eigenvalues, scaling
from .linearise import ROUNDING, Linear
from .model_derivatives import EXACT

if TYPE_CHECKING:
    from ..simulation.simulation import Simulation

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


def element_values(lin_names: list[str], values: Mapping[str, float], path: str) -> np.ndarray:
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


def matrix_errors(lin: Linear) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Error bounds, entry by entry, of A, B and C; in B and C that of the largest entry of the row [A B] or [C D].

    Of memories that pass on what they are given, the errors are in those of A alone.
    """
    assert lin.loop is not None
    n, share = len(lin.A), max(ROUNDING, lin.error)

    def by_row(M: np.ndarray, beside: np.ndarray) -> np.ndarray:
        largest = abs(np.hstack([M, beside])).max(axis=1, initial=0.0, keepdims=True)
        return share * largest * ((M != 0.0) | (lin.derivatives != EXACT))

    return lin.loop.E[:n, :n], by_row(lin.B, lin.A), by_row(lin.C, lin.D)


class WeakMode(NamedTuple):
    """Mode that an input matrix moves least: distance from one that it does not move, the error of that, its name."""

    distance: float
    error: float
    words: str

    @property
    def unmoved(self) -> bool:
        """True if it is not moved, but for the errors of the matrices."""
        return self.distance <= self.error


def weakest_mode(
    A: np.ndarray, B: np.ndarray, E_A: np.ndarray, E_B: np.ndarray, names: list[str], growing: bool = True
) -> WeakMode:
    """Mode not known to decay that B moves least: least singular value of [A - s I, B] (Popov, Belevitch and Hautus).

    States are in units that even A, columns of B as long as the longest of A. Without `growing` modes that grow are
    left out.
    """
    n, units = len(A), scaling(A)
    A, E_A = A * (units / units[:, None]), E_A * (units / units[:, None])
    B, E_B = B / units[:, None], E_B / units[:, None]
    size = max(float(np.linalg.norm(A, axis=0).max()), 1e-300)
    long = np.linalg.norm(B, axis=0) / size
    long[long == 0.0] = 1.0
    M, E = np.hstack([A, B / long]), np.hstack([E_A, E_B / long])
    rounding = float(np.linalg.norm(E)) + sum(M.shape) * EPS * float(np.linalg.norm(M))
    roots = eigenvalues(A, E_A)
    weakest = WeakMode(np.inf, 0.0, "a mode")
    signs = signs_of(roots.values, roots.bounds)
    for root, bound, sign in zip(roots.values, roots.bounds, signs, strict=True):
        if sign == DECAYS or (sign == GROWS and not growing):
            continue
        left, singular, _ = np.linalg.svd(M - np.hstack([root * np.eye(n), np.zeros(B.shape)]))
        if singular[-1] < weakest.distance:
            share = abs(left[:, -1])
            moving = [names[k] for k in np.argsort(-share)[:3] if share[k] > 0.1 * share.max()]
            shown = f"{root:.4g}" if root.imag else f"{root.real:.4g}"
            words = f"the mode at {shown} 1/s of {', '.join(moving)}"
            weakest = WeakMode(float(singular[-1]), rounding + float(bound), words)
    return weakest
