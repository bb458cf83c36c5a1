"""A run beside the clock, driven by a virtual joystick at 1 kHz: how late its steps are, and what is kept again.

    python -m luff.bench.stand [MODEL] [--minutes 10] [--json]

A process of its own moves the levers a thousand times a second through a pipe; `luff run --realtime` reads them before
each step of 1 ms. How long the run's thread waited for a processor, by the kernel's own account, tells how busy the
machine was. At the end what was kept is done again, and both results are compared by their bits.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import luff

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
simulation: {step: 1 ms, output_step: 20 ms}
"""
HAND = """
import math, sys, time
from luff.solver.stand.evdev import ABS, EVENT
with open(sys.argv[1], "wb", buffering=0) as pipe:
    began, k = time.perf_counter(), 0
    try:
        while True:
            t = time.perf_counter() - began
            places = (math.sin(0.7 * t) ** 3, math.sin(1.1 * t + 1) ** 3)
            pipe.write(b"".join(EVENT.pack(0, 0, ABS, k, round(32767 * x)) for k, x in enumerate(places)))
            k += 1
            time.sleep(max(0.0, began + 1e-3 * k - time.perf_counter()))
    except BrokenPipeError:
        pass
"""


def waited(pid: int, end: threading.Event, seconds: list[float]) -> None:
    """Time for which the first thread of a process was ready and had no processor, up to its end."""
    while not end.wait(0.2):
        try:
            seconds[0] = int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
        except (OSError, IndexError):
            return


def measure(model: Path | None, minutes: float) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pipe = folder / "event0"
        if model is None:
            model = folder / "stand.yaml"
            model.write_text(MODEL)
        run = [sys.executable, "-m", "luff", "run", str(model), "--stop", str(60 * minutes), "--json"]
        subprocess.run(
            [*run, "--stop", "0.1"], check=True, capture_output=True
        )  # compiled, whatever was known
        os.mkfifo(pipe)
        hand = subprocess.Popen([sys.executable, "-c", HAND, str(pipe)])
        kept = ["--realtime", "--joystick", str(pipe), "--keep", str(folder / "kept.h5")]
        driven = subprocess.Popen([*run, *kept, "-o", str(folder / "one.h5")], stdout=subprocess.PIPE)
        end, seconds = threading.Event(), [0.0]
        watch = threading.Thread(target=waited, args=(driven.pid, end, seconds))
        watch.start()
        said = driven.communicate()[0]
        end.set()
        watch.join()
        hand.wait()
        again = [*run, "--replay", str(folder / "kept.h5"), "-o", str(folder / "two.h5")]
        subprocess.run(again, check=True, capture_output=True)
        one, two, done = (luff.read(folder / f"{name}.h5") for name in ("one", "two", "kept"))
        report = json.loads(said)["realtime"]
        return {
            "minutes": minutes,
            "steps": report["slices"],
            "at most 2 ms late [%]": round(100 * report["in_time"], 3),
            "longest [ms]": round(1e3 * report["latest"], 2),
            "mean [ms]": round(1e3 * report["mean"], 3),
            "clock put back [s]": report["skipped"],
            "waited for a processor [s]": round(seconds[0], 2),
            "changes of the levers": len(done.time),
            "same bits again": one.table.tobytes() == two.table.tobytes(),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", type=Path, help="with a joystick; steps of 1 ms")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    numbers = measure(options.model, options.minutes)
    print(json.dumps(numbers) if options.json else "\n".join(f"{k}: {v}" for k, v in numbers.items()))


if __name__ == "__main__":
    main()
