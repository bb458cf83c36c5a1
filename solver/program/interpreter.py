"""Interpreter: runs operations at t = 0, as plain Python around the kernels, for the start."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from ..codegen.jit import ENABLED
from ..codegen.memory_arena import address
from ..codegen.source_functions import Function
from ..kernels.model_data import SHARED, Data, Model
from .operations import Operation, table_of
from .work_space import Sections
from .work_space_values import InitialSections


class Evaluation:
    """Operations at t = 0 on a work space of their own, as plain Python around the kernels.

    `data` are views of the components that are there, by number. With `compiled` the functions of blocks run compiled
    too, for many evaluations.
    """

    def __init__(
        self,
        ordered: Sequence[Operation],
        numbers: InitialSections,
        models: Sequence[Model],
        each: Sequence[Data | None],
        mechanical: Sequence[float],
        compiled: bool = False,
    ):
        sections = self.sections = numbers.sections(each, len(mechanical))
        w = self.w = numbers.filled(sections)
        sections.part(w, "x")[:] = [*mechanical, *numbers.states.values]
        self._begin = w.copy()
        given = {k: data for k, data in enumerate(each) if data is not None}
        self.data = {k: data_views(data, w, sections, k) for k, data in given.items()}
        self._copied = [
            (view, array)
            for k, data in given.items()
            for name, view, array in zip(data._fields, self.data[k], data, strict=True)
            if name in sections.first and name not in ("x", "dx") and view.size == array.size
        ]
        table = table_of(ordered, sections)
        blocks = {call.code: call.code.function for call in table.calls if isinstance(call.code, Function)}
        if compiled and ENABLED:
            blocks = native_functions(blocks)
        self._calls: list[tuple[Callable[..., object], object, object]] = []
        for call in table.calls:
            if call.code in blocks:
                self._calls.append((blocks[call.code], w, table.places[call.first :]))
                continue
            work, number = call.operations[0].work, call.operations[0].component
            model, data = models[number], self.data[number]
            own = data if work is None else controller_data(data, work, w, sections, model)
            self._calls.append((call.code, model, own))

    def run(self) -> None:
        """Evaluate with the data of the components as they are now."""
        self.w[:] = self._begin
        for view, array in self._copied:
            view[...] = array
        for code, first, second in self._calls:
            code(first, second)

    def give_back(self) -> None:
        """Write what the operations left to the data of the components."""
        for view, array in self._copied:
            array[...] = view


def native_functions(functions: Iterable[Function]) -> dict[Function, Callable[..., object]]:
    """Compiled code of functions of blocks, as functions of work space and places."""
    from ..codegen.object_loader import callable_of, load

    load(functions)
    natives = {code: callable_of(code) for code in functions}

    def calling(native: Callable[..., object]) -> Callable[..., object]:
        return lambda w, places: native(address(w), address(places))

    return {code: calling(native) for code, native in natives.items()}


def interpret(
    ordered: Sequence[Operation],
    numbers: InitialSections,
    models: Sequence[Model],
    each: Sequence[Data | None],
    mechanical: Sequence[float],
) -> tuple[np.ndarray, Sections]:
    """Run the operations once; the data of the components that are there take what they leave. Returns the section
    `work`."""
    once = Evaluation(ordered, numbers, models, each, mechanical)
    once.run()
    once.give_back()
    return once.sections.part(once.w, "work"), once.sections


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
