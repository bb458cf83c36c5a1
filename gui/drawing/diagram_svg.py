"""Diagram as an SVG picture with the canvas layout. Pure Python: no Qt."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

from ...blocks import Port
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.ports import FRAME
from ...blocks.text.raw_types import Raw
from ...solver.diagram.composite_types import type_in_words
from ...solver.flatten.diagram import Diagram
from ...solver.results.result_files import atomic_replace
from ..theme.colours import LIGHT
from ..theme.symbols.symbol import outlines
from ..theme.symbols.symbol_table import symbol_of
from .automatic_layout import page_layout
from .block_spacing import spread
from .card_geometry import Shape, arrange
from .exposed_ports import exposed, inner_names, used_ports
from .layout_graph import Places, graph_of
from .net_labels import LETTERS, Label, corners_of, is_labelled, labels
from .polylines import End, Point
from .router import Router
from .statechart_layout import TYPE, Chart, chart_of
from .wire_layout import Wire, route_wires
from .wire_nets import ends, junctions, net_of_each, split, spread_ends

WORLD = "world"
MARGIN = 20.0
WORDS = 26.0  # height of the name and the type on a card
STYLE = "font-family:sans-serif;background:#ffffff"


@dataclass(frozen=True)
class Drawing:
    """A diagram drawn in SVG: a notebook shows it, `save` writes it; `svg` is the text.

    Examples
    --------
    >>> import luff
    >>> picture = luff.draw(luff.load("library/templates/pendulum.yaml"))
    >>> picture.svg.startswith("<svg")
    True
    """

    svg: str
    about: str

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Drawing of {self.about}>"

    def save(self, path: str | Path) -> None:
        """Write the drawing to a file; one that was there is replaced.

        Parameters
        ----------
        path : str or Path
            An SVG file.

        Raises
        ------
        LuffError
            The file cannot be written.
        """
        with atomic_replace(Path(path), "the drawing") as part:
            part.write_text(self.svg + "\n", encoding="utf-8")


def draw(diagram: Diagram, marks: Mapping[str, str] | None = None) -> Drawing:
    """Draw the blocks and wires of a diagram, as the window does.

    Parameters
    ----------
    diagram : Diagram
        The diagram; blocks stand where its `layout:` says, or else where the automatic layout puts them.
    marks : mapping of str to str, optional
        Colours of blocks, by name, and of wires, by their text.

    Returns
    -------
    Drawing
        A picture in SVG.

    Examples
    --------
    >>> import luff
    >>> luff.draw(luff.load("library/templates/pendulum.yaml"), marks={"pin": "#c00000"})
    <Drawing of Diagram "pendulum" of ...>
    """
    return Drawing(_Sheet(diagram, marks or {}).svg(), repr(diagram).strip("<>"))


class _Sheet:
    """Cards with their wired ports, their places, and the routes of the wires."""

    def __init__(self, diagram: Diagram, marks: Mapping[str, str]):
        self.diagram, self.marks = diagram, marks
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
        chart = self._chart(name)
        least = (chart.width, chart.height + WORDS) if chart else (0.0, 0.0)
        return arrange(self.ports[name], name, 0, getattr(cls, "family", "") or "", inner_names(cls), least)

    def _chart(self, name: str) -> Chart | None:
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
        cards = {name: self._card(name, place) for name, place in given.items()}
        moves = spread(cards)
        return {
            name: (x + moves.get(name, (0.0, 0.0))[0], y + moves.get(name, (0.0, 0.0))[1])
            for name, (x, y) in given.items()
        }

    def _card(self, name: str, place: Point) -> tuple[float, float, float, float]:
        shape = self.shapes[name]
        return place[0], place[1], place[0] + shape.width, place[1] + shape.height

    def _end(self, reference: str) -> End:
        block, port = split(reference)
        (x, y), anchor = self.places[block], self.shapes[block].anchors[port]
        return End(x + anchor.x, y + anchor.y, anchor.side).beside(self.spread.get(reference.strip(), 0.0))

    def _wires(self) -> dict[str, Wire]:
        """Wires as the window lays them, with the corners and labels of the file."""
        nets, layout = net_of_each(self.wires), self.diagram.layout or {}
        wires = {}
        for text in self.wires:
            a, b = ends(text)
            kept = corners_of(layout, text), is_labelled(layout, text)
            wires[text] = Wire(self._end(a), self._end(b), nets[text], self._kind(text) == FRAME, *kept)
        return wires

    def _routes(self, wires: Mapping[str, Wire]) -> dict[str, list[Point]]:
        router = Router()
        for name in self.names:
            router.obstacles.put(name, self._card(name, self.places[name]))
        ways: dict[str, list[Point]] = {}
        route_wires(router, wires, ways, wires)
        return {text: ways[text] for text in wires}

    def _kind(self, text: str) -> str:
        block, port = split(ends(text)[0])
        return self.ports[block][port].kind

    def svg(self) -> str:
        wires = self._wires()
        routes = self._routes(wires)
        points = [point for way in routes.values() for point in way]
        for text, wire in wires.items():
            for left, top, right, bottom in (
                label.box for label in labels(text, wire.net, wire.start, wire.end)
            ):
                points += [] if routes[text] else [(left, top), (right, bottom)]
        for name in self.names:
            left, top, right, bottom = self._card(name, self.places[name])
            points += [(left, top), (right, bottom)]
        xs, ys = [x for x, _ in points] or [0.0], [y for _, y in points] or [0.0]
        left, top = min(xs) - MARGIN, min(ys) - MARGIN
        width, height = max(xs) + MARGIN - left, max(ys) + MARGIN - top
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:g} {top:g} {width:g} {height:g}" '
            f'width="{width:g}" height="{height:g}" style="{STYLE}">'
        )
        return "\n".join([head, *self._lines(wires, routes), *self._cards(), "</svg>"])

    def _lines(self, wires: Mapping[str, Wire], routes: dict[str, list[Point]]) -> Iterator[str]:
        nets: dict[tuple[Hashable, str], list[list[Point]]] = {}
        for text, way in routes.items():
            kind, wire = self._kind(text), wires[text]
            colour = self.marks.get(text, LIGHT.wires[kind])
            shown = () if way else labels(text, wire.net, wire.start, wire.end)
            if shown:
                yield '<g class="labels">'
            for line in [label.lead for label in shown] or [way]:
                path = " ".join(f"{x:g},{y:g}" for x, y in line)
                wide = 2.2 if kind == FRAME else 1.4
                if text in self.marks:
                    yield f'<polyline points="{path}" fill="none" stroke="{colour}55" stroke-width="{wide + 6}"/>'
                yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{wide}"/>'
            for label in shown:
                yield _label(label, colour)
            if shown:
                yield "</g>"
            if way:
                if "->" in text:
                    yield _arrow(way, colour)
                nets.setdefault((wire.net, kind), []).append(way)
        for (_, kind), ways in nets.items():
            for x, y in junctions(ways):
                yield f'<circle cx="{x:g}" cy="{y:g}" r="3" fill="{LIGHT.wires[kind]}"/>'

    def _cards(self) -> Iterator[str]:
        for name in self.names:
            (x, y), shape = self.places[name], self.shapes[name]
            raw = self.diagram.blocks.get(name)
            kind = type_in_words(raw)
            middle, mark = x + shape.width / 2, self.marks.get(name)
            edge = f'stroke="{mark}" stroke-width="3"' if mark else 'stroke="#8a929a"'
            yield (
                f'<rect x="{x:g}" y="{y:g}" width="{shape.width:g}" height="{shape.height:g}" rx="4" '
                f'fill="#f6f8fa" {edge}><title>{escape(f"{name}: {kind}" if kind else name)}</title></rect>'
            )
            chart = self._chart(name)
            if chart:
                yield chart_svg(chart, x + (shape.width - chart.width) / 2, y)
            else:
                yield self._symbol(name, kind, middle, y + (shape.height - WORDS) / 2, shape.height)
            for up, size, colour, text in ((17, 12, "#1b1f24", name), (5, 9, "#5a636c", kind)):
                place = f'x="{middle:g}" y="{y + shape.height - up:g}"'
                style = f'font-size="{size}" text-anchor="middle" fill="{colour}"'
                yield f"<text {place} {style}>{escape(text)}</text>"

    def _symbol(self, name: str, kind: str, x: float, y: float, height: float) -> str:
        """Symbol of a block as SVG, smaller on a low card."""
        cls = self.diagram.block_class(name)
        family = getattr(cls, "family", "") or ""
        symbol, ink = symbol_of(kind or name, family), LIGHT.families.get(family, LIGHT.outline)
        size = " scale(0.7)" if height < 70.0 else ""
        parts = "".join(outlines(symbol, ink))
        return f'<g class="symbol" transform="translate({x:g},{y:g}){size}">{parts}</g>'


def chart_svg(chart: Chart, x: float, y: float) -> str:
    """State chart as SVG: states as boxes, transitions as arrows."""
    made = [f'<g class="chart" transform="translate({x:g},{y:g})" font-size="9">']
    ink, muted = "#1b1f24", "#5a636c"
    ways = [list(one.points) for one in chart.arrows] + ([list(chart.start)] if chart.start else [])
    for way in ways:
        path = " ".join(f"{a:g},{b:g}" for a, b in way)
        made.append(f'<polyline points="{path}" fill="none" stroke="{muted}"/>')
        made.append(_arrow(way, muted))
    for a, b in chart.start[:1]:
        made.append(f'<circle cx="{a:g}" cy="{b:g}" r="3" fill="{muted}"/>')
    for box in chart.boxes:
        place = f'x="{box.x:g}" y="{box.y:g}" width="{box.width:g}" height="{box.height:g}"'
        made.append(f'<rect {place} rx="7" fill="#ffffff" stroke="{muted}"/>')
        middle = f'x="{box.x + box.width / 2:g}" y="{box.y + box.height / 2 + 3.5:g}"'
        made.append(
            f'<text {middle} font-size="11" text-anchor="middle" fill="{ink}">{escape(box.name)}</text>'
        )
    for one in chart.arrows:
        at = f'x="{one.place[0]:g}" y="{one.place[1] + 3:g}"'
        made.append(f'<text {at} fill="{ink}">{escape(one.words)}</text>')
    return "".join([*made, "</g>"])


def _place(entry: Raw) -> Point | None:
    """Position [px] in a layout entry; None without one."""
    x, y = entry[:2] if isinstance(entry, list) and len(entry) >= 2 else (None, None)
    return (float(x), float(y)) if isinstance(x, int | float) and isinstance(y, int | float) else None


def _label(label: Label, colour: str) -> str:
    """Tag with a net's name at a port, as SVG; vertical text above and below a block."""
    left, top, right, bottom = label.box
    x, y = (left + right) / 2, (top + bottom) / 2
    turn = f' transform="rotate(-90 {x:g} {y:g})"' if label.upright else ""
    return (
        f'<rect x="{left:g}" y="{top:g}" width="{right - left:g}" height="{bottom - top:g}" rx="3" '
        f'fill="#ffffff" stroke="{colour}"/><text x="{x:g}" y="{y + 3:g}" font-size="{LETTERS}" '
        f'text-anchor="middle" fill="#1b1f24"{turn}>{escape(label.text)}</text>'
    )


def _arrow(way: list[Point], colour: str) -> str:
    """Arrow head at the end of a wire, as SVG."""
    (x1, y1), (x, y) = way[-2], way[-1]
    length = max(abs(x - x1) + abs(y - y1), 1e-9)
    dx, dy = (x - x1) / length, (y - y1) / length
    corners = [(x, y), (x - 7 * dx - 3 * dy, y - 7 * dy + 3 * dx), (x - 7 * dx + 3 * dy, y - 7 * dy - 3 * dx)]
    return f'<polygon points="{" ".join(f"{a:g},{b:g}" for a, b in corners)}" fill="{colour}"/>'
