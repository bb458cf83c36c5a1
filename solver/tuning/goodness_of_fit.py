"""Goodness of a fit: its estimates, the residuals of each experiment, and reasons not to believe them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from .measured_signals import MeasuredExperiment

AT_BOUND = "at its {} bound"
LAGS = 20  # most autocorrelations of the test (Box, Jenkins and Reinsel 1994): they choose its power, not its level
EVEN = 1e-3  # of the mean distance: as far as rows may be off, rounded in a file, that a lag is one time to within it


@dataclass
class Estimate:
    """Estimate of a parameter: value, standard error, bounds, and what is odd about it.

    `interval` is that of 95 % by profile likelihood, where it was asked for: infinite where it leaves the bounds, NaN
    where no end was found.
    """

    name: str
    value: float
    error: float
    lower: float
    upper: float
    note: str = ""
    interval: tuple[float, float] | None = None


@dataclass
class Experiment:
    """Measured and computed signals."""

    measured: MeasuredExperiment
    computed: np.ndarray  # (signals, times)
    held_out: bool = False  # from the fit, for which it says how well it predicts
    before: np.ndarray | None = None  # as `computed`, of the model as it is; None where that is not known
    units: Mapping[str, str] = field(default_factory=dict)  # of the signals, SI

    def rms(self) -> dict[str, float]:
        return self._rms_of(self.computed)

    def rms_before(self) -> dict[str, float]:
        """rms of the residuals of the model as it is, by signal; empty where that is not known."""
        return {} if self.before is None else self._rms_of(self.before)

    def _rms_of(self, curves: np.ndarray) -> dict[str, float]:
        off = curves - self.measured.values
        return dict(zip(self.measured.signals, np.sqrt(np.mean(off**2, axis=1)).tolist(), strict=True))

    def whiteness(self) -> dict[str, float]:
        """Probability that white noise has residuals as correlated as these, by signal (Ljung-Box); NaN: unknown."""
        off = self.computed - self.measured.values
        found = [ljung_box(self.measured.time, row) for row in off]
        return dict(zip(self.measured.signals, found, strict=True))


def ljung_box(time: np.ndarray, residuals: np.ndarray) -> float:
    """p-value of Ljung and Box's test (1978, Biometrika 65) on the first LAGS autocorrelations, or a fifth of the rows.

    NaN where times are not evenly spaced, rows are too few, or residuals do not vary.
    """
    from scipy.stats import chi2

    n, spaces = len(residuals), np.diff(time)
    lags = min(LAGS, n // 5)
    e = residuals - residuals.mean()
    size = float(e @ e)
    if lags < 1 or np.ptp(spaces) > EVEN * spaces.mean() or not size > 0.0:
        return float("nan")
    r = np.array([e[k:] @ e[:-k] for k in range(1, lags + 1)]) / size
    return float(chi2.sf(n * (n + 2.0) * np.sum(r**2 / (n - np.arange(1.0, lags + 1))), lags))


def fit_doubts(
    estimates: Sequence[Estimate], experiments: Sequence[Experiment], units: Mapping[str, str]
) -> list[str]:
    """Reasons not to believe a fit: signals with R^2 <= 0, and unknowns that end at a bound.

    R^2 = 1 - sum of squared residuals / sum of squared deviations from the mean of the data is not above zero where the
    rms of the residuals is not below the deviation of the data: their mean alone explains as much. Of data that are
    constant the absolute value stands for the deviation.
    """
    said = [
        each
        for k, experiment in enumerate(experiments, 1)
        for each in _unexplained_signal(experiment, k, units)
    ]
    bounds = [AT_BOUND.format(side) for side in ("lower", "upper")]
    return said + [
        f"{each.name} is {each.note}, so that its best value may lie beyond"
        for each in estimates
        if each.note in bounds
    ]


def _unexplained_signal(experiment: Experiment, number: int, units: Mapping[str, str]) -> Iterator[str]:
    data = experiment.measured
    for (name, rms), size, weight in zip(experiment.rms().items(), data.size, data.weight, strict=True):
        if weight > 0.0 and rms != 0.0 and not rms < size:
            unit = f" {units.get(name, '')}".rstrip()
            own = "absolute value" if np.ptp(data.values[data.signals.index(name)]) == 0.0 else "deviation"
            yield (
                f"the fit does not explain {name} of experiment {number}: its residuals have an rms of "
                f"{rms:.4g}{unit}, the measured values a{'n' * (own[0] == 'a')} {own} of {size:.4g}{unit}"
            )
