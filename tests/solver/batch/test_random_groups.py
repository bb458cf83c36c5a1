"""Random small models in random groups of lanes: chains with friction, stops, signals and events, and closed loops.

Some lanes fail, locate events, end early or choose other independent coordinates: all have the bits of single runs.
What blocks compute has one text in all models, so that its code is compiled once.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest

import luff
from luff.solver.codegen.transforms.entry_point_variants import LANES
from luff.tests.conftest import PLAIN, about_compiling
from luff.tests.shared.changeable_numbers import numbers_of
from luff.tests.shared.loop_cases import FOUR_BAR

Raw = dict[str, Any]
LAWS = ("none", "viscous", "coulomb", "dahl", "lugre")
ENDINGS = (".mass", ".stiffness", ".velocity", ".inertia", ".load", ".com", "push.value", "level.value")
# closed, signals, events, ends
CASES = (
    (False, False, "step", False), (False, True, "locate", False), (False, True, "step", True),
    (False, False, "locate", True), (True, False, "step", False), (True, True, "step", True),
)  # fmt: skip


def chain(rng: np.random.Generator) -> Raw:
    """One to three joints in a row: each may have a spring, friction and stops near to where it starts."""
    blocks: Raw = {"world": {"gravity": rng.uniform(-10, 10, 3).tolist()}}
    connect, before = [], "world.frame"
    for k in range(int(rng.integers(1, 4))):
        turns = bool(rng.random() < 0.5)
        joint: Raw = {
            "type": "revolute" if turns else "prismatic",
            "axis": str(rng.choice(list("xyz"))),
            "damping": float(rng.uniform(0, 2)),
            "initial": {"position": float(rng.uniform(-0.2, 0.2)), "velocity": float(rng.uniform(-2, 2))},
        }
        if rng.random() < 0.5:
            joint["stiffness"] = float(10 ** rng.uniform(0, 3))
        if rng.random() < 0.4:
            joint["limits"] = {"lower": -0.25, "upper": 0.25, "stiffness": 1e4, "damping": 20.0}
        law = str(rng.choice(LAWS))
        if law != "none":
            joint["friction"] = {"model": law, "load": 20.0, "mu_k": 0.2, "mu_s": 0.3}
            if turns:
                joint["friction"]["diameter"] = 0.1
        mass = float(rng.uniform(0.5, 3))
        blocks |= {
            f"j{k}": joint,
            f"b{k}": {
                "type": "rigid_link", "mass": mass, "com": [0.1, 0.2, 0.3], "inertia": [mass, mass, mass],
                "frame_b": {"at": rng.uniform(-0.5, 0.5, 3).tolist()},
            },
        }  # fmt: skip
        connect += [f"{before} -- j{k}.frame_a", f"j{k}.frame_b -- b{k}.frame_a"]
        before = f"b{k}.frame_b"
    return {"luff": 1, "blocks": blocks, "connect": connect}


def loop(rng: np.random.Generator) -> Raw:
    """A four-bar of random lengths: where its crank cannot go around, other coordinates have to be chosen."""
    raw = luff.loads(FOUR_BAR).data
    blocks = raw["blocks"]
    lengths = rng.uniform([0.9, 1.7, 1.2], [1.2, 2.3, 1.6])
    for name, length in zip(("crank", "rod", "rocker"), lengths, strict=True):
        blocks[name]["frame_b"]["at"][0] = float(length)
    blocks["A"]["initial"]["velocity"] = float(rng.uniform(-9, 9))
    return {"luff": 1, "blocks": blocks, "connect": raw["connect"]}


def with_signals(rng: np.random.Generator, raw: Raw, joint: str) -> None:
    """A force that switches with the motion, one that is held, a limit, and a sum over time."""
    level = float(rng.uniform(-0.3, 0.9))
    raw["blocks"] |= {
        "level": {"type": "constant", "value": level},
        "push": {"type": "constant", "value": float(rng.uniform(-20, 20))},
        "switch": {
            "type": "expression",
            "inputs": ["u", "level", "push"],
            "expr": "push if u > level else 0",
        },
        "held": {"type": "zero_order_hold", "sample_time": 0.007},
        "low": {"type": "saturation", "lower": level - 0.1, "upper": level + 0.1},
        "sum": {"type": "integrator"},
        "total": {"type": "sum", "signs": "++"},
    }
    raw["connect"] += [
        f"{joint}.position -> switch.u", "level.y -> switch.level", "push.y -> switch.push",
        f"{joint}.velocity -> held.u", f"{joint}.position -> low.u", "low.y -> sum.u",
        "switch.y -> total.u1", "held.y -> total.u2", f"total.y -> {joint}.effort",
    ]  # fmt: skip


def netlist(rng: np.random.Generator, closed: bool, signals: bool, events: str, ends: bool) -> luff.Diagram:
    raw = loop(rng) if closed else chain(rng)
    joint = "A" if closed else "j0"
    if signals:
        with_signals(rng, raw, joint)
    raw["simulation"] = {"stop": 0.1, "step": 0.001, "output_step": 0.01, "events": events}
    if ends:
        raw["simulation"]["stop_when"] = f"{joint}.velocity above {float(rng.uniform(0, 3)):g}"
    return luff.loads(json.dumps(raw))


def drawn(rng: np.random.Generator, sim: luff.Simulation, count: int, joint: str) -> dict[str, Any]:
    """Values of a few numbers, and of a damping under which some runs, one at least, have no step that is stable."""
    far = rng.random(count) < 0.1
    far[rng.integers(count)] = True
    damping = np.where(far, 10 ** rng.uniform(5, 6, count), rng.uniform(0, 2, count))
    blocks = {name: block for name, block in sim.program.flat.blocks.items() if name != "world"}
    known = {path: value for path, value in numbers_of(blocks) if path.endswith(ENDINGS) and np.any(value)}
    values: dict[str, Any] = {f"{joint}.damping": damping}
    for path in rng.choice(sorted(known), min(3, len(known)), replace=False):
        values[str(path)] = np.multiply.outer(
            10 ** rng.uniform(-0.1, 0.1, count), np.array(known[path], float)
        )
    return values


def run_of(diagram: luff.Diagram, values: dict[str, Any], k: int) -> tuple[str, np.ndarray]:
    """How a single run ends, of a netlist that is compiled for it alone, and its rows; not the one that it has where a
    condition ends it between two others, for a batch has none there."""
    sim = luff.compile(diagram, **{path: each[k].tolist() for path, each in values.items()})
    try:
        status, result = "finished", sim.run()
    except luff.RunError as error:
        status, result = "failed", error.result  # type: ignore[attr-defined]
    every = sim.settings.output_step
    return status, result.table[abs(result.time / every - np.round(result.time / every)) < 1e-6]


@about_compiling
@pytest.mark.filterwarnings("ignore::luff.ModelWarning")
def test_lanes_of_random_models_have_the_bits_of_single_runs(seed: int) -> None:
    counts: Counter[str] = Counter()
    for number, case in enumerate(CASES):
        rng = np.random.default_rng([seed, number])
        diagram = netlist(rng, *case)
        sim, count = luff.compile(diagram), int(rng.integers(LANES, 2 * LANES + 5))
        values = drawn(rng, sim, count, "A" if case[0] else "j0")
        alone, together = (luff.batch(sim, values, "*", lanes=lanes) for lanes in (False, True))
        assert together.status == alone.status
        assert together.messages == alone.messages
        np.testing.assert_array_equal(together.table, alone.table)
        failed = np.flatnonzero(np.array(alone.status) == "failed")
        for k in {0, int(rng.integers(count)), *failed[:1].tolist()}:
            status, table = run_of(diagram, values, k)
            rows = together.table[k][: len(table)]
            assert status == together.status[k]
            np.testing.assert_array_equal(rows, table[: len(rows)])
            assert np.isnan(together.table[k][len(table) :]).all()
        counts["failed"] += len(failed)
        counts["ended early"] += int(np.isnan(alone.table[:, -1, 0]).sum()) - len(failed)
        counts.update(why or "in lanes to the end" for why in together.alone)
    print("runs:", dict(counts))
    assert counts["in lanes to the end"] > LANES
    assert counts["failed"] >= len(CASES)
    assert counts["ended early"] > 0


def test_what_is_drawn_is_of_every_kind() -> None:
    """Among few seeds there are stops, all laws of friction and loops that close."""
    laws, stops, closing = set(), 0, 0
    for seed in range(30):
        for block in chain(np.random.default_rng(seed))["blocks"].values():
            laws.add(block.get("friction", {}).get("model", "none"))
            stops += "limits" in block
    for seed in range(3):
        closing += luff.compile(netlist(np.random.default_rng(seed), True, False, "step", False)) is not None
    assert laws == {*LAWS}
    assert stops > 5
    assert PLAIN or closing == 3
