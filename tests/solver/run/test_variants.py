"""Programs that differ in numbers: the netlist is read at the ends of a range alone, and runs have the same bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.flat.flatten import flatten
from luff.solver.program.started import started
from luff.solver.run import given, variants
from luff.solver.run.variants import Near, Variants, alike
from luff.tests.conftest import sized
from luff.tests.solver.run.test_batch import CRANE, PENDULUM, ROOT, counted
from luff.tests.solver.study.test_study_changes import RUN, Kind

REST = {"initial.solve": "static"}
STARTS = [
    (PENDULUM, {}, "pin.initial.position", [0.3, 2.0, -1.0, 0.0, 0.7]),
    (PENDULUM, REST, "mass", [2.0, 3.0, 1.0, 2.5, 1.5]),  # a parameter of the netlist
    (CRANE, REST, "load.mass", [700.0, 1500.0, 400.0, 1000.0, 900.0]),
    (ROOT / "library" / "crane_knuckle_boom.yaml", REST, "outer.boom.mass", [9e3, 8e3, 9.9e3, 9.5e3, 8.5e3]),
]


def never(self: given.Given, changes: dict[str, object]) -> None:
    raise AssertionError("the netlist is read again")


@pytest.mark.parametrize(("path", "settings", "parameter", "values"), STARTS)
def test_a_first_state_is_made_without_reading_the_netlist_again(
    path: Path,
    settings: dict[str, object],
    parameter: str,
    values: list[float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = counted(monkeypatch)
    monkeypatch.setattr(given.Given, "_sent", never)
    sim = luff.compile(path, **settings)
    stop = sized(20, 2) * sim.settings.step
    found = luff.batch(
        sim, {parameter: values}, outputs="*", stop=stop, output_step=sim.settings.step, threads=1
    )
    if parameter != "mass":
        assert sorted(each[parameter] for each in made) == [min(values), max(values)]
    for k, value in enumerate(values):
        alone = luff.compile(path, **settings, **{parameter: value}).run(
            stop=stop, output_step=sim.settings.step
        )
        np.testing.assert_array_equal(found.table[k], alone.table)
    assert len({row.tobytes() for row in found.table}) == len(values)


def test_a_number_that_other_blocks_hang_on_is_not_taken() -> None:
    own = Variants(luff.compile(PENDULUM).program)
    assert own.with_numbers({"mass": 2.0}) is None  # of the netlist
    assert own.with_numbers({"pin.axis": [1, 0, 0]}) is None
    assert own.with_numbers({"pin.initial.position": "=1 + 1"}) is None


def test_what_was_refused_leaves_nothing_behind() -> None:
    diagram = luff.load(CRANE)
    own = Variants(started(flatten(diagram)))
    assert own.with_numbers({"load.mass": 600.0, "load.color": "red"}) is None
    made = own.with_numbers({"slew.initial.velocity": 0.02})
    if made is not None:
        assert alike(made, started(flatten(diagram, {"slew.initial.velocity": 0.02})))
    made = own.with_numbers({"load.mass": 500.0})
    assert made is not None
    assert not alike(made, own.program)


@pytest.mark.parametrize(
    ("path", "changes"),
    [
        (PENDULUM, {"mass": [1.0, 2.0, 3.0, 0.5]}),
        (
            CRANE,
            {"load.mass": [700.0, 1500.0, 400.0, 900.0], "luff_drive.initial": [1.5e5, 1.6e5, 1.4e5, 1.3e5]},
        ),
        (ROOT / "library" / "crane_knuckle_boom.yaml", {"outer.mass": [9e3, 8e3, 9.9e3, 9.5e3]}),
    ],
)
def test_the_third_netlist_with_other_values_is_not_described_anew(
    path: Path, changes: dict[str, list[float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    diagram, near, whole = luff.load(path), Near(), []
    monkeypatch.setattr(variants, "started", lambda flat: whole.append(flat) or started(flat))
    for k in range(4):
        flat = flatten(diagram, {name: values[k] for name, values in changes.items()})
        made = near.started(flat)
        assert made.flat is flat
        assert alike(made, started(flatten(diagram, {name: values[k] for name, values in changes.items()})))
    assert len(whole) == 2


@pytest.mark.parametrize("kind", RUN)
def test_what_the_text_does_not_say_is_described_anew(kind: Kind, tmp_path: Path) -> None:
    """Files that have changed, and blocks of the user's own."""
    near, worked = Near(), []
    for changed in (False, False, True, True):
        kind(tmp_path, changed)
        flat = flatten(luff.load(tmp_path / "model.yaml", allow_code=True))
        made = near.started(flat)
        assert alike(made, started(flat)), kind
        assert [type(block) for block in made.flat.blocks.values()] == [type(b) for b in flat.blocks.values()]
        worked.append(made)
    assert not alike(worked[0], worked[2])


def test_what_a_netlist_may_do_is_asked_each_time() -> None:
    text = """
luff: 1
blocks: {one: {type: constant, value: 1}, out: {type: udp_send, to: 127.0.0.1:9}}
connect: [one.y -> out.u]
simulation: {stop: 1, step: 1 ms}
"""
    near = Near()
    for allowed in (False, True, False):
        made = near.started(flatten(luff.loads(text, allow_code=allowed)))
        assert [block.allow_code for block in made.flat.blocks.values() if block.name == "out"] == [allowed]


def test_a_netlist_of_another_structure_or_with_other_times_is_described_anew() -> None:
    diagram, near = luff.load(PENDULUM), Near()
    for changes in (
        {"mass": 1.0},
        {"mass": 2.0},
        {"mass": 3.0, "simulation.step": 1e-3},
        {"mass": 3.0, "pin.axis": [0, 1, 0]},
        {"mass": 3.0, "pin.axis": [0, 1, 0], "pin.initial.position": 0.1},
        {"mass": 2.5, "pin.axis": [1, 0, 0]},
    ):
        flat = flatten(diagram, changes)
        made = near.started(flat)
        assert made.flat.simulation == flat.simulation
        assert alike(made, started(flatten(diagram, changes)))
