"""Numbers go to their places where the form of a model stays; what comes out has the bits of the whole way."""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.blocks.errors import LuffError
from luff.blocks.mechanics.bodies import ShapedBlock
from luff.solver.flatten.flatten import flatten
from luff.solver.flatten.leaf_blocks import LeafBlocks
from luff.solver.program.started_program import fed_blocks, started
from luff.solver.simulation import simulation
from luff.solver.simulation.parameters import Parameters
from luff.tests.shared.changeable_numbers import moved, numbers_of
from luff.tests.shared.loop_cases import FOUR_BAR
from luff.tests.shared.started_programs import alike, differing, refuse

LIBRARY = Path(luff.__file__).resolve().parent / "library"
SEED = 5


def runs(path: Path) -> bool:
    text = path.read_text()
    apart = ("templates", "studies", "assessments", "plans", "factors")
    return "\nports:" not in text and path.parent.name not in apart


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


REST = {"initial.solve": "static"}


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_every_number_of_the_library_gives_the_bits_of_the_whole_way(path: Path) -> None:
    """All of them together, and a few alone; what is no number of its form is left."""
    rng = random.Random(SEED)
    diagram = luff.load(path)
    numbers = Parameters(started(flatten(diagram)))
    overrides, left = {}, []
    for parameter, value in numbers_of(numbers.program.flat.blocks):
        # so little that every mechanism still closes; a bit is enough to be compared
        new = moved(value, rng.uniform(1e-7, 1e-6))
        if numbers.with_values(diagram, {}, {parameter: new}, begun=False) is None:
            left.append(parameter)
        else:
            overrides[parameter] = new
    for some in (overrides, *({path: overrides[path]} for path in rng.sample(sorted(overrides), 2))):
        made = numbers.with_values(diagram, {}, some)
        assert made is not None, f"seed {SEED}: {some}"
        flat = flatten(diagram, some)
        whole = started(flat)
        assert differing(made, whole) == [], f"seed {SEED}: {some}"
        again = numbers.of(flat)
        assert again is not None
        assert alike(again, whole)
    # only geometry, starts of quaternions, and numbers that blocks share, are form; a density refuses a mass beside it
    blocks = numbers.program.flat.blocks
    starts = {
        f"{name}.initial" for name, block in blocks.items() if block.values.get("coordinates") == "quaternion"
    }
    shared = tuple(
        f"{name}.{entry}." for name, block in blocks.items() if block.bound for entry in block.lent
    )
    weighed = {
        f"{name}.{entry}"
        for name, block in blocks.items()
        if isinstance(block, ShapedBlock) and any(one.density for one in block.shapes_by_path().values())
        for entry in ("mass", "com", "inertia")
    }
    left = [
        parameter
        for parameter in left
        if not (
            parameter.rpartition(".")[0] in starts or parameter in weighed or parameter.startswith(shared)
        )
    ]
    assert len(overrides) > 2 * len(left), left


NESTED = """luff: 1
parameters: {m: 2 kg, free: 1 kg, damping: 0.1 N*m*s/rad}
blocks:
  pin: {type: revolute, axis: y, damping: =damping}
  rod: {type: rigid_link, mass: 2, com: [0, 0, -0.5], frame_b: {at: [0, 0, -1]}}
  near:
    type:
      ports: {a: joint.frame_a}
      blocks: {joint: {type: revolute, axis: y}, load: {type: rigid_link, mass: =m, inertia: [1, 1, 1]}}
      connect: [joint.frame_b -- load.frame_a]
  one: {type: ./part.yaml, load: =m}
  two: {type: ./part.yaml, load: =free, bolt: {mass: 3 kg}}
  three: {type: ./part.yaml}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- rod.frame_a
  - rod.frame_b -- near.a
  - rod.frame_b -- one.a
  - rod.frame_b -- two.a
  - rod.frame_b -- three.a
"""
PART = """luff: 1
parameters: {load: 1 kg}
ports: {a: hinge.frame_a}
blocks:
  hinge: {type: revolute, axis: x, stiffness: 4}
  bolt: {type: rigid_link, mass: 1, inertia: [1, 1, 1]}
  weld: {type: fixed, at: [0, 0, -1]}
  weight: {type: rigid_link, mass: =load, inertia: [1, 1, 1]}
connect: [hinge.frame_b -- bolt.frame_a, bolt.frame_a -- weld.frame_a, weld.frame_b -- weight.frame_a]
"""


@pytest.mark.parametrize(
    ("changes", "anew"),
    [
        ({"m": "5 kg"}, {"pin", "near.joint", "near.load", "one.weight"}),
        ({"free": "5 kg"}, {"pin", "near.joint", "near.load", "two.weight"}),
        ({"damping": 0.4}, {"pin", "near.joint", "near.load"}),
        ({"one.load": "7 kg"}, {"pin", "near.joint", "near.load", "one.weight"}),
        (
            {"three.load": "7 kg", "two.bolt.mass": "4 kg"},
            {"pin", "near.joint", "near.load", "three.weight", "two.bolt", "two.weight"},
        ),
    ],
)
def test_a_parameter_makes_anew_what_has_expressions_where_it_is_known(
    changes: dict[str, object], anew: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks without expressions, and parts whose own parameters stay, are those that were there (not of a subsystem in
    place, which is read anew); the bits are those of
    the whole way, also after several changes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "part.yaml").write_text(PART)
    (tmp_path / "model.yaml").write_text(NESTED)
    diagram = luff.load("model.yaml")
    numbers = Parameters(started(flatten(diagram)))
    known = numbers.program.flat.blocks
    made = LeafBlocks(diagram, {}, known).changed(changes)
    assert made is not None
    assert {name for name, block in made.items() if block is not known[name]} == anew
    before: dict[str, object] = {}
    for more in (changes, {"m": "3 kg"}, {"rod.mass": 4.0}, changes):
        program = numbers.with_values(diagram, before, more)
        assert program is not None
        before |= more
        assert not differing(program, started(flatten(diagram, before)))
        numbers = numbers.moved(program, more)


def test_every_number_of_every_block_s_example_gives_the_bits_of_the_whole_way() -> None:
    """Near to what it is, zero, and with the other sign: what keeps its form, the whole way neither refuses nor lays
    out otherwise."""
    checked: dict[str, int] = {}
    for path in EXAMPLES:
        diagram = luff.load(path, allow_code=True)
        numbers = Parameters(started(flatten(diagram)))
        own = {
            n: b for n, b in numbers.program.flat.blocks.items() if b.type_name == path.stem and not b.bound
        }
        for parameter, value in numbers_of(own):
            flat = value if isinstance(value, tuple) else (value,)
            if not all(isinstance(number, int | float) for number in flat):
                continue
            for other in (moved(flat, 1e-7), [0.0] * len(flat), [-x for x in flat], [x or 1.0 for x in flat]):
                assert isinstance(other, list)
                new = other if isinstance(value, tuple) else other[0]
                made = numbers.with_values(diagram, {}, {parameter: new})
                if made is None or tuple(other) == flat:
                    continue
                assert differing(made, started(flatten(diagram, {parameter: new}))) == [], (parameter, new)
                checked[path.stem] = checked.get(path.stem, 0) + 1
    # most blocks have numbers, and nearly all of these may change within a run
    assert len(checked) > 60, checked
    assert sum(checked.values()) > 400


@pytest.fixture
def switching() -> Iterator[None]:
    """Threads that take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def test_runs_under_way_take_the_numbers_as_by_the_whole_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(straight: bool) -> tuple[np.ndarray, luff.Simulation]:
        sim = luff.compile(luff.loads(TREE.replace("kp: 10", "kp: =5*m")))
        if straight:  # from the first change on
            monkeypatch.setattr(simulation, "flatten", refuse)
        else:
            monkeypatch.setattr(Parameters, "with_values", lambda *_, **__: None)
        session = sim.start()
        for k in range(2):
            for path, values in {"m": (3.0, "2.2 kg"), **LIVE}.items():
                sim.set(path, values[k])
                session.advance(steps=20)
        monkeypatch.undo()
        return session.take()[1], sim

    (short, sim), (whole, slow) = run(True), run(False)
    assert short.tobytes() == whole.tobytes()
    # what follows for the start is made when it is asked for
    assert alike(sim.program, slow.program)
    last = {"m": "2.2 kg", **{path: values[1] for path, values in LIVE.items()}}
    fresh = luff.compile(luff.loads(TREE.replace("kp: 10", "kp: =5*m")), **last)
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


def test_a_parameter_that_other_sections_name_reaches_them_too() -> None:
    text = TREE.replace("{m: 2 kg}", "{m: 2 kg, long: 1 m, end: 9 rad}")
    text = text.replace("frame_b: {at: [0, 0, -1]}", 'frame_b: {at: [0, 0, "=-long"]}')
    text = text.replace("simulation: {", 'simulation: {stop_when: "pin.position above =end", ')
    sim = luff.compile(luff.loads(text))
    session = sim.start()
    sim.set("end", 0.5)
    session.advance(steps=1)
    assert session.status == "finished"
    sim.set("long", 2.0)
    assert differing(sim.program, luff.compile(luff.loads(text), end=0.5, long=2.0).program) == []


def test_settings_of_a_run_are_no_numbers() -> None:
    sim = luff.compile(luff.loads(TREE))
    for path, value in (("simulation.step", 5e-4), ("initial.solve", "static"), ("simulation.stop", 0.5)):
        sim.set(path, value)
        fresh = luff.compile(luff.loads(TREE), **sim.overrides)
        assert sim.settings == fresh.settings
        assert alike(sim.program, fresh.program)


@pytest.mark.parametrize("first", ["blocks.rod.mass", "drive.kd"])
def test_the_longer_spelling_of_a_path_counts_as_ever(first: str) -> None:
    sim = luff.compile(luff.loads(TREE), **{first: 5.0})
    for path, value in (("rod.mass", 3.0), ("blocks.rod.mass", 4.0), ("rod.mass", 2.0), ("drive.kp", 11.0)):
        sim.set(path, value)
        session = sim.start()
        fresh = luff.compile(luff.loads(TREE), **sim.overrides)
        assert alike(sim.program, fresh.program)
        assert session.instance.model.row.tobytes() == fresh.start().instance.model.row.tobytes()


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


REFUSES = """from luff.blocks import Block, In, Memory, Out, Param


class Refuses(Block):
    \"\"\"y = u + the oldest of some.\"\"\"

    u = In(unit=None, default=0.0)
    y = Out(unit=None)
    k = Param(1.0, doc="count")
    past = Memory([0.0], size="count")

    def count(self, step):
        return int(1.0 / (self.k - 2.0)) ** 2 + 1

    def instance_functions(self):
        def one(u, past):
            return u + past[0]

        return {"out_y": one}
"""


def test_a_value_that_a_user_s_own_code_refuses_is_an_error_of_the_netlist(tmp_path: Path) -> None:
    (tmp_path / "refuses.py").write_text(REFUSES)
    text = "luff: 1\nblocks: {files: [refuses.py], it: {type: refuses}}\n"
    (tmp_path / "model.yaml").write_text(text)
    sim = luff.compile(luff.load(tmp_path / "model.yaml", allow_code=True))
    with pytest.raises(LuffError, match=r"its count\(\) fails"):
        sim.set("it.k", 2.0)
    sim.set("it.k", 3.0)


def test_a_fault_of_the_program_is_not_taken_for_another_form(monkeypatch: pytest.MonkeyPatch) -> None:
    sim = luff.compile(luff.loads(TREE))

    def fails(*_: object) -> None:
        raise KeyError("a fault")

    monkeypatch.setattr(Parameters, "_mechanics", fails)
    with pytest.raises(KeyError, match="a fault"):
        sim.set("rod.mass", 2.0)


def test_what_decides_of_structure_is_form() -> None:
    def taken(text: str, path: str, value: object) -> bool:
        diagram = luff.loads(text)
        made = Parameters(started(flatten(diagram))).with_values(diagram, {}, {path: value})
        if made is not None:
            assert differing(made, started(flatten(diagram, {path: value}))) == []
        return made is not None

    assert taken(TREE, "elbow.stiffness", 2.0)
    assert taken(TREE, "rod.com", [-0.1, 0, 0.5])
    assert taken(TREE, "pin.initial.position", 0.3)
    assert taken(TREE, "elbow.stiffness", 0.0)  # it rubs, too
    assert not taken(
        TREE, "fore.com", [-0.0, 0, 0.0]
    )  # a point mass on the axis of the joint that carries it
    assert not taken(TREE, "rod.frame_b.at", [0, 0, -2])  # geometry
    sprung = FOUR_BAR.replace("C: {type: revolute}", "C: {type: revolute, stiffness: 1}")
    assert taken(sprung, "C.stiffness", 2.0)
    assert not taken(sprung, "C.stiffness", 0.0)  # nothing acts along it any more: it may close the loop
    assert taken(FOUR_BAR, "rod.mass", 2.0)


BOX = """luff: 1
blocks:
  drop: {type: free, initial: {position: [0, 0, 0.5]}}
  box: {type: rigid_link, mass: 2, inertia: [0.1, 0.1, 0.1], shape: {kind: box, size: [0.4, 0.3, 0.2]}}
  ground: {type: fixture, shape: {kind: plane}}
  rest: {type: touch, of: [box], against: [ground], friction: {mu: 0.3}}
connect: [world.frame -- drop.frame_a, drop.frame_b -- box.frame_a]
simulation: {stop: 0.1 s, step: 1 ms}
"""


def test_shapes_that_touch_are_form_and_their_laws_are_numbers() -> None:
    """In any order: a body keeps its shape for others when its mass has been set."""
    diagram = luff.loads(BOX)
    numbers, given = Parameters(started(flatten(diagram))), dict[str, object]()
    for path, value, short in (
        ("box.mass", 3.0, True),
        ("rest.law.stiffness", 2e5, True),
        ("rest.friction.mu", 0.2, True),
        ("box.shape.size", [0.4, 0.3, 0.4], False),
        ("ground.shape.at", [0.0, 0.0, 0.1], False),
        ("rest.friction.mu", 0.0, False),
    ):
        made = numbers.with_values(diagram, given, {path: value})
        assert (made is not None) == short, path
        if made is not None:
            given[path] = value
            assert alike(made, started(flatten(diagram, given))), path
            numbers = numbers.moved(made, {path: value})
    # by the command as well: a box that is twice as high rests 0.1 m higher, and starts where it stands
    sim = luff.compile(diagram, **{"drop.initial.position": [0, 0, 0.2]})
    for path, value in (("box.mass", 3.0), ("box.shape.size", [0.4, 0.3, 0.4])):
        sim.set(path, value)
    fresh = luff.compile(diagram, **sim.overrides)
    assert sim.run().table.tobytes() == fresh.run().table.tobytes()


def test_a_start_that_signals_move_is_found_anew() -> None:
    """A closed mechanism whose kinematics follows a signal: the numbers of the signal, and a mass beside it."""
    (path,) = (path for path in EXAMPLES if path.stem == "programmed_constraint")
    diagram = luff.load(path)
    numbers = Parameters(started(flatten(diagram)))
    fed = numbers.program.constraints.rows and fed_blocks(numbers.program.described)
    assert fed
    moving = 0
    for parameter, value in numbers_of(numbers.program.flat.blocks):
        new = moved(value, 0.01, 0.01)
        made = numbers.with_values(diagram, {}, {parameter: new})
        if made is not None:
            assert differing(made, started(flatten(diagram, {parameter: new}))) == [], parameter
            moving += (
                parameter.rpartition(".")[0] in fed
                and made.starts[0].origin is not numbers.program.starts[0].origin
            )
    assert moving > 0
