"""Shapes that touch beside MuJoCo, at equal sink and in one run: `python -m luff.bench.touch [part of a name ...]`.

A box that slides, boxes above each other, a cylinder that rolls, a container in its cell guides; boxes and spheres in a
bin, after they fell into it. luff takes rk4 with four evaluations a step; MuJoCo its implicitfast integrator, elliptic
cones and a stiffness at which a single body sinks into a floor as deep as in luff.
"""

from __future__ import annotations

import itertools
import math
import sys
import time
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

import luff

mujoco: Any = import_module("mujoco")  # its names are not to be seen without running it
G, STEP = 9.81, 1e-3
SIDE = 0.5  # of what falls into a bin [m]
OPTIONS = f'timestep="{STEP}" cone="elliptic" integrator="implicitfast"'


class Static(NamedTuple):
    """Shape of the surroundings, turned about its x, then its y axis [deg]."""

    at: list[float]
    turn: tuple[float, float] = (0.0, 0.0)
    size: list[float] | None = None  # of a box; None: a plane

    def netlist(self, name: str) -> str:
        """The shape in luff's words."""
        form = "kind: plane" if self.size is None else f"kind: box, size: {self.size}, round: 10 mm"
        x, y = self.turn
        return f"{name}: {{{form}, at: {self.at}, rotate: [[x, {x} deg], [y, {y} deg]]}}"

    def geom(self) -> str:
        """The shape in MuJoCo's words."""
        half = [50.0, 50.0, 1.0] if self.size is None else [0.5 * one for one in self.size]
        form = "plane" if self.size is None else "box"
        place = attribute("pos", self.at), attribute("euler", [*np.deg2rad(self.turn).tolist(), 0.0])
        return f'<geom type="{form}" {attribute("size", half)} {" ".join(place)}/>'


def attribute(name: str, numbers: list[float]) -> str:
    """Attribute of MJCF."""
    return f'{name}="{" ".join(map(str, numbers))}"'


class Scene:
    """Equal bodies with a joint of six freedoms each, in luff's words and in MuJoCo's."""

    def __init__(
        self,
        mass: float,
        stiffness: float,
        size: list[float],
        kind: str = "box",
        mu: float = 0.4,
        touch: str = "",
    ):
        self.mass, self.stiffness, self.size, self.kind, self.mu, self.touch = (
            mass,
            stiffness,
            size,
            kind,
            mu,
            touch,
        )
        if kind == "cylinder":
            d, x = size
            inertia = [mass * (d * d / 16.0 + x * x / 12.0)] * 2 + [mass * d * d / 8.0]
            half = [0.5 * d, 0.5 * x]
        else:
            x, y, z = size if kind == "box" else size * 3
            share = mass / 12.0 if kind == "box" else mass / 20.0
            inertia = [share * (y * y + z * z), share * (x * x + z * z), share * (x * x + y * y)]
            half = [0.5 * one for one in size]
        rounding = "" if kind == "sphere" else ", round: 0.02"
        self.body = f"mass: {mass}, inertia: {inertia}, shape: {{kind: {kind}, size: {size}{rounding}}}"
        self.geom = f'type="{kind}" {attribute("size", half)} mass="{mass}"'
        self.blocks, self.wires, self.bodies = list[str](), list[str](), list[str]()
        self.statics = [Static([0.0, 0.0, 0.0])]
        self.gravity = [0.0, 0.0, -G]

    def add(self, at: list[float], turn: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> None:
        """Add a body at a place, turned about its x, y and z axes in this order [rad]."""
        k = len(self.bodies)
        axes = ", ".join(f"[{axis}, {angle} rad]" for axis, angle in zip("xyz", turn, strict=True))
        self.blocks.append(f"  f{k}: {{type: free, initial: {{position: {at}, rotate: [{axes}]}}}}")
        self.blocks.append(f"  b{k}: {{type: rigid_link, {self.body}}}")
        self.wires.append(f"world.frame -- f{k}.frame_a, f{k}.frame_b -- b{k}.frame_a")
        place, euler = attribute("pos", at), attribute("euler", [*turn])
        self.bodies.append(f"<body {place} {euler}><freejoint/><geom {self.geom}/></body>")

    def alone(self) -> Scene:
        """One of its bodies that lies on a floor."""
        one = Scene(self.mass, self.stiffness, self.size, self.kind, self.mu)
        lies = self.kind == "cylinder"
        one.add(
            [0.0, 0.0, 0.5 * (self.size[0] if lies else self.size[-1])],
            (0.5 * math.pi if lies else 0.0, 0.0, 0.0),
        )
        return one

    def netlist(self) -> str:
        """The scene for luff; bodies touch each other and all surroundings."""
        shapes = ", ".join(one.netlist(f"s{k}") for k, one in enumerate(self.statics))
        return (
            f"luff: 1\nblocks:\n  world: {{gravity: {self.gravity}}}\n"
            f"  bin: {{type: fixture, shapes: {{{shapes}}}}}\n" + "\n".join(self.blocks)
            + f'\n  pile: {{type: touch, among: ["b*"], without: [{{of: [bin], against: [bin]}}],'
            f" law: {{stiffness: {self.stiffness}, dissipation: 3}}, friction: {{mu: {self.mu}}}, {self.touch}}}\n"
            f"connect: [{', '.join(self.wires)}]\nsimulation: {{stop: 100, step: {STEP}, output_step: 1}}\n"
        )  # fmt: skip

    def peer(self, stiffness: float) -> tuple[Any, Any]:
        """The scene in MuJoCo; critical damping of its contacts."""
        solref = f"{-stiffness} {-2.0 * stiffness**0.5}"
        model = mujoco.MjModel.from_xml_string(
            f'<mujoco><compiler angle="radian" eulerseq="xyz"/>'
            f'<option {OPTIONS} {attribute("gravity", self.gravity)}/><size memory="200M"/><default>'
            f'<geom friction="{self.mu} 0.005 0.0001" solref="{solref}" solimp="0.9 0.9 0.01"/></default>'
            f"<worldbody>{''.join(one.geom() for one in self.statics)}{''.join(self.bodies)}</worldbody></mujoco>"
        )
        return model, mujoco.MjData(model)

    def matched_stiffness(self) -> float:
        """Stiffness of MuJoCo's contacts at which one of its bodies sinks into a floor as in luff."""
        one, own = self.alone(), 1e4
        sim = luff.compile(luff.loads(one.netlist()))
        session = sim.start()
        session.advance(steps=3000)
        height = one.size[0] if one.kind == "cylinder" else one.size[-1]
        sink = 0.5 * height - float(np.array(session.x)[sim.state_names.index("f0.position[2]")])
        for _ in range(6):
            model, data = one.peer(own)
            mujoco.mj_step(model, data, nstep=3000)
            own *= (0.5 * height - data.qpos[2]) / sink
        return own


def slope(kind: str, degrees: float) -> Scene:
    """A box that slides down a slope, or a cylinder that rolls."""
    turn = math.radians(degrees)
    scene = Scene(1000.0, 5e6, [1.0, 1.0, 1.0] if kind == "box" else [0.5, 0.8], kind, 0.3)
    height = 0.5 if kind == "box" else 0.25
    scene.statics = [Static([0.0, 0.0, 0.0], (0.0, degrees))]
    way = (0.0, turn, 0.0) if kind == "box" else (0.5 * math.pi, 0.0, 0.0)
    scene.add([height * math.sin(turn), 0.0, height * math.cos(turn)], way)
    return scene


def stack(count: int) -> Scene:
    """Boxes of a metre above each other."""
    scene = Scene(1000.0, 5e6, [1.0, 1.0, 1.0])
    for k in range(count):
        scene.add([0, 0, 0.5 + k])
    return scene


def guides() -> Scene:
    """A container of 20 t between the plates of `library/container_in_guides.yaml`, inclined so that it leans."""
    scene = Scene(20e3, 3e7, [6.058, 2.438, 2.591], mu=0.15)
    scene.statics = [Static([0, 0, -0.25], size=[10, 6, 0.5])]
    for x, y in itertools.product((-1, 1), repeat=2):
        scene.statics += [
            Static([3.054 * x, 1.119 * y, 2.0], size=[0.03, 0.2, 4]),
            Static([2.929 * x, 1.244 * y, 2.0], size=[0.2, 0.03, 4]),
            Static([3.1316 * x, 1.119 * y, 4.29], (0.0, 15.0 * x), [0.03, 0.2, 0.6]),
            Static([2.929 * x, 1.3216 * y, 4.29], (-15.0 * y, 0.0), [0.2, 0.03, 0.6]),
        ]
    scene.gravity = [1.5, 1.5, -9.6]
    scene.add([0, 0, 1.2955])
    return scene


def pile(kind: str, count: int) -> Scene:
    """Boxes or spheres in layers above a bin of five planes; steps over kinks of the force are not divided."""
    rng, n = np.random.default_rng(3), round(count ** (1.0 / 3.0))
    size = [SIDE, 0.8 * SIDE, 0.6 * SIDE] if kind == "box" else [SIDE]
    scene = Scene(100.0, 1e6, size, kind, touch="divide_steps: false")
    for k in range(count):
        cell = np.array([k % n, k // n % n, k // n**2]) * 1.5 * SIDE
        at = cell + [*[-0.75 * (n - 1) * SIDE] * 2, 0.6] + rng.normal(size=3) * 0.03
        x, y, z = rng.uniform(-0.3, 0.3, 3).tolist()
        scene.add(at.tolist(), (x, y, z))
    wide = 0.8 * n * SIDE
    scene.statics += [
        Static([wide, 0, 0], (0, -90)), Static([-wide, 0, 0], (0, 90)),
        Static([0, wide, 0], (90, 0)), Static([0, -wide, 0], (-90, 0)),
    ]  # fmt: skip
    return scene


def main(wanted: list[str]) -> None:
    print("| scene | luff, us a step | MuJoCo, us a step | ratio | height of the first, m: luff | MuJoCo |")
    print("|---|---:|---:|---:|---:|---:|")
    cases = [("box slides down 25 degrees", slope("box", 25.0), 0, 2000)]
    cases += [(f"{count} boxes above each other", stack(count), 0, 3000) for count in (1, 3, 8)]
    cases.append(("cylinder rolls down 10 degrees", slope("cylinder", 10.0), 0, 1000))
    cases.append(("container in cell guides", guides(), 1000, 2000))
    for kind, count in (("box", 27), ("box", 125), ("sphere", 27), ("sphere", 125)):
        cases.append((f"{count} of kind {kind} in a bin", pile(kind, count), 2500, 150))
    for name, scene, fall, steps in cases:
        if wanted and not any(one in name for one in wanted):
            continue
        sim = luff.compile(luff.loads(scene.netlist()))
        model, data = scene.peer(scene.matched_stiffness())
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
    main(sys.argv[1:])
