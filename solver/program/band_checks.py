"""Checks of tolerance bands and inequalities against settings, the mechanism that they act in, and the start."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ...blocks import CompileError
from ...blocks.errors import Problem
from ...blocks.multibody_parts import Band
from ..flatten.flatten import Flat
from ..integrators.method_table import method_of
from ..kernels import model_data as f
from ..kernels.model_data import Data, Model
from ..mechanism.constraint_rows import ConstraintTable
from ..mechanism.friction_parameters import rows_with_friction
from ..mechanism.mechanism import Mechanism

ROUNDINGS = 64  # of the sizes that a violation is the difference of


def check_bands(flat: Flat, trees: Iterable[Mechanism], tables: Iterable[ConstraintTable]) -> None:
    """CompileError where a band meets settings or parts with which its edges have no definite force."""
    each = zip(trees, tables, strict=True)
    problems = [problem for tree, table in each for problem in _mistakes(flat, tree, table)]
    if problems:
        raise CompileError(list(dict.fromkeys(map(flat.located, problems))))


def banded_blocks(mechanism: Mechanism) -> dict[str, str]:
    """Blocks with tolerance bands or inequalities, and which of the two."""
    return {
        placed.block: "a tolerance band" if np.isfinite(placed.part.values).all() else "an inequality"
        for placed in mechanism.elements
        if isinstance(placed.part, Band)
    }


def pace_problems(mechanism: Mechanism, events: str, method: str) -> Iterator[Problem]:
    """Problems of bands with event location and method of a run."""
    for block, kind in banded_blocks(mechanism).items():
        if method_of(method).adaptive:
            fix = "choose a method of fixed step"
            yield Problem(f"found {kind} with the method {method}, which adapts its step", block, fix)
        elif events != "locate":
            yield Problem(f"found {kind} whose edges are not located", block, "simulation: {events: locate}")


def start_problems(mechanism: Mechanism, model: Model, data: Data) -> Iterator[Problem]:
    """Problems of bands that begin beyond an edge, by more than the rounding of positions; data as evaluated."""
    for e, placed in enumerate(mechanism.elements):
        if not isinstance(placed.part, Band):
            continue
        lower, upper = model.element_value[e, f.BAND_LOWER], model.element_value[e, f.BAND_UPPER]
        gap, size = data.element_out[e, f.BAND_GAP], data.element_out[e, f.BAND_SIZE]
        # terms with x, y, z and, no larger than these and their sum, those without
        slack = ROUNDINGS * np.finfo(float).eps * (abs(gap) + 2.0 * size)
        if not lower - slack <= gap <= upper + slack:
            unit = " m" if np.isfinite([lower, upper]).all() else ""  # of components
            message = (
                f"the violation is {gap:.6g}{unit} at the start, outside of {lower:g} to {upper:g}{unit}"
            )
            yield Problem(message, placed.block, "begin inside of it")


def _mistakes(flat: Flat, tree: Mechanism, table: ConstraintTable) -> Iterator[Problem]:
    settings = flat.simulation
    yield from pace_problems(tree, settings.events, settings.method)
    for block, kind in banded_blocks(tree).items():
        if flat.initial.solve == "static":
            yield Problem(f"{kind} has no part in statics", block, "initial: {solve: assemble}")
        if tree.flexible:
            fix = "use rfem_link, or remove the constraint"
            yield Problem(f"found {kind} in a mechanism with a flexible body", block, fix)
        if any(joint.part.hold for joint in tree.joints):
            fix = "hold the load by an ideal constraint, or let it fly"
            yield Problem(
                f"found {kind} beside a release in one mechanism, whose impacts could meet", block, fix
            )
        if any(rows_with_friction(tree)):
            fix = "give the friction a load of its own, or remove it"
            yield Problem(f"found {kind} beside friction that goes with its joint's reaction", block, fix)
        if any(row[f.C_SERVO] >= 0 for row in table.rows):
            fix = "realise the constraint by `ideal`"
            yield Problem(f"found {kind} beside a servo constraint, whose drives give no impulse", block, fix)
