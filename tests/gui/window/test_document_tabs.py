"""Diagrams as tabs of one window: each has its undo and run, panels stand alike, closing asks about what is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QTabBar, QToolButton

from luff.gui.recovery import open_files
from luff.gui.recovery.autosave import alive
from luff.gui.window import file_actions
from luff.gui.window.analyses.panel_table import PANELS
from luff.gui.window.confirmations import Answer
from luff.gui.window.dialogs.dialog_table import DIALOGS
from luff.gui.window.main_window import Window
from luff.gui.window.tabbed_window import TabbedWindow, tabbed_windows
from luff.tests.gui.user import User
from luff.tests.shared.netlists import TWO_LINKS

CTRL = Qt.KeyboardModifier.ControlModifier
LONG = 120_000  # ms of patience with a run


@pytest.fixture
def two(make_window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Window, Window]:
    """Two files, the second one opened from the menu: it is shown."""
    window = make_window(TWO_LINKS, tmp_path / "arm.yaml")
    other = tmp_path / "other.yaml"
    other.write_text(TWO_LINKS)
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(other)], ""))
    window.actions_["open"].trigger()
    QApplication.processEvents()
    (page,) = [one for one in Window.open_windows if one is not window]
    assert isinstance(page, Window)
    return window, page


def names(tabs: TabbedWindow) -> list[str]:
    return [tabs.tabs.tabText(k) for k in range(tabs.tabs.count())]


def press(key: Qt.Key) -> None:
    widget = QApplication.focusWidget()
    assert widget is not None
    QTest.keyClick(widget, key, CTRL)
    QApplication.processEvents()


def test_tabs_of_one_window_have_histories_of_their_own(two: tuple[Window, Window]) -> None:
    first, second = two
    tabs = first.tabs
    assert second.tabs is tabs
    assert tabbed_windows() == [tabs]
    assert names(tabs) == ["arm.yaml", "other.yaml"]
    assert tabs.tabs.isVisible()
    assert second.isVisible()
    assert not first.isVisible()
    assert tabs.windowTitle().startswith("other.yaml")
    second.document.add_block("gain", 0, 600)
    assert names(tabs) == ["arm.yaml", "other.yaml*"]
    assert tabs.isWindowModified()
    press(Qt.Key.Key_PageDown)  # in a circle
    assert tabs.current is first
    assert first.isVisible()
    assert first.menu_bar.isVisible()
    assert not second.menu_bar.isVisible()
    assert not tabs.isWindowModified()
    assert tabs.windowTitle().startswith("arm.yaml")
    press(Qt.Key.Key_Z)  # of this page, which has nothing to undo
    assert "gain" in second.document.diagram.blocks
    press(Qt.Key.Key_PageUp)
    press(Qt.Key.Key_Z)
    assert "gain" not in second.document.diagram.blocks
    assert names(tabs) == ["arm.yaml", "other.yaml"]
    # a file that is open is shown, not opened again
    assert second.files.open_path(first.top.path)
    assert tabs.current is first
    assert len(tabs.pages) == 2


def test_tabs_of_one_name_tell_their_folders(two: tuple[Window, Window], tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "arm.yaml").write_text(TWO_LINKS)
    two[0].files.open_path(tmp_path / "old" / "arm.yaml")
    assert names(two[0].tabs) == [f"arm.yaml – {tmp_path.name}", "other.yaml", "arm.yaml – old"]


def test_diagrams_without_a_name_have_numbers(make_window) -> None:
    first = make_window()
    tabs = first.tabs
    for _ in range(2):
        first.actions_["new"].trigger()
    assert names(tabs) == ["Untitled", "Untitled 2", "Untitled 3"]
    assert tabs.windowTitle().startswith("Untitled 3")
    pages = [*tabs.pages]
    pages[1].top.set_section("name", "arm")
    assert names(tabs) == ["Untitled", "arm*", "Untitled 3"]
    first.actions_["new"].trigger()  # the number is free
    assert names(tabs) == ["Untitled", "arm*", "Untitled 3", "Untitled 2"]
    pages[1].top.undo.undo()
    assert sorted(names(tabs)) == ["Untitled", "Untitled 2", "Untitled 3", "Untitled 4"]


def test_panels_stand_alike_on_all_tabs(two: tuple[Window, Window]) -> None:
    first, second = two
    tabs = first.tabs
    second.analyses.open(PANELS["modes"])
    plots = second.panels.docks["Plots"]
    plots.setFloating(True)
    second.panels.docks["Signals"].close()
    tabs.resize(tabs.width() + 60, tabs.height())
    QApplication.processEvents()
    widths = {
        key: dock.width() for key, dock in second.panels.docks.items() if key in ("Palette", "Properties")
    }
    tabs.show_page(first)
    QApplication.processEvents()
    assert first.panels.docks["Plots"].isFloating()
    assert first.panels.docks["Plots"].isVisible()
    assert not plots.isVisible()  # it is another diagram's
    assert first.panels.docks["Signals"].isHidden()
    assert {key: first.panels.docks[key].width() for key in widths} == widths
    assert first.size() == second.size()
    assert not first.panels.opened
    first.panels.docks["Plots"].setFloating(False)
    first.panels.docks["Signals"].show()
    tabs.show_page(second)
    QApplication.processEvents()
    assert not plots.isFloating()
    assert not second.panels.docks["Signals"].isHidden()
    (modes,) = second.panels.opened.values()
    assert not modes.isHidden()
    assert not [one for one in second.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
                if one.isVisible() and one.count() == 0]  # fmt: skip


def test_a_run_goes_on_behind_another_tab(two: tuple[Window, Window], qtbot, tmp_path: Path) -> None:
    first, second = two
    (tmp_path / "wave.yaml").write_text(
        "luff: 1\nblocks: {wave: {type: sine, unit: rad}}\nsimulation: {stop: 0.1 s, step: 1 ms}\n"
    )
    assert second.files.open_path(tmp_path / "wave.yaml")
    second = Window.open_windows[-1]
    assert second.top.path == tmp_path / "wave.yaml"
    second.actions_["run"].trigger()
    assert second.runner.active
    first.tabs.show_page(first)
    assert not first.runner.active
    assert first.actions_["run"].isEnabled()
    qtbot.waitUntil(lambda: not second.runner.active, timeout=LONG)
    assert second.runner.state == "finished", second.log.toPlainText()
    assert second.runner.history is not None
    assert first.runner.history is None
    assert first.tabs.current is first


def test_a_file_behind_another_tab_is_followed(two: tuple[Window, Window], qtbot) -> None:
    first, _ = two
    first.top.path.write_text(TWO_LINKS.replace("mass: 2 kg", "mass: 7 kg"))
    qtbot.waitUntil(lambda: "7 kg" in first.document.diagram.to_yaml(), timeout=LONG)
    assert not first.isVisible()


def test_closing_asks_about_what_is_modified(
    two: tuple[Window, Window], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = two
    tabs = first.tabs
    asked: list[str] = []
    answers = [Answer.Cancel, Answer.Cancel, Answer.Discard]

    def answer(_: object, __: str, what: str, ___: str) -> object:
        asked.append(what)
        assert tabs.current is first  # the question is about what is seen
        return answers.pop(0)

    monkeypatch.setattr(file_actions, "save_discard_cancel", answer)
    first.document.add_block("gain", 0, 600)
    tabs.show_page(second)
    assert not tabs.close()
    assert tabs.pages == [first, second]  # none is closed where one is kept
    tabs.show_page(second)
    cross = tabs.tabs.tabButton(0, QTabBar.ButtonPosition.RightSide)
    assert isinstance(cross, QToolButton)
    QTest.mouseClick(cross, Qt.MouseButton.LeftButton)
    assert tabs.pages == [first, second]
    assert len(asked) == 2
    # the unmodified one goes without a question, by its middle
    at = tabs.tabs.tabRect(1).center() - QPoint(20, 0)
    QTest.mouseClick(tabs.tabs, Qt.MouseButton.MiddleButton, pos=at)
    QApplication.processEvents()
    assert tabs.pages == [first]
    assert not tabs.tabs.isVisible()
    assert Window.open_windows == [first]
    press(Qt.Key.Key_W)
    assert asked == ["Save the changes to arm.yaml?"] * 3
    assert not tabbed_windows()


def test_a_tab_moves_to_a_window_of_its_own(two: tuple[Window, Window]) -> None:
    first, second = two
    second.document.add_block("gain", 0, 600)
    plots = second.panels.docks["Plots"]
    plots.setFloating(True)
    second.actions_["to_window"].trigger()
    QApplication.processEvents()
    assert plots.isFloating()
    assert plots.isVisible()  # it goes with its diagram
    assert second.tabs is not first.tabs
    assert first.tabs.pages == [first]
    assert first.isVisible()
    assert second.isVisible()
    assert second.menu_bar.isVisible()
    second.actions_["undo"].trigger()
    assert "gain" not in second.document.diagram.blocks
    second.actions_["new"].trigger()
    assert len(second.tabs.pages) == 2
    second.actions_["quit"].trigger()
    QApplication.processEvents()
    assert not Window.open_windows
    paths, shown = open_files_of_another_start()
    assert {path.name for path in paths} == {"arm.yaml", "other.yaml"}  # of both windows
    assert shown is None or shown in paths


def test_open_files_are_noted_when_they_change_and_not_at_each_edit(
    two: tuple[Window, Window], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = two
    noted: list[list[Path]] = []
    monkeypatch.setattr(open_files, "remember_open_files", lambda paths, _: noted.append([*paths]))
    second.document.add_block("gain", 0, 600)  # modified by now, as its tab says
    noted.clear()
    second.document.add_block("gain", 0, 700)
    assert not noted
    second.document.save(second.top.path.with_name("third.yaml"))
    assert noted[-1] == [first.top.path, second.top.path]
    assert names(second.tabs) == ["arm.yaml", "third.yaml"]


def open_files_of_another_start() -> tuple[list[Path], Path | None]:
    """Noted session, under the name of a process that is gone."""
    noted = json.loads(str(QSettings().value(open_files.KEY)))
    QSettings().setValue(open_files.KEY, json.dumps(noted | {"process": "1_gone"}))
    return open_files.last_session()


def test_the_session_comes_back(two: tuple[Window, Window], make_window) -> None:
    first, second = two
    lost = second.top.path
    first.tabs.show_page(first)
    assert open_files.last_session() == ([], None)  # this process has them open
    assert json.loads(str(QSettings().value(open_files.KEY)))["process"] == alive.key
    assert first.tabs.close()
    paths, shown = open_files_of_another_start()
    assert [path.name for path in paths] == ["arm.yaml", "other.yaml"]
    assert shown == paths[0]
    window = make_window()
    assert window.files.restore_session()
    assert names(window.tabs) == ["arm.yaml", "other.yaml"]
    assert window.tabs.current.top.path == paths[0]
    window.tabs.close()
    open_files_of_another_start()
    paths[0].write_text("blocks: [")
    lost.unlink()
    window = make_window()
    assert not window.files.restore_session()
    assert "Not opened again" in window.log.toPlainText()
    assert "arm.yaml" in window.log.toPlainText()


DRIVEN = """\
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from luff.cli import main
from luff.gui.app import application
from luff.gui.window.tabbed_window import tabbed_windows

def drive():
    (window,) = tabbed_windows()
    print([page.top.title for page in window.pages], window.current.top.title, flush=True)
    window.current.actions_["quit"].trigger()

app = application()
QTimer.singleShot(0, drive)  # in the event loop, once all is open
sys.argv = ["luff", "gui", *sys.argv[2:]]
main()
"""


def test_luff_gui_opens_files_in_tabs_and_those_of_the_last_session(tmp_path: Path) -> None:
    paths = [tmp_path / "arm.yaml", tmp_path / "other.yaml"]
    for path in paths:
        path.write_text(TWO_LINKS)
    places = {f"XDG_{name}_HOME": str(tmp_path) for name in ("DATA", "CONFIG", "CACHE")}
    env = {**os.environ, **places, "QT_QPA_PLATFORM": "offscreen"}
    for more in ([str(path) for path in paths], []):
        command = [sys.executable, "-c", DRIVEN, "-", *more]
        said = subprocess.run(
            command, env=env, capture_output=True, text=True, check=True, timeout=120
        ).stdout
        assert said.splitlines()[-1] == "['arm.yaml', 'other.yaml'] arm.yaml"


def test_user_sees_no_tabs_of_one_diagram(user: User) -> None:
    assert not user.window.tabs.tabs.isVisible()
    assert user.window.tabs.windowTitle().startswith("arm.yaml")


@pytest.mark.parametrize("width", [1272, 1912])
def test_panels_of_a_page_have_one_row_of_tabs(make_window, tmp_path: Path, width: int) -> None:
    """However often pages are shown, and whatever the window's width is meanwhile."""
    first = make_window(TWO_LINKS, tmp_path / "arm.yaml")
    first.tabs.resize(width, 680)
    QApplication.processEvents()
    (tmp_path / "other.yaml").write_text(TWO_LINKS)
    first.files.open_path(tmp_path / "other.yaml")
    (second,) = [one for one in Window.open_windows if one is not first]

    def rows_of_tabs(page: Window) -> int:
        QApplication.processEvents()
        direct = Qt.FindChildOption.FindDirectChildrenOnly
        bars = [bar for bar in page.findChildren(QTabBar, options=direct) if bar.isVisible()]
        return sum("Plots" in map(bar.tabText, range(bar.count())) for bar in bars)

    counted = [rows_of_tabs(second)]
    for page in (first, second, first):
        page.tabs.show_page(page)
        counted.append(rows_of_tabs(page))
    first.tabs.resize(width - 100, 650)
    counted.append(rows_of_tabs(first))
    second.close()
    counted.append(rows_of_tabs(first))
    assert counted == [1] * 6


def test_a_dialog_that_ended_behind_another_tab_does_not_come_back(make_window, tmp_path: Path) -> None:
    window = make_window(TWO_LINKS, tmp_path / "arm.yaml")
    dialog = window.dialogs.open(DIALOGS["import"])
    window.actions_["new"].trigger()  # as the diagram that an import makes
    assert not dialog.isVisible()
    dialog.close()
    QCoreApplication.sendPostedEvents(dialog, QEvent.Type.DeferredDelete.value)
    other = window.tabs.current
    assert other is not window
    other.close()
    assert window.tabs.pages == [window]
    assert not window.findChildren(DIALOGS["import"])
