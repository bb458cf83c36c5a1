"""Flexible slider-crank of the Test Set for IVP Solvers (Simeon 1998): its connecting rod as a `flexible_body`."""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy as np
from scipy.linalg import eigh

import luff
from luff.blocks.reduction.reduced_body import ReducedBody

L1, L2, M2, M3, J2 = 0.15, 0.30, 0.151104, 0.075552, 0.0045339259
PI, E, SIDE, RHO, OMEGA = 3.1415927, 0.2e12, 0.008, 7870.0, 150.0
START = [0.0, 0.0, 0.103339863e-4, 0.169327969e-4]  # q_1 to q_4
START_RATES = [0.444896105, 0.463434311e-2, -0.178591076e-5, -0.268938672e-5]
# at t = 0.1 s: angle of the rod, place of the slider, q_1 to q_4
END = {
    "angle of the rod [rad]": -3.311734987910881e-01,
    "place of the slider [m]": 1.697373326718410e-01,
    "first lateral amplitude [m]": 1.893192460247178e-04,
    "second lateral amplitude [m]": 2.375751865617931e-05,
    "axial displacement of the middle [m]": -5.323907988763734e-06,
    "axial displacement of the end [m]": -8.363283141616840e-06,
}
MODEL = """
luff: 1
name: flexible_slider_crank
doc: Crank at 150 rad/s, elastic connecting rod of two lateral and two axial shapes, sliding block; Simeon (1998).
blocks:
  world: {gravity: [0, 0, 0]}
  q: {type: expression, expr: "150*t", unit: rad}
  w: {type: expression, expr: "150", unit: rad/s}
  a: {type: expression, expr: "0*t", unit: rad/s^2}
  law: {type: make_trajectory}
  crank: {type: revolute, axis: z, driven: true}
  arm: {type: rigid_link, mass: 0.36, com: [0.075, 0, 0], inertia: [1e-3, 1e-3, 1e-3], frame_b: {at: [0.15, 0, 0]}}
  pin: {type: revolute, axis: z}
  rod: {type: flexible_body, file: rod.npz, stiffening: false}
  wrist: {type: spherical, cut: true}
  slide: {type: prismatic, axis: x, guess: {position: 0.45}}
  block: {type: rigid_link, mass: 0.075552, inertia: [1e-3, 1e-3, 1e-3]}
connect: [q.y -> law.value, w.y -> law.rate, a.y -> law.acceleration, law.y -> crank.follow,
  world.frame -- crank.frame_a, crank.frame_b -- arm.frame_a, arm.frame_b -- pin.frame_a, pin.frame_b -- rod.frame_a,
  rod.tip -- wrist.frame_a, wrist.frame_b -- block.frame_a,
  world.frame -- slide.frame_a, slide.frame_b -- block.frame_a]
simulation: {stop: 0.1 s, step: 5 us, method: rk4}
"""


def rod() -> tuple[ReducedBody, np.ndarray, np.ndarray]:
    """Connecting rod; its shapes in columns of modes, and their mass matrix.

    Shapes: sin(pi x / L), sin(2 pi x / L) across, quadratic ones of the middle and of the end along, in axes that go
    through both pins. The mass of the axial ones is 15 times what their integrals are, as in the test set.
    """
    mass, stiff = RHO * SIDE**2 * L2, E * SIDE**2 / L2
    M = mass * np.array([[0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 8, 1], [0, 0, 1, 2]])
    bend, stretch = PI**4 * (SIDE / L2) ** 2, 1 / 3
    K = stiff * np.array(
        [
            [bend / 24, 0, 0, 0],
            [0, bend * 2 / 3, 0, 0],
            [0, 0, 16 * stretch, -8 * stretch],
            [0, 0, -8 * stretch, 7 * stretch],
        ]
    )
    momentum, moments, pairs = np.zeros((4, 3)), np.zeros((4, 3, 3)), np.zeros((4, 4, 3, 3))
    momentum[:, 0], momentum[0, 1] = mass * np.array([0, 0, 2 / 3, 1 / 6]), mass * 2 / PI
    moments[:, 0, 0] = mass * L2 * np.array([0, 0, 1 / 3, 1 / 6])
    moments[:, 0, 1] = mass * L2 * np.array([1 / PI, -0.5 / PI, 0, 0])
    pairs[:2, :2, 1, 1], pairs[2:, 2:, 0, 0] = M[:2, :2], M[2:, 2:]
    mixed = mass * np.array([[16 / PI**3, 0], [1 / PI - 8 / PI**3, -0.5 / PI]])  # axial by lateral shapes
    pairs[2:, :2, 0, 1], pairs[:2, 2:, 1, 0] = mixed, mixed.T
    w2, V = eigh(K, M)
    second = np.diag([M2 * L2**2 / 3, J2 - M2 * L2**2 / 3, J2 - M2 * L2**2 / 3])
    shifts = np.zeros((2, 3, 4))
    shifts[1, 0, 3] = 1.0
    body = ReducedBody(
        names=("frame_a", "tip"), mass=M2, moment=np.array([M2 * L2 / 2, 0, 0]), second=second,
        frequencies=np.ones(4), momentum=momentum, moments=moments, pairs=pairs,
        at=np.array([[0.0, 0, 0], [L2, 0, 0]]), axes=np.array([np.eye(3)] * 2),
        turns=np.zeros((2, 3, 4)), shifts=shifts,
        points=np.zeros((0, 3)), shapes=np.zeros((0, 3, 4)), triangles=np.zeros((0, 3), int),
    )  # fmt: skip
    return body.combined(V, np.sqrt(w2)), V, M


def slider_crank(folder: Path) -> tuple[list[tuple[str, float, float]], float]:
    """Positions at 0.1 s, after 15 rad of the crank."""
    body, V, M = rod()
    body.save(folder / "rod.npz")
    (folder / "crank.yaml").write_text(MODEL)
    sim = luff.compile(folder / "crank.yaml")
    start = {f"rod.mode[{k}]": float(value) for k, value in enumerate(V.T @ M @ START)}
    start |= {f"rod.mode_rate[{k}]": float(value) for k, value in enumerate(V.T @ M @ START_RATES)}
    sim.run(x0=start, stop=1e-3)  # loads
    began = time.process_time()
    result = sim.run(x0=start, output_step=0.1)
    spent = time.process_time() - began
    angle = math.remainder(float(result["pin.position"][-1]) + OMEGA * 0.1, 2.0 * math.pi)
    found = [angle, float(result["slide.position"][-1]), *(V @ np.asarray(result["rod.mode"])[-1])]
    return [(name, value, END[name]) for name, value in zip(END, found, strict=True)], spent
