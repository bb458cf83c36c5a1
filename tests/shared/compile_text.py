"""Short ways to compile a netlist's text and to read what it evaluates to."""

from __future__ import annotations

from typing import Any

import numpy as np

import luff


def plain(diagram: luff.Diagram | str, **overrides: Any) -> luff.Simulation:
    """Compile a diagram, or a netlist's text."""
    return luff.compile(luff.loads(diagram) if isinstance(diagram, str) else diagram, **overrides)


def rates(sim: luff.Simulation, x: np.ndarray | None = None, t: float = 0.0) -> dict[str, float]:
    """dx/dt by state name, at the initial state by default."""
    return dict(zip(sim.state_names, sim.derivative(t, sim.x0 if x is None else x).tolist(), strict=True))


def outputs(values: dict[str, float], port: str, width: int = 3) -> np.ndarray:
    """A vector port among evaluated signals."""
    return np.array([values[f"{port}[{k}]"] for k in range(width)])
