"""What the window tells of a model: problems, marks, badge, theme."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from PySide6.QtGui import QFontMetrics

from luff.blocks.errors import Problem
from luff.gui.document.starter_models import templates
from luff.gui.theme.active_theme import theme
from luff.tests.gui.driver import LONG
from luff.tests.shared.netlists import TWO_LINKS


def test_long_sentences_of_a_problem_are_not_cut(make_window) -> None:
    window = make_window()
    window.panels.show("Problems")
    words = "the loop from here over there and back cannot be closed, because " * 4
    window.problems.show_problems([Problem("short", "a"), Problem(words, "b", fix="do less")])
    tree = window.problems.tree
    tree.doItemsLayout()
    short, long = (tree.visualItemRect(tree.topLevelItem(k)).height() for k in (0, 1))
    lines = QFontMetrics(tree.font()).horizontalAdvance(words) / tree.columnWidth(1)
    assert long >= short + (int(lines) - 1) * QFontMetrics(tree.font()).height()


def test_problem_leads_to_its_block(make_window) -> None:
    window = make_window(TWO_LINKS.replace("mass: 2 kg", "mass: -2 kg"))
    window.document.check()
    assert window.view.canvas.blocks["upper"].problem == "error"
    item = window.problems.tree.topLevelItem(0)
    assert item is not None
    assert "upper.mass" in item.text(0)
    window.problems._click(item)
    assert window.view.canvas.selected_blocks() == ["upper"]
    assert "error" in window.running.badge.text()


def test_what_is_incomplete_is_neutral_until_a_run_was_refused(make_window) -> None:
    window = make_window("luff: 1\nblocks: {lag: {type: gain, k: 2}, rod: {type: rigid_link, mass: 2 kg}}\n")
    blocks, badge = window.view.canvas.blocks, window.running.badge
    window.document.check()
    assert [blocks[name].problem for name in ("lag", "rod")] == ["incomplete"] * 2
    assert badge.text() == "Incomplete: 2 to do"
    assert badge.property("state") == ""
    window.document.set_value("rod.mass", -2)
    window.document.check()
    assert [blocks[name].problem for name in ("lag", "rod")] == ["incomplete", "error"]
    title = window.panels.docks["Problems"].windowTitle()
    assert (badge.text(), title) == (
        "1 error, 1 to do",
        f"Problems ({window.problems.tree.topLevelItemCount()})",
    )
    assert title == "Problems (2)"
    window.document.set_value("rod.mass", 2)
    window.actions_["run"].trigger()
    assert [blocks[name].problem for name in ("lag", "rod")] == ["error"] * 2
    assert badge.property("state") == "error"
    assert theme().mark("incomplete") not in (theme().colour("error"), theme().colour("warning"))


def test_dark_theme_and_back(make_window) -> None:
    window = make_window(TWO_LINKS)
    window.views.on_dark(True)
    assert window.view.backgroundBrush().color().lightness() < 60
    window.views.on_dark(False)
    assert window.view.backgroundBrush().color().lightness() > 200


def test_algebraic_loop_is_drawn_on_its_wires(make_window, qtbot) -> None:
    text = """luff: 1
blocks:
  a: {type: gain, k: 2}
  b: {type: gain, k: 3}
  c: {type: gain, k: 1}
connect: [a.y -> b.u, b.y -> a.u, a.y -> c.u]
"""
    window = make_window(text)
    wires = window.view.canvas.wires
    qtbot.waitUntil(lambda: wires["a.y -> b.u"].problem == "error", timeout=LONG)
    assert wires["b.y -> a.u"].problem == "error"
    assert wires["a.y -> c.u"].problem == ""
    assert "error" in window.running.badge.text()


def test_badge_counts_freedoms_and_states(make_window, qtbot) -> None:
    window = make_window(templates()["two_link_arm"])
    qtbot.waitUntil(lambda: "DOF" in window.running.badge.text(), timeout=LONG)
    assert window.running.badge.text() == "2 DOF, 4 states"
    assert window.view3d.canvas.scene is not None


def test_badge_counts_constraints() -> None:
    from luff.gui.window.run_bar import summary_text

    summary = {"degrees_of_freedom": 1, "bodies": 3, "states": 2, "constraints": 5}
    assert summary_text(summary) == "1 DOF, 2 states, 5 constraints"


def test_no_display_is_said_and_not_an_abort(tmp_path: Path) -> None:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {key: value for key, value in os.environ.items() if key not in hidden}
    command = [sys.executable, "-c", "import sys; from luff.gui.app import main; sys.exit(main())"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert "no display" in done.stderr
