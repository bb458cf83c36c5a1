"""Alignment and distribution of blocks, in whole grid steps and without overlaps."""

from __future__ import annotations

from collections.abc import Callable

from ..document.document import Document
from ..drawing.block_spacing import spread
from ..drawing.card_geometry import GRID
from ..drawing.polylines import Rect

# aligned quantity of a card, and the shift that takes it to a common value
LINES: dict[str, tuple[str, bool, Callable[[Rect], float]]] = {
    "left": ("Left Edges", True, lambda r: r[0]),
    "centre": ("Centres, One above the Other", True, lambda r: 0.5 * (r[0] + r[2])),
    "right": ("Right Edges", True, lambda r: r[2]),
    "top": ("Top Edges", False, lambda r: r[1]),
    "middle": ("Middles, Side by Side", False, lambda r: 0.5 * (r[1] + r[3])),
    "bottom": ("Bottom Edges", False, lambda r: r[3]),
}
GAPS = {"across": ("Distribute Horizontally", True), "down": ("Distribute Vertically", False)}


def align(document: Document, names: list[str], key: str) -> None:
    """Align blocks with the outermost of them on one side, or on the centre line."""
    title, across, line = LINES[key]
    cards = {name: document.card(name) for name in names}
    values = sorted(line(card) for card in cards.values())
    goal = {"left": values[0], "top": values[0], "right": values[-1], "bottom": values[-1]}.get(
        key, 0.5 * (values[0] + values[-1])
    )
    shifts = {name: _whole(goal - line(card)) for name, card in cards.items()}
    wanted = {name: (shift, 0.0) if across else (0.0, shift) for name, shift in shifts.items()}
    _move_apart(document, cards, wanted, f"align {title.partition(',')[0].lower()}")


def distribute(document: Document, names: list[str], key: str) -> None:
    """Equalise the gaps between blocks; the outermost blocks stay."""
    title, across = GAPS[key]
    k = 0 if across else 1
    cards = {name: document.card(name) for name in names}
    order = sorted(names, key=lambda name: cards[name][k] + cards[name][k + 2])
    sizes = [cards[name][k + 2] - cards[name][k] for name in order]
    free = cards[order[-1]][k + 2] - cards[order[0]][k] - sum(sizes)
    wanted, at = {}, cards[order[0]][k]
    for name, size in zip(order, sizes, strict=True):
        shift = _whole(at - cards[name][k])
        wanted[name] = (shift, 0.0) if across else (0.0, shift)
        at += size + free / (len(names) - 1)
    _move_apart(document, cards, wanted, title.lower())


def _whole(shift: float) -> float:
    return round(shift / GRID) * float(GRID)


def _move_apart(
    document: Document, cards: dict[str, Rect], wanted: dict[str, tuple[float, float]], text: str
) -> None:
    """Move blocks as wanted, apart where they would overlap."""
    placed = {
        name: (
            left + wanted[name][0],
            top + wanted[name][1],
            right + wanted[name][0],
            bottom + wanted[name][1],
        )
        for name, (left, top, right, bottom) in cards.items()
    }
    apart = spread(placed)
    moves = {
        name: (dx + apart.get(name, (0.0, 0.0))[0], dy + apart.get(name, (0.0, 0.0))[1])
        for name, (dx, dy) in wanted.items()
    }
    document.move(moves, text)
