"""Units offered for a value. Pure Python: no Qt."""

from __future__ import annotations

import re
from functools import cache

from ...blocks import LuffError
from ...blocks.text.quantity import unit

# common units of engineering drawings and data sheets; those that fit a parameter's own unit are offered
WORDS = (
    "m mm cm km kg g t s ms min h rad deg rev rad/s deg/s rpm Hz rad/s^2 deg/s^2 m/s mm/s km/h m/s^2 "
    "N kN MN N*m kN*m N/m kN/m N/mm N*s/m kN*s/m N*m/rad kN*m/rad N*m*s/rad kN*m*s/rad Pa kPa MPa GPa bar "
    "J kJ W kW kg*m^2 t*m^2 m^2 mm^2 cm^2 m^3 l m^3/s l/min m^4 mm^4 cm^4 kg/m^3 t/m^3 1/s %"
)
KNOWN = tuple(WORDS.split())
QUANTITY = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(\S.*?)?\s*")


@cache
def choices(own: str) -> list[str]:
    """Units of the same dimension, the parameter's own first."""
    if not own:
        return []
    try:
        dimension = unit(own).dimension
    except LuffError:
        return [own]
    return list(dict.fromkeys([own, *(name for name in KNOWN if unit(name).dimension == dimension)]))


def split(raw: object) -> tuple[float, str] | None:
    """Number and unit of a plain number or quantity; None for expressions and other values."""
    if isinstance(raw, bool):
        return None
    if isinstance(raw, int | float):
        return float(raw), ""
    match = QUANTITY.fullmatch(raw) if isinstance(raw, str) else None
    return (float(match[1]), match[2] or "") if match else None


def converted(raw: object, own: str, to: str) -> object:
    """Quantity converted to another unit; a bare number is in the parameter's own (SI) unit."""
    parts = split(raw)
    if parts is None:
        return raw
    value, given = parts
    si = float(value * float(unit(given or own).factor))
    number = si / float(unit(to).factor)
    text = f"{number:.12g}"
    if to == own and float(unit(own).factor) == 1.0:
        return int(text) if re.fullmatch(r"-?\d+", text) else float(text)
    return f"{text} {to}"
