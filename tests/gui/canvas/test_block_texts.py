"""What a card says: name and value, one above the other at every zoom."""

from __future__ import annotations

import pytest

from luff.tests.gui.driver import Canvas


@pytest.mark.parametrize("zoom", [0.7, 0.75, 0.8, 1.0, 1.25, 2.0])
def test_value_stands_under_the_name(canvas: Canvas, zoom: float) -> None:
    told = 0
    for item in canvas.scene.blocks.values():
        name, value = item.text_tops(zoom)
        text, _ = item._name_text(zoom)
        assert name + text.size().height() <= item.block_shape.height
        if value is not None:
            told += 1
            assert name + text.size().height() <= value
            assert value + item._value_text.size().height() <= item.block_shape.height
    assert told
