"""Faults of what a window shows: wires through cards, nets that touch, problems of what is not there, stale routes."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable

from luff.blocks import LuffError
from luff.gui.canvas.scene import ROUTED_ANEW, CanvasScene
from luff.gui.document.block_cards import Cards
from luff.gui.document.document import Document, block_of
from luff.gui.drawing.net_labels import SHOWN
from luff.gui.drawing.polylines import Point, segments
from luff.gui.window.main_window import Window
from luff.solver.flatten.diagram import Diagram
from luff.tests.gui.driver import Canvas

NEAR = 2.0  # px within which two lines look like one


def crossings(canvas: Canvas) -> list[str]:
    """Wires that are shown inside a card, by more than the width of its outline."""
    found = []
    rects = {name: item.rect() for name, item in canvas.scene.blocks.items()}
    for text, wire in canvas.scene.wires.items():
        for (x1, y1), (x2, y2) in itertools.pairwise(wire.points) if wire.isVisible() else ():
            for name, (left, top, right, bottom) in rects.items():
                if (
                    max(x1, x2) > left + 1
                    and min(x1, x2) < right - 1
                    and max(y1, y2) > top + 1
                    and min(y1, y2) < bottom - 1
                ):
                    found.append(f"{text} through {name}")
    return found


def shared(wires: Iterable[tuple[str, Hashable, list[Point]]]) -> list[tuple[str, str]]:
    """Pairs of wires of different nets that lie on each other, or meet with a corner or an end."""
    lines: dict[bool, list[tuple[float, float, float, str, Hashable]]] = {False: [], True: []}
    for text, net, way in wires:
        for upright, at, low, high in segments(way):
            lines[bool(upright)].append((at, low, high, text, net))
    pairs = []
    for pieces in lines.values():
        pieces.sort(key=lambda piece: piece[0])
        for k, (p, low, high, a, one) in enumerate(pieces):
            for q, start, end, b, other in itertools.islice(pieces, k + 1, None):
                if q - p >= NEAR:
                    break
                if one != other and min(high, end) - max(low, start) > -NEAR:
                    pairs.append((a, b))
    return pairs


def shared_nets(canvas: Canvas) -> list[tuple[str, str]]:
    """Of wires that find their own way: two that were dragged lie where the user has laid them."""
    wires = canvas.scene.wires
    pairs = shared((text, wire.net, way) for text, wire in wires.items() for way in wire.painted_lines())
    return [(a, b) for a, b in pairs if not (wires[a].data(0) and wires[b].data(0))]


def dead_problems(window: Window) -> list[str]:
    """Lines of the list that name a block that is not there."""
    known = {*window.document.block_names(), "world"}
    named = [problem for problem in window.document.problems if problem.path.startswith("blocks.")]
    return [str(problem) for problem in named if block_of(problem) not in known]


def otherwise_anew(window: Window) -> list[str]:
    """Where the list of problems or the size of a card differs from what the text, read anew, says of itself."""
    document = window.document
    document.check()
    try:
        old = document.diagram
        root = Diagram.from_yaml(old.to_yaml(), base=old.base, path=old.path)
        diagram = root.at_level(old.level)
        anew, cards = [*diagram.problems_here(root.check())], Cards(diagram)
    except LuffError as error:
        anew, cards = [*old.problems_here(error.problems)], document
    told, right = ({(one.path, one.message) for one in some} for some in (document.problems, anew))
    wrong = [f"{'right by now' if one in told else 'not told'}: {one}" for one in sorted(told ^ right)]
    return [*wrong, *otherwise_routed(window)] + [
        f"{name} has the shape of before"
        for name in document.block_names()
        if cards.place(name)[2] == document.place(name)[2] and cards.shape(name) != document.shape(name)
    ]


def otherwise_routed(window: Window) -> list[str]:
    """Wires that run another way than in the file, opened anew; of large diagrams not all are routed after an edit."""
    document, wires = window.document, window.view.canvas.wires
    if len(wires) > ROUTED_ANEW:
        return []
    old = document.diagram
    again = [Document(Diagram.from_yaml(old.to_yaml(), base=old.base, path=old.path))]
    for name in old.level:
        again.append(again[-1].inside(name))
    scene = CanvasScene(again[-1])
    scene.sync()
    wrong = [
        f"{text} runs otherwise when opened anew"
        for text in wires
        if wires[text].points != scene.wires[text].points
    ]
    for level in reversed(again):
        level.close()
    return wrong


def overlaps(canvas: Canvas) -> list[str]:
    rects = [(name, item.rect()) for name, item in canvas.scene.blocks.items()]
    return [
        f"{a} over {b}"
        for k, (a, r) in enumerate(rects)
        for b, s in rects[k + 1 :]
        if r[0] < s[2] and s[0] < r[2] and r[1] < s[3] and s[1] < r[3]
    ]


def hidden(canvas: Canvas) -> list[str]:
    return [text for text, wire in canvas.scene.wires.items() if not wire.isVisible()]


def without_way(canvas: Canvas) -> int:
    """Wires shown as labels because no way is free."""
    return sum(not wire.points and wire.data(0) != SHOWN for wire in canvas.scene.wires.values())
