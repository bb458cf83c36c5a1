"""Generated code as plain Python over compiled kernels: the same source, without seconds of compilation a diagram."""

from __future__ import annotations

from typing import Any

import numpy as np

import luff
from luff.solver import jit
from luff.solver.simulation import Code


def plain(diagram: luff.Diagram | str, **overrides: Any) -> luff.Simulation:
    """Compile a diagram (or a netlist's text) and leave its generated functions to the interpreter."""
    sim = luff.compile(luff.loads(diagram) if isinstance(diagram, str) else diagram, **overrides)
    sim.__dict__["code"] = interpreted(sim.source)
    return sim


def interpreted(source: str) -> Code:
    """The functions of generated source, with decorators that do nothing."""
    kept = jit.entry, jit.helper
    jit.entry, jit.helper = lambda signature: lambda function: function, lambda function: function
    try:
        space: dict[str, Any] = {}
        exec(compile(source, "<generated>", "exec"), space)
    finally:
        jit.entry, jit.helper = kept
    return Code(space["rhs"], space["outputs"], space["update"])


def rates(sim: luff.Simulation, x: np.ndarray | None = None, t: float = 0.0) -> dict[str, float]:
    """dx/dt by state name, at the initial state by default."""
    return dict(zip(sim.state_names, sim.derivative(t, sim.x0 if x is None else x).tolist(), strict=True))


def outputs(values: dict[str, float], port: str, width: int = 3) -> np.ndarray:
    """A vector port among evaluated signals."""
    return np.array([values[f"{port}[{k}]"] for k in range(width)])
