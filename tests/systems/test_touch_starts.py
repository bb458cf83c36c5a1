"""Random starts of piles, guides and rims at the steps that `luff info` names: nothing passes through anything.

Cores of shapes that never meet have not passed each other: a run whose pairs stay less deep than their roundings, at
every step, has no tunnelling. What dissipates more has shorter steps, which also tell where energy comes from.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import luff
from luff.solver.analysis.touch_advice import touch_advice
from luff.solver.integrators.run_data import LOWEST
from luff.solver.program.switching_functions import switching_counts
from luff.solver.program.travel_limits import DEEP
from luff.tests.conftest import PLAIN

MASS, STIFFNESS = 60.0, 1e6
# half of what one corner bears at which a whole body arrives, r_a + r_b = 0.12 m deep
SPEED = 0.5 * 0.12 * math.sqrt(STIFFNESS / MASS)
SHAPES = {
    "ball": "{kind: sphere, size: [0.5]}",
    "rod": "{kind: capsule, size: [0.3, 0.6]}",
    "crate": "{kind: box, size: [0.6, 0.5, 0.4], round: 0.06}",
    "drum": "{kind: cylinder, size: [0.5, 0.5], round: 0.06}",
    "barrel": "{kind: cylinder, size: [0.4, 0.6], round: 0.06}",
    "plate": "{kind: box, size: [0.9, 0.9, 0.2], round: 0.06}",
}
# a box of guides with 20 mm of play around a crate, open above
GUIDES = """{
  floor: {kind: box, size: [3, 3, 1], at: [0, 0, -0.5], round: 0.06},
  east: {kind: box, size: [0.4, 1.4, 2], at: [0.52, 0, 1], round: 0.06},
  west: {kind: box, size: [0.4, 1.4, 2], at: [-0.52, 0, 1], round: 0.06},
  north: {kind: box, size: [1.4, 0.4, 2], at: [0, 0.47, 1], round: 0.06},
  south: {kind: box, size: [1.4, 0.4, 2], at: [0, -0.47, 1], round: 0.06}}"""
FLOOR = "{floor: {kind: box, size: [30, 30, 2], at: [0, 0, -1], round: 0.1}}"
# edges, corners and a rail for rims
RAILS = """{
  floor: {kind: box, size: [30, 30, 2], at: [0, 0, -1], round: 0.1},
  block: {kind: box, size: [0.5, 0.5, 0.5], at: [0, 0, 0.25], round: 0.06},
  rail: {kind: capsule, size: [0.2, 2], at: [0, 0.6, 0.3], rotate: [[y, 90 deg]]}}"""
SCENES = {
    "pile": (("ball", "rod", "crate", "plate", "drum", "barrel"), FLOOR),
    "guides": (("crate",), GUIDES),
    "rims": (("drum",), RAILS),
}


INERTIA = [1.5, 2.0, 2.5]


def free_bodies(names: tuple[str, ...]) -> tuple[str, str]:
    """Blocks and wires of free bodies with these shapes, whose starts are set later."""
    blocks = "".join(
        f"  {name}_free: {{type: free}}\n"
        f"  {name}: {{type: rigid_link, mass: {MASS}, inertia: {INERTIA}, shape: {SHAPES[name]}}}\n"
        for name in names
    )
    wires = ", ".join(
        f"world.frame -- {one}_free.frame_a, {one}_free.frame_b -- {one}.frame_a" for one in names
    )
    return blocks, wires


def scene(kind: str, dissipation: float) -> luff.Simulation:
    """Free bodies of a scene in its surroundings."""
    names, surroundings = SCENES[kind]
    blocks, wires = free_bodies(names)
    law = f"law: {{stiffness: {STIFFNESS}, dissipation: {dissipation} s/m}}, friction: {{mu: 0.3}}"
    return luff.compile(
        luff.loads(
            f"luff: 1\nblocks:\n  stand: {{type: fixture, shapes: {surroundings}}}\n{blocks}"
            "  energy: {type: energy_sensor}\n  most: {type: peak}\n"
            f"  hits: {{type: touch, among: [{', '.join(names)}, stand], {law}}}\n"
            f"connect: [energy.total -> most.u, {wires}]\nsimulation: {{stop: 2, step: 1e-4, output_step: 2}}\n"
        )
    )


class Starts:
    """Random starts of a scene; speeds are shares of what the roundings bear."""

    def __init__(self, kind: str, dissipation: float):
        self.kind, self.sim = kind, scene(kind, dissipation)
        self.advice = touch_advice(self.sim)["hits"]
        self.bodies = SCENES[kind][0]

    def places(self, body: str, name: str, count: int) -> list[int]:
        return [self.sim.state_names.index(f"{body}_free.{name}[{k}]") for k in range(count)]

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """A state: bodies above each other in a random order, or one above the guides or rails."""
        x = np.array(self.sim.x0)
        for k, body in enumerate(rng.permutation(self.bodies)):
            at = np.array([0.0, 0.0, 0.9 + 1.1 * k])
            turn = rng.normal(size=4)
            if self.kind == "guides":
                # within the play, upright, a little turned
                at = np.array([*rng.uniform(-0.015, 0.015, 2), rng.uniform(0.35, 2.0)])
                turn = np.array([1.0, *rng.uniform(-0.004, 0.004, 3)])
            elif self.kind == "rims":
                at[:2] += rng.uniform(-0.9, 0.9, 2)
                at[2] = rng.uniform(1.0, 1.4)
            else:
                at[:2] += rng.uniform(-0.2, 0.2, 2)
            x[self.places(body, "position", 3)] = at
            x[self.places(body, "orientation", 4)] = turn / np.linalg.norm(turn)
            v, w = rng.normal(size=3), rng.normal(size=3)
            x[self.places(body, "velocity", 3)] = rng.uniform(0.0, SPEED) * v / np.linalg.norm(v)
            spin = 0.0 if self.kind == "guides" else rng.uniform(0.0, 2.0 * SPEED)
            x[self.places(body, "angular_velocity", 3)] = spin * w / np.linalg.norm(w)
        return x

    def run(self, x: np.ndarray, step: float, seconds: float) -> tuple[float, float]:
        """Largest depth beyond the roundings [m] of any pair in a run from a state, 0 if all stay within, and the rise
        of the energy above that of the start over the latter, with the weight's from the ground up.
        """
        steps = math.ceil(seconds / step)
        session = self.sim.start(x0=x, step=step, stop=steps * step, output_step=steps * step)
        session.advance(steps=steps)
        assert np.isfinite(np.array(session.x)).all()
        run = session.instance
        switches = run.program.switches
        columns = switching_counts(run.w, run.sections, switches)
        beyond = max(
            -float(columns[LOWEST, k]) for k, switch in enumerate(switches) if switch.what.startswith(DEEP)
        )
        rows, at = session.take()[1], session.columns.index
        start = rows[0, at("energy.total")]
        return beyond, (rows[-1, at("most.y")] - start) / start


DRAWS = 1 if PLAIN else 8
# a bristle begins to bend as if it held, by up to v h, before it slides: k (v h)^2 / 2, v^2 <= 2 E (1/m + r^2/J)
BENT = STIFFNESS * (1.0 / MASS + 0.45**2 / min(INERTIA))
# s/m, and seconds of a run
LIGHT = [(kind, 0.02, 1.2) for kind in SCENES]
HEAVY = [("rims", 0.5, 1.2), ("guides", 0.5, 1.2), ("pile", 0.5, 0.2)]


@pytest.mark.parametrize(("kind", "dissipation", "seconds"), LIGHT + HEAVY)
def test_random_starts_stay_within_their_roundings(
    kind: str, dissipation: float, seconds: float, seed: int, many: int
) -> None:
    starts = Starts(kind, dissipation)
    step = starts.advice.largest_step
    for draw in range(seed, seed + DRAWS * many):
        print(f"seed {draw}")
        x = starts.draw(np.random.default_rng(draw))
        beyond, rise = starts.run(x, step, 20.0 * step if PLAIN else seconds)
        assert beyond <= 0.0
        assert rise <= BENT * step**2


def test_forces_of_random_heaps_leave_all_momentum(seed: int, many: int) -> None:
    """Rates of linear and angular momentum about the origin without gravity, over the sums of their terms."""
    names = SCENES["pile"][0]
    blocks, wires = free_bodies(names)
    text = (
        f"luff: 1\nblocks:\n  world: {{gravity: [0, 0, 0]}}\n{blocks}"
        f"  hits: {{type: touch, among: [{', '.join(names)}],"
        f" law: {{stiffness: {STIFFNESS}, dissipation: 0.5 s/m}}, friction: {{mu: 0.3, rolling: 5 mm}}}}\n"
        f"connect: [{wires}]\n"
        "simulation: {stop: 1, step: 1e-3}\n"
    )
    sim = luff.compile(luff.loads(text))
    index, inertia = sim.state_names.index, np.array(INERTIA)
    run, touching = sim.new_instance(), 0
    for draw in range(seed, seed + (2 if PLAIN else 100) * many):
        rng = np.random.default_rng(draw)
        x = rng.normal(size=len(sim.x0)) * 1e-4  # bristles
        places = {
            (one, name): [index(f"{one}_free.{name}[{k}]") for k in range(count)]
            for one in names
            for name, count in (("position", 3), ("orientation", 4), ("velocity", 3), ("angular_velocity", 3))
        }
        for (_, name), at in places.items():
            x[at] = rng.normal(size=len(at)) * (0.4 if name == "position" else 1.0)
            if name == "orientation":
                x[at] /= np.linalg.norm(x[at])
        dx = run.rates(0.0, x)
        total, turned, size, turning = np.zeros(3), np.zeros(3), 0.0, 0.0
        for one in names:
            w = x[places[one, "angular_velocity"]]
            R = Rotation.from_quat(x[places[one, "orientation"]], scalar_first=True).as_matrix()
            force = MASS * dx[places[one, "velocity"]]
            moments = (
                np.cross(x[places[one, "position"]], force),
                R @ (inertia * dx[places[one, "angular_velocity"]]),
                R @ np.cross(w, inertia * w),
            )
            total, turned = total + force, turned + sum(moments)
            size += np.linalg.norm(force)
            turning += sum(np.linalg.norm(moment) for moment in moments)
        touching += size > 0.0
        # rounding of a few hundred operations
        assert np.linalg.norm(total) <= 1e-12 * size, f"seed {draw}"
        assert np.linalg.norm(turned) <= 1e-12 * turning, f"seed {draw}"
    assert touching > (0 if PLAIN else 50)
