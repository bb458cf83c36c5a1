"""Icons that blocks of others declare."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QIcon
from pytestqt.qtbot import QtBot

from luff.blocks import Block, Out, registered
from luff.blocks.registry import _loaded_files, register
from luff.gui.theme.active_theme import theme
from luff.gui.theme.block_catalog import FAMILIES
from luff.gui.theme.icons import icon
from luff.gui.theme.symbols.symbol_table import UNKNOWN, symbol_of


@pytest.fixture
def foreign() -> Iterator[type[Block]]:
    @register
    class ForeignSource(Block):
        """A source of somebody else: y = 1."""

        y = Out()

        def out():
            return 1.0

    yield ForeignSource
    del _loaded_files["foreign_source"]


@pytest.mark.parametrize(
    ("icon", "drawn"), [("M -18 0 L 18 0", True), ("", False), ("M 1", False), ("? 1 2", False)]
)
def test_declared_icon_is_drawn_and_a_wrong_one_is_not(foreign: type[Block], icon: str, drawn: bool) -> None:
    foreign.icon = icon
    assert symbol_of("foreign_source", "signals").lines == (icon if drawn else UNKNOWN.lines)


def test_every_block_of_luff_has_a_symbol_and_a_place_in_the_palette() -> None:
    for name, cls in registered().items():
        if cls.__module__.startswith("luff."):
            assert symbol_of(name, cls.family) is not UNKNOWN, name
            assert cls.family in FAMILIES, name


def test_an_icon_of_a_selected_row_has_the_colour_of_its_text(qtbot: QtBot) -> None:
    picture = icon("error", "error").pixmap(QSize(16, 16), QIcon.Mode.Selected).toImage()
    drawn = [picture.pixelColor(x, y) for x in range(16) for y in range(16)]
    assert {colour.name() for colour in drawn if colour.alpha() == 255} == {theme().accent_text}
