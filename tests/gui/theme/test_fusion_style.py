"""Icons and arrows that follow the theme where Qt's own are black."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QStyle

from luff.gui.theme.active_theme import THEMES, arrow, holder
from luff.gui.theme.fusion_style import FusionStyle


def ink(image: QImage) -> QColor:
    """Colour of the most opaque pixel."""
    pixels = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
    return max(pixels, key=lambda colour: colour.alpha())


@pytest.mark.parametrize("name", THEMES)
def test_arrows_of_file_dialogs_have_the_colour_of_the_text(qapp, name: str) -> None:
    holder.use(name)
    style = FusionStyle()
    for kind in FusionStyle.PLACES:
        shown = ink(style.standardIcon(kind).pixmap(QSize(20, 20)).toImage())
        text = THEMES[name].colour("text")
        assert max(abs(a - b) for a, b in zip(shown.getRgb()[:3], text.getRgb()[:3], strict=True)) < 40, kind
    assert not style.standardIcon(QStyle.StandardPixmap.SP_DirIcon).isNull()


@pytest.mark.parametrize("name", THEMES)
def test_the_arrows_of_a_theme_have_its_muted_colour(name: str) -> None:
    for way in ("up", "down"):
        assert f'stroke="{THEMES[name].muted}"' in Path(arrow(way, THEMES[name])).read_text()
