"""Routing and layout, without Qt."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luff.blocks import registered
from luff.gui.document.document import Document
from luff.gui.drawing import route_search
from luff.gui.drawing.automatic_layout import layout
from luff.gui.drawing.card_geometry import arrange
from luff.gui.drawing.exposed_ports import exposed
from luff.gui.drawing.layout_graph import Graph, Node
from luff.gui.drawing.obstacles import CLEARANCE, Obstacles
from luff.gui.drawing.polylines import End, segments, simplify
from luff.gui.drawing.router import Router, through
from luff.gui.drawing.snap_guides import REACH, snap, to_grid
from luff.gui.drawing.wire_nets import junctions, net_of_each
from luff.solver.flatten.diagram import Diagram

SEED = 3
SIDES = ["left", "right", "top", "bottom"]
grid = st.integers(-40, 40).map(lambda k: 10.0 * k)


def crosses(points: list, rect: tuple) -> bool:
    left, top, right, bottom = rect
    for (x1, y1), (x2, y2) in itertools.pairwise(points):
        if min(x1, x2) < right and max(x1, x2) > left and min(y1, y2) < bottom and max(y1, y2) > top:
            return True
    return False


def test_route_between_facing_ports_is_straight() -> None:
    assert Router().route(End(0, 0, "right"), End(200, 0, "left")) == [(0, 0), (200, 0)]


def test_route_goes_round_a_block_in_between() -> None:
    router = Router()
    rect = (80, -50, 120, 50)
    router.obstacles.put("wall", rect)
    points = router.route(End(0, 0, "right"), End(200, 0, "left"))
    assert points[0] == (0, 0)
    assert points[-1] == (200, 0)
    assert not crosses(points, rect)


def test_route_finds_the_gap_in_a_long_wall() -> None:
    router = Router()
    walls = [(90, -400 + 60 * k, 110, -345 + 60 * k) for k in range(14) if k != 2]
    for k, rect in enumerate(walls):
        router.obstacles.put(k, rect)
    points = router.route(End(0, 0, "right"), End(200, 0, "left"))
    assert not any(crosses(points, rect) for rect in walls)


def test_route_that_needs_a_search_keeps_off_other_wires() -> None:
    router = Router()
    router.obstacles.put("a", (0, -40, 100, 40))
    router.obstacles.put("b", (160, -40, 260, 40))
    start, end = End(260, 0, "right"), End(0, 0, "left")
    first = router.route(start, end, "first")
    router.tracks.put("first", "first", first)
    second = router.route(End(260, 20, "right"), End(0, 20, "left"), "second")
    long = [s for s in segments(second) if s[3] - s[2] > 100]
    assert long
    assert not any(router.tracks.overlap(*s, net="second") for s in long)


@given(
    grid, grid, st.sampled_from(SIDES), st.sampled_from(SIDES), st.lists(st.tuples(grid, grid), max_size=5)
)
def test_routes_are_orthogonal_and_join_their_ports(x: float, y: float, a: str, b: str, blocks: list) -> None:
    router = Router()
    for k, (left, top) in enumerate(blocks):
        router.obstacles.put(k, (left + 5, top + 5, left + 85, top + 65))
    points = router.route(End(0, 0, a), End(x, y, b))
    assert points[0] == (0, 0)
    assert points[-1] == (x, y)
    assert all(p[0] == q[0] or p[1] == q[1] for p, q in itertools.pairwise(points))
    assert points == simplify(points)


@given(st.lists(st.tuples(grid, grid), max_size=5), st.sampled_from(SIDES), st.sampled_from(SIDES))
def test_dragged_wires_pass_through_their_corners(corners: list, a: str, b: str) -> None:
    points = through(End(-500, 0, a), corners, End(500, 0, b))
    assert all(p[0] == q[0] or p[1] == q[1] for p, q in itertools.pairwise(points))
    for x, y in corners:
        assert any(
            min(p[0], q[0]) <= x <= max(p[0], q[0]) and min(p[1], q[1]) <= y <= max(p[1], q[1])
            for p, q in itertools.pairwise(points)
        )


def test_second_wire_keeps_off_the_first() -> None:
    router = Router()
    first = router.route(End(0, 0, "right"), End(200, 100, "left"), "a")
    router.tracks.put("one", "a", first)
    second = router.route(End(0, 20, "right"), End(200, 120, "left"), "b")
    upright = [{p[0] for p, q in itertools.pairwise(wire) if p[0] == q[0]} for wire in (first, second)]
    assert not upright[0] & upright[1]


def test_crossings_are_those_of_other_nets() -> None:
    router = Router()
    router.tracks.put("up", "a", [(50, -50), (50, 50)])
    router.tracks.put("own", "b", [(70, -50), (70, 50)])
    assert [x for x, _ in router.tracks.crossings(0, 0, 100, "b")] == [50]
    router.tracks.drop("up")
    assert router.tracks.crossings(0, 0, 100, "b") == []


def test_junction_is_where_three_ways_meet() -> None:
    assert junctions([[(0, 0), (100, 0)], [(0, 0), (50, 0), (50, 50)]]) == [(50, 0)]
    assert junctions([[(0, 0), (50, 0), (50, 50)], [(0, 0), (50, 0), (50, 50)]]) == []


def test_frames_wired_together_are_one_net() -> None:
    nets = net_of_each(["a.f -- b.f", "b.f -- c.f", "d.y -> e.u", "d.y -> g.u", "h.y -> e.v"])
    assert nets["a.f -- b.f"] == nets["b.f -- c.f"]
    assert nets["d.y -> e.u"] == nets["d.y -> g.u"] != nets["h.y -> e.v"]


def test_snap_prefers_alignment_to_the_grid() -> None:
    (dx, dy), guides = snap((0, 0, 100, 60), (43.0, 1.0), [(47, 200, 147, 260)])
    assert (dx, dy) == (47, 0)
    assert [g.upright for g in guides] == [True]


def test_snap_moves_as_little_as_aligns_with_any_card() -> None:
    draw = random.Random(SEED)
    for _ in range(200):
        sides = [draw.choice((100, 140)) for _ in "abc"]
        cards = [(x, x - side, x + side, x) for side in sides for x in [draw.randint(-90, 90)]]
        offset = draw.uniform(-9, 9), draw.uniform(-9, 9)
        moved, guides = snap((0, 0, 100, 60), offset, cards)
        for axis, size in ((0, 100), (1, 60)):
            gaps = [
                card[axis] + k * (card[axis + 2] - card[axis]) / 2 - offset[axis] - k * size / 2
                for card in cards
                for k in (0, 1, 2)
            ]
            least = min(gaps, key=abs)
            aligned = [guide for guide in guides if guide.upright == (axis == 0)]
            assert bool(aligned) == (abs(least) <= REACH)
            # sums of a few numbers below 200
            expected = abs(least) if aligned else abs(to_grid(offset[axis]) - offset[axis])
            assert abs(moved[axis] - offset[axis]) == pytest.approx(expected, abs=1e-12)


def test_rectangles_of_an_area_are_the_same_whichever_way_they_are_looked_up() -> None:
    draw = random.Random(SEED)
    known = Obstacles()
    rects = {
        k: (x, y, x + 100.0, y + 60.0)
        for k in range(300)
        if (x := draw.uniform(-2e3, 2e3)) and (y := draw.uniform(-2e3, 2e3))
    }
    for k, rect in rects.items():
        known.put(k, rect)
    for k in range(0, 300, 7):  # moved and taken away
        known.put(k, rects.setdefault(k, (0.0, 0.0, 9.0, 9.0)))
        known.drop(k + 1)
        rects.pop(k + 1, None)
    for _ in range(200):
        x, y, size = draw.uniform(-2e3, 2e3), draw.uniform(-2e3, 2e3), draw.choice((10.0, 300.0, 5e3))
        area = (x, y, x + size, y + size / 2)
        grown = [
            (r[0] - CLEARANCE, r[1] - CLEARANCE, r[2] + CLEARANCE, r[3] + CLEARANCE) for r in rects.values()
        ]
        overlapping = [
            r for r in grown if r[0] < area[2] and r[2] > area[0] and r[1] < area[3] and r[3] > area[1]
        ]
        assert sorted(known.within(area)) == sorted(overlapping)


@pytest.mark.parametrize("type_name", sorted(registered()))
@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_ports_of_every_block_stand_on_its_edge_on_the_grid(type_name: str, rotation: int) -> None:
    cls = registered()[type_name]
    ports = {key: port.named(key) for key, port in cls.class_ports.items()}
    shape = arrange(ports, "name", rotation, cls.family)
    places = [(anchor.x, anchor.y) for anchor in shape.anchors.values()]
    assert len(set(places)) == len(ports)
    for x, y in places:
        assert x % 10 == y % 10 == 0
        assert 0 <= x <= shape.width
        assert 0 <= y <= shape.height
        assert x in (0, shape.width) or y in (0, shape.height)


def chain_graph() -> Graph:
    nodes = {name: Node(100, 80, True) for name in ("world", "joint", "link", "tip", "side")}
    nodes |= {name: Node(80, 60, False) for name in ("source", "pd", "probe")}
    bonds = [("world", "joint"), ("joint", "link"), ("link", "tip"), ("joint", "side")]
    arrows = [("source", "pd"), ("joint", "pd"), ("pd", "joint"), ("probe", "tip")]
    return Graph(nodes, bonds, arrows)


def test_layout_reads_from_world_to_tip_with_controllers_below_and_inputs_above() -> None:
    places = layout(chain_graph())
    xs = [places[name][0] for name in ("world", "joint", "link", "tip")]
    assert xs == sorted(set(xs))
    assert places["world"][1] == places["joint"][1] == places["link"][1]
    assert places["pd"][1] > places["joint"][1] + 80
    assert places["source"][0] < places["pd"][0]
    assert places["probe"][1] + 60 < places["tip"][1]


@given(st.data())
def test_layout_never_overlaps_blocks(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 14))
    names = ["world", *(f"b{k}" for k in range(count))]
    nodes = {
        name: Node(
            data.draw(st.sampled_from([80, 100, 160])),
            data.draw(st.sampled_from([60, 80])),
            data.draw(st.booleans()),
        )
        for name in names
    }
    pairs = data.draw(st.lists(st.tuples(st.sampled_from(names), st.sampled_from(names)), max_size=20))
    bonds = [(a, b) for a, b in pairs if nodes[a].mechanical and nodes[b].mechanical]
    arrows = [(a, b) for a, b in pairs if not (nodes[a].mechanical and nodes[b].mechanical)]
    places = layout(Graph(nodes, bonds, arrows))
    assert places.keys() == nodes.keys()
    for a, b in itertools.combinations(names, 2):
        (xa, ya), (xb, yb) = places[a], places[b]
        apart = (
            xa + nodes[a].width <= xb
            or xb + nodes[b].width <= xa
            or ya + nodes[a].height <= yb
            or yb + nodes[b].height <= ya
        )
        assert apart, (a, b)


def test_router_layout_and_geometry_import_no_qt() -> None:
    code = (
        "import sys, luff.gui.drawing.router, luff.gui.drawing.automatic_layout, luff.gui.drawing.layout_graph, "
        "luff.gui.drawing.snap_guides, luff.gui.run.run_history, luff.gui.drawing.wire_nets, "
        "luff.gui.properties.value_text;"
        "print([name for name in sys.modules if 'PySide' in name])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def composite_document(tmp_path: Path) -> Document:
    (tmp_path / "limb.yaml").write_text(
        "luff: 1\nblocks:\n  pin: {type: revolute}\n  rod: {type: rigid_link}\n"
        "connect: [pin.frame_b -- rod.frame_a]\nports: {foot: pin.frame_a, hand: rod.frame_b, drive: pin.effort}\n"
    )
    (tmp_path / "pair.yaml").write_text(
        "luff: 1\nblocks:\n  one: {type: ./limb.yaml}\n  two: {type: ./limb.yaml}\n"
        "connect: [one.hand -- two.foot]\nports: {root: one.foot, end: two.hand}\n"
    )
    text = "luff: 1\nblocks:\n  a: {type: ./pair.yaml}\nconnect: [world.frame -- a.root]\n"
    return Document(Diagram.from_yaml(text, "test", tmp_path))


def test_ports_of_composites_sit_as_the_inner_ones_they_stand_for(tmp_path: Path) -> None:
    document = composite_document(tmp_path)
    anchors = document.shape("a").anchors
    assert (anchors["root"].side, anchors["end"].side) == ("left", "right")
    assert (anchors["root"].solid, anchors["end"].solid) == (True, False)
    document.close()
    inner = Diagram.load(tmp_path / "limb.yaml")
    assert exposed(inner) == {"pin": {"frame_a": "foot", "effort": "drive"}, "rod": {"frame_b": "hand"}}


def test_composite_shows_the_world_only_where_it_is_wired(tmp_path: Path) -> None:
    document = composite_document(tmp_path)
    assert document.block_names() == ["world", "a"]
    document.close()
    inner = Document(Diagram.load(tmp_path / "limb.yaml"))
    assert inner.block_names() == ["pin", "rod"]
    inner.close()


def test_wires_along_a_row_are_straight_and_branches_hang_on_their_node(tmp_path: Path) -> None:
    text = """luff: 1
blocks:
  pin: {type: revolute}
  rod: {type: rigid_link, frames: {side: {at: [1, 0, 0]}, far: {at: [2, 0, 0]}}}
  next: {type: revolute}
  tip: {type: rigid_link}
  load: {type: rigid_link}
  eye: {type: frame_sensor}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- rod.frame_a
  - rod.far -- next.frame_a
  - next.frame_b -- tip.frame_a
  - tip.frame_a -- load.frame_a
  - load.frame_b -- eye.frame_b
"""
    document = Document(Diagram.from_yaml(text))

    def height(block: str, port: str) -> float:
        return document.place(block)[1] + document.shape(block).anchors[port].y

    for a, b in (
        ("pin.frame_b", "rod.frame_a"),
        ("rod.far", "next.frame_a"),
        ("load.frame_b", "eye.frame_b"),
    ):
        assert height(*a.split(".")) == height(*b.split(".")), (a, b)
    # load is wired to tip's near side: both stand behind the joint, one below the other
    assert document.place("tip")[0] == document.place("load")[0] > document.place("next")[0]
    assert document.place("tip")[1] != document.place("load")[1]
    document.close()


def random_lattice(draw: random.Random) -> route_search.Lattice:
    """A few lines, with blocks on them and many pieces that wires of other nets have taken."""
    xs, ys = (sorted(10.0 * k for k in draw.sample(range(60), 16)) for _ in "xy")
    lattice = route_search.Lattice(xs, ys)
    corners = [(10.0 * draw.randrange(60), 10.0 * draw.randrange(60)) for _ in range(6)]
    lattice.shut_blocks([(x + 3, y + 3, x + 80, y + 60) for x, y in corners])
    for _ in range(24):
        low = draw.uniform(0, 500)
        lattice.shut_line(draw.random() < 0.5, draw.randrange(16), [(low, low + 200)])
    return lattice


def test_looking_from_the_end_first_changes_no_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """It only finds sooner that there is none."""
    draw, none, shut = random.Random(SEED), 0, 0
    for _ in range(150):
        lattice = random_lattice(draw)
        start, end = ((draw.choice(lattice.xs), draw.choice(lattice.ys)) for _ in "ab")
        heading = draw.choice(route_search.HEADINGS)
        way = lattice.search(start, end, heading)
        with monkeypatch.context() as patched:
            patched.setattr(route_search.Lattice, "_shut_in", lambda *_: False)
            assert lattice.search(start, end, heading) == way, SEED
        first = 4 * (lattice.xs.index(start[0]) * 16 + lattice.ys.index(start[1]))
        goal = lattice.xs.index(end[0]) * 16 + lattice.ys.index(end[1])
        none += way is None
        shut += lattice._shut_in(goal, first + route_search.HEADINGS.index(heading))
    assert 10 < none < 140
    assert 5 < shut <= none


def test_an_end_within_a_block_is_known_to_have_no_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a search, which would find the same, over all blocks of the diagram at last."""
    draw, inside = random.Random(SEED), 0
    for _ in range(100):
        router = Router()
        for k in range(6):
            x, y = (float(10 * draw.randrange(30)) for _ in "xy")
            router.obstacles.put(k, (x, y, x + 80.0, y + 60.0))
        ends = [End(float(draw.randrange(380)), float(draw.randrange(360)), side) for side in ("left", "top")]
        (s, e), room = (end.stub() for end in ends), draw.choice((160.0, 1600.0))
        way = router._search(s, e, ends[0], room)
        inside += router.obstacles.blocks(s, s) or router.obstacles.blocks(e, e)
        with monkeypatch.context() as patched:
            patched.setattr(router.obstacles, "blocks", lambda *_: False)
            assert router._search(s, e, ends[0], room) == way, SEED
    assert 20 < inside < 80
