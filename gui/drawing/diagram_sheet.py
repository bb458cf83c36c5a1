"""Sheet of a diagram: cards with their wired ports, their places, and the routes of the wires. Pure Python: no Qt."""

from __future__ import annotations

from collections.abc import Mapping

from ...blocks import Port
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.ports import FRAME
from ...blocks.text.raw_types import Raw
from ...solver.flatten.diagram import Diagram
from .automatic_layout import page_layout
from .block_spacing import spread
from .card_geometry import Shape, arrange
from .exposed_ports import exposed, inner_names, used_ports
from .layout_graph import Places, graph_of
from .net_labels import corners_of, is_labelled
from .polylines import End, Point, Rect
from .router import Router
from .statechart_layout import TYPE, Chart, chart_of
from .wire_layout import Wire, route_wires
from .wire_nets import ends, net_of_each, split, spread_ends

WORLD = "world"
WORDS = 26.0  # height of the name and the type on a card


class Sheet:
    """Cards, places and wires of a diagram as the window lays them."""

    def __init__(self, diagram: Diagram):
        self.diagram = diagram
        pairs = [tuple(split(reference) for reference in ends(text)) for text in diagram.connections]
        used = used_ports(diagram)
        apart = [name for name in (WORLD, INPUTS) if name in used and name not in diagram.blocks]
        self.names = [*apart, *diagram.blocks]
        self.ports = {name: self._ports(name, used.get(name, set())) for name in self.names}
        self.shapes = {name: self._shape(name) for name in self.names}
        self.places = self._placed()
        self.wires = dict.fromkeys(
            text for text, both in zip(diagram.connections, pairs, strict=True) if self._has(both)
        )
        self.spread = spread_ends(self.wires)

    def _has(self, pairs: tuple[tuple[str, str], ...]) -> bool:
        return all(block in self.shapes and port in self.shapes[block].anchors for block, port in pairs)

    def _ports(self, name: str, used: set[str]) -> dict[str, Port]:
        return {port: kind for port, kind in self.diagram.block_ports(name).items() if port in used}

    def _shape(self, name: str) -> Shape:
        cls = self.diagram.block_class(name)
        chart = self.chart(name)
        least = (chart.width, chart.height + WORDS) if chart else (0.0, 0.0)
        return arrange(self.ports[name], name, 0, getattr(cls, "family", "") or "", inner_names(cls), least)

    def chart(self, name: str) -> Chart | None:
        raw = self.diagram.blocks.get(name)
        return chart_of(raw) if isinstance(raw, dict) and raw.get("type") == TYPE else None

    def _placed(self) -> Places:
        entries = dict(self.diagram.layout or {})
        given = {
            name: place
            for name, entry in entries.items()
            if name in self.shapes and (place := _place(entry)) is not None
        }
        if len(given) < len(self.names):
            # places of some blocks alone say little: all are laid out
            of = self.ports.__getitem__
            given = page_layout(graph_of(self.shapes, of, self.diagram.connections, exposed(self.diagram)))
        cards = {name: self.card(name, place) for name, place in given.items()}
        moves = spread(cards)
        return {
            name: (x + moves.get(name, (0.0, 0.0))[0], y + moves.get(name, (0.0, 0.0))[1])
            for name, (x, y) in given.items()
        }

    def card(self, name: str, place: Point) -> Rect:
        shape = self.shapes[name]
        return place[0], place[1], place[0] + shape.width, place[1] + shape.height

    def _end(self, reference: str) -> End:
        block, port = split(reference)
        (x, y), anchor = self.places[block], self.shapes[block].anchors[port]
        return End(x + anchor.x, y + anchor.y, anchor.side).beside(self.spread.get(reference.strip(), 0.0))

    def laid(self) -> dict[str, Wire]:
        """Wires as the window lays them, with the corners and labels of the file."""
        nets, layout = net_of_each(self.wires), self.diagram.layout or {}
        wires = {}
        for text in self.wires:
            a, b = ends(text)
            kept = corners_of(layout, text), is_labelled(layout, text)
            wires[text] = Wire(self._end(a), self._end(b), nets[text], self.kind(text) == FRAME, *kept)
        return wires

    def routes(self, wires: Mapping[str, Wire]) -> dict[str, list[Point]]:
        router = Router()
        for name in self.names:
            router.obstacles.put(name, self.card(name, self.places[name]))
        ways: dict[str, list[Point]] = {}
        route_wires(router, wires, ways, wires)
        return {text: ways[text] for text in wires}

    def kind(self, text: str) -> str:
        block, port = split(ends(text)[0])
        return self.ports[block][port].kind


def _place(entry: Raw) -> Point | None:
    """Position [px] in a layout entry; None without one."""
    x, y = entry[:2] if isinstance(entry, list) and len(entry) >= 2 else (None, None)
    return (float(x), float(y)) if isinstance(x, int | float) and isinstance(y, int | float) else None
