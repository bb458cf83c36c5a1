"""Explicit Runge-Kutta steps of fixed length: Euler (order 1), Heun (2), the classical method of Kutta (4)."""

from __future__ import annotations

from ..jit import compiled, jit
from ..kernels.table import STEP
from ..layout import STOPS

SHORT = 8  # parts of a step over a kink


@compiled(STEP)
def euler(rhs, t, h, x, work, p, mem, m, d, k):
    """x + h f(t, x)."""
    k1 = work[0]
    rhs(t, x, k1, p, mem, m, d, k)
    for j in range(x.shape[0]):
        x[j] += h * k1[j]


@compiled(STEP)
def heun(rhs, t, h, x, work, p, mem, m, d, k):
    """The explicit trapezoidal rule."""
    k1, k2, z = work[0], work[1], work[2]
    n = x.shape[0]
    rhs(t, x, k1, p, mem, m, d, k)
    for j in range(n):
        z[j] = x[j] + h * k1[j]
    rhs(t + h, z, k2, p, mem, m, d, k)
    for j in range(n):
        x[j] += 0.5 * h * (k1[j] + k2[j])


@jit
def kutta(rhs, t, h, x, work, p, mem, m, d, k):
    """The four slopes of a step of Kutta (1901); true when an end stop begins, ends or changes its law on the way."""
    k1, k2, k3, k4, z = work[0], work[1], work[2], work[3], work[4]
    n = x.shape[0]
    rhs(t, x, k1, p, mem, m, d, k)
    first = d.scalar[STOPS]
    for j in range(n):
        z[j] = x[j] + 0.5 * h * k1[j]
    rhs(t + 0.5 * h, z, k2, p, mem, m, d, k)
    second = d.scalar[STOPS]
    for j in range(n):
        z[j] = x[j] + 0.5 * h * k2[j]
    rhs(t + 0.5 * h, z, k3, p, mem, m, d, k)
    third = d.scalar[STOPS]
    for j in range(n):
        z[j] = x[j] + h * k3[j]
    rhs(t + h, z, k4, p, mem, m, d, k)
    return second != first or third != first or d.scalar[STOPS] != first


@compiled(STEP)
def rk4(rhs, t, h, x, work, p, mem, m, d, k):
    """Kutta (1901): slopes at the start, twice in the middle, at the end.

    A step over a kink of the force has order 2 and no more: one in which an end stop is met, left, or leaves its
    fade-in is taken as `SHORT` steps, or a bounce would gain or lose some 1e-3 of its energy.
    """
    count = SHORT if kutta(rhs, t, h, x, work, p, mem, m, d, k) else 1
    for s in range(count):
        if count > 1:
            kutta(rhs, t + s * h / count, h / count, x, work, p, mem, m, d, k)
        for j in range(x.shape[0]):
            x[j] += h / count / 6.0 * (work[0, j] + 2.0 * (work[1, j] + work[2, j]) + work[3, j])
