"""Groups of states that methods with slopes are given: `Run.vector`, `Run.structure` and `Run.entry`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..codegen.jit import EntryPoint
from ..integrators.method_table import METHODS
from ..integrators.run_data import COUNTS, DECAYING, DECAYS
from ..kernels import model_data as f
from ..kernels.model_data import Model
from ..program.started_program import Started
from ..program.work_space import data_place, of_component

NO_STRUCTURE = np.zeros((0, 0), np.int64), np.zeros((0, 0), np.int64)


def state_groups(program: Started, model: Model) -> np.ndarray:
    """Rows of `Run.vector`: first state of the neighbours of a block in one unit, and of the smooth coordinates in one
    unit; 0 for coordinates of a mechanism, 1 for rates of one, 2 for other states.
    """
    blocks = [name.rpartition(".")[0] for name in program.state_names]
    kinds = list(zip(blocks, program.state_units, strict=True))
    begins = [k == 0 or kinds[k - 1] != kind for k, kind in enumerate(kinds)]
    first = np.maximum.accumulate(np.where(begins, np.arange(len(kinds)), 0))
    kind = np.full(len(first), 2)
    for own, number in ((f.Q_STATE, 0), (f.QUAT_STATE, 0), (f.V_STATE, 1)):
        kind[: len(model.state)][model.state[:, f.ST_KIND] == own] = number
    return np.array([first, smooth_groups(program, model, first), kind], np.int64)


def least_shape(models: Sequence[Model]) -> float:
    """Least bounding radius of the bodies' shapes that touch, 0 without [m]."""
    sizes = []
    for model in models:
        pairs = model.touch[model.touch[:, f.TO_FAMILY] != f.CLEARANCE_FAMILY]
        solids = np.unique(pairs[:, [f.TO_A, f.TO_B]])
        ended = ~np.isin(model.solid[solids, f.SO_KIND], (f.PLANE, f.HEIGHT_FIELD))
        sizes += model.solid_value[solids[ended], f.SO_BOUND].tolist()
    return min(sizes, default=0.0)


def smooth_groups(program: Started, model: Model, first: np.ndarray) -> np.ndarray:
    """First state of each group of coordinates (or rates) in one unit on which no law with a kink acts; else `first`.

    If an element other than a joint switches, such as a contact, it may act on any of them.
    """
    alike = first.copy()
    kinked = {switch.block for switch in program.switches}
    joints = {joint.block for joint in program.mechanism.joints}
    if not kinked <= joints:
        return alike
    begun: dict[tuple[int, str], int] = {}
    for k, (kind, row, *_) in enumerate(model.state.tolist()):
        name = program.state_names[k].rpartition(".")[0]
        rubs = model.row[row, f.FRICTION] > f.VISCOUS if kind in (f.Q_STATE, f.V_STATE) else True
        if not rubs and name not in kinked:
            alike[k] = first[begun.setdefault((kind, program.state_units[k]), k)]
    return alike


def solves(step: EntryPoint) -> bool:
    """True if the step of a method solves with slopes."""
    return any(method.step is step for method in METHODS.values() if method.solves and not method.adaptive)


def sparsity(program: Started, models: Sequence[Model], states: int) -> tuple[np.ndarray, np.ndarray]:
    """`Run.structure` and `Run.entry` for the models of all components and a state vector of this length."""
    from ..program.implicit_solution import structure_of

    arrays, entry = structure_of(
        program.ordered["rates"], models, len(program.x0) - program.mechanical, states
    )
    for one, model in zip(program.components, models, strict=True):
        for kind, e, _, at in model.state.tolist():
            if kind == f.SLIP_STATE and model.element[e, f.E_KIND] == f.TOUCH:
                place = of_component(data_place("element_out", e, f.TOUCH_NORMAL), one.number)
                arrays[DECAYS, at] = program.sections.at(place)
                arrays[COUNTS, DECAYING] += 1
    return arrays, entry
