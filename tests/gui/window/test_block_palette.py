"""Palette of blocks: the best match stands first, and the row that is selected can be read."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor

from luff.gui.theme.active_theme import theme
from luff.gui.window.docks.block_palette import NAME, Palette


def filled(qtbot, words: str) -> Palette:
    palette = Palette()
    qtbot.addWidget(palette)
    palette.resize(240, 400)
    palette.show()
    palette.refresh()
    palette.field.setText(words)
    return palette


def shown(palette: Palette) -> list[str]:
    heads = [palette.tree.topLevelItem(k) for k in range(palette.tree.topLevelItemCount())]
    return [head.child(k).data(0, NAME) for head in heads if head for k in range(head.childCount())]


@pytest.mark.parametrize("words", ["gain", "sum"])
def test_a_block_of_this_name_is_first(qtbot, words: str) -> None:
    assert shown(filled(qtbot, words))[0] == words


def test_a_word_is_not_found_inside_of_another_one(qtbot) -> None:
    assert "bushing" not in shown(filled(qtbot, "gain"))  # "against" is in its sentence


def test_the_name_in_the_selected_row_has_the_colour_of_selected_text(qtbot) -> None:
    palette = filled(qtbot, "gain")
    head = palette.tree.topLevelItem(0)
    assert head is not None
    palette.tree.setCurrentItem(head.child(0))
    row = palette.tree.visualItemRect(head.child(0))
    row.setLeft(palette.tree.iconSize().width() + 20)
    row.setTop(row.center().y() + 2)  # its second line
    picture = palette.tree.viewport().grab(row).toImage()

    def apart(one: QColor, other: QColor) -> int:
        parts = zip(one.getRgb()[:3], other.getRgb()[:3], strict=True)  # type: ignore[index]
        return sum(abs(a - b) for a, b in parts)

    wanted, muted = theme().colour("accent_text"), theme().colour("muted")
    pixels = [picture.pixelColor(x, y) for x in range(picture.width()) for y in range(picture.height())]
    # thin strokes mix with the ground
    assert min(apart(pixel, wanted) for pixel in pixels) < 0.5 * apart(muted, wanted)
