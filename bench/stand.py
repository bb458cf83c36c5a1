"""A run beside the clock, driven by a virtual joystick at 1 kHz: how late steps are, when it stands still, how long a
hand waits for the picture.

    python -m luff.bench.stand [MODEL] [--minutes 10] [--window | --empty] [--json]

A process of its own moves the levers a thousand times a second through a pipe, which are read before each step of 1 ms:
by `luff run --realtime`, whose result is compared with that of what was kept and done again; or with `--window` by a
window with the 3-D view and the dashboard, where ten times a second an event is a mark: from when it was written to the
end of the first painting of the 3-D view whose time is behind the step that took it is the way from hand to picture.
How long the first thread waited for a processor, by the kernel's own account, and how long the host of a virtual
machine gave its processors to others, tell how quiet it was. With `--empty` steps do nothing, and nothing runs beside
them: what the machine allows at all.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np

import luff
from luff.solver.realtime.jitter import LatencyStatistics
from luff.solver.realtime.rt_priority import NoGarbageCollection
from luff.solver.realtime.wall_clock import RealTimePacer
from luff.solver.simulation.session import Session

MODEL = """
luff: 1
name: stand
blocks:
  levers: {type: joystick, axes: [x, y], scale: [2 kN, 2 kN], dead_band: 0.05, expo: 0.3}
  bridge: {type: prismatic, axis: x, damping: 400 N*s/m}
  beam: {type: rigid_link, mass: 500 kg}
  trolley: {type: prismatic, axis: y, damping: 400 N*s/m}
  carriage: {type: rigid_link, mass: 200 kg}
  sway: {type: universal, axis_a: -y, axis_b: x, damping: 20 N*m*s/rad}
  load: {type: rigid_link, mass: 1 t, com: [0, 0, -8], inertia: [100, 100, 100]}
connect:
  - world.frame -- bridge.frame_a
  - bridge.frame_b -- beam.frame_a
  - beam.frame_b -- trolley.frame_a
  - trolley.frame_b -- carriage.frame_a
  - carriage.frame_b -- sway.frame_a
  - sway.frame_b -- load.frame_a
  - levers.y[0] -> bridge.effort
  - levers.y[1] -> trolley.effort
simulation: {stop: 1 h, step: 1 ms, output_step: 20 ms}
"""
HAND = """
import math, sys, time
from luff.solver.realtime.evdev import ABS, EVENT
marks = open(sys.argv[2], "w")
with open(sys.argv[1], "wb", buffering=0) as pipe:
    began, k, mark = time.perf_counter(), 0, 0
    try:
        while True:
            mark += k % 100 == 0
            now = time.perf_counter()
            x = math.sin(0.7 * (now - began)) ** 3
            pipe.write(EVENT.pack(0, 0, ABS, 0, round(32767 * x)) + EVENT.pack(0, 0, ABS, 1, mark))
            if k % 100 == 0:
                print(mark, now, file=marks, flush=True)
            k += 1
            time.sleep(max(0.0, began + 1e-3 * k - time.perf_counter()))
    except BrokenPipeError:
        pass
"""
GOALS = {
    "at most 2 ms late [%]": "99.9",
    "stalls over 50 ms": "0",
    "hand to picture, 99 % [ms]": "100",
}


def waited(pid: int, end: threading.Event, seconds: list[float]) -> None:
    """Time for which the first thread of a process was ready and had no processor, up to its end."""
    while not end.wait(0.2):
        try:
            seconds[0] = int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
        except (OSError, IndexError):
            return


def taken() -> float:
    """Seconds for which the host gave the machine's processors to others, by all of them."""
    fields = Path("/proc/stat").read_text().splitlines()[0].split()
    return int(fields[8]) / os.sysconf("SC_CLK_TCK")


def watched(command: list[str]) -> tuple[str, float]:
    """What a command says, and how long its first thread waited for a processor."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    end, seconds = threading.Event(), [0.0]
    watch = threading.Thread(target=waited, args=(process.pid, end, seconds))
    watch.start()
    said = process.communicate()[0]
    end.set()
    watch.join()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return said, seconds[0]


@contextmanager
def hand(folder: Path) -> Iterator[Path]:
    """The pipe that a hand writes to."""
    pipe = folder / "event0"
    os.mkfifo(pipe)
    process = subprocess.Popen([sys.executable, "-c", HAND, str(pipe), str(folder / "marks")])
    try:
        yield pipe
    finally:
        process.terminate()
        process.wait()


def lateness(report: LatencyStatistics, seconds: float) -> dict[str, object]:
    return {
        "steps": report["slices"],
        "at most 2 ms late [%]": round(100 * report["in_time"], 3),
        "latest [ms]": round(1e3 * report["latest"], 2),
        "mean [ms]": round(1e3 * report["mean"], 3),
        "stalls over 50 ms": report["stalls"],
        "longest gap [ms]": round(1e3 * report["longest_gap"], 2),
        "clock put back [s]": round(report["skipped"], 3),
        "waited for a processor [s]": round(seconds, 2),
    }


def in_terminal(model: Path, minutes: float, folder: Path) -> dict[str, object]:
    run = [sys.executable, "-m", "luff", "run", str(model), "--stop", str(60 * minutes), "--json"]
    with hand(folder) as pipe:
        kept = ["--realtime", "--joystick", str(pipe), "--keep", str(folder / "kept.h5")]
        said, seconds = watched([*run, *kept, "-o", str(folder / "one.h5")])
    again = [*run, "--replay", str(folder / "kept.h5"), "-o", str(folder / "two.h5")]
    subprocess.run(again, check=True, capture_output=True)
    one, two, done = (luff.read(folder / f"{name}.h5") for name in ("one", "two", "kept"))
    told = json.loads(said)
    return {
        **lateness(told["realtime"], seconds),
        "priority": told["priority"],
        "changes of the levers": len(done.time),
        "same bits again": one.table.tobytes() == two.table.tobytes(),
    }


def in_window(model: Path, minutes: float, folder: Path) -> dict[str, object]:
    with hand(folder) as pipe:
        command = [sys.executable, "-m", "luff.bench.stand_window", str(model), str(pipe), str(60 * minutes)]
        said, seconds = watched(command)
    told = json.loads(said)
    ways = 1e3 * np.array(hand_to_picture(folder / "marks", told["marks"], told["pictures"]))
    picture = {
        f"hand to picture, {share} % [ms]": round(float(np.percentile(ways, share)), 1) for share in (50, 99)
    }
    return {
        **lateness(told["report"], told["waited"]),
        "the window waited for one [s]": round(seconds, 2),
        "priority": told["priority"],
        **picture,
        "hand to picture, at most [ms]": round(float(ways.max()), 1),
        "marks": len(ways),
        "pictures a second": round(len(told["pictures"]) / (60 * minutes), 1),
        "painting the 3-D view [ms]": round(1e3 * told["painting"], 1),
    }


@dataclass
class Nothing:
    """A session whose steps do nothing."""

    steps: int
    step_size: float = 1e-3
    done: int = 0
    instance = SimpleNamespace(program=SimpleNamespace(sampled=()))

    @property
    def time(self) -> float:
        return self.done * self.step_size

    @property
    def status(self) -> str:
        return "running" if self.done < self.steps else "ended"

    def advance(self, steps: int) -> None:
        self.done += steps


def empty(minutes: float) -> dict[str, object]:
    pace = RealTimePacer(cast(Session, Nothing(round(60e3 * minutes))))
    with pace, NoGarbageCollection():
        while pace.advance(1.0) == "running":
            pass
        return {**lateness(pace.report(), 0.0), "priority": pace.priority}


def hand_to_picture(marks: Path, acted: list[list[float]], pictures: list[list[float]]) -> list[float]:
    """Of each mark: from when it was written to the first picture of a time behind that at which it acted."""
    written = {int(mark): float(now) for mark, now in map(str.split, marks.read_text().splitlines())}
    moments = [moment for _, moment in pictures]
    ways, known = [], set()
    for value, time in acted:
        mark = round(32767 * value)
        k = bisect_right(moments, time)
        if mark in written and mark not in known and known and k < len(pictures):
            ways.append(pictures[k][0] - written[mark])
        known.add(mark)
    return ways


def measure(options: argparse.Namespace) -> dict[str, object]:
    model, minutes = options.model, options.minutes
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if model is None:
            model = folder / "stand.yaml"
            model.write_text(MODEL)
        # compiled, whatever was known
        warm = [sys.executable, "-m", "luff", "run", str(model), "--stop", "0.1", "--json"]
        subprocess.run(warm, check=True, capture_output=True)
        before = taken()
        if options.empty:
            measured = empty(minutes)
        else:
            measured = (in_window if options.window else in_terminal)(model, minutes, folder)
        return {
            "minutes": minutes,
            **measured,
            "the host took of its processors [s]": round(taken() - before, 2),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "model", nargs="?", type=Path, help="with a joystick of two axes called levers; steps of 1 ms"
    )
    parser.add_argument("--minutes", type=float, default=10.0)
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--window", action="store_true", help="in a window, from hand to picture")
    ways.add_argument("--empty", action="store_true", help="steps that do nothing, with nothing beside them")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    numbers = measure(options)
    if options.json:
        print(json.dumps(numbers))
        return
    for name, value in numbers.items():
        goal = f"   goal {GOALS[name]}" if name in GOALS else ""
        print(f"{name:32} {value!s:>12}{goal}")


if __name__ == "__main__":
    main()
