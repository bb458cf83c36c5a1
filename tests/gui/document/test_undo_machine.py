"""Random edits, undo and redo: the text of the file is always that of the same moment before."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from shiboken6 import delete

from luff.blocks import LuffError
from luff.blocks.text.raw_types import Raw
from luff.gui.canvas.scene import CanvasScene
from luff.gui.document import clipboard
from luff.gui.document.document import Document
from luff.gui.document.grouping import ungroup
from luff.gui.document.undo_commands import UNSET
from luff.solver.flatten.diagram import Diagram

pytestmark = pytest.mark.usefixtures("qapp")  # one that outlives all scenes
START = textwrap.dedent(
    """\
    luff: 1
    # a comment that stays
    parameters: {l: 1 m}
    blocks:
      pin: {type: revolute, axis: y}      # the drive

      rod: {type: rigid_link, mass: 2 kg, frame_b: {at: [=l, 0, 0]}}
    connect:
      - world.frame -- pin.frame_a        # down to the ground
      - pin.frame_b -- rod.frame_a
    """
)
TYPES = ["revolute", "rigid_link", "gain", "sine", "pd", "frame_sensor", "sum", "fixed"]
VALUES = [1, 2.5, "3 kg", "=l/2", True, [0, 0, 1], {"at": [1, 2, 3]}, None, UNSET]
grid = st.integers(-30, 30).map(lambda k: 10.0 * k)


class Edits(RuleBasedStateMachine):
    """`texts` holds the file's text after each step of the undo stack."""

    def __init__(self) -> None:
        super().__init__()
        self.document = Document(Diagram.from_yaml(START))
        self.scene = CanvasScene(self.document)
        self.texts = [START]

    def names(self) -> list[str]:
        return list(self.document.diagram.blocks)

    def wires(self) -> list[str]:
        return list(self.document.diagram.connections)

    def edit(self, change: Any) -> None:
        before = self.document.undo.index()
        try:
            change()
        except LuffError:  # an edit that cannot be leaves nothing behind
            assert self.document.undo.index() == before
        if self.document.undo.index() != before:
            assert self.document.undo.index() == before + 1
            self.texts = [*self.texts[: before + 1], self.document.diagram.to_yaml()]

    @rule(type_name=st.sampled_from(TYPES), x=grid, y=grid)
    def add(self, type_name: str, x: float, y: float) -> None:
        self.edit(lambda: self.document.add_block(type_name, x, y))

    @precondition(lambda self: self.names())
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        names = data.draw(st.lists(st.sampled_from(self.names()), unique=True, max_size=3))
        wires = (
            data.draw(st.lists(st.sampled_from(self.wires()), unique=True, max_size=2))
            if self.wires()
            else []
        )
        self.edit(lambda: self.document.remove(names, wires))

    @precondition(lambda self: self.names())
    @rule(data=st.data(), new=st.sampled_from(["a", "b", "pin", "rod", "wires", "1x", "gain"]))
    def rename(self, data: st.DataObject, new: str) -> None:
        old = data.draw(st.sampled_from(self.names()))
        self.edit(lambda: self.document.rename(old, new))

    @precondition(lambda self: self.names())
    @rule(data=st.data(), raw=st.sampled_from(VALUES))
    def value(self, data: st.DataObject, raw: Any) -> None:
        name = data.draw(st.sampled_from(self.names()))
        params = sorted(self.document.diagram.block_params(name))
        if params:
            key = data.draw(st.sampled_from(params))
            path = f"{name}.{key}"
            change = (
                (lambda: self.document.unset_value(path))
                if raw is UNSET
                else (lambda: self.document.set_value(path, raw))
            )
            self.edit(change)

    @precondition(lambda self: self.names())
    @rule(data=st.data())
    def connect(self, data: st.DataObject) -> None:
        names = [*self.names(), "world"]
        a, b = data.draw(st.sampled_from(names)), data.draw(st.sampled_from(names))
        ports_a, ports_b = list(self.document.ports(a)), list(self.document.ports(b))
        if ports_a and ports_b:
            start, end = data.draw(st.sampled_from(ports_a)), data.draw(st.sampled_from(ports_b))
            self.edit(lambda: self.document.connect_ports(f"{a}.{start}", f"{b}.{end}"))

    @precondition(lambda self: self.names())
    @rule(data=st.data(), dx=grid, dy=grid)
    def move(self, data: st.DataObject, dx: float, dy: float) -> None:
        names = data.draw(st.lists(st.sampled_from(self.document.block_names()), unique=True, min_size=1))
        self.edit(lambda: self.document.move(dict.fromkeys(names, (dx, dy))))

    @precondition(lambda self: self.names())
    @rule(data=st.data())
    def rotate(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(self.names()))
        self.edit(lambda: self.document.rotate([name]))

    @precondition(lambda self: self.wires())
    @rule(data=st.data(), points=st.lists(st.tuples(grid, grid), max_size=3))
    def drag_wire(self, data: st.DataObject, points: list[tuple[float, float]]) -> None:
        text = data.draw(st.sampled_from(self.wires()))
        self.edit(lambda: self.document.drag_wire(text, points))

    @precondition(lambda self: self.names())
    @rule(data=st.data())
    def paste(self, data: st.DataObject) -> None:
        names = data.draw(st.lists(st.sampled_from(self.names()), unique=True, min_size=1, max_size=3))
        self.edit(lambda: clipboard.paste(self.document, clipboard.fragment(self.document, names), (30, 30)))

    @rule(raw=st.sampled_from([None, [{"y": ["pin.position"]}], [{"title": "t", "y": []}]]))
    def plots(self, raw: Any) -> None:
        self.edit(lambda: self.document.set_section("plots", raw))

    @precondition(lambda self: self.names())
    @rule(data=st.data(), outer=st.sampled_from(["", "hand", "foot"]))
    def expose(self, data: st.DataObject, outer: str) -> None:
        name = data.draw(st.sampled_from(self.names()))
        ports = list(self.document.ports(name))
        if ports:
            port = data.draw(st.sampled_from(ports))
            self.edit(lambda: self.document.expose(f"{name}.{port}", outer))

    @rule()
    def arrange(self) -> None:
        self.edit(self.document.arrange_all)

    @rule()
    def undo(self) -> None:
        self.document.undo.undo()

    @rule()
    def redo(self) -> None:
        self.document.undo.redo()

    @invariant()
    def text_is_that_of_this_step(self) -> None:
        assert self.document.diagram.to_yaml() == self.texts[self.document.undo.index()]

    @invariant()
    def canvas_shows_the_document(self) -> None:
        self.scene.sync()
        assert set(self.scene.blocks) == set(self.document.block_names())
        assert set(self.scene.wires) == set(self.wires())
        for name, item in self.scene.blocks.items():
            assert (item.x(), item.y()) == self.document.place(name)[:2]

    def teardown(self) -> None:
        while self.document.undo.canUndo():
            self.document.undo.undo()
        assert self.document.diagram.to_yaml() == START
        delete(self.scene)  # here, and with its items: not at some time and in the order of a collector
        self.document.close()


TestEdits = Edits.TestCase
# many short histories find more than a few long ones; the whole takes some ten seconds
TestEdits.settings = settings(max_examples=40, stateful_step_count=20)


def test_closed_document_holds_no_commands() -> None:
    """They would be ended by a collector, in its own order, and the stack reads them when it ends."""
    document = Document(Diagram.from_yaml(START))
    document.set_value("rod.mass", "3 kg")
    assert document.undo.count() == 1
    document.close()
    assert document.undo.count() == 0


def test_entries_return_to_their_places_after_a_block_of_the_same_name_came_and_went() -> None:
    """Where the entries of the first one stood is not known from where those of the second one do."""
    document = Document(Diagram.from_yaml(START))
    document.unset_value("rod.mass")
    document.remove(["rod"])
    document.add_block("rigid_link", 0.0, 0.0, {"frame_b": {"at": [1, 0, 0]}, "mass": 1}, "rod")
    document.unset_value("rod.mass")
    while document.undo.canUndo():
        document.undo.undo()
    assert document.diagram.to_yaml() == START
    document.close()


def test_names_that_come_back_are_undone_exactly() -> None:
    """A signal that is recorded has the name of no block; a name that is given again must not take it along."""
    document = Document(Diagram.from_yaml("luff: 1\nblocks: {a: {type: sine}}\nrecord: [b.y, a.y]\n"))
    texts = []
    for old, new in (("a", "b"), ("b", "a"), ("a", "c"), ("c", "b"), ("b", "a"), ("a", "b")):
        texts.append(document.diagram.to_yaml())
        document.rename(old, new)
        document.set_value(f"{new}.amplitude", len(texts))
    while texts:
        document.undo.undo()
        document.undo.undo()
        assert document.diagram.to_yaml() == texts.pop()
    document.close()


def test_a_failed_edit_cannot_be_done_again() -> None:
    document = Document(Diagram.from_yaml(START))

    def fail() -> None:
        with document.step("fails"):
            document.set_value("rod.mass", "3 kg")
            raise LuffError("no")

    with pytest.raises(LuffError):
        fail()
    assert document.diagram.to_yaml() == START
    assert not document.undo.canRedo()
    assert document.undo.count() == 0
    document.close()


@pytest.mark.parametrize(
    "edit",
    [
        lambda document: document.rename("rod", "pin"),
        lambda document: document.set_value("rod.frame_b.at[7]", 1),
        lambda document: document.rewire(document.diagram.connections[0], "world.frame", "rod.mass"),
        lambda document: _set_each(document, {"rod.mass": "5 kg", "rod.frame_b.at[7]": 1}),
    ],
    ids=["a name that a subsystem has", "no such element", "a wire to no port", "one of several values"],
)
def test_a_refused_edit_leaves_all_steps_as_they_were(edit: Callable[[Document], None]) -> None:
    sensor = "{type: {blocks: {pin: {type: revolute}, gauge: {type: section_sensor, of: rod}}}}"
    document = Document(Diagram.from_yaml(START.replace("  pin: ", f"  arm: {sensor}\n  hinge: ", 1)))
    text = document.diagram.to_yaml()
    document.set_value("rod.mass", "3 kg")
    document.set_value("rod.mass", "4 kg")
    last = document.diagram.to_yaml()
    document.undo.undo()
    with pytest.raises(LuffError, match=r"^(arm names|rod\.)"):  # nothing of Python or Qt
        edit(document)
    assert (document.undo.count(), document.undo.index()) == (2, 1)
    document.undo.redo()
    assert document.diagram.to_yaml() == last
    document.undo.undo()
    document.undo.undo()
    assert document.diagram.to_yaml() == text
    document.close()


def _set_each(document: Document, values: dict[str, Raw]) -> None:
    with document.step("change several"):
        for path, value in values.items():
            document.set_value(path, value)


def test_a_nudge_of_a_block_of_the_same_name_at_another_level_is_a_step_of_its_own() -> None:
    inner = "{type: {blocks: {rod: {type: rigid_link}}, layout: {rod: [0, 0]}}}"
    document = Document(Diagram.from_yaml(START.replace("  pin: ", f"  arm: {inner}\n  pin: ", 1)))
    level = document.inside("arm")
    document.settle()
    text = document.diagram.to_yaml()
    document.move({"rod": (10.0, 300.0)}, merge=1)
    nudged = document.diagram.to_yaml()
    level.move({"rod": (10.0, 0.0)}, merge=1)
    document.undo.undo()
    assert document.diagram.to_yaml() == nudged
    document.undo.undo()
    assert document.diagram.to_yaml() == text
    level.close()
    document.close()


def test_nudges_that_are_one_step_are_redone_to_the_very_text() -> None:
    document = Document(Diagram.from_yaml(START))
    for names in (["world", "pin", "rod"], ["rod", "pin", "world"]):
        document.move(dict.fromkeys(names, (0.0, 10.0)), merge=1)
    assert document.undo.count() == 1
    text = document.diagram.to_yaml()
    document.undo.undo()
    document.undo.redo()
    assert document.diagram.to_yaml() == text
    document.close()


def test_a_wire_to_no_block_outlives_one_of_that_name() -> None:
    text = START + "  - rod.frame_b -- gain.frame_a   # to nothing\n"
    document = Document(Diagram.from_yaml(text))
    document.add_block("gain", 0.0, 0.0)
    document.undo.undo()
    assert document.diagram.to_yaml() == text
    document.close()


def test_sections_return_to_their_places_after_one_of_the_same_name_came_and_went() -> None:
    inner = "{parameters: {k: 2}, blocks: {g: {type: gain, gain: =k}}}"
    text = f"luff: 1\nblocks:\n  arm: {{type: {inner}}}\nlayout: {{arm: [0, 0]}}\nparameters: {{l: 1 m}}   # last\n"
    document = Document(Diagram.from_yaml(text))
    document.set_section("parameters", None)
    ungroup(document, ["arm"])
    assert list(document.diagram.data) == ["luff", "parameters", "blocks", "layout"]
    document.set_section("parameters", None)
    while document.undo.canUndo():
        document.undo.undo()
    assert document.diagram.to_yaml() == text
    document.close()
