"""Analyse: the answer of each panel, in figures, tables, plots and poses, is that of the command."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

import luff
from luff.gui.window.analyses.findings_table import FindingsTable
from luff.gui.window.analyses.linear_model_panel import LinearPanel
from luff.gui.window.analyses.linear_panels import LocusPanel, MarginsPanel, ResponsePanel
from luff.gui.window.analyses.modes_panel import CONSTANT, DAMPING, HERTZ, MOTION, NUMBER, RATE, ModesPanel
from luff.gui.window.analyses.sensitivity_panel import SensitivityPanel
from luff.gui.window.analyses.static_panel import StaticPanel, prefixed_figures
from luff.gui.window.main_window import Window
from luff.gui.window.model_names import ModelNames
from luff.gui.window.work_form import restore_entries
from luff.tests.gui.driver import LONG, answered, panel_of
from luff.tests.gui.window.pendulum import (
    HANGING,
    LENGTH,
    MASS,
    PENDULUM,
    UPRIGHT,
    G,
    pendulum_window,
)
from luff.tests.solver.analysis.test_standing_states import HELD


@pytest.fixture
def window(make_window, qtbot) -> Window:
    return pendulum_window(make_window, qtbot)


def test_modes_stand_in_a_table_and_swing(window: Window, qtbot) -> None:
    panel = panel_of(window, "modes")
    assert isinstance(panel, ModesPanel)
    said = answered(panel, qtbot)
    assert "is stable" in said
    item = panel.table.topLevelItem(0)
    assert item is not None
    # m l^2 a'' + kd a' + (kp + m g l) a = 0
    frequency = math.sqrt((30 + MASS * G * LENGTH) / (MASS * LENGTH**2))
    damping = 4 / (2 * frequency * MASS * LENGTH**2)
    assert item.text(MOTION) == "swings"
    assert float(item.text(CONSTANT)) == pytest.approx(
        1 / (damping * frequency), rel=1e-3
    )  # its envelope decays by e
    assert float(item.text(RATE)) == pytest.approx(frequency, rel=1e-3)  # as many digits are shown
    assert float(item.toolTip(RATE).removesuffix(" rad/s")) == pytest.approx(frequency, rel=1e-7)
    assert float(item.text(HERTZ)) == pytest.approx(frequency / (2 * math.pi), rel=1e-3)
    assert float(item.text(DAMPING)) == pytest.approx(damping, rel=1e-3)
    panel.table.setFixedWidth(300)  # as beside the picture in a window of 960 px
    header = panel.table.header()
    seen = [k for k in range(header.count()) if header.sectionPosition(k) + header.sectionSize(k) <= 300]
    assert {NUMBER, HERTZ, DAMPING}.issubset(seen)
    view = window.view3d
    assert view.swing.on
    swing = view.swing.frames - view.swing.frames.mean(axis=0)
    across = swing[:, -1, np.ptp(swing[:, -1], axis=0).argmax()]  # to both sides of its rest, alike
    assert across.max() > 0.1
    assert across.max() == pytest.approx(-across.min(), rel=1e-3)
    window.document.set_value("bob.mass", 4)
    assert not view.swing.on
    assert panel.age.isVisible()
    assert panel.table.topLevelItemCount()  # it stays to be read
    window.document.undo.undo()
    assert not panel.age.isVisible()


@pytest.mark.parametrize("key", ["modes", "linearise"])
def test_the_verdict_on_an_equilibrium_has_its_colour(make_window, qtbot, key: str) -> None:
    """Upright it is stable where kp is above m g l."""
    window = make_window(UPRIGHT)
    qtbot.waitUntil(lambda: window.actions_[key].isEnabled(), timeout=LONG)
    panel = panel_of(window, key)
    for kp, word, role in ((0.9, "unstable", "error"), (1.1, "stable", "")):
        window.document.set_value("drive.kp", kp * MASS * G * LENGTH)
        assert answered(panel, qtbot).startswith(f"The equilibrium is {word}: ")
        assert (panel.said.property("role") or "") == role


@pytest.mark.parametrize(
    ("key", "text", "fields"),
    [
        ("modes", PENDULUM, {}),
        ("static", HANGING, {}),
        ("margins", PENDULUM, {"Loop opening": "drive.effort"}),
        ("locus", UPRIGHT, {"Parameter": "drive.kp", "From": "1", "To": "90", "Points": "5"}),
    ],
)
def test_runs_confirm_an_answer(make_window, qtbot, key: str, text: str, fields: dict[str, str]) -> None:
    window = make_window(text)
    qtbot.waitUntil(window.actions_["modes"].isEnabled, timeout=LONG)
    panel = panel_of(window, key)
    for label, text in fields.items():
        restore_entries(panel.fields[label], text)
    panel.confirm.setChecked(True)
    said = answered(panel, qtbot)
    page = panel.pages.widget(panel.pages.count() - 1)
    assert isinstance(page, FindingsTable), said
    verdicts = [page.topLevelItem(k).text(4) for k in range(page.topLevelItemCount())]
    assert verdicts
    assert "DIFFERS" not in verdicts
    assert f"confirmed by runs: {verdicts.count('agrees')} of {len(verdicts)} agree" in said
    if "Time" in panel.fields:
        panel.time.setValue(1.0)
        assert "expected the equilibrium at time 0" in answered(panel, qtbot)


def test_each_mode_that_is_chosen_swings(make_window, qtbot) -> None:
    cart = """  slide: {type: prismatic, axis: x, stiffness: 90}
  cart: {type: rigid_link, mass: 2}
connect:
  - world.frame -- slide.frame_a
  - slide.frame_b -- cart.frame_a"""
    two = PENDULUM.replace("connect:", cart)
    window = make_window(two)
    qtbot.waitUntil(lambda: window.actions_["modes"].isEnabled(), timeout=LONG)
    panel = panel_of(window, "modes")
    assert isinstance(panel, ModesPanel)
    answered(panel, qtbot)
    moved = []
    for k in range(2):
        panel.table.setCurrentItem(panel.table.topLevelItem(k))
        frames = window.view3d.swing.frames
        moved.append(np.ptp(frames, axis=0).max(axis=1))
    rows = np.array(moved)  # modes by rows of the mechanism: each moves one of the two
    assert sorted(np.argmax(rows, axis=0)) == [0, 1]
    assert (rows.min(axis=0) < 1e-3 * rows.max(axis=0)).all()


def rows(panel: StaticPanel) -> list[list[str]]:
    table = panel.table
    items = [table.topLevelItem(k) for k in range(table.topLevelItemCount())]
    return [[item.text(column) for column in range(4)] for item in items if item is not None]


def test_statics_tell_the_held_effort_and_show_the_rest(window: Window, qtbot) -> None:
    panel = panel_of(window, "static")
    assert isinstance(panel, StaticPanel)
    said = answered(panel, qtbot)
    assert said == "At rest"
    assert not panel.said.property("role")
    assert rows(panel)[0][:2] == ["pin.position", "position"]
    scene = window.view3d.canvas.scene
    assert scene is not None
    assert window.view3d.canvas.pose[-1, 2] == pytest.approx(0.0, abs=1e-6)  # it hangs down
    panel.hold.setText("pin")
    answered(panel, qtbot)
    effort = MASS * G * LENGTH * math.sin(0.3)
    held = next(row for row in rows(panel) if row[:2] == ["pin.position", "effort"])
    assert held[2:] == [f"{math.copysign(effort, float(held[2])):.4g}", "N·m"]
    QTest.mouseClick(panel.close_button, Qt.MouseButton.LeftButton)
    assert not window.view3d.swing.on


def test_forces_at_rest_have_the_prefixes_of_wires() -> None:
    numbers = [
        ("a", [78249.0], "N"),
        ("b", [0.0, 663607.0], "N"),
        ("c", [-0.58], "rad"),
        ("d", [20.0], "deg"),
    ]
    assert prefixed_figures(numbers) == [
        ("a", [pytest.approx(78.249)], "kN"),  # as that of the greatest force
        ("b", [0.0, pytest.approx(663.607)], "kN"),
        ("c", [-0.58], "rad"),
        ("d", [20.0], "deg"),
    ]


def test_what_is_indifferent_beside_the_answer_comes_behind_it(make_window, qtbot) -> None:
    window = make_window(HELD)
    qtbot.waitUntil(lambda: window.actions_["response"].isEnabled(), timeout=LONG)
    panel = panel_of(window, "response")
    assert isinstance(panel, ResponsePanel)
    panel.inputs.setText("pin.effort")
    panel.outputs.setText("pin.position")
    panel.about.setCurrentText("equilibrium")
    assert answered(panel, qtbot) == ""
    assert "drive.f neither decays nor grows, all else decays" in panel.notes.text()
    modes = panel_of(window, "modes")
    assert answered(modes, qtbot).startswith("The equilibrium is indifferent: drive.f neither decays")
    assert modes.said.property("role") == "warning"


def test_matrices_are_told_and_saved(window: Window, qtbot, tmp_path: Path, monkeypatch) -> None:
    panel = panel_of(window, "linearise")
    assert isinstance(panel, LinearPanel)
    assert not panel.save.isEnabled()
    panel.inputs.setText("pin.effort")
    panel.outputs.setText("pin.position, pin.velocity")
    answered(panel, qtbot)
    tables = {panel.pages.tabText(k): panel.pages.widget(k) for k in range(panel.pages.count())}
    assert list(tables) == [*"ABCD", "Poles"]
    poles = tables["Poles"]
    assert isinstance(poles, FindingsTable)
    w = math.sqrt((30 + MASS * G * LENGTH) / (MASS * LENGTH**2))
    (pair,) = poles.rows()
    assert float(pair[3]) == pytest.approx(w / (2 * math.pi), rel=1e-5)  # six digits are shown
    assert float(pair[4]) == pytest.approx(4 / (2 * w * MASS * LENGTH**2), rel=1e-3)
    assert pair[-1] == "pin.position"
    input_table, output_table = tables["B"], tables["C"]
    assert isinstance(input_table, FindingsTable)
    assert isinstance(output_table, FindingsTable)
    assert input_table.heads == ["dx/dt", "pin.effort [N*m]"]
    assert [row[0] for row in output_table.rows()] == ["pin.position [rad]", "pin.velocity [rad/s]"]
    inertia = MASS * LENGTH**2
    assert float(input_table.rows()[-1][1]) == pytest.approx(1 / inertia, rel=1e-5)  # six digits are shown
    path = tmp_path / "arm.npz"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    QTest.mouseClick(panel.save, Qt.MouseButton.LeftButton)
    wanted = luff.linearise(
        luff.compile(luff.loads(PENDULUM)), x="equilibrium", inputs=["pin.effort"], outputs=["pin.position"]
    )
    np.testing.assert_allclose(np.load(path)["A"], wanted.A, atol=1e-12)
    assert panel.said.text() == f"Saved {path}"


@pytest.mark.parametrize("kind", ["Bode", "Nyquist", "Step"])
def test_responses_are_drawn(window: Window, qtbot, kind: str, tmp_path: Path, monkeypatch) -> None:
    panel = panel_of(window, "response")
    assert isinstance(panel, ResponsePanel)
    panel.inputs.setText("pin.effort")
    panel.outputs.setText("pin.position")
    panel.kind.setCurrentText(kind)
    said = answered(panel, qtbot)
    view = panel.pages.widget(0)
    if kind == "Bode":
        # at rest the response is 1 / (kp + m g l); the lowest frequency is a tenth of the mode, 0.09 dB more
        gain = 1 / (30 + MASS * G * LENGTH)
        assert view is panel.bode
        curve = view.graphs[0].picture.curves[0]
        assert float(curve.y[0]) == pytest.approx(20 * math.log10(gain), abs=0.1)
        assert said == "The equilibrium is stable: everything decays"
        ((pair, peak, at),) = panel.figures.rows()
        assert pair == "pin.position / pin.effort"
        assert peak.endswith("rad/(N*m)")
        assert at.endswith("rad/s")
        # far above its mode it is a mass alone, -1 / (m l^2 w^2), which the cursor reads in both graphs
        w = float(curve.x[-1])
        view.graphs[1].pointed.emit(w)
        words = view.graphs[0].caption.entries[0].value
        assert float(words.split()[0]) == pytest.approx(-20 * math.log10(MASS * LENGTH**2 * w * w), abs=0.2)
    elif kind == "Nyquist":
        assert view is panel.nyquist
        view.point_at(0.0, 0.0)  # next to the origin is the highest frequency
        assert view.caption.moment == f"w = {panel.response.frequencies[-1]:.5g} rad/s"
    else:
        curve = panel.step.graphs[0].picture.curves[0]
        gain = 1 / (30 + MASS * G * LENGTH)
        assert float(curve.y[-1]) == pytest.approx(gain, rel=0.02)  # five time constants: e^-5
    path = tmp_path / "picture.svg"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    QTest.mouseClick(panel.save, Qt.MouseButton.LeftButton)
    assert "<svg" in path.read_text()


def test_margins_are_told(window: Window, qtbot) -> None:
    panel = panel_of(window, "margins")
    assert isinstance(panel, MarginsPanel)
    panel.cut.setText("drive.effort")
    said = answered(panel, qtbot)
    assert said == "The closed loop is stable"
    assert panel.figures.rows()[0] == ["gain margin", "infinite, or above 1e9", ""]
    assert panel.pages.widget(0) is panel.bode
    panel.kind.setCurrentText("Nyquist")  # drawn anew, not computed
    assert panel.pages.widget(0) is panel.nyquist
    assert panel.begin.isEnabled()
    # the picture of a file has the range of the panel
    panel.frequencies.low.setText("1")
    panel.frequencies.high.setText("20")
    answered(panel, qtbot)
    x = panel.nyquist.picture.curves[0].x
    np.testing.assert_array_equal(panel.figure().axes[0].lines[0].get_xdata(), x)
    assert 0 < len(x) < len(panel.margins.frequencies)
    panel.kind.setCurrentText("Bode")
    shown = panel.bode.graphs[0].picture.curves[0].x
    for axes in panel.figure().axes:
        np.testing.assert_array_equal(axes.lines[0].get_xdata(), shown)
    assert (shown >= 1.0).all()
    assert (shown <= 20.0).all()
    # what lies beyond it is not marked in it
    panel.frequencies.low.setText("1e3")
    panel.frequencies.high.setText("1e4")
    answered(panel, qtbot)
    assert math.isfinite(panel.margins.phase)
    assert not any(graph.picture.marks.segments for graph in panel.bode.graphs)
    assert not [part for axes in panel.figure().axes for part in axes.collections]


def test_roots_are_followed_to_their_limit(window: Window, qtbot) -> None:
    window.document.set_value("pin.initial.position", math.pi)  # on its head
    panel = panel_of(window, "locus")
    assert isinstance(panel, LocusPanel)
    panel.about.setCurrentText("initial")
    panel.parameter.setText("drive.kp")
    panel.low.setText("1")
    panel.high.setText("0.1 kN*m")
    said = answered(panel, qtbot)
    assert said == "Stability changes at 1 value of drive.kp"
    ((border, side, _),) = panel.figures.rows()
    assert side == "stable above"
    limit = float(border.split()[0])
    assert limit == pytest.approx(MASS * G * LENGTH, rel=1e-4)
    # the reading beside the border has a root that grows on one side alone
    view = panel.view
    stable = [k for k, word in enumerate(panel.locus.stability) if word == "stable"]
    view.put_sample(stable[0])
    value = float(view.caption.moment.split(" = ")[1].split(",")[0])
    assert value == pytest.approx(limit, abs=1.0)  # one of 101 values from 1 to 100
    assert ", stable: s = -" in view.caption.moment
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert ", unstable: s = " in view.caption.moment
    panel.high.setText("0.5")
    assert "To: found 0.5, expected more than 1" in answered(panel, qtbot)


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
    panel = panel_of(window, "sensitivity")
    assert isinstance(panel, SensitivityPanel)
    assert {"k", "mass.mass", "slide.position"} <= set(ModelNames(window).derivable())
    panel.by.setText("k, slide.position")
    panel.outputs.setText("slide.position")
    assert answered(panel, qtbot) == ""
    table = panel.pages.widget(0)
    assert isinstance(table, FindingsTable)
    shown = [table.topLevelItem(row) for row in range(table.topLevelItemCount())]
    w = math.sqrt(k / m)
    slopes = [-a * stop * math.sin(w * stop) * w / (2 * k), math.cos(w * stop)]
    assert [float(item.text(4).split()[0]) for item in shown] == pytest.approx(slopes, rel=1e-5)  # six digits
    assert float(shown[0].text(5).split()[0]) == pytest.approx(0.01 * k * slopes[0], rel=1e-4)
    units = [[shown[row].text(column).partition(" ")[2] for column in (1, 3, 4, 5)] for row in (0, 1)]
    assert units == [["m", "N/m", "m/(N/m)", "m"], ["m", "m", "m/m", "m"]]
    graph = panel.view.graphs[0]
    assert (graph.caption.title, graph.side.text) == ("change of slide.position", "[m]")
    assert [curve.name for curve in graph.picture.curves] == ["1 % more k", "1 % more slide.position"]
    assert float(graph.picture.curves[1].y[-1]) == pytest.approx(0.01 * a * slopes[1], rel=1e-4)
    panel.by.setText("slide.axis")
    assert "slide.axis" in answered(panel, qtbot)
