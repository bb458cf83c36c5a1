"""Numbers as one would type them."""

from __future__ import annotations

from ...solver.netlist.writer import flow

ENOUGH = 3  # letters that a power of ten has to save


def typed(number: float) -> str:
    """2e5, not 200000.0; nothing is rounded."""
    if not float(number).is_integer():
        return flow(number)
    plain = str(int(number))
    digits = plain.lstrip("-")
    first, rest = digits[0], digits[1:].rstrip("0")
    short = f"{'-' * (number < 0)}{first}{'.' * bool(rest)}{rest}e{len(digits) - 1}"
    return short if len(short) + ENOUGH <= len(plain) else plain
