"""Results of statics: an equilibrium with verdicts on its stability, or the reason why there is none."""

from __future__ import annotations

from dataclasses import field, replace

import numpy as np

from ...blocks import CompileError
from ...blocks.errors import Problem
from ...blocks.light_dataclass import mutable
from ..kernels import model_data as f
from ..kernels.model_data import Data, Model
from ..mechanism.mechanism import Mechanism


class NoEquilibrium(CompileError):
    """No equilibrium found; `verdict`: "tips" or "slides" (certain), "loose" (a force and no stiffness), or "unknown"
    (none found, none excluded).
    """

    def __init__(self, problem: Problem, verdict: str):
        super().__init__(problem)
        self.verdict = verdict


def not_held(forces: str, path: str, stop_ahead: bool) -> NoEquilibrium:
    """Error for coordinates without stiffness and the forces along them; unknown if an end stop may lie ahead."""
    if stop_ahead:
        message = f"no equilibrium found: nothing holds {forces} here, short of its end stop"
        return NoEquilibrium(Problem(message, path, "start nearer to the stop (`guess`)"), verdict="unknown")
    fix = "hold it (`initial: {solve: static, hold: [...]}`), or give it a spring, a support or a drive"
    return NoEquilibrium(Problem(f"nothing holds {forces}", path, fix), verdict="loose")


def lost_rest(error: NoEquilibrium, followed: float | None) -> NoEquilibrium:
    """The error, with the share of the loads up to which a stable rest was followed as they grew, if there was any."""
    if not followed:
        return error
    (problem,) = error.problems
    found = (
        f"{problem.message}; as the loads grow, a stable rest is found up to {100.0 * followed:.3g} % of them"
    )
    fix = f"{problem.fix}; `solve: assemble` and `luff.equilibrium` find what is not stable"
    return NoEquilibrium(replace(problem, message=found, fix=fix), error.verdict)


@mutable
class Way:
    """Motion about an equilibrium over all rows, largest entry 1, for a run that is perturbed along it."""

    name: str  # coordinate with the largest share
    rate: float  # |lambda|^(1/2) [1/s]: of a swing, or of the growth
    rows: np.ndarray
    inertia: np.ndarray  # of every row with all that it carries
    counted: np.ndarray  # rows that may move, those without stiffness excluded


@mutable
class StaticReport:
    """Result of a statics search."""

    iterations: int = 0
    residual: float = 0.0  # largest force or moment left [N or N m]
    followed: float | None = (
        None  # share of the loads up to which the continuation arrived, where it was needed
    )
    errors: np.ndarray | None = None  # bound of every row's error, NaN unknown; None if nothing was free
    held: dict[str, float] = field(default_factory=dict)  # effort of each held coordinate [N, N m]
    held_errors: dict[str, float] = field(default_factory=dict)  # their rounding
    supports: dict[str, list[float]] = field(
        default_factory=dict
    )  # forces of supports, bushings and contacts [N], by the outputs that show them
    support_errors: dict[str, list[float]] = field(default_factory=dict)  # bounds of their components
    neutral: list[str] = field(default_factory=list)  # coordinates without stiffness and without force
    unstable: list[str] = field(default_factory=list)
    undecided: list[str] = field(
        default_factory=list
    )  # coordinates without stiffness, but not without forces nearby
    slowest: Way | None = None  # motion of least stiffness for its mass that is not neutral
    left: list[str] = field(
        default_factory=list
    )  # coordinates that left an equilibrium which the least push destroys

    sliding: Problem | None = None  # of a body that its feet do not hold, and that something else caught

    def notes(self) -> list[str]:
        """Notes on the equilibrium."""
        return [*self._sliding_note(), *self._left_note()]

    def _sliding_note(self) -> list[str]:
        if self.sliding is None:
            return []
        found = f"{self.sliding.path}: it {self.sliding.message}, and rests where something else holds it"
        return [f"{found}; where a run comes to rest hangs on its way"]

    def _left_note(self) -> list[str]:
        if not self.left:
            return []
        names = ", ".join(self.left)
        note = (
            f"{self.left[0]}: the start is balanced where the least push moves it away ({names}), and the stable "
            "equilibrium that it falls to was taken; to begin where it is, give its `initial`, or hold it"
        )
        return [note]


def soil_problem(mechanism: Mechanism, model: Model, data: Data) -> Problem | None:
    """Problem of feet that are pressed deeper than the curves of their soil reach, or None."""
    sunk: dict[str, list[float]] = {}  # greatest forces of the soil below such feet, by block [N]
    for e, (out, placed) in enumerate(zip(data.element_out, mechanism.elements, strict=True)):
        value = model.element_value[e]
        if placed.part.kind != "support" or not value[f.S_SETTLING] > 0.0:
            continue
        depth, force = value[f.S_CURVE : f.S_CURVE + 2 * f.CURVE_POINTS].reshape(-1, 2).T
        if out[f.PAD_SINKAGE] > depth[force >= force[-1]].min():
            sunk.setdefault(placed.block, []).append(float(force[-1]))
    for block, most in sunk.items():
        least, greatest = min(most), max(most)
        carried = f"{least:.4g} N" if least == greatest else f"{least:.4g} to {greatest:.4g} N"
        found = f"finds no rest: the soil carries at most {carried} below a pad"
        return Problem(found, block, "take larger pads, or less load")
    return None


def support_forces(mechanism: Mechanism, data: Data) -> dict[str, list[float]]:
    """Forces on the bodies [N]: supports in frame_a, bushings and contacts in W."""
    supports: dict[str, list[float]] = {}
    for out, placed in zip(data.element_out, mechanism.elements, strict=True):
        name, kind = placed.part.name, placed.part.kind
        if name and kind in ("support", "bushing"):
            supports[f"{placed.block}.force_{name}"] = out[f.FORCE_IN_A : f.FORCE_IN_A + 3].tolist()
        elif kind in ("bushing", "contact", "support", "rail"):
            supports[f"{placed.block}.force"] = out[f.FORCE_ON_B : f.FORCE_ON_B + 3].tolist()
    for out, (joint, spring) in zip(data.spring_out, mechanism.springs, strict=True):
        if joint.part.kind == "base":
            supports.setdefault(f"{joint.block}.force_{spring.name}", [0.0, 0.0, 0.0])
            supports[f"{joint.block}.force_{spring.name}"][spring.element] = float(out[f.SPRING_FORCE])
    return supports
