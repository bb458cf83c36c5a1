"""Two diagrams side by side, as SVG or as a review page; added, removed and changed parts are coloured."""

from __future__ import annotations

import re
from html import escape

from ...solver.diagram.netlist_diff import Comparison
from ...solver.flatten.diagram import Diagram
from ..theme.colours import LIGHT
from .diagram_svg import Drawing, draw

GAP, HEAD = 40.0, 34.0
WIDE = 800.0  # from which on two side by side cannot be read
STYLE = """body{font:15px/1.5 system-ui,sans-serif;margin:24px;color:#1b1f24;background:#fff}
svg{max-width:100%;height:auto;border:1px solid #d0d7de}pre{font:13px/1.5 ui-monospace,monospace;white-space:pre-wrap}
.key span{display:inline-block;margin-right:1.2em}.key b{font-weight:600}"""


def side_by_side(a: Diagram, b: Diagram, comparison: Comparison, names: tuple[str, str]) -> Drawing:
    """SVG of both diagrams: removed parts are marked on the first, added ones on the second, changed ones on both;
    wide diagrams are stacked."""
    before, after = (
        {name: LIGHT.fates[fate] for name, fate in marks.items()} for marks in comparison.marks()
    )
    sheets = [draw(a, before).svg, draw(b, after).svg]
    sizes = [_size(svg) for svg in sheets]
    stacked = max(w for w, _ in sizes) > WIDE
    places = [(0.0, 0.0), (0.0, sizes[0][1] + HEAD + GAP) if stacked else (sizes[0][0] + GAP, 0.0)]
    width = max(x + w for (x, _), (w, _) in zip(places, sizes, strict=True))
    height = max(y + h for (_, y), (_, h) in zip(places, sizes, strict=True)) + HEAD
    head = f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {head} style="font-family:sans-serif;background:#ffffff">'
    ]
    for name, svg, (x, y) in zip(names, sheets, places, strict=True):
        parts.append(
            f'<text x="{x + 20:g}" y="{y + 22:g}" font-size="15" fill="#1b1f24">{escape(name)}</text>'
        )
        parts.append(svg.replace("<svg ", f'<svg x="{x:g}" y="{y + HEAD:g}" ', 1))
    return Drawing("\n".join([*parts, "</svg>"]), f"{names[0]} and {names[1]}")


def page(a: Diagram, b: Diagram, comparison: Comparison, names: tuple[str, str]) -> str:
    """Self-contained HTML page of a comparison."""
    key = "".join(
        f'<span><b style="color:{colour}">&#9632;</b> {fate}</span>' for fate, colour in LIGHT.fates.items()
    )
    title = escape(f"{names[0]} and {names[1]}")
    words = escape("\n".join(comparison.lines()) or "nothing differs")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
        f'</head><body><h1>{title}</h1><p class="key">{key}</p>\n'
        f"{side_by_side(a, b, comparison, names).svg}\n<h2>Differences</h2><pre>{words}</pre></body></html>\n"
    )


def _size(svg: str) -> tuple[float, float]:
    width, height = re.findall(r' (?:width|height)="([-\d.e+]+)"', svg)[:2]
    return float(width), float(height)
