"""Models that chance draws for linear analyses: stiff springs beside soft pendulums, free bodies, blocks that only
watch, and loops of several rates and delays, with others beside them that have nothing to do with it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

STEP = 1e-3  # s, of the loops' runs


def number(value: float) -> str:
    return f"{float(value):.12g}"


def mechanics(rng: np.random.Generator, hardest: float = 10.0) -> str:
    """Masses on springs of 1e-2 to 10^hardest N/m, in relative coordinates, some of them free; pendulums; an rms."""
    blocks, wires, watched = [], [], []
    for chain in range(int(rng.integers(1, 4))):
        last = "world.frame"
        pendulum = rng.random() < 0.4
        for k in range(int(rng.integers(1, 4))):
            name, mass = f"{chain}_{k}", 10.0 ** rng.uniform(-1.0, 4.0)
            damping = rng.choice([0.0, 1e-4, 1e-2, 0.3])
            if pendulum:
                at = f"[0, 0, {number(-rng.uniform(0.3, 20.0))}]"
                loss = f", damping: {number(damping * mass)}" if damping else ""
                blocks.append(f"j{name}: {{type: revolute, axis: {rng.choice(['x', 'y'])}{loss}}}")
                blocks.append(
                    f"b{name}: {{type: rigid_link, mass: {number(mass)}, com: {at}, frame_b: {{at: {at}}}}}"
                )
            else:
                free = rng.random() < 0.2
                stiffness = 0.0 if free else 10.0 ** rng.uniform(-2.0, hardest)
                loss = 2.0 * damping * np.sqrt(stiffness * mass)
                spring = "" if free else f", stiffness: {number(stiffness)}, damping: {number(loss)}"
                blocks.append(f"j{name}: {{type: prismatic, axis: {rng.choice(['x', 'y'])}{spring}}}")
                blocks.append(f"b{name}: {{type: rigid_link, mass: {number(mass)}}}")
            wires += [f"{last} -- j{name}.frame_a", f"j{name}.frame_b -- b{name}.frame_a"]
            last = f"b{name}.frame_b"
            watched.append(f"j{name}.position")
    if rng.random() < 0.4:
        blocks.append("effective: {type: rms}")
        wires.append(f"{rng.choice(watched)} -> effective.u")
    if rng.random() < 0.4:
        blocks.append(
            f"lag: {{type: transfer_function, num: [1], den: [{number(10.0 ** rng.uniform(-3, 3))}, 1]}}"
        )
        wires.append(f"{rng.choice(watched)} -> lag.u")
    return netlist(blocks, wires, "1 ms")


@dataclass(frozen=True)
class ByChance:
    """A model with a loop `k.y`, whose gain is `k`."""

    text: str
    gain: float
    sampled: bool
    delayed: bool


def loop(rng: np.random.Generator, gain: float | None = None) -> ByChance:
    """A plant under a gain, through samplers and delays; beside it loops of other rates, unconnected or only fed."""
    kind = rng.choice(["rates", "sampled", "delayed", "both"])
    den = [[1.0, 0.0], [1.0, 1.0], [0.05, 1.0, 0.0], [1.0, 0.6, 4.0], [0.1, 1.1, 1.0]][int(rng.integers(5))]
    scale = 10.0 ** rng.uniform(-1.0, 1.0)
    den = [number(one * scale ** (len(den) - 1 - k)) for k, one in enumerate(den)]
    if gain is None:
        gain = float(10.0 ** rng.uniform(-1.5, 1.0) / scale)
    way = ["k"]
    blocks = [
        "goal: {type: constant, value: 0}",
        "e: {type: sum}",
        f"k: {{type: gain, k: {number(gain)}}}",
        f"plant: {{type: transfer_function, num: [1], den: [{', '.join(den)}]}}",
    ]
    if kind in ("sampled", "both"):
        period = int(rng.choice([2, 5, 10, 20, 50]))
        blocks.append(f"hold: {{type: zero_order_hold, sample_time: {period} ms}}")
        way.append("hold")
    if kind in ("delayed", "both"):
        late = int(rng.choice([3, 5, 20, 70, 110]))
        blocks.append(f"late: {{type: delay, delay: {late} ms}}")
        way.append("late")
    if kind in ("delayed", "rates") and rng.random() < 0.5:
        blocks.append(
            f"lag: {{type: transfer_function, num: [1], den: [{number(10.0 ** rng.uniform(-2, 0))}, 1]}}"
        )
        way.append("lag")
    way.append("plant")
    wires = ["goal.y -> e.u1", "plant.y -> e.u2", "e.y -> k.u"]
    wires += [f"{a}.y -> {b}.u" for a, b in pairwise(way)]
    for j in range(int(rng.integers(0, 3))):
        slow = int(rng.choice([7, 100, 130, 400]))
        sort = (
            f"zero_order_hold, sample_time: {slow} ms" if rng.random() < 0.6 else f"delay, delay: {slow} ms"
        )
        blocks += [
            f"o{j}: {{type: sum}}",
            f"m{j}: {{type: {sort}}}",
            f"p{j}: {{type: transfer_function, num: [0.7], den: [{number(10.0 ** rng.uniform(-1, 1))}, 1]}}",
        ]
        source = "plant.y" if rng.random() < 0.5 else "goal.y"  # fed by it, or apart
        wires += [f"{source} -> o{j}.u1", f"p{j}.y -> o{j}.u2", f"o{j}.y -> m{j}.u", f"m{j}.y -> p{j}.u"]
    return ByChance(
        netlist(blocks, wires, "1 ms"), gain, kind in ("sampled", "both"), kind in ("delayed", "both")
    )


def netlist(blocks: list[str], wires: list[str], step: str) -> str:
    body = "\n".join(f"  {block}" for block in blocks)
    return (
        f"luff: 1\nblocks:\n{body}\nconnect:\n"
        + "\n".join(f"  - {wire}" for wire in wires)
        + f"\nsimulation: {{stop: 1 s, step: {step}}}\n"
    )
