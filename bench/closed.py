"""What constraints cost: an evaluation of a mechanism with loops against that of its open tree, in one process.

Run by `make bench`; writes bench/results/closed.md. The open tree is the same netlist without the joints at which luff
cuts the loops.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
import yaml

import luff
from luff.bench.report import keep
from luff.bench.systems import chain, netlist
from luff.bench.timing import machine_words, race, ratio
from luff.solver.kernels.model_data import FREE, MODE
from luff.solver.simulation.constraint_state import restore_start
from luff.tests.shared.loop_cases import CRANE, FOUR_BAR, SLIDER_CRANK

STEP = 1e-3
GOAL = 2.0


@dataclass
class Row:
    """One line of the table; times in microseconds."""

    system: str
    coordinates: int
    constraints: int
    closed: float
    open: float
    ratio: float
    steps: float  # ratio of whole RK4 steps


class Diagram(TypedDict):
    """A netlist as plain data, as far as it is changed here."""

    blocks: dict[str, dict[str, object]]
    connect: list[str]


def quiet(diagram: Diagram) -> luff.Simulation:
    """One recorded signal, so that outputs cost nothing."""
    first = next(
        name for name, block in diagram["blocks"].items() if block.get("type") in ("revolute", "prismatic")
    )
    return luff.compile(luff.loads(json.dumps({**diagram, "record": [f"{first}.position"]})))


def without(diagram: Diagram, cut: str) -> Diagram:
    """The diagram without one joint."""
    blocks = {name: block for name, block in diagram["blocks"].items() if name != cut}
    wires = [wire for wire in diagram["connect"] if not re.search(rf"\b{cut}\.frame_[ab]\b", wire)]
    return {**diagram, "blocks": blocks, "connect": wires}


def held_chain(n: int) -> Diagram:
    """A hanging chain whose lower end a ball joint holds: three constraints."""
    limbs = chain(n)
    diagram = yaml.safe_load(netlist(limbs).to_yaml())
    tip = f"{limbs[-1].name}.frame_a"
    hanging = luff.compile(netlist(limbs))
    hanging.evaluate()
    row = hanging.instance.data.row[-1]
    at = row[21:24].tolist()
    diagram["blocks"] |= {"hook": {"type": "fixed", "at": at}, "ball": {"type": "spherical", "cut": True}}
    diagram["connect"] += [
        "world.frame -- hook.frame_a",
        "hook.frame_b -- ball.frame_a",
        f"ball.frame_b -- {tip}",
    ]
    # all start where they hang, at rest
    for block in diagram["blocks"].values():
        if "initial" in block:
            block["guess"] = {"position": block.pop("initial")["position"]}
    return diagram


def steps(sim: luff.Simulation, method: str = "rk4", step: float = STEP) -> Callable[[int], None]:
    """Steps from the start; the choice of states may change on the way, and begins anew each turn."""
    session = sim.start(stop=1e9 * step, step=step, method=method, output_step=1e6 * step)
    x, memory = session.x.copy(), session.memory.copy()

    def work(count: int) -> None:
        session.x[:], session.memory[:] = x, memory
        restore_start(session.instance)
        session.done = 0
        while session.done < count:
            if session.advance(steps=count - session.done) != "running":
                raise RuntimeError(f"luff stopped: {session.message}")

    return work


def evaluations(sim: luff.Simulation) -> Callable[[int], None]:
    """dx/dt as the middle stages of an RK4 step ask for it: half a step from where the last one settled."""
    from luff.solver.integrators.run_data import COUNT, NOW
    from luff.solver.integrators.run_loop import repeat_rates

    t, dx = 0.5 * STEP, sim.derivative(0.0, sim.x0)
    instance = sim.instance
    if sim.program.closed:
        instance.settle()
    run = instance.run(sim.x0 + t * dx, np.zeros((0, 0)))

    def work(count: int) -> None:
        instance.number[COUNT], instance.real[NOW] = count, t
        repeat_rates(run)

    return work


def opened(diagram: Diagram, closed: luff.Simulation) -> luff.Simulation:
    """The open tree in the same position and motion."""
    (cut,) = (cut.block for cut in closed.program.mechanism.cuts)
    sim = quiet(without(diagram, cut))
    assert sim.program.mechanism.coordinate_names() == closed.program.mechanism.coordinate_names()
    free = closed.program.model.topo[:, MODE] == FREE
    sim.x0[:] = np.concatenate([closed.program.data.q[free], closed.program.data.v[free]])
    return sim


def measure(system: str, diagram: Diagram, turns: int) -> Row:
    closed = quiet(diagram)
    times = race(
        {
            "open": evaluations(opened(diagram, closed)),
            "open step": steps(opened(diagram, closed)),
            "closed": evaluations(quiet(diagram)),
            "closed step": steps(closed),
        },
        turns,
    )
    micro = {name: 1e6 * statistics.median(values) for name, values in times.items()}
    report = closed.program.report
    assert report is not None
    return Row(
        system, report.free, report.constraints, micro["closed"], micro["open"],
        ratio(times, "closed", "open"), ratio(times, "closed step", "open step"),
    )  # fmt: skip


def table(rows: list[Row]) -> str:
    head = (
        "| system | coordinates | constraints | closed [us] | open tree [us] | ratio | ratio of RK4 steps |"
    )
    lines = [head, "|---|--:|--:|--:|--:|--:|--:|"]
    lines += [
        f"| {r.system} | {r.coordinates} | {r.constraints} | {r.closed:.2f} | {r.open:.2f} | **{r.ratio:.2f}** "
        f"| {r.steps:.2f} |"
        for r in rows
    ]
    return "\n".join(lines)


def report(rows: list[Row]) -> list[str]:
    missed = [row.system for row in rows if row.ratio > GOAL]
    verdict = f"missed by {', '.join(missed)}" if missed else "reached"
    return [
        "# Loops: luff against its own open trees",
        "",
        table(rows),
        "",
        "One evaluation of dx/dt over one of the same netlist without the joint that closes the loop;",
        "medians over turns taken one after the other in one process. The third ratio is of RK4 steps of 1 ms with",
        f"energies and outputs. Goal: at most {GOAL:g} for an evaluation: {verdict}.",
        "",
        machine_words(),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=25, help="slices of 50 ms for each contender")
    parser.add_argument("--no-write", action="store_true", help="print, leave the results as they are")
    options = parser.parse_args()
    models = {
        "four-bar": yaml.safe_load(FOUR_BAR),
        "slider-crank": yaml.safe_load(SLIDER_CRANK),
        "crane with a strut": yaml.safe_load(CRANE),
        "chain of 60, tip held": held_chain(60),
        "chain of 300, tip held": held_chain(300),
    }
    rows = [measure(name, diagram, options.turns) for name, diagram in models.items()]
    keep("closed.md", report(rows), not options.no_write)


if __name__ == "__main__":
    main()
