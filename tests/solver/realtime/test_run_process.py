"""A run in a process of its own: what it says is what a run in this one gives, and its end is heard of."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.realtime import run_process as engines
from luff.solver.realtime.messages import (
    LiveRules,
    OperatorDone,
    RunNews,
    RunOrder,
    RunProgress,
    SetInput,
    SetParameter,
)
from luff.solver.realtime.pickle_channel import LENGTH, PickleChannel, with_length
from luff.solver.realtime.run_process import RunProcess
from luff.solver.realtime.served_run import ServedRun
from luff.solver.simulation import simulation
from luff.solver.simulation.operator_log import OperatorLog
from luff.solver.simulation.operator_log_file import surviving_log

SLIDE = """
luff: 1
name: slide
inputs: {push: {default: 1}}
blocks:
  slide: {type: prismatic, axis: x, damping: 3, stiffness: 20}
  body: {type: rigid_link, mass: 2}
connect:
  - world.frame -- slide.frame_a
  - slide.frame_b -- body.frame_a
  - inputs.push -> slide.effort
simulation: {stop: 0.5, step: 1 ms}
"""
Words = list[tuple[str, object]]


def order(folder: Path, going: bool = True, rule: LiveRules | None = None) -> RunOrder:
    sim = luff.compile(luff.loads(SLIDE))
    return RunOrder(pickle.dumps(sim), folder, rule or LiveRules(), going, frozenset({"push"}))


def table(words: Words) -> np.ndarray:
    return np.vstack([news.rows for _, news in words if isinstance(news, RunNews)])


@pytest.fixture
def engine() -> Iterator[RunProcess]:
    made = RunProcess()
    yield made
    made.end()


def test_rows_of_an_engine_are_those_of_a_run_here_and_it_serves_again(
    engine: RunProcess, tmp_path: Path
) -> None:
    wanted = luff.compile(luff.loads(SLIDE)).run()
    for _ in range(2):
        engine.send("run", order(tmp_path))
        words = [*engine.words()]
        assert table(words).tobytes() == wanted.table.tobytes()
        assert [word for word in words if word[0] == "finished"] == [("finished", "finished")]
        assert luff.read(tmp_path / "run-1.h5").table.tobytes() == wanted.table.tobytes()


def test_engine_that_is_killed_says_no_more_and_leaves_its_rows_and_its_drive(
    engine: RunProcess, tmp_path: Path
) -> None:
    engine.send("run", order(tmp_path, rule=LiveRules(speed=0.1)))
    words: Words = []
    given = 0
    for word in engine.words():
        words.append(word)
        if isinstance(word[1], RunNews):
            done = word[1].course.done
            if not given and done > 3:
                engine.send("give", SetInput("push", 4.0))
                engine.send("set", SetParameter("body.mass", 3.0))
                given = done
            elif given and done > given + 10:
                engine.kill()
    assert words[-1][0] != "over"
    assert engine.end() == "by SIGKILL"
    assert len(luff.read(tmp_path / "run-1.h5").time) > 3
    kept = surviving_log(tmp_path)
    assert kept is not None
    drive = OperatorLog.read(kept)
    assert drive.names == ["push", "parameters.body.mass"]
    assert drive.values[-1].tolist() == [4.0, 3.0]


def test_engine_is_kept_ready_and_one_that_died_is_not_taken() -> None:
    engines.end_prestarted()
    engines.prestart()
    first = engines.acquire()
    engines.release(first)
    assert engines.acquire() is first
    first.kill()
    first.process.wait()
    engines.release(first)
    other = engines.acquire()
    assert other is not first
    other.end()


class Here:
    """The other end of a channel in this process: all orders come first, and words are read at the end."""

    def __init__(self) -> None:
        (self.hears, self._orders), (self._words, self.says) = os.pipe(), os.pipe()
        self.channel = PickleChannel(self.hears, self.says)

    def order(self, *words: tuple[str, object]) -> None:
        os.write(self._orders, b"".join(with_length(*word) for word in words))

    def said(self) -> Words:
        os.close(self.says)
        with os.fdopen(self._words, "rb") as file:
            data, words = file.read(), []
        while data:
            end = LENGTH.size + LENGTH.unpack_from(data)[0]
            words.append(pickle.loads(data[LENGTH.size : end]))
            data = data[end:]
        os.close(self.hears)
        os.close(self._orders)
        return words


def test_orders_are_done_in_their_turn(tmp_path: Path) -> None:
    """Of a run that stands: a step, a new value of a parameter and of an input, another step, and the end."""
    here = Here()
    heard = [("heard", None)] * 9
    step, give = ("step", None), ("give", SetInput("push", 4.0))
    here.order(*heard, step, ("set", SetParameter("body.mass", 4.0)), give, step, ("nonsense", None), *heard)
    here.order(("set", SetParameter("body.mass", -1.0)))
    going = ServedRun(order(tmp_path, going=False), here.channel)
    obeyed: list[str] = []
    listen = going.listen

    def end_where_all_is_done(seconds: float = 0.0) -> None:
        obeyed.append("")
        if len(obeyed) > 2:
            here.order(("quit", None))
        listen(seconds)

    going.listen = end_where_all_is_done
    going.work()
    words = here.said()
    # v' = F/m: 1 N on 2 kg, then 4 N on 4 kg, a millisecond each
    course = next(detail for _, detail in words if isinstance(detail, RunProgress))
    speed = table(words)[:, course.columns.index("slide.velocity")]
    np.testing.assert_allclose(speed, [0.0, 0.5e-3, 1.5e-3], rtol=3e-3)  # the damper takes 0.15 % of it
    (done,) = [detail for _, detail in words if isinstance(detail, OperatorDone)]
    assert done.drive.names == ["push", "parameters.body.mass"]
    np.testing.assert_allclose(done.drive.values[-1], [4.0, -1.0])
    assert any(what == "failed" and "mass" in str(detail) for what, detail in words)
    assert [detail for what, detail in words if what == "state"] == ["paused", "finished"]
    assert words[-1] == ("finished", "cancelled")


def test_first_change_beside_the_clock_reads_no_netlist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it takes to know its places has been done before the clock began."""
    here, asked, heard = Here(), [], []
    going = ServedRun(order(tmp_path, rule=LiveRules(speed=1.0)), here.channel)
    flatten, listen = simulation.flatten, going.listen

    def note(diagram: object, overrides: object) -> object:
        if not going.quits:  # a result tells of the model as it was at the end
            asked.append(overrides)
        return flatten(diagram, overrides)

    def change_and_end(seconds: float = 0.0) -> None:
        heard.append(seconds)
        if len(heard) == 3:  # behind the first steps
            monkeypatch.setattr(simulation, "flatten", note)
            here.order(("set", SetParameter("body.mass", 4.0)), ("set", SetParameter("body.mass", 5.0)))
        elif len(heard) == 4:
            here.order(("quit", None))
        listen(seconds)

    going.listen = change_and_end
    going.work()
    words = here.said()
    assert not any(what == "failed" for what, _ in words)
    (done,) = [detail for _, detail in words if isinstance(detail, OperatorDone)]
    assert done.drive.values[-1].tolist() == [1.0, 5.0]
    assert done.drive.times[-1] > 0.0
    assert asked == []


def test_full_recording_holds_the_run_until_it_is_stopped(tmp_path: Path) -> None:
    here = Here()
    run = ServedRun(order(tmp_path, rule=LiveRules(limit=0.0)), here.channel)
    listen = run.listen

    def end_where_it_stands(seconds: float = 0.0) -> None:
        if not run.goes:
            here.order(("quit", None))
        listen(seconds)

    run.listen = end_where_it_stands
    run.work()
    words = here.said()
    assert [detail for what, detail in words if what == "state"] == ["running", "paused", "finished"]
    assert any(what == "full" and "reached 0 GB" in str(detail) for what, detail in words)
    assert len(luff.read(tmp_path / "run-1.h5").time) == 1
