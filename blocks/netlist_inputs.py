"""`inputs:` of a netlist: signals that come from outside, from a script or from the netlist around it."""

from __future__ import annotations

from collections.abc import Mapping

from .block import EACH, Block
from .params import Integer, Scope, Struct, Text, convert_all, fail, shown_value
from .ports import In, Out, Port
from .signal_params import PerElement
from .text.quantity import unit
from .text.raw_types import RawMap

NAME = "inputs"  # of the block that gives the signals: `inputs.effort -> slew.effort`
OUTSIDE = "'"  # behind the name of a port through which a nested netlist is given the signal
WIDEST = 1000


class Entry(Struct):
    """Entry of `inputs:`."""

    unit = Text("", doc="SI unit of the signal; not checked if left out")
    width = Integer(1, ge=1, doc="number of elements")
    default = PerElement(
        None, None, unit_in="unit", optional=True, doc="value while nothing else is given; 0 if left out"
    )
    doc = Text("", doc="what it is")


ENTRY = Entry.params


class Inputs(Block, abstract=True):
    """Signals from outside; constant within a step."""

    wired: frozenset[str] = frozenset()  # those that wires bring, by the port `name'`: all where it is nested

    def __init__(self, name: str, values: Mapping[str, object], given: frozenset[str] = frozenset()):
        self.entries = {one: entry for one, entry in values.items() if isinstance(entry, Entry)}
        plain = {one: {key: getattr(entry, key) for key in ENTRY} for one, entry in self.entries.items()}
        super().__init__(name, {**plain}, given)

    def ports(self) -> dict[str, Port]:
        ports: dict[str, Port] = {}
        for name, entry in self.entries.items():
            ports[name] = Out(entry.width, entry.unit or None, entry.doc).named(name)
            if name in self.wired:
                ports[name + OUTSIDE] = self.outside(name)
        return ports

    def outside(self, name: str) -> Port:
        """The port that a nested netlist has for one of its inputs."""
        entry = self.entries[name]
        default = entry.default
        if isinstance(default, tuple):  # a port has one number for all elements, or has to be wired
            default = default[0] if len({*default}) == 1 else None
        port = In(entry.width, entry.unit or None, default, entry.doc)
        return port.named(name + OUTSIDE)

    def routes(self) -> dict[tuple[str, int, int], tuple[str, int, int]]:
        return {(name, EACH, 0): (name + OUTSIDE, EACH, 0) for name in self.entries if name in self.wired}

    @property
    def free(self) -> dict[str, Entry]:
        """Inputs that only a script sets."""
        return {name: entry for name, entry in self.entries.items() if name not in self.wired}

    def starts(self, name: str) -> list[float]:
        """Values of the elements of an input before any is given."""
        entry = self.entries[name]
        if isinstance(entry.default, tuple):
            return [*entry.default]
        return [0.0 if entry.default is None else entry.default] * entry.width


def convert(raw: Mapping[str, object], scope: Scope) -> dict[str, Entry]:
    """The entries of `inputs:`, checked."""
    entries: dict[str, Entry] = {}
    for name, entry in raw.items():
        path = f"{NAME}.{name}"
        if not name.isidentifier():
            raise fail(path, f'found the name "{name}", expected letters, digits and underscores')
        if not isinstance(entry, dict | None):
            raise fail(
                path,
                f"found {shown_value(entry)}, expected {{{', '.join(ENTRY)}}}",
                "write " + name + ": {unit: N}",
            )
        entries[name] = _entry(name, entry or {}, scope, path)
    return entries


def _entry(name: str, raw: RawMap, scope: Scope, path: str) -> Entry:
    entry = Entry(convert_all(ENTRY, raw, scope, path, f"the input {name}"), frozenset(raw))
    if unit(entry.unit).factor != 1:
        fix = "numbers from outside are SI: rad, m/s, N*m"
        raise fail(f"{path}.unit", f"found the unit {entry.unit}, expected an SI unit", fix)
    if entry.width > WIDEST:
        raise fail(f"{path}.width", f"found {entry.width} elements, expected at most {WIDEST}")
    if isinstance(entry.default, tuple) and len(entry.default) != entry.width:
        mistake = f"found {len(entry.default)} numbers for {entry.width} elements"
        raise fail(f"{path}.default", mistake, "give one number, or one for each element")
    return entry
