"""Ratios of times on a machine that others use too: contenders take turns in short slices, medians of ratios count."""

from __future__ import annotations

import gc
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path

import luff

SLICE = 0.05  # seconds of one turn


def seconds(work: Callable[[int], object], count: int) -> float:
    """Processor time of one turn: what other processes take does not count."""
    began = time.thread_time()
    work(count)
    return time.thread_time() - began


def fitting_count(work: Callable[[int], object]) -> int:
    """How often to repeat the work for one slice."""
    work(1)  # compiles and loads
    count = 1
    while (spent := seconds(work, count)) < 0.2 * SLICE:
        count *= 2
    return max(1, round(count * SLICE / spent))


def race(works: Mapping[str, Callable[[int], object]], turns: int) -> dict[str, list[float]]:
    """Seconds of one repetition, turn by turn, all contenders in each turn."""
    counts = {name: fitting_count(work) for name, work in works.items()}
    times: dict[str, list[float]] = {name: [] for name in works}
    collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(turns):
            for name, work in works.items():
                times[name].append(seconds(work, counts[name]) / counts[name])
    finally:
        if collecting:
            gc.enable()
    return times


def ratio(times: dict[str, list[float]], one: str, other: str) -> float:
    return statistics.median(a / b for a, b in zip(times[one], times[other], strict=True))


def machine() -> dict[str, str]:
    """What the numbers depend on."""
    cpu = platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        models = [
            line.partition(":")[2].strip() for line in info.read_text().splitlines() if "model name" in line
        ]
        cpu = models[0] if models else cpu
    packages = {name: version(name) for name in ("numba", "numpy", "mujoco", "pin")}
    facts = {"processor": cpu, "processors": str(os.cpu_count()), "python": platform.python_version()}
    return facts | {"system": platform.system(), "luff": luff.__version__} | packages


def machine_words(*names: str) -> str:
    """What the numbers depend on, or of that these names, as a page says it."""
    return ", ".join(f"{name} {value}" for name, value in machine().items() if not names or name in names)
