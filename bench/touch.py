"""Shapes that touch beside MuJoCo, at equal sink and in one run: `python -m luff.bench.touch`.

Boxes of a tonne on a plane, one above the other; and boxes and spheres of 100 kg in a bin, after they fell into it.
luff takes rk4 with four evaluations a step; MuJoCo its implicitfast integrator, elliptic cones and a stiffness that is
matched by the sink of a single box.
"""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

import numpy as np

import luff

mujoco: Any = import_module("mujoco")  # its names are not to be seen without running it
G, STEP = 9.81, 1e-3
SIDE = 0.5  # of what falls into a bin [m]
OPTIONS = f'<option timestep="{STEP}" cone="elliptic" integrator="implicitfast"/><size memory="200M"/>'


class Scene:
    """Equal bodies with a joint of six freedoms each, in luff's words and in MuJoCo's."""

    def __init__(self, mass: float, stiffness: float, touch: str, size: list[float], kind: str = "box"):
        self.mass, self.stiffness, self.touch, self.kind = mass, stiffness, touch, kind
        x, y, z = size if kind == "box" else size * 3
        share = mass / 12.0 if kind == "box" else mass / 20.0
        inertia = [share * (y * y + z * z), share * (x * x + z * z), share * (x * x + y * y)]
        rounding = ", round: 0.02" if kind == "box" else ""
        self.body = f"mass: {mass}, inertia: {inertia}, shape: {{kind: {kind}, size: {size}{rounding}}}"
        self.geom = f'type="{kind}" size="{" ".join(str(0.5 * one) for one in size)}" mass="{mass}"'
        self.blocks, self.wires, self.bodies = list[str](), list[str](), list[str]()

    def add(self, at: list[float], turn: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> None:
        """Add a body at a place, turned about its x, y and z axes in this order [rad]."""
        k = len(self.bodies)
        axes = ", ".join(f"[{axis}, {angle} rad]" for axis, angle in zip("xyz", turn, strict=True))
        self.blocks.append(f"  f{k}: {{type: free, initial: {{position: {at}, rotate: [{axes}]}}}}")
        self.blocks.append(f"  b{k}: {{type: rigid_link, {self.body}}}")
        self.wires.append(f"world.frame -- f{k}.frame_a, f{k}.frame_b -- b{k}.frame_a")
        place = " ".join(map(str, at))
        euler = " ".join(map(str, turn))
        self.bodies.append(f'<body pos="{place}" euler="{euler}"><freejoint/><geom {self.geom}/></body>')

    def netlist(self, planes: dict[str, tuple[list[float], str]]) -> str:
        """The scene for luff; each plane has its place and how it is turned."""
        shapes = ", ".join(f"{n}: {{kind: plane, at: {p}, rotate: [{r}]}}" for n, (p, r) in planes.items())
        return (
            f"luff: 1\nblocks:\n  bin: {{type: fixture, shapes: {{{shapes}}}}}\n" + "\n".join(self.blocks)
            + f'\n  pile: {{type: touch, among: ["b*"], law: {{stiffness: {self.stiffness}, dissipation: 3}},'
            f" friction: {{mu: 0.4}}, {self.touch}}}\nconnect: [{', '.join(self.wires)}]\n"
            f"simulation: {{stop: 100, step: {STEP}, output_step: 1}}\n"
        )  # fmt: skip

    def peer(self, stiffness: float, planes: list[tuple[list[float], list[float]]]) -> tuple[Any, Any]:
        """The scene in MuJoCo; critical damping of its contacts; planes by place and normal."""
        geoms = "".join(
            f'<geom type="plane" size="50 50 1" pos="{" ".join(map(str, p))}" zaxis="{" ".join(map(str, n))}"/>'
            for p, n in planes
        )
        solref = f"{-stiffness} {-2.0 * stiffness**0.5}"
        model = mujoco.MjModel.from_xml_string(
            f'<mujoco><compiler angle="radian" eulerseq="xyz"/>{OPTIONS}<default>'
            f'<geom friction="0.4 0.005 0.0001" solref="{solref}" solimp="0.9 0.9 0.01"/></default>'
            f"<worldbody>{geoms}{''.join(self.bodies)}</worldbody></mujoco>"
        )
        return model, mujoco.MjData(model)


FLOOR = {"floor": ([0, 0, 0], "")}


def stack(count: int) -> tuple[Scene, dict[str, Any], list[Any]]:
    """Boxes of a metre above each other."""
    scene = Scene(1000.0, 5e6, "divide_steps: true", [1.0, 1.0, 1.0])
    for k in range(count):
        scene.add([0, 0, 0.5 + k])
    return scene, FLOOR, [([0, 0, 0], [0, 0, 1])]


def pile(kind: str, count: int) -> tuple[Scene, dict[str, Any], list[Any]]:
    """Boxes or spheres in layers above a bin of five planes; steps over kinks of the force are not divided."""
    rng, n = np.random.default_rng(3), round(count ** (1.0 / 3.0))
    size = [SIDE, 0.8 * SIDE, 0.6 * SIDE] if kind == "box" else [SIDE]
    scene = Scene(100.0, 1e6, "divide_steps: false", size, kind)
    for k in range(count):
        cell = np.array([k % n, k // n % n, k // n**2]) * 1.5 * SIDE
        at = cell + [*[-0.75 * (n - 1) * SIDE] * 2, 0.6] + rng.normal(size=3) * 0.03
        x, y, z = rng.uniform(-0.3, 0.3, 3).tolist()
        scene.add(at.tolist(), (x, y, z))
    wide = 0.8 * n * SIDE
    planes = {
        **FLOOR,
        "east": ([wide, 0, 0], "[y, -90 deg]"), "west": ([-wide, 0, 0], "[y, 90 deg]"),
        "north": ([0, wide, 0], "[x, 90 deg]"), "south": ([0, -wide, 0], "[x, -90 deg]"),
    }  # fmt: skip
    peers = [([0, 0, 0], [0, 0, 1])]
    for sign in (1, -1):
        peers += [([sign * wide, 0, 0], [-sign, 0, 0]), ([0, sign * wide, 0], [0, -sign, 0])]
    return scene, planes, peers


def matched_stiffness(mass: float, stiffness: float) -> float:
    """Stiffness of MuJoCo's contacts at which a box sinks in as in luff."""
    scene, sink, own = Scene(mass, stiffness, "", [1.0, 1.0, 1.0]), mass * G / (4.0 * stiffness), 1e4
    scene.add([0, 0, 0.5])
    for _ in range(4):
        model, data = scene.peer(own, [([0, 0, 0], [0, 0, 1])])
        for _ in range(3000):
            mujoco.mj_step(model, data)
        own *= (0.5 - data.qpos[2]) / sink
    return own


def main() -> None:
    print("| scene | luff, us a step | MuJoCo, us a step | ratio | height of the first, m: luff | MuJoCo |")
    print("|---|---:|---:|---:|---:|---:|")
    cases = [(f"{count} boxes above each other", stack(count), 0, 3000) for count in (1, 3, 8)]
    for kind, count in (("box", 27), ("box", 125), ("sphere", 27), ("sphere", 125)):
        cases.append((f"{count} of kind {kind} in a bin", pile(kind, count), 2500, 150))
    for name, (scene, planes, peers), fall, steps in cases:
        sim = luff.compile(luff.loads(scene.netlist(planes)))
        model, data = scene.peer(matched_stiffness(scene.mass, scene.stiffness), peers)
        times: list[tuple[float, float]] = []
        session = sim.start()
        session.advance(steps=max(fall, 1))
        mujoco.mj_step(model, data, nstep=max(fall, 1))
        for _ in range(4):
            began = time.process_time()
            session.advance(steps=steps)
            between = time.process_time()
            mujoco.mj_step(model, data, nstep=steps)
            times.append((between - began, time.process_time() - between))
        ours, theirs = (1e6 * min(column) / steps for column in zip(*times, strict=True))
        height = float(np.array(session.x)[sim.state_names.index("f0.position[2]")])
        print(
            f"| {name} | {ours:.3g} | {theirs:.3g} | {ours / theirs:.2g} | {height:.5f} | {data.qpos[2]:.5f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
