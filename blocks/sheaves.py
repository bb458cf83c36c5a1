"""Friction of the sheaves that a rope runs over: behind each of them its tension is another.

A rope from frame_a over n - 1 sheaves to frame_b has n segments; with several falls it comes back over the block at the
end, so that piece p of the whole way lies in segment `passed(p, n)`. The functions take lengths and rates of segments.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .generated import function_from


def passed(p, n):
    """The segment in which piece p lies: falls go there and back."""
    k = p % n
    return k if (p // n) % 2 == 0 else n - 1 - k


def over_sheave(speed, efficiency, slip_speed):
    """Tension behind a sheave as a share of that before it; the rope runs at the speed to what is behind."""
    return efficiency ** (-math.tanh(speed / slip_speed))


def first_strain(lengths, rates, natural, take_up, efficiency, slip_speed, falls):
    """Strain at frame_a: with strains in the ratios that the sheaves leave, all pieces add up to the natural length."""
    n = len(lengths)
    whole = 0.0
    for k in range(n):
        whole += falls[0] * lengths[k]
    e = whole / natural - 1.0
    if e <= 0.0:
        return e
    for _ in range(4):  # Newton's method, from the mean strain: errors fall from e^2 to e^4 and on
        left, slope, share, speed = -natural, 0.0, 1.0, -take_up
        for p in range(n * int(falls[0])):
            k = passed(p, n)
            stretch = 1.0 + share * e
            left += lengths[k] / stretch
            slope -= lengths[k] * share / (stretch * stretch)
            speed -= rates[k]
            share *= over_sheave(speed, efficiency, slip_speed)
        e -= left / slope
    return e


def pull_in(segment, rates, take_up, tension, efficiency, slip_speed, falls):
    """Tensions of all pieces that lie in a segment, added up."""
    n = len(rates)
    total, share, speed = 0.0, tension, -take_up
    for p in range(n * int(falls[0])):
        k = passed(p, n)
        if k == segment:
            total += share
        speed -= rates[k]
        share *= over_sheave(speed, efficiency, slip_speed)
    return total


def tension_at_end(rates, take_up, tension, efficiency, slip_speed, falls):
    """Behind the last sheave."""
    n = len(rates)
    share, speed = tension, -take_up
    for p in range(n * int(falls[0]) - 1):
        speed -= rates[passed(p, n)]
        share *= over_sheave(speed, efficiency, slip_speed)
    return share


def lost_in_sheaves(rates, take_up, tension, efficiency, slip_speed, falls):
    """Power: difference of the tensions times speed, of all sheaves."""
    n = len(rates)
    total, share, speed = 0.0, tension, -take_up
    for p in range(n * int(falls[0]) - 1):
        speed -= rates[passed(p, n)]
        behind = share * over_sheave(speed, efficiency, slip_speed)
        total += (behind - share) * speed
        share = behind
    return total


def energy_in_pieces(lengths, rates, natural, take_up, EA, efficiency, slip_speed, falls):
    """EA e^2 / 2 of each natural metre."""
    n = len(lengths)
    e = max(first_strain(lengths, rates, natural, take_up, efficiency, slip_speed, falls), 0.0)
    total, share, speed = 0.0, 1.0, -take_up
    for p in range(n * int(falls[0])):
        k = passed(p, n)
        strain = share * e
        total += 0.5 * EA * strain * strain * lengths[k] / (1.0 + strain)
        speed -= rates[k]
        share *= over_sheave(speed, efficiency, slip_speed)
    return total


HELPERS = (
    passed, over_sheave, first_strain, pull_in, tension_at_end, lost_in_sheaves, energy_in_pieces,
)  # fmt: skip
SHEAVES = "efficiency, slip_speed, falls"


def functions(segments: int, helpers: tuple[Callable[..., Any], ...]) -> dict[str, Callable[..., Any]]:
    """Those of a rope with friction in its sheaves, for so many segments."""
    lengths, rates = ("lengths", "rates") if segments > 1 else ("(lengths,)", "(rates,)")
    strain = f"first_strain({lengths}, {rates}, natural, take_up, {SHEAVES})"
    pulls = ", ".join(f"pull_in({k}, {rates}, take_up, tension, {SHEAVES})" for k in range(segments))
    texts = {
        "der": f"(natural, lengths, rates, take_up, {SHEAVES}):\n    return unwinding(take_up, {strain})\n",
        "out_tension": (
            f"(natural, lengths, rates, stretched, rate, take_up, EA, damping, {SHEAVES}):\n"
            "    mean = stretched / natural - 1.0\n"
            "    if mean <= 0.0:\n"
            "        return 0.0\n"
            f"    first = {strain}\n"
            "    return max(EA * first * damped_strain(natural, stretched, rate, take_up, damping) / mean, 0.0)\n"
        ),
        "out_pull": f"(rates, take_up, tension, {SHEAVES}):\n    return {pulls}\n",
        "out_end_tension": (
            f"(rates, take_up, tension, {SHEAVES}):\n"
            f"    return tension_at_end({rates}, take_up, tension, {SHEAVES})\n"
        ),
        "out_loss": (
            f"(rates, take_up, tension, {SHEAVES}):\n"
            f"    return lost_in_sheaves({rates}, take_up, tension, {SHEAVES})\n"
        ),
        "out_energy": (
            f"(natural, lengths, rates, take_up, EA, {SHEAVES}):\n"
            f"    return energy_in_pieces({lengths}, {rates}, natural, take_up, EA, {SHEAVES})\n"
        ),
    }
    return {
        role: function_from(f"def sheaves_{role}{text}", *HELPERS, *helpers) for role, text in texts.items()
    }
