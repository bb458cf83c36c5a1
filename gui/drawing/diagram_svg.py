"""Diagram as an SVG picture with the canvas layout. Pure Python: no Qt."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

from ...blocks.ports import FRAME
from ...solver.diagram.composite_types import type_in_words
from ...solver.flatten.diagram import Diagram
from ...solver.results.result_files import atomic_replace
from ..theme.colours import LIGHT
from ..theme.symbols.symbol import outlines
from ..theme.symbols.symbol_table import symbol_of
from .card_geometry import Shape
from .composite_face import EDGE, Face
from .composite_face import LETTERS as SMALL
from .diagram_sheet import WORDS, Sheet
from .inner_picture import InnerPicture, inner_picture
from .net_labels import LETTERS, Label, labels
from .polylines import Point
from .statechart_layout import Chart
from .wire_layout import Wire
from .wire_nets import junctions

MARGIN = 20.0
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
    return Drawing(_Picture(diagram, marks or {}).svg(), repr(diagram).strip("<>"))


class _Picture(Sheet):
    """Sheet drawn as SVG."""

    def __init__(self, diagram: Diagram, marks: Mapping[str, str]):
        super().__init__(diagram)
        self.marks = marks

    def svg(self) -> str:
        wires = self.laid()
        routes = self.routes(wires)
        points = [point for way in routes.values() for point in way]
        for text, wire in wires.items():
            for left, top, right, bottom in (
                label.box for label in labels(text, wire.net, wire.start, wire.end)
            ):
                points += [] if routes[text] else [(left, top), (right, bottom)]
        for name in self.names:
            left, top, right, bottom = self.card(name, self.places[name])
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
            kind, wire = self.kind(text), wires[text]
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
            chart = self.chart(name)
            if shape.face:
                yield from _names(shape.face, x, y)
                yield self._inside(name, shape, shape.face, x, y)
            elif chart:
                yield chart_svg(chart, x + (shape.width - chart.width) / 2, y)
            else:
                yield self._symbol(name, kind, middle, y + (shape.height - WORDS) / 2, shape.height)
            for up, size, colour, text in ((17, 12, "#1b1f24", name), (5, 9, "#5a636c", kind)):
                low = y + shape.height - (shape.face.bottom if shape.face else 0.0)
                place = f'x="{middle:g}" y="{low - up:g}"'
                style = f'font-size="{size}" text-anchor="middle" fill="{colour}"'
                yield f"<text {place} {style}>{escape(text)}</text>"

    def _inside(self, name: str, shape: Shape, face: Face, x: float, y: float) -> str:
        """Picture of a composite in the room that the names of its ports leave."""
        cls = self.diagram.block_class(name)
        picture = inner_picture(cls) or InnerPicture(symbol=symbol_of("", "composites"))
        left, right = x + face.left + EDGE, x + shape.width - face.right - EDGE
        top, bottom = y + face.top + EDGE, y + shape.height - face.bottom - WORDS - 4.0
        scale = picture.scale(right - left, bottom - top)
        place = f"translate({(left + right) / 2:g},{(top + bottom) / 2:g}) scale({scale:.4g})"
        ink = LIGHT.families["composites"]
        parts = outlines(picture.symbol, ink) if picture.symbol else _inner(picture, 0.9 / scale)
        return f'<g class="symbol" transform="{place}">{"".join(parts)}</g>'

    def _symbol(self, name: str, kind: str, x: float, y: float, height: float) -> str:
        """Symbol of a block as SVG, smaller on a low card."""
        cls = self.diagram.block_class(name)
        family = getattr(cls, "family", "") or ""
        symbol, ink = symbol_of(kind or name, family), LIGHT.families.get(family, LIGHT.outline)
        size = " scale(0.7)" if height < 70.0 else ""
        parts = "".join(outlines(symbol, ink))
        return f'<g class="symbol" transform="translate({x:g},{y:g}){size}">{parts}</g>'


def _names(face: Face, x: float, y: float) -> Iterator[str]:
    """Names of a composite's ports inside its card, as SVG."""
    for name in face.names:
        middle = x + (name.left + name.right) / 2, y + (name.top + name.bottom) / 2
        at, anchor, turn = middle, "middle", ""
        if name.upright:
            turn = f' transform="rotate(-90 {middle[0]:g} {middle[1]:g})"'
        elif name.side == "left":
            at, anchor = (x + name.left, middle[1]), "start"
        elif name.side == "right":
            at, anchor = (x + name.right, middle[1]), "end"
        place = f'x="{at[0]:g}" y="{at[1] + 3:g}" font-size="{SMALL}" text-anchor="{anchor}"'
        yield f'<text {place} fill="#5a636c"{turn}>{escape(name.port)}</text>'


def _inner(picture: InnerPicture, thin: float) -> Iterator[str]:
    """Diagram inside a composite, as SVG about its middle."""
    for kind, lines in picture.wires.items():
        for line in lines:
            path = " ".join(f"{a:g},{b:g}" for a, b in line)
            yield f'<path d="M{path}" fill="none" stroke="{LIGHT.wires[kind]}" stroke-width="{thin:.3g}"/>'
    for card in picture.cards:
        left, top, right, bottom = card.rect
        ink = LIGHT.families.get(card.family, LIGHT.outline)
        path = f"M{left:g} {top:g}H{right:g}V{bottom:g}H{left:g}Z"
        yield f'<path d="{path}" fill="#ffffff"/><path d="{path}" fill="{ink}" fill-opacity="0.25" '
        yield f'stroke="{ink}" stroke-width="{thin:.3g}"/>'


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
