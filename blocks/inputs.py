"""`inputs:` of a netlist: signals that come from outside, from a script or from the netlist around it."""

from __future__ import annotations

from typing import Any

from .block import EACH, Block
from .params import Integer, Scope, Text, convert_all, fail, shown
from .ports import In, Out, Port
from .quantity import unit
from .signal_params import PerElement

NAME = "inputs"  # of the block that gives the signals: `inputs.effort -> slew.effort`
OUTSIDE = "'"  # behind the name of a port through which a nested netlist is given the signal
WIDEST = 1000

UNIT = Text("", doc="SI unit of the signal; not checked if left out")
WIDTH = Integer(1, ge=1, doc="number of elements")
DEFAULT = PerElement(
    None, None, unit_in="unit", optional=True, doc="value while nothing else is given; 0 if left out"
)
DOC = Text("", doc="what it is")
ENTRY = {"unit": UNIT, "width": WIDTH, "default": DEFAULT, "doc": DOC}


class Inputs(Block, abstract=True):
    """Signals from outside; constant within a step."""

    wired: frozenset[str] = frozenset()  # those that wires bring, by the port `name'`: all where it is nested

    def ports(self) -> dict[str, Port]:
        found: dict[str, Port] = {}
        for name, about in self.values.items():
            kind = about["unit"] or None
            found[name] = Out(about["width"], kind, about["doc"]).named(name)
            if name in self.wired:
                found[name + OUTSIDE] = self.outside(name)
        return found

    def outside(self, name: str) -> Port:
        """The port that a nested netlist has for one of its inputs."""
        about = self.values[name]
        default = about["default"]
        if isinstance(default, tuple):  # a port has one number for all elements, or has to be wired
            default = default[0] if len({*default}) == 1 else None
        port = In(about["width"], about["unit"] or None, default, about["doc"])
        return port.named(name + OUTSIDE)

    def routes(self) -> dict[tuple[str, int, int], tuple[str, int, int]]:
        return {(name, EACH, 0): (name + OUTSIDE, EACH, 0) for name in self.values if name in self.wired}

    @property
    def free(self) -> dict[str, dict[str, Any]]:
        """Those that nothing but a script sets."""
        return {name: about for name, about in self.values.items() if name not in self.wired}

    def starts(self, name: str) -> list[float]:
        """Values of the elements of an input before any is given."""
        about = self.values[name]
        default = about["default"]
        if isinstance(default, tuple):
            return [*default]
        return [0.0 if default is None else default] * about["width"]


def convert(raw: Any, scope: Scope) -> dict[str, dict[str, Any]]:
    """The entries of `inputs:`, checked."""
    found: dict[str, dict[str, Any]] = {}
    for name, entry in raw.items():
        path = f"{NAME}.{name}"
        if not name.isidentifier():
            raise fail(path, f'found the name "{name}", expected letters, digits and underscores')
        if not isinstance(entry, dict | None):
            raise fail(
                path,
                f"found {shown(entry)}, expected {{{', '.join(ENTRY)}}}",
                "write " + name + ": {unit: N}",
            )
        found[name] = _entry(name, entry or {}, scope, path)
    return found


def _entry(name: str, raw: dict[str, Any], scope: Scope, path: str) -> dict[str, Any]:
    about = convert_all(ENTRY, raw, scope, path, f"the input {name}")
    if unit(about["unit"]).factor != 1:
        fix = "numbers from outside are SI: rad, m/s, N*m"
        raise fail(f"{path}.unit", f"found the unit {about['unit']}, expected an SI unit", fix)
    if about["width"] > WIDEST:
        raise fail(f"{path}.width", f"found {about['width']} elements, expected at most {WIDEST}")
    default = about["default"]
    if isinstance(default, tuple) and len(default) != about["width"]:
        found = f"found {len(default)} numbers for {about['width']} elements"
        raise fail(f"{path}.default", found, "give one number, or one for each element")
    return about
