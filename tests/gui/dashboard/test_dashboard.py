"""The dashboard: what hands move reaches the run and can be done again; what dials show is what the run says."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

import luff
from luff.blocks.expression_scope import Scope
from luff.gui.dashboard.dashboard_panel import DialWidget
from luff.gui.dashboard.dial_dialog import EntryDialog
from luff.gui.run.run_control import RunControl
from luff.gui.theme import active_theme
from luff.gui.theme.dial_painting import PAINTERS, Shown, paint, share, size_of
from luff.gui.window.main_window import Window
from luff.solver.diagram.dashboard_section import Dial, dials_of
from luff.solver.realtime.evdev import ABS, EVENT
from luff.tests.gui.driver import LONG

SLIDE = """luff: 1
name: slide
inputs: {assist: {default: 1}}
blocks:
  levers: {type: joystick, axes: [x, y], scale: 40, dead_band: 0}
  slide: {type: prismatic, axis: x, damping: 3, stiffness: 20}
  body: {type: rigid_link, mass: 2}
connect:
  - world.frame -- slide.frame_a
  - slide.frame_b -- body.frame_a
  - levers.y[0] -> slide.effort
simulation: {stop: 600, step: 1 ms}
dashboard:
  - {kind: lever, of: "levers_u[0]", keys: [A, D], dead_band: 0.2}
  - {kind: switch, of: assist, keys: [C]}
  - {kind: knob, of: slide.damping, range: [0, 10]}
  - {kind: button, of: "levers_u[1]", keys: [B]}
  - {kind: gauge, of: slide.position, unit: mm, range: [-3000, 3000]}
  - {kind: lamp, of: slide.position, unit: mm, above: 100}
  - {kind: trend, of: slide.position}
"""


def dials(window: Window) -> list[DialWidget]:
    return window.dashboard.rows.dials


@pytest.fixture
def window(make_window: Callable[..., Window], tmp_path: Path) -> Window:
    made = make_window(SLIDE, tmp_path / "slide.yaml")
    made.resize(1500, 950)
    made.panels.show("Dashboard")
    return made


def begin(window: Window, qtbot, speed: str = "Real time") -> None:
    window.running.speed.setCurrentText(speed)
    window.running.on_run()
    qtbot.waitUntil(lambda: window.runner.state == "running", timeout=LONG)


def drag(dial: DialWidget, way: QPoint) -> None:
    middle = dial.rect().center()
    QTest.mousePress(dial, Qt.MouseButton.LeftButton, pos=middle)
    for part in (0.5, 1.0):
        move(dial, middle + QPoint(round(part * way.x()), round(part * way.y())))


def move(dial: DialWidget, at: QPoint) -> None:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QMouseEvent
    from PySide6.QtWidgets import QApplication

    left = Qt.MouseButton.LeftButton
    place = QPointF(at)
    event = QMouseEvent(
        QEvent.Type.MouseMove, place, dial.mapToGlobal(place), left, left, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(dial, event)


def test_lever_drives_the_run_and_springs_back(window: Window, qtbot) -> None:
    begin(window, qtbot)
    lever = dials(window)[0]
    drag(lever, QPoint(lever.width(), 0))
    history = window.runner.history
    assert history is not None
    qtbot.waitUntil(lambda: history.last("levers.y[0]") == 40.0, timeout=LONG)
    assert window.board.shown(0).value == 1.0
    qtbot.waitUntil(lambda: window.board.shown(4).value > 100.0, timeout=LONG)  # mm
    assert window.board.shown(4).value == pytest.approx(1000 * history.last("slide.position"), rel=0.5)
    move(lever, lever.rect().center() + QPoint(3, 0))
    assert 0.0 < window.board.position(0) < 0.2
    qtbot.waitUntil(lambda: history.last("levers.y[0]") == 0.0, timeout=LONG)  # within its dead band
    move(lever, lever.rect().center() - QPoint(lever.width(), 0))
    QTest.mouseRelease(lever, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.board.position(0) == 0.0, timeout=LONG)
    qtbot.waitUntil(lambda: history.last("levers.y[0]") == 0.0, timeout=LONG)
    assert history.last("levers_lost") == 0.0  # no device, but a lever on the screen
    trend = window.board.shown(6)
    assert len(trend.times) == len(trend.values) > 2


def test_keys_move_lever_switch_and_button(window: Window, qtbot) -> None:
    """Declared keys wherever the focus is in the panel; arrows and Space of the item that has it."""
    board, widgets = window.board, dials(window)
    for key, value in (("D", 1.0), ("A", -1.0)):
        QTest.keyPress(widgets[1], getattr(Qt.Key, f"Key_{key}"))
        assert board.position(0) == value
    QTest.keyRelease(widgets[1], Qt.Key.Key_A)
    qtbot.waitUntil(lambda: board.position(0) == 0.0, timeout=LONG)
    QTest.keyPress(widgets[0], Qt.Key.Key_Right)
    assert board.position(0) == 1.0
    assert board.position(1) == 1.0  # as its input is declared
    QTest.keyClick(widgets[1], Qt.Key.Key_Space)
    assert board.position(1) == 0.0
    QTest.keyClick(widgets[0], Qt.Key.Key_C)
    assert board.position(1) == 1.0
    QTest.keyPress(widgets[3], Qt.Key.Key_Space)
    assert board.position(3) == 1.0
    QTest.keyRelease(widgets[3], Qt.Key.Key_Space)
    assert board.position(3) == 0.0
    assert board.position(2) == 3.0  # as the netlist has it
    QTest.keyClick(widgets[2], Qt.Key.Key_Up)
    assert board.position(2) == pytest.approx(3.2)


def test_keys_are_the_dashboards_as_soon_as_the_run_goes(window: Window, qtbot) -> None:
    """F5 on the canvas, where letters open the box that inserts blocks."""
    window.activateWindow()
    window.panels.show("Plots")
    window.view.setFocus()
    window.running.speed.setCurrentText("Real time")
    QTest.keyClick(window.view, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: window.runner.state == "running", timeout=LONG)
    focus = window.focusWidget()
    assert focus is window.dashboard
    assert window.panels.is_visible("Dashboard")
    QTest.keyClick(focus, Qt.Key.Key_C)
    QTest.keyPress(focus, Qt.Key.Key_D)
    history = window.runner.history
    assert history is not None
    qtbot.waitUntil(lambda: history.last("levers.y[0]") == 40.0, timeout=LONG)
    assert history.last("assist") == 0.0
    assert not window.view.quick_insert.isVisible()


def test_what_was_done_in_the_window_gives_the_same_bits_without_it(
    window: Window, qtbot, tmp_path: Path
) -> None:
    begin(window, qtbot)
    board = window.board
    for k, value in ((0, 0.9), (2, 7.0), (1, 0.0), (0, -0.6), (3, 1.0), (2, 1.5)):
        board.move(k, value)
        before = window.runner.time
        qtbot.waitUntil(lambda before=before: window.runner.time > before + 0.02, timeout=LONG)
    window.running.on_stop()
    qtbot.waitUntil(lambda: not window.runner.active, timeout=LONG)
    window.dashboard.keep(tmp_path / "drive.csv")
    assert "Saved drive.csv" in window.message_label.text()
    assert window.runner.result_path is not None
    driven = luff.read(window.runner.result_path)
    again = luff.compile(luff.load(tmp_path / "slide.yaml")).run(
        stop=driven.time[-1] + 1e-3, replay=tmp_path / "drive.csv"
    )
    rows = len(driven.time)
    assert rows > 100
    assert again.columns == driven.columns
    assert again.table[:rows].tobytes() == driven.table.tobytes()
    assert len({*driven["levers.y[0]"].tolist()}) == 3


def test_device_drives_the_window_and_its_loss_is_told(
    window: Window, qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = tmp_path / "event0"
    os.mkfifo(pipe)
    monkeypatch.setattr(RunControl, "devices", {"": str(pipe)})
    hand = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    os.write(hand, EVENT.pack(0, 0, ABS, 0, 32767))
    begin(window, qtbot)
    history = window.runner.history
    assert history is not None
    qtbot.waitUntil(lambda: history.last("levers.y[0]") == 40.0, timeout=LONG)
    qtbot.waitUntil(lambda: "in time" in window.dashboard.status.text(), timeout=LONG)
    window.running.speed.setCurrentText("2 x")  # no real time, and nothing is late
    qtbot.waitUntil(lambda: not window.dashboard.status.text(), timeout=LONG)
    window.running.speed.setCurrentText("Real time")
    os.close(hand)
    qtbot.waitUntil(lambda: history.last("levers.y[0]") == 0.0, timeout=LONG)
    qtbot.waitUntil(lambda: "levers: no device" in window.dashboard.status.text(), timeout=LONG)
    assert history.last("levers_lost") == 1.0


def test_silent_device_stops_the_running_window_until_it_was_in_the_middle(
    make_window: Callable[..., Window], qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its timeout, told in the panel; what comes late moves nothing before the lever was in the middle."""
    pipe = tmp_path / "event0"
    os.mkfifo(pipe)
    monkeypatch.setattr(RunControl, "devices", {"": str(pipe)})
    hand = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    os.write(hand, EVENT.pack(0, 0, ABS, 0, 32767))
    window = make_window(
        SLIDE.replace("dead_band: 0}", "dead_band: 0, timeout: 0.5 s}"), tmp_path / "slide.yaml"
    )
    begin(window, qtbot)
    history = window.runner.history
    assert history is not None
    qtbot.waitUntil(lambda: history.last("levers_lost") == 1.0, timeout=LONG)
    qtbot.waitUntil(lambda: "it is silent" in window.dashboard.status.text(), timeout=LONG)
    assert history.last("levers.y[0]") == 0.0
    answered = Held(hand, window, 20000)
    qtbot.waitUntil(lambda: answered.until("levers_lost", 0.0), timeout=LONG)
    assert history.last("levers.y[0]") == 0.0
    answered.value = 0
    qtbot.waitUntil(lambda: answered.until("levers_u[0]", 0.0), timeout=LONG)
    answered.value = 32767
    qtbot.waitUntil(lambda: answered.until("levers.y[0]", 40.0), timeout=LONG)
    os.close(hand)


class Held:
    """A hand that says the same place each time that it is asked whether it has arrived."""

    def __init__(self, file: int, window: Window, value: int):
        self.file, self.window, self.value = file, window, value

    def until(self, signal: str, wanted: float) -> bool:
        os.write(self.file, EVENT.pack(0, 0, ABS, 0, self.value))
        history = self.window.runner.history
        return history is not None and history.last(signal) == wanted


def test_dialog_adds_changes_and_removes(window: Window, qtbot) -> None:
    document = window.document
    dialog = EntryDialog(window.dashboard, document, None)
    dialog.kind.setCurrentText("lever")
    assert "levers_u[1]" in [dialog.of.itemText(k) for k in range(dialog.of.count())]
    dialog.kind.setCurrentText("gauge")
    assert "levers.y" in [dialog.of.itemText(k) for k in range(dialog.of.count())]
    dialog.of.setCurrentText("slide.velocity")
    dialog.fields["range"].setText("0, x")
    dialog.accept()
    assert dialog.mistake.text()
    assert len(document.diagram.dashboard) == 7
    dialog.fields["range"].setText("-2, 2.5")
    dialog.accept()
    assert document.diagram.dashboard[7] == {"kind": "gauge", "of": "slide.velocity", "range": [-2, 2.5]}
    assert len(dials(window)) == 8
    other = EntryDialog(window.dashboard, document, 0)
    other.fields["title"].setText("Slew")
    other.flags["spring"].setChecked(False)
    other.accept()
    assert document.diagram.dashboard[0] == {
        "kind": "lever",
        "of": "levers_u[0]",
        "keys": ["A", "D"],
        "dead_band": 0.2,
        "title": "Slew",
        "spring": False,
    }
    window.board.move(0, 0.5)
    window.board.release(0)
    assert not window.board._springs_back()
    window.dashboard.remove(7)
    assert len(dials(window)) == 7
    document.undo.undo()
    document.undo.undo()
    document.undo.undo()
    assert document.diagram.to_yaml() == SLIDE
    assert not window.running.outdated


def test_a_knob_reaches_from_zero_to_twice_the_value_that_it_finds(make_window) -> None:
    text = "luff: 1\nblocks: {k: {type: gain, gain: 250}, j: {type: revolute, damping: 3 kN*m*s/rad}}\n"
    window = make_window(text)
    dialog = EntryDialog(window.dashboard, window.document, None)
    dialog.kind.setCurrentText("knob")
    dialog.of.setCurrentText("k.gain")
    assert dialog.fields["range"].text() == "0, 500"
    dialog.of.setCurrentText("j.damping")
    assert (dialog.fields["range"].text(), dialog.fields["unit"].text()) == ("0, 6", "kN*m*s/rad")
    dialog.fields["range"].setText("1, 9")
    dialog.of.setCurrentText("k.gain")
    assert dialog.fields["range"].text() == "1, 9"  # as it was typed


def test_the_value_of_a_knob_is_read_below_it(qapp) -> None:
    (dial,) = dials_of([{"kind": "knob", "of": "a.y", "range": [0, 1e3]}], Scope({}), "dashboard")
    width, height = size_of(dial)
    pictures = []
    for value in (888.0, 777.0):
        image = QImage(width, height, QImage.Format.Format_RGB32)
        image.fill(0)
        painter = QPainter(image)
        paint(painter, QRectF(0, 0, width, height), dial, Shown(value))
        painter.end()
        pictures.append(image)
    a, b = pictures
    differing = [
        y for y in range(height - 21, height) if any(a.pixel(x, y) != b.pixel(x, y) for x in range(width))
    ]
    assert len(differing) >= 8  # px: digits at 12 px are 9 high, and none of their rows is covered


def test_names_follow_a_block_that_is_renamed(window: Window) -> None:
    window.document.rename("levers", "sticks")
    window.document.rename("slide", "rail")
    names = [raw["of"] for raw in window.document.diagram.dashboard]
    rail = ["rail.position"] * 3
    assert names == ["sticks_u[0]", "assist", "rail.damping", "sticks_u[1]", *rail]
    assert window.document.diagram.check() == []


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{kind: gauge, of: slide.pos}", 'there is no signal "slide.pos" to show (did you mean'),
        ("{kind: lever, of: levers_u0}", 'there is no input or parameter "levers_u0" to move'),
        ("{kind: knob, of: slide.axis}", 'there is no input or parameter "slide.axis" to move'),
        ("{kind: dial, of: x.y}", "expected one of lever, knob"),
        ("{kind: gauge}", "of"),
        ("{kind: gauge, of: slide.position, range: [1, 1]}", "found a range from 1 to 1"),
        ("{kind: gauge, of: slide.position, unit: parsec2}", "parsec2"),
    ],
)
def test_wrong_entry_is_told_with_its_place(entry: str, message: str) -> None:
    text = SLIDE[: SLIDE.index("dashboard:")] + f"dashboard:\n  - {entry}\n"
    with pytest.raises(luff.LuffError) as caught:
        luff.compile(luff.loads(text))
    assert len(caught.value.problems) == 1
    assert message in str(caught.value)
    assert "dashboard[0]" in str(caught.value)


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize("kind", PAINTERS)
def test_dial_looks_other_with_another_value(kind: str, name: str, qapp) -> None:
    """Of everything that is drawn something moves, and nothing leaves the card, also beyond the ends of a scale."""
    (dial,) = dials_of([{"kind": kind, "of": "a.y", "title": "A"}], Scope({}), "dashboard")
    times = np.linspace(0, 10, 50)
    pictures = []
    for value in (0.0, 0.8, 7.0, -7.0, math.nan):
        width, height = size_of(dial)
        image = QImage(width + 20, height + 20, QImage.Format.Format_RGB32)
        image.fill(0x123456)
        painter = QPainter(image)
        painter.translate(10, 10)
        with active_theme.holder.lent(name):
            paint(painter, QRectF(0, 0, width, height), dial, Shown(value, times, np.sin(times) * value))
        painter.end()
        edge = {image.pixel(x, y) & 0xFFFFFF for x in range(image.width()) for y in (0, 9, height + 11)}
        assert edge == {0x123456}
        pictures.append(bytes(image.constBits()))
    assert pictures[0] != pictures[1]


def test_share_of_a_scale() -> None:
    (dial,) = dials_of([{"kind": "gauge", "of": "a.y", "range": [-2, 6]}], Scope({}), "dashboard")
    assert isinstance(dial, Dial)
    assert [share(dial, value) for value in (-9, -2, 0, 6, 9)] == [0.0, 0.0, 0.25, 1.0, 1.0]


def test_a_model_with_a_joystick_opens_ready_to_be_driven(make_window, tmp_path: Path) -> None:
    driven, other = tmp_path / "driven.yaml", tmp_path / "other.yaml"
    driven.write_text(SLIDE)
    other.write_text("luff: 1\nname: other\nblocks: {k: {type: constant}}\n")
    window = make_window()
    window.panels.show("Plots")
    for path, speed in ((driven, "Real time"), (other, "As fast as possible")):
        window.replace(window.files.read_document(path))
        assert window.running.speed.currentText() == speed
        assert window.dashboard.isVisible()


LEVERED = """\
luff: 1
inputs: {push: {unit: N}}
blocks: {k: {type: gain}}
connect: [inputs.push -> k.u]
dashboard: [{kind: DIAL, of: OF, range: [0, 1]}]
"""


@pytest.mark.parametrize(
    ("dial", "of", "speed"),
    [
        ("lever", "push", "Real time"),
        ("knob", "k.k", "Real time"),
        ("gauge", "k.y", "As fast as possible"),
    ],
)
def test_a_model_with_levers_opens_ready_to_be_driven(
    dial: str, of: str, speed: str, make_window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By File > Open."""
    path = tmp_path / "levered.yaml"
    path.write_text(LEVERED.replace("DIAL", dial).replace("OF", of))
    window = make_window()
    window.panels.show("Plots")
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(path)], ""))
    window.files.on_open()
    assert window.top.path == path
    assert window.running.speed.currentText() == speed
    assert window.dashboard.isVisible() or dial == "gauge"
