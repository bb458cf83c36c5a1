"""A run among others in lanes against a run by itself, in one process: `python -m luff.bench.lanes` writes
results/lanes_4.md, or lanes_8.md where registers are as wide, and the tables of docs/scripting.md and speed.md. Steps
alone are timed: assembly and statics of each run are the same in both.

For trees MuJoCo's `rollout` makes the same number of runs with one thread, as a third. What two threads gain is told by
the processor time of the busier one, as in `scripting.py`, and beside it what two processes do, which share
nothing but the machine. What lanes cost before their first step is told by new processes: with code that is kept, and
with none.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import luff
from luff.bench.report import keep, show
from luff.bench.systems import Limb, chain, crane, mjcf, netlist
from luff.bench.timing import machine_words, race, ratio
from luff.solver.batch.batch import values_per_run
from luff.solver.batch.runner import BatchJob, BatchThread, selected_signals
from luff.solver.batch.simd_group import CHUNK
from luff.solver.batch.simd_memory import LaneMember, MemoryGroups, step_entry_points
from luff.solver.codegen.object_loader import load
from luff.solver.codegen.transforms.entry_point_variants import LANES
from luff.solver.integrators.run_data import COUNT, EVERY, FILM, FIRST, START, STEP
from luff.tests.shared.loop_cases import FOUR_BAR

SIZE = 1e-3  # [s]
LASTING = 0.3  # [s] of the work of a thread
LIBRARY = Path(luff.__file__).parent / "library"
COLD = ("crane_knuckle_boom",)
HEAD = [
    "| system, one run of a group | step by itself | step in lanes | ratio | over `mujoco.rollout` |",
    "|---|--:|--:|--:|--:|",
]
DRIVEN = ("king", "boom", "jib", "slide", "hoist")
Work = Callable[[int], None]


def trees() -> dict[str, list[Limb]]:
    return {"chain of 6": chain(6), "chain of 18": chain(18), "chain of 60": chain(60), "crane": crane()}


def others() -> dict[str, luff.Simulation]:
    others = {
        "crane with 30 signal blocks": luff.compile(netlist(crane(), DRIVEN)),
        "four-bar": luff.compile(luff.loads(FOUR_BAR)),
    }
    names = ("crane_knuckle_boom", "crane_gpme", "crane_offshore", "crane_knuckle_boom_hydraulic")
    return others | {name: luff.compile(LIBRARY / f"{name}.yaml") for name in names}


def mass_of(sim: luff.Simulation) -> tuple[str, float]:
    """The last body of the model that has a mass of its own."""
    for name, block in reversed(sim.program.flat.blocks.items()):
        mass = getattr(block, "mass", None)
        if "mass" in block.params and isinstance(mass, float) and mass > 0.0:
            return f"{name}.mass", mass
    raise ValueError("no body has a mass")


def lines_of(sim: luff.Simulation) -> list[BatchThread]:
    """Runs at their start, each with another mass."""
    key, mass = mass_of(sim)
    given = values_per_run({key: mass * np.linspace(1.0, 1.02, LANES)})
    own = sim.twin()
    step = own.settings.step
    session = own.start(1e7 * step, step, None, 1e6 * step)
    job = BatchJob(own, session, given, *selected_signals(own, "*"), LANES)
    lines = [BatchThread(job) for _ in range(LANES)]
    for k, line in enumerate(lines):
        if not line.prepare(k):
            raise RuntimeError(f"run {k} needs a session")
    return lines


def alone(lines: Sequence[BatchThread]) -> Work:
    """Steps of all runs, one run after the other."""
    begin = [([each.copy() for each in line.instance.memories], line.x.copy()) for line in lines]
    step = lines[0].job.session.step_size

    def work(count: int) -> None:
        for line, (memories, x) in zip(lines, begin, strict=True):
            line.instance.put(memories)
            line.x[:] = x
            number, real = line.instance.number, line.instance.real
            number[FIRST], number[COUNT], number[EVERY], number[FILM] = 0, count, 1_000_000, 0
            real[START], real[STEP] = 0.0, step
            line.instance.advance(line.bundle)

    return work


def together(lines: Sequence[BatchThread]) -> Work:
    """The same in lanes."""
    load(step_entry_points(lines[0].instance))
    groups = MemoryGroups([[LaneMember(line.instance, line.bundle) for line in lines]], 2)
    (group,) = groups.each
    if len(group.alike(range(LANES))) < LANES:
        raise RuntimeError("runs differ in integers")
    step = lines[0].job.session.step_size

    def work(count: int) -> None:
        group.gather(range(LANES))
        for done in range(0, count, CHUNK):
            size = min(CHUNK, count - done)
            if groups.advance([0], np.array([done]), size, 1_000_000, step):
                raise RuntimeError(f"lanes part in the steps from {done}")

    return work


def rollout(limbs: list[Limb]) -> Work:
    mujoco: Any = import_module("mujoco")
    module: Any = import_module("mujoco.rollout")
    model = mujoco.MjModel.from_xml_string(mjcf(limbs, SIZE))
    data = mujoco.MjData(model)
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    state = np.zeros(size)
    mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    states = np.tile(state, (LANES, 1))

    def work(count: int) -> None:
        module.rollout(model, data, states, nstep=count)

    return work


def contest(sim: luff.Simulation, turns: int, limbs: list[Limb] | None = None) -> list[str]:
    """A row: steps of one run by itself and among others, their ratio, and that over MuJoCo."""
    lines = lines_of(sim)
    works = {"alone": alone(lines_of(sim)), "together": together(lines)}
    if limbs is not None:
        works["rollout"] = rollout(limbs)
    times = race(works, turns)
    one, other = (1e6 * statistics.median(times[name]) / LANES for name in ("alone", "together"))
    row = [f"{one:.2f} us", f"{other:.2f} us", f"{ratio(times, 'together', 'alone'):.2f}"]
    return [*row, f"{ratio(times, 'together', 'rollout'):.2f}" if limbs is not None else ""]


def lasting(work: Work) -> int:
    """How many steps take `LASTING`: shorter ones would tell how unsteady the machine is."""
    began, count = time.thread_time(), 2 * CHUNK
    work(count)
    return max(count, int(LASTING / (time.thread_time() - began) * count))


def two_threads(sim: luff.Simulation, turns: int) -> float:
    """Processor time of one thread that makes the steps of two groups, over that of the busier of two threads."""
    works = [together(lines_of(sim)) for _ in range(2)]
    count, gains = lasting(works[0]), []
    for _ in range(turns):
        used = [0.0, 0.0]

        def work(k: int, used: list[float] = used) -> None:
            began = time.thread_time()
            works[k](count)
            used[k] = time.thread_time() - began

        alone = 0.0
        for k in range(2):
            work(k)
            alone += used[k]
        threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        gains.append(alone / max(used))
    return statistics.median(gains)


def two_processes(text: str, turns: int) -> float:
    """The same of two processes, which have nothing in common but the machine."""
    words = [sys.executable, "-W", "ignore", "-c", BESIDE, json.dumps(text)]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, **pipes) as one, subprocess.Popen(words, **pipes) as other:
        both = one, other

        def told(each: subprocess.Popen[str]) -> float:
            assert each.stdout is not None
            return float(each.stdout.readline())

        def ask(each: subprocess.Popen[str]) -> None:
            assert each.stdin is not None
            print(count, file=each.stdin, flush=True)

        count, _ = [int(told(each)) for each in both]
        gains = []
        for _ in range(turns):
            alone = 0.0
            for each in both:
                ask(each)
                alone += told(each)
            for each in both:
                ask(each)
            gains.append(alone / max([told(each) for each in both]))
        for each in both:
            each.communicate()
    return statistics.median(gains)


BESIDE = """
import json, sys, time, luff
from luff.bench.lanes import lasting, lines_of, together
work = together(lines_of(luff.compile(luff.loads(json.loads(sys.argv[1])))))
print(lasting(work), flush=True)
for line in sys.stdin:
    began = time.thread_time()
    work(int(line))
    print(time.thread_time() - began, flush=True)
"""
SINGLE = """
import json, sys, time, luff
from luff.solver.codegen.object_loader import load
from luff.solver.batch.simd_memory import step_entry_points
session = luff.compile(luff.loads(sys.stdin.read())).start()
"""
BEFORE = f"""{SINGLE}
began = time.perf_counter()
load(step_entry_points(session.instance))
print(json.dumps(time.perf_counter() - began))
"""


def first_steps(text: str) -> tuple[float, float]:
    """Seconds before the first step in lanes: compiled, where code of single runs is there; loaded."""
    spent = []
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "LUFF_CACHE_DIR": folder}
        subprocess.run([sys.executable, "-c", SINGLE], input=text, env=env, text=True, check=True)
        for _ in range(2):
            done = subprocess.run(
                [sys.executable, "-c", BEFORE],
                input=text,
                env=env,
                text=True,
                check=True,
                capture_output=True,
            )
            spent.append(float(json.loads(done.stdout)))
    return spent[0], spent[1]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--only", default="", help="systems whose name has this")
    args = parser.parse_args()
    rows = []
    for name, limbs in trees().items():
        if args.only in name:
            rows.append([name, *contest(luff.compile(netlist(limbs)), args.turns, limbs)])
    for name, sim in others().items():
        if args.only in name:
            rows.append([name, *contest(sim, args.turns)])
    gains = {
        name: (
            two_threads(luff.compile(netlist(limbs)), args.turns),
            two_processes(netlist(limbs).to_yaml(), args.turns),
        )
        for name, limbs in trees().items()
        if args.only in name
    }
    texts = {"chain of 6": netlist(chain(6)).to_yaml()}
    texts |= {name: (LIBRARY / f"{name}.yaml").read_text("utf-8") for name in COLD}
    costs = {name: first_steps(text) for name, text in texts.items() if args.only in name}
    words = machine_words()
    lines = [f"# Runs in {LANES} lanes", "", f"`python -m luff.bench.lanes` on {words}", ""]
    table = [*HEAD, *(f"| {' | '.join(row)} |" for row in rows)]
    lines += table
    lines += [
        "",
        "Processor time of a step of one run; medians of ratios within turns. All runs have other masses.",
    ]
    lines += ["", "| system | two threads over one | two processes over one |", "|---|---|---|"]
    lines += [f"| {name} | {one:.2f} | {other:.2f} |" for name, (one, other) in gains.items()]
    lines += [
        "",
        "| system, by the clock | lanes compiled | lanes loaded |",
        "|---|---|---|",
    ]
    lines += [f"| {name} | {made:.0f} s | {1e3 * loaded:.1f} ms |" for name, (made, loaded) in costs.items()]
    keep(f"lanes_{LANES}.md", lines)
    if not args.only:
        for page in ("docs/speed.md", "docs/scripting.md"):
            show(page, table)


if __name__ == "__main__":
    main()
