"""The page "Coming from Simulink or OMEdit" names blocks, menu entries and keys that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import luff
from luff.blocks.registry import registered
from luff.gui.theme.block_catalog import builtin, search
from luff.gui.theme.block_synonyms import SYNONYMS
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


def rows_of_blocks() -> list[tuple[str, str]]:
    """Names of other tools, and the cell of luff's blocks, by row of the page."""
    section = PAGE.read_text().partition("## Blocks")[2].partition("## Runs")[0]
    lines = [line.split("|") for line in section.splitlines() if line.startswith("| ") and "---" not in line]
    rows = [(name.strip(), cells[3]) for cells in lines[1:] for name in cells[1].split(",")]
    return [(name.removesuffix(" (IL)").removesuffix(" (rotational)"), cell) for name, cell in rows]


def classes_of_modelica() -> list[tuple[str, str]]:
    """Classes in the column of Modelica, and the cell of luff's blocks, by row of the page."""
    section = PAGE.read_text().partition("## Blocks")[2].partition("## Runs")[0]
    rows = [line.split("|") for line in section.splitlines() if line.startswith("| ")]
    return [(name, cells[3]) for cells in rows for name in re.findall(r"`([A-Z][\w.]+)`", cells[2])]


# packages, and what the blocks of the row replace rather than are
NO_CLASSES = (
    "PlanarMechanics", "Blocks.Math", "Blocks.Continuous", "Routing", "MathInteger", "Electrical.Machines",
    "Joints.FreeMotion", "Math.MatrixGain", "ElastoBacklash", "Rotational.Components.Fixed",
)  # fmt: skip


@pytest.mark.parametrize(("name", "cell"), classes_of_modelica())
def test_the_palette_finds_a_block_by_its_class_in_modelica(name: str, cell: str) -> None:
    if name in NO_CLASSES:
        return
    there = set(re.findall(r"`(\w+)`", cell)) - PARTS
    for words in (name, name.rpartition(".")[2]):
        hits = [entry.type_name for entry in search(list(builtin()), words)]
        assert there & set(hits[:4]), hits


NO_BLOCKS = (  # settings, or a manner of wiring
    "Subsystem", "Model Reference", "Stop Simulation", "Assertion", "Check Static Range", "Gain with a matrix",
    "motion inputs of a 6-DOF Joint", "a joint with torque input and sensed motion", "mechanical reference", "timers",
)  # fmt: skip


@pytest.mark.parametrize(("name", "cell"), rows_of_blocks())
def test_the_palette_finds_a_block_by_the_name_it_has_elsewhere(name: str, cell: str) -> None:
    if name in NO_BLOCKS:
        return
    there = set(re.findall(r"`(\w+)`", cell)) - PARTS
    hits = [entry.type_name for entry in search(list(builtin()), name)]
    assert there & set(hits[:4]), hits


@pytest.mark.parametrize(
    ("words", "block"),
    [
        ("controller", "pid"), ("actuator", "hydraulic_cylinder"), ("hinge", "revolute"), ("slider", "prismatic"),
        ("cable", "rope"), ("pulley", "rope"), ("sine wave", "sine"), ("lookup", "table"), ("motor", "motor"),
        ("payload", "rigid_link"), ("spring", "line_spring"), ("planner", "motion_law"), ("imu", "frame_sensor"),
        ("Sine", "sine"), ("rigid link", "rigid_link"), ("weld", "fixed"),
    ],
)  # fmt: skip
def test_the_palette_finds_a_block_by_the_word_of_the_trade(words: str, block: str) -> None:
    assert block in [entry.type_name for entry in search(list(builtin()), words)][:4]


def test_synonyms_are_of_blocks_that_exist() -> None:
    assert set(SYNONYMS) <= set(registered())


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
