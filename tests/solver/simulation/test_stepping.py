"""Sessions that a script drives: single steps, marks, resets, threads, other processes; bit for bit throughout."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.simulation.session import Session
from luff.solver.simulation.simulation import Simulation
from luff.tests.conftest import sized

ROOT = Path(luff.__file__).parent
LIBRARY = {
    path.stem: path
    for path in [*sorted((ROOT / "library").glob("c*.yaml")), *sorted((ROOT / "library").glob("m*.yaml"))]
    if "\nports:" not in path.read_text(encoding="utf-8")
} | {"pendulum": ROOT / "library" / "templates" / "pendulum.yaml"}
STEPS = int(sized(60, 6))

CART = """
luff: 1
inputs:
  force: {unit: N, default: 1}
  wind: {width: 2, unit: N}
blocks:
  rail: {type: prismatic, axis: x}
  cart: {type: rigid_link, mass: 2}
  all: {type: sum, signs: +++}
  hold: {type: zero_order_hold, sample_time: 0.03}
  x: {type: integrator}
connect:
  - world.frame -- rail.frame_a
  - rail.frame_b -- cart.frame_a
  - inputs.force -> all.u1
  - inputs.wind[0] -> all.u2
  - inputs.wind[1] -> all.u3
  - all.y -> rail.effort
  - rail.velocity -> hold.u
  - hold.y -> x.u
outputs: {place: rail.position, speed: rail.velocity, sum: x.y, push: inputs.wind}
simulation: {stop: 1, step: 0.01}
"""


def cart() -> Simulation:
    return luff.compile(luff.loads(CART))


def test_inputs_hold_from_one_step_to_the_next_and_outputs_are_those_after_it() -> None:
    sim = cart()
    assert sim.inputs == ["force", "wind[0]", "wind[1]"]
    assert sim.outputs == ["place", "speed", "sum", "push[0]", "push[1]"]
    session = sim.start()
    np.testing.assert_array_equal(session.inputs, [1.0, 0.0, 0.0])
    speed, found = 0.0, session.outputs
    forces = [None, [3, 0, 0], None, {"force": -2.0, "wind": [1, 5]}, {"wind[1]": 0.5}, np.zeros(3)]
    acting = [1.0, 3.0, 3.0, 4.0, -0.5, 0.0]
    for given, force in zip(forces, acting, strict=True):
        found = session.step(given)
        # constant force within a step: RK4 has no error but rounding
        speed += 0.01 * force / 2.0
        assert found[1] == pytest.approx(speed, rel=1e-13)
    assert session.time == pytest.approx(0.06)
    np.testing.assert_array_equal(session.outputs, found)


@pytest.mark.parametrize("name", LIBRARY)
def test_single_steps_marks_resets_and_twins_give_the_bits_of_a_run(name: str) -> None:
    sim = luff.compile(LIBRARY[name])
    h = sim.settings.step
    whole = sim.start(stop=4 * STEPS * h)
    assert whole.advance(steps=2 * STEPS) == "running"

    single = sim.start(stop=4 * STEPS * h)  # a twin of the start that the first has found
    for _ in range(STEPS):
        single.step()
    mark = single.snapshot()
    rows = [single.step() for _ in range(STEPS)]
    np.testing.assert_array_equal(single.x, whole.x)
    single.restore(mark)
    np.testing.assert_array_equal([single.step() for _ in range(STEPS)], rows)

    other = sim.start(stop=4 * STEPS * h)
    other.restore(mark)
    assert other.time == pytest.approx(STEPS * h)
    other.advance(steps=STEPS)
    np.testing.assert_array_equal(other.x, whole.x)
    other.reset()
    for _ in range(2 * STEPS // 3):
        other.advance(steps=3)
    np.testing.assert_array_equal(other.x, whole.x)


@pytest.mark.parametrize("method", ["heun", "implicit", "dop853"])
def test_every_method_steps_and_goes_back(method: str) -> None:
    sim = cart()
    session = sim.start(method=method, stop=0.5)
    session.step([1, 0, 0])
    mark = session.snapshot()
    rows = [session.step({"force": k}) for k in range(5)]
    session.restore(mark)
    np.testing.assert_array_equal([session.step({"force": k}) for k in range(5)], rows)
    # the speed is the impulse over the mass, whatever the method: the force is constant within a step
    assert rows[-1][1] == pytest.approx(0.01 * (1 + sum(range(5))) / 2, rel=1e-8)


def test_a_mark_brings_back_inputs_parameters_and_rows() -> None:
    sim = cart()
    session = sim.start(stop=0.2)
    session.step([5, 1, 2])
    session.advance(steps=4)
    mark = session.snapshot()
    expected = session.sim.start(stop=0.2)
    expected.restore(mark)
    expected.advance(steps=3)
    sim.set("cart.mass", 50.0)
    session.step([-9, 0, 0])
    session.advance(steps=2)
    session.restore(mark)
    np.testing.assert_array_equal(session.inputs, [5, 1, 2])
    times, _ = session.take()
    assert times[-1] == pytest.approx(0.05)  # nothing of what has been undone
    session.advance(steps=3)
    np.testing.assert_array_equal(session.x, expected.x)


def test_a_reset_takes_what_has_been_set_and_compiles_nothing() -> None:
    sim = cart()
    session = sim.start(stop=0.2)
    first = [session.step({"force": 4}) for _ in range(5)]
    at_start = session.reset()
    np.testing.assert_array_equal(at_start, [0, 0, 0, 0, 0])
    np.testing.assert_array_equal(session.inputs, [1, 0, 0])
    np.testing.assert_array_equal([session.step({"force": 4}) for _ in range(5)], first)
    sim.set("cart.mass", 4.0)
    session.reset()
    again = [session.step({"force": 4}) for _ in range(5)]
    np.testing.assert_allclose(np.array(again)[:, 1], np.array(first)[:, 1] / 2, rtol=1e-13)
    sim.set("x.initial", 3.0)
    assert session.reset()[2] == 3.0
    sim.set("hold.sample_time", 0.05)
    session.reset()
    fresh = sim.start(stop=0.2)
    np.testing.assert_array_equal([session.step() for _ in range(9)], [fresh.step() for _ in range(9)])


def test_a_start_that_is_known_is_no_other_than_the_first() -> None:
    sim = luff.compile(LIBRARY["crane_gpme"])
    first, known = sim.start(), sim.start()
    assert known.notes == first.notes
    assert known.energy_start == first.energy_start
    stop = STEPS * sim.settings.step
    one, two = luff.compile(LIBRARY["crane_gpme"]).run(stop=stop), sim.run(stop=stop)
    np.testing.assert_array_equal(one.table, two.table)
    assert one.quality == two.quality


def test_an_initial_state_that_is_written_is_where_the_next_run_begins() -> None:
    sim = cart()
    assert sim.start().outputs[0] == 0.0
    sim.x0[sim.state_names.index("rail.position")] = 0.25
    assert sim.start().outputs[0] == 0.25


def test_of_a_trajectory_the_value_is_the_output() -> None:
    sim = luff.compile(luff.loads(CART.replace("place: rail.position", "place: rail.trajectory")))
    assert sim.outputs == ["place", "speed", "sum", "push[0]", "push[1]"]
    assert sim.start().step([200, 0, 0])[0] == pytest.approx(200 / 2 * 0.01**2 / 2, rel=1e-12)


def test_evaluations_in_threads_do_not_meet() -> None:
    sim = luff.compile(ROOT / "library" / "templates" / "crane.yaml")
    states = [sim.x0 + 0.01 * k for k in range(6)]
    expected = [sim.derivative(0.1 * k, x) for k, x in enumerate(states)]
    wrong: list[int] = []

    def look(k: int) -> None:
        for _ in range(int(sized(1500, 3))):
            if not np.array_equal(sim.derivative(0.1 * k, states[k]), expected[k]):
                wrong.append(k)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # threads change within an evaluation
    try:
        threads = [threading.Thread(target=look, args=(k,)) for k in range(len(states))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert not wrong


WRONG = [
    (lambda s: s.step([1, 2]), "found 2 inputs, expected 3", "force, wind[0], wind[1]"),
    (lambda s: s.step({"forse": 1}), 'no input "forse"', "force"),
    (lambda s: s.restore(cart().start(step=0.02).snapshot()), "rk4 with a step of 0.02 s", "rk4 with 0.01 s"),
    (lambda s: s.restore(luff.compile(LIBRARY["pendulum"]).start().snapshot()), "another model", "snapshots"),
    (lambda s: [s.step() for _ in range(101)], "finished at t = 1 s", "reset()"),
    (lambda s: s.step([np.nan, 0, 0]), "found nan at t = 0 s, expected a finite number", "inputs.force"),
]


@pytest.mark.parametrize(("do", "what", "fix"), WRONG)
def test_wrong_use_is_one_clear_error(do, what: str, fix: str) -> None:
    with pytest.raises(luff.RunError) as caught:
        do(cart().start())
    assert what in str(caught.value)
    assert fix in str(caught.value)


def test_a_session_that_two_threads_drive_is_an_error_and_no_wrong_number() -> None:
    sim = luff.compile(ROOT / "library" / "templates" / "crane.yaml")
    session = sim.start(stop=1e6)
    lonely = sim.start(stop=1e6)
    started, errors = threading.Event(), []

    def drive() -> None:
        started.set()
        while not errors and session.time < 1e4:
            session.advance(steps=int(sized(20_000, 20)))

    thread = threading.Thread(target=drive)
    thread.start()
    started.wait()
    while not errors and thread.is_alive():
        try:
            session.snapshot()
        except luff.RunError as error:
            errors.append(error)
    thread.join()
    assert errors
    assert "another thread" in str(errors[0])
    while lonely.done < session.done:
        lonely.advance(steps=session.done - lonely.done)
    np.testing.assert_array_equal(session.x, lonely.x)


@pytest.mark.parametrize("name", ["crane_gpme", "crane_overhead_planner"])
def test_eight_threads_on_eight_sessions_get_the_bits_of_one(name: str) -> None:
    sim = luff.compile(LIBRARY[name])
    h, count = sim.settings.step, int(sized(400, 4))
    session = sim.start(stop=2 * count * h)
    expected = [session.step() for _ in range(count)]
    signals = [*sim.evaluate().values()]
    at_start = sim.derivative(0.0, sim.x0)
    wrong: list[str] = []

    def drive(k: int) -> None:
        for _ in range(3):
            mine = sim.start(stop=2 * count * h)
            if k % 2:
                found = [mine.step() for _ in range(count)]
                if not np.array_equal(found, expected):
                    wrong.append(f"thread {k}: steps")
            else:
                mine.advance(steps=count)
                if not np.array_equal(mine.outputs, expected[-1]):
                    wrong.append(f"thread {k}: chunks")
            # single evaluations have arrays of their own in each thread
            if not np.array_equal([*sim.evaluate().values()], signals):
                wrong.append(f"thread {k}: evaluate")
            if not np.array_equal(sim.derivative(0.0, sim.x0), at_start):
                wrong.append(f"thread {k}: derivative")

    threads = [threading.Thread(target=drive, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


READ = """
import pickle, sys
sim = pickle.load(open(sys.argv[1], "rb"))
sys.stdout.buffer.write(pickle.dumps((sim.run(stop=0.2).table, sim.inputs, sim.overrides)))
"""


@pytest.mark.parametrize("name", [*LIBRARY, "cart"])
def test_a_simulation_travels_to_another_process_without_its_files(name: str, tmp_path: Path) -> None:
    text = CART if name == "cart" else LIBRARY[name].read_text(encoding="utf-8")
    folder = tmp_path / "gone"
    folder.mkdir()
    (folder / "model.yaml").write_text(text)
    sim = luff.compile(luff.load(folder / "model.yaml", files=[ROOT / "library"]))
    if name == "cart":
        sim.set("cart.mass", 7.0)
    sent = pickle.dumps(sim)
    (folder / "model.yaml").unlink()
    stop = 10 * sim.settings.step
    there = pickle.loads(sent)
    np.testing.assert_array_equal(there.run(stop=stop).table, sim.run(stop=stop).table)
    if name == "cart":
        (tmp_path / "sim.pickle").write_bytes(sent)
        done = subprocess.run(
            [sys.executable, "-c", READ, tmp_path / "sim.pickle"], capture_output=True, check=True
        )
        table, inputs, overrides = pickle.loads(done.stdout)
        np.testing.assert_array_equal(table, sim.run(stop=0.2).table)
        assert (inputs, overrides) == (sim.inputs, {"cart.mass": 7.0})


def test_the_interface_is_public() -> None:
    assert luff.Session is Session
