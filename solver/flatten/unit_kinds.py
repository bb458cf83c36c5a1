"""Units of values that are tried in place of a netlist's own: their kind, which what they are used for may not tell."""

from __future__ import annotations

from ...blocks.errors import LuffError
from ...blocks.text.quantity import unit, written_unit
from .diagram import Diagram


def own_unit(diagram: Diagram, name: str) -> str:
    """Unit in which the netlist writes a parameter, `l1` or `pin.damping`; empty where it says none."""
    texts = (diagram.parameters.get(name), diagram.value(name))
    return next((found for text in texts if isinstance(text, str) and (found := written_unit(text))), "")


def other_kind(given: str, word: str, own: str) -> str:
    """Sentence about a text with a unit that is not of the kind of `own`, else empty; raises LuffError for no unit."""
    if unit(word).dimension == unit(own).dimension:
        return ""
    return f"found {given}, expected a unit of the kind of {own}"


def of_another_kind(given: object, own: str) -> str:
    """Sentence about a tried value whose unit is not of the kind of the netlist's `own`; empty where none is known.

    A gain, say, takes any unit, and would take that of another for its own.
    """
    word = written_unit(given) if isinstance(given, str) else ""
    try:
        wrong = other_kind(str(given), word, own) if word and own else ""
    except LuffError:
        return ""  # told where the value is read
    return f"{wrong}, in which the netlist has it" if wrong else ""
