"""What is drawn of a block is a matter of the screen's pixels: on 200 % there is room for more than the zoom says."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QImage

from luff.gui.canvas.block_item import TEXT_FROM, BlockItem
from luff.gui.canvas.scene import OVERVIEW_BELOW
from luff.tests.gui.driver import Canvas

INK = 60  # of 255: by how much what is drawn differs from the card at least


def picture(canvas: Canvas, zoom: float, ratio: float, monkeypatch: pytest.MonkeyPatch) -> QImage:
    """Of the canvas on a screen of that scale."""
    view = canvas.view
    monkeypatch.setattr(view, "devicePixelRatioF", lambda: ratio)
    view.resetTransform()
    view.zoom_by(zoom)
    view.centerOn(view.canvas.content_rect().center())
    image = QImage(view.viewport().size() * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.white)
    view.viewport().render(image, QPoint())
    return image


def drawn_in(canvas: Canvas, image: QImage, item: BlockItem, place: QRectF) -> bool:
    """Whether a part of a card, in its own coordinates, has ink on it."""
    ratio = image.devicePixelRatio()
    corners = [item.mapToScene(corner) for corner in (place.topLeft(), place.bottomRight())]
    (left, top), (right, bottom) = (
        (round(at.x() * ratio), round(at.y() * ratio)) for at in map(canvas.view.mapFromScene, corners)
    )
    shades = [image.pixelColor(x, y) for x in range(left, right) for y in range(top, bottom)]
    return max(shade.lightness() for shade in shades) - min(shade.lightness() for shade in shades) > INK


def symbol_area(item: BlockItem) -> QRectF:
    place = QRectF(0, 0, 40, 24)
    place.moveCenter(item.card().center())
    return place


def name_area(item: BlockItem) -> QRectF:
    card = item.card()
    return QRectF(8, card.height() - 24, card.width() - 16, 18)


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_names_and_symbols_follow_the_pixels_of_the_screen(
    canvas: Canvas, ratio: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    zoom = 1.1 * TEXT_FROM / ratio
    image = picture(canvas, zoom, ratio, monkeypatch)
    items = [item for item in canvas.scene.blocks.values() if item.type_name]
    assert len(items) > 4
    for item in items:
        assert drawn_in(canvas, image, item, symbol_area(item)), item.name
        assert drawn_in(canvas, image, item, name_area(item)), item.name


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_symbols_stay_as_marks_from_afar(
    canvas: Canvas, ratio: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = picture(canvas, 0.6 * OVERVIEW_BELOW / ratio, ratio, monkeypatch)
    assert canvas.scene.overview
    for item in canvas.scene.blocks.values():
        assert drawn_in(canvas, image, item, symbol_area(item)), item.name


def test_what_is_incomplete_is_shown_from_afar_too(make_canvas, monkeypatch: pytest.MonkeyPatch) -> None:
    canvas = make_canvas("luff: 1\nblocks: {lag: {type: gain}, rod: {type: rigid_link, mass: 2 kg}}\n")
    canvas.document.check()
    assert "incomplete" in {item.problem for item in canvas.scene.blocks.values()}
    image = picture(canvas, 0.6 * OVERVIEW_BELOW, 1.0, monkeypatch)
    assert all(drawn_in(canvas, image, item, symbol_area(item)) for item in canvas.scene.blocks.values())
