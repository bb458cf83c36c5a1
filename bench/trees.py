"""Time per step against MuJoCo's `mj_step` (RK4), and per forward dynamics against Pinocchio's `aba`.

Run by `make bench`; writes bench/results/trees.md and .json.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin  # pyright: ignore[reportMissingImports]

import luff
from luff.bench.report import RESULTS, keep
from luff.bench.systems import Limb, chain, crane, mjcf, netlist, pinocchio_model, start
from luff.bench.timing import machine, machine_words, race, ratio

mujoco: Any = import_module("mujoco")  # its names are not to be seen without running it
STEP = 1e-3
GOAL = 0.6
DRIVEN = ("king", "boom", "jib", "slide", "hoist")
PAGE = Path(__file__).parents[1] / "docs" / "speed.md"
Work = Callable[[int], None]


@dataclass
class Row:
    """One line of the table; times in microseconds."""

    system: str
    coordinates: int
    luff_step: float
    mujoco_step: float
    step_ratio: float
    luff_dynamics: float
    pinocchio_aba: float
    aba_ratio: float


def luff_steps(sim: luff.Simulation) -> Work:
    """RK4 steps from the start, with one row of output a turn."""
    session = sim.start(stop=1e9 * STEP, step=STEP, method="rk4", output_step=1e6 * STEP)
    x, memory = session.x.copy(), session.memory.copy()

    def work(count: int) -> None:
        session.x[:], session.memory[:] = x, memory
        session.done = 0
        if session.advance(steps=count) != "running":
            raise RuntimeError(f"luff stopped: {session.message}")

    return work


def luff_dynamics(sim: luff.Simulation) -> Work:
    """Evaluations of dx/dt, with the powers that a run adds."""
    from luff.solver.integrators.run_data import COUNT
    from luff.solver.integrators.run_loop import repeat_rates

    instance = sim.instance
    run = instance.run(sim.x0.copy(), np.zeros((0, 0)))

    def work(count: int) -> None:
        instance.number[COUNT] = count
        repeat_rates(run)

    return work


def mujoco_steps(limbs: list[Limb]) -> tuple[Work, Any, Any]:
    model = mujoco.MjModel.from_xml_string(mjcf(limbs, STEP))
    data = mujoco.MjData(model)

    def reset() -> None:
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = start(limbs)

    def work(count: int) -> None:
        reset()
        mujoco.mj_step(model, data, count)

    reset()
    return work, model, data


def pinocchio_dynamics(model: Any, q: np.ndarray, v: np.ndarray) -> Work:
    data, tau = model.createData(), np.zeros(model.nv)

    def work(count: int) -> None:
        for _ in range(count):
            pin.aba(model, data, q, v, tau)

    return work


def check_accelerations(limbs: list[Limb], sim: luff.Simulation, mj: tuple[Any, Any], model: Any) -> None:
    """All three must mean the same tree before it makes sense to race them."""
    q, v = start(limbs)
    rates = dict(zip(sim.state_names, sim.derivative(0.0, sim.x0), strict=True))
    ours = np.array([rates[f"{name}.velocity"] for limb in limbs for name in limb.coordinates()])
    mujoco.mj_forward(*mj)
    theirs = {
        "MuJoCo": mj[1].qacc.copy(),
        "Pinocchio": pin.aba(model, model.createData(), q, v, np.zeros(len(q))),
    }
    for name, accelerations in theirs.items():
        # 300 links in a row lose some digits in whoever solves them
        off = np.abs(ours - accelerations).max() / np.abs(ours).max()
        if off > 1e-7:
            raise RuntimeError(f"accelerations differ from {name}'s by {off:.2g}")


def measure(system: str, limbs: list[Limb], driven: tuple[str, ...], turns: int) -> Row:
    bare = luff.compile(netlist(limbs))
    sim = luff.compile(netlist(limbs, driven)) if driven else bare
    their_steps, mj_model, mj_data = mujoco_steps(limbs)
    model = pinocchio_model(limbs)
    check_accelerations(limbs, bare, (mj_model, mj_data), model)
    one = pinocchio_model([Limb("one", -1, (0, 0, 0), "X", 1.0, (0, 0, -1), (1, 1, 1))])
    times = race(
        {
            "luff": luff_steps(sim),
            "mujoco": their_steps,
            "dynamics": luff_dynamics(bare),
            "aba": pinocchio_dynamics(model, *start(limbs)),
            "call": pinocchio_dynamics(one, np.zeros(1), np.zeros(1)),
        },
        turns,
    )
    # what a call from Python costs is not Pinocchio's fault: the smallest tree's time stands for it
    times["aba"] = [max(a - b, 0.0) for a, b in zip(times["aba"], times["call"], strict=True)]
    micro = {name: 1e6 * statistics.median(values) for name, values in times.items()}
    n = sum(len(limb.moves) for limb in limbs)
    return Row(
        system, n, micro["luff"], micro["mujoco"], ratio(times, "luff", "mujoco"),
        micro["dynamics"], micro["aba"], ratio(times, "dynamics", "aba"),
    )  # fmt: skip


def table(rows: list[Row]) -> str:
    head = "| system | coordinates | luff step [us] | mj_step [us] | ratio | luff dynamics [us] | aba [us] | ratio |"
    lines = [head, "|---|--:|--:|--:|--:|--:|--:|--:|"]
    lines += [
        f"| {r.system} | {r.coordinates} | {r.luff_step:.2f} | {r.mujoco_step:.2f} | **{r.step_ratio:.2f}** "
        f"| {r.luff_dynamics:.2f} | {r.pinocchio_aba:.2f} | {r.aba_ratio:.2f} |"
        for r in rows
    ]
    return "\n".join(lines)


def report(rows: list[Row]) -> list[str]:
    verdict = "reached" if all(row.step_ratio <= GOAL for row in rows) else "not reached"
    return [
        "# Trees: luff against MuJoCo and Pinocchio",
        "",
        table(rows),
        "",
        "Ratios are luff's time over the other's, medians over turns taken one after the other in one process.",
        f"A step is RK4 of {STEP * 1e3:g} ms: luff's with signals and energies; `mj_step` with contacts and",
        "constraints off. One forward dynamics from a state; what it costs to call `aba` from Python is taken off.",
        f"Goal: at most {GOAL} of `mj_step`: {verdict}.",
        "",
        machine_words(),
    ]


def into_page(text: str, table: str) -> str:
    """Replace the page's first table of systems by this one."""
    return re.sub(
        r"(?:^\| system \|.*\n)(?:^\|.*\n)+", lambda _: table + "\n", text, count=1, flags=re.MULTILINE
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=25, help="slices of 50 ms for each contender")
    parser.add_argument("--only", type=int, nargs="*", help="chains of these lengths alone")
    parser.add_argument("--no-write", action="store_true", help="print, leave the results as they are")
    options = parser.parse_args()
    rows = [
        measure(f"chain of {n}", chain(n), (), options.turns)
        for n in (6, 18, 60, 150, 300)
        if options.only is None or n in options.only
    ]
    rows.append(measure("crane, 30 signal blocks", crane(), DRIVEN, options.turns))
    keep("trees.md", report(rows), not options.no_write)
    if not options.no_write:
        PAGE.write_text(into_page(PAGE.read_text(encoding="utf-8"), table(rows)), encoding="utf-8")
        facts = {"machine": machine(), "step": STEP, "goal": GOAL, "rows": [vars(row) for row in rows]}
        (RESULTS / "trees.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
