"""Explicit Runge-Kutta steps of fixed length: Euler (order 1), Heun (2), the classical method of Kutta (4)."""

from __future__ import annotations

from ..jit import compiled
from ..kernels.table import STEP


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


@compiled(STEP)
def rk4(rhs, t, h, x, work, p, mem, m, d, k):
    """Kutta (1901): slopes at the start, twice in the middle, at the end."""
    k1, k2, k3, k4, z = work[0], work[1], work[2], work[3], work[4]
    n = x.shape[0]
    rhs(t, x, k1, p, mem, m, d, k)
    for j in range(n):
        z[j] = x[j] + 0.5 * h * k1[j]
    rhs(t + 0.5 * h, z, k2, p, mem, m, d, k)
    for j in range(n):
        z[j] = x[j] + 0.5 * h * k2[j]
    rhs(t + 0.5 * h, z, k3, p, mem, m, d, k)
    for j in range(n):
        z[j] = x[j] + h * k3[j]
    rhs(t + h, z, k4, p, mem, m, d, k)
    for j in range(n):
        x[j] += h / 6.0 * (k1[j] + 2.0 * (k2[j] + k3[j]) + k4[j])
