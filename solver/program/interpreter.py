"""Interpreter: runs operations once, as plain Python around the kernels, for the start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..codegen.source_functions import Function
from ..kernels.model_data import SHARED, Data, Model
from .operations import Operation, table_of
from .work_space import Sections
from .work_space_values import InitialSections


def interpret(
    ordered: Sequence[Operation],
    numbers: InitialSections,
    models: Sequence[Model],
    each: Sequence[Data | None],
    mechanical: Sequence[float],
) -> tuple[np.ndarray, Sections]:
    """Run the operations at t = 0; the data of the components that are there take what they leave. Returns the section
    `work`."""
    sections = numbers.sections(each, len(mechanical))
    w = numbers.filled(sections)
    sections.part(w, "x")[:] = [*mechanical, *numbers.states.values]
    views = {k: data_in_work_space(data, w, sections, k) for k, data in enumerate(each) if data is not None}
    table = table_of(ordered, sections)
    for call in table.calls:
        if isinstance(call.code, Function):
            call.code.function(w, table.places[call.first :])
        else:
            work, number = call.operations[0].work, call.operations[0].component
            model, data = models[number], views[number]
            call.code(model, data if work is None else controller_data(data, work, w, sections, model))
    for number, view in views.items():
        data = each[number]
        for name, array in zip(view._fields, data or (), strict=True):
            if name in sections.first and array.size == getattr(view, name).size:
                array[...] = getattr(view, name)
    return sections.part(w, "work"), sections


def data_in_work_space(data: Data, w: np.ndarray, sections: Sections, number: int) -> Data:
    """Data of a component with its numbers in the work space."""
    views = data_views(data, w, sections, number)
    for name, array, view in zip(data._fields, data, views, strict=True):
        if view is not array and name not in ("x", "dx"):
            view[...] = array
    return views


def data_views(
    data: Data, w: np.ndarray, sections: Sections, number: int, own: Mapping[str, np.ndarray] | None = None
) -> Data:
    """`Data` as views on the work space; arrays in `own` lie elsewhere."""
    views = []
    for name, array in zip(data._fields, data, strict=True):
        if own is not None and name in own:
            views.append(own[name])
        elif name in ("x", "dx"):
            views.append(sections.part(w, name))
        elif name in sections.first and name != "work":
            flat = sections.of(w, name, number)
            views.append(flat if array.ndim == 1 else flat.reshape(array.shape))
        else:
            views.append(array)
    return type(data)(*views)


def all_on_work_space(data: Data, w: np.ndarray, sections: Sections) -> Data:
    """Views of all components at once, which lie behind each other in the work space."""
    views = []
    for name, array in zip(data._fields, data, strict=True):
        if name in ("x", "dx") or (name in SHARED and array.size == sections.sizes[name]):
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
