"""Partner of the block `observer`: an extended Kalman filter over the model that it names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...blocks.errors import LuffError, Problem, did_you_mean
from ...blocks.external_block import ModelBlock
from ...blocks.foreign.observer import Observer
from ..simulation.simulation import Simulation
from .extended_kalman import corrected, predicted
from .model_of_block import check_units, model_of
from .sampled_model import SampledModel


def open_partner(block: ModelBlock) -> ObserverPartner:
    """Compile the model of an observer."""
    assert isinstance(block, Observer)
    return model_of(block, lambda sim: ObserverPartner(block, sim))


class ObserverPartner:
    """Estimate z = [x, p] of states and parameters, with its covariance P, predicted for the next sample."""

    def __init__(self, block: Observer, sim: Simulation):
        self.block, self.sim = block, sim
        self.parameters = [one.name for one in block.parameters]
        self.measured = [one.signal for one in block.measured]
        driven = [one.input for one in block.noise]
        inputs = list(dict.fromkeys([*block.inputs, *driven]))
        kept = {*sim.state_names, *self.parameters}
        shown = [name for name in block.names() if name not in kept]
        signals = list(dict.fromkeys([*self.measured, *shown]))
        p = np.array([float(one.start) for one in block.parameters])
        deviations = np.array([float(one.deviation) for one in block.parameters])
        walk = np.array([float(one.drift) for one in block.parameters])
        sizes = np.maximum.reduce([abs(p), deviations, walk])
        measured, driving = ("signal", block.measured), ("input", block.noise)
        known = {"uncertain": ("state", block.uncertain), "parameters": ("name", block.parameters)}
        check_units(sim, {"measured": measured, "noise": driving, **known})
        for k, name in enumerate(self.parameters):
            sim.set(name, float(p[k]))
        self.model = SampledModel(
            sim, inputs, signals, self.parameters, block.step, np.where(sizes > 0.0, sizes, 1.0)
        )
        names, n = self.model.state_names, self.model.n
        start, spread, drift = self.model.points.x0[:n].copy(), np.zeros(n), np.zeros(n)
        for k, one in enumerate(block.uncertain):
            if one.state not in names:
                fix = did_you_mean(one.state, names)
                raise LuffError(Problem(f"the model has no state {one.state}", f"uncertain[{k}].state", fix))
            at = names.index(one.state)
            start[at] = start[at] if one.start is None else one.start
            spread[at], drift[at] = one.deviation, one.drift
        self.n = n
        self.z = np.concatenate([start, p])
        self.P = np.diag(np.concatenate([spread, deviations]) ** 2)
        self.Q = np.diag(np.concatenate([drift, walk]) ** 2 * block.step)
        self.W = np.diag([float(one.deviation) ** 2 for one in block.noise])
        self.R = np.diag([float(one.noise) ** 2 for one in block.measured])
        self._driven = [inputs.index(name) for name in driven]
        self._told = [inputs.index(name) for name in block.inputs]
        self.u = self.model.initial_inputs()
        self._seen = [signals.index(name) for name in self.measured]
        self._shown = [(name, signals.index(name) if name in signals else -1) for name in block.names()]
        self.lower = np.array([-np.inf if one.lower is None else one.lower for one in block.parameters])
        self.upper = np.array([np.inf if one.upper is None else one.upper for one in block.parameters])
        self.innovation, self.normalised = np.zeros(len(self.measured)), 0.0

    def outputs(self, t: float) -> Sequence[float]:
        """Estimates for t with their deviations, and the innovation of the last sample."""
        x, p = self.z[: self.n], self.z[self.n :]
        rows, values = [], []
        y, H = self._signals(x, p)
        for name, at in self._shown:
            row = np.zeros(len(self.z))
            if name in self.parameters:
                k = self.n + self.parameters.index(name)
                row[k], value = 1.0, self.z[k]
            elif name in self.model.state_names:
                k = self.model.state_names.index(name)
                row[k], value = 1.0, self.z[k]
            else:
                row, value = H[at], y[at]
            rows.append(row)
            values.append(value)
        C = np.array(rows)
        deviations = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", C, self.P, C), 0.0))
        return [*values, *deviations, *self.innovation, self.normalised]

    def inputs(self, t: float, values: Sequence[float]) -> None:
        """Correct by what is measured, and predict the next sample with the inputs held."""
        count = len(self.measured)
        measured = np.array(values[:count])
        self.u[self._told] = values[count:]
        y, H = self._signals(self.z[: self.n], self.z[self.n :])
        self.innovation = measured - y[self._seen]
        step, self.P, self.normalised = corrected(self.P, H[self._seen], self.R, self.innovation)
        self.z = self.z + step
        self.z[self.n :] = np.clip(self.z[self.n :], self.lower, self.upper)
        self._predict()

    def _predict(self) -> None:
        """Carry the estimate and its covariance to the next sample."""
        n = self.n
        x, by_x, by_p, by_u = self.model.advance(self.z[:n], self.z[n:], self.u)
        if not np.isfinite(x).all():
            raise LuffError(
                Problem("the prediction left all bounds", "model", "sample faster, or give bounds")
            )
        F = np.eye(len(self.z))
        F[:n, :n], F[:n, n:] = by_x, by_p
        G = np.zeros((len(self.z), len(self._driven)))
        G[:n] = by_u[:, self._driven]
        self.z[:n] = x
        self.P = predicted(self.P, F, G, self.W, self.Q)

    def _signals(self, x: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Signals at the estimate, and their derivatives by z."""
        y, by_x, by_p = self.model.signals(x, p, self.u)
        return y, np.hstack([by_x, by_p])

    def close(self) -> None:
        """Nothing to end."""
