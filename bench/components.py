"""Many mechanisms in one netlist: what N of them cost over N times one, and beside MuJoCo's step.

Run by `make bench`; writes bench/results/components.md, and the table of docs/speed.md.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import luff
from luff.bench.closed import steps
from luff.bench.report import show
from luff.bench.systems import Limb, crane, netlist
from luff.bench.timing import machine, race
from luff.bench.trees import luff_steps, mujoco_steps
from luff.tests.shared.loop_cases import FOUR_BAR
from luff.tests.shared.random_components import named

COUNTS = (1, 2, 5, 20, 50)
GOAL, GOAL_OF_LADDERS = 1.2, 3.0
LADDER = 50
MANY = 100
RESULTS = Path(__file__).parent / "results"
SLIM = "mass: 1, com: [0.25, 0, 0], inertia: [0.001, 0.02, 0.02], frame_b: {at: [0.5, 0, 0]}"
RUNG = "mass: 1, com: [0.5, 0, 0], inertia: [0.001, 0.05, 0.05], frame_b: {at: [1, 0, 0]}"


def copies(raw: dict[str, Any], count: int) -> luff.Diagram:
    """That many of a netlist's mechanisms in one; one signal is recorded, so that outputs cost nothing."""
    world = {name: block for name, block in raw["blocks"].items() if name == "world"}
    own = {"blocks": {k: v for k, v in raw["blocks"].items() if k != "world"}, "connect": raw["connect"]}
    blocks, connect = dict(world), []
    for k in range(count):
        one = named(own, f"m{k}_")
        blocks |= one["blocks"]
        connect += one["connect"]
    first = next(name for name, block in blocks.items() if block.get("type") in ("revolute", "prismatic"))
    return luff.loads(
        json.dumps({"luff": 1, "blocks": blocks, "connect": connect, "record": [f"{first}.position"]})
    )


def cranes(count: int) -> list[Limb]:
    """That many cranes beside each other."""
    one = crane()
    return [
        replace(limb, name=f"m{k}_{limb.name}", parent=limb.parent + k * len(one) if limb.parent >= 0 else -1)
        for k in range(count)
        for limb in one
    ]


def ladder(count: int) -> luff.Diagram:
    """Four-bars on each other: each stands on the coupler of the one before."""
    blocks = ["world: {gravity: [0, -9.81, 0]}", "g: {type: fixed, at: [1, 0, 0]}"]
    connect, left, right = ["world.frame -- g.frame_a"], "world.frame", "g.frame_b"
    for k in range(count):
        held = "damping: 0.5, stiffness: 50, rest: 1.57, initial: {position: 1.57}"
        blocks += [
            f"a{k}: {{type: revolute, {held}}}",
            f"l{k}: {{type: rigid_link, {SLIM}}}",
            f"b{k}: {{type: revolute, guess: {{position: -1.57}}}}",
            f"r{k}: {{type: rigid_link, {RUNG}}}",
            f"c{k}: {{type: revolute, guess: {{position: 1.57}}}}",
            f"s{k}: {{type: rigid_link, {SLIM}}}",
            f"d{k}: {{type: revolute}}",
        ]
        connect += [
            f"{left} -- a{k}.frame_a", f"a{k}.frame_b -- l{k}.frame_a", f"l{k}.frame_b -- b{k}.frame_a",
            f"b{k}.frame_b -- r{k}.frame_a", f"{right} -- c{k}.frame_a", f"c{k}.frame_b -- s{k}.frame_a",
            f"s{k}.frame_b -- d{k}.frame_a", f"d{k}.frame_b -- r{k}.frame_b",
        ]  # fmt: skip
        left, right = f"r{k}.frame_a", f"r{k}.frame_b"
    text = [
        "luff: 1",
        "blocks:",
        *(f"  {line}" for line in blocks),
        "connect:",
        *(f"  - {line}" for line in connect),
    ]
    return luff.loads("\n".join([*text, "record: [a0.position]"]))


def medians(works: dict[str, Any], turns: int) -> dict[str, float]:
    """Microseconds of a step."""
    return {name: 1e6 * statistics.median(times) for name, times in race(works, turns).items()}


def rows_of(turns: int) -> list[str]:
    four_bar = luff.loads(FOUR_BAR).data
    cranes_in_luff = {f"{n}": luff_steps(luff.compile(netlist(cranes(n)))) for n in COUNTS}
    cranes_in_mujoco = {f"mj {n}": mujoco_steps(cranes(n))[0] for n in COUNTS}
    bars = {f"bars {n}": steps(luff.compile(copies(four_bar, n))) for n in COUNTS}
    ladders = {f"ladder {n}": steps(luff.compile(ladder(n))) for n in (1, LADDER)}
    step = medians({**cranes_in_luff, **cranes_in_mujoco, **bars, **ladders}, turns)
    lines = []
    for n in COUNTS:
        ours, theirs, bar = step[f"{n}"], step[f"mj {n}"], step[f"bars {n}"]
        lines.append(
            f"| {n} | {ours:.1f} | **{ours / (n * step['1']):.2f}** | {theirs:.1f} | **{ours / theirs:.2f}** "
            f"| {bar:.1f} | **{bar / (n * step['bars 1']):.2f}** |"
        )
    one, many = step["ladder 1"], step[f"ladder {LADDER}"]
    return [
        "| mechanisms | cranes [us] | of N times one | mj_step [us] | ratio | four-bars [us] | of N times one |",
        "|--:|--:|--:|--:|--:|--:|--:|",
        *lines,
        "",
        f"A ladder of {LADDER} loops that stand on each other: {many:.0f} us a step.",
        f"That is {many / (LADDER * one):.1f} times {LADDER} steps of one (goal: {GOAL_OF_LADDERS:g}).",
        "",
        *compiled(four_bar),
    ]


def compiled(four_bar: dict[str, Any]) -> list[str]:
    """How long many over-constrained loops take to be compiled, and checked by the command."""
    diagram = copies(four_bar, MANY)
    luff.compile(copies(four_bar, 1))
    began = time.process_time()
    luff.compile(diagram)
    spent = time.process_time() - began
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "many.yaml"
        file.write_text(diagram.to_yaml(), encoding="utf-8")
        command = [sys.executable, "-m", "luff", "check", str(file)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        began = os.times().children_user + os.times().children_system
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        checked = os.times().children_user + os.times().children_system - began
    return [
        f"{MANY} four-bars, each held three times more than it moves: compiled in {spent:.2f} s of processor time,",
        f"checked by `luff check` in {checked:.1f} s of it.",
    ]


def report(rows: list[str]) -> str:
    facts = machine()
    return "\n".join(
        [
            "# Many mechanisms in one netlist",
            "",
            *rows,
            "",
            "Steps of RK4 of 1 ms with energies; cranes have 18 coordinates each, and `mj_step` no contacts and no",
            f"constraints. Medians over turns taken one after the other in one process. Goal: at most {GOAL:g} times N",
            "times one, and for 50 cranes at most 1 of `mj_step`.",
            "",
            ", ".join(f"{name} {value}" for name, value in facts.items()),
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=9, help="slices of 50 ms for each contender")
    parser.add_argument("--no-write", action="store_true", help="print, leave the results as they are")
    options = parser.parse_args()
    rows = rows_of(options.turns)
    print("\n".join(rows))
    if not options.no_write:
        (RESULTS / "components.md").write_text(report(rows), encoding="utf-8")
        show("docs/speed.md", rows[: rows.index("")])


if __name__ == "__main__":
    main()
