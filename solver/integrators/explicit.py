"""Explicit Runge-Kutta steps of fixed length: Euler (order 1), Heun (2), the classical method of Kutta (4)."""

from __future__ import annotations

from ..machine.running import NOW, STEP, loop, rates


@loop
def euler(run):
    """x + h f(t, x)."""
    t, h, x, work = run.real[NOW], run.real[STEP], run.x, run.work
    k1 = work[0]
    rates(run, t, x, k1)
    for j in range(x.shape[0]):
        x[j] += h * k1[j]


@loop
def heun(run):
    """The explicit trapezoidal rule."""
    t, h, x, work = run.real[NOW], run.real[STEP], run.x, run.work
    k1, k2, z = work[0], work[1], work[2]
    n = x.shape[0]
    rates(run, t, x, k1)
    for j in range(n):
        z[j] = x[j] + h * k1[j]
    rates(run, t + h, z, k2)
    for j in range(n):
        x[j] += 0.5 * h * (k1[j] + k2[j])


@loop
def rk4(run):
    """Kutta (1901): slopes at the start, twice in the middle, at the end."""
    t, h, x, work = run.real[NOW], run.real[STEP], run.x, run.work
    k1, k2, k3, k4, z = work[0], work[1], work[2], work[3], work[4]
    n = x.shape[0]
    rates(run, t, x, k1)
    for j in range(n):
        z[j] = x[j] + 0.5 * h * k1[j]
    rates(run, t + 0.5 * h, z, k2)
    for j in range(n):
        z[j] = x[j] + 0.5 * h * k2[j]
    rates(run, t + 0.5 * h, z, k3)
    for j in range(n):
        z[j] = x[j] + h * k3[j]
    rates(run, t + h, z, k4)
    for j in range(n):
        x[j] += h / 6.0 * (k1[j] + 2.0 * (k2[j] + k3[j]) + k4[j])
