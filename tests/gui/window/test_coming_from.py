"""The page "Coming from Simulink or OMEdit" names blocks, menu entries and keys that are there."""

from __future__ import annotations

import re
from pathlib import Path

import luff
from luff.blocks.registry import registered
from luff.gui.window.actions import INNER, MENUS, Spec

PAGE = Path(luff.__file__).resolve().parent / "docs" / "coming_from.md"
PARTS = {
    "fluid",
    "frames",
    "grids",
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


def plain_text(spec: Spec) -> str:
    return spec.text.replace("&", "")


def test_menu_entries_of_the_page_exist_with_their_keys() -> None:
    plain = {
        (menu.replace("&", ""), plain_text(inner)): inner.shortcut
        for menu, specs in MENUS.items()
        for spec in specs
        if spec
        for inner in [spec, *INNER.get(spec.key, [])]
    }
    entries = re.findall(r"\*(\w+), (?:\w+, )?([\w .]+?)\*(?: \(([\w+]+)\))?", PAGE.read_text())
    assert len(entries) >= 6
    for menu, text, keys in entries:
        assert (menu, text) in plain
        assert not keys or plain[menu, text] == keys
