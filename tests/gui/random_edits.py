"""Random edits of a diagram in a window, each followed by a look at what is shown: no wire runs through a block, no two
nets share a corner, an end or a piece of their way, no problem is of what is not there or is right by now, and undo
leads back exactly.

    python -m luff.tests.gui.random_edits [--edits 10000] [--each] [--go-on] [--seed 1] [--models crane_demo king]

Runs over every model of the library in turn, or over some; prints what it did, and the seed to do it again.
"""

from __future__ import annotations

import argparse
import difflib
import os
import random
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from luff.blocks import LuffError
from luff.gui.document import note_edits
from luff.gui.document.document import Document
from luff.gui.document.grouping import is_subsystem
from luff.gui.window.main_window import Window
from luff.solver.flatten.diagram import Diagram
from luff.tests.gui.driver import Canvas

from .canvas_faults import (
    crossings,
    dead_problems,
    hidden,
    otherwise_anew,
    overlaps,
    shared_nets,
    without_way,
)

LIBRARY = Path(__file__).parents[2] / "library"
APART = ("studies", "assessments", "plans", "factors")  # what is run of models
MODELS = [path for path in sorted(LIBRARY.rglob("*.yaml")) if path.parent.name not in APART]
TYPES = ["revolute", "rigid_link", "gain", "sine", "pd", "frame_sensor", "fixed", "sum", "rfem_link"]
MOST = 45  # blocks
ANEW_EVERY = 20  # edits after which what is shown is compared with what the text, read anew, would show
KEYS = {
    "left": Qt.Key.Key_Left,
    "right": Qt.Key.Key_Right,
    "up": Qt.Key.Key_Up,
    "down": Qt.Key.Key_Down,
}


class Editor:
    """Draws edits as a user makes them: by mouse, keys and menus."""

    def __init__(self, window: Window, chance: random.Random):
        self.window, self.chance = window, chance
        self.canvas = Canvas(window.document, window.view)
        self.done: list[str] = []
        self.wires = self.labelled = 0  # looked at, and of these without a way
        self.text = window.document.diagram.to_yaml()
        self.show_level()

    def show_level(self) -> None:
        """Follow the window to the level that it shows."""
        QApplication.processEvents()  # a level that an undo has taken away is left
        view = self.window.view
        if self.canvas.view is not view or not self.done:
            self.canvas = Canvas(self.window.document, view)
            view.resetTransform()
            view.centerOn(view.canvas.content_rect().center())

    def edit(self) -> None:
        many = len(self.canvas.scene.blocks) > MOST
        kinds: list[Callable[[], str]] = [
            self.drag, self.drag, self.drag, self.nudge, self.copy, self.duplicate, self.delete, self.rotate,
            self.undo, self.undo, self.redo, self.insert, self.insert_into_wire, self.connect, self.drag_wire,
            self.arrange, self.line_up, self.label, self.note, self.drag_note, self.drag_note, self.size_note,
            self.delete_note, self.value, self.value, self.rename, self.group, self.ungroup, self.enter, self.enter,
            self.leave,
        ]  # fmt: skip
        work = self.delete if many else self.chance.choice(kinds)
        self.done.append(f"{work.__name__} {work()}")
        self.show_level()
        self.canvas.scene.sync()
        self.look()
        if len(self.done) % ANEW_EVERY == 0:
            wrong = otherwise_anew(self.window)
            if wrong:
                raise AssertionError(f"{wrong[:4]} after {self.done[-ANEW_EVERY:]}")

    def look(self, settled: bool = True) -> None:
        found = crossings(self.canvas)
        if settled:
            found += overlaps(self.canvas) + [f"{text} has no way" for text in hidden(self.canvas)]
            found += [f"{a} and {b} look wired" for a, b in shared_nets(self.canvas)]
            found += [f"gone, and told of: {problem}" for problem in dead_problems(self.window)]
            self.wires += len(self.canvas.scene.wires)
            self.labelled += without_way(self.canvas)
        if found:
            raise AssertionError(f"{found[:4]} after {self.done[-6:]}")

    def take_all_back(self) -> None:
        """Undo down to the first edit: the file is what it was."""
        document = self.canvas.document
        while document.undo.canUndo():
            self.menu("undo")
        self.show_level()
        self.canvas.scene.sync()
        self.look()
        undone = document.diagram.to_yaml()
        if undone != self.text:
            lines = difflib.unified_diff(
                self.text.splitlines(), undone.splitlines(), "then", "now", lineterm=""
            )
            last = f"undone, the text is another one than at the start; last {self.done[-6:]}"
            raise AssertionError("\n".join([last, *lines]))

    # ------------------------------------------------------------------ edits

    def names(self) -> list[str]:
        return list(self.canvas.scene.blocks)

    def some(self) -> list[str]:
        names = self.names()
        count = self.chance.choice([1, 1, 2, 3, len(names)])
        chosen = self.chance.sample(names, min(count, len(names)))
        self.canvas.scene.select(chosen)
        return chosen

    def menu(self, key: str) -> None:
        self.window.actions_[key].trigger()

    def drag(self) -> str:
        chosen = self.some()
        if not chosen:
            return ""
        view = self.window.view
        view.centerOn(view.canvas.blocks[chosen[0]])
        x, y = self.canvas.middle(chosen[0])
        dx, dy = self.chance.randint(-400, 400), self.chance.randint(-300, 300)
        self.canvas.press((x, y))
        for part in (0.2, 0.5, 0.8, 1.0):
            self.canvas.move((x + part * dx, y + part * dy))
            self.look(settled=False)
        if self.chance.random() < 0.1:
            self.canvas.key(Qt.Key.Key_Escape)
        self.canvas.release((x + dx, y + dy))
        return f"{chosen} by {dx}, {dy}"

    def nudge(self) -> str:
        chosen, way = self.some(), self.chance.choice(list(KEYS))
        QTest.keyClick(self.window.view, KEYS[way])
        return f"{chosen} {way}"

    def some_with_a_note(self) -> list[str]:
        chosen, note = self.some(), self.some_note()
        if note and self.chance.random() < 0.5:
            chosen = chosen if self.chance.random() < 0.5 else []
            self.canvas.scene.select(chosen, notes=[note[0]])
        return chosen

    def copy(self) -> str:
        chosen = self.some_with_a_note()
        self.menu("copy")
        view = self.window.view
        area = view.viewport().rect()
        at = QPointF(self.chance.randint(0, area.width()), self.chance.randint(0, area.height()))
        place = view.mapToScene(at.toPoint())
        self.canvas.move((place.x(), place.y()), button=Qt.MouseButton.NoButton)
        self.menu("paste")
        return f"{chosen} at {place.x():.0f}, {place.y():.0f}"

    def duplicate(self) -> str:
        chosen = self.some_with_a_note()
        self.menu("duplicate")
        return str(chosen)

    def delete(self) -> str:
        names = self.names()
        count = len(names) // 2 if len(names) > MOST else 1
        chosen = self.chance.sample(names, min(count, len(names)))
        self.canvas.scene.select(chosen)
        self.menu("delete")
        return str(chosen)

    def rotate(self) -> str:
        chosen = self.some()
        self.menu("rotate")
        return str(chosen)

    def undo(self) -> str:
        self.menu("undo")
        return ""

    def redo(self) -> str:
        self.menu("redo")
        return ""

    def insert(self) -> str:
        type_name = self.chance.choice(TYPES)
        self.window.view.insert(type_name, self.somewhere())
        return type_name

    def somewhere(self) -> QPointF:
        box = self.window.view.canvas.content_rect()
        return QPointF(
            self.chance.uniform(box.left(), box.right()), self.chance.uniform(box.top(), box.bottom())
        )

    def insert_into_wire(self) -> str:
        wires = [wire for wire in self.canvas.scene.wires.values() if len(wire.points) > 1]
        if not wires:
            return ""
        wire, type_name = self.chance.choice(wires), self.chance.choice(TYPES)
        k = self.chance.randrange(len(wire.points) - 1)
        (x1, y1), (x2, y2) = wire.points[k], wire.points[k + 1]
        self.window.view.insert(type_name, QPointF((x1 + x2) / 2, (y1 + y2) / 2))
        return f"{type_name} {wire.connection}"

    def connect(self) -> str:
        ports = [f"{name}.{port}" for name in self.names() for port in self.canvas.document.ports(name)]
        for _ in range(12 if ports else 0):
            a, b = self.chance.choice(ports), self.chance.choice(ports)
            try:
                self.canvas.document.connect_ports(a, b)
            except LuffError:
                continue
            return f"{a} {b}"
        return ""

    def drag_wire(self) -> str:
        wires = [wire for wire in self.canvas.scene.wires.values() if wire.points]
        if not wires:
            return ""
        wire = self.chance.choice(wires)
        k = self.chance.randrange(max(len(wire.points) - 1, 1))
        (x1, y1), (x2, y2) = wire.points[k], wire.points[k + 1]
        x, y = (x1 + x2) / 2, (y1 + y2) / 2
        self.window.view.centerOn(x, y)
        dx, dy = self.chance.randint(-200, 200), self.chance.randint(-200, 200)
        self.canvas.drag((x, y), (x + dx, y + dy))
        return f"{wire.connection} by {dx}, {dy}"

    def label(self) -> str:
        """Show as Labels, or as a wire again."""
        wires = list(self.canvas.scene.wires)
        chosen = self.chance.sample(wires, min(self.chance.choice([1, 2]), len(wires)))
        self.canvas.scene.select([], chosen)
        self.menu("labels")
        return str(chosen)

    def line_up(self) -> str:
        """Edit > Align."""
        chosen = self.some()
        action = self.chance.choice([a for a in self.window.actions_.menus["align"].actions() if a.text()])
        action.trigger()
        return f"{action.text()} {chosen}"

    def note(self) -> str:
        """A comment at the pointer, or an area around some blocks."""
        chosen = self.some() if self.chance.random() < 0.7 else []
        self.canvas.scene.select(chosen)
        self.menu("note")
        QApplication.processEvents()  # its words are asked for when the menu has closed
        editor = self.window.view.note_editor
        QTest.keyClicks(editor, self.chance.choice(["boom", "what is said of it, " * 6]))
        QTest.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        return str(chosen)

    def some_note(self) -> tuple[int, note_edits.Note] | None:
        known = list(note_edits.notes(self.canvas.document).items())
        return self.chance.choice(known) if known else None

    def drag_note(self) -> str:
        """By its words; an area takes along what lies in it."""
        found = self.some_note()
        if found is None:
            return ""
        x, y = found[1].x + 12, found[1].y + 8
        self.window.view.centerOn(x, y)
        dx, dy = self.chance.randint(-400, 400), self.chance.randint(-300, 300)
        self.canvas.press((x, y))
        for part in (0.3, 0.7, 1.0):
            self.canvas.move((x + part * dx, y + part * dy))
            self.look(settled=False)
        self.canvas.release((x + dx, y + dy))
        return f"{found[0]} by {dx}, {dy}"

    def size_note(self) -> str:
        found = self.some_note()
        if found is None:
            return ""
        x, y = found[1].x + found[1].width - 4, found[1].y + found[1].height - 4
        self.window.view.centerOn(x, y)
        dx, dy = self.chance.randint(-200, 300), self.chance.randint(-200, 300)
        self.canvas.drag((x, y), (x + dx, y + dy))
        return f"{found[0]} by {dx}, {dy}"

    def delete_note(self) -> str:
        found = self.some_note()
        if found is None:
            return ""
        self.canvas.scene.select([], notes=[found[0]])
        self.menu("delete")
        return str(found[0])

    def value(self) -> str:
        """A parameter that cannot be, or none at all."""
        names = [name for name in self.names() if name in self.canvas.document.diagram.blocks]
        if not names:
            return ""
        name = self.chance.choice(names)
        known = [key for key in self.canvas.document.diagram.blocks[name] if key != "type"]
        key = self.chance.choice(known or ["mass"])
        if self.chance.random() < 0.5:
            self.canvas.document.set_value(f"{name}.{key}", self.chance.choice(["-2 kg", "q", 3, "=no_such"]))
        else:
            self.canvas.document.unset_value(f"{name}.{key}")
        return f"{name}.{key}"

    def rename(self) -> str:
        names = [name for name in self.names() if name in self.canvas.document.diagram.blocks]
        if not names:
            return ""
        old = self.chance.choice(names)
        new = self.canvas.document.fresh_name(self.chance.choice(["boom", "hook", old]))
        self.canvas.document.rename(old, new)
        return f"{old} {new}"

    def group(self) -> str:
        names = self.names()
        chosen = self.chance.sample(names, min(len(names), self.chance.randint(1, 6)))
        self.canvas.scene.select(chosen)
        self.menu("group")
        return str(chosen)

    def inside(self) -> list[str]:
        """Blocks that are subsystems in place."""
        return [name for name in self.names() if is_subsystem(self.canvas.document, name)]

    def ungroup(self) -> str:
        chosen = self.chance.sample(self.inside(), min(1, len(self.inside())))
        self.canvas.scene.select(chosen)
        self.menu("ungroup")
        return str(chosen)

    def enter(self) -> str:
        chosen = self.chance.sample(self.inside(), min(1, len(self.inside())))
        for name in chosen:
            self.window.view.opened.emit(name)  # as by a double click
        return str(chosen)

    def leave(self) -> str:
        self.menu("up")
        return ""

    def arrange(self) -> str:
        self.menu("arrange")
        self.window.view.resetTransform()
        return ""


def edit_models(make: Callable[[Path], Window], models: list[Path], edits: int, seed: int) -> float:
    """That many edits of each model; a failure says the model and the seed. Answers which share of all wires that were
    looked at had no free way."""
    wires = labelled = 0
    for path in models:
        window = make(path)
        editor = Editor(window, random.Random(f"{seed} {path.stem}"))
        try:
            editor.look()
            for _ in range(edits):
                editor.edit()
            editor.take_all_back()
        except AssertionError as error:
            raise AssertionError(f"{path.name}, seed {seed}, edit {len(editor.done)}: {error}") from error
        wires, labelled = wires + editor.wires, labelled + editor.labelled
        QApplication.processEvents()
        window.document.close()
    return labelled / max(wires, 1)


def main() -> int:
    import tempfile

    from PySide6.QtCore import QSettings

    from luff.gui.app import application
    from luff.gui.properties.property_panel import PropertyPanel
    from luff.gui.window.file_actions import Files

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=10_000, help="in all; of each with --each")
    parser.add_argument("--each", action="store_true", help="that many of each model")
    parser.add_argument("--go-on", action="store_true", help="after a model that fails, with the next")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--models", nargs="*", default=[], help="names of some models of the library")
    options = parser.parse_args()
    models = [path for path in MODELS if not options.models or path.stem in options.models]
    print(f"seed {options.seed}")

    def fault(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Qt goes on after an error in a slot; this command does not."""
        traceback.print_exception(kind, error, trace)
        os._exit(1)

    sys.excepthook = fault
    Files.may_close = lambda self, level: True  # type: ignore[method-assign]
    # half the time would go into rows that are not looked at
    PropertyPanel.show_selection = lambda self, blocks, wires: None  # type: ignore[method-assign]
    with tempfile.TemporaryDirectory() as settings:
        os.environ["XDG_DATA_HOME"] = os.environ["XDG_CONFIG_HOME"] = settings
        QSettings.setDefaultFormat(QSettings.Format.IniFormat)
        QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, settings)
        application()
        opened: list[Window] = []

        def make(path: Path) -> Window:
            for window in opened:
                window.close()
            window = Window(Document(Diagram.load(path)))
            window.tabs.resize(1440, 900)
            window.tabs.show()
            window.running._ask_timer.blockSignals(True)  # what the model computes is not looked at
            opened[:] = [window]
            return window

        each = options.edits if options.each else -(-options.edits // len(models))
        failed = 0
        for path in models:
            try:
                share = edit_models(make, [path], each, options.seed)
                said = f"{each} edits, nothing that misleads, undone exactly"
                print(f"{path.stem}: {said}, {100 * share:.2f} % of wires as labels", flush=True)
            except AssertionError as error:
                if not options.go_on:
                    raise
                failed += 1
                print(f"FAILED {error}", flush=True)
        opened[0].close()
        return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
