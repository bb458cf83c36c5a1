"""Friction of the sheaves that a rope runs over: behind each of them its tension is another.

A rope from frame_a over n - 1 sheaves to frame_b has n segments; with several falls it comes back over the block at the
end, so that piece p of the whole way lies in segment `segment_of_piece(p, n)`. The functions take lengths and rates of
segments.

The rope keeps one natural length. Its energy is that of rest at its length, and all that its forces while it runs do
beyond that is lost: with this definition power in = rate of energy + loss, whatever moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..text.generated_functions import function_from


def segment_of_piece(p, n):
    """The segment in which piece p lies: falls go there and back."""
    k = p % n
    return k if (p // n) % 2 == 0 else n - 1 - k


def creep_rate(stretched, rate, take_up):
    """Strain rate of the rope by stretch alone, taken as equal all along it [1/s]."""
    return (rate + take_up) / stretched if stretched > 0.0 else 0.0


def tension_ratio(speed, efficiency, slip_speed):
    """Tension behind a sheave as a share of that before it; the rope runs at the speed to what is behind."""
    return efficiency ** (-math.tanh(speed / slip_speed))


def first_strain(natural, lengths, rates, creep, take_up, efficiency, slip_speed, falls):
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
            k = segment_of_piece(p, n)
            stretch = 1.0 + share * e
            left += lengths[k] / stretch
            slope -= lengths[k] * share / (stretch * stretch)
            speed += creep * lengths[k] - rates[k]
            share *= tension_ratio(speed, efficiency, slip_speed)
        e -= left / slope
    return e


def pull_in(segment, tension, lengths, rates, creep, take_up, efficiency, slip_speed, falls):
    """Tensions of all pieces that lie in a segment, added up."""
    n = len(rates)
    total, share, speed = 0.0, tension, -take_up
    for p in range(n * int(falls[0])):
        k = segment_of_piece(p, n)
        if k == segment:
            total += share
        speed += creep * lengths[k] - rates[k]
        share *= tension_ratio(speed, efficiency, slip_speed)
    return total


def tension_at_end(tension, lengths, rates, creep, take_up, efficiency, slip_speed, falls):
    """Tension behind the last sheave [N]."""
    n = len(rates)
    share, speed = tension, -take_up
    for p in range(n * int(falls[0]) - 1):
        k = segment_of_piece(p, n)
        speed += creep * lengths[k] - rates[k]
        share *= tension_ratio(speed, efficiency, slip_speed)
    return share


def power_lost(work, natural, stretched, rate, take_up, tension, first, EA):
    """Power dissipated in the sheaves [W].

    It is what drum and frames put in, less the rate of EA e^2 L / 2 and less what goes onto the drum with its strain
    there.
    """
    mean, at_drum = max(stretched / natural - 1.0, 0.0), max(first, 0.0)
    onto = take_up / (1.0 + at_drum)
    stored = mean * rate + (mean + 0.5 * (mean * mean + at_drum * at_drum)) * onto
    return tension * take_up + work - EA * stored


HELPERS = (segment_of_piece, creep_rate, tension_ratio, first_strain, pull_in, tension_at_end, power_lost)
INPUTS = "lengths, rates, stretched, rate, take_up, efficiency, slip_speed, falls"


def sheave_functions(
    segments: int, helpers: tuple[Callable[..., object], ...]
) -> dict[str, Callable[..., object]]:
    """Functions of a rope with friction in its sheaves, for a number of segments."""
    lengths, rates, work = "(lengths,)", "(rates,)", "pull * rates"
    if segments > 1:
        lengths, rates = "lengths", "rates"
        work = " + ".join(f"pull[{k}] * rates[{k}]" for k in range(segments))
    way = f"{lengths}, {rates}, creep_rate(stretched, rate, take_up), take_up, efficiency, slip_speed, falls"
    strain = f"first_strain(natural, {way})"
    pulls = ", ".join(f"pull_in({k}, tension, {way})" for k in range(segments))
    texts = {
        "der": f"(natural, {INPUTS}):\n    return natural_length_rate(take_up, {strain})\n",
        "out_tension": (
            f"(natural, EA, damping, {INPUTS}):\n"
            "    if natural <= 0.0:\n"
            "        return math.nan\n"
            "    mean = stretched / natural - 1.0\n"
            "    if mean <= 0.0:\n"
            "        return 0.0\n"
            f"    first = {strain}\n"
            "    return max(EA * first * damped_strain(natural, stretched, rate, take_up, damping) / mean, 0.0)\n"
        ),
        "out_pull": f"(tension, {INPUTS}):\n    return {pulls}\n",
        "out_end_tension": f"(tension, {INPUTS}):\n    return tension_at_end(tension, {way})\n",
        "out_loss": (
            f"(natural, EA, pull, tension, {INPUTS}):\n"
            f"    return power_lost({work}, natural, stretched, rate, take_up, tension, {strain}, EA)\n"
        ),
    }
    return {
        role: function_from(f"def sheaves_{role}{text}", *HELPERS, *helpers) for role, text in texts.items()
    }
