"""Random edits of the library's models, across levels: undo is exact, the file says what the document has."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from shiboken6 import delete

from luff.blocks import LuffError
from luff.gui.canvas.scene import CanvasScene
from luff.gui.document import clipboard
from luff.gui.document.document import Document, toggle_enabled
from luff.gui.document.grouping import group, is_subsystem, ungroup
from luff.gui.document.labelled_wires import toggle_labels
from luff.solver.diagram.composite_types import LIBRARY
from luff.solver.flatten.diagram import Diagram
from luff.solver.netlist import read_netlist, same_data

pytestmark = pytest.mark.usefixtures("qapp")  # one that outlives all scenes
MODELS = sorted([*LIBRARY.glob("*.yaml"), *(LIBRARY / "templates").glob("*.yaml")])
TYPES = ["revolute", "rigid_link", "gain", "sine", "pd", "frame_sensor", "sum", "fixed", "./none.yaml"]
VALUES = [1, 2.5, "3 kg", "=l/2", True, [0, 0, 1], {"at": [1, 2, 3]}, None]
NAMES = ["a", "b", "pin", "wires", "1x", "gain", "subsystem", "inputs"]
DEEPEST = 4  # levels open at once
LARGEST = 15_000  # characters of the entries of a file that grows no more by copies
SHORT, WHOLE = 500, 10_000  # edits in all models together


class Hand:
    """A user without a plan, at any level of a model.

    `states` holds the entries after each step of the undo stack, with their order and kinds; `texts` the file after
    some: it is made of the entries alone.
    """

    def __init__(self, path: Path, pick: random.Random):
        self.pick = pick
        self.root = Document(Diagram.load(path))
        self.states = [self.state()]
        self.texts = {0: self.root.diagram.to_yaml()}
        self.open: list[Document] = [self.root]
        self.scenes: list[CanvasScene] = [CanvasScene(self.root)]
        self.edits = 0
        self.kinds: list[Callable[[Document], object]] = [
            self.add, self.remove, self.rename, self.value, self.connect, self.move, self.rotate, self.paste,
            self.expose, self.group, self.group, self.ungroup, self.drag, self.labels, self.effect,
            self.parameter, self.arrange,
        ]  # fmt: skip

    # levels

    def enter_or_leave(self) -> None:
        here = self.open[-1]
        inside = [name for name in here.diagram.blocks if is_subsystem(here, name)]
        if inside and len(self.open) < DEEPEST and self.pick.random() < 0.7:
            self.open.append(here.inside(self.pick.choice(inside)))
            self.scenes.append(CanvasScene(self.open[-1]))
        elif len(self.open) > 1:
            self.leave()

    def leave(self) -> None:
        delete(self.scenes.pop())
        self.open.pop().close()

    def leave_lost(self) -> None:
        """As the window does where an undo has taken the subsystem away in which one stands."""
        while not all(document.exists for document in self.open):
            self.leave()

    def close(self) -> None:
        while self.open:
            self.leave()

    # edits

    def names(self, document: Document, most: int = 3) -> list[str]:
        names = list(document.diagram.blocks)
        return self.pick.sample(names, min(len(names), self.pick.randint(1, most)))

    def one(self, document: Document) -> str:
        return self.pick.choice([*document.diagram.blocks, "world"])

    def wire(self, document: Document) -> str:
        return self.pick.choice(document.diagram.connections)

    def place(self) -> tuple[float, float]:
        return 10.0 * self.pick.randint(-60, 60), 10.0 * self.pick.randint(-60, 60)

    def add(self, document: Document) -> None:
        document.add_block(self.pick.choice(TYPES), *self.place())

    def remove(self, document: Document) -> None:
        document.remove(self.names(document), document.diagram.connections[:1])

    def rename(self, document: Document) -> None:
        document.rename(self.one(document), self.pick.choice(NAMES))

    def value(self, document: Document) -> None:
        name = self.one(document)
        path = f"{name}.{self.pick.choice(sorted(document.diagram.block_params(name)))}"
        if self.pick.random() < 0.3:
            document.unset_value(path)
        else:
            document.set_value(path, self.pick.choice(VALUES))

    def connect(self, document: Document) -> None:
        a, b = self.one(document), self.one(document)
        ports = [self.pick.choice(sorted(document.ports(name))) for name in (a, b)]
        document.connect_ports(f"{a}.{ports[0]}", f"{b}.{ports[1]}")

    def move(self, document: Document) -> None:
        document.move({name: self.place() for name in self.names(document)})

    def rotate(self, document: Document) -> None:
        document.rotate(self.names(document))

    def paste(self, document: Document) -> None:
        if len(self.states[-1]) > LARGEST:
            return
        clipboard.paste(document, clipboard.fragment(document, self.names(document)), self.place())

    def expose(self, document: Document) -> None:
        name = self.one(document)
        port = self.pick.choice(sorted(document.ports(name)))
        document.expose(f"{name}.{port}", self.pick.choice(["", "hand", "foot"]))

    def group(self, document: Document) -> None:
        group(document, self.names(document, 6))

    def ungroup(self, document: Document) -> None:
        ungroup(document, list(document.diagram.blocks))

    def drag(self, document: Document) -> None:
        document.drag_wire(self.wire(document), [self.place() for _ in range(self.pick.randint(0, 3))])

    def labels(self, document: Document) -> None:
        toggle_labels(document, [self.wire(document)])

    def effect(self, document: Document) -> None:
        toggle_enabled(document, self.names(document))

    def parameter(self, document: Document) -> None:
        document.set_parameter(self.pick.choice("lmk"), self.pick.choice([1, "2 m", "=pi"]))

    def arrange(self, document: Document) -> None:
        document.arrange_all()

    # what holds

    def state(self) -> str:
        return repr(self.root.diagram.data)

    def edit(self) -> None:
        """One edit, or none where the user chose what cannot be: that leaves nothing behind."""
        self.leave_lost()
        document, before = self.open[-1], self.root.undo.index()
        try:
            self.pick.choice(self.kinds)(document)
        except (LuffError, IndexError):
            assert self.root.undo.index() == before
            assert self.state() == self.states[before]
        if self.root.undo.index() != before:
            self.edits += 1
            assert self.root.undo.index() == before + 1
            self.states = [*self.states[: before + 1], self.state()]
            self.texts = {step: text for step, text in self.texts.items() if step <= before}

    def undo_and_redo(self) -> None:
        for _ in range(self.pick.randint(1, 5)):
            self.root.undo.undo()
        for _ in range(self.pick.randint(0, 4)):
            self.root.undo.redo()

    def hold(self, file: bool = True) -> None:
        step = self.root.undo.index()
        assert self.state() == self.states[step]
        if file:
            text = self.root.diagram.to_yaml()
            assert text == self.texts.setdefault(step, text)
            assert same_data(read_netlist(text).data, self.root.diagram.data)
        self.leave_lost()
        for document, scene in zip(self.open, self.scenes, strict=True):
            scene.sync()
            assert set(scene.blocks) == set(document.block_names())
            assert set(scene.wires) == set(document.diagram.connections)

    def undo_all(self) -> None:
        while self.root.undo.canUndo():
            self.root.undo.undo()
            assert self.state() == self.states[self.root.undo.index()]
        assert self.root.diagram.to_yaml() == self.texts[0]


@contextlib.contextmanager
def hand_on(path: Path, seed: int) -> Iterator[Hand]:
    hand = Hand(path, random.Random(f"{path.stem} {seed}"))
    yield hand
    hand.close()


def edit_at_random(path: Path, seed: int, count: int) -> None:
    with hand_on(path, seed) as hand:
        for k in range(20 * count):
            hand.edit()
            if k % 7 == 3:
                hand.enter_or_leave()
            if k % 11 == 5:
                hand.undo_and_redo()
            if k % 5 == 0:
                hand.hold(file=k % 3 == 0)
            if hand.edits >= count:
                break
        assert hand.edits >= count
        hand.hold()
        hand.undo_all()


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_random_edits_are_undone_exactly(path: Path, seed: int) -> None:
    edit_at_random(path, seed, -(-SHORT // len(MODELS)))


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_many_random_edits_are_undone_exactly(path: Path, seed: int) -> None:
    edit_at_random(path, seed, -(-WHOLE // len(MODELS)))
