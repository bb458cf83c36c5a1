"""Lines from `touch` and `clearance` to the blocks whose shapes they name."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication, QGraphicsRectItem
from shiboken6 import delete

from luff.blocks.mechanics.bodies import RigidLink
from luff.blocks.mechanics.shape_pairs import Fixture
from luff.blocks.registry import registered
from luff.blocks.text.raw_types import Raw, RawMap
from luff.gui.canvas.block_item import BlockItem
from luff.gui.canvas.shape_links import BEARING, ShapeLinks, shape_links
from luff.tests.gui.driver import Canvas

TEXT = """luff: 1
blocks:
  free: {type: free}
  crate: {type: rigid_link, mass: 1, inertia: [1, 1, 1], shape: {kind: sphere, size: [1]}}
  quay: {type: fixture, shapes: {top: {kind: plane}, fender: {kind: box, size: [1, 1, 1]}}}
  stand: {type: touch, of: [crate], against: [quay.top]}
  room: {type: clearance, of: ["c*"], against: [quay.fen*]}
connect: [world.frame -- free.frame_a, free.frame_b -- crate.frame_a]
layout: {world: [0, 0], free: [200, 0], crate: [400, 0], quay: [400, 300], stand: [600, 150], room: [200, 150]}
"""


@pytest.mark.parametrize(
    ("named", "bearers"),
    [
        ({"of": ["crate"], "against": ["quay.top"]}, ["crate", "quay"]),
        ({"among": ["*"]}, ["crate", "quay"]),
        ({"of": ["cra*"]}, ["crate"]),
        ({"of": ["*top"]}, ["quay"]),
        ({"of": ["quay.side"]}, []),
        ({"of": ["beam"]}, []),
        ({"of": ["free"]}, []),
        ({}, []),
        ({"of": 3, "against": "crate"}, []),
    ],
)
def test_names_and_patterns_lead_to_what_bears_shapes(named: dict[str, Raw], bearers: list[str]) -> None:
    entries: dict[str, RawMap] = {
        "crate": {"type": "rigid_link", "shape": {}}, "quay": {"type": "fixture", "shapes": {"top": {}}},
        "beam": {"type": "rfem_link", "shape": {}},
        "free": {"type": "free"}, "part": {"type": {"blocks": {}}}, "it": {"type": "touch", **named},
    }  # fmt: skip
    assert [*shape_links(entries)] == [("it", one) for one in bearers]


def test_types_that_bear_are_those_whose_shapes_can_be_named() -> None:
    bearing = {name for name, cls in registered().items() if issubclass(cls, RigidLink | Fixture)}
    assert {*BEARING} == bearing


def test_lines_join_the_cards_and_follow_them(make_canvas: Callable[..., Canvas]) -> None:
    canvas = make_canvas(TEXT)
    scene = canvas.scene
    links = scene.shape_links
    assert {*links.pairs} == {("stand", "crate"), ("stand", "quay"), ("room", "crate"), ("room", "quay")}

    def ends(pair: tuple[str, str]) -> tuple[QPointF, QPointF]:
        line, _ = links.lines[links.pairs.index(pair)]
        return line.p1(), line.p2()

    assert links.lines == []  # of blocks that are not selected
    scene.select(["crate"])
    assert len(links.lines) == 2
    scene.select(["stand", "room"])
    for pair in links.pairs:
        for name, point in zip(pair, ends(pair), strict=True):
            item = scene.blocks[name]
            # on the border of the card
            card = item.card().translated(item.pos())
            assert card.adjusted(-0.01, -0.01, 0.01, 0.01).contains(point)
            assert not card.adjusted(0.01, 0.01, -0.01, -0.01).contains(point)
    before = ends(("stand", "quay"))[1]
    canvas.document.move({"quay": (0.0, 100.0)})
    scene.sync()
    assert ends(("stand", "quay"))[1] != before
    canvas.document.remove(["stand"])
    scene.sync()
    assert {*links.pairs} == {("room", "crate"), ("room", "quay")}
    assert scene.block_at(links.lines[0][0].center()) is None


def test_lines_ask_no_block_that_is_gone(qapp: QApplication) -> None:
    """A scene that ends deselects its blocks while others are gone."""
    links, gone, there = ShapeLinks(), QGraphicsRectItem(), QGraphicsRectItem()
    links.pairs = [("gone", "there")]
    delete(gone)
    blocks = cast("dict[str, BlockItem]", {"gone": gone, "there": there})
    links.follow(blocks)
    assert links.lines == []
    delete(links)
    links.follow(blocks)
