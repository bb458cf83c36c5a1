"""What is left of a window that was closed: nothing, whatever was done in it."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

from luff.gui.document.document import Document
from luff.gui.run.run_thread import FINISHED
from luff.gui.window.analyses.modes_panel import ModesPanel
from luff.gui.window.analyses.panel_table import PANELS
from luff.gui.window.file_actions import Files
from luff.gui.window.main_window import Window
from luff.solver.flatten.diagram import Diagram
from luff.tests.shared.netlists import SWINGING_ROD

LONG = 120_000  # ms of patience with a run


def look(window: Window, qtbot) -> None:
    pass


def select_each_block(window: Window, qtbot) -> None:
    for name in window.document.block_names():
        window.view.canvas.select([name])
        QApplication.processEvents()


def edit_and_undo(window: Window, qtbot) -> None:
    window.document.add_block("gain", 0, 600)
    window.actions_["undo"].trigger()


def run(window: Window, qtbot) -> None:
    window.actions_["run"].trigger()
    qtbot.waitUntil(lambda: window.runner.state == FINISHED, timeout=LONG)


def open_analyses(window: Window, qtbot) -> None:
    for kind in PANELS.values():
        window.analyses.open(kind)
        QApplication.processEvents()


def see_the_modes(window: Window, qtbot) -> None:
    panel = window.analyses.open(ModesPanel)
    panel.start()
    qtbot.waitUntil(lambda: panel.answered, timeout=LONG)


def go_into_a_subsystem(window: Window, qtbot) -> None:
    window.view.canvas.select(window.document.block_names()[:2])
    window.actions_["group"].trigger()
    QApplication.processEvents()


DONE = [look, select_each_block, edit_and_undo, run, open_analyses, see_the_modes, go_into_a_subsystem]


@pytest.mark.parametrize("use", DONE, ids=lambda use: use.__name__)
def test_nothing_is_left_of_it(qapp: QApplication, qtbot, monkeypatch, use: Callable[..., None]) -> None:
    monkeypatch.setattr(Files, "may_close", lambda self, level: True)
    gone: list[str] = []
    window = Window(Document(Diagram.from_yaml(SWINGING_ROD)))
    window.tabs.show()
    for thing in (window, window.document, window.document.diagram, window.view3d, window.runner):
        weakref.finalize(thing, gone.append, type(thing).__name__)
    use(window, qtbot)
    window.close()
    del window, thing
    for _ in range(3):  # what is put off may put off more
        qapp.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        gc.collect()
    assert sorted(gone) == ["Diagram", "Document", "RunControl", "View3D", "Window"]
