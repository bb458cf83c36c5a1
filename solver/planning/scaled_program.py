"""A transcribed plan in numbers of the size of one, so that IPOPT's tolerances are shares of sizes.

IPOPT measures its constraints and multipliers in the units that it is given, also where it scales by itself: a
pressure in Pa would never be met to 1e-8.
"""

from __future__ import annotations

import numpy as np

from .transcription import Transcription


class ScaledProgram:
    """Functions of a transcribed plan by w = v / size, with rows over their sizes and the cost over its own."""

    def __init__(self, program: Transcription, size: np.ndarray, cost_scale: float):
        self.program, self.size, self.cost_scale = program, size, cost_scale
        self._row = program.row_scale
        self._entry = size[program.columns] * self._row[program.rows]
        self._curved = size[program.hessian_rows] * size[program.hessian_columns]

    def bounds(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Bounds of the variables and of the rows, lower and upper."""
        program = self.program
        return (
            program.lower / self.size, program.upper / self.size,
            program.low * self._row, program.high * self._row,
        )  # fmt: skip

    def variables(self, w: np.ndarray) -> np.ndarray:
        """Variables v, those at a bound on it exactly."""
        return np.clip(w * self.size, self.program.lower, self.program.upper)

    def objective(self, w: np.ndarray) -> float:
        return self.cost_scale * self.program.objective(self.variables(w))

    def gradient(self, w: np.ndarray, out: np.ndarray) -> None:
        self.program.gradient(self.variables(w), out)
        out *= self.cost_scale * self.size

    def constraints(self, w: np.ndarray, out: np.ndarray) -> None:
        self.program.constraints(self.variables(w), out)
        out *= self._row

    def jacobian(self, w: np.ndarray, out: np.ndarray) -> None:
        self.program.jacobian(self.variables(w), out)
        out *= self._entry

    def hessian(self, w: np.ndarray, multipliers: np.ndarray, factor: float, out: np.ndarray) -> None:
        self.program.hessian(self.variables(w), multipliers * self._row, factor * self.cost_scale, out)
        out *= self._curved

    def multipliers(
        self, rows: np.ndarray, lower: np.ndarray, upper: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Multipliers of rows and bounds in units of the cost over their own."""
        return (
            rows * self._row / self.cost_scale,
            lower / (self.size * self.cost_scale),
            upper / (self.size * self.cost_scale),
        )
