"""Build two links with a PD controller, a planner and live plots from nothing, or follow the tutorial, and count what
the hand does.

Run by `test_session.py` in a process of its own with a display; prints the count as JSON. The time is that of the
keystroke-level model (Card, Moran and Newell 1983): keys, presses, ways of the pointer, a thought before each task.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from PySide6.QtCore import QPoint, QSettings, QStandardPaths, Qt
from PySide6.QtWidgets import QLineEdit

import luff
from luff.gui.app import application
from luff.gui.document.document import Document
from luff.gui.properties.property_groups import Group
from luff.gui.run.run_thread import PAUSED
from luff.gui.window.main_window import Window
from luff.solver.flatten.diagram import Diagram
from luff.tests.gui.window.session_script import CTRL, NONE, Hand, settle, show, wait_until

READING = 200 / 60  # words a second of a second language
KEY, PRESS, MOVE, THINK = 0.28, 0.2, 1.1, 1.35  # s; a typist of 40 words a minute
RETURN, TAB, ESCAPE = Qt.Key.Key_Return, Qt.Key.Key_Tab, Qt.Key.Key_Escape


class CountingHand(Hand):
    """Hand that counts presses of the mouse and takes the time of the keystroke-level model."""

    def __init__(self, window: Window):
        super().__init__(window)
        self.clicks, self.seconds = 0, 0.0

    def click(self, at: QPoint) -> None:
        self.clicks += 1
        self.seconds += MOVE + PRESS
        super().click(at)

    def drag(self, start: QPoint, end: QPoint) -> None:
        self.clicks += 1
        self.seconds += 2 * MOVE + PRESS
        super().drag(start, end)

    def type(self, text: str) -> None:
        self.seconds += KEY * len(text)
        super().type(text)
        settle()

    def key(self, key: Qt.Key, keys: Qt.KeyboardModifier = NONE) -> None:
        self.seconds += KEY * (1 if keys == NONE else 2)
        super().key(key, keys)

    def thinks(self) -> None:
        self.seconds += THINK

    def insert_block(self, word: str) -> str:
        """Type a name into the box that is open; the new block is selected."""
        self.type(word)
        self.key(RETURN)
        (name,) = self.window.view.canvas.selected_blocks()
        return name

    def block(self, name: str) -> QPoint:
        left, top, right, bottom = self.window.view.canvas.blocks[name].rect()
        return self.on_canvas((left + right) / 2, (top + bottom) / 2)

    def empty(self, k: int) -> QPoint:
        """One of three places at the lower edge of the canvas."""
        area = self.window.view.viewport().rect()
        x = (0.2, 0.5, 0.9)[k] * area.width()
        return self.window.view.viewport().mapTo(
            self.window.tabs, QPoint(round(x), area.height() - 60 + 15 * k)
        )

    def group(self, key: str) -> QPoint:
        row = next(row for row in self.window.properties.rows if row.keys[-1] == key)
        assert isinstance(row, Group)
        return self.point(row.button, QPoint(12, row.button.height() // 2))

    def field(self, group: str, key: str) -> QPoint:
        row = next(row for row in self.window.properties.rows if row.keys[-1] == group)
        assert isinstance(row, Group)
        inner = next(inner for inner in row.rows if inner.keys[-1] == key)
        field = inner.findChild(QLineEdit)
        assert field is not None
        return self.point(field)


def build(hand: CountingHand) -> None:
    """Two links: each task begins with a thought."""
    window = hand.window
    hand.type("/")
    for mass, com, end in (("2 kg", "0.5", "1"), ("1 kg", "0.4", "")):
        hand.thinks()
        hand.insert_block("revolute")
        hand.key(RETURN)  # to its properties
        hand.type("y")
        hand.key(RETURN)
        hand.key(ESCAPE)  # back to the canvas
        hand.key(TAB)  # the next block, wired to this one
        hand.thinks()
        hand.insert_block("rigid")
        hand.key(RETURN)
        hand.type(mass)
        hand.key(TAB)
        hand.type(com)
        hand.key(TAB)
        if end:
            hand.click(hand.group("frame_b"))
            hand.click(hand.field("frame_b", "at"))
            hand.type(end)
            hand.key(RETURN)
        hand.key(ESCAPE)
        if end:
            hand.key(TAB)
    hand.key(Qt.Key.Key_Space)  # all of it
    joints = [name for name, raw in window.document.diagram.blocks.items() if raw["type"] == "revolute"]
    hand.thinks()
    left, _, _, below = window.view.canvas.blocks[joints[0]].rect()
    hand.drag(hand.port(f"{joints[0]}.trajectory"), hand.on_canvas(left + 40, below + 80))
    pd = hand.insert_block("pd")
    hand.thinks()
    hand.drag(hand.port(f"{joints[1]}.trajectory"), hand.port(f"{pd}.measured"))
    hand.thinks()
    hand.drag(
        hand.port(f"{pd}.effort"), hand.port(f"{joints[1]}.effort")
    )  # that of the first came with its PD
    hand.thinks()
    left, top, _, _ = window.view.canvas.blocks[pd].rect()
    hand.drag(hand.port(f"{pd}.target"), hand.on_canvas(left - 150, top + 20))
    hand.insert_block("motion")
    hand.key(RETURN)
    hand.type("[1, -0.5]")
    hand.key(RETURN)
    hand.thinks()
    hand.click(hand.block(pd))
    hand.key(RETURN)
    hand.type("400")
    hand.key(TAB)
    hand.type("60")
    hand.key(RETURN)
    for joint in joints:
        hand.thinks()
        hand.drag(hand.port(f"{joint}.position"), hand.point(window.deck.panes[0]))
    hand.thinks()
    hand.click(hand.point(window.running.bar.speed))
    hand.key(Qt.Key.Key_Down)
    hand.key(RETURN)


def follow_tutorial(hand: CountingHand) -> None:
    """The canvas half of docs/tutorial.md, of someone who reads each sentence once."""
    window = hand.window
    page = (Path(luff.__file__).parent / "docs" / "tutorial.md").read_text("utf-8")
    half = page.partition("## The same on the canvas")[2].partition("An error turns")[0]
    hand.seconds += len(half.split()) / READING
    # 1: a universal joint, and its axes
    hand.click(hand.empty(0))
    hand.type("/")
    hand.insert_block("uni")
    hand.key(RETURN)
    for axis in ("y", "x"):
        hand.thinks()
        hand.type(axis)
        hand.key(RETURN)
        hand.key(TAB)
    # 2: the load
    hand.thinks()
    hand.click(hand.empty(1))
    hand.type("/")
    hand.insert_block("rigid_link")
    hand.key(Qt.Key.Key_F2)
    hand.type("load")
    hand.key(TAB)  # which takes the name and leads on to its first value
    for number in ("500 kg", "0", "0", "-4"):
        hand.thinks()
        hand.type(number)
        hand.key(TAB)
    # 3: its wires
    hand.click(hand.empty(2))
    hand.key(Qt.Key.Key_Space)
    for a, b in (("boom.frame_b", "universal.frame_a"), ("universal.frame_b", "load.frame_a")):
        hand.thinks()
        hand.drag(hand.port(a), hand.port(b))
    # 4: a run in real time, paused and continued
    hand.thinks()
    hand.click(hand.empty(2))
    row = next(row for row in window.properties.rows if row.keys[-1] == "stop").findChild(QLineEdit)
    assert row is not None
    window.properties.ensureWidgetVisible(row)
    settle()
    hand.click(hand.point(row))
    hand.key(Qt.Key.Key_A, CTRL)
    hand.type("60")
    hand.key(RETURN)
    hand.click(hand.point(window.running.bar.speed))
    hand.type("Real")
    hand.key(RETURN)
    hand.thinks()
    hand.key(RETURN, CTRL)
    wait_until(lambda: window.runner.time > 0.1 and window.actions_["pause"].isEnabled(), "the run")
    hand.key(Qt.Key.Key_P, CTRL)
    wait_until(lambda: window.runner.state == PAUSED and window.actions_["run"].isEnabled(), "the pause")
    hand.key(RETURN, CTRL)
    # 5: a mass while it runs
    hand.thinks()
    hand.click(hand.block("load"))
    hand.key(RETURN)
    hand.key(Qt.Key.Key_A, CTRL)
    hand.type("900 kg")
    hand.key(RETURN)
    hand.thinks()
    hand.key(Qt.Key.Key_Z, CTRL)
    hand.key(RETURN, CTRL | Qt.KeyboardModifier.ShiftModifier)
    wait_until(lambda: not window.runner.active, "the end of the run")
    # 7: saved
    hand.key(Qt.Key.Key_S, CTRL)


def tutorial(path: Path) -> dict[str, object]:
    window = Window(Document(Diagram.load(path)))
    window.tabs.resize(1280, 720)
    show(window)
    hand = CountingHand(window)
    follow_tutorial(hand)
    window.document.check()
    problems = [str(problem) for problem in window.document.problems]
    assert not problems, problems
    report = {"clicks": hand.clicks, "seconds": hand.seconds, "blocks": window.document.diagram.blocks}
    assert window.close()
    return report


def two_links() -> dict[str, object]:
    window = Window()
    window.tabs.resize(1280, 720)
    show(window)
    hand = CountingHand(window)
    build(hand)
    window.document.check()
    problems = [str(problem) for problem in window.document.problems]
    assert not problems, problems
    hand.key(RETURN, CTRL)
    wait_until(lambda: window.runner.time > 0.2, "the run")
    window.deck.tick(force=True)
    live = window.runner.active and window.deck.panes[0].isVisible()
    curves = {name: curve.getData()[0] is not None for name, curve in window.deck.panes[0].curves.items()}
    hand.key(RETURN, CTRL | Qt.KeyboardModifier.ShiftModifier)
    wait_until(lambda: not window.runner.active, "the end of the run")
    report = {
        "clicks": hand.clicks,
        "seconds": hand.seconds,
        "live": live,
        "curves": curves,
        "connections": window.document.diagram.connections,
    }
    window.document.undo.setClean()
    window.close()
    return report


if __name__ == "__main__":
    QStandardPaths.setTestModeEnabled(True)
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    with tempfile.TemporaryDirectory() as settings:
        QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(Path(settings)))
        application()
        found = tutorial(Path(sys.argv[1])) if sys.argv[1:] else two_links()
        print("REPORT " + json.dumps(found), flush=True)
