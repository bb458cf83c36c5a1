"""A live parameter goes straight to its places; the numbers are those of a model that is compiled with it."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.blocks.errors import LuffError
from luff.solver.flat.flatten import flatten
from luff.solver.program.started import Started, started
from luff.solver.run import simulation
from luff.solver.run.live import OWN, Live
from luff.solver.run.short_ways import moved, numbers_of
from luff.tests.shared.loop_cases import FOUR_BAR

LIBRARY = Path(luff.__file__).resolve().parent / "library"
SEED = 5


def runs(path: Path) -> bool:
    text = path.read_text()
    return "\nports:" not in text and path.parent.name not in ("templates", "studies", "assessments")


EXAMPLES = sorted((LIBRARY.parent / "docs" / "examples").glob("*.yaml"))
MODELS = [path for path in sorted(LIBRARY.rglob("*.yaml")) if runs(path)]

TREE = """luff: 1
parameters: {m: 2 kg}
blocks:
  pin: {type: revolute, axis: y, damping: 0.1, initial: {position: 60 deg}}
  rod: {type: rigid_link, mass: =m, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01], frame_b: {at: [0, 0, -1]}}
  elbow: {type: revolute, axis: y, stiffness: 3, friction: {model: viscous, sigma_2: 0.2, load: 1 N, diameter: 1}}
  fore: {type: rigid_link, mass: 1, com: [0, 0, -0.5]}
  wave: {type: sine, unit: rad}
  drive: {type: pd, kp: 10, kd: 1}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- rod.frame_a
  - rod.frame_b -- elbow.frame_a
  - elbow.frame_b -- fore.frame_a
  - wave.trajectory -> drive.target
  - pin.trajectory -> drive.measured
  - drive.effort -> pin.effort
simulation: {stop: 1 s, step: 1 ms}
"""
LIVE = {
    "rod.mass": (2.5, "1.5 kg"),
    "fore.com": ([0, 0, -0.4], [0, 0, -0.3]),
    "pin.damping": (0.2, 0.3),
    "elbow.stiffness": (0.0, "5 N*m/rad"),
    "elbow.friction.sigma_2": (0.3, 0.1),
    "drive.kp": (20.0, 30.0),
    "wave.amplitude": (1.5, "20 deg"),
    "world.gravity": ([0, 0, -5.0], [0, 0, -1.6]),
}


def differing(live: Live, program: Started) -> list[str]:
    """Where the numbers are not bit for bit those of a program."""
    pairs = {name: (getattr(live.model, name), getattr(program.model, name)) for name in live.model._fields}
    pairs["params"] = live.params, program.params
    return [
        f"{name}{np.argwhere(a != b)[:3].tolist() if a.shape == b.shape else ''}"
        for name, (a, b) in pairs.items()
        if name not in OWN and (a.shape != b.shape or a.tobytes() != b.tobytes())
    ]


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_every_live_parameter_of_the_library_gives_the_bits_of_the_whole_way(path: Path) -> None:
    """All of them one after the other, and what they make together; which fail, should any, is said by name."""
    rng = random.Random(SEED)
    diagram = luff.load(path)
    live = Live(started(flatten(diagram)))
    overrides, left = {}, []
    for name, block in live.program.flat.blocks.items():
        for parameter, value in numbers_of({name: block}):
            if block.bound:
                # a link that is parted where sensors of its sections stand, and these: one's numbers are in all
                assert live.set(parameter, value) is None, parameter
                continue
            # so little that every mechanism still closes; a bit is enough to be compared
            new = moved(value, rng.uniform(1e-7, 1e-6))
            if live.set(parameter, new) is None:
                left.append(parameter)
            else:
                overrides[parameter] = new
    assert differing(live, started(flatten(diagram, overrides))) == [], f"seed {SEED}"
    # only geometry, starts and what is bounded from above goes the whole way
    assert len(overrides) > 4 * len(left), left


def test_every_live_number_of_every_block_s_example_gives_the_bits_of_the_whole_way() -> None:
    checked: dict[str, int] = {}
    for path in EXAMPLES:
        diagram = luff.load(path, allow_code=True)
        live = Live(started(flatten(diagram)))
        overrides = {}
        for name, block in live.program.flat.blocks.items():
            if block.type_name != path.stem or block.bound:
                continue
            for parameter, value in numbers_of({name: block}):
                new = moved(value, 1e-7)
                if live.set(parameter, new) is not None:
                    overrides[parameter] = new
        assert differing(live, started(flatten(diagram, overrides))) == [], path.stem
        checked[path.stem] = len(overrides)
    # most blocks have numbers, and nearly all of these may change within a run
    assert sum(map(bool, checked.values())) > 60, [name for name, count in checked.items() if not count]
    assert sum(checked.values()) > 300


@pytest.fixture
def switching() -> Iterator[None]:
    """Threads that take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def test_runs_under_way_take_the_numbers_as_by_the_whole_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def run() -> tuple[np.ndarray, luff.Simulation, set[str]]:
        sim = luff.compile(luff.loads(TREE))
        session = sim.start()
        for k in range(2):
            for path, values in LIVE.items():
                sim.set(path, values[k])
                session.advance(steps=20)
        return session.take()[1], sim, sim._short_ways.proved

    short, sim, proved = run()
    assert proved == set(LIVE)
    monkeypatch.setattr(Live, "set", lambda *_: None)
    whole, slow, none = run()
    assert none == set()
    assert short.tobytes() == whole.tobytes()
    # what follows for the start is made when it is asked for
    assert sim.x0.tobytes() == slow.x0.tobytes()
    fresh = luff.compile(luff.loads(TREE), **{path: values[1] for path, values in LIVE.items()})
    assert sim.derivative(0.0, sim.x0).tobytes() == fresh.derivative(0.0, fresh.x0).tobytes()
    assert sim.program.flat.blocks["rod"].values["mass"] == 1.5


def test_what_threads_set_while_others_start_is_lost_nowhere(switching: None) -> None:
    sim = luff.compile(luff.loads(TREE))
    paths = {"rod.mass": 2.0, "pin.damping": 0.2, "drive.kp": 10.0, "world.gravity": -5.0}
    sessions: list[luff.Session] = []
    faults: list[Exception] = []

    def value(path: str, k: int) -> object:
        number = paths[path] * (1.0 + 0.001 * k)
        return [0, 0, number] if path == "world.gravity" else number

    def work(path: str) -> None:
        try:
            for k in range(40):
                sim.set(path, value(path, k))
                if k % 8 == 0:
                    sessions.append(sim.start())
                    sim.evaluate()
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=work, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    last = {path: value(path, 39) for path in paths}
    assert sim.overrides == last
    fresh = luff.compile(luff.loads(TREE), **last)
    expected = fresh.start().instance
    # in runs under way as well, whichever thread began them
    for session in sessions:
        np.testing.assert_array_equal(session.instance.params, expected.params)
        np.testing.assert_array_equal(session.instance.model.row, expected.model.row)
    np.testing.assert_array_equal([*sim.evaluate().values()], [*fresh.evaluate().values()])


def test_first_set_of_a_parameter_compiles_and_the_next_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    compiled = simulation.started
    sim = luff.compile(luff.loads(TREE))
    monkeypatch.setattr(simulation, "started", lambda flat: made.append(1) or compiled(flat))
    for value in (3.0, 4.0, 5.0, "6 kg"):
        sim.set("rod.mass", value)
    assert len(made) == 1
    assert sim.program.model.body[0, 0] == 6.0
    assert len(made) == 2


def refuse(*_: object) -> None:
    raise AssertionError("the netlist is read anew")


def test_first_change_in_a_run_that_was_prepared_reads_no_wires_and_describes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of numbers of blocks, and of a parameter of the netlist, which several of these may follow."""
    changes = {"m": (3.0,), **LIVE}

    def run(prepared: bool) -> tuple[np.ndarray, luff.Simulation]:
        sim = luff.compile(luff.loads(TREE.replace("drive: {type: pd, kp: 10", "drive: {type: pd, kp: =5*m")))
        if prepared:
            sim.prepare()
            monkeypatch.setattr(simulation, "flatten", refuse)
        session = sim.start()
        for path, values in changes.items():
            sim.set(path, values[0])
            session.advance(steps=20)
        monkeypatch.undo()
        return session.take()[1], sim

    straight, sim = run(prepared=True)
    whole, slow = run(prepared=False)
    assert {*changes} <= sim._short_ways.proved
    assert straight.tobytes() == whole.tobytes()
    assert sim.program.params.tobytes() == slow.program.params.tobytes()
    assert sim.program.model.body.tobytes() == slow.program.model.body.tobytes()


def test_what_hangs_on_a_parameter_beside_numbers_of_blocks_keeps_it_from_the_short_way() -> None:
    text = TREE.replace("{m: 2 kg}", "{m: 2 kg, long: 1 m, end: 9 rad, both: 5 rad, stiff: 3 N*m/rad}")
    text = text.replace("frame_b: {at: [0, 0, -1]}", 'frame_b: {at: [0, 0, "=-long"]}')
    text = text.replace("stiffness: 3", "stiffness: =stiff").replace(
        "unit: rad", "unit: rad, amplitude: =both"
    )
    text = text.replace("simulation: {", 'simulation: {stop_when: "pin.position above =end", ')
    text += 'assert: ["elbow.position below =both"]\n'
    sim = luff.compile(luff.loads(text))
    sim.prepare()
    assert {"m", "stiff"} <= sim._short_ways.proved
    assert not {"long", "end", "both"} & sim._short_ways.proved
    session = sim.start()
    sim.set("end", 0.5)
    session.advance(steps=1)
    assert session.status == "finished"


def test_mistakes_are_told_as_ever_and_change_nothing() -> None:
    sim = luff.compile(luff.loads(TREE))
    session = sim.start()
    sim.set("rod.mass", 3.0)
    sim.set("rod.mass", 4.0)
    for wrong, words in ((-1.0, "mass"), ("4 m", "kg"), ("heavy", "heavy"), ("=unknown", "unknown")):
        with pytest.raises(LuffError, match=words):
            sim.set("rod.mass", wrong)
    assert session.instance.model.body[0, 0] == 4.0
    assert sim.program.flat.blocks["rod"].values["mass"] == 4.0
    sim.set("rod.mass", "=2*m")  # names a parameter of the netlist
    assert session.instance.model.body[0, 0] == 4.0
    sim.set("rod.mass", "=3*m")
    assert session.instance.model.body[0, 0] == 6.0


def test_what_crosses_zero_goes_straight_unless_it_decides_of_structure() -> None:
    live = Live(luff.compile(luff.loads(TREE)).program)
    assert live.set("elbow.stiffness", 0.0) is not None
    assert live.set("elbow.stiffness", 2.0) is not None
    assert live.set("rod.com", [-0.1, 0, 0.5]) is not None
    assert (
        live.set("fore.com", [-0.1, 0, 0.5]) is None
    )  # a point mass, on the axis of the joint that carries it or not
    assert live.set("rod.frame_b.at", [0, 0, -2]) is None  # geometry
    assert live.set("pin.initial.position", 0.3) is None  # starts
    # a spring that is none is no reason for its joint to be one of the tree
    sprung = FOUR_BAR.replace("C: {type: revolute}", "C: {type: revolute, stiffness: 1}")
    loop = Live(luff.compile(luff.loads(sprung)).program)
    assert loop.set("C.stiffness", 2.0) is not None
    assert loop.set("C.stiffness", 0.0) is None


def test_numbers_of_the_examples_that_cross_zero_give_the_bits_of_the_whole_way() -> None:
    """Each alone: what the short way takes, the whole one neither refuses nor lays out otherwise."""
    taken = 0
    for path in EXAMPLES:
        diagram = luff.load(path, allow_code=True)
        program = started(flatten(diagram))
        own = {name: block for name, block in program.flat.blocks.items() if block.type_name == path.stem}
        for parameter, value in numbers_of(own):
            numbers = value if isinstance(value, tuple) else (value,)
            if not all(isinstance(number, int | float) for number in numbers):
                continue
            for other in ([0.0] * len(numbers), [-x for x in numbers], [x or 1.0 for x in numbers]):
                live, new = Live(program), other if isinstance(value, tuple) else other[0]
                if tuple(other) == numbers or live.set(parameter, new) is None:
                    continue
                whole = started(flatten(diagram, {parameter: new}))
                assert differing(live, whole) == [], (parameter, new)
                assert program.like(whole), (parameter, new)
                taken += 1
    assert taken > 150


def test_a_set_takes_a_small_part_of_the_whole_way() -> None:
    sim = luff.compile(luff.loads(TREE))

    def seconds(path: str, value: float) -> float:
        began = time.perf_counter()
        sim.set(path, value)
        return time.perf_counter() - began

    whole = min(seconds("m", 2.0 + k) for k in range(5))
    seconds("drive.kp", 11.0)
    short = min(seconds("drive.kp", 12.0 + k) for k in range(20))
    assert short < 0.1 * whole  # 0.01 on an idle machine
