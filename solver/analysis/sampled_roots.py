"""Roots of a part of a model with samplers: eigenvalues of the map over the period after which they come round.

A map knows exp(s T) alone, and so s but for multiples of 2 pi j / T. What moves between the samples tells them apart:
x(t) = exp(s t) p(t) with p periodic, and of all s that the map allows the one is taken whose p is most of a constant.
"""

from __future__ import annotations

import math

import numpy as np

from .eigenvalues import EPS, Complex, Eigenvalues, Real, eigenvalues, nearest
from .sampled_loops import MapPeriod, SampledLoop, SampledSteps, period_map

NOISE = 8.0  # roundings of one step
MOST_HARMONICS = 4000  # of half of the sampling frequency, that are looked at
CLEARLY = 2.0  # times that a faster motion has to be larger than that below half of the sampling frequency


def map_eigenvalues(loop: SampledLoop, pace: MapPeriod) -> tuple[Eigenvalues, np.ndarray]:
    """Multipliers z of a period with bounds, and the map."""
    Phi = period_map(loop, pace)[0]
    n, held = len(loop.A), loop.samplers
    period, size = pace.step * pace.count, abs(Phi)
    if not n and not loop.delays and pace.count == 1:
        return eigenvalues(Phi, loop.E[np.ix_(held, held)]), Phi  # handed on without any sum
    error = EPS * (NOISE + pace.count) * size
    if n:
        error[:, :n] += size[:, :n] @ (loop.E[:n, :n] * period)
        error[:, n : n + len(held)] += size[:, :n] @ loop.E[:n, n:][:, held] * period
        seen = loop.E[n:][held][:, :n] @ (size[:n] + np.eye(len(Phi))[:n])
        error[n : n + len(held)] += seen
        error[:n] += period * abs(loop.B[:, held]) @ seen
    return eigenvalues(Phi, error, chains=True), Phi


def aliased_rates(z: Complex, period: float) -> Complex:
    """s = ln z / T, up to half of the sampling frequency; minus infinity where z is 0."""
    with np.errstate(divide="ignore"):
        values = np.log(abs(z)) / period + 1j * np.angle(z) / period
    return np.where(z == 0.0, complex(-np.inf, 0.0), values).astype(complex)


def roots_of_multipliers(z: Eigenvalues, period: float) -> Real:
    """Bounds of s = ln z / T from bounds of z [1/s]."""
    share = z.bounds / np.maximum(abs(z.values), 1e-300)
    with np.errstate(divide="ignore"):
        return np.where(share < 1.0, -np.log1p(-np.minimum(share, 1.0 - EPS)) / period, np.inf)


def vectors_of(Phi: np.ndarray, z: Complex) -> Complex:
    """Eigenvectors of a map for these of its eigenvalues, as columns."""
    values, vectors = np.linalg.eig(Phi)
    return vectors[:, nearest(z, values)].astype(complex)


def unaliased_rates(loop: SampledLoop, pace: MapPeriod, z: Complex, vectors: Complex) -> Complex:
    """s of each z, with the multiple of 2 pi j / T that the motion between samples shows."""
    period = pace.step * pace.count
    s, turn = aliased_rates(z, period), 2.0 * np.pi / period
    own = np.linalg.eigvals(loop.A).imag if len(loop.A) else np.zeros(0)
    orders = [
        np.union1d(found[abs(found) < MOST_HARMONICS], [0.0])
        for found in (np.round((own - one.imag) / turn) for one in s)
    ]
    some = [k for k in range(len(z)) if len(orders[k]) > 1 and np.isfinite(s[k])]
    if not some:
        return s
    begun, ended = between(loop, pace, vectors[:, some])
    for column, k in enumerate(some):
        tried = s[k] + 1j * turn * orders[k]
        sizes = [share(loop, pace, complex(one), begun[:, :, column], ended[:, :, column]) for one in tried]
        best = int(np.argmax(sizes))
        if sizes[best] > CLEARLY * sizes[int(np.flatnonzero(orders[k] == 0.0)[0])]:
            s[k] = tried[best]
    return s


def between(loop: SampledLoop, pace: MapPeriod, vectors: Complex) -> tuple[Complex, Complex]:
    """Outputs of the memories at the start and before the end of each step, along the motions of eigenvectors."""
    begin = np.vstack([vectors, np.zeros((loop.G.shape[1], vectors.shape[1]))]).astype(complex)
    steps = SampledSteps(loop, pace, begin)
    begun, ended = [], []
    for number in range(pace.count):
        steps.write(number)
        begun.append(steps.memory_outputs())
        ended.append(steps.memory_outputs(later=True))
        steps.advance()
    return np.array(begun, complex), np.array(ended, complex)


def share(loop: SampledLoop, pace: MapPeriod, s: complex, begun: Complex, ended: Complex) -> float:
    """|integral of exp(-s t) x(t)| over a period: X of s X = A X + B W, since exp(-s t) x(t) is periodic."""
    h, a = pace.step, s * pace.step
    # integrals of exp(-s t) and exp(-s t) t / h over a step
    if abs(a) < 1e-4:
        level, slope = h * (1.0 - a / 2.0), h * (0.5 - a / 3.0)
    else:
        level, slope = h * (1.0 - np.exp(-a)) / a, h * (1.0 - (1.0 + a) * np.exp(-a)) / a**2
    W = np.exp(-a * np.arange(pace.count)) @ (level * begun + slope * (ended - begun))
    try:
        X = np.linalg.solve(s * np.eye(len(loop.A)) - loop.A, loop.B @ W)
    except np.linalg.LinAlgError:  # a motion of its own, which no sampler drives
        return math.inf
    return float(np.linalg.norm(X))
