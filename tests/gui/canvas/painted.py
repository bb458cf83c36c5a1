"""Words as they are painted on a canvas, with where they lie."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF
from PySide6.QtGui import QImage, QPainter, QStaticText

from luff.gui.canvas.block_item import VALUE_PIXELS
from luff.tests.gui.driver import Canvas

Words = list[tuple[str, QRectF]]


def painted_words(
    canvas: Canvas, zoom: float, ratio: float, monkeypatch: pytest.MonkeyPatch
) -> tuple[Words, Words, list[QRectF]]:
    """Values of blocks, other words, and cards, in pixels of a screen of that scale that shows the whole diagram."""
    view, scene, values, others = canvas.view, canvas.scene, Words(), Words()
    paint_prepared, paint_text = QPainter.drawStaticText, QPainter.drawText

    def prepared(painter: QPainter, place: QPointF, text: QStaticText) -> None:
        box = painter.deviceTransform().mapRect(QRectF(place, text.size()))
        (values if painter.font().pixelSize() == VALUE_PIXELS else others).append((text.text(), box))
        paint_prepared(painter, place, text)

    def plain(painter: QPainter, box: QRectF, *how: object) -> None:
        others.append((str(how[-1]), painter.deviceTransform().mapRect(QRectF(box))))
        paint_text(painter, box, *how)

    scene.select(list(scene.blocks))  # with the names of their ports
    view.resetTransform()
    view.zoom_by(zoom)
    whole = scene.content_rect()
    view.resize((whole.size() * zoom).toSize() + view.size() - view.viewport().size())
    view.centerOn(whole.center())
    image = QImage(view.viewport().size() * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    with monkeypatch.context() as patch:
        patch.setattr(view, "devicePixelRatioF", lambda: ratio)
        patch.setattr(QPainter, "drawStaticText", prepared)
        patch.setattr(QPainter, "drawText", plain)
        view.viewport().render(image, QPoint())
    places = [
        view.viewportTransform().mapRect(item.mapRectToScene(item.card())) for item in scene.blocks.values()
    ]
    return values, others, [QRectF(place.topLeft() * ratio, place.size() * ratio) for place in places]


def what_values_meet(values: Words, others: Words, cards: list[QRectF]) -> list[str]:
    """Names, names of ports and other values that lie on them, and values that are not in one block alone."""
    met: list[str] = []
    for k, (words, box) in enumerate(values):
        ink = box.adjusted(0.5, 0.5, -0.5, -0.5)  # boxes that touch do not meet
        met += [f"{words} on {other}" for other, place in others + values[:k] if place.intersects(ink)]
        if [card.contains(ink) for card in cards if card.intersects(ink)] != [True]:
            met.append(f"{words} out of its block")
    return met
