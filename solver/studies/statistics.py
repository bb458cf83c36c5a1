"""Statistics of samples: means, percentiles and pass rates with their confidence intervals, and Sobol indices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
RESAMPLES = 1000
_CHUNK = 50  # resamples at a time, so that memory stays flat


class Interval(NamedTuple):
    """An estimate and the interval that covers the true value with the confidence asked for; NaN where none does."""

    value: float
    low: float
    high: float


def mean(sample: Floats, confidence: float) -> Interval:
    """Mean with its interval by Student's distribution: exact for normal values, close for others from some tens on."""
    from scipy.special import stdtrit

    value = float(np.mean(sample))
    if len(sample) < 2:
        return Interval(value, np.nan, np.nan)
    half = float(stdtrit(len(sample) - 1, 0.5 + confidence / 2.0) * deviation(sample) / len(sample) ** 0.5)
    return Interval(value, value - half, value + half)


def deviation(sample: Floats) -> float:
    """Standard deviation of the population that the sample is from."""
    return float(np.std(sample, ddof=1)) if len(sample) > 1 else float("nan")


def percentile(sample: Floats, share: float, confidence: float) -> Interval:
    """Percentile with a distribution-free interval between two values of the sample.

    The number of values below the true percentile is binomial (David and Nagaraja, 2003, sec. 7.1).
    """
    ordered = np.sort(sample)
    low, high = percentile_ranks(len(ordered), share, confidence)
    return Interval(
        float(np.quantile(ordered, share)),
        float(ordered[low]) if low >= 0 else np.nan,
        float(ordered[high]) if high < len(ordered) else np.nan,
    )


def percentile_ranks(count: int, share: float, confidence: float) -> tuple[int, int]:
    """Places of the interval's ends in the sorted sample; -1 and `count` where the sample is too small for one."""
    from scipy.stats import binom

    tail = (1.0 - confidence) / 2.0
    return int(binom.ppf(tail, count, share)) - 1, int(binom.ppf(1.0 - tail, count, share))


def pass_rate(passed: int, count: int, confidence: float) -> Interval:
    """Wilson (1927): sound for few values, and where all of them pass or none."""
    from scipy.special import ndtri

    z = float(ndtri(0.5 + confidence / 2.0))
    rate = passed / count
    scale = 1.0 + z**2 / count
    middle = (rate + z**2 / (2 * count)) / scale
    half = z / scale * (rate * (1.0 - rate) / count + z**2 / (4 * count**2)) ** 0.5
    return Interval(rate, max(0.0, middle - half), min(1.0, middle + half))


class Indices(NamedTuple):
    """Shares of the variance by input: of each alone, and with all of its interactions."""

    first: list[Interval]
    total: list[Interval]


def sobol_indices(f_a: Floats, f_b: Floats, f_ab: Floats, confidence: float) -> Indices:
    """Sobol indices from the values at A (n), at B, and at A with one input from B (inputs, n).

    Saltelli et al. (2010), table 2: (b) for the first order, (f), Jansen's, for the total. The intervals are
    percentiles of a bootstrap over the points.
    """
    shift = np.mean(np.concatenate([f_a, f_b]))  # the estimators lose digits far from zero
    f_a, f_b, f_ab = f_a - shift, f_b - shift, f_ab - shift
    picks = np.arange(len(f_a))[None, :]
    first, total = (values[:, 0] for values in _estimates(f_a, f_b, f_ab, picks))
    rng = np.random.default_rng(0)
    again = [
        _estimates(f_a, f_b, f_ab, rng.integers(len(f_a), size=(_CHUNK, len(f_a))))
        for _ in range(RESAMPLES // _CHUNK)
    ]
    tails = [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0]
    columns = []
    for k, values in enumerate((first, total)):
        low, high = np.quantile(np.concatenate([one[k] for one in again], axis=1), tails, axis=1)
        columns.append([Interval(*map(float, row)) for row in zip(values, low, high, strict=True)])
    return Indices(*columns)


def _estimates(f_a: Floats, f_b: Floats, f_ab: Floats, picks: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """(inputs, resamples) of first-order and total indices."""
    a, b = f_a[picks], f_b[picks]
    variance = np.var(np.concatenate([a, b], axis=1), axis=1)
    first = np.stack([np.mean(b * (one[picks] - a), axis=1) / variance for one in f_ab])
    total = np.stack([np.mean((a - one[picks]) ** 2, axis=1) / (2.0 * variance) for one in f_ab])
    return first, total
