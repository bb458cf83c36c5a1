"""Checks of tolerance bands against the settings of a run, the mechanism that they act in, and the start."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ...blocks import CompileError
from ...blocks.errors import Problem
from ..flatten.flatten import Flat
from ..integrators.method_table import method_of
from ..kernels import model_data as f
from ..kernels.model_data import Data, Model
from ..mechanism.friction_parameters import rows_with_friction
from ..mechanism.mechanism import Mechanism

ROUNDINGS = 64  # of the sizes that a violation is the difference of


def check_bands(flat: Flat, trees: Iterable[Mechanism]) -> None:
    """CompileError where a band meets settings or friction with which its edges have no definite force."""
    problems = [problem for tree in trees for problem in _mistakes(flat, tree)]
    if problems:
        raise CompileError(list(dict.fromkeys(map(flat.located, problems))))


def banded_blocks(mechanism: Mechanism) -> list[str]:
    """Blocks with tolerance bands."""
    return list(dict.fromkeys(placed.block for placed in mechanism.elements if placed.part.kind == "band"))


def pace_problems(mechanism: Mechanism, events: str, method: str) -> Iterator[Problem]:
    """Problems of bands with event location and method of a run."""
    for block in banded_blocks(mechanism):
        if method_of(method).adaptive:
            fix = "choose a method of fixed step"
            yield Problem(f"found a band with the method {method}, which adapts its step", block, fix)
        elif events != "locate":
            yield Problem("found a band whose edges are not located", block, "simulation: {events: locate}")


def start_problems(mechanism: Mechanism, model: Model, data: Data) -> Iterator[Problem]:
    """Problems of bands that begin beyond an edge, by more than the rounding of positions; data as evaluated."""
    for e, placed in enumerate(mechanism.elements):
        if placed.part.kind != "band":
            continue
        lower, upper = model.element_value[e, f.BAND_LOWER], model.element_value[e, f.BAND_UPPER]
        gap, target = data.element_out[e, f.BAND_GAP], data.inputs[model.element[e, f.E_INPUT]]
        slack = ROUNDINGS * np.finfo(float).eps * (abs(target) + abs(gap + target))
        if not lower - slack <= gap <= upper + slack:
            message = (
                f"the violation is {gap:.6g} m at the start, outside of the band {lower:g} to {upper:g} m"
            )
            yield Problem(message, placed.block, "begin inside of it")


def _mistakes(flat: Flat, tree: Mechanism) -> Iterator[Problem]:
    settings = flat.simulation
    yield from pace_problems(tree, settings.events, settings.method)
    for block in banded_blocks(tree):
        if flat.initial.solve == "static":
            yield Problem("a tolerance band has no part in statics", block, "initial: {solve: assemble}")
        if tree.flexible:
            yield Problem(
                "found a band in a mechanism with a flexible body", block, "use rfem_link, or remove `band`"
            )
        if any(joint.part.hold for joint in tree.joints):
            fix = "hold the load by an ideal constraint, or let it fly"
            yield Problem(
                "found a band beside a release in one mechanism, whose impacts could meet", block, fix
            )
        if any(rows_with_friction(tree)):
            fix = "give the friction a load of its own, or remove it"
            yield Problem("found a band beside friction that goes with its joint's reaction", block, fix)
