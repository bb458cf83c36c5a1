"""Random heaps of shapes: no energy from nowhere, no shape through another one, no number that is none."""

from __future__ import annotations

import numpy as np

import luff
from luff.solver.analysis.touch_advice import touch_advice
from luff.tests.conftest import PLAIN

KINDS = ("sphere", "capsule", "box", "cylinder")


def heap(rng: np.random.Generator) -> str:
    """A netlist of two to four bodies above a floor, thrown at each other."""
    lines, wires, names = [], [], []
    count = int(rng.integers(2, 5))
    kinds = [str(rng.choice(KINDS)) for _ in range(count)]
    for k, kind in enumerate(kinds):
        size = rng.uniform(0.3, 1.0, 3)
        length = {"sphere": size[:1], "capsule": size[:2] * [0.5, 1.0], "cylinder": size[:2], "box": size}[
            kind
        ]
        mass = float(rng.uniform(100.0, 400.0))
        moments = (mass * 0.1 * float(np.mean(size**2)) * rng.uniform(0.8, 1.2, 3)).tolist()
        at = [*rng.uniform(-0.2, 0.2, 2), 0.9 + 1.3 * k]
        turn, v, w = rng.uniform(-180, 180, 3), rng.normal(size=3), rng.normal(size=3)
        rounding = "" if kind in ("sphere", "capsule") else f", round: {0.15 * float(size.min())}"
        start = f"position: {[*map(float, at)]}, velocity: {v.tolist()}, angular_velocity: {w.tolist()}"
        turned = f"rotate: [[x, {turn[0]} deg], [y, {turn[1]} deg], [z, {turn[2]} deg]]"
        shape = f"{{kind: {kind}, size: {length.tolist()}{rounding}}}"
        lines.append(f"  f{k}: {{type: free, initial: {{{start}, {turned}}}}}")
        lines.append(f"  b{k}: {{type: rigid_link, mass: {mass}, inertia: {moments}, shape: {shape}}}")
        wires += [f"world.frame -- f{k}.frame_a", f"f{k}.frame_b -- b{k}.frame_a"]
        names.append(f"b{k}")
    law = f"law: {{stiffness: 2e6, dissipation: {rng.choice([0.0, 0.3, 1.0])}}}"
    friction = f"friction: {{mu: {rng.choice([0.0, 0.2, 0.6])}}}"
    floor = rng.choice(["{kind: plane}", "{kind: box, size: [40, 40, 2], at: [0, 0, -1], round: 0.1}"])
    return f"""
luff: 1
blocks:
  floor: {{type: fixture, shape: {floor}}}
  energy: {{type: energy_sensor}}
{chr(10).join(lines)}
  heap: {{type: touch, among: [{", ".join(names)}, floor], {law}, {friction}}}
connect: [{", ".join(wires)}]
simulation: {{stop: 3, step: 1e-3, output_step: 1e-3}}
"""


DRAWS = 2 if PLAIN else 10


def test_random_heaps_lose_energy_and_nothing_falls_through(seed: int) -> None:
    for draw in range(seed, seed + DRAWS):
        print(f"seed {draw}")
        assert_sound(draw)


def assert_sound(seed: int) -> None:
    """A heap has no more energy than at its start, stays above the floor, and all its numbers are finite."""
    text = heap(np.random.default_rng(seed))
    sim = luff.compile(luff.loads(text))
    # impacts are followed by some sixty steps
    step = min(1e-3, 0.09 * touch_advice(sim)["heap"].light_step)
    found = sim.run(step=step, output_step=step, stop=0.05 if PLAIN else 3.0)
    assert np.isfinite(found.table).all()
    heights = [
        found[name][:, 2] for name in (f"f{k}.position" for k in range(4)) if f"{name}[2]" in found.columns
    ]
    assert min(float(height.min()) for height in heights) > 0.0
    energy, moving = found["energy.total"], found["energy.kinetic"].max()
    # what steps err
    assert (energy - energy[0]).max() <= 1e-4 * moving
