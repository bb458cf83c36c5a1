"""Solution of the equations of `implicit`: sweeps over trees, or coloured differences, by counted operations.

A sweep holds stiffness and damping of the rows alone (`kernels/tangent_sweep.py`). It can replace the whole Jacobian
where nothing else is stiff: in trees without force elements that follow the motion, end stops and friction, other than
viscous friction under a given load. Signals that act on such a tree are a correction of low rank, one column a state on
which they depend. The cheaper solution by `cost_of_sweeps` and `cost_of_differences` is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..integrators.sparsity import bits, coloured, connected, restricted, structure, transposed
from ..integrators.substeps import CONVERGES, HOLD
from ..kernels import model_data as f
from ..kernels.model_data import Model
from .dependencies import StateFlow
from .operations import Operation

STAGES = 5  # evaluations of rates in a step: at four stages and at the end
SOLUTIONS = 7  # of the equations in a step: for four stages and three defects
SWEEP = 0.5  # work of a sweep, factors or solution, over that of an evaluation (`bench/implicit_steps.py`)
MULTIPLICATIONS = 300  # in an evaluation, of a row: of the articulated-body algorithm (Featherstone 1987)


class Solution(NamedTuple):
    """Components that sweeps solve; states whose columns correct the sweeps."""

    swept: tuple[int, ...] = ()
    low_rank: tuple[int, ...] = ()


def implicit_solution(ordered: Sequence[Operation], models: Sequence[Model], signal_states: int) -> Solution:
    """Cheapest solution for the operations of the rates."""
    local = [k for k, model in enumerate(models) if stiff_in_rows_alone(model)]
    if not local:
        return Solution()
    flow = StateFlow(ordered, models, signal_states)
    needs, rows = flow.rates(), sum(len(model.topo) for model in models)
    apart = [k for k in local if not flow.components[k].received]
    found = [Solution(tuple(swept), low_rank(flow, needs, swept)) for swept in (local, apart) if swept]
    best = min(found, key=lambda each: cost_of_sweeps(each, needs, models, rows))
    cheaper = cost_of_sweeps(best, needs, models, rows) <= cost_of_differences(needs, rows)
    return best if cheaper else Solution()


def stiff_in_rows_alone(model: Model) -> bool:
    """True if springs and dampers of rows are all that can be stiff in a mechanism, and there are some."""
    row, kinds = model.row, model.element[:, f.E_KIND]
    laws = row[:, f.FRICTION + f.F_LAW]
    viscous = (laws == f.VISCOUS) & (row[:, f.FRICTION + f.F_LOAD] >= 0.0)
    return bool(
        row[:, [f.COORDINATE + f.STIFFNESS, f.COORDINATE + f.DAMPING]].any()
        and not len(model.constraint)
        and not len(model.spring)
        and not model.flex[:, f.X_STRAINS].any()
        and ((kinds == f.CLEARANCE) | (kinds >= f.FORCE_WORLD) & (kinds <= f.TORQUE_B)).all()
        and not row[:, f.COORDINATE + f.STOP_STIFFNESS].any()
        and ((laws == f.FRICTIONLESS) | viscous).all()
    )


def low_rank(flow: StateFlow, needs: Sequence[int], swept: Sequence[int]) -> tuple[int, ...]:
    """States whose columns of df/dx the sweeps lack, where signals act on what they solve; none where none does."""
    read, own = 0, states_of([flow.components[k].model for k in swept])
    for k in swept:
        read |= flow.components[k].received
    if not read:
        return ()
    for i, mask in enumerate(needs):
        read |= 0 if own >> i & 1 else mask
    return tuple(bits(read))


def states_of(models: Sequence[Model]) -> int:
    """Mask of the states of some components."""
    return sum(1 << int(at) for model in models for at in model.state[:, f.ST_AT])


def cost_of_sweeps(solution: Solution, needs: Sequence[int], models: Sequence[Model], rows: int) -> float:
    """Work for the time of a step of the whole Jacobian, in evaluations of the rates.

    A step may have to be shorter by CONVERGES over HOLD: the sweep leaves out derivatives. A column of the correction
    takes an evaluation and a sweep.
    """
    rank = len(solution.low_rank)
    work = STAGES + SWEEP * (1 + SOLUTIONS) + (1.0 + SWEEP) * rank
    if not rank:
        own = states_of([models[k] for k in solution.swept])
        rest = [i for i in range(len(needs)) if not own >> i & 1]
        seen = any(needs[i] & own for i in rest)
        work += SOLUTIONS * seen + differences(restricted(needs, rest), rows) if rest else 0.0
    return HOLD / CONVERGES * work


def cost_of_differences(needs: Sequence[int], rows: int) -> float:
    """Work of a step with the whole Jacobian, in evaluations of the rates."""
    return STAGES + differences(needs, rows)


def differences(needs: Sequence[int], rows: int) -> float:
    """Work of the differences, one a colour, and of the factors of the diagonal blocks: n^3 / 3 multiplications."""
    factors = sum(len(block) ** 3 for block in connected(needs)) / 3.0
    return len(coloured(transposed(needs))) + factors / (MULTIPLICATIONS * rows)


def structure_of(
    ordered: Sequence[Operation], models: Sequence[Model], signal_states: int, states: int
) -> tuple[np.ndarray, np.ndarray]:
    """`Run.structure` and `Run.entry` of models whose option O_SWEPT tells which of them sweeps solve."""
    flow = StateFlow(ordered, models, signal_states)
    needs, swept = flow.rates(), swept_components(models)
    own = states_of([models[k] for k in swept])
    return structure(needs, states, own, low_rank(flow, needs, swept))


def swept_components(models: Sequence[Model]) -> list[int]:
    """Components that sweeps solve."""
    return [k for k, model in enumerate(models) if model.option[f.O_SWEPT]]


def solution_in_words(ordered: Sequence[Operation], models: Sequence[Model], signal_states: int) -> str:
    """Description of how implicit steps find and solve with slopes."""
    flow, swept = StateFlow(ordered, models, signal_states), swept_components(models)
    needs = flow.rates()
    if swept:
        count = len(swept)
        trees = "the tree" if len(models) == 1 else f"{count} of {len(models)} mechanisms"
        columns = low_rank(flow, needs, swept)
        return f"a sweep over {trees}" + (f" with differences for {len(columns)} states" if columns else "")
    blocks, groups = connected(needs), coloured(transposed(needs))
    largest = max(map(len, blocks), default=0)
    return (
        f"whole Jacobian of {len(needs)} states by {len(groups)} differences, the largest of {len(blocks)} "
        f"block{'s' if len(blocks) != 1 else ''} has {largest}"
    )
