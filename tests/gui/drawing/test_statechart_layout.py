"""Charts of random state machines: nothing covers anything else, and each arrow leads where it should."""

from __future__ import annotations

import random
from itertools import combinations, pairwise

import pytest

from luff.gui.drawing.statechart_layout import BOX, LETTER, Chart, chart_of
from luff.tests.blocks.test_state_machine import random_chart

Rect = tuple[float, float, float, float]


def boxes(chart: Chart) -> dict[str, Rect]:
    return {box.name: (box.x, box.y, box.x + box.width, box.y + box.height) for box in chart.boxes}


def overlap(a: Rect, b: Rect) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


@pytest.mark.parametrize("number", range(40))
def test_nothing_covers_anything_else(number: int, seed: int) -> None:
    raw = random_chart(random.Random(f"{seed} {number}"))
    chart = chart_of(raw)
    assert [box.name for box in chart.boxes] == list(raw["states"])
    assert len(chart.arrows) == len(raw["transitions"])
    words = [
        (x, y - 5.0, x + LETTER * len(arrow.words), y + 5.0)
        for arrow in chart.arrows
        for x, y in [arrow.place]
    ]
    for a, b in combinations([*boxes(chart).values(), *words], 2):
        assert not overlap(a, b)
    for left, top, right, bottom in [*boxes(chart).values(), *words]:
        assert left >= 0
        assert top >= 0
        assert right <= chart.width
        assert bottom <= chart.height
    for arrow in chart.arrows:
        one = raw["transitions"][arrow.index]
        assert (arrow.source, arrow.target) == (one["from"], one["to"])
        left, top, right, bottom = boxes(chart)[arrow.target]
        x, y = arrow.points[-1]
        assert (x == right and top < y < bottom) or (y == top and left < x < right)
        assert all(0 <= x <= chart.width for x, _ in arrow.points)
    # lines that stand beside the boxes never lie on each other
    upright = [
        (a[0], min(a[1], b[1]), max(a[1], b[1]))
        for arrow in chart.arrows
        for a, b in pairwise(arrow.points)
        if a[0] == b[0]
    ]
    for (x, low, high), (z, lowest, highest) in combinations(upright, 2):
        assert x != z or high <= lowest or highest <= low


def test_transitions_stand_in_the_order_in_which_they_are_looked_at() -> None:
    ways = [
        {"from": "a", "to": "b", "when": f"x > {k}", **more}
        for k, more in enumerate(({}, {"priority": 2}, {"priority": 1}))
    ]
    chart = chart_of({"states": {"a": {}, "b": {}}, "transitions": ways})
    lines = sorted(chart.arrows, key=lambda arrow: arrow.place[1])
    assert [arrow.words for arrow in lines] == ["x > 2", "x > 1", "x > 0"]


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"states": None},
        {"states": []},
        {"states": {"a": None}, "transitions": "no"},
        {"states": {"a": {}}, "initial": "b", "transitions": [None, {"from": "a"}, {"from": "a", "to": "c"}]},
        {"states": {1: {}}, "transitions": [{"from": 1, "to": 1, "when": None, "priority": "high"}]},
    ],
)
def test_what_is_still_being_written_is_drawn(raw: dict) -> None:
    chart = chart_of(raw)
    assert chart.width > 0
    assert chart.height >= BOX
