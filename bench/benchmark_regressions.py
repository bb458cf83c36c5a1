"""Values that Exudyn's test suite keeps of its models (main/pythonDev/TestModels of its version 1.11.0), by luff.

A value is a sum of coordinates at the end of a run, with the error of Exudyn's step. `finer` are values of the same
models by Exudyn 1.13.6 with steps halved twice, and Newton's tolerance at 1e-13: their limit has no error of a step.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy.special import ellipkinc

import luff

from .benchmark_references import g, root
from .rigid_model import sensed_axes

MODELS = Path(luff.__file__).parent / "library" / "benchmarks"
Signals = Callable[[str], float]


@dataclass(frozen=True)
class Regression:
    """Value of one of Exudyn's test models, and how luff finds it."""

    what: str
    published: float
    finer: tuple[float, float, float]  # with a step, its half and its quarter
    order: int
    model: str
    step: float
    value: Callable[[Signals], float]
    stop: float | None = None

    def limit(self) -> tuple[float, float]:
        """Exudyn's value without the error of its step (Richardson), and what the extrapolation may be off."""
        ratio = 2.0**self.order
        coarse, fine = ((ratio * b - a) / (ratio - 1.0) for a, b in pairwise(self.finer))
        return fine, abs(fine - coarse)

    def found(self) -> float:
        """The value by luff."""
        sim = luff.compile(MODELS / f"{self.model}.yaml")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", luff.ModelWarning)  # planar loops are over-constrained
            result = sim.run(step=self.step, output_step=20 * self.step, stop=self.stop or sim.settings.stop)
        return self.value(lambda name: float(result[name][-1]))


def vector(at: Signals, name: str) -> np.ndarray:
    return np.array([at(f"{name}[{k}]") for k in range(3)])


def coordinates(at: Signals, *sensors: str) -> float:
    """Sum of the amounts of positions and Euler parameters."""
    total = 0.0
    for sensor in sensors:
        R = sensed_axes(vector(at, f"{sensor}.rotation"))
        # 4 times those of the parameters
        squares = 1.0 + np.array([np.trace(R), *(2.0 * np.diag(R) - np.trace(R))])
        total += float(
            abs(vector(at, f"{sensor}.position")).sum() + 0.5 * np.sqrt(np.maximum(squares, 0.0)).sum()
        )
    return total


def displaced(at: Signals) -> float:
    """Sum of the amounts of displacement and of the angles of R = Rx Ry Rz."""
    R = sensed_axes(vector(at, "middle.rotation"))
    angles = math.atan2(-R[1, 2], R[2, 2]), math.asin(R[0, 2]), math.atan2(-R[0, 1], R[0, 0])
    return float(abs(vector(at, "middle.position") - [1.8, 0.0, 0.0]).sum() + sum(map(abs, angles)))


def four_bar_at(t: float) -> float:
    """x of the middle of the first upright (see `double_four_bar` of the references)."""
    half = root(lambda psi: 2.0 * float(ellipkinc(psi, -14.0 * g / 3.0)) - t, 0.0, 100.0)
    return 0.5 * math.sin(2.0 * half)


REGRESSIONS: Mapping[str, Regression] = {
    "kinematicTreeTest": Regression(
        "sum of five angles [rad], RK4 with 5 ms", -1.309383960216414,
        (-1.309383951944997, -1.3093839514394072, -1.3093839514081411), 4,
        "kinematic_tree", 0.25e-3, lambda at: sum(at(f"j{k}.position") for k in range(5)),
    ),
    "revoluteJointPrismaticJointTest": Regression(
        "displacements and angles of the last body [m, rad], 1 ms", 1.2538806799246283,
        (1.2538863666554732, 1.2538877878363341, 1.253888143140364), 2, "revolute_prismatic", 0.5e-3, displaced,
    ),
    "sphericalJointTest": Regression(
        "positions and Euler parameters of two bodies [m, -], 1 ms", 4.409080446575089,
        (4.409081837531566, 4.409082185426309, 4.409082272406215), 2,
        "spherical_chain", 0.5e-3, lambda at: coordinates(at, "first", "second"),
    ),
    "sliderCrank3Dtest": Regression(
        "positions and Euler parameters of crank and rod [m, -], 0.2 ms", 3.3642761780921897,
        (3.364276165614286, 3.3642761625037925, 3.364276161726172), 2,
        "slider_crank_3d", 0.1e-3, lambda at: coordinates(at, "turned", "middle"),
    ),
    "sliderCrankFloatingTest": Regression(
        "places of both sliders [m], 0.06 ms", 0.591649163378833,
        (0.5916491630367136, 0.5916491588392874, 0.5916491577899381), 2, "floating_slider_crank", 0.1e-3,
        lambda at: at("fixed_slider.position[0]") + at("floating_slider.position[0]"),
    ),
    "fourBarMechanismIftomm": Regression(
        "x of the first bar [m], 10 ms", 0.05815092990659491,
        (0.05864366749933282, 0.05876695396570147, 0.058797777566152044), 2,
        "double_four_bar", 0.5e-3, lambda at: 0.5 * at("tip.position[0]"), 4.0,
    ),
}  # fmt: skip
