"""File > Import and File > Export: models of other programs become diagrams, and diagrams become files of theirs."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton, QToolButton

from luff.gui.theme.completion_list import CompletionList
from luff.gui.window import file_actions
from luff.gui.window.confirmations import Answer
from luff.gui.window.dialogs.dialog_table import DIALOGS
from luff.gui.window.dialogs.export_dialogs import FmuDialog, LibraryDialog, changes_of
from luff.gui.window.dialogs.import_dialog import ImportDialog
from luff.gui.window.main_window import Window
from luff.solver.exchange import read_model
from luff.tests.conftest import about_compiling
from luff.tests.gui.driver import LONG, answered, dialog_of

URDF = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 0.5"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="1"/><mimic joint="none"/></joint>
  <transmission name="t"/>
</robot>"""
PENDULUM = """luff: 1
blocks:
  pin: {type: revolute, axis: y, initial: {position: 1}}
  bob: {type: rigid_link, mass: 2, com: [0, 0, -1], inertia: [1, 1, 1]}
connect: [world.frame -- pin.frame_a, pin.frame_b -- bob.frame_a]
simulation: {stop: 0.3 s, step: 1 ms, output_step: 10 ms}
"""


def test_a_robot_becomes_a_diagram_with_its_report(make_window, qtbot, tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(URDF.replace('<mimic joint="none"/>', ""))
    window = make_window()
    dialog = dialog_of(window, "import")
    assert isinstance(dialog, ImportDialog)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    browse = next(each for each in dialog.findChildren(QToolButton) if each.toolTip() == "Browse...")
    QTest.mouseClick(browse, Qt.MouseButton.LeftButton)
    QTest.mouseClick(dialog.begin, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "arm.urdf is a diagram of" in window.log.toPlainText(), timeout=LONG)
    assert not [one for one in window.findChildren(ImportDialog) if one.isVisible()]
    wanted = read_model(path)
    assert window.top.diagram.to_yaml() == wanted.text
    assert window.top.diagram.base == tmp_path  # meshes beside the file are found, and Save As begins there
    assert window.top.path is None
    assert "shoulder" in window.top.diagram.blocks
    assert wanted.note_lines  # there is something to tell, and it stands in the log
    assert window.panels.is_visible("Log")
    for line in wanted.summarised_notes(12):
        assert f"arm.urdf, not taken over: {line}" in window.log.toPlainText()


def test_a_second_robot_opens_beside_what_is_there(make_window, qtbot, tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(URDF.replace('<mimic joint="none"/>', ""))
    window = make_window(PENDULUM)
    dialog = dialog_of(window, "import")
    assert isinstance(dialog, ImportDialog)
    dialog.file.setText(str(path))
    QTest.mouseClick(dialog.begin, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(Window.open_windows) > 1, timeout=LONG)
    assert window.top.diagram.to_yaml() == PENDULUM
    others = [one for one in Window.open_windows if one is not window]
    assert ["shoulder" in one.top.diagram.blocks for one in others] == [True]


def test_an_export_proposes_names_of_this_model(make_window) -> None:
    dialog = dialog_of(make_window(PENDULUM), "export_fmu")
    assert isinstance(dialog, FmuDialog)
    assert dialog.changes.placeholderText() == "e.g. pin.initial.position=1"
    assert dialog.inputs.placeholderText() == "e.g. pin.effort"
    assert dialog.parameters.placeholderText() == "all"
    assert "bob.mass" in [*dialog.changes.findChild(CompletionList).names()]
    empty = dialog_of(make_window(), "export_fmu")
    assert isinstance(empty, FmuDialog)
    assert empty.inputs.placeholderText() == "none is open"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "there is no such file"),
        ("<robot", "not well-formed XML"),
        (URDF.replace('child link="upper"', 'child link="uper"'), "uper"),
    ],
)
def test_what_is_no_robot_is_told(make_window, qtbot, tmp_path: Path, text: str | None, words: str) -> None:
    path = tmp_path / "arm.urdf"
    if text is not None:
        path.write_text(text)
    window = make_window()
    dialog = dialog_of(window, "import")
    assert isinstance(dialog, ImportDialog)
    dialog.file.setText(str(path))
    said = answered(dialog, qtbot)
    assert words in said
    assert dialog.said.property("role") == "error"
    assert not window.top.diagram.blocks


def test_an_import_asks_for_a_file_first(make_window) -> None:
    dialog = dialog_of(make_window(), "import")
    QTest.mouseClick(dialog.begin, Qt.MouseButton.LeftButton)
    assert isinstance(dialog, ImportDialog)
    assert dialog.said.text() == "File: found no file, expected one of URDF, MJCF or SSP"
    assert dialog.file.property("wrong")
    dialog.file.setText("robot.urdf")
    assert not dialog.file.property("wrong")


def test_an_imported_model_is_not_closed_without_a_question(
    make_window, qtbot, tmp_path: Path, monkeypatch
) -> None:
    (tmp_path / "arm.urdf").write_text(URDF)
    window = make_window()
    dialog = dialog_of(window, "import")
    dialog.file.setText(str(tmp_path / "arm.urdf"))
    QTest.mouseClick(dialog.begin, Qt.MouseButton.LeftButton)  # it closes after its work
    qtbot.waitUntil(lambda: bool(window.document.diagram.blocks), timeout=LONG)
    assert window.isWindowModified()
    asked: list[str] = []

    def keep_it(_: object, __: str, what: str, ___: str) -> object:
        asked.append(what)
        return Answer.Cancel

    monkeypatch.setattr(file_actions, "save_discard_cancel", keep_it)
    assert not window.close()
    assert len(asked) == 1
    window.document.save(tmp_path / "arm.yaml")
    assert window.close()
    assert len(asked) == 1


def test_a_netlist_is_written_with_its_changes(make_window, qtbot, tmp_path: Path, monkeypatch) -> None:
    text = PENDULUM.replace("blocks:", "parameters: {m: 2 kg}\nblocks:  # two").replace("mass: 2", "mass: =m")
    path = tmp_path / "heavy.yaml"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    window = make_window(text, tmp_path / "arm.yaml")
    dialog = dialog_of(window, "export_netlist")
    dialog.changes.setText("m=3 kg, bob.com=[0, 0, -2], simulation.stop=1 s")
    said = answered(dialog, qtbot)
    assert said.startswith(f"Saved {path}: ")
    changed = text.replace("m: 2 kg", "m: 3 kg").replace("[0, 0, -1]", "[0, 0, -2]")
    assert path.read_text() == changed.replace("stop: 0.3 s", "stop: 1 s")
    assert window.top.diagram.to_yaml() == text
    for changes, words in (("bob.masse=3", "masse"), ("bab=3", "bab: there is nothing of this name to set")):
        dialog.changes.setText(changes)
        assert words in answered(dialog, qtbot)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "arm.yaml"), ""))
    assert "another name" in answered(dialog, qtbot)
    assert (tmp_path / "arm.yaml").read_text() == text


@about_compiling
def test_an_fmu_holds_the_changes_and_the_open_inputs(
    make_window, qtbot, tmp_path: Path, monkeypatch
) -> None:
    path = tmp_path / "swing.fmu"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    dialog = dialog_of(make_window(PENDULUM), "export_fmu")
    assert isinstance(dialog, FmuDialog)
    dialog.version.setCurrentText("FMI 3")
    dialog.inputs.setText("pin.effort")
    dialog.changes.setText("bob.mass=3 kg, bob.com=[0, 0, -2]")
    said = answered(dialog, qtbot)
    assert said.startswith(f"Saved {path}: ")
    with zipfile.ZipFile(path) as fmu:
        description = fmu.read("modelDescription.xml").decode()
        netlist = next(fmu.read(name).decode() for name in fmu.namelist() if name.endswith(".yaml"))
    assert 'fmiVersion="3.0"' in description
    assert 'name="pin.effort"' in description
    assert "# exported with --set bob.mass=3 kg" in netlist
    assert [one.name for one in tmp_path.iterdir()] == ["swing.fmu"]  # nothing is left beside it


@about_compiling
def test_a_library_is_a_folder(make_window, qtbot, tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "swing"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    dialog = dialog_of(make_window(PENDULUM), "export_library")
    assert isinstance(dialog, LibraryDialog)
    dialog.targets.setText("linux-x86_64")
    answered(dialog, qtbot)
    files = {"swing.h", "example.c", "CMakeLists.txt", "linux-x86_64/libswing.a"}
    assert {str(one.relative_to(path)) for one in path.rglob("*") if one.is_file()} == files
    assert dialog.opener.isEnabled()
    # once more, in its place; but not in that of something else
    stale = path / "cortex-m7" / "libswing.a"
    stale.parent.mkdir()
    stale.write_text("")
    assert answered(dialog, qtbot).startswith(f"Saved {path}: ")
    assert not stale.parent.exists()
    (path / "example.c").write_text("")
    assert "example.c: found a file that luff has not written" in answered(dialog, qtbot)


def test_what_is_called_off_leaves_no_file(make_window, qtbot, tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "swing.fmu"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    dialog = dialog_of(make_window(PENDULUM), "export_fmu")
    QTest.mouseClick(dialog.begin, Qt.MouseButton.LeftButton)
    QTest.mouseClick(dialog.cancel, Qt.MouseButton.LeftButton)
    assert dialog.said.text() == "The FMU was cancelled"
    qtbot.waitUntil(lambda: not dialog.job.running, timeout=LONG)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("key", "changes", "words"),
    [
        ("export_fmu", "bob.masse=3", "masse"),
        ("export_fmu", "bob.mass", "expected NAME=VALUE"),
        ("export_ssp", "", "an SSP holds FMUs alone"),
    ],
)
def test_what_cannot_be_exported_is_told(
    make_window, qtbot, tmp_path: Path, monkeypatch, key: str, changes: str, words: str
) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "swing"), ""))
    dialog = dialog_of(make_window(PENDULUM), key)
    dialog.changes.setText(changes)  # type: ignore[attr-defined]
    said = answered(dialog, qtbot)
    assert words in said
    assert dialog.said.property("role") == "error"
    assert list(tmp_path.iterdir()) == []


def test_changes_are_parted_by_commas_outside_of_brackets() -> None:
    assert changes_of(" a.b=[1, 2], c = 3 kg ,") == {"a.b": [1, 2], "c": "3 kg"}


def test_return_begins_the_work_in_every_dialog(make_window) -> None:
    window = make_window(PENDULUM)
    for kind in DIALOGS.values():
        dialog = window.dialogs.open(kind)
        QApplication.processEvents()
        default = [each.text() for each in dialog.findChildren(QPushButton) if each.isDefault()]
        assert default == [dialog.verb], kind.title
        dialog.close()


def test_a_dialog_remembers_what_was_put_in(make_window) -> None:
    window = make_window(PENDULUM)
    dialog = dialog_of(window, "export_netlist")
    dialog.changes.setText("bob.mass=4")
    dialog.close()
    assert dialog_of(window, "export_netlist").changes.text() == "bob.mass=4"
