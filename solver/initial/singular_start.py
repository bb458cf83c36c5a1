"""Singular starts: constraints that are redundant at the start only; a step further the loop would open."""

from __future__ import annotations

import numpy as np

from ...blocks import CompileError
from ...blocks.errors import Problem
from ..kernels import model_data as f
from .assembly import KEPT, Assembler
from .coordinate_partition import Partition, loop_joints

# [rad, or share of the model's levers] test displacement, along one direction that no model was made for: a constraint
# that opens to second order stays closed along directions of measure zero alone
STEP = 1e-2
CLOSED = (
    1e-12  # residual to which the active constraints close after it, far below OPENED; else nothing is known
)
OPENED = 1e-9  # residual over the levers above which more than rounding opens; the step's square is 1e-4


def check_start_rank(assembler: Assembler, partition: Partition) -> None:
    """CompileError if a constraint that is redundant at the start is not so next to it.

    A parallelogram whose links are collinear has one constraint too many there, and two motions to choose from.
    """
    rest = assembler.holonomic.copy()
    rest[partition.active] = False
    phi, jac = assembler.evaluate()
    if not rest.any() or not len(partition.independent) or abs(phi).max(initial=0.0) > KEPT:
        return
    kinds = assembler.model.constraint[:, f.C_KIND]
    slides = assembler.model.topo[:, f.KIND] == f.PRISMATIC
    points = jac[kinds[assembler.imposed] == f.POINT]
    lever = float(abs(points[:, ~slides]).max(initial=0.0))
    lever = lever if lever > OPENED else 1.0  # only rounding: no lever
    opened = residuals_after_step(assembler, partition, np.where(slides, lever, 1.0)) / np.where(
        kinds == f.ALIGN, 1.0, lever
    )
    c = int(np.argmax(np.where(rest, opened, 0.0)))
    if not opened[c] > OPENED:
        return
    table = assembler.table
    around = ", ".join(loop_joints(assembler.mechanism, assembler.model, c)) or table.blocks[c]
    follows = "follows from the other constraints here, but not in neighbouring positions"
    mistake = f"a singular start: {table.words[c]} {follows}"
    fix = f"the mechanism may go on in several ways: give {around} a start a little off this position"
    raise CompileError(Problem(mistake, table.blocks[c], fix))


def residuals_after_step(assembler: Assembler, partition: Partition, size: np.ndarray) -> np.ndarray:
    """|Phi| of each constraint after a small step with the active ones closed; zero where these do not close."""
    d = assembler.data
    n = len(assembler.free)
    independent, dependent = np.zeros(n, bool), np.zeros(n, bool)
    independent[partition.independent], dependent[partition.dependent] = True, True
    enabled, before = assembler.enabled, (d.q.copy(), d.quat.copy())
    active = np.zeros(len(enabled), bool)
    active[partition.active] = True
    assembler.enabled = active
    step = STEP * np.random.default_rng(2).uniform(0.5, 1.0, int(independent.sum()))
    assembler.move(independent, step * size[independent])
    closed = assembler.solve(dependent) < CLOSED
    off = abs(d.con[:, f.PHI]) if closed else np.zeros(len(enabled))
    off = off.copy()
    assembler.enabled = enabled
    d.q[:], d.quat[:] = before
    assembler.evaluate()
    return off
