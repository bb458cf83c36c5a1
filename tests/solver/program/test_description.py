"""A program is a description: it needs no machine code, can be printed and sent, and a start leaves it as it was."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from luff.blocks.errors import LuffError
from luff.solver.codegen import compile_pool, object_loader
from luff.solver.flatten.diagram import Diagram
from luff.solver.flatten.flatten import flatten
from luff.solver.program.program import Program, make_program
from luff.solver.program.program_listing import program_lines
from luff.solver.program.started_program import Started, start_program

LIBRARY = Path(__file__).parents[3] / "library"
MODELS = sorted(path for folder in (LIBRARY, LIBRARY / "templates") for path in folder.glob("*.yaml"))
# loops that are closed, rest that is found, pressures that carry a load, controllers with drives
STARTS = [
    "crane_gpme",
    "crane_on_outriggers",
    "crane_knuckle_boom_hydraulic",
    "mobile_crane",
    "manipulator_olkc",
]
ELSEWHERE = """
import pickle, sys
from luff.solver.program.started_program import start_program
started = start_program(pickle.load(sys.stdin.buffer))
sys.stdout.buffer.write(started.x0.tobytes() + started.work_space.tobytes())
"""


def described(name: str) -> Program:
    return make_program(flatten(Diagram.load(LIBRARY / f"{name}.yaml")))


def numbers(program: Program) -> list[bytes]:
    first = program.numbers
    slots = (first.params, first.memory, first.states, first.work)
    return [
        *(array.tobytes() for array in program.model),
        *(np.array(each.values).tobytes() for each in slots),
    ]


def beginning(program: Started) -> list[bytes]:
    arrays = (program.x0, program.work_space, program.record, *program.model)
    return [array.tobytes() for array in (*arrays, *(table.places for table in program.tables.values()))]


@pytest.fixture
def no_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Making, loading and calling compiled code is an error."""

    def refused(*_: object) -> None:
        raise AssertionError("machine code was asked for")

    monkeypatch.setattr(compile_pool, "make", refused)
    monkeypatch.setattr(object_loader, "load", refused)
    monkeypatch.setattr(object_loader, "address_of", refused)
    monkeypatch.setattr("luff.solver.codegen.jit.NATIVE", [refused])


@pytest.mark.usefixtures("no_machine_code")
def test_models_of_the_library_are_described_without_machine_code() -> None:
    programs = []
    for path in MODELS:
        try:
            programs.append(make_program(flatten(Diagram.load(path))))
        except LuffError:
            continue  # a part, which does not run by itself
    assert len(programs) >= 20
    assert any(program.constraints.rows for program in programs)
    assert any(program.flat.initial.solve == "static" for program in programs)
    assert all("rates: " in program_lines(program) for program in programs)


@pytest.mark.parametrize("name", STARTS)
def test_a_start_leaves_the_description_as_it_was(name: str) -> None:
    program = described(name)
    before = numbers(program)
    first = beginning(start_program(program))
    assert numbers(program) == before
    assert beginning(start_program(program)) == first


def test_a_description_starts_in_another_process_with_the_same_numbers() -> None:
    program = described("crane_gpme")
    sent = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        input=pickle.dumps(program),
        capture_output=True,
        check=True,
        env=os.environ,
    )
    here = start_program(program)
    assert sent.stdout == here.x0.tobytes() + here.work_space.tobytes()
