"""A diagram edits its data, undoes exactly, and saves without losing a character."""

import numpy as np
import pytest

from luff.blocks import ConnectError, NetlistError
from luff.solver.diagram.edit_events import Event
from luff.solver.flatten.diagram import Diagram, loads
from luff.tests.shared.netlists import COMMENTED_CRANE


@pytest.fixture
def diagram() -> Diagram:
    return loads(COMMENTED_CRANE)


def lines(diagram: Diagram) -> list[str]:
    """The lines that differ from the text as loaded."""
    old, new = COMMENTED_CRANE.splitlines(), diagram.to_yaml().splitlines()
    return [f"-{line}" for line in old if line not in new] + [f"+{line}" for line in new if line not in old]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # of a later format nothing else can be judged
        ("blocks: 3\nluff: 9\nshapes: {}\n", "f.yaml:2:7: luff: this netlist has the format version 9"),
        (
            "luff: 1\nname: many\nmodel: crane\nvariants: {}\nplots: [{y: [a], log: x}]\n",
            (
                'f.yaml:3:1: model: this is a study of the model "crane", expected a netlist '
                "(run it with `luff study f.yaml`)"
            ),
        ),
        (
            "luff: 1\nmodel: crane\ncases: {}\n",
            (
                'f.yaml:2:1: model: this is an assessment of the model "crane", expected a netlist '
                "(run it with `luff assess f.yaml`)"
            ),
        ),
        ("services: {}\nname: x\n", "f.yaml:1:1: this is not a luff netlist: found services, name"),
    ],
)
def test_a_file_that_is_something_else_is_told_in_one_sentence(text: str, expected: str) -> None:
    with pytest.raises(NetlistError) as caught:
        Diagram.from_yaml(text, "f.yaml")
    assert len(caught.value.problems) == 1
    assert str(caught.value).startswith(expected)


def test_check_finds_nothing_wrong(diagram: Diagram) -> None:
    assert diagram.check() == []


def test_views_show_the_sections(diagram: Diagram) -> None:
    assert diagram.name == "crane"
    assert diagram.parameters == {"l1": "6 m"}
    assert list(diagram.blocks) == ["slew", "king", "drive"]
    assert diagram.connections[2] == "drive.y -> slew.effort"
    assert diagram.initial["hold"] == ["slew"]
    assert diagram.record == ["slew.*", "king.pin"]
    assert diagram.ports == {"tip": "king.frame_b"}
    assert loads("luff: 1").record == ["*"]


def test_to_yaml_is_the_text_as_loaded(diagram: Diagram) -> None:
    assert diagram.to_yaml() == COMMENTED_CRANE
    assert not diagram.modified
    assert loads("\ufeff" + COMMENTED_CRANE).to_yaml() == "\ufeff" + COMMENTED_CRANE


def test_new_diagram_writes_its_sections_in_order() -> None:
    diagram = Diagram()
    diagram.place("a", 10, 20.5)
    diagram.add_block("a", {"type": "gain"})
    diagram.set_section("parameters", {"l": "6 m"})
    diagram.set_section("doc", "first\nsecond")
    assert "name" not in diagram.to_yaml()
    diagram.set_section("name", "mine")
    assert diagram.to_yaml() == (
        "luff: 1\nname: mine\ndoc: |-\n  first\n  second\nparameters:\n  l: 6 m\n"
        "blocks:\n  a: {type: gain}\nconnect: []\nlayout:\n  a: [10, 20.5]\n"
    )


def test_set_value_changes_one_line(diagram: Diagram) -> None:
    diagram.set_value("king.mass", "9 t")
    assert lines(diagram) == ["-    mass: 10 t         # heavy", "+    mass: 9 t         # heavy"]
    assert diagram.value("king.mass") == "9 t"
    assert diagram.modified
    diagram.set_value("king.mass", "10 t")
    assert diagram.to_yaml() == COMMENTED_CRANE
    assert not diagram.modified


def test_set_value_makes_what_leads_to_it(diagram: Diagram) -> None:
    diagram.set_value("slew.friction.mu_s", 0.2)
    assert "+  slew: {type: revolute, axis: z, friction: {mu_s: 0.2}}   # turns" in lines(diagram)
    diagram.unset_value("slew.friction.mu_s")
    assert diagram.to_yaml() == COMMENTED_CRANE


def test_set_value_reaches_list_entries(diagram: Diagram) -> None:
    diagram.set_value("king.frames.pin.at[1]", 2)
    assert "+    frames: {pin: {at: [0, 2, =l1]}}" in lines(diagram)


def test_set_value_of_the_world(diagram: Diagram) -> None:
    diagram.set_value("world.gravity", [0, -9.81, 0])
    assert "+  world: {gravity: [0, -9.81, 0]}" in lines(diagram)
    diagram.unset_value("world.gravity")
    assert diagram.to_yaml() == COMMENTED_CRANE


def test_set_value_refuses_an_unknown_block(diagram: Diagram) -> None:
    with pytest.raises(NetlistError, match=r'no block "kng" \(did you mean "king"'):
        diagram.set_value("kng.mass", 1)


def test_unset_value_is_undone_by_set_value(diagram: Diagram) -> None:
    diagram.unset_value("king.mass")
    assert lines(diagram) == ["-    mass: 10 t         # heavy"]
    diagram.set_value("king.mass", "10 t")
    assert diagram.to_yaml() == COMMENTED_CRANE


def test_remove_block_takes_its_wires_and_place(diagram: Diagram) -> None:
    removed = diagram.remove_block("king")
    assert diagram.connections == ["world.frame -- slew.frame_a", "drive.y -> slew.effort"]
    assert diagram.layout == {}
    diagram.restore_block("king", removed)
    assert diagram.to_yaml() == COMMENTED_CRANE


def test_rename_block_is_followed_everywhere(diagram: Diagram) -> None:
    diagram.rename_block("slew", "turn")
    assert "slew" not in diagram.to_yaml().lower().replace("title: slew", "")
    assert diagram.data["record"] == ["turn.*", "king.pin"]
    assert diagram.data["simulation"] == {"constraints": {"dependent": ["turn.position"]}}
    assert list(diagram.layout["wires"]) == ["turn.frame_b -- king.frame_a"]
    assert list(diagram.blocks) == ["turn", "king", "drive"]
    diagram.rename_block("turn", "slew")
    assert diagram.to_yaml() == COMMENTED_CRANE


def test_rename_block_leaves_names_of_inputs_that_are_alike() -> None:
    blocks = "{u: {type: sine}, y: {type: expression, inputs: [u], expr: 2*u}}"
    renamed = loads(f"luff: 1\nblocks: {blocks}\nconnect: [u.y -> y.u]\n")
    renamed.rename_block("u", "source")
    assert renamed.data["blocks"]["y"] == {"type": "expression", "inputs": ["u"], "expr": "2*u"}
    assert renamed.connections == ["source.y -> y.u"]


def test_rename_block_keeps_comments(diagram: Diagram) -> None:
    diagram.rename_block("king", "boom")
    assert "  boom:\n    type: rigid_link\n    mass: 10 t         # heavy\n" in diagram.to_yaml()


@pytest.mark.parametrize("name", ["slew", "files", "wires", "a b", "1a", "", "a.b"])
def test_names_are_checked(diagram: Diagram, name: str) -> None:
    with pytest.raises(NetlistError):
        diagram.rename_block("king", name)
    with pytest.raises(NetlistError):
        diagram.add_block(name, {"type": "gain"})
    assert diagram.to_yaml() == COMMENTED_CRANE


@pytest.mark.parametrize("edit", ["add_block", "set_value"])
def test_an_entry_of_a_block_is_a_mapping(diagram: Diagram, edit: str) -> None:
    name, before = ("energy", "king")[edit == "set_value"], diagram.to_yaml()
    with pytest.raises(NetlistError) as caught:
        getattr(diagram, edit)(name, "energy_sensor")
    assert str(caught.value) == (
        f"blocks.{name}: found 'energy_sensor', expected {{type: ..., ...}} (write {name}: {{type: energy_sensor}})"
    )
    assert diagram.to_yaml() == before


def test_connect_chooses_sign_and_direction(diagram: Diagram) -> None:
    diagram.add_block("g", {"type": "gain"})
    assert diagram.connect("king.pin", "world.frame") == "king.pin -- world.frame"
    assert diagram.connect("g.u", "slew.position") == "slew.position -> g.u"
    assert diagram.connect("slew.total_force[0]", "g.u", index=0) == "slew.total_force[0] -> g.u"
    assert diagram.connections[0] == "slew.total_force[0] -> g.u"


def test_disconnect_keeps_the_route_for_undo(diagram: Diagram) -> None:
    text = "slew.frame_b -- king.frame_a"
    unwired = diagram.disconnect(text)
    assert unwired.index == 1
    assert "wires" not in diagram.layout  # nor an empty entry that says nothing
    diagram.reconnect(unwired)
    assert diagram.to_yaml() == COMMENTED_CRANE


def test_of_two_wires_alike_the_one_that_is_named_goes() -> None:
    wires = ["world.frame -- a.frame_a", "world.frame -- b.frame_a", "world.frame -- a.frame_a"]
    blocks = "{a: {type: rigid_link}, b: {type: rigid_link}}"
    diagram = loads(f"luff: 1\nblocks: {blocks}\nconnect: [{', '.join(wires)}]\n")
    assert diagram.disconnect(wires[2], 2).index == 2
    assert diagram.connections == wires[:2]
    assert diagram.disconnect(wires[0]).index == 0


def test_disconnect_finds_a_wire_spaced_otherwise(diagram: Diagram) -> None:
    assert diagram.disconnect("drive.y->slew.effort").index == 2
    with pytest.raises(NetlistError, match="there is no connection"):
        diagram.disconnect("drive.y -> slew.effort")


def test_place_changes_the_layout_only(diagram: Diagram) -> None:
    diagram.place("king", 130, 40)
    assert len(lines(diagram)) == 2
    diagram.place("slew", 1, 2, 90)
    assert diagram.layout["slew"] == [1, 2, 90]
    diagram.put_back("slew", None)
    diagram.place("king", 120, 40)
    assert diagram.to_yaml() == COMMENTED_CRANE


def test_put_back_forgets_a_layout_that_was_not_there() -> None:
    diagram = loads("luff: 1\nblocks: {a: {type: gain}}\n")
    diagram.place("a", 1, 2)
    diagram.set_route("x -- y", [[1, 2]])
    diagram.set_route("x -- y", None)
    diagram.put_back("a", None)
    assert diagram.to_yaml() == "luff: 1\nblocks: {a: {type: gain}}\n"


def test_subscribers_hear_of_every_edit_once(diagram: Diagram) -> None:
    heard: list[Event] = []
    stop = diagram.subscribe(heard.append)
    start = diagram.snapshot()
    diagram.add_block("g", {"type": "gain"})
    diagram.set_value("g.k", 2)
    diagram.unset_value("g.k")
    diagram.rename_block("g", "h")
    text = diagram.connect("slew.position", "h.u")
    diagram.set_route(text, [[1, 2]])
    diagram.disconnect(text)
    diagram.place("h", 1, 2)
    diagram.set_section("doc", "x")
    diagram.remove_block("h")
    diagram.restore(start)
    kinds = [
        "added",
        "changed",
        "changed",
        "renamed",
        "connected",
        "routed",
        "disconnected",
        "moved",
        "section",
    ]
    assert [event.kind for event in heard] == [*kinds, "removed", "reset"]
    assert (heard[3].name, heard[3].detail) == ("h", "g")
    stop()
    diagram.place("king", 0, 0)
    assert len(heard) == len(kinds) + 2


def test_a_copy_says_the_same() -> None:
    text = "luff: 1\nname: a gain\nblocks: {g: {type: gain}}\n"
    copy = loads(text).copy()
    assert copy.to_yaml() == text
    copy.set_value("g.gain", 2)
    assert copy.to_yaml() == text.replace("gain}", "gain, gain: 2}")


def test_restore_gives_back_the_text(diagram: Diagram) -> None:
    start = diagram.snapshot()
    diagram.remove_block("king")
    diagram.restore(start)
    assert diagram.to_yaml() == COMMENTED_CRANE


def test_block_ports_follow_the_parameters(diagram: Diagram) -> None:
    assert "pin" in diagram.block_ports("king")
    assert "follow" not in diagram.block_ports("slew")
    diagram.set_value("slew.driven", True)
    assert "follow" in diagram.block_ports("slew")


def test_block_ports_never_raises(diagram: Diagram) -> None:
    diagram.set_value("king.mass", "heavy")
    assert set(diagram.block_ports("king")) == {"frame_a", "frame_b", "pin"}
    diagram.set_value("king.type", "nonsense")
    assert diagram.block_ports("king") == {}
    assert diagram.block_ports("nobody") == {}
    with pytest.raises(NetlistError, match="nonsense"):
        diagram.block_class("king")


def test_check_connect_tells_why_not(diagram: Diagram) -> None:
    diagram.check_connect("king.pin", "world.frame")
    refused = {
        ("king.pin", "slew.effort"): "a frame",
        ("king.nope", "world.frame"): 'no port "nope"',
        ("drive.y", "slew.effort"): "has a wire already",
        ("slew.effort", "drive.y"): "has a wire already",
        ("king.frame_a", "slew.frame_b"): "already",
        ("king.pin", "king.pin"): "itself",
        ("slew.position", "drive.y"): "output",
    }
    for (a, b), reason in refused.items():
        with pytest.raises(ConnectError, match=reason):
            diagram.check_connect(a, b)


def test_entries_from_a_script_may_be_of_numpy() -> None:
    diagram = Diagram()
    com = np.array([0.0, 0.0, -0.5])
    diagram.add_block(
        "rod", {"type": "rigid_link", "mass": np.float32(2.0), "com": com, "inertia": (1, np.int64(2), 0)}
    )
    diagram.set_value("rod.frame_b.at", np.zeros(3))
    diagram.set_section("simulation", {"step": np.float64(0.01)})
    com[2] = 7.0  # no entry of the diagram
    again = loads(diagram.to_yaml())
    assert again.blocks["rod"] == {
        "type": "rigid_link", "mass": 2.0, "com": [0.0, 0.0, -0.5], "inertia": [1, 2, 0], "frame_b": {"at": [0.0] * 3}
    }  # fmt: skip
    assert again.simulation == {"step": 0.01}
