"""Edits that are undone give back the text to the letter, whatever was done and undone between."""

import itertools
from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from luff.solver.flatten.diagram import Diagram, loads
from luff.solver.netlist import read_netlist, same_data
from luff.tests.shared.netlists import COMMENTED_CRANE


def test_entries_come_back_in_their_order_whatever_was_undone_between() -> None:
    diagram = Diagram()
    diagram.add_block("g", {"type": "gain", "k": 1.0, "unit": "m"})
    diagram.unset_value("g.unit")
    diagram.unset_value("g.k")
    diagram.set_value("g.unit", "s")  # stands earlier now
    diagram.set_value("g.doc", "of less")
    diagram.unset_value("g.unit")  # not as the last one
    diagram.set_value("g.unit", "s")
    diagram.unset_value("g.doc")
    diagram.unset_value("g.unit")
    diagram.set_value("g.k", 1.0)
    diagram.set_value("g.unit", "m")
    assert list(diagram.blocks["g"]) == ["type", "k", "unit"]


def test_a_section_comes_back_where_it_stood() -> None:
    text = "luff: 1\nrecord: ['*']  # all\nblocks:\n  g: {type: gain}\n"
    diagram = loads(text)
    diagram.set_section("record", None)
    diagram.set_section("record", ["*"])
    assert diagram.to_yaml() == text
    diagram.set_section("plots", [])
    assert list(diagram.data) == ["luff", "record", "blocks", "plots"]


def test_an_entry_of_routes_comes_back_where_it_stood() -> None:
    layout = "{slew: [0, 0], wires: {slew.frame_b -- king.frame_a: [[1, 2]]}, king: [120, 40]}"
    text = COMMENTED_CRANE[: COMMENTED_CRANE.index("layout:")] + f"layout: {layout}\n"
    diagram = loads(text)
    for take in (lambda: diagram.remove_block("slew"), lambda: diagram.remove_block("king")):
        removed = take()
        assert "wires" not in diagram.layout
        diagram.restore_block(*[n for n in ("slew", "king") if n not in diagram.blocks], removed)
        assert diagram.to_yaml() == text
    unwired = diagram.disconnect("slew.frame_b -- king.frame_a")
    assert "wires" not in diagram.layout
    diagram.reconnect(unwired)
    assert diagram.to_yaml() == text


def test_a_wire_comes_back_as_it_was_written_when_its_ports_are_not_known_any_more() -> None:
    text = "luff: 1\nblocks:\n  a: {type: gain}\n  b: {type: gain}\nconnect:\n  - a.y->b.u\n"
    diagram = loads(text)
    unwired = diagram.disconnect("a.y -> b.u")
    diagram.set_value("a.type", "none_such")
    diagram.set_value("b.type", "none_such")
    diagram.reconnect(unwired)
    assert diagram.connections == ["a.y->b.u"]


def test_corners_come_back_where_they_stood_whatever_was_undone_between() -> None:
    wires = [f"{a}.y -> {b}.u" for a, b in itertools.pairwise("abcd")]
    blocks = "".join(f"  {name}: {{type: gain}}\n" for name in "abcd")
    connect = "".join(f"  - {wire}\n" for wire in wires)
    corners = "".join(f"    {wire}: [[1, 2]]\n" for wire in wires)
    text = f"luff: 1\nblocks:\n{blocks}connect:\n{connect}layout:\n  wires:\n{corners}"
    diagram = loads(text)
    taken = [diagram.disconnect(wire) for wire in (wires[2], wires[0])]
    diagram.set_route(diagram.connect("c.y", "d.u"), [[3, 4]])  # drawn again, with other corners
    diagram.disconnect(wires[2])
    for unwired in reversed(taken):
        diagram.reconnect(unwired)
    assert diagram.to_yaml() == text


class Editing(RuleBasedStateMachine):
    """Any edits, then their inverses in reverse order: the text is the same to the letter."""

    def __init__(self) -> None:
        super().__init__()
        self.diagram = loads(COMMENTED_CRANE)
        self.undo: list[Any] = []
        self.texts: list[str] = []

    def edited(self, before: str, inverse: Any) -> None:
        self.undo.append(inverse)
        self.texts.append(before)

    def block(self, data: st.DataObject) -> str:
        return data.draw(st.sampled_from(sorted(self.diagram.blocks)))

    @rule(
        data=st.data(),
        raw=st.sampled_from([{"type": "gain"}, {"type": "sum", "signs": "+-"}, {"type": "fixed"}]),
    )
    def add(self, data: st.DataObject, raw: dict[str, Any]) -> None:
        name = data.draw(st.sampled_from(["p", "q", "r"]))
        if name not in self.diagram.blocks:
            before = self.diagram.to_yaml()
            self.diagram.add_block(name, raw, data.draw(st.none() | st.integers(0, 3)))
            self.edited(before, lambda: self.diagram.remove_block(name))

    @precondition(lambda self: self.diagram.blocks)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        name, before = self.block(data), self.diagram.to_yaml()
        removed = self.diagram.remove_block(name)
        self.edited(before, lambda: self.diagram.restore_block(name, removed))

    @precondition(lambda self: self.diagram.blocks)
    @rule(data=st.data(), new=st.sampled_from(["s", "t", "slew2"]))
    def rename(self, data: st.DataObject, new: str) -> None:
        name, before = self.block(data), self.diagram.to_yaml()
        if new not in self.diagram.blocks:
            old = self.diagram.rename_block(name, new)
            self.edited(before, lambda: self.diagram.rename_back(name, new, old))

    @precondition(lambda self: self.diagram.blocks)
    @rule(
        data=st.data(),
        param=st.sampled_from(["mass", "friction.mu_s", "frames.pin.at", "frame_b.rotate", "axis"]),
        raw=st.sampled_from(
            [1.5, "9 t", [1, 2, 3], "a: b", {"x": 1}, True, "x" * 120, [[1, 2]], "two\nlines"]
        ),
    )
    def set(self, data: st.DataObject, param: str, raw: Any) -> None:
        path = f"{self.block(data)}.{param}"
        before, old = self.diagram.to_yaml(), self.diagram.value(path)
        parents = [".".join(path.split(".")[: k + 1]) for k in range(1, path.count("."))]
        if any(not isinstance(self.diagram.value(parent), dict | None) for parent in parents):
            return  # setting below a number replaces it: a command that does so keeps a snapshot
        self.diagram.set_value(path, raw)
        if old is None:
            self.edited(before, lambda: self.diagram.unset_value(path))
        else:
            self.edited(before, lambda: self.diagram.set_value(path, old))

    @precondition(lambda self: self.diagram.blocks)
    @rule(data=st.data(), param=st.sampled_from(["mass", "axis", "frames.pin.at", "friction.mu_s"]))
    def unset(self, data: st.DataObject, param: str) -> None:
        path = f"{self.block(data)}.{param}"
        before, old = self.diagram.to_yaml(), self.diagram.value(path)
        if old is not None:
            self.diagram.unset_value(path)
            self.edited(before, lambda: self.diagram.set_value(path, old))

    @precondition(lambda self: self.diagram.connections)
    @rule(data=st.data())
    def disconnect(self, data: st.DataObject) -> None:
        text, before = data.draw(st.sampled_from(self.diagram.connections)), self.diagram.to_yaml()
        unwired = self.diagram.disconnect(text)
        self.edited(before, lambda: self.diagram.reconnect(unwired))

    @rule(index=st.none() | st.integers(0, 2))
    def connect(self, index: int | None) -> None:
        before = self.diagram.to_yaml()
        if "world.frame -- world.frame" not in self.diagram.connections:
            text = self.diagram.connect("world.frame", "world.frame", index)
            self.edited(before, lambda: self.diagram.disconnect(text))

    @rule(name=st.sampled_from(["king", "slew", "elsewhere"]), x=st.integers(-5, 5), y=st.floats(-9, 9))
    def place(self, name: str, x: int, y: float) -> None:
        before, old = self.diagram.to_yaml(), self.diagram.layout.get(name)
        self.diagram.place(name, x, y)
        assert isinstance(old, list | None)
        self.edited(before, lambda: self.diagram.put_back(name, old))

    @rule(
        name=st.sampled_from(["doc", "record", "plots", "name"]), raw=st.sampled_from(["x", ["y"], {"z": 1}])
    )
    def section(self, name: str, raw: Any) -> None:
        before, start = self.diagram.to_yaml(), self.diagram.snapshot()
        self.diagram.set_section(name, raw)
        self.edited(before, lambda: self.diagram.restore(start))

    @precondition(lambda self: self.undo)
    @rule()
    def step_back(self) -> None:
        self.undo.pop()()
        assert self.diagram.to_yaml() == self.texts.pop()

    @invariant()
    def text_says_what_the_data_says(self) -> None:
        assert same_data(read_netlist(self.diagram.to_yaml()).data, self.diagram.data)

    def teardown(self) -> None:
        while self.undo:
            self.step_back()
        assert self.diagram.to_yaml() == COMMENTED_CRANE


TestEditing = Editing.TestCase


# not shrunk: every step writes and reads the text several times, and a failure prints its steps anyway
TestEditing.settings = settings(
    max_examples=40,
    stateful_step_count=25,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    deadline=None,
)
