"""Forms of programs: netlists and runs of a batch that differ in numbers alone are not described anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.batch import runner
from luff.solver.flatten.flatten import Flat, flatten
from luff.solver.program.started_program import started
from luff.solver.simulation import parameters
from luff.solver.simulation.parameters import Forms
from luff.tests.conftest import sized
from luff.tests.shared.started_programs import alike, differing, refuse
from luff.tests.solver.batch.test_batch import CRANE, PENDULUM, ROOT
from luff.tests.solver.studies.test_study_changes import RUN, Kind

REST = {"initial.solve": "static"}


STARTS = [
    (PENDULUM, {}, "pin.initial.position", [0.3, 2.0, -1.0, 0.0, 0.7]),
    (PENDULUM, REST, "mass", [2.0, 3.0, 1.0, 2.5, 1.5]),  # a parameter of the netlist
    (CRANE, REST, "load.mass", [700.0, 1500.0, 400.0, 1000.0, 900.0]),
    (ROOT / "library" / "crane_knuckle_boom.yaml", REST, "outer.boom.mass", [9e3, 8e3, 9.9e3, 9.5e3, 8.5e3]),
    (ROOT / "library" / "crane_knuckle_boom.yaml", {}, "outer.mass", [9e3, 8e3, 9.9e3, 9.5e3, 8.5e3]),
]


@pytest.mark.parametrize(("path", "settings", "parameter", "values"), STARTS)
def test_runs_of_a_batch_are_not_described_anew(
    path: Path,
    settings: dict[str, object],
    parameter: str,
    values: list[float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sim = luff.compile(path, **settings)
    monkeypatch.setattr(runner, "flatten", refuse)
    stop = sized(20, 2) * sim.settings.step
    found = luff.batch(
        sim, {parameter: values}, outputs="*", stop=stop, output_step=sim.settings.step, threads=1
    )
    for k, value in enumerate(values):
        alone = luff.compile(path, **settings, **{parameter: value}).run(
            stop=stop, output_step=sim.settings.step
        )
        np.testing.assert_array_equal(found.table[k], alone.table)
    assert len({row.tobytes() for row in found.table}) == len(values)


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
def test_the_second_netlist_with_other_numbers_is_not_described_anew(
    path: Path, changes: dict[str, list[float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    diagram, forms, whole = luff.load(path), Forms(), list[Flat]()
    monkeypatch.setattr(parameters, "started", lambda flat: whole.append(flat) or started(flat))
    for k in range(4):
        flat = flatten(diagram, {name: values[k] for name, values in changes.items()})
        made = forms.started(flat)
        assert made.flat is flat
        assert alike(made, started(flatten(diagram, {name: values[k] for name, values in changes.items()})))
    assert len(whole) == 1


@pytest.mark.parametrize("kind", RUN)
def test_what_the_text_does_not_say_is_described_anew(kind: Kind, tmp_path: Path) -> None:
    """Files that have changed, and blocks of the user's own."""
    forms, worked = Forms(), []
    for changed in (False, False, True, True):
        kind(tmp_path, changed)
        flat = flatten(luff.load(tmp_path / "model.yaml", allow_code=True))
        made = forms.started(flat)
        assert differing(made, started(flat)) == [], kind
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
    forms = Forms()
    for allowed in (False, True, False):
        made = forms.started(flatten(luff.loads(text, allow_code=allowed)))
        assert [block.allow_code for block in made.flat.blocks.values() if block.name == "out"] == [allowed]


def test_a_netlist_of_another_structure_or_with_other_times_is_described_anew() -> None:
    diagram, forms = luff.load(PENDULUM), Forms()
    for changes in (
        {"mass": 1.0},
        {"mass": 2.0},
        {"mass": 3.0, "simulation.step": 1e-3},
        {"mass": 3.0, "pin.axis": [0, 1, 0]},
        {"mass": 3.0, "pin.axis": [0, 1, 0], "pin.initial.position": 0.1},
        {"mass": 2.5, "pin.axis": [1, 0, 0]},
    ):
        flat = flatten(diagram, changes)
        made = forms.started(flat)
        assert made.flat.simulation == flat.simulation
        assert alike(made, started(flatten(diagram, changes)))
