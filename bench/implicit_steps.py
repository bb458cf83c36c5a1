"""Cost of a step of `implicit` in steps of rk4: long trees, beams, many mechanisms in one netlist.

`python -m luff.bench.implicit_steps [SYSTEM ...] [--write]`; `--write` writes bench/results/implicit.md.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import luff
from luff.bench.closed import steps as steps_of
from luff.bench.report import keep
from luff.bench.timing import machine_words, race, ratio
from luff.tests.shared.loop_cases import FOUR_BAR

mujoco: Any = import_module("mujoco")  # its names are not to be seen without running it
LIBRARY = Path(luff.__file__).resolve().parent / "library"
GOAL, GOAL_OF_CRANE = 12.0, 30.0
STEP = 1e-4
FLIGHT, OUR_STEP, THEIR_STEP = 4e-3, 2e-4, 1e-5  # [s] beside MuJoCo
SHORT = 1e-8  # of rk4 in beams and chains, which are stiff
Raw = dict[str, dict[str, object]]


def compiled(blocks: Raw, connect: list[str], first: str) -> luff.Simulation:
    raw = {"luff": 1, "blocks": blocks, "connect": connect, "record": [first]}
    return luff.compile(luff.loads(json.dumps({**raw, "simulation": {"stop": "1 s", "step": "0.1 ms"}})))


def chain(count: int) -> luff.Simulation:
    """Joints about all axes with springs and dampers."""
    blocks: Raw = {}
    connect, before = [], "world.frame"
    for k in range(count):
        blocks[f"j{k}"] = {
            "type": "revolute", "axis": "xyz"[k % 3], "stiffness": 2e5, "damping": 20.0,
            "initial": {"position": 0.02 * (k % 5)},
        }  # fmt: skip
        blocks[f"b{k}"] = {
            "type": "rigid_link", "mass": 2.0, "com": [0.1, 0.02, 0.0], "inertia": [0.02, 0.03, 0.04],
            "frame_b": {"at": [0.2, 0.0, 0.0]},
        }  # fmt: skip
        connect += [f"{before} -- j{k}.frame_a", f"j{k}.frame_b -- b{k}.frame_a"]
        before = f"b{k}.frame_b"
    return compiled(blocks, connect, "j0.position")


def beam(divisions: int) -> luff.Simulation:
    """A cantilever with a load at its end."""
    blocks: Raw = {
        "beam": {
            "type": "rfem_link", "length": "8 m", "E": "200 GPa", "divisions": divisions, "damping": "4 ms",
            "section": {"shape": "box", "width": "0.16 m", "height": "0.24 m", "thickness": "6 mm"},
        },
        "load": {"type": "rigid_link", "mass": 150.0},
    }  # fmt: skip
    return compiled(
        blocks, ["world.frame -- beam.frame_a", "beam.frame_b -- load.frame_a"], "beam.tip_deflection"
    )


def ropes(count: int) -> luff.Simulation:
    blocks: Raw = {}
    connect: list[str] = []
    for k in range(count):
        blocks |= {
            f"rail{k}": {"type": "prismatic", "axis": "z", "initial": {"position": -1.0}},
            f"load{k}": {"type": "rigid_link", "mass": 100.0},
            f"rope{k}": {"type": "rope", "length": "1 m", "EA": 2e5, "damping": "20 ms"},
        }
        connect += [
            f"world.frame -- rail{k}.frame_a", f"rail{k}.frame_b -- load{k}.frame_a",
            f"world.frame -- rope{k}.frame_a", f"load{k}.frame_a -- rope{k}.frame_b",
        ]  # fmt: skip
    return compiled(blocks, connect, "rail0.position")


def contacts(count: int) -> luff.Simulation:
    blocks: Raw = {}
    connect: list[str] = []
    for k in range(count):
        blocks |= {
            f"rail{k}": {"type": "prismatic", "axis": "z", "initial": {"position": 0.0999}},
            f"ball{k}": {"type": "rigid_link", "mass": 1.0},
            f"ground{k}": {"type": "contact", "radius": 0.1, "law": {"stiffness": 1e5, "dissipation": 2.0}},
        }
        connect += [
            f"world.frame -- rail{k}.frame_a", f"rail{k}.frame_b -- ball{k}.frame_a",
            f"world.frame -- ground{k}.plane", f"ball{k}.frame_a -- ground{k}.of",
        ]  # fmt: skip
    return compiled(blocks, connect, "rail0.position")


def four_bars(count: int) -> luff.Simulation:
    raw = yaml.safe_load(FOUR_BAR)
    blocks: Raw = {"world": raw["blocks"]["world"]}
    connect: list[str] = []
    own = [name for name in raw["blocks"] if name != "world"]
    for k in range(count):
        blocks |= {f"{name}{k}": raw["blocks"][name] for name in own}
        for wire in raw["connect"]:
            ends = [end.strip().split(".") for end in wire.split("--")]
            named = [name if name == "world" else f"{name}{k}" for name, _ in ends]
            connect.append(f"{named[0]}.{ends[0][1]} -- {named[1]}.{ends[1][1]}")
    return compiled(blocks, connect, "A0.position")


def crane() -> luff.Simulation:
    return luff.compile(LIBRARY / "crane_knuckle_boom.yaml")


SYSTEMS: dict[str, Callable[[], luff.Simulation]] = {
    "beam of 20 divisions": lambda: beam(20),
    "beam of 200 divisions": lambda: beam(200),
    "chain of 18 joints": lambda: chain(18),
    "chain of 100 joints": lambda: chain(100),
    "chain of 300 joints": lambda: chain(300),
    "200 ropes": lambda: ropes(200),
    "200 contacts": lambda: contacts(200),
    "50 four-bars": lambda: four_bars(50),
    "knuckle boom crane": crane,
}


def measure(system: str, turns: int) -> str:
    sim = SYSTEMS[system]()
    explicit = SHORT if system.startswith(("beam", "chain")) else STEP
    works = {"rk4": steps_of(sim, "rk4", explicit), "implicit": steps_of(sim, "implicit", STEP)}
    times = race(works, turns)
    goal = GOAL_OF_CRANE if "crane" in system else GOAL
    least = {name: 1e6 * min(spent) for name, spent in times.items()}
    cost = ratio(times, "implicit", "rk4")
    return (
        f"| {system} | {len(sim.x0)} | {least['rk4']:.3g} | {least['implicit']:.3g} | {cost:.3g} | {goal:g} |"
    )


def in_mujoco(count: int) -> Any:
    """Return the chain as a MuJoCo model; its RK4 ends 1e-13 rad from luff's after 4 ms."""
    axes = ("1 0 0", "0 1 0", "0 0 1")
    bodies = "".join(
        f'<body pos="{0.2 if k else 0.0} 0 0"><joint type="hinge" axis="{axes[k % 3]}" stiffness="2e5" damping="20"/>'
        '<inertial pos="0.1 0.02 0" mass="2" fullinertia="0.02 0.03 0.04 0 0 0"/>'
        for k in range(count)
    )
    option = (
        '<compiler angle="radian"/><option integrator="implicitfast"><flag constraint="disable"/></option>'
    )
    return mujoco.MjModel.from_xml_string(
        f"<mujoco>{option}<worldbody>{bodies}{'</body>' * count}</worldbody></mujoco>"
    )


def beside_mujoco(count: int, turns: int) -> str:
    """Processor time for a second of motion over that of `implicitfast`, at the step at which that is off by as much.

    Its order is 1: that step is as much shorter than one that was measured as the error is smaller.
    """
    sim, model = chain(count), in_mujoco(count)
    data = mujoco.MjData(model)
    places = [sim.state_names.index(f"j{k}.position") for k in range(count)]

    def flown(step: float, method: str) -> np.ndarray:
        session = sim.start(stop=1e3, step=step, method=method, output_step=1e3)
        session.advance(steps=round(FLIGHT / step))
        return session.x[places]

    def reset() -> None:
        mujoco.mj_resetData(model, data)
        data.qpos[:] = [0.02 * (k % 5) for k in range(count)]

    def theirs(steps: int) -> None:
        reset()
        mujoco.mj_step(model, data, steps)

    true = flown(2e-7, "rk4")
    ours = float(abs(flown(OUR_STEP, "implicit") - true).max())
    model.opt.timestep = THEIR_STEP
    theirs(round(FLIGHT / THEIR_STEP))
    step = THEIR_STEP * ours / float(abs(data.qpos - true).max())
    times = race({"implicit": steps_of(sim, "implicit", OUR_STEP), "mujoco": theirs}, turns)
    cost = ratio(times, "implicit", "mujoco") * step / OUR_STEP
    return f"| {count} | {ours:.1e} | {1e3 * OUR_STEP:g} | {1e3 * step:.2g} | {cost:.2g} | 2 |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("systems", nargs="*", help="all if left out")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    lines = [
        "| system | states | rk4 [us] | implicit [us] | implicit in steps of rk4 | at most |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    print("\n".join(lines), flush=True)
    for system in options.systems or SYSTEMS:
        lines.append(measure(system, options.turns))
        print(lines[-1], flush=True)
    if not options.systems:
        lines += [
            "",
            "| joints | off by [rad] | step [ms] | MuJoCo's [ms] | time over MuJoCo's `implicitfast` | at most |",
            "|--:|--:|--:|--:|--:|--:|",
            *(beside_mujoco(count, options.turns) for count in (18, 100)),
        ]
        print("\n".join(lines[-4:]), flush=True)
    about = (
        "Steps of 0.1 ms (of rk4 in beams and chains: 0.01 us, to be stable) from the start, by processor time: "
        "least of each, median of the ratios."
    )
    lines = ["# Steps of `implicit`", "", *lines, "", about, "", machine_words()]
    keep("implicit.md", lines, options.write)


if __name__ == "__main__":
    main()
