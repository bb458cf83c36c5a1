"""All wires of a sheet: no two nets share anything, however little room there is."""

from __future__ import annotations

import itertools
import random

import pytest

from luff.gui.drawing.diagram_svg import draw
from luff.gui.drawing.net_labels import labels
from luff.gui.drawing.polylines import End
from luff.gui.drawing.router import Router
from luff.gui.drawing.wire_layout import Ways, Wire, route_wires
from luff.solver.flatten.diagram import Diagram
from luff.tests.gui.canvas_faults import shared

WIDTH, HEIGHT, GAP = 100.0, 80.0, 20.0
PORTS = {
    "left": [(0.0, 20.0 * k) for k in (1, 2, 3)],
    "right": [(WIDTH, 20.0 * k) for k in (1, 2, 3)],
    "top": [(20.0 * k, 0.0) for k in (1, 2, 3, 4)],
    "bottom": [(20.0 * k, HEIGHT) for k in (1, 2, 3, 4)],
}


def crowded(draw: random.Random, across: int, count: int) -> tuple[Router, dict[str, Wire]]:
    """Cards as close as they may stand, and wires between ports of all of them, each a net of its own."""
    router, ends = Router(), []
    for i in range(across):
        for j in range(across):
            x, y = i * (WIDTH + GAP), j * (HEIGHT + GAP)
            router.obstacles.put((i, j), (x, y, x + WIDTH, y + HEIGHT))
            ends += [End(x + dx, y + dy, side) for side, places in PORTS.items() for dx, dy in places]
    draw.shuffle(ends)
    return router, {
        f"a{k}.y -> b{k}.u": Wire(ends[2 * k], ends[2 * k + 1], (f"a{k}", "y")) for k in range(count)
    }


def drawn(wires: dict[str, Wire], ways: Ways) -> list:
    """What of the wires is drawn as lines, with their nets."""
    lines = []
    for text, wire in wires.items():
        shown = [label.lead for label in labels(text, wire.net, wire.start, wire.end)]
        lines += [(text, wire.net, way) for way in ([ways[text]] if ways[text] else shown)]
    return lines


@pytest.mark.parametrize("seed", range(3))
def test_nets_share_nothing_where_there_is_no_room_for_all(seed: int) -> None:
    router, wires = crowded(random.Random(seed), 2, 22)
    ways: Ways = {}
    route_wires(router, wires, ways, wires)
    assert shared(drawn(wires, ways)) == []
    count = sum(not way for way in ways.values())
    assert 0 < count < len(wires)  # some have no way, and are labels; else this would show little
    assert not any(router.obstacles.crossed(way) for way in ways.values())


def test_wire_that_becomes_free_is_a_line_again() -> None:
    router, wires = crowded(random.Random(1), 2, 22)
    ways: Ways = {}
    route_wires(router, wires, ways, wires)
    text = next(text for text, way in ways.items() if not way)
    alone = Router()
    route_wires(alone, {text: wires[text]}, ways, [text])
    assert len(ways[text]) >= 2


def test_label_names_its_net_and_the_element_that_it_reaches() -> None:
    a, b = labels(
        "king.trajectory -> pd.measured[1]", ("king", "trajectory"), End(0, 0, "right"), End(90, 0, "top")
    )
    assert (a.text, b.text) == ("king.trajectory", "king.trajectory [1]")
    assert a.box[0] > 0 > a.box[1]
    assert b.upright
    assert b.box[3] < 0


def test_long_names_of_labels_keep_their_element() -> None:
    ends = End(0, 0, "right"), End(90, 0, "left")
    text = labels("a -> b", ("a_rather_long_name_of_a_joint", "total_force[2]"), *ends)[0].text
    assert (text, len(text)) == ("a_rather_long_name_of_...[2]", 28)


def test_svg_shows_labels_as_the_file_keeps_them() -> None:
    text = (
        "luff: 1\nblocks:\n  a: {type: sine}\n  b: {type: gain}\nconnect: [a.y -> b.u]\n"
        "layout: {a: [0, 0], b: [300, 0]WIRES}\n"
    )
    line = draw(Diagram.from_yaml(text.replace("WIRES", ""))).svg
    tags = draw(Diagram.from_yaml(text.replace("WIRES", ", wires: {a.y -> b.u: labels}"))).svg
    assert line.count(">a.y</text>") == 0
    assert tags.count(">a.y</text>") == 2


def close_crossings(wires: dict[str, Wire], ways: Ways) -> list[tuple[str, str]]:
    """Wires that cross another one less than 20 px before its port: at the arrow."""
    found = []
    for (text, way), (other, wire) in itertools.product(ways.items(), wires.items()):
        for end in (wire.start, wire.end):
            (x, y), (x2, y2) = end.stub(1.0), end.stub(19.0)
            for (a, b), (c, d) in itertools.pairwise(way):
                level = min(a, c) < x < max(a, c) and min(y, y2) <= b <= max(y, y2)
                upright = min(b, d) < y < max(b, d) and min(x, x2) <= a <= max(x, x2)
                if text != other and (level if x == x2 else upright):
                    found.append((text, other))
    return found


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("left", [-60.0, 0.0, 110.0, 200.0])
def test_wires_cross_their_neighbours_before_the_arrows(left: float, order: int) -> None:
    """A controller at several places under its joint."""
    router = Router()
    router.obstacles.put("joint", (0, 0, 120, 80))
    router.obstacles.put("pd", (left, 200, left + 80, 280))
    ends = [End(left, y, "left") for y in (220, 240, 260)]
    effort, output = End(20, 80, "bottom"), End(left + 80, 240, "right")
    wires = {
        "law.trajectory -> pd.target": Wire(End(-200, 220, "right"), ends[0], ("law", "trajectory")),
        "joint.trajectory -> pd.measured": Wire(End(80, 80, "bottom"), ends[1], ("joint", "trajectory")),
        "joint.load -> pd.feedforward": Wire(End(100, 80, "bottom"), ends[2], ("joint", "load")),
        "pd.effort -> joint.effort": Wire(output, effort, ("pd", "effort")),
    }
    ways: Ways = {}
    route_wires(router, wires, ways, list(wires)[::order])
    assert all(ways.values())
    assert close_crossings(wires, ways) == []


def test_a_wire_keeps_away_from_inputs_without_wires_that_it_passes() -> None:
    router = Router()
    start, end, open_input = End(200, 80, "bottom"), End(60, 240, "left"), End(60, 220, "left")
    router.put_block("pd", (60, 200, 140, 280), ())
    assert min(x for x, _ in router.route(start, end)) == 50  # one step of the grid beside the card
    router.put_block("pd", (60, 200, 140, 280), (open_input,))
    assert min(x for x, _ in router.route(start, end)) == 40


def test_a_wire_goes_round_a_label_where_that_costs_little() -> None:
    router = Router()
    for low, high in ((-400, -140), (-110, 100), (130, 400)):  # a wall with two gaps
        router.obstacles.put(low, (160, low, 180, high))
    start, end = End(0, 0, "right"), End(340, 0, "left")
    assert max(y for _, y in router.route(start, end)) > 100  # through the nearer one
    router.tags.put("label", (150, 104, 190, 126))
    points = router.route(start, end)
    assert min(y for _, y in points) < -110
    assert max(y for _, y in points) == 0
