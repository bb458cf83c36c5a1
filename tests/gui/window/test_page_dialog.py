"""File > Export > Page, from the menu to a page that holds the model."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from luff.gui.window.dialogs.export_dialogs import PageDialog
from luff.tests.conftest import about_compiling
from luff.tests.gui.driver import LONG

pytestmark = about_compiling

PENDULUM = """luff: 1
parameters: {start: 1}
blocks:
  pin: {type: revolute, axis: y, initial: {position: =start}}
  bob: {type: rigid_link, mass: 2, com: [0, 0, -1], inertia: [1, 1, 1]}
connect: [world.frame -- pin.frame_a, pin.frame_b -- bob.frame_a]
simulation: {stop: 0.3 s, step: 1 ms, output_step: 10 ms}
dashboard: [{kind: gauge, of: pin.position, range: [-1, 1]}]
"""


@pytest.fixture
def dialog(make_window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PageDialog:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "swing"), ""))
    window = make_window(PENDULUM)
    window.actions_["export_page"].trigger()
    window.actions_["export_page"].trigger()
    (one,) = window.findChildren(PageDialog)  # asked for twice, shown once
    return one


def wait(qtbot, dialog: PageDialog) -> None:
    qtbot.waitUntil(lambda: not dialog.job.active and dialog.begin.isEnabled(), timeout=LONG)


def test_menu_makes_a_page_with_the_sliders_that_were_asked_for(dialog, qtbot, tmp_path: Path) -> None:
    from luff.tests.gui.html_page.test_page import about

    dialog.sliders.setText(" bob.mass=1 kg..3 kg ,")
    dialog.inputs.setText("pin.effort")
    assert not dialog.opener.isEnabled()
    dialog.begin.click()
    assert dialog.cancel.isEnabled()
    wait(qtbot, dialog)
    assert dialog.said.text().startswith(f"Saved {tmp_path / 'swing.html'}: ")
    assert (
        "s. The one item of the dashboard stays in luff: there, inputs and parameters" in dialog.said.text()
    )
    assert dialog.opener.isEnabled()
    data, code = about(tmp_path / "swing.html")
    assert code[:4] == b"\0asm"
    assert {one["name"] for one in data["sliders"]} == {"start", "bob.mass", "pin.effort"}


def test_mistake_is_told_in_the_dialog_and_leaves_no_file(dialog, qtbot, tmp_path: Path) -> None:
    dialog.sliders.setText("bob.masse")
    dialog.begin.click()
    wait(qtbot, dialog)
    assert 'bob has no number "masse"' in dialog.said.text()
    assert dialog.said.property("role") == "error"
    assert not list(tmp_path.glob("*.html"))


def test_page_that_is_called_off_leaves_no_file(dialog, qtbot, tmp_path: Path) -> None:
    dialog.begin.click()
    dialog.cancel.click()
    assert dialog.said.text() == "The page was cancelled"
    qtbot.waitUntil(lambda: not dialog.job.running, timeout=LONG)
    assert not list(tmp_path.glob("*.html"))
