"""Analyse: what each dialog tells is what the command tells, and what is shown of it."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton

import luff
from luff.gui.plots.matplotlib_figure import drawn
from luff.gui.theme.active_theme import GRAPHITE, WHITE, holder
from luff.gui.window.dialogs.assess_table import FindingsTable
from luff.gui.window.dialogs.dialog_table import DIALOGS
from luff.gui.window.dialogs.linear_dialogs import LinearDialog, LocusDialog, MarginsDialog, ResponseDialog
from luff.gui.window.dialogs.modes_dialog import ModesDialog
from luff.gui.window.dialogs.sensitivity_dialog import SensitivityDialog
from luff.gui.window.dialogs.static_dialog import StaticDialog
from luff.gui.window.dialogs.work_dialog import CHANGED
from luff.gui.window.main_window import Window
from luff.gui.window.model_names import ModelNames
from luff.tests.gui.driver import LONG, answered, dialog_of

G, LENGTH, MASS = 9.81, 2.0, 3.0
# a point mass on a rod, driven by a pd
PENDULUM = """luff: 1
blocks:
  pin: {type: revolute, axis: y, initial: {position: 0.3}}
  bob: {type: rigid_link, mass: 3, com: [0, 0, -2], inertia: [0, 0, 0]}
  goal: {type: constant, value: 0, unit: rad}
  drive: {type: pd, kp: 30, kd: 4}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- bob.frame_a
  - goal.trajectory -> drive.target
  - pin.trajectory -> drive.measured
  - drive.effort -> pin.effort
"""


@pytest.fixture
def window(make_window, qtbot) -> Window:
    window = make_window(PENDULUM)
    qtbot.waitUntil(
        lambda: window.actions_["modes"].isEnabled() and window.view3d.model is not None, timeout=LONG
    )
    return window


def test_modes_stand_in_a_table_and_swing(window: Window, qtbot) -> None:
    dialog = dialog_of(window, "modes")
    assert isinstance(dialog, ModesDialog)
    said = answered(dialog, qtbot)
    assert "is stable" in said
    item = dialog.table.topLevelItem(0)
    assert item is not None
    # m l^2 a'' + kd a' + (kp + m g l) a = 0
    frequency = math.sqrt((30 + MASS * G * LENGTH) / (MASS * LENGTH**2))
    damping = 4 / (2 * frequency * MASS * LENGTH**2)
    assert float(item.text(1)) == pytest.approx(frequency, rel=1e-5)  # as many digits are shown
    assert float(item.text(2)) == pytest.approx(frequency / (2 * math.pi), rel=1e-3)
    assert float(item.text(3)) == pytest.approx(damping, rel=1e-3)
    view = window.view3d
    assert view.swing.on
    swing = view.swing.frames - view.swing.frames.mean(axis=0)
    across = swing[:, -1, np.ptp(swing[:, -1], axis=0).argmax()]  # to both sides of its rest, alike
    assert across.max() > 0.1
    assert across.max() == pytest.approx(-across.min(), rel=1e-3)
    window.document.set_value("bob.mass", 4)
    assert not view.swing.on


def test_each_mode_that_is_chosen_swings(make_window, qtbot) -> None:
    cart = """  slide: {type: prismatic, axis: x, stiffness: 90}
  cart: {type: rigid_link, mass: 2}
connect:
  - world.frame -- slide.frame_a
  - slide.frame_b -- cart.frame_a"""
    two = PENDULUM.replace("connect:", cart)
    window = make_window(two)
    qtbot.waitUntil(lambda: window.actions_["modes"].isEnabled(), timeout=LONG)
    dialog = dialog_of(window, "modes")
    assert isinstance(dialog, ModesDialog)
    answered(dialog, qtbot)
    moved = []
    for k in range(2):
        dialog.table.setCurrentItem(dialog.table.topLevelItem(k))
        frames = window.view3d.swing.frames
        moved.append(np.ptp(frames, axis=0).max(axis=1))
    rows = np.array(moved)  # modes by rows of the mechanism: each moves one of the two
    assert sorted(np.argmax(rows, axis=0)) == [0, 1]
    assert (rows.min(axis=0) < 1e-3 * rows.max(axis=0)).all()


def test_statics_tell_the_held_effort_and_show_the_rest(window: Window, qtbot) -> None:
    dialog = dialog_of(window, "static")
    assert isinstance(dialog, StaticDialog)
    said = answered(dialog, qtbot)
    assert "3-D view shows the equilibrium" in said
    assert "pin.position = " in dialog.table.toPlainText()
    scene = window.view3d.canvas.scene
    assert scene is not None
    assert window.view3d.canvas.pose[-1, 2] == pytest.approx(0.0, abs=1e-6)  # it hangs down
    dialog.hold.setText("pin")
    answered(dialog, qtbot)
    effort = MASS * G * LENGTH * math.sin(0.3)
    line = next(line for line in dialog.table.toPlainText().splitlines() if "pin.position: " in line)
    assert abs(float(line.split()[1])) == pytest.approx(effort, rel=1e-5)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not window.view3d.swing.on


def test_matrices_are_told_and_saved(window: Window, qtbot, tmp_path: Path, monkeypatch) -> None:
    dialog = dialog_of(window, "linearise")
    assert isinstance(dialog, LinearDialog)
    assert not dialog.save.isEnabled()
    dialog.inputs.setText("pin.effort")
    dialog.outputs.setText("pin.position, pin.velocity")
    answered(dialog, qtbot)
    text = dialog.text.toPlainText()
    assert "inputs: pin.effort [N*m]" in text
    assert "outputs: pin.position [rad], pin.velocity [rad/s]" in text
    path = tmp_path / "arm.npz"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    QTest.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    wanted = luff.linearise(
        luff.compile(luff.loads(PENDULUM)), x="equilibrium", inputs=["pin.effort"], outputs=["pin.position"]
    )
    np.testing.assert_allclose(np.load(path)["A"], wanted.A, atol=1e-12)
    assert dialog.said.text() == f"Saved {path}"


@pytest.mark.parametrize("kind", ["Bode", "Nyquist", "Step"])
def test_responses_are_drawn(window: Window, qtbot, kind: str, tmp_path: Path, monkeypatch) -> None:
    dialog = dialog_of(window, "response")
    assert isinstance(dialog, ResponseDialog)
    dialog.inputs.setText("pin.effort")
    dialog.outputs.setText("pin.position")
    dialog.kind.setCurrentText(kind)
    said = answered(dialog, qtbot)
    assert dialog.view.figure is not None
    assert not dialog.view.image.isNull()
    assert len(dialog.view.figure.axes) == (2 if kind == "Bode" else 1)
    if kind == "Bode":
        # at rest the response is 1 / (kp + m g l); the lowest frequency is a tenth of the mode, 0.09 dB more
        gain = 1 / (30 + MASS * G * LENGTH)
        line = dialog.view.figure.axes[0].get_lines()[0]
        assert float(np.asarray(line.get_ydata())[0]) == pytest.approx(20 * math.log10(gain), abs=0.1)
        assert "pin.position / pin.effort: greatest gain" in said
        assert " rad/(N*m) at " in said
    path = tmp_path / "picture.svg"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    QTest.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    assert "<svg" in path.read_text()


def test_margins_are_told(window: Window, qtbot) -> None:
    dialog = dialog_of(window, "margins")
    assert isinstance(dialog, MarginsDialog)
    dialog.cut.setText("drive.effort")
    said = answered(dialog, qtbot)
    assert "gain margin: infinite" in said
    assert dialog.view.figure is not None


def test_roots_are_followed_to_their_limit(window: Window, qtbot) -> None:
    window.document.set_value("pin.initial.position", math.pi)  # on its head
    dialog = dialog_of(window, "locus")
    assert isinstance(dialog, LocusDialog)
    dialog.about.setCurrentText("initial")
    dialog.parameter.setText("drive.kp")
    dialog.low.setText("1")
    dialog.high.setText("0.1 kN*m")
    said = answered(dialog, qtbot)
    limit = float(said.partition("stable above ")[2].split(",")[0])
    assert limit == pytest.approx(MASS * G * LENGTH, rel=1e-4)
    dialog.high.setText("0.5")
    assert "found a range that does not rise" in answered(dialog, qtbot)


@pytest.mark.parametrize(
    ("key", "words"),
    [("response", "found no input, expected one such as slew.effort"), ("locus", "found no parameter")],
)
def test_an_empty_form_is_told(window: Window, qtbot, key: str, words: str) -> None:
    dialog = dialog_of(window, key)
    QTest.mouseClick(dialog.begin, Qt.MouseButton.LeftButton)
    assert words in dialog.said.text()
    assert dialog.said.property("role") == "error"
    assert dialog.begin.isEnabled()


def test_mistakes_are_told_as_the_command_tells_them(window: Window, qtbot) -> None:
    dialog = dialog_of(window, "response")
    assert isinstance(dialog, ResponseDialog)
    dialog.inputs.setText("pin.efort")
    dialog.outputs.setText("pin.position")
    said = answered(dialog, qtbot)
    with pytest.raises(luff.LuffError) as told:
        luff.linearise(luff.compile(luff.loads(PENDULUM)), inputs=["pin.efort"])
    assert said == "\n".join(str(problem) for problem in told.value.problems)


def test_an_answer_of_an_older_model_says_so(window: Window, qtbot) -> None:
    dialog = dialog_of(window, "modes")
    QTest.mouseClick(dialog.begin, Qt.MouseButton.LeftButton)
    window.document.set_value("bob.mass", 5)
    qtbot.waitUntil(dialog.begin.isEnabled, timeout=LONG)
    assert dialog.said.text().endswith(CHANGED)
    assert not window.view3d.swing.on


def test_names_are_offered_for_the_piece_that_is_typed(window: Window, qtbot) -> None:
    dialog = dialog_of(window, "linearise")
    assert isinstance(dialog, LinearDialog)
    QTest.keyClicks(dialog.inputs, "goal.y, pin.eff")
    QApplication.processEvents()
    popup = QApplication.activePopupWidget()
    assert popup is not None
    QTest.keyClick(popup, Qt.Key.Key_Down)
    QTest.keyClick(popup, Qt.Key.Key_Return)
    assert dialog.inputs.text() == "goal.y, pin.effort"


def test_return_begins_the_work_in_every_dialog(window: Window) -> None:
    for kind in DIALOGS.values():
        dialog = window.dialogs.open(kind)
        QApplication.processEvents()
        default = [each.text() for each in dialog.findChildren(QPushButton) if each.isDefault()]
        assert default == [dialog.verb], kind.title
        dialog.close()


def test_a_dialog_grows_by_its_words_and_no_part_lies_over_another(window: Window) -> None:
    dialog = dialog_of(window, "response")
    dialog.view.show()
    dialog.say("words of the answer " * 60)
    QApplication.processEvents()
    for above, below in pairwise((dialog.said, dialog.view, dialog.buttons)):
        assert above.geometry().bottom() < below.geometry().top()
    assert dialog.geometry().bottom() <= dialog.screen().availableGeometry().bottom()


def test_a_dialog_remembers_what_was_put_in(window: Window) -> None:
    dialog = dialog_of(window, "response")
    assert isinstance(dialog, ResponseDialog)
    dialog.inputs.setText("pin.effort")
    dialog.kind.setCurrentText("Step")
    dialog.time.setValue(2.5)
    dialog.close()
    again = dialog_of(window, "response")
    assert isinstance(again, ResponseDialog)
    assert (again.inputs.text(), again.kind.currentText(), again.time.value()) == ("pin.effort", "Step", 2.5)


def test_a_figure_has_the_paper_of_the_theme_and_keeps_its_own() -> None:
    lin = luff.linearise(luff.compile(luff.loads(PENDULUM)), inputs=["pin.effort"], outputs=["pin.position"])
    figure = lin.bode().plot()
    for name, paper in (("dark", GRAPHITE), ("light", WHITE)):
        holder.use(name)
        image = drawn(figure, QSize(400, 300), 2.0)
        assert (image.width(), image.height()) == (800, 600)
        assert image.pixelColor(3, 3).name() == paper.paper
        assert figure.get_facecolor() == (1.0, 1.0, 1.0, 1.0)


def test_derivatives_of_a_run_stand_in_a_table(make_window, qtbot) -> None:
    # x = a cos(w t) with w = sqrt(k/m): dx/dk = -a t sin(w t) w / 2k, dx/da = cos(w t)
    k, m, a, stop = 4.0, 1.0, 0.1, 0.5
    window = make_window(
        f"""luff: 1
parameters: {{k: {k} N/m}}
blocks:
  slide: {{type: prismatic, axis: x, stiffness: =k, initial: {{position: {a}}}}}
  mass: {{type: rigid_link, mass: {m}}}
connect: [world.frame -- slide.frame_a, slide.frame_b -- mass.frame_a]
simulation: {{stop: {stop}, step: 1 ms, output_step: 10 ms, method: rk4}}
"""
    )
    qtbot.waitUntil(lambda: window.view3d.model is not None, timeout=LONG)
    dialog = dialog_of(window, "sensitivity")
    assert isinstance(dialog, SensitivityDialog)
    assert {"k", "mass.mass", "slide.position"} <= set(ModelNames(window).derivable())
    dialog.by.setText("k, slide.position")
    dialog.outputs.setText("slide.position")
    assert answered(dialog, qtbot) == ""
    table = dialog.tabs.widget(0)
    assert isinstance(table, FindingsTable)
    shown = [table.topLevelItem(row) for row in range(table.topLevelItemCount())]
    w = math.sqrt(k / m)
    slopes = [-a * stop * math.sin(w * stop) * w / (2 * k), math.cos(w * stop)]
    assert [float(item.text(4).split()[0]) for item in shown] == pytest.approx(slopes, rel=1e-5)  # six digits
    assert float(shown[0].text(5).split()[0]) == pytest.approx(0.01 * k * slopes[0], rel=1e-4)
    units = [[shown[row].text(column).partition(" ")[2] for column in (1, 3, 4, 5)] for row in (0, 1)]
    assert units == [["m", "N/m", "m/(N/m)", "m"], ["m", "m", "m/m", "m"]]
    assert dialog.view.figure.axes[0].get_ylabel() == "change of slide.position [m]"
    assert len(dialog.view.figure.axes[0].lines) == 2
    dialog.by.setText("slide.axis")
    assert "slide.axis" in answered(dialog, qtbot)
