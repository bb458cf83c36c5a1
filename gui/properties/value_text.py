"""Raw values as one line of netlist text and back, and the units offered for them. Pure Python: no Qt."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from ...blocks import LuffError
from ...blocks.errors import Problem, Suggestion
from ...blocks.params import REQUIRED, Param, Scope
from ...blocks.text.quantity import unit
from ...blocks.text.raw_types import Raw
from ...solver.diagram.spelling_repair import suggestion
from ...solver.netlist import read_value
from ...solver.netlist.yaml_writer import flow
from ..theme.number_format import QUANTITY, number_text, rounded
from ..theme.window_words import in_window

# common units of engineering drawings and data sheets; those that fit a parameter's own unit are offered
WORDS = (
    "m mm cm km kg g t s ms min h rad deg rev rad/s deg/s rpm Hz rad/s^2 deg/s^2 m/s mm/s km/h m/s^2 "
    "N kN MN N*m kN*m N/m kN/m N/mm N*s/m kN*s/m N*m/rad kN*m/rad N*m*s/rad kN*m*s/rad Pa kPa MPa GPa bar "
    "J kJ W kW kg*m^2 t*m^2 m^2 mm^2 cm^2 m^3 l m^3/s l/min m^4 mm^4 cm^4 kg/m^3 t/m^3 1/s %"
)
KNOWN = tuple(WORDS.split())
DIGITS = 6  # of a default
BRACKETS, THOUSANDS = re.compile(r"\[(.*)\]"), re.compile(r",\d{3}\b")


def to_text(raw: object) -> str:
    if raw is None:
        return ""
    if isinstance(raw, str):
        return raw
    if isinstance(raw, float):
        return number_text(raw)
    if isinstance(raw, tuple | list) and raw and all(type(item) in (int, float) for item in raw):
        return f"[{', '.join(to_text(item) for item in raw)}]"
    return flow(lists_of_tuples(raw) if isinstance(raw, tuple) else raw)


def lists_of_tuples(raw: object) -> object:
    return [lists_of_tuples(item) for item in raw] if isinstance(raw, tuple | list) else raw


def from_text(text: str) -> Raw:
    """Raw value of a text; None for an empty one. Raises LuffError for an invalid text."""
    text = text.strip()
    if not text:
        return None
    if text.startswith(("=", "#", "&", "*", "!", "|", ">", "%", "@", "`")):
        return text
    return read_value(text)


def default_text(param: Param) -> str:
    if param.required:
        return "required"
    if param.default is None or param.default is REQUIRED:
        return "not set"
    return to_text(param.default) if not isinstance(param.default, dict) else ""


def short_default(param: Param) -> str:
    """Default of a parameter for a field in which it stands in grey: of a number with more than six digits these, or
    1/n where it is that of a whole number n."""
    text, number = default_text(param), param.default
    if not isinstance(number, float) or len(text) <= DIGITS + 3:
        return text
    return (
        f"1/{whole}"
        if number and (whole := round(1 / number)) and number == 1 / whole
        else rounded(number, DIGITS)
    )


def problem_of(param: Param, raw: object, scope: Scope, path: str) -> Problem | None:
    """Problem that the netlist has with a raw value; None if valid."""
    if raw is None:
        return None
    try:
        param.convert(raw, scope, path)
    except LuffError as error:
        return error.problems[0]
    return None


def doubt_at(problems: Iterable[Problem], path: str, raw: Raw) -> Problem | None:
    """Warning about a value or one of its list, unless what it proposes is done."""
    place = re.compile(rf"(blocks\.)?{re.escape(path)}(\[\d+\])?")
    for problem in problems:
        if problem.severity == "warning" and place.fullmatch(problem.path):
            meant = suggestion(problem)
            if meant is None or mended(raw, meant) != raw:
                return problem
    return None


def mistake(param: Param, raw: object, scope: Scope, path: str) -> str:
    """Error message that the netlist gives for a raw value; empty if valid."""
    return sentence_of(problem_of(param, raw, scope, path))


def sentence_of(problem: Problem | None) -> str:
    """Message of a problem and its likely fix; empty without one."""
    if problem is None:
        return ""
    return in_window(problem.message + (f" ({problem.fix})" if problem.fix else ""))


def mended(raw: Raw, meant: Suggestion) -> Raw:
    """Raw value with the word that a problem proposes in place of the wrong one."""
    if isinstance(raw, str):
        return re.sub(rf"(?<!\w){re.escape(meant.found)}(?!\w)", lambda _: meant.near, raw)
    if isinstance(raw, int | float) and str(raw) == meant.found:
        return from_text(meant.near)
    return [mended(one, meant) for one in raw] if isinstance(raw, list) else raw


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


def as_list(text: str) -> list[Raw] | None:
    """Numbers of `1, 2, 3` or `1 2 3`, with their units in the first, within brackets or not; None for other texts.

    `1,5` is none, as it may mean 1.5; nor is `1,000,000`.
    """
    text = BRACKETS.sub(r"\1", text.strip())
    close = text.count(",") > 1 and not THOUSANDS.search(text)
    parts = [part.strip() for part in text.split(",")] if ", " in text or close else text.split()
    if len(parts) < 2 or not all(split(part) for part in parts):
        return None
    return [from_text(part) for part in parts]


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
