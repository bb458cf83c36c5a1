"""Benchmarks that the field knows, as a page: `python -m luff.docs.benchmarks` runs `benchmarks.yaml` and writes it.

With names of benchmarks it prints their sections.
"""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import luff
from luff.bench.benchmark_beams import BEAMS
from luff.bench.benchmark_peers import PEERS
from luff.bench.benchmark_references import REFERENCES
from luff.bench.benchmark_regressions import REGRESSIONS
from luff.bench.rigid_model import rigid_model
from luff.bench.timing import machine_words

DATA = Path(__file__).with_name("benchmarks.yaml")
PAGE = Path(__file__).with_name("benchmarks.md")
MODELS = Path(luff.__file__).parent / "library" / "benchmarks"
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
NAMES = {
    "luff": "luff",
    "exudyn": "Exudyn",
    "mujoco": "MuJoCo",
    "drake": "Drake",
    "pinocchio": "Pinocchio",
    "aba": "Pinocchio",
    "bullet": "PyBullet",
}
METHODS = {
    "luff": "rk4",
    "exudyn": "generalized-alpha",
    "mujoco": "RK4",
    "drake": "Runge-Kutta 5",
    "pinocchio": "RK4 in Python",
    "aba": "its `aba` calls alone",
    "bullet": "stepSimulation",
}
PACKAGES = {"pinocchio": "pin", "aba": "pin", "bullet": "pybullet"}  # where they have other names
ROUNDS = 3  # runs of each; the fastest counts
HEAD = """# Benchmarks

Problems that the field knows, with a reference from outside: what luff finds, how far it is from the reference, and how
long the run takes, beside other engines on the same machine in the same run. `make benchmarks` computes all of it anew
and writes this page; models are in `library/benchmarks/`, references and sources in `docs/benchmarks.yaml`.

The others get bodies, joints and start from luff's own netlist: Exudyn in redundant coordinates by its implicit
generalized-alpha method (planar bodies where a mechanism is planar), MuJoCo by RK4 and Drake by a fifth-order
Runge-Kutta method, both in minimal coordinates, where there are no loops, PyBullet there by the only method that it
has, of first order. Pinocchio has no integrator: RK4 in Python is around its `aba` or, where loops are plane, its
`constraintDynamics`, and most of that time is Python's; "its `aba` calls alone" is the time of these calls less what a
call from Python costs, which any loop around them exceeds. What is not installed is left out (`pip install
'luff[race]'` for Drake and PyBullet). Times are processor times of the run alone, the best of three (of flexible
bodies those of one run), without compiling and loading. Deviations are the largest over the values that are compared.
"""
TAIL = """## Not here

- Hydraulic four-bar of Jaiswal et al. (2021), Multibody System Dynamics 52: no table of its
  results and no repository with its data was found.
- Results of the IFToMM library: files on its server, which were not at hand. Its problems have references of their own
  here. Exudyn's stiffFlyballGovernor is another model than A05, on soft joints, and ends after 1 ms.
- Closed loops in MuJoCo, PyBullet and Drake: soft constraints there, or constraints of velocities in steps of first
  order.
- Double four-bar in Pinocchio: its constrained dynamics end in NaN at a singular position, whatever `mu` from 1e-10 to
  1e-4.
"""


@dataclass
class Measured:
    """One run of an engine: its step as written, largest deviation from the reference, time [s]."""

    engine: str
    step: str
    deviation: float
    seconds: float


def benchmarks() -> dict[str, dict[str, Any]]:
    return yaml.safe_load(DATA.read_text("utf-8"))


def seconds(text: str) -> float:
    """Step [s] of its text, `1 ms`."""
    value, unit = text.split()
    return float(value) * UNITS[unit]


def installed(engine: str) -> str:
    """Version of an engine, empty if it is not installed."""
    try:
        return version(PACKAGES.get(engine, engine))
    except PackageNotFoundError:
        return ""


@cache
def values_of(model: str) -> list[str]:
    """Signals of a model that a benchmark compares."""
    return next(entry["values"] for entry in benchmarks().values() if entry.get("model") == model)


@cache
def run(model: str, engine: str, step: str) -> tuple[Mapping[str, float], float]:
    """Signals at the end of a run by their names, and its time [s]."""
    path, best = MODELS / f"{model}.yaml", float("inf")
    values: Mapping[str, float] = {}
    if engine == "luff":
        sim = luff.compile(path)
        if step == "static":
            began = time.process_time()
            values = sim.evaluate(0.0, sim.x0)
            return values, time.process_time() - began
        rows = max(sim.settings.output_step or 0.0, seconds(step))
        result = sim.run(step=seconds(step), output_step=rows)  # loads
        for _ in range(ROUNDS):
            began = time.process_time()
            result = sim.run(step=seconds(step), output_step=rows)
            best = min(best, time.process_time() - began)
        return {name: float(result[name][-1]) for name in values_of(model)}, best
    rigid = rigid_model(path)
    for _ in range(ROUNDS):
        values, spent = PEERS[engine](rigid, seconds(step))
        best = min(best, spent)
    return values, best


def reference(name: str, entry: Mapping[str, Any]) -> list[float] | None:
    """Reference values; None where they come from an engine that is not installed."""
    told = entry["reference"]
    if told == "computed":
        return REFERENCES[name]()
    if isinstance(told, list):
        return told
    if not installed(told["richardson"]):
        return None
    coarse, fine = (run(entry["model"], told["richardson"], step)[0] for step in told["steps"])
    ratio = (seconds(told["steps"][0]) / seconds(told["steps"][1])) ** told["order"]
    return [(ratio * fine[value] - coarse[value]) / (ratio - 1.0) for value in entry["values"]]


def measured(name: str, entry: Mapping[str, Any]) -> list[Measured]:
    """All runs of a benchmark, engine by engine."""
    expected = reference(name, entry)
    found = []
    for engine, steps in entry["runs"].items():
        if engine != "luff" and not installed(engine):
            continue
        for step in steps:
            values, spent = run(entry["model"], engine, step)
            off = float("nan")
            if expected is not None:  # a value that is NaN makes the largest NaN
                off = float(np.max(np.abs([values[value] for value in entry["values"]] - np.array(expected))))
            found.append(Measured(engine, step, off, spent))
    return found


def beats(own: list[Measured], others: list[Measured]) -> bool:
    """True if each of the others is both slower and not nearer than a run of one's own."""
    return all(
        any(mine.seconds < one.seconds and mine.deviation <= one.deviation for mine in own) for one in others
    )


def verdict(runs: list[Measured]) -> str:
    """Sentence on whether luff beats all others, another engine luff, or neither.

    Empty where luff runs alone, or a deviation is not known.
    """
    own = [one for one in runs if one.engine == "luff"]
    others = [one for one in runs if one.engine != "luff"]
    if not others or any(np.isnan(one.deviation) for one in runs):
        return ""
    if beats(own, others):
        return "luff: nearer in less time than each other run."
    engines = sorted({one.engine for one in others} - {"aba"})  # a bound from below, which beats nobody
    better = [NAMES[name] for name in engines if beats([one for one in others if one.engine == name], own)]
    if better:
        return f"{' and '.join(better)}: nearer in less time than luff."
    return "No engine is both nearer and faster than all others."


def lines(name: str, entry: Mapping[str, Any]) -> Iterator[str]:
    """Section of a benchmark."""
    yield f"## {entry['title']}\n"
    yield f"{entry['what']} Reference: {entry['source']}.\n"
    if "beams" in entry:
        with tempfile.TemporaryDirectory() as folder:
            rows, spent = BEAMS[entry["beams"]](Path(folder))
        yield "| quantity | luff | reference | deviation |\n|---|--:|--:|--:|"
        for what, found, expected in rows:
            yield f"| {what} | {found:.6g} | {expected:.6g} | {100 * (found / expected - 1):+.2g} % |"
        yield f"\n{spent:.2g} s in luff."
    elif "regressions" in entry:
        yield "| test model | its value | published | at step zero | luff | luff - published | luff - step zero |"
        yield "|---|---|--:|--:|--:|--:|--:|"
        for model, one in REGRESSIONS.items():
            value, (limit, _) = one.found(), one.limit()
            row = f"| {model} | {one.what} | {one.published:.12g} | {limit:.12g} | {value:.12g} "
            yield row + f"| {value - one.published:+.1e} | {value - limit:+.1e} |"
    else:
        runs = measured(name, entry)
        yield "| engine | method | step | deviation | time |\n|---|---|--:|--:|--:|"
        for one in runs:
            method = "static equilibrium" if one.step == "static" else METHODS[one.engine]
            step = "" if one.step == "static" else one.step
            clock = "" if one.step == "static" else f"{1e3 * one.seconds:.3g} ms"
            yield f"| {NAMES[one.engine]} | {method} | {step} | {one.deviation:.1e} | {clock} |"
        if told := verdict(runs):
            yield f"\n{told}"
    if "why" in entry:
        yield f"\nWhat is left: {entry['why'].rstrip('.')}."
    yield ""


def page() -> str:
    """Page of all benchmarks, each of which runs."""
    found = {NAMES[name]: installed(name) for name in PEERS}
    engines = ", ".join(f"{name} {told}" for name, told in found.items() if told)
    missing = ", ".join(name for name, told in found.items() if not told) or "none"
    parts = [
        HEAD,
        f"This run: luff {luff.__version__}, {engines}; {machine_words('processor', 'python', 'numba')}.",
        f"Not installed: {missing}.\n",
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", luff.ModelWarning)  # planar loops are over-constrained
        for name, entry in benchmarks().items():
            print(name, file=sys.stderr)
            parts += lines(name, entry)
    return "\n".join([*parts, TAIL])


def main(names: list[str]) -> int:
    """Write the page; with names of benchmarks, print their sections alone."""
    if not names:
        PAGE.write_text(page(), encoding="utf-8")
        print(f"wrote {PAGE.name}")
        return 0
    known = benchmarks()
    if unknown := [name for name in names if name not in known]:
        print(f"no benchmark {', '.join(unknown)} (known: {', '.join(known)})", file=sys.stderr)
        return 1
    for name in names:
        print("\n".join(lines(name, known[name])))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
