"""What a user waits for: from a structure that was never seen to its first step, and with an empty cache.

    python -m luff.bench.latency            structures, with everything compiled: processor time
    python -m luff.bench.latency --cold     with an empty cache: wall time

Each structure is new by its names and runs in this process; all its signals are recorded. Seen again, the same text is
compiled anew in the same process: what is left is what luff itself costs.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .report import keep
from .timing import machine_words

LIBRARY = Path(__file__).resolve().parents[1] / "library"
GOALS = {
    "chain of 5": 0.1,
    "chain of 20": 0.15,
    "chain of 300": 1.5,
    "1000 signal blocks": 1.0,
    "P0 crane": 0.3,
}
COLD = {"pendulum": 10.0}


@dataclass
class Row:
    """Seconds from the netlist's text to the first step."""

    name: str
    first: float
    again: float


def chain(n: int, tag: str) -> str:
    """Links that swing about alternating axes."""
    blocks, wires, before = [], [], "world.frame"
    for k in range(n):
        joint, link = f"{tag}_j{k}", f"{tag}_l{k}"
        blocks.append(f"  {joint}: {{type: revolute, axis: {'xyz'[k % 3]}, initial: {{position: 0.1}}}}")
        blocks.append(
            f"  {link}: {{type: rigid_link, mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.02], "
            "frame_b: {at: [0, 0, -1]}}"
        )
        wires += [f"  - {before} -- {joint}.frame_a", f"  - {joint}.frame_b -- {link}.frame_a"]
        before = f"{link}.frame_b"
    return model(tag, blocks, wires)


def signals(n: int, tag: str) -> str:
    """Sources, gains, sums, lags, products and limits, wired in rows of ten."""
    blocks, wires = [f"  {tag}0: {{type: sine, frequency: 2}}"], []
    kinds = (
        ("gain, k: 0.9", ("u",)),
        ("sum, signs: +-", ("u1", "u2")),
        ("transfer_function, num: [1], den: [0.1, 1]", ("u",)),
        ("product", ("u1", "u2")),
        ("saturation", ("u",)),
    )
    for k in range(1, n):
        kind, ports = kinds[k % len(kinds)]
        blocks.append(f"  {tag}{k}: {{type: {kind}}}")
        wires += [
            f"  - {tag}{max(0, k - j)}.y -> {tag}{k}.{port}" for port, j in zip(ports, (1, 7), strict=False)
        ]
    return model(tag, blocks, wires)


def crane(tag: str) -> str:
    """The crane of the first paper with one joint and one link more at its load."""
    text = (LIBRARY / "crane_gpme.yaml").read_text(encoding="utf-8")
    extra = (
        f"  {tag}_pin: {{type: revolute, axis: x, initial: {{position: 0}}}}\n"
        f"  {tag}_hook: {{type: rigid_link, mass: 20, com: [0, 0, -0.3], inertia: [1, 1, 1]}}\n"
    )
    wires = f"  - load.frame_b -- {tag}_pin.frame_a\n  - {tag}_pin.frame_b -- {tag}_hook.frame_a\n"
    return text.replace("blocks:\n", f"blocks:\n{extra}", 1).replace("connect:\n", f"connect:\n{wires}", 1)


def model(name: str, blocks: list[str], wires: list[str]) -> str:
    listed = "\n".join(wires)
    return (
        f"luff: 1\nname: {name}\nblocks:\n" + "\n".join(blocks) + f"\nconnect:\n{listed}\n"
        "simulation: {stop: 1, step: 1 ms}\n"
    )


def to_first_step(text: str) -> float:
    """Processor time of this process."""
    import luff

    began = time.process_time()
    sim = luff.compile(luff.loads(text, LIBRARY))
    session = sim.start()
    session.advance(steps=1)
    return time.process_time() - began


def structures() -> list[Row]:
    makers: list[tuple[str, Callable[[str], str]]] = [
        (f"chain of {n}", lambda tag, n=n: chain(n, tag)) for n in (5, 20, 60, 150, 300)
    ]
    makers += [(f"{n} signal blocks", lambda tag, n=n: signals(n, tag)) for n in (30, 1000)]
    makers.append(("P0 crane", crane))
    rows = []
    for name, make in makers:
        to_first_step(make("warm"))  # kernels and functions are there
        text = make(f"n{time.time_ns()}")
        rows.append(Row(name, to_first_step(text), to_first_step(text)))
    return rows


def exponent(rows: list[Row]) -> float:
    """Of the time over the length, from the chain of 20 to that of 300."""
    by_name = {row.name: row.first for row in rows}
    return math.log(by_name["chain of 300"] / by_name["chain of 20"]) / math.log(300 / 20)


def cold() -> list[Row]:
    """Wall time of `luff run` for a hundredth of a second, each with a cache of its own; then once more."""
    rows = []
    models = [LIBRARY / "templates" / "pendulum.yaml", *sorted(LIBRARY.glob("*.yaml"))]
    for path in models:
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "LUFF_CACHE_DIR": folder}
            command = [
                sys.executable,
                "-m",
                "luff",
                "run",
                str(path),
                "--stop",
                "0.01",
                "--output-step",
                "0.01",
                "-q",
            ]
            times = []
            for _ in range(2):
                began = time.perf_counter()
                done = subprocess.run(command, env=environment, capture_output=True)
                times.append(time.perf_counter() - began)
                if done.returncode == 1:
                    break  # a part, which does not run by itself
            if len(times) == 2:
                rows.append(Row(path.stem, *times))
                print(f"{path.stem:32} {times[0]:7.2f} {times[1]:7.2f}", flush=True)
    return rows


def report(rows: list[Row], title: str, kind: str, closing: list[str]) -> list[str]:
    lines = [f"# {title}", "", "| model | first [s] | again [s] | goal [s] |", "|---|--:|--:|--:|"]
    goals = {**GOALS, **COLD}
    lines += [f"| {r.name} | {r.first:.3f} | {r.again:.3f} | {goals.get(r.name, '')} |" for r in rows]
    return [*lines, "", f"{kind}.", *closing, "", machine_words()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cold", action="store_true", help="with an empty cache")
    parser.add_argument("--no-write", action="store_true", help="print, leave the results as they are")
    options = parser.parse_args()
    if options.cold:
        rows = cold()
        lines = report(rows, "With an empty cache", "Wall time of `luff run`", [])
    else:
        rows = structures()
        closing = [
            f"From the chain of 20 to that of 300 the time grows with the power {exponent(rows):.2f} of the length."
        ]
        kind = "Processor time from the text of a netlist to its first step, kernels and functions compiled before"
        lines = report(rows, "New structures", kind, closing)
    keep("latency_cold.md" if options.cold else "latency.md", lines, not options.no_write)


if __name__ == "__main__":
    main()
