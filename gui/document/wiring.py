"""Wires of a level by block and port, parsed once between edits."""

from __future__ import annotations

from collections.abc import Iterable

from ...blocks import LuffError
from ...solver.netlist.wire_syntax import End, WireText, parse_wire


class Wiring:
    """Index of the connections whose text can be parsed."""

    def __init__(self, connections: Iterable[str]):
        self._at: dict[str, list[tuple[str, WireText]]] = {}
        self._from: dict[str, list[tuple[str, End, End]]] = {}
        # of blocks with open ports, as far as they have been asked for
        self.widths: dict[str, int | None] = {}
        for text in connections:
            try:
                wire = parse_wire(text)
            except LuffError:
                continue
            for port in dict.fromkeys((str(wire.a), str(wire.b))):
                self._at.setdefault(port, []).append((text, wire))
            for here, there in ((wire.a, wire.b), (wire.b, wire.a)):
                self._from.setdefault(here.block, []).append((text, here, there))

    def at(self, end: End) -> list[tuple[str, WireText]]:
        """Connections of a port or of its elements, with the parsed wires."""
        return self._at.get(str(end), [])

    def leaving(self, block: str) -> list[tuple[str, End, End]]:
        """Connections of a block, each with its end there and its other end."""
        return self._from.get(block, [])
