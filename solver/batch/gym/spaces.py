"""Action and observation spaces of environments: names of the netlist and their bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ....blocks import RunError
from ....blocks.errors import did_you_mean

try:
    from gymnasium import spaces
except ImportError:
    raise RunError("environments need Gymnasium", fix='pip install "luff[gym]"') from None

Bounds = tuple[float, float]
FREE: Bounds = (-np.inf, np.inf)


class Actions:
    """Driven inputs and the values that an action gives them: SI units, or -1 to 1 if `normalised`."""

    def __init__(self, bounds: Mapping[str, Bounds], inputs: list[str], normalised: bool):
        self.places = named_places(bounds, inputs, "input")
        self.space = box([*bounds.values()])
        self.normalised = normalised
        if normalised:
            for name, pair in bounds.items():
                if not np.all(np.isfinite(pair)):
                    raise RunError(f"found the bounds {pair}, expected finite ones to normalise", path=name)
            low, high = np.array([*bounds.values()], float).reshape(-1, 2).T
            self._middle, self._half = 0.5 * (low + high), 0.5 * (high - low)
            self.space = box([(-1.0, 1.0)] * len(bounds))

    def given(self, action: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """Values of the inputs, an environment a row."""
        given = np.asarray(action, float)
        if given.shape != shape:
            raise RunError(f"found an action of shape {given.shape}, expected {shape}")
        return self._middle + self._half * given if self.normalised else given


def named_places(wanted: Mapping[str, object], names: list[str], what: str) -> np.ndarray:
    """Indices of the named signals; RunError for unknown names."""
    for name in wanted:
        if name not in names:
            fix = did_you_mean(name, names) if names else f"declare it in `{what}s:` of the netlist"
            raise RunError(f'the netlist has no {what} "{name}"', fix=fix)
    return np.array([names.index(name) for name in wanted], np.int64)


def box(bounds: Sequence[Bounds]) -> spaces.Box:
    """Gymnasium box of bounds in single precision."""
    low, high = np.array(bounds, np.float32).reshape(-1, 2).T
    if not np.all(low < high):
        raise RunError("found bounds that leave nothing between them, expected (low, high)")
    return spaces.Box(low, high, dtype=np.float32)


def as_float32(values: np.ndarray) -> np.ndarray:
    """Values in single precision; values of a failed run beyond its range become infinite."""
    with np.errstate(over="ignore"):
        return values.astype(np.float32, order="C")


def whole_steps(time: float, step: float, name: str) -> int:
    """Number of steps in a time; RunError if it is no multiple."""
    steps = round(time / step)
    if steps < 1 or abs(steps * step - time) > 1e-6 * step:
        raise RunError(f"found {time:g} s, expected a multiple of {step:g} s", path=name)
    return steps
