"""Run a few operations once, as plain Python around the kernels: at the start, when nothing else is there yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..machine.fields import Data, Model
from ..machine.functions import Function
from ..table.operations import Operation, table_of
from ..table.places import Sections, Slots
from .scalars import Scalars
from .signals import Emitter


def sections_of(scalars: Scalars, emitter: Emitter, data: Data, states: int, work: Slots) -> Sections:
    """Sizes of all sections, as they are now."""
    sizes = {name: array.size for name, array in zip(data._fields, data, strict=True)}
    return Sections(
        sizes
        | {
            "t": 2, "x": states, "dx": states, "p": len(emitter.params.values), "mem": len(emitter.memory.values),
            "s": scalars.signals, "g": len(emitter.sides.values), "c": len(scalars.constants), "v": scalars.packed,
            "work": len(work.values),
        }
    )  # fmt: skip


def filled(sections: Sections, scalars: Scalars, emitter: Emitter, work: Slots) -> np.ndarray:
    """A work space with all numbers that are known before a run."""
    w = np.zeros(sections.total)
    for name, values in (
        ("p", emitter.params.values),
        ("mem", emitter.memory.values),
        ("work", work.values),
        ("g", emitter.sides.values),
        ("c", [float(text) for text in scalars.constants]),
    ):
        sections.part(w, name)[:] = values
    return w


def run_plainly(
    ordered: Sequence[Operation],
    scalars: Scalars,
    emitter: Emitter,
    model: Model,
    data: Data,
    states: Sequence[float],
    work: Slots | None = None,
) -> tuple[np.ndarray, Sections]:
    """Run the operations at t = 0; the arrays of `data` take what they leave. Returns the section `work`."""
    work = emitter.work if work is None else work
    x = [*states, *emitter.states.values]
    sections = sections_of(scalars, emitter, data, len(x), work)
    w = filled(sections, scalars, emitter, work)
    sections.part(w, "x")[:] = x
    views = on_work_space(data, w, sections)
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


def on_work_space(data: Data, w: np.ndarray, sections: Sections) -> Data:
    """The same data with its numbers in the work space."""
    views = views_on(data, w, sections)
    for name, array, view in zip(data._fields, data, views, strict=True):
        if view is not array and name not in ("x", "dx"):
            view[...] = array
    return views


def views_on(
    data: Data, w: np.ndarray, sections: Sections, own: Mapping[str, np.ndarray] | None = None
) -> Data:
    """Data of these shapes that lies in the work space, with the numbers that stand there; `own` lies elsewhere."""
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
    """The data as one controller sees it: with its own work space, equations and mass matrix."""
    first, drives = own
    rows = len(model.topo)
    size = rows + drives
    work = sections.part(w, "work")[first:]
    return data._replace(work=work, system=np.zeros((size, size + 1)), mass=np.zeros((rows, rows)))
