"""Explicit Runge-Kutta steps of fixed length: Euler (order 1), Heun (2), the classical method of Kutta (4)."""

from __future__ import annotations

import math

from ..codegen.jit import helper
from ..kernels.model_data import SCALARS
from .run_data import AT_STOPS, COMPONENTS, LOCATE, NOW, STEP, loop, stage

SHORT = 8  # parts of a step over a kink


@loop
def euler(run):
    """x + h f(t, x)."""
    t, h, x, work = run.real[NOW], run.real[STEP], run.x, run.work
    k1 = work[0]
    stage(run, t, x, k1)
    for j in range(x.shape[0]):
        x[j] += h * k1[j]


@loop
def heun(run):
    """The explicit trapezoidal rule."""
    t, h, x, work = run.real[NOW], run.real[STEP], run.x, run.work
    k1, k2, z = work[0], work[1], work[2]
    n = x.shape[0]
    stage(run, t, x, k1)
    for j in range(n):
        z[j] = x[j] + h * k1[j]
    stage(run, t + h, z, k2)
    for j in range(n):
        x[j] += 0.5 * h * (k1[j] + k2[j])


@helper
def stops_of(run):
    """A number for the set of end stops that touch, of all mechanisms."""
    total = 0.0
    for k in range(run.number[COMPONENTS]):
        total += math.sqrt(4.0 * k + 1.0) * run.w[run.number[AT_STOPS] + k * SCALARS]
    return total


@helper
def rk4_slopes(run, t, h):
    """The four slopes of a step of Kutta (1901); true when an end stop begins, ends or changes its law on the way."""
    x, work = run.x, run.work
    k1, k2, k3, k4, z = work[0], work[1], work[2], work[3], work[4]
    n = x.shape[0]
    stage(run, t, x, k1)
    first = stops_of(run)
    for j in range(n):
        z[j] = x[j] + 0.5 * h * k1[j]
    stage(run, t + 0.5 * h, z, k2)
    second = stops_of(run)
    for j in range(n):
        z[j] = x[j] + 0.5 * h * k2[j]
    stage(run, t + 0.5 * h, z, k3)
    third = stops_of(run)
    for j in range(n):
        z[j] = x[j] + h * k3[j]
    stage(run, t + h, z, k4)
    return second != first or third != first or stops_of(run) != first


@loop
def rk4(run):
    """Kutta (1901): slopes at the start, twice in the middle, at the end.

    A step over a kink of the force has order 2 and no more: one in which an end stop is met, left, or leaves its
    fade-in is taken as `SHORT` steps, or a bounce would gain or lose some 1e-3 of its energy. Where changes are
    located (`event_location.py`), no step has a kink within.
    """
    t, h, x, work = run.real[NOW], run.real[STEP], run.x, run.work
    count = SHORT if rk4_slopes(run, t, h) and run.number[LOCATE] == 0 else 1
    for s in range(count):
        if count > 1:
            rk4_slopes(run, t + s * h / count, h / count)
        for j in range(x.shape[0]):
            x[j] += h / count / 6.0 * (work[0, j] + 2.0 * (work[1, j] + work[2, j]) + work[3, j])
