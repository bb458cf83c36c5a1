"""Number formats: exact as typed, or rounded for display."""

from __future__ import annotations

import math
import re
from decimal import Decimal

from ...blocks.errors import LuffError
from ...blocks.text.quantity import unit
from ...solver.netlist.yaml_writer import flow

_FACTOR = r"(?:[^\W\d_]\w*(?:\^-?\d+)?|\(\w+(?:\^-?\d+)?(?:\*\w+(?:\^-?\d+)?)*\)(?:\^-?\d+)?)"
PRODUCT = re.compile(rf"(?<![\w=*/^.)\]])(?:1/)?{_FACTOR}(?:[*/]{_FACTOR})*(?![\w*/^(.\[]*[\w*/^(\[])")
ENOUGH = 3  # letters that a power of ten has to save
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LOWERED = {raised: lowered for lowered, raised in RAISED.items()}
PREFIXES = {9: "G", 6: "M", 3: "k", 0: "", -3: "m", -6: "µ", -9: "n"}
LEAST, MOST = min(PREFIXES), max(PREFIXES)
# of prefixes above one; nobody writes kilometres of a boom, kiloradians, kiloseconds
UPWARDS = ("N", "Pa", "W", "J", "Hz", "V", "A")
QUANTITY = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(\S.*?)?\s*")  # number and unit
FIRST = re.compile(rf"(?:{'|'.join(UPWARDS)}|m|rad)(?![\w^])|(?:s|kg)$")  # to the power of one


def number_text(number: float) -> str:
    """Shortest exact text of a number, 2e5 for 200000.0."""
    if not float(number).is_integer():
        return short_power(flow(number)).replace(".0e", "e")
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


def round_off_noise(number: float, bound: float) -> float:
    """Number, or zero if it is within the bound of its rounding."""
    return 0.0 if abs(number) <= bound < math.inf else number


def unit_words(text: str) -> str:
    """Text with its units as print has them: `N·m/s²` of `N*m/s^2`, `N·s/m` of `N/m*s`."""
    text = re.sub(r"/(rad|m)\*s\b", r"*s/\1", text)
    return re.sub(r"\^(-?\d+)(?![\d.])", lambda power: power[1].translate(RAISED), text).replace("*", "·")


def units_in_print(text: str) -> str:
    """Sentence or value in which units are in print; names and expressions stay as they are."""
    return PRODUCT.sub(lambda found: unit_words(found[0]) if _is_unit(found[0]) else found[0], text)


def _is_unit(text: str) -> bool:
    """True for a unit that print writes otherwise."""
    if not {"*", "^"} & {*text}:
        return False
    try:
        unit(text)
    except LuffError:
        return False
    return True


def as_typed(text: str) -> str:
    """Text with its units as files have them: `N*m/s^2` of `N·m/s²`."""
    return re.sub(r"[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda power: f"^{power[0].translate(LOWERED)}", text.replace("·", "*"))


def prefixed(unit: str, peak: float) -> tuple[str, float]:
    """Unit with the prefix that suits numbers up to `peak` [unit], and the factor to it; other units unchanged."""
    first = FIRST.match(unit)
    if first is None:
        return unit, 1.0
    power = thousands(peak)
    if first[0] == "kg":
        return {0: (unit, 1.0), 3: ("t", 1e-3)}.get(min(power, 3), ("g", 1e3))
    power = min(power, MOST if first[0] in UPWARDS else 0)
    return PREFIXES[power] + unit, 10.0**-power


def thousands(peak: float) -> int:
    """Power of a thousand, as that of ten, in which numbers up to `peak` are short; 0 from 0.1 to 1000."""
    if not 0.0 < peak < math.inf or 0.1 <= peak < 1e3:
        return 0
    power = math.log10(peak) + (peak < 1.0)  # 50e-3, yet 0.5e-3 and not 500e-6
    return int(min(max(3 * math.floor(power / 3), LEAST), MOST))


def clock_text(time: float) -> str:
    """Time of a run [s] as clocks tell it."""
    return f"t = {time:.3f} s"


def quantity_text(number: float, unit: str, peak: float, digits: int, sign: str = "") -> str:
    """Number and unit as wires, plots and tables write them: 199.4 kN, 5.2 mrad."""
    shown, factor = prefixed(unit, peak)
    return f"{rounded(number * factor, digits, sign)} {unit_words(shown)}".rstrip()


def in_print(typed: str) -> str:
    """Quantity as it was typed, with its unit in print; a power of ten becomes a prefix where the unit takes one: 20
    MN·m/rad of 2e7 N*m/rad."""
    parts = QUANTITY.fullmatch(typed)
    if parts is None or not parts[2]:
        return typed
    if "e" in parts[1].lower():
        shown, factor = prefixed(parts[2], abs(float(parts[1])))
        number = f"{float(parts[1]) * factor:.12g}"
        if shown != parts[2] and "e" not in number:
            return f"{number} {unit_words(shown)}"
    return f"{parts[1]} {unit_words(parts[2])}"
