"""The page "Coming from Simulink or OMEdit" names blocks, menu entries and keys that are there."""

from __future__ import annotations

import re
from pathlib import Path

import luff
from luff.blocks.registry import registered
from luff.gui.window.actions import MENUS

PAGE = Path(luff.__file__).resolve().parent / "docs" / "coming_from.md"
PARTS = {
    "fluid",
    "frames",
    "backlash",
    "shaft",
    "housing",
    "sample_time",
}  # parameters and ports, which stand beside their blocks


def test_blocks_of_the_page_exist() -> None:
    section = PAGE.read_text().partition("## Blocks")[2].partition("## Runs")[0]
    rows = [
        line.split("|")[3] for line in section.splitlines() if line.startswith("| ") and "---" not in line
    ]
    named = {word for cell in rows[1:] for word in re.findall(r"`(\w+)`", cell)}
    assert len(named) > 30
    assert named - PARTS <= set(registered())


def test_menu_entries_of_the_page_exist_with_their_keys() -> None:
    plain = {
        (menu.replace("&", ""), spec.text.replace("&", "")): spec.shortcut
        for menu, specs in MENUS.items()
        for spec in specs
        if spec
    }
    found = re.findall(r"\*(\w+), ([\w .]+?)\*(?: \(([\w+]+)\))?", PAGE.read_text())
    assert len(found) >= 6
    for menu, text, keys in found:
        assert (menu, text) in plain
        assert not keys or plain[menu, text] == keys
