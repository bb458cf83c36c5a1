"""Rubbing things whose answers are known: one mass with any force, written twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import luff

# Canudas de Wit, Olsson, Astrom and Lischinsky (1995), table I, as coefficients under a load of 1 N
PAPER = {"mu_s": 1.5, "mu_k": 1.0, "stribeck": 1e-3, "sigma_0": 1e5, "sigma_1": 1e5**0.5, "sigma_2": 0.4}


def entries(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}: {value}" for key, value in values.items())


def slider(
    friction: Mapping[str, Any], drive: str = "", mass: float = 1.0, stiffness: float = 0.0, initial: str = ""
) -> str:
    """A mass on a slide; `drive` is the block `f` whose output pushes it."""
    text = f"""
luff: 1
name: slider
blocks:
  world: {{type: world, gravity: [0, 0, 0]}}
  slide: {{type: prismatic, axis: x, stiffness: {stiffness}, friction: {{{entries(friction)}}}{initial}}}
  block: {{type: rigid_link, mass: {mass}, inertia: [1, 1, 1]}}
"""
    text += f"  f: {drive}\n" if drive else ""
    text += "connect:\n  - world.frame -- slide.frame_a\n  - slide.frame_b -- block.frame_a\n"
    return text + ("  - f.y -> slide.effort\n" if drive else "")


def run(text: str, stop: float, step: float, method: str = "rk4", every: int = 1) -> luff.Result:
    return luff.compile(luff.loads(text)).run(stop=stop, step=step, method=method, output_step=every * step)


def lugre_rate(f: Mapping[str, float], v: float, z: float) -> tuple[float, float]:
    """mu and dz/dt."""
    g = f["mu_k"] + (f["mu_s"] - f["mu_k"]) * np.exp(-((v / f["stribeck"]) ** 2))
    rate = v - f["sigma_0"] * abs(v) * z / g
    return f["sigma_0"] * z + f["sigma_1"] * rate + f["sigma_2"] * v, rate


def dahl_rate(f: Mapping[str, float], v: float, z: float) -> tuple[float, float]:
    r = 1.0 - f["sigma_0"] * z * np.sign(v) / f["mu_s"]
    return f["sigma_0"] * z, v * abs(r) ** f["gamma"] * np.sign(r)


def reference(
    law: Callable[..., tuple[float, float]],
    f: Mapping[str, float],
    force: Callable[[float], float],
    times: np.ndarray,
    load: float = 1.0,
    stiffness: float = 0.0,
    speed: float = 0.0,
    mass: float = 1.0,
) -> np.ndarray:
    """Position, velocity and bristle of the mass at the times, by an adaptive implicit method."""

    def rhs(t: float, y: np.ndarray) -> list[float]:
        mu, rate = law(f, y[1], y[2])
        return [y[1], (force(t) - stiffness * y[0] - mu * load) / mass, rate]

    solution = solve_ivp(
        rhs, (0.0, times[-1]), [0.0, speed, 0.0], "Radau", times, rtol=1e-9, atol=1e-13, max_step=0.05
    )
    return solution.y
