"""Objects of Qt end in the window's thread, whichever thread fills the memory."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from shiboken6 import delete, isValid

from luff.gui.canvas.view import CanvasView
from luff.gui.document.document import Document
from luff.gui.window.garbage_collection import FULL, Collector


def test_scene_ends_with_its_view_and_not_with_the_last_who_knows_it(qapp: QApplication) -> None:
    document = Document()
    view = CanvasView(document)
    scene = view.canvas
    delete(view)
    assert not isValid(scene)  # it has timers of Qt's own, which must end in this thread
    document.close()


@pytest.fixture
def collector(qapp: QApplication) -> Iterator[Collector]:
    was = gc.isenabled()
    made = Collector(qapp)
    yield made
    made.setParent(None)
    made.deleteLater()
    qapp.processEvents()
    if was:
        gc.enable()


class Ring:
    """Garbage that only the collector finds; notes who found it."""

    found: set[int]

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        Ring.found.add(threading.get_ident())


def test_only_young_garbage_is_collected_while_a_button_is_held(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look at all that is kept takes longer than a frame of a drag."""
    asked: list[int] = []
    monkeypatch.setattr(gc, "collect", lambda generation=2: asked.append(generation))
    monkeypatch.setattr(gc, "get_count", lambda: (10**6, 10**6, 10**6))
    for held in (Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton):
        monkeypatch.setattr(QGuiApplication, "mouseButtons", lambda held=held: held)
        for _ in range(FULL + 1):
            collector.collect_if_due()
        assert set(asked) == ({0} if held == Qt.MouseButton.LeftButton else {1, 2})
        asked.clear()


def test_other_threads_collect_nothing_while_the_window_looks_after_it(collector: Collector) -> None:
    Ring.found = set()

    def fill() -> None:
        for _ in range(20 * gc.get_threshold()[0]):
            Ring()

    other = threading.Thread(target=fill)
    other.start()
    other.join()
    assert Ring.found == set()
    collector.collect_if_due()
    assert Ring.found == {threading.get_ident()}
