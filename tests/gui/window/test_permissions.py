"""Reading outside of a netlist's folder, running code, using the network: the window asks, and keeps to the answer."""

from __future__ import annotations

import json
import socket
import zipfile
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMessageBox

from luff.gui.window.main_window import Window
from luff.tests.gui.driver import LONG
from luff.tests.shared.ports import free_port

TABLE = "luff: 1\nblocks:\n  curve: {type: table, file: ../data/curve.csv}\nsimulation: {stop: 0.01 s}\n"
PART = "luff: 1\nblocks:\n  part: {type: ../data/part.yaml}\n"
CODE = "luff: 1\nblocks:\n  files: [mine.py]\n  a: {type: asked_gain}\n"
MINE = '''from pathlib import Path
from luff.blocks import Block, In, Out, Param
Path(__file__).with_name("ran").touch()
class AskedGain(Block):
    """y = k u"""
    u, y = In(default=0.0), Out()
    k = Param(2.0, doc="gain")
    def out(t, u, k): return k * u
'''


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder for netlists, beside one for what they must not read unasked."""
    (tmp_path / "data").mkdir()
    (tmp_path / "models").mkdir()
    (tmp_path / "data" / "curve.csv").write_text("0, 0\n1, 5\n")
    (tmp_path / "data" / "part.yaml").write_text("luff: 1\nblocks: {k: {type: constant}}\nports: {y: k.y}\n")
    (tmp_path / "models" / "mine.py").write_text(MINE)
    return tmp_path


def question(window: Window, qtbot) -> QMessageBox:
    qtbot.waitUntil(lambda: window.leave._asking is not None, timeout=LONG)
    box = window.leave._asking
    assert box is not None
    assert box.isVisible()
    return box


def answer(box: QMessageBox, text: str) -> None:
    next(button for button in box.buttons() if button.text() == text).click()


def checked(window: Window, qtbot) -> list[str]:
    """The sentences of what is wrong, after one more look."""
    with qtbot.waitSignal(window.document.checked, timeout=LONG):
        window.document.check()
    return [problem.message for problem in window.document.problems]


@pytest.mark.parametrize("text", [TABLE, PART])
def test_files_elsewhere_are_read_once_the_user_says_so(make_window, qtbot, place: Path, text: str) -> None:
    path = place / "models" / "model.yaml"
    window = make_window(text, path)
    box = question(window, qtbot)
    assert str(place / "data") in box.text()
    assert "outside of its folder" in box.text()
    assert any("lies outside" in sentence for sentence in checked(window, qtbot))
    answer(box, "Allow Once")
    assert checked(window, qtbot) == []
    assert path.read_text() == text
    assert not window.isWindowModified()
    # once: the next window asks again
    again = make_window(text, path)
    answer(question(again, qtbot), "No")
    assert any("lies outside" in sentence for sentence in checked(again, qtbot))
    assert again.leave._asking is None


def test_table_elsewhere_runs_after_the_answer(make_window, qtbot, place: Path) -> None:
    window = make_window(TABLE, place / "models" / "model.yaml")
    answer(question(window, qtbot), "Allow Once")
    window.running.on_run()
    qtbot.waitUntil(lambda: window.runner.state in ("finished", "failed"), timeout=LONG)
    assert window.runner.state == "finished"


def test_a_folder_that_is_trusted_is_not_asked_about_again(make_window, qtbot, place: Path) -> None:
    window = make_window(TABLE, place / "models" / "model.yaml")
    answer(question(window, qtbot), "Always for This Folder")
    assert checked(window, qtbot) == []
    other = make_window(PART, place / "models" / "other.yaml")
    qtbot.waitUntil(lambda: bool(other.document.diagram.files), timeout=LONG)
    assert checked(other, qtbot) == []
    assert other.leave._asking is None
    # another folder is another matter
    (place / "elsewhere").mkdir()
    third = make_window(TABLE, place / "elsewhere" / "model.yaml")
    answer(question(third, qtbot), "No")


def test_a_no_is_asked_again_by_a_click_on_the_problem(make_window, qtbot, place: Path) -> None:
    window = make_window(TABLE, place / "models" / "model.yaml")
    answer(question(window, qtbot), "No")
    item = window.problems.tree.topLevelItem(0)
    assert item is not None
    window.problems._click(item)
    answer(question(window, qtbot), "Allow Once")
    assert checked(window, qtbot) == []


def test_code_runs_after_a_yes_and_never_before(make_window, qtbot, place: Path) -> None:
    ran = place / "models" / "ran"
    window = make_window(CODE, place / "models" / "model.yaml")
    box = question(window, qtbot)
    assert "asks to run code" in box.text()
    assert "mine.py" in box.informativeText()
    assert box.defaultButton().text() == "No"
    checked(window, qtbot)
    assert not ran.exists()
    answer(box, "Allow Once")
    assert checked(window, qtbot) == []
    assert ran.exists()
    assert set(window.document.ports("a")) == {"u", "y"}


NO_LIBRARY = """<fmiModelDescription fmiVersion="2.0" modelName="rod" guid="{rod}">
<CoSimulation modelIdentifier="rod"/><ModelVariables/><ModelStructure/></fmiModelDescription>"""
OUTSIDE = {
    "fmu": (
        "other: {type: fmu, file: rod.fmu}",
        "the FMU rod.fmu contains code, which needs your permission to run",
    ),
    "network": ('command: {type: udp_receive, at: "127.0.0.1:PORT"}', "permission to use the network"),
}


@pytest.mark.parametrize("kind", OUTSIDE)
def test_run_that_reaches_outside_asks_and_goes_on_after_a_yes(make_window, qtbot, place, kind: str) -> None:
    """Looking at such a netlist asks nothing; a no leaves it as it was, and the next run asks again."""
    block, told = OUTSIDE[kind]
    port = str(free_port(socket.SOCK_DGRAM))
    with zipfile.ZipFile(place / "models" / "rod.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", NO_LIBRARY)
    text = f"luff: 1\nsimulation: {{stop: 0.02 s}}\nblocks:\n  {block.replace('PORT', port)}\n"
    window = make_window(text, place / "models" / "model.yaml")
    assert checked(window, qtbot) == []
    assert window.leave._asking is None
    window.running.on_run()
    box = question(window, qtbot)
    assert told in box.informativeText()
    answer(box, "No")
    assert window.runner.state == "failed"
    assert not window.document.diagram.allow_code
    window.running.on_run()
    answer(question(window, qtbot), "Allow Once")
    qtbot.waitUntil(lambda: not window.runner.active, timeout=LONG)
    assert window.runner.state == ("finished" if kind == "network" else "failed")
    if kind == "fmu":  # its library is not one that runs: it was tried, and told by the FMU's name
        words = "rod.fmu: it cannot be started"  # told once the thread has stopped
        told_so = lambda: any(words in one.message for one in window.running.compile_problems())  # noqa: E731
        qtbot.waitUntil(told_so, timeout=LONG)
    assert window.leave._asking is None


def test_settings_that_somebody_has_damaged_allow_nothing(qapp) -> None:
    from PySide6.QtCore import QSettings

    from luff.gui.window import permissions

    for damaged in ("no json", json.dumps([1, 2]), json.dumps({"/": 7})):
        QSettings().setValue(permissions.KEY, damaged)
        assert permissions.folder_permissions(Path("/")) == set()
