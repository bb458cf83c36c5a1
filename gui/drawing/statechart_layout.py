"""State chart layout: boxes of the states one below the other, below each its outgoing transitions.

A transition is a line of text with an arrow: straight down if it is the last of its state and leads to the next one,
else over a lane to the right. So texts do not overlap, and their order is the order of evaluation. Incomplete
entries are accepted, since the user may be typing. Pure Python: no Qt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...blocks.text.raw_types import Raw, RawMap

TYPE = "state_machine"
LEFT, TOP, BOX, ROW, GAP, LANE = 26.0, 12.0, 22.0, 15.0, 14.0, 9.0
LETTER = 5.3  # width of most letters of a text of 9 px
LONGEST = 38  # letters of a guard
NARROW, WIDE = 84.0, 170.0  # px, width of a state box
NAME_ROOM = 16.0  # below it on a card
INDENT = 12.0  # px, indent of transitions from the box's left side
LAST = 1e9  # priority of a transition without one

Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """State box: number, name and rectangle."""

    number: int
    name: str
    x: float
    y: float
    width: float
    height: float = BOX


@dataclass(frozen=True)
class Arrow:
    """Transition: its index, text with position, and the corners of its line."""

    index: int
    words: str
    place: Point
    points: tuple[Point, ...]
    source: str
    target: str


@dataclass(frozen=True)
class Chart:
    width: float
    height: float
    boxes: tuple[Box, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    start: tuple[Point, ...] = ()  # the arrow into the initial state; its first point is a dot


@dataclass
class _Lanes:
    """Vertical lanes beside the boxes; lines whose heights overlap get different lanes."""

    taken: list[list[tuple[float, float]]] = field(default_factory=list)

    def lane(self, low: float, high: float) -> int:
        for k, spans in enumerate(self.taken):
            if all(high < a or low > b for a, b in spans):
                spans.append((low, high))
                return k
        self.taken.append([(low, high)])
        return len(self.taken) - 1


def chart_of(raw: Mapping[str, Raw]) -> Chart:
    """State chart of a block's netlist entry."""
    states = raw.get("states")
    names = [str(name) for name in states] if isinstance(states, dict) else []
    if not names:
        return Chart(NARROW + 2 * LEFT, 2 * TOP + BOX)
    width = max(NARROW, min(WIDE, max(7.0 * len(name) for name in names) + 20.0))
    ways = _ways(raw, names)
    boxes, rows, y = [], dict[int, float](), TOP
    for number, name in enumerate(names, 1):
        boxes.append(Box(number, name, LEFT, y, width))
        y += BOX
        own = [index for index, one in ways if one["from"] == name]
        for index in own:
            y += ROW
            rows[index] = y - ROW / 2
        y += GAP if own else GAP / 2
    return _drawn(raw, boxes, dict(ways), rows, y)


def _ways(raw: Mapping[str, Raw], names: Sequence[str]) -> list[tuple[int, RawMap]]:
    """Transitions between existing states, in the order of evaluation."""
    listed = raw.get("transitions")
    known = [
        (index, one)
        for index, one in enumerate(listed if isinstance(listed, list) else [])
        if isinstance(one, dict) and one.get("from") in names and one.get("to") in names
    ]
    return sorted(known, key=lambda item: _rank(item[1]))


def _rank(one: RawMap) -> float:
    priority = one.get("priority")
    return priority if isinstance(priority, int | float) else LAST


def _drawn(
    raw: Mapping[str, Raw], boxes: list[Box], ways: dict[int, RawMap], rows: dict[int, float], height: float
) -> Chart:
    by_name = {box.name: box for box in boxes}
    texts = {index: words_of(one) for index, one in ways.items()}
    across = max([boxes[0].width, *(INDENT + 12 + LETTER * len(text) for text in texts.values())])
    right = LEFT + across + 8.0
    down = {index for index in rows if _leads_down(index, ways, rows, boxes, by_name)}
    lanes, arrows, came = _Lanes(), list[Arrow](), dict[str, int]()
    # short ways first: they stay near the boxes
    reach = {index: abs(rows[index] - by_name[str(ways[index]["to"])].y) for index in rows}
    for index in sorted(rows, key=lambda index: reach[index]):
        one, y = ways[index], rows[index]
        source, target = by_name[str(one["from"])], by_name[str(one["to"])]
        trunk = source.x + INDENT
        text = (trunk + 10.0, y)
        if index in down:
            points: tuple[Point, ...] = ((trunk, source.y + BOX), (trunk, target.y))
        else:
            k = came[target.name] = came.get(target.name, 0) + 1
            end = target.y + 5.0 + 6.0 * ((k - 1) % 3)
            x = right + LANE * lanes.lane(min(y, end) - 3.0, max(y, end) + 3.0)
            begin = text[0] + LETTER * len(texts[index]) + 3.0
            points = ((begin, y), (x, y), (x, end), (target.x + target.width, end))
        arrows.append(Arrow(index, texts[index], text, points, source.name, target.name))
    initial = by_name.get(str(raw.get("initial") or boxes[0].name), boxes[0])
    middle = initial.y + BOX / 2
    width = right + LANE * max(len(lanes.taken) - 1, 0) + 12.0
    start = ((initial.x - 14.0, middle), (initial.x, middle))
    return Chart(width, height, tuple(boxes), tuple(sorted(arrows, key=lambda one: one.index)), start)


def _leads_down(
    index: int, ways: dict[int, RawMap], rows: dict[int, float], boxes: list[Box], by_name: dict[str, Box]
) -> bool:
    """True if a transition is the last of its state and leads to the state below."""
    source = str(ways[index]["from"])
    own = [other for other in rows if ways[other]["from"] == source]
    below = by_name[source].number
    return (
        max(own, key=lambda other: rows[other]) == index
        and below < len(boxes)
        and boxes[below].name == ways[index]["to"]
    )


def words_of(one: Mapping[str, Raw]) -> str:
    """Condition text of a transition."""
    when, after = str(one.get("when") or "").strip(), one.get("after")
    lasts = "" if after is None else f"after {after}{'' if isinstance(after, str) else ' s'}"
    words = ", ".join(part for part in (when, lasts) if part) or "at once"
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 3]}..."
