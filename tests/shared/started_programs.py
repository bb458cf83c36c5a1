"""Started programs compared to the last bit."""

from __future__ import annotations

import numpy as np

from luff.solver.program.started_program import Started


def arrays(program: Started) -> dict[str, np.ndarray]:
    """All that a run may depend on."""
    closed = [(k, one.origin) for k, one in enumerate(program.components) if one.origin is not None]
    origin = {f"{name} {k}": getattr(one, name) for k, one in closed for name in ("jac", "state")}
    data = {f"data {name}": array for name, array in zip(program.data._fields, program.data, strict=True)}
    own = {"params": program.params, "work space": program.work_space, "x0": program.x0}
    return origin | data | own | program.model._asdict()


def differing(a: Started, b: Started) -> list[str]:
    """Where two programs are not the same to the last bit."""
    pairs = [(name, ours, arrays(b)[name]) for name, ours in arrays(a).items()]
    found = [name for name, x, y in pairs if x.shape != y.shape or x.tobytes() != y.tobytes()]
    if not a.like(b):
        found.append("form")
    words = ("sampled", "state_names", "columns", "updates", "shared")
    return found + [name for name in words if getattr(a, name) != getattr(b, name)]


def alike(a: Started, b: Started) -> bool:
    return not differing(a, b) and a.notes == b.notes and a.flat.warnings == b.flat.warnings


def refuse(*_: object) -> None:
    raise AssertionError("the netlist is described anew")
