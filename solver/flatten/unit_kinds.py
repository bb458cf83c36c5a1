"""Whether a value that is tried in place of a netlist's own is of its kind: what it is used for may not tell."""

from __future__ import annotations

from ...blocks.errors import LuffError
from ...blocks.text.quantity import unit, written_unit
from .diagram import Diagram


def own_unit(diagram: Diagram, name: str) -> str:
    """Unit in which the netlist writes a parameter, `l1` or `pin.damping`; empty where it says none."""
    texts = (diagram.parameters.get(name), diagram.value(name))
    return next((found for text in texts if isinstance(text, str) and (found := written_unit(text))), "")


def of_another_kind(given: object, own: str) -> str:
    """Sentence about a quantity whose unit is not of the kind of `own`; empty where that is not known.

    A gain, say, takes any unit, and would take that of another for its own.
    """
    word = written_unit(given) if isinstance(given, str) else ""
    if not word or not own:
        return ""
    try:
        alike = unit(word).dimension == unit(own).dimension
    except LuffError:
        return ""  # told where the value is read
    return (
        "" if alike else f"found {given}, expected a unit of the kind of {own}, in which the netlist has it"
    )
