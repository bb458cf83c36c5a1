"""Elements of lists that are set from outside: by `--set`, `luff.compile`, batches, and into a copy of a netlist."""

from __future__ import annotations

import numpy as np
import pytest

import luff
from luff.solver.diagram.baked_overrides import with_changes
from luff.solver.diagram.run_settings import SECTIONS

TEXT = """\
luff: 1
name: pendulum
blocks:
  pin: {type: revolute, axis: y, initial: {position: 60 deg}}
  rod: {type: rigid_link, mass: 2 kg, inertia: [0.2, 0.2, 0.1], frames: {end: {rotate: [[y, 10 deg]]}}}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- rod.frame_a
simulation: {stop: 10 ms, step: 1 ms}
"""
# element -> the same as a whole list: written, left to the default, of an entry with a name of its own
ELEMENTS = {
    "world.gravity[2]": ("world.gravity", [0.0, 0.0, 3.0]),
    "world.gravity[0]": ("world.gravity", [3.0, 0.0, -9.81]),
    "rod.inertia[1]": ("rod.inertia", [0.2, 3.0, 0.1]),
    "rod.com[0]": ("rod.com", [3.0, 0.0, 0.0]),
    "rod.frames.end.at[1]": ("rod.frames.end.at", [0.0, 3.0, 0.0]),
}
# path -> what is told of it
NONE = {
    "world.gravity[3]": "gravity expects a list of 3 numbers in m/s^2",
    "rod.inertia[3]": "inertia expects",
    "rod.mass[0]": "mass expects a number in kg",
    "rod.frames.end.at[3]": "at expects a list of 3 numbers in m",
    "rod.frames[0]": "frames expects a mapping from names to",
    "pin.initial.position[1]": "position expects a number in rad",
    "rod.mas[0]": 'did you mean "mass"',
    "simulation.stop[1]": "stop expects a number in s",
    "initial.hold[0]": "hold expects a list of names",
}


def diagram() -> luff.Diagram:
    return luff.Diagram.from_yaml(TEXT, "pendulum")


@pytest.mark.parametrize("path", ELEMENTS)
def test_an_element_is_set_as_in_the_whole_list(path: str) -> None:
    whole, values = ELEMENTS[path]
    by_element, at_once = (
        luff.compile(diagram(), **changes).run() for changes in ({path: 3.0}, {whole: values})
    )
    assert by_element.names == at_once.names
    for name in at_once:
        assert np.array_equal(by_element[name], at_once[name]), name
    copies = [luff.Diagram.from_yaml(with_changes(diagram(), it)) for it in ({path: 3.0}, {whole: values})]
    assert copies[0].value(whole) == copies[1].value(whole) == values


@pytest.mark.parametrize("path", NONE)
def test_what_is_no_element_is_told_with_what_its_parameter_takes(path: str) -> None:
    with pytest.raises(luff.LuffError) as compiled:
        luff.compile(diagram(), **{path: 3.0})
    with pytest.raises(luff.LuffError) as copied:
        with_changes(diagram(), {path: 3.0})
    for refused in (compiled, copied):
        assert NONE[path] in str(refused.value)
        assert path in str(refused.value)


@pytest.mark.parametrize("path", [path for path in NONE if path.partition(".")[0] not in SECTIONS])
def test_an_edit_of_what_is_no_element_changes_nothing(path: str) -> None:
    edited = diagram()
    before = edited.to_yaml()
    with pytest.raises(luff.LuffError) as refused:
        edited.set_value(path, 3.0)
    assert NONE[path] in str(refused.value)
    assert path in str(refused.value)
    assert edited.to_yaml() == before


def test_a_batch_over_one_element_is_that_over_lists() -> None:
    sim = luff.compile(diagram())
    one = luff.batch(sim, {"world.gravity[2]": np.array([-9.8, -1.6])})
    whole = luff.batch(sim, {"world.gravity": np.array([[0.0, 0.0, -9.8], [0.0, 0.0, -1.6]])})
    assert np.array_equal(one.table, whole.table)
    assert not np.array_equal(one.table[0], one.table[1])
