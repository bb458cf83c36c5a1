"""Interpreter: runs operations once, as plain Python around the kernels, for the start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..codegen.source_functions import Function
from ..kernels.model_data import Data, Model
from .operations import Operation, table_of
from .work_space import Sections
from .work_space_values import InitialSections


def interpret(
    ordered: Sequence[Operation],
    numbers: InitialSections,
    model: Model,
    data: Data,
    mechanical: Sequence[float],
) -> tuple[np.ndarray, Sections]:
    """Run the operations at t = 0, with results in `data`; returns the work space and its sections."""
    sections = numbers.sections(data, len(mechanical))
    w = numbers.filled(sections)
    sections.part(w, "x")[:] = [*mechanical, *numbers.states.values]
    views = data_in_work_space(data, w, sections)
    table = table_of(ordered, sections)
    for call in table.calls:
        if isinstance(call.code, Function):
            call.code.function(w, table.places[call.first :])
        else:
            own = call.operations[0].work
            call.code(model, views if own is None else controller_data(views, own, w, sections, model))
    for name, array in zip(data._fields, data, strict=True):
        if name in sections.first and array.size == getattr(views, name).size:
            array[...] = getattr(views, name)
    return sections.part(w, "work"), sections


def data_in_work_space(data: Data, w: np.ndarray, sections: Sections) -> Data:
    """`Data` with its numbers copied into the work space."""
    views = data_views(data, w, sections)
    for name, array, view in zip(data._fields, data, views, strict=True):
        if view is not array and name not in ("x", "dx"):
            view[...] = array
    return views


def data_views(
    data: Data, w: np.ndarray, sections: Sections, own: Mapping[str, np.ndarray] | None = None
) -> Data:
    """`Data` as views on the work space; arrays in `own` lie elsewhere."""
    views = []
    for name, array in zip(data._fields, data, strict=True):
        if own is not None and name in own:
            views.append(own[name])
        elif name in ("x", "dx"):
            views.append(sections.part(w, name))
        elif name in sections.first and name != "work":
            flat = sections.part(w, name)
            views.append(flat if array.ndim == 1 else flat.reshape(array.shape))
        else:
            views.append(array)
    return type(data)(*views)


def controller_data(
    data: Data, own: tuple[int, int], w: np.ndarray, sections: Sections, model: Model
) -> Data:
    """`Data` of one controller: its own work space, equations and mass matrix."""
    first, drives = own
    rows = len(model.topo)
    size = rows + drives
    work = sections.part(w, "work")[first:]
    return data._replace(work=work, system=np.zeros((size, size + 1)), mass=np.zeros((rows, rows)))
