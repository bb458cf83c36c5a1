"""Blocks as cards with their symbol and all their ports, as SVG inside of the page: no file, no script, no network."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator

from luff.solver.diagram.reference import BlockEntry, PortEntry

WIDTH, ROW, TOP = 320.0, 15.0, 34.0  # of the card, of a port, down to the first port
MARGIN = 6.0
FRAMES_IN = ("frame_a", "plane", "base", "supply", "tank", "housing", "a")  # acausal ports on the left


def card(type_name: str, about: BlockEntry) -> str:
    """One block."""
    left = [port for port in about["ports"] if _on_the_left(port)]
    right = [port for port in about["ports"] if not _on_the_left(port)]
    height = max(TOP + 40.0, TOP + ROW * max(len(left), len(right)) + 8.0)
    parts = [
        f'<rect x="{MARGIN}" y="1" width="{WIDTH}" height="{height}" rx="6" fill="none" stroke="currentColor"/>',
        f'<text x="{MARGIN + WIDTH / 2}" y="16" text-anchor="middle" font-weight="bold">{_text(type_name)}</text>',
        f'<g transform="translate({MARGIN + WIDTH / 2},{TOP + 10})">{"".join(symbol(type_name, about["family"]))}</g>',
    ]
    for ports, x, anchor, inwards in ((left, MARGIN, "start", 1), (right, MARGIN + WIDTH, "end", -1)):
        for k, port in enumerate(ports):
            y = TOP + ROW * k
            parts.append(mark(port, x, y))
            parts.append(
                f'<text x="{x + 9 * inwards}" y="{y + 3.5}" text-anchor="{anchor}">{_text(port["name"])}</text>'
            )
    size = f'width="{WIDTH + 2 * MARGIN:g}" height="{height + 2:g}"'
    return f'<svg class="card" {size} role="img" aria-label="{_text(type_name)}">{"".join(parts)}</svg>'


def _on_the_left(port: PortEntry) -> bool:
    if port["direction"]:
        return port["direction"] == "in"
    return port["name"] in FRAMES_IN


def _text(text: str) -> str:
    return html.escape(str(text))


def mark(port: PortEntry, x: float, y: float) -> str:
    """Square for a frame, circle for oil, diamond for a shaft, triangle for a signal (filled: a trajectory)."""
    look = 'fill="{}" stroke="currentColor"'
    if port["kind"] == "frame":
        return f'<rect x="{x - 4}" y="{y - 4}" width="8" height="8" {look.format("currentColor")}/>'
    if port["kind"] == "hydraulic":
        return f'<circle cx="{x}" cy="{y}" r="4" {look.format("currentColor")}/>'
    if port["kind"] == "shaft":
        return f'<path d="M{x - 5} {y}L{x} {y - 5}L{x + 5} {y}L{x} {y + 5}Z" {look.format("currentColor")}/>'
    fill = "currentColor" if port["kind"] == "trajectory" else "none"
    return f'<path d="M{x - 4} {y - 4}L{x + 4} {y}L{x - 4} {y + 4}Z" {look.format(fill)}/>'


def symbol(type_name: str, family: str) -> Iterator[str]:
    from luff.gui.look.symbols import symbol_of

    found = symbol_of(type_name, family)
    for text, fill, dash in ((found.filled, 0.2, ""), (found.lines, 0.0, ""), (found.dashed, 0.0, "3 2.5")):
        if text:
            dashes = f' stroke-dasharray="{dash}"' if dash else ""
            yield (
                f'<path d="{outline(text)}" fill="currentColor" fill-opacity="{fill}" stroke="currentColor"'
                f' stroke-width="1.4" stroke-linecap="round" stroke-linejoin="round"{dashes}/>'
            )


def outline(text: str) -> str:
    """A symbol's one-line text (gui/look/symbols/path.py) as a path of SVG."""
    from luff.gui.look.symbols.path import ARITY

    words, found, k = text.split(), [], 0
    while k < len(words):
        command, count = words[k], ARITY[words[k]]
        n = [float(word) for word in words[k + 1 : k + 1 + count]]
        k += 1 + count
        if command in "MLCZ":
            found.append(command + " ".join(f"{value:g}" for value in n))
        elif command == "R":
            found.append(f"M{n[0]:g} {n[1]:g}h{n[2]:g}v{n[3]:g}h{-n[2]:g}Z")
        elif command == "O":
            found.append(_arc(n[0], n[1], n[2], 0.0, 360.0))
        elif command == "A":
            found.append(_arc(*n))
        else:
            found.append(_head(*n))
    return "".join(found)


def _arc(cx: float, cy: float, r: float, start: float, span: float) -> str:
    """Counter-clockwise on a screen whose y points down, in pieces of at most a right angle."""
    pieces = max(1, math.ceil(abs(span) / 90.0))
    step = math.radians(span / pieces)
    reach = 4.0 / 3.0 * math.tan(step / 4.0) * r
    a = math.radians(start)
    found = [f"M{cx + r * math.cos(a):.3g} {cy - r * math.sin(a):.3g}"]
    for _ in range(pieces):
        b = a + step
        numbers = (
            cx + r * math.cos(a) - reach * math.sin(a), cy - r * math.sin(a) - reach * math.cos(a),
            cx + r * math.cos(b) + reach * math.sin(b), cy - r * math.sin(b) + reach * math.cos(b),
            cx + r * math.cos(b), cy - r * math.sin(b),
        )  # fmt: skip
        found.append("C" + " ".join(f"{value:.3g}" for value in numbers))
        a = b
    return "".join(found)


def _head(x: float, y: float, angle: float, size: float = 4.0) -> str:
    """Two short barbs that meet in (x, y)."""
    found = ""
    for turn in (150, -150):
        way = math.radians(angle + turn)
        found += f"M{x:g} {y:g}L{x + size * math.cos(way):.3g} {y - size * math.sin(way):.3g}"
    return found
