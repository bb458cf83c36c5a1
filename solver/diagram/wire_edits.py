"""Edits of connections."""

from __future__ import annotations

from ...blocks.errors import NetlistError, Problem, did_you_mean
from ...blocks.light_dataclass import record
from ...blocks.text.raw_types import Raw
from ..netlist.wire_syntax import ACAUSAL, parse_end
from .layout_edits import LayoutEdits, Taken
from .port_compatibility import wire_sign


@record
class RemovedWire:
    """A connection that was taken out: as it was written, where it stood, and its corners."""

    text: str
    index: int
    layout: Taken


class WireEdits(LayoutEdits):
    """Edits of the section `connect:`."""

    def connect(self, a: str, b: str, index: int | None = None) -> str:
        """Wire two ports. `check_connect` says beforehand whether they fit.

        Parameters
        ----------
        a, b : str
            Ports, `pin.frame_b`, in either order.
        index : int, optional
            Place among the connections; the end by default.

        Returns
        -------
        str
            Text of the connection.
        """
        end_a, end_b = parse_end(a), parse_end(b)
        port_a = self.block_ports(end_a.block).get(end_a.port)
        port_b = self.block_ports(end_b.block).get(end_b.port)
        known = port_a or port_b
        sign = wire_sign(known) if known else ACAUSAL
        backwards = (port_a and port_a.direction == "in") or (port_b and port_b.direction == "out")
        text = f"{b} {sign} {a}" if backwards else f"{a} {sign} {b}"
        wires = self._section("connect", list)
        wires.insert(len(wires) if index is None else index, text)
        self._emit("connected", text)
        return text

    def disconnect(self, text: str, index: int | None = None) -> RemovedWire:
        """Remove a connection.

        Parameters
        ----------
        text : str
            Its text, however spaced.
        index : int, optional
            Which of several alike; the first by default.

        Returns
        -------
        RemovedWire
            What `reconnect` puts back.

        Raises
        ------
        NetlistError
            There is no such connection.
        """
        wires = self._section("connect", list)
        if index is None:
            index = wires.index(text) if text in wires else _find(wires, text)
        wire = wires.pop(index)
        corners = self._routes_of(lambda text: text == wire) if wire not in wires else []
        unwired = RemovedWire(wire, index, self._take_entries(corners))
        self._emit("disconnected", wire)
        return unwired

    def reconnect(self, unwired: RemovedWire) -> None:
        """Undo `disconnect`.

        Parameters
        ----------
        unwired : RemovedWire
            Answer of `disconnect`.
        """
        self._section("connect", list).insert(unwired.index, unwired.text)
        self._give(unwired.layout)
        self._emit("connected", unwired.text)


def _find(wires: list[Raw], text: str) -> int:
    """Index of a connection that is spaced otherwise."""
    squeezed = "".join(text.split())
    for k, other in enumerate(wires):
        if isinstance(other, str) and "".join(other.split()) == squeezed:
            return k
    known = [other for other in wires if isinstance(other, str)]
    raise NetlistError(Problem(f'there is no connection "{text}"', fix=did_you_mean(text, known)))
