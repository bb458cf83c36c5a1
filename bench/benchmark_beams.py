"""Benchmarks of flexible bodies: rows (quantity, found, reference) and the time of what found them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

import luff
from luff.solver.analysis.step_advice import state_matrix

from .benchmark_crank import slider_crank
from .benchmark_references import rotating_cantilever

Rows = tuple[list[tuple[str, float, float]], float]

DRIVEN = """
luff: 1
blocks:
  world: {{gravity: [0, 0, 0]}}
  q: {{type: expression, expr: "{q}", unit: rad}}
  w: {{type: expression, expr: "{w}", unit: rad/s}}
  a: {{type: expression, expr: "{a}", unit: rad/s^2}}
  law: {{type: make_trajectory}}
  hinge: {{type: revolute, axis: z, driven: true}}
  beam: {{type: flexible_body, file: beam.npz, stiffening: {stiffening}}}
  tip: {{type: frame_sensor}}
connect: [world.frame -- hinge.frame_a, hinge.frame_b -- beam.frame_a, hinge.frame_b -- tip.frame_a,
          beam.tip -- tip.frame_b, q.y -> law.value, w.y -> law.rate, a.y -> law.acceleration, law.y -> hinge.follow]
"""


def beam(folder: Path, length: float, section: Mapping[str, float], modes: int) -> None:
    """Straight beam along x of 60 Euler-Bernoulli elements, with interfaces at both ends, as beam.npz."""
    n = 60
    nodes = [[length * k / n, 0, 0] for k in range(n + 1)]
    frame = {"nodes": nodes, "members": [[k, k + 1] for k in range(n)], "section": section}
    luff.reduce(frame, folder / "beam.npz", interfaces={"frame_a": [0], "tip": [n]}, modes=modes)


def model(folder: Path, q: str, w: str, a: str, stiffening: bool = True) -> luff.Simulation:
    path = folder / "driven.yaml"
    path.write_text(DRIVEN.format(q=q, w=w, a=a, stiffening="true" if stiffening else "false"))
    return luff.compile(path)


def southwell(folder: Path) -> Rows:
    """First two flap frequencies of a rotating cantilever, linearised about its steady stretch."""
    section = {"A": 4e-3, "I_y": 1.2e-6, "I_z": 2.4e-6, "J": 3e-6, "E": 2e11, "G": 8e10, "rho": 7800.0}
    length = 10.0
    unit = math.sqrt(section["E"] * section["I_y"] / (section["rho"] * section["A"] * length**4))
    beam(folder, length, section, 12)
    rows, spent = [], 0.0
    for speed in (0.0, 2.0, 6.0, 12.0):
        rate = speed * unit
        sim = model(folder, f"{rate!r}*t", f"{rate!r}", "0*t")
        began = time.process_time()
        x = np.array(sim.x0)
        for _ in range(8):  # Newton
            x -= np.linalg.solve(state_matrix(sim, x), np.asarray(sim.derivative(0.0, x)))
        found = np.abs(np.linalg.eigvals(state_matrix(sim, x)).imag) / unit
        spent += time.process_time() - began
        for k, expected in enumerate(rotating_cantilever(speed, 2)):
            nearest = float(found[np.argmin(abs(found - expected))])
            rows.append((f"flap mode {k + 1} at speed {speed:g}", nearest, expected))
    return rows, spent


def spin_up(folder: Path) -> Rows:
    """Beam of 10 m brought to 6 rad/s in 15 s (Simo and Vu-Quoc 1986): stretch m w^2 L^3 / (3 EA) afterwards."""
    section = {"A": 0.028, "I_y": 1.4e-5, "I_z": 1.4e-5, "J": 2.8e-5, "E": 1e9, "G": 4e8, "rho": 1.2 / 0.028}
    beam(folder, 10.0, section, 8)
    sim = model(
        folder,
        "6/15*(t*t/2 + (15/(2*pi))**2*(cos(2*pi*t/15) - 1))",
        "6/15*(t - 15/(2*pi)*sin(2*pi*t/15))",
        "6/15*(1 - cos(2*pi*t/15))",
    )
    highest = float(np.abs(np.linalg.eigvals(state_matrix(sim)).imag).max())
    step = 15.0 / math.ceil(15.0 / (1.4 / highest))  # half of the stability limit of rk4
    began = time.process_time()
    result = sim.run(stop=15.0, step=step, method="rk4", output_step=100 * step)
    spent = time.process_time() - began
    stretch = float(np.asarray(result["tip.position"])[-1, 0]) - 10.0
    return [("stretch at 15 s [m]", stretch, 1.2 * 36.0 * 1000.0 / (3.0 * 2.8e7))], spent


BUCKLING = """
luff: 1
blocks:
  world: {gravity: [0, 0, 0]}
  beam: {type: rfem_link, length: 2, section: {shape: rectangle, width: 0.005, height: 0.1}, E: 2.1e11, G: 8.1e10,
         divisions: 12}
  tip: {type: applied_force}
  load: {type: constant, value: [0, 0, -1]}
connect: [world.frame -- beam.frame_a, beam.frame_b -- tip.frame_b, load.y -> tip.force]
"""


def lateral_buckling(folder: Path) -> Rows:
    """Narrow cantilever under an end load: 4.0126 sqrt(E I_z G J) / L^2 (Timoshenko and Gere, art. 6.3)."""
    from luff.blocks.geometry.cross_sections import rectangle

    section = rectangle(0.005, 0.1)
    closed = 4.0126 * math.sqrt(2.1e11 * section.I_z * 8.1e10 * section.J) / 2.0**2
    sim = luff.compile(luff.loads(BUCKLING))
    began = time.process_time()
    found = luff.buckling(sim, "load.value").factor
    return [("load at the tip [N]", abs(found), closed)], time.process_time() - began


PRINCETON = """
luff: 1
blocks:
  world: {{gravity: [0, 0, 0]}}
  beam: {{type: rfem_link, length: 0.508, section: {{shape: rectangle, width: 12.3777 mm, height: 3.2024 mm}},
         E: 71.7 GPa, G: 27.3664 GPa, rho: 2700, divisions: 32}}
  pull: {{type: applied_force}}
  load: {{type: constant, value: [0, {y!r}, {z!r}]}}
  tip: {{type: frame_sensor}}
connect: [world.frame -- beam.frame_a, beam.frame_b -- pull.frame_b, beam.frame_b -- tip.frame_b, load.y -> pull.force]
initial: {{solve: static}}
"""
# tip along the stiff and the soft axis [m], by load [N] and its angle to the stiff axis [deg]
PRINCETON_TIPS = {
    (8.896, 45.0): (8.837226265e-3, 0.108987937),
    (13.345, 45.0): (1.518618440e-2, 0.156467239),
    (13.345, 75.0): (6.248967384e-3, 0.196097131),
}


def princeton(folder: Path) -> Rows:
    """Tip of a flat cantilever under a dead load across both axes, which twists it."""
    rows, spent = [], 0.0
    for (load, degrees), tip in PRINCETON_TIPS.items():
        y, z = -load * math.cos(math.radians(degrees)), load * math.sin(math.radians(degrees))
        began = time.process_time()
        sim = luff.compile(luff.loads(PRINCETON.format(y=y, z=z)))
        at = sim.evaluate(0.0, sim.x0)
        spent += time.process_time() - began
        for name, found, expected in zip(
            ("stiff", "soft"), (-at["tip.position[1]"], at["tip.position[2]"]), tip, strict=True
        ):
            rows.append((f"{load} N at {degrees:g} deg, along the {name} axis [m]", float(found), expected))
    return rows, spent


BEAMS: Mapping[str, Callable[[Path], Rows]] = {
    "southwell": southwell,
    "spin_up": spin_up,
    "lateral_buckling": lateral_buckling,
    "princeton": princeton,
    "slider_crank": slider_crank,
}
