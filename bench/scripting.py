"""What scripts pay beside the steps: `python -m luff.bench.scripting` writes results/scripting.md.

Bare steps are those of `Session.advance` in one call. Processor time of this thread in turns, medians. What two threads
gain is told twice: by the clock, which says little on a machine that others use, and by the processor time of the
busier thread, which counts how evenly the work is shared and what sharing costs, but not the waits for each other.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import luff
from luff.bench.report import keep

from .timing import machine

ROOT = Path(luff.__file__).parent
MODELS = {
    "pendulum": (ROOT / "library" / "templates" / "pendulum.yaml", "rod.mass", (1.0, 3.0), 1000),
    "tutorial's crane": (ROOT / "library" / "templates" / "crane.yaml", "load.mass", (500.0, 1500.0), 1000),
}
TURNS = 7


def cost(work: Callable[[], object], times: int) -> float:
    """Seconds of one call."""
    work()
    seconds = []
    for _ in range(TURNS):
        began = time.thread_time()
        for _ in range(times):
            work()
        seconds.append((time.thread_time() - began) / times)
    return statistics.median(seconds)


def bare(sim: luff.Simulation, steps: int) -> float:
    """Seconds of one step, many in one call; the looks at the step are taken before."""
    session = sim.start(stop=1e6)
    session.advance(steps=10)

    def work() -> None:
        session.advance(steps=steps)

    return cost(work, 1) / steps


def calls(sim: luff.Simulation, path: str, value: float) -> dict[str, tuple[float, str]]:
    """What single calls cost, with the goal of each."""
    session = sim.start(stop=1e6)
    step = cost(session.step, 2000) - bare(sim, 20_000)
    values = iter(np.linspace(value, 1.1 * value, 1000).tolist())
    rows = {
        "`step`, above the step": (step, "15 us"),
        "`start`": (cost(sim.start, 100), "300 us"),
        "`reset`": (cost(session.reset, 100), ""),
        "`snapshot`": (cost(session.snapshot, 100), ""),
        "`evaluate`": (cost(sim.evaluate, 200), "30 us"),
    }
    return rows | {"`set`": (cost(lambda: sim.set(path, next(values)), 20), "50 us")}


def many(sim: luff.Simulation, path: str, values: np.ndarray, runs: int) -> tuple[float, float, float]:
    """Ratio of runs to their bare steps in one thread; what two threads gain, by the clock and by processor time."""
    s = sim.settings
    steps = round(s.stop / s.step)
    ratios = []
    for _ in range(3):
        session = sim.start()
        session.trust.due = lambda _: steps + 1  # type: ignore[method-assign]
        began = time.thread_time()
        while session.advance(steps=steps) == "running":
            pass
        own = time.thread_time() - began
        began = time.process_time()
        luff.batch(sim, {path: values[:runs]}, threads=1)
        ratios.append((time.process_time() - began) / runs / own)
    walls, busiest = [], []
    for threads in (1, 2):
        used: dict[int, float] = {}  # what each thread has used so far

        def look(done: int, count: int, used: dict[int, float] = used) -> None:
            used[threading.get_ident()] = time.thread_time()

        began = time.perf_counter()
        luff.batch(sim, {path: values}, threads=threads, progress=look)
        walls.append(time.perf_counter() - began)
        busiest.append(max(used.values()))
    return statistics.median(ratios), walls[0] / walls[1], busiest[0] / busiest[1]


def main() -> None:
    lines = ["# What scripts pay beside the steps", ""]
    lines += ["`python -m luff.bench.scripting` on " + ", ".join(f"{k} {v}" for k, v in machine().items())]
    lines += ["", "| model | call | cost | goal |", "|---|---|---|---|"]
    table = [
        "",
        "| model | runs | batch over bare steps | goal | two threads, clock | processor time | goal |",
    ]
    table += ["|---|---|---|---|---|---|---|"]
    for name, (path, parameter, (low, high), runs) in MODELS.items():
        sim = luff.compile(path)
        for call, (seconds, goal) in calls(sim, parameter, low).items():
            lines.append(f"| {name} | {call} | {1e6 * seconds:.1f} us | {goal} |")
        sim = luff.compile(path)
        values = np.linspace(low, high, runs)
        ratio, clock, processor = many(sim, parameter, values, 30)
        table.append(f"| {name} | {runs} | {ratio:.2f} | 1.3 | {clock:.2f} | {processor:.2f} | 1.8 |")
    keep("scripting.md", [*lines, *table])


if __name__ == "__main__":
    main()
