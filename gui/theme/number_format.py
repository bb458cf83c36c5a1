"""Number formats: exact as typed, or rounded for display."""

from __future__ import annotations

from decimal import Decimal

from ...solver.netlist.yaml_writer import flow

ENOUGH = 3  # letters that a power of ten has to save
DUST = 1e-12  # round-off level, relative to a signal's peak


def number_text(number: float) -> str:
    """Shortest exact text of a number, 2e5 for 200000.0."""
    if not float(number).is_integer():
        return flow(number)
    plain = f"{Decimal(repr(number + 0.0)):f}".removesuffix(".0")  # int(1e23) has other digits
    digits = plain.lstrip("-")
    first, rest = digits[0], digits[1:].rstrip("0")
    short = f"{'-' * (number < 0)}{first}{'.' * bool(rest)}{rest}e{len(digits) - 1}"
    return short if len(short) + ENOUGH <= len(plain) else plain


def rounded(number: float, digits: int, sign: str = "") -> str:
    """Text of a number rounded for display, as 3.764e5; `sign` is `+` or empty."""
    return short_power(f"{number:{sign}.{digits}g}")


def short_power(text: str) -> str:
    """Text of a number with its power of ten as short as on axes: 2e5 of 2e+05."""
    digits, _, power = text.partition("e")
    return f"{digits}e{int(power)}" if power else digits


def round_off_noise(number: float, peak: float) -> float:
    """Number, or zero if it is below the round-off level of the signal's peak value."""
    return 0.0 if abs(number) < DUST * peak else number
