"""A stand without a hand: devices that are pipes, clocks that tests turn."""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.blocks import LuffError
from luff.solver.realtime import evdev
from luff.solver.realtime.evdev import EVENT, Evdev
from luff.solver.realtime.operator_stand import LOOK_AGAIN, OperatorStand
from luff.solver.simulation.operator_log import OperatorLog, OperatorRecorder, OperatorReplay
from luff.tests.process import call
from luff.tests.solver.realtime.fake_clock import Clock

SLIDE = """
luff: 1
name: slide
blocks:
  levers: {type: joystick, axes: [x, ry], scale: [30, 2], dead_band: 0.1, expo: 0.3, TIMEOUT}
  grip: {type: joystick_buttons, buttons: [1, 2]}
  slide: {type: prismatic, axis: x, damping: 3, stiffness: 20}
  body: {type: rigid_link, mass: 2}
connect:
  - world.frame -- slide.frame_a
  - slide.frame_b -- body.frame_a
  - levers.y[0] -> slide.effort
simulation: {stop: 2, step: 1 ms}
"""


def simulation(timeout: str = "") -> luff.Simulation:
    return luff.compile(luff.loads(SLIDE.replace(", TIMEOUT", f", {timeout}" if timeout else "")))


class Pipe:
    """A joystick's other end."""

    def __init__(self, path: Path):
        self.path = path
        os.mkfifo(path)
        # open for both ways, so that it waits for nobody; nobody reads here
        self.file = os.open(path, os.O_RDWR | os.O_NONBLOCK)

    def say(self, *events: tuple[int, int, int]) -> None:
        os.write(self.file, b"".join(EVENT.pack(0, 0, *event) for event in (*events, (0, 0, 0))))

    def axis(self, code: int, share: float) -> None:
        self.say((evdev.ABS, code, round(32767 * share)))

    def end(self) -> None:
        os.close(self.file)
        self.file = -1


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Pipe]:
    made = Pipe(tmp_path / "event0")
    yield made
    if made.file >= 0:
        made.end()


def test_device_gives_axes_and_buttons(pipe: Pipe) -> None:
    device = Evdev(pipe.path)
    assert (device.position("x"), device.held(1)) == (0.0, False)
    pipe.say((evdev.ABS, 0, 32767), (evdev.ABS, 4, -16384), (evdev.KEY, 0x120, 1), (evdev.KEY, 0x121, 1))
    pipe.say((evdev.KEY, 0x121, 0), (2, 0, 5))
    assert device.read() == 8
    assert device.position("x") == 1.0
    assert device.position("ry") == pytest.approx(-0.5, abs=1e-4)  # 16384 of 32767
    assert [device.held(k) for k in (1, 2, 3)] == [True, False, False]
    pipe.say((evdev.ABS, 0, -40000))
    device.read()
    assert device.position("x") == -1.0
    assert device.read() == 0
    pipe.end()
    with pytest.raises(OSError, match="nobody writes"):
        device.read()
    device.close()


def test_ranges_and_buttons_are_those_that_the_kernel_tells(
    pipe: Pipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The numbers of linux/input.h: EVIOCGNAME, EVIOCGBIT, EVIOCGABS; struct input_absinfo of six ints."""
    asked = []

    def ioctl(file: int, number: int, data: bytes) -> bytes:
        asked.append(number)
        answers: dict[int, bytes] = {
            0x81004506: b"Crane chair\0",
            0x80604521: bytes(0x120 // 8) + b"\x05",  # keys 0x120 and 0x122
            0x80604523: b"\x03",  # axes 0 and 1
            0x80184540: struct.pack("6i", 768, 0, 1023, 0, 0, 0),
            0x80184541: struct.pack("6i", 0, 0, 1023, 0, 0, 0),
        }
        if number not in answers:
            raise OSError
        return answers[number].ljust(len(data), b"\0")

    monkeypatch.setattr("fcntl.ioctl", ioctl)
    device = Evdev(pipe.path)
    assert device.name == "Crane chair"
    assert device.is_joystick
    assert device.position("x") == pytest.approx(2 * 768 / 1023 - 1)
    assert device.position("y") == -1.0
    pipe.say((evdev.KEY, 0x122, 1))
    device.read()
    assert [device.held(k) for k in (1, 2, 3)] == [False, True, False]
    # the queue ran over: the kernel is asked anew
    before = len(asked)
    pipe.say((evdev.SYN, evdev.DROPPED, 0))
    device.read()
    assert {0x80184540, 0x80184541, 0x80604518} <= {*asked[before:]}
    assert not device.held(2)
    assert evdev.choose("chair", pipe.path.parent).name == "Crane chair"
    assert evdev.choose("0", pipe.path.parent).name == "Crane chair"
    with pytest.raises(LuffError, match=r'no joystick called "pedal" \(there are: Crane chair\)'):
        evdev.choose("pedal", pipe.path.parent)
    device.close()


def test_keyboards_are_no_joysticks(pipe: Pipe) -> None:
    """What has neither an axis x nor a joystick's buttons is not read, whatever a netlist names."""
    with pytest.raises(LuffError, match="there is no joystick that can be read"):
        evdev.choose("", pipe.path.parent)


def test_stand_gives_what_the_device_says(pipe: Pipe) -> None:
    session = simulation().start()
    stand = OperatorStand(session, {"": pipe.path}, Clock())
    pipe.axis(0, 1.0)
    pipe.say((evdev.KEY, 0x121, 1))
    stand.give()
    session.advance(steps=1)
    assert session.sim.signal_names  # by name, in the order of the inputs
    values = dict(zip(session.sim.inputs, session.inputs.tolist(), strict=True))
    assert values == {
        "levers_u[0]": 1.0,
        "levers_u[1]": 0.0,
        "levers_lost": 0.0,
        "grip_u[0]": 0.0,
        "grip_u[1]": 1.0,
        "grip_lost": 0.0,
    }
    assert len(stand.hands) == 1  # one device for both blocks
    stand.close()


def test_device_that_is_gone_is_lost_and_found_again(pipe: Pipe) -> None:
    session, clock = simulation().start(), Clock()
    stand = OperatorStand(session, {"": pipe.path}, clock)
    pipe.axis(0, 1.0)
    stand.give()
    names = session.sim.inputs
    at = names.index("levers_lost")
    assert session.inputs[at] == 0.0
    pipe.end()
    stand.give()
    assert session.inputs[at] == 1.0
    assert [*stand.lost()] == [
        "levers: no device, its outputs go to rest: nobody writes",
        "grip: no device, its outputs go to rest: nobody writes",
    ]
    pipe.file = os.open(pipe.path, os.O_RDWR | os.O_NONBLOCK)
    pipe.axis(0, -0.5)
    stand.give()
    assert session.inputs[at] == 1.0  # it is not looked for at each step
    clock.turn(LOOK_AGAIN)
    stand.give()
    assert session.inputs[at] == 0.0
    assert session.inputs[0] == pytest.approx(-0.5, abs=1e-4)
    stand.close()


def test_what_was_held_when_a_device_went_is_not_held_when_it_comes_back(pipe: Pipe) -> None:
    """Nothing has to come from it: it is asked how it stands. A lever that is pushed then waits for its middle."""
    sim, clock = simulation(), Clock()
    session = sim.start()
    stand = OperatorStand(session, {"": pipe.path}, clock)

    def go_on() -> tuple[float, float]:
        stand.give()
        session.advance(steps=2)
        last = dict(zip(session.columns, session.take()[1][-1], strict=True))
        return last["levers.y[0]"], last["grip.y[0]"]

    pipe.axis(0, 1.0)
    pipe.say((evdev.KEY, 0x120, 1))
    assert go_on() == (30.0, 1.0)
    pipe.end()
    assert go_on() == (0.0, 0.0)
    pipe.file = os.open(pipe.path, os.O_RDWR | os.O_NONBLOCK)
    clock.turn(LOOK_AGAIN)
    assert go_on() == (0.0, 0.0)
    assert not session.inputs.any()  # neither lost nor as it was before
    pipe.axis(0, 1.0)
    assert go_on() == (30.0, 0.0)
    pipe.end()
    assert go_on() == (0.0, 0.0)
    pipe.file = os.open(pipe.path, os.O_RDWR | os.O_NONBLOCK)
    pipe.axis(0, 0.9)
    clock.turn(LOOK_AGAIN)
    assert go_on() == (0.0, 0.0)
    pipe.axis(0, 0.0)
    assert go_on() == (0.0, 0.0)
    pipe.axis(0, 1.0)
    assert go_on() == (30.0, 0.0)
    assert "levers: the device was lost" in " ".join(map(str, session.remarks))
    stand.close()


def test_silent_device_is_lost_after_its_timeout(pipe: Pipe) -> None:
    session, clock = simulation("timeout: 0.2 s").start(), Clock()
    stand = OperatorStand(session, {"": pipe.path}, clock)
    levers, grip = (session.sim.inputs.index(f"{name}_lost") for name in ("levers", "grip"))

    def lost() -> list[float]:
        stand.give()
        return session.inputs[[levers, grip]].tolist()

    pipe.axis(0, 0.5)
    assert lost() == [0.0, 0.0]
    clock.turn(0.19)
    assert lost() == [0.0, 0.0]
    clock.turn(0.02)
    assert lost() == [1.0, 0.0]  # the other block lets its device be silent
    pipe.axis(0, 0.5)
    assert lost() == [0.0, 0.0]
    stand.close()


def test_wrong_device_is_told(tmp_path: Path) -> None:
    session = simulation().start()
    with pytest.raises(LuffError, match=r'no joystick "lever" that devices drive.*levers'):
        OperatorStand(session, {"lever": tmp_path})
    stand = OperatorStand(session, {"": tmp_path / "none"})
    stand.give()
    assert "No such file" in next(stand.lost())


@pytest.mark.parametrize(("platform", "name"), [("win32", "Windows"), ("darwin", "macOS")])
def test_systems_without_evdev_are_told(platform: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By name and by file alike: the run goes on without its device, and says why."""
    monkeypatch.setattr(evdev.sys, "platform", platform)
    for paths in ({}, {"": "/dev/input/event5"}):
        stand = OperatorStand(simulation().start(), paths)
        stand.give()
        told = [*stand.lost()]
        assert len(told) == 2
        assert all(f"joysticks are read on Linux alone, and this is {name}" in line for line in told)
        assert all("the levers of the dashboard" in line for line in told)


def test_run_that_is_driven_and_kept_gives_the_same_bits_again(tmp_path: Path) -> None:
    """Inputs and parameters at random steps, chunks of any length, through each format that carries them."""
    rng = np.random.default_rng(5)
    sim = simulation()
    session = sim.start()
    record = OperatorRecorder(session)
    while session.status == "running":
        if rng.random() < 0.5:
            session.give({"levers_u": rng.uniform(-1, 1, 2), "levers_lost": float(rng.random() < 0.1)})
        if rng.random() < 0.1:
            damping = float(rng.uniform(1, 9))
            sim.set("slide.damping", damping)
            record.note_set("slide.damping", damping)
        record.note()
        session.advance(steps=int(rng.integers(1, 40)))
    driven = session.take()[1].tobytes()
    drive = record.drive()
    assert len(drive.times) > 30
    assert "parameters.slide.damping" in drive.names
    for suffix in (".csv", ".h5", ".npz"):
        drive.save(tmp_path / f"drive{suffix}")
        again = simulation()
        replayed = again.start()
        replay = OperatorReplay(replayed, OperatorLog.read(tmp_path / f"drive{suffix}"), again.set)
        while replay.advance(0.01) == "running":
            pass
        assert replayed.take()[1].tobytes() == driven, suffix
    # not the same without the parameter: it is part of what was done
    only = OperatorLog(drive.times, drive.names[:3], drive.values[:, :3])
    again = simulation()
    other = again.start()
    OperatorReplay(other, only, again.set).advance(math.inf)
    assert other.take()[1].tobytes() != driven


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time,other\n0,1\n1,2\n", "no column of the drive has the name of an input"),
        ("time,levers_lost\n0,1\n0,2\n", "expected a column time whose numbers rise"),
        ("hour,levers_lost\n0,1\n", "expected a column time"),
        ("time,levers_lost\n0,0\n1,\n", "line 2 of the drive lacks a number"),
    ],
)
def test_wrong_drive_is_told(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "drive.csv").write_text(text)
    (tmp_path / "slide.yaml").write_text(SLIDE.replace(", TIMEOUT", ""))
    done = call("run", "slide.yaml", "--replay", "drive.csv", cwd=tmp_path, code=1)
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_units_of_a_drive_count(tmp_path: Path) -> None:
    """The same lever by the clock in seconds, and in milliseconds as another program may have written it."""
    (tmp_path / "slide.yaml").write_text(SLIDE.replace(", TIMEOUT", ""))
    runs = []
    for name, text in {
        "s.csv": "time [s],levers_u[0],levers_u[1],levers_lost\n0,0.5,0,0\n0.1,-1,0,0\n",
        "ms.csv": "time [ms],levers_u[0],levers_u[1],levers_lost\n0,0.5,0,0\n100,-1,0,0\n",
    }.items():
        (tmp_path / name).write_text(text)
        call("run", "slide.yaml", "--stop", "0.3", "--replay", name, "-o", "out.h5", cwd=tmp_path)
        runs.append(luff.read(tmp_path / "out.h5").table.copy())
    assert runs[0].tobytes() == runs[1].tobytes()
    (tmp_path / "m.csv").write_text("time [m],levers_lost\n0,1\n1,0\n")
    done = call("run", "slide.yaml", "--replay", "m.csv", cwd=tmp_path, code=1)
    assert "the column time is in m, expected s" in done.stderr


def test_operator_by_the_command_line(pipe: Pipe, tmp_path: Path) -> None:
    """Driven through a pipe and kept; done again it gives the same bits; the device that ends is told both times."""
    (tmp_path / "slide.yaml").write_text(SLIDE.replace(", TIMEOUT", ""))
    pipe.axis(0, 0.7)
    pipe.axis(4, -1.0)
    run = ("run", "slide.yaml", "--stop", "0.3")
    driven = call(
        *run, "--realtime", "--joystick", pipe.path, "--keep", "drive.csv", "-o", "one.h5", cwd=tmp_path
    )
    assert "real time: 300 slices, " in driven.stdout
    assert "drive.csv" in driven.stdout
    again = call(*run, "--replay", "drive.csv", "--keep", "again.csv", "-o", "two.h5", cwd=tmp_path)
    assert "real time: " not in again.stdout
    one, two = luff.read(tmp_path / "one.h5"), luff.read(tmp_path / "two.h5")
    assert one.table.tobytes() == two.table.tobytes()
    assert (tmp_path / "drive.csv").read_text() == (tmp_path / "again.csv").read_text()
    assert one["levers.y[1]"][-1] == -2.0
    assert not [*tmp_path.glob("*.partial.h5")]
    # what is done again and kept has its parameters too
    text = (tmp_path / "drive.csv").read_text().splitlines()
    (tmp_path / "set.csv").write_text("\n".join([text[0] + ",parameters.slide.damping", text[1] + ",5"]))
    call(*run, "--replay", "set.csv", "--keep", "again.csv", cwd=tmp_path)
    assert "parameters.slide.damping" in (tmp_path / "again.csv").read_text()
    nobody = call(*run, "--realtime", "--joystick", "none", "-o", "three.h5", cwd=tmp_path)
    assert "levers: no device, its outputs go to rest" in nobody.stderr
    assert "levers: the device was lost at the start" in nobody.stderr
    assert not luff.read(tmp_path / "three.h5")["levers.y"].any()
    for words in (["--joystick", "x"], ["--realtime", "--joystick", "x", "--replay", "drive.csv"]):
        call(*run, *words, cwd=tmp_path, code=2)


def test_script_and_study_do_again_what_was_done(tmp_path: Path) -> None:
    """In all variants; the file's content is part of what a variant's results follow from."""
    text = SLIDE.replace(", TIMEOUT", "")
    (tmp_path / "slide.yaml").write_text(text)
    (tmp_path / "drive.csv").write_text("time,levers_u[0],levers_u[1]\n0,0.5,0\n0.75,-1,0\n")
    result = luff.compile(luff.loads(text)).run(replay=tmp_path / "drive.csv")
    lever = result["levers.y[0]"]
    assert lever[751] == -30.0
    assert lever[750] == lever[1] > 0.0
    (tmp_path / "study.yaml").write_text(
        "luff: 1\nmodel: ./slide.yaml\nreplay: drive.csv\nvariants: {grid: {slide.damping: [3, 6]}}\n"
        "tables: [{title: Ends, columns: [{title: last, metric: final, of: slide.position}]}]\n"
    )
    results = luff.study(tmp_path / "study.yaml", tmp_path / "out.h5")
    one, other = (results[name]["slide.position"] for name in results.names)
    assert one.tobytes() == result["slide.position"].tobytes()
    assert other[-1] != one[-1]
    (tmp_path / "drive.csv").write_text("time,levers_u[0],levers_u[1]\n0,0,0\n0.75,-1,0\n")
    again = luff.study(tmp_path / "study.yaml", tmp_path / "out.h5")
    assert not again[again.names[0]]["slide.position"][:700].any()
    (tmp_path / "drive.csv").unlink()
    with pytest.raises(LuffError, match=r"study.yaml:3.*there is no such file"):
        luff.study(tmp_path / "study.yaml", tmp_path / "out.h5")
