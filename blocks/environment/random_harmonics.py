"""A random process as a sum of harmonics with random phases (Rice), from the energy that it has below each frequency.

Half of the bins share the energy evenly, half the logarithm of the frequency: peaks are resolved, and so are tails. A
harmonic stands at a random place of its bin, so that frequencies have no common divisor and nothing repeats early; its
amplitude carries the energy of the bin to rounding, whatever the seed.
"""

from __future__ import annotations

import math

import numpy as np

from ..signals.signal_sources import hash_uniform

NEAR = 1e6  # [rad] as `LARGE` of luff's own sine
PLACE, PHASE = 11, 12  # salts of the two random numbers of a harmonic
SEA, AIR = 0, 1  # kinds of processes


def harmonics(
    frequency: np.ndarray, energy: np.ndarray, count: int, seed: int, kind: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Frequencies, amplitudes and phases; `energy` grows from 0 to the variance over the grid `frequency`.

    Processes of different `kind` with one seed have nothing to do with each other.
    """
    place = np.log(frequency / frequency[0])
    share = 0.5 * (energy / energy[-1] + place / place[-1])
    edges = np.exp(np.interp(np.linspace(0.0, 1.0, count + 1), share, np.log(frequency)))
    edges[0], edges[-1] = frequency[0], frequency[-1]
    within = np.array([hash_uniform(seed, k, kind, PLACE) for k in range(count)])
    phase = np.array([2.0 * math.pi * hash_uniform(seed, k, kind, PHASE) for k in range(count)])
    amplitude = np.sqrt(2.0 * np.diff(np.interp(edges, frequency, energy)))
    return edges[:-1] + within * np.diff(edges), amplitude, phase


def harmonic_sum(t, tones, first, last):
    """Value, rate and acceleration of a sum of cosines, of frequency, amplitude and phase of each from `first` on."""
    so_far, k = (0.0, 0.0, 0.0), first
    while k < last:
        if k + 12 <= last and four_angles_moderate(t, tones, k):
            a, b = angle_of(t, tones, k), angle_of(t, tones, k + 3)
            c, d = angle_of(t, tones, k + 6), angle_of(t, tones, k + 9)
            so_far = add_harmonic(so_far, tones, k, math.cos(a), math.sin(a))
            so_far = add_harmonic(so_far, tones, k + 3, math.cos(b), math.sin(b))
            so_far = add_harmonic(so_far, tones, k + 6, math.cos(c), math.sin(c))
            so_far = add_harmonic(so_far, tones, k + 9, math.cos(d), math.sin(d))
            k += 12
        else:
            a = angle_of(t, tones, k)
            so_far = add_harmonic(so_far, tones, k, math.cos(a), math.sin(a))
            k += 3
    return so_far


def add_harmonic(so_far, tones, k, c, s):
    """Sum of harmonics with the next one added."""
    w, a = tones[k], tones[k + 1]
    return so_far[0] + a * c, so_far[1] - w * a * s, so_far[2] - w * w * (a * c)


def angle_of(t, tones, k):
    return tones[k] * t + tones[k + 2]


def four_angles_moderate(t, tones, k):
    """True if the angles of the next four tones are moderate, so that their cosines are computed in one register."""
    a, b = abs(angle_of(t, tones, k)) <= NEAR, abs(angle_of(t, tones, k + 3)) <= NEAR
    c, d = abs(angle_of(t, tones, k + 6)) <= NEAR, abs(angle_of(t, tones, k + 9)) <= NEAR
    return a & b & c & d


def smooth_ramp(t, duration):
    """0 before 0, 1 after the duration, between them s^3 (10 - 15 s + 6 s^2); with its two rates."""
    if t >= duration:
        return 1.0, 0.0, 0.0
    if t <= 0.0:
        return 0.0, 0.0, 0.0
    s = t / duration
    rate = 30.0 * s * s * (1.0 - s) * (1.0 - s) / duration
    second = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / (duration * duration)
    return s * s * s * (10.0 - 15.0 * s + 6.0 * s * s), rate, second


def product_of_motions(motion, factor):
    """The product of two motions, by the product rule."""
    y, v, a = motion
    r, r_1, r_2 = factor
    return r * y, r * v + r_1 * y, r * a + 2.0 * r_1 * v + r_2 * y
