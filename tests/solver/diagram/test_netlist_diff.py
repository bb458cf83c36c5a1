"""What `luff diff` and `luff merge` say, on random edits and by hand."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

import pytest

import luff
from luff.blocks.errors import LuffError
from luff.solver.diagram.netlist_diff import compare_netlists, taken_back, with_names
from luff.solver.diagram.three_way_merge import merge_netlists, merged_lines
from luff.solver.flatten.diagram import Diagram
from luff.solver.netlist.entry_diff import Absent, Change, same_entry, same_quantity
from luff.solver.netlist.syntax_nodes import deep_copy

LIBRARY = Path(__file__).parents[3] / "library"
MODELS = ["bridge_crane", "crane_gpme", "crane_offshore", "crane_knuckle_boom_hydraulic"]
EDITS = 200  # pairs in all


@cache
def loaded(name: str) -> Diagram:
    return luff.load(LIBRARY / f"{name}.yaml")


def load(name: str) -> Diagram:
    return loaded(name).copy()


def ends(wire: str) -> list[str]:
    return re.split(r"\s*(?:->|--)\s*", wire)


def stem(name: str) -> str:
    """The name before an edit gave it another."""
    return re.sub(r"_(new)?\d+$", "", name)


def edit(diagram: Diagram, draw: random.Random, mine: Callable[[str], bool] = lambda _: True) -> None:
    """One edit as the window makes it, of blocks that are `mine`."""
    names = [name for name in diagram.blocks if mine(name)]
    wires = [text for text in diagram.connections if all(mine(end.split(".")[0]) for end in ends(text))]
    name = draw.choice(names)
    kind = draw.choice(["value", "doc", "rename", "remove", "add", "cut", "place", "setting"])
    if kind == "value":
        values = [
            key
            for key, raw in diagram.blocks[name].items()
            if isinstance(raw, str | int | float) and key != "type"
        ]
        if values:
            diagram.set_value(f"{name}.{draw.choice(values)}", draw.choice([2, 0.125, "3 t", "=x/2", True]))
    elif kind == "doc":
        diagram.set_value(f"{name}.doc", f"note {draw.randrange(99)}")
    elif kind == "rename":
        diagram.rename_block(name, f"{name}_{draw.randrange(99)}")
    elif kind == "remove":
        diagram.remove_block(name)
    elif kind == "add":
        diagram.add_block(f"{name}_new{draw.randrange(999)}", {"type": "gain", "k": draw.random()})
    elif kind == "cut" and wires:
        diagram.disconnect(draw.choice(wires))
    elif kind == "place":
        diagram.place(name, draw.randrange(999), draw.randrange(999))


def applied(data: dict, changes: Iterable[Change]) -> dict:
    """Netlist data with changes made: entries first, then texts of lists in their places."""
    made, changes = deep_copy(data), list(changes)

    def holder(path: Sequence[object]) -> dict:
        found = made
        for key in path[:-1]:
            found = found.setdefault(key, {})
        return found

    for change in changes:
        if change.place is not None:
            if isinstance(change.after, Absent):
                holder(change.path[:-1])[change.path[-2]].remove(change.path[-1])
        elif isinstance(change.after, Absent):
            holder(change.path).pop(change.path[-1], None)
        else:
            holder(change.path)[change.path[-1]] = deep_copy(change.after)
    for change in changes:
        if change.place is not None and not isinstance(change.after, Absent):
            holder(change.path[:-1])[change.path[-2]].insert(change.place, change.after)
    return made


@pytest.mark.parametrize("model", MODELS)
def test_changes_applied_to_one_netlist_give_the_other(model: str, seed: int) -> None:
    draw = random.Random(f"{model} {seed}")
    for _ in range(EDITS // len(MODELS)):
        a = load(model)
        b = load(model)
        for _ in range(draw.randrange(1, 6)):
            edit(b, draw)
        comparison = compare_netlists(a, b)
        same = with_names(a, comparison.renamed)
        assert same_entry(applied(same.data, comparison.changes), b.data)
        assert bool(comparison) == (not same_entry(a.data, b.data))
        assert bool(comparison.lines()) == bool(comparison)
        # and taken back they give the first again: all at once, or one after the other in any order
        again = taken_back(b, comparison.difference_lines())
        assert same_entry(without_empty(again), without_empty(a.data))
        while left := compare_netlists(a, b).difference_lines():
            b.restore(taken_back(b, [draw.choice(left)]))
            assert len(compare_netlists(a, b).difference_lines()) < len(left)


def without_empty(data: dict) -> dict:
    """Sections that say something: an empty one is no difference in words."""
    return {key: raw for key, raw in data.items() if raw not in ({}, [])}


@pytest.mark.parametrize("model", MODELS)
def test_merge_of_edits_that_do_not_meet_equals_both(model: str, seed: int) -> None:
    """Each side edits its own half of the blocks; the same edits one after the other are the known answer."""
    draw = random.Random(f"{model} {seed}")
    for _ in range(EDITS // len(MODELS)):
        base = load(model)
        names = sorted({stem(name) for name in base.blocks})
        half = set(draw.sample(names, len(names) // 2))
        first, second = draw.randrange(10**6), draw.randrange(10**6)

        def mine(name: str, half: set[str] = half) -> bool:
            return stem(name) in half

        def others(name: str, half: set[str] = half) -> bool:
            return stem(name) not in half

        ours, theirs, both = (load(model) for _ in range(3))
        edit(ours, random.Random(first), mine)
        edit(theirs, random.Random(second), others)
        edit(both, random.Random(first), mine)
        try:
            edit(both, random.Random(second), others)
        except LuffError:  # what one removed the other touches: not of this test
            continue
        merged = merge_netlists(base, ours, theirs)
        if merged.conflicts:  # both named or cut what lies between the halves
            continue
        assert same_entry(unordered(Diagram.from_yaml(merged.text).data), unordered(both.data))


def unordered(data: dict) -> dict:
    """Wires in a fixed order: the merge keeps ours first."""
    return {**data, "connect": sorted(data.get("connect", []))}


BASE = """\
luff: 1
# a pendulum
blocks:
  bar: {type: rigid_link, mass: 2 t}  # the bar
  pin: {type: revolute, axis: y, damping: 1}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- bar.frame_a
"""


def sides(ours: str, theirs: str) -> tuple[Diagram, Diagram, Diagram]:
    return luff.loads(BASE), luff.loads(ours), luff.loads(theirs)


def test_comments_of_both_sides_survive() -> None:
    ours = BASE.replace("# the bar", "# the bar, weighed")
    theirs = BASE.replace("damping: 1}", "damping: 2}  # measured").replace("connect:", "# wires\nconnect:")
    merged = merge_netlists(*sides(ours, theirs))
    assert not merged.conflicts
    assert "# the bar, weighed" in merged.text
    assert "damping: 2}  # measured" in merged.text
    assert "# wires\n" in merged.text
    assert "# a pendulum" in merged.text


def test_value_changed_by_both_is_a_conflict_with_a_comment_at_its_place() -> None:
    merged = merge_netlists(*sides(BASE.replace("2 t", "3 t"), BASE.replace("2 t", "4 t")))
    assert [str(c) for c in merged.conflicts] == ["blocks.bar.mass: 2 t before, here 3 t, there 4 t"]
    lines = merged.marked().splitlines()
    at = next(i for i, line in enumerate(lines) if line.lstrip().startswith("# conflict in blocks.bar.mass"))
    assert "mass: 3 t" in lines[at + 1]
    assert same_entry(luff.loads(merged.marked()).data, luff.loads(merged.text).data)


def test_same_value_in_other_units_is_no_conflict() -> None:
    merged = merge_netlists(*sides(BASE.replace("2 t", "3 t"), BASE.replace("2 t", "3000 kg")))
    assert not merged.conflicts
    assert "3 t" in merged.text
    assert same_quantity("2 t", "2000 kg")
    assert not same_quantity("2 t", "2000 m")
    assert not same_quantity("2 t", "2001 kg")


def test_block_that_one_named_anew_takes_what_the_other_changed() -> None:
    ours, theirs = luff.loads(BASE), luff.loads(BASE.replace("damping: 1", "damping: 5"))
    ours.rename_block("pin", "hinge")
    merged = merge_netlists(luff.loads(BASE), ours, theirs)
    assert not merged.conflicts
    assert luff.loads(merged.text).blocks["hinge"]["damping"] == 5
    assert "pin:" not in merged.text


def test_removed_here_and_changed_there_is_a_conflict() -> None:
    ours = luff.loads(BASE)
    ours.remove_block("bar")
    merged = merge_netlists(luff.loads(BASE), ours, luff.loads(BASE.replace("2 t", "4 t")))
    assert [c.path for c in merged.conflicts] == [("blocks", "bar")]
    assert "# conflict in blocks.bar" in merged.marked()


def test_words_name_the_block_the_value_and_what_only_moved() -> None:
    a, b = luff.loads(BASE), luff.loads(BASE)
    b.rename_block("bar", "boom")
    b.set_value("boom.mass", "2000 kg")
    b.set_value("pin.damping", 3)
    b.place("pin", 40, 40)
    assert compare_netlists(a, b).lines() == [
        "blocks",
        "  bar is now boom",
        "  boom.mass: 2 t -> 2000 kg (the same value)",
        "  pin.damping: 1 N*m*s/rad -> 3 N*m*s/rad",
        "layout",
        "  moved on the canvas: pin",
    ]


def test_words_of_a_list_name_its_entries() -> None:
    chart = """luff: 1
blocks:
  c:
    type: state_machine
    inputs: [x]
    states: {a: {}, b: {}, c: {}}
    transitions:
      - {from: a, to: b, after: 1 s}
      - {from: b, to: c, when: x > 1}
      - {from: c, to: a, when: x < 0}
"""
    other = chart.replace("after: 1 s", "after: 1000 ms").replace("x > 1}", "x > 2, priority: 1}")
    other += "      - {from: c, to: b, when: x < -1}\n"
    assert compare_netlists(luff.loads(chart), luff.loads(other)).lines() == [
        "blocks",
        "  c.transitions[0].after: 1 s -> 1000 ms (the same value)",
        "  c.transitions[1].when: x > 1 -> x > 2",
        "  c.transitions[1].priority: not given -> 1",
        "  + c.transitions[3]: {from: c, to: b, when: x < -1}",
    ]
    fewer = chart.replace("      - {from: b, to: c, when: x > 1}\n", "").replace("{a: {}", "{a: {entry: {}}")
    assert compare_netlists(luff.loads(chart), luff.loads(fewer)).lines() == [
        "blocks",
        "  c.states.a.entry: not given -> {}",
        "  - c.transitions[1]: {from: b, to: c, when: x > 1}",
    ]


def test_lines_that_both_changed_stay_as_ours() -> None:
    assert merged_lines("a\nb\nc\n", "a\nB\nc\n", "a\nx\nc\nd\n") == "a\nB\nc\nd\n"
    assert merged_lines("a\nb\n", "z\na\nb\n", "a\nb\ny\n") == "z\na\nb\ny\n"
    assert merged_lines("a\nb\nc\n", "a\nc\n", "a\nb\nC\n") == "a\nC\n"


def test_wires_in_another_order_and_whole_sections_are_told_one_by_one() -> None:
    a, b = luff.loads(BASE), luff.loads(BASE)
    wires = list(b.connections)
    b.set_section("connect", [*reversed(wires[1:]), "bar.frame_b -- pin.frame_b", wires[0]])
    b.set_section("name", "another")
    b.set_section("ports", {"tip": "bar.frame_b"})
    comparison = compare_netlists(a, b)
    assert comparison.lines() == [
        "wires",
        "  + bar.frame_b -- pin.frame_b",
        "name",
        "  not given -> another",
        "ports",
        "  + tip: bar.frame_b",
    ]
    assert comparison.wires("added") == ["bar.frame_b -- pin.frame_b"]
    assert comparison.wires("removed") == []
    b.set_section("connect", list(reversed(wires)))
    assert compare_netlists(a, b).lines()[:2] == ["wires", "  the same in another order"]
