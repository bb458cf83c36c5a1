"""The picture of the diagram in an FMU."""

from __future__ import annotations

import io

from matplotlib.image import imread

import luff
from luff.solver.fmi.fmu_diagram import COLUMN, WIDTH, block_corners, picture, wires_of


def test_picture_follows_the_layout_and_places_what_has_none() -> None:
    text = "luff: 1\nblocks: {a: {type: sine}, b: {type: gain}, c: {type: gain}}\n"
    text += "connect: [a.y -> b.u, b.y -> c.u]\nlayout: {b: [40, 300]}\n"
    diagram = luff.loads(text)
    places = block_corners(diagram, wires_of(diagram))
    assert places["b"] == (40.0, 300.0)
    assert places["c"][0] - places["a"][0] == 2 * COLUMN  # a wire further each
    assert min(y for name, (_, y) in places.items() if name != "b") > 300.0  # below what has a place


def test_wire_of_a_picture_ends_with_a_head_beside_the_card() -> None:
    text = "luff: 1\nblocks: {a: {type: sine}, b: {type: gain}}\nconnect: [a.y -> b.u]\n"
    layout = "layout: {world: [0, 200], a: [0, 0], b: [300, 0]}\n"
    drawn = imread(io.BytesIO(picture(luff.loads(text + layout))))[:, :, :3].min(axis=2)
    scale = drawn.shape[1] / (300.0 + WIDTH + 40.0)
    line = (drawn[: int(70 * scale), int(200 * scale)] < 0.9).sum()
    head = (drawn[: int(70 * scale), int(scale * (20 + 300)) - 5] < 0.9).sum()
    assert head > line > 0
