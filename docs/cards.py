"""Blocks as cards with their symbol and all their ports, as SVG inside of the page: no file, no script, no network."""

from __future__ import annotations

import html

from luff.gui.theme.symbols.symbol import outlines
from luff.gui.theme.symbols.symbol_table import symbol_of
from luff.solver.diagram.block_reference import BlockEntry, PortEntry

WIDTH, ROW, TOP = 320.0, 15.0, 34.0  # of the card, of a port, down to the first port
MARGIN = 6.0
FRAMES_IN = ("frame_a", "plane", "base", "supply", "tank", "housing", "a")  # acausal ports on the left


def card(type_name: str, about: BlockEntry) -> str:
    """One block."""
    left = [port for port in about["ports"] if _on_the_left(port)]
    right = [port for port in about["ports"] if not _on_the_left(port)]
    height = max(TOP + 40.0, TOP + ROW * max(len(left), len(right)) + 8.0)
    symbol = "".join(outlines(symbol_of(type_name, about["family"])))
    parts = [
        f'<rect x="{MARGIN}" y="1" width="{WIDTH}" height="{height}" rx="6" fill="none" stroke="currentColor"/>',
        f'<text x="{MARGIN + WIDTH / 2}" y="16" text-anchor="middle" font-weight="bold">{_text(type_name)}</text>',
        f'<g transform="translate({MARGIN + WIDTH / 2},{TOP + 10})">{symbol}</g>',
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
