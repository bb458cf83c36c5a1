"""Partner of the block `observer`: an extended or unscented Kalman filter over the model that it names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...blocks.errors import LuffError, Problem, did_you_mean
from ...blocks.external_block import ModelBlock
from ...blocks.foreign.observer import Observer
from ..simulation.simulation import Simulation
from .extended_kalman import ExtendedFilter
from .kalman_estimate import KalmanEstimate, KalmanFilter
from .model_of_block import check_units, model_of
from .sampled_model import SampledModel
from .unscented_kalman import UnscentedFilter

FILTERS = {"extended": ExtendedFilter, "unscented": UnscentedFilter}


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
        signals_of_states = {name: k for k, name in enumerate([*names, *self.parameters])}
        self._shown = [(signals_of_states.get(name), name) for name in block.names()]
        self._signals = signals
        self.estimate = KalmanEstimate(
            self.model,
            z=np.concatenate([start, p]),
            P=np.diag(np.concatenate([spread, deviations]) ** 2),
            Q=np.diag(np.concatenate([drift, walk]) ** 2 * block.step),
            W=np.diag([float(one.deviation) ** 2 for one in block.noise]),
            R=np.diag([float(one.noise) ** 2 for one in block.measured]),
            driven=[inputs.index(name) for name in driven],
            seen=[signals.index(name) for name in self.measured],
            lower=np.array([-np.inf if one.lower is None else one.lower for one in block.parameters]),
            upper=np.array([np.inf if one.upper is None else one.upper for one in block.parameters]),
        )
        self.filter: KalmanFilter = FILTERS[block.filter](self.estimate)
        self._told = [inputs.index(name) for name in block.inputs]
        self.u = self.model.initial_inputs()
        self.innovation, self.normalised = np.zeros(len(self.measured)), 0.0

    def outputs(self, t: float) -> Sequence[float]:
        """Estimates for t with their deviations, and the innovation of the last sample."""
        at = self.estimate
        y, around = self.filter.expected(self.u)
        own = np.sqrt(np.maximum(np.diag(at.P), 0.0))
        values, deviations = [], []
        for k, name in self._shown:
            place = self._signals.index(name) if k is None else k
            values.append(y[place] if k is None else at.z[k])
            deviations.append(around[place] if k is None else own[k])
        return [*values, *deviations, *self.innovation, self.normalised]

    def inputs(self, t: float, values: Sequence[float]) -> None:
        """Correct by what is measured, and predict the next sample with the inputs held."""
        count = len(self.measured)
        self.u[self._told] = values[count:]
        self.innovation, self.normalised = self.filter.correct(np.array(values[:count]), self.u)
        self.filter.predict(self.u)
        if not np.isfinite(self.estimate.z).all():
            raise LuffError(
                Problem("the prediction left all bounds", "model", "sample faster, or give bounds")
            )

    def close(self) -> None:
        """Nothing to end."""
