"""Static equilibrium: where gravity, springs and supports balance, with chosen joints held."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

import numpy as np

from ...blocks import CompileError
from ...blocks.errors import Problem
from ...blocks.record import mutable
from ..machine import fields as f
from ..machine.fields import Data, Model
from ..mechanism.footing import LEAN, Footing, footings
from ..mechanism.mechanism import Mechanism
from .assembly import Assembler
from .partition import pivots

ITERATIONS = 200
BALANCED = 1e-10  # residual over the largest force or moment in the model
LONGEST_STEP = 0.2  # [rad or m]
SOFT = 1e-9  # stiffness over the largest one below which a direction counts as not held
ROUNDS = 8  # of ropes that become slack or taut
PATIENCE = 30  # iterations without coming nearer before a search gives up
FALLEN = 2.0 * LEAN
PROBE = 1e-6  # [rad or m] for differences


@mutable
class StaticReport:
    """What the search found."""

    iterations: int = 0
    residual: float = 0.0  # largest force or moment left [N or N m]
    held: dict[str, float] = field(default_factory=dict)  # effort that each held coordinate carries
    supports: dict[str, list[float]] = field(
        default_factory=dict
    )  # forces of supports, bushings and contacts [N], by the outputs that show them
    neutral: list[str] = field(default_factory=list)  # coordinates that nothing holds, and nothing moves
    unstable: list[str] = field(default_factory=list)
    left: list[str] = field(
        default_factory=list
    )  # coordinates that left an equilibrium which the least push destroys

    def notes(self) -> list[str]:
        """What has to be said of the rest that was found."""
        if not self.left:
            return []
        names = ", ".join(self.left)
        note = (
            f"{self.left[0]}: the start is balanced where the least push moves it away ({names}), and the stable "
            "equilibrium that it falls to was taken; to begin where it is, give its `initial`, or hold it"
        )
        return [note]


class Statics:
    """Newton on the forces along the coordinates that are neither held nor driven, downhill in potential energy."""

    def __init__(
        self,
        assembler: Assembler,
        held: np.ndarray,
        follow: Callable[[Model, Data, float], None] = lambda m, d, share: None,
    ):
        from ..kernels import forces, kinematics, newton_euler
        from .loads import LoadsAtRest, Ropes

        self.assembler, self.held = assembler, held
        self.model, self.data = assembler.model, assembler.data
        self.mechanism: Mechanism = assembler.mechanism
        self.data.scalar[f.RESTING] = 1.0
        self.ropes = Ropes(self.model)
        # what ropes pull with lies then where forces that signals give lie, and both are applied at once
        given = bool((self.model.element[:, f.E_KIND] >= f.FORCE_WORLD).any())
        pulls = (
            lambda m, d: follow(m, d, self.share),
            self.ropes.pull,
            *([forces.applied_forces] if given else []),
            LoadsAtRest(self.mechanism).push,
        )
        self._sweeps = (kinematics.velocities, forces.forces_of_motion, *pulls, kinematics.inertias)
        self._newton_euler = (newton_euler.propagate, newton_euler.newton_euler)
        self.share = 1.0  # of the loads that act
        self.open = assembler.free & ~held
        self.standing = footings(self.mechanism)

    def forces(self) -> np.ndarray:
        """Effort along every row that the static model leaves unbalanced."""
        m, d = self.model, self.data
        d.row[:, f.V] = 0.0
        d.qdd[m.topo[:, f.MODE] == f.DRIVEN] = 0.0
        d.qdd[:] = 0.0
        self.assembler.evaluate()
        for sweep in (*self._sweeps, *self._newton_euler):
            sweep(m, d)
        first = np.where(m.topo[:, f.KIND] == f.PRISMATIC, f.REACTION + f.LINEAR, f.REACTION)
        wrench = np.take_along_axis(d.row, first[:, None] + np.arange(3), axis=1)
        asked = np.einsum("ij,ij->i", wrench, d.row[:, f.AXIS : f.AXIS + 3])
        return d.row[:, f.SPRING_EFFORT : f.FRICTION_EFFORT].sum(axis=1) - asked

    def reduced(self) -> tuple[np.ndarray, np.ndarray]:
        """Forces along the independent rows, and all of them."""
        r = self.forces()
        return r[self.independent] + self.coupling().T @ r[self.dependent], r

    def coupling(self) -> np.ndarray:
        jac = self.assembler.enabled_jacobian()[self.active]
        if not len(self.dependent):
            return np.zeros((0, len(self.independent)))
        return -np.linalg.solve(jac[:, self.dependent], jac[:, self.independent])

    def split(self) -> None:
        """Independent and dependent rows among the open ones."""
        index = np.flatnonzero(self.open)
        jac = self.assembler.evaluate()[1]
        picked = pivots(jac[:, index], np.zeros(len(jac)), np.ones(len(index))) if len(jac) else []
        self.active = np.array([i for i, _ in picked], int)
        self.dependent = np.array([index[j] for _, j in picked], int)
        self.independent = np.array([i for i in index if i not in set(self.dependent.tolist())], int)
        self.mask = np.zeros(len(self.open), bool)
        self.mask[self.dependent] = True

    def step(self, change: np.ndarray) -> None:
        rows = np.zeros(len(self.open), bool)
        rows[self.independent] = True
        self.assembler.move(rows, change)
        if len(self.dependent):
            self.assembler.solve(self.mask)

    def stiffness(self) -> np.ndarray:
        """-dF/dz by central differences."""
        n = len(self.independent)
        K = np.zeros((n, n))
        for k in range(n):
            unit = np.zeros(n)
            unit[k] = PROBE
            self.step(unit)
            ahead = self.reduced()[0]
            self.step(-2 * unit)
            behind = self.reduced()[0]
            self.step(unit)
            K[:, k] = (behind - ahead) / (2 * PROBE)
        return 0.5 * (K + K.T)

    def solve(self) -> StaticReport:
        report = StaticReport()
        self.split()
        if len(self.independent):
            self._stand(report)
        _, r = self.reduced()
        if len(self.dependent):
            # loops hand on to held rows what they take from the dependent ones
            jac = self.assembler.enabled_jacobian()[self.active]
            r = r - jac.T @ np.linalg.solve(jac[:, self.dependent].T, r[self.dependent])
        names = self.mechanism.coordinate_names()
        report.supports = self._supports()
        report.held = {names[i]: float(-r[i]) for i in np.flatnonzero(self.held) if names[i]}
        return report

    def _supports(self) -> dict[str, list[float]]:
        """What carries the bodies: supports along their frame_a, bushings and contacts in the world."""
        supports: dict[str, list[float]] = {}
        for out, placed in zip(self.data.element_out, self.mechanism.elements, strict=True):
            name, kind = placed.part.name, placed.part.kind
            if name and kind in ("support", "bushing"):
                supports[f"{placed.block}.force_{name}"] = out[f.FORCE_IN_A : f.FORCE_IN_A + 3].tolist()
            elif kind in ("bushing", "contact"):
                supports[f"{placed.block}.force"] = out[f.FORCE_ON_B : f.FORCE_ON_B + 3].tolist()
        for out, (joint, spring) in zip(self.data.spring_out, self.mechanism.springs, strict=True):
            if joint.part.kind == "base":
                supports.setdefault(f"{joint.block}.force_{spring.name}", [0.0, 0.0, 0.0])
                supports[f"{joint.block}.force_{spring.name}"][spring.element] = float(out[f.SPRING_FORCE])
        return supports

    def _stand(self, report: StaticReport) -> None:
        """Rest; what tips over the edge of its supports is told as that, wherever the search has led."""
        standing = self.standing
        if not standing:
            self._descend_with_ropes(report)
            return
        self.forces()
        before = [each.outside(self.model, self.data) for each in standing]
        try:
            self._descend_with_ropes(report)
        except CompileError as error:
            self.forces()
            after = [each.outside(self.model, self.data) for each in standing]
            outside = [a if a[0] > 0.0 else b for a, b in zip(before, after, strict=True)]
            tipped = self._tipped(standing, outside, [off > 0.0 for off, _ in outside])
            raise (CompileError(tipped) if tipped else error) from None
        shaky = [self._shaky(each, report) for each in standing]
        tipped = self._tipped(standing, before, shaky)
        if tipped:
            raise CompileError(tipped)

    def _tipped(
        self, standing: list[Footing], outside: list[tuple[float, str]], sure: list[bool]
    ) -> Problem | None:
        """The first body that tips."""
        told = (
            footing.problem(self.data, off, certain)
            for footing, off, certain in zip(standing, outside, sure, strict=True)
        )
        return next(filter(None, told), None)

    def _shaky(self, footing: Footing, report: StaticReport) -> bool:
        """Whether the least push tips a body: it stands on too few of its supports."""
        own = any(name.startswith(f"{footing.block}.") for name in report.unstable)
        return own and footing.carrying(self.data) < len(footing.elements)

    def _descend_with_ropes(self, report: StaticReport) -> None:
        """Rest with ropes that are slack where they are slack; where nothing else holds, they catch what falls."""
        self.forces()
        self.ropes.changed(self.data)
        try:
            self._descend(report)
        except CompileError:
            if not self.ropes.slack:
                raise
            self.ropes.slack.clear()
            self._descend(report)
        for _ in range(ROUNDS):
            if not self.ropes.changed(self.data):
                return
            self._descend(report)

    def _descend(self, report: StaticReport) -> None:
        nudged = False
        iteration, ringing, least = 0, 0, np.inf
        while True:
            F, r = self.reduced()
            scale = max(
                abs(r).max(initial=0.0),
                abs(self.data.row[:, f.REACTION : f.REACTION + 6]).max(initial=0.0),
                abs(self.data.element_out[:, f.FORCE_ON_B : f.FORCE_ON_B + 3]).max(initial=0.0),
                1e-12,
            )
            K = self.stiffness()
            values, vectors = np.linalg.eigh(K)
            largest = max(abs(values).max(), 1e-12)
            report.iterations, report.residual = iteration, float(abs(F).max())
            done = report.residual <= BALANCED * scale
            along = vectors.T @ F
            soft = abs(values) <= SOFT * largest
            if done and values[0] < -SOFT * largest and not nudged:
                # balanced on a hilltop: let it fall to one side
                nudged = True
                names = self._names()
                report.left = [names[int(np.argmax(abs(vectors[:, 0])))]]
                self.step(1e-3 * vectors[:, 0])
            else:
                change = vectors @ np.where(soft, 0.0, along / np.where(soft, 1.0, abs(values)))
                largest_step = abs(change).max()
                if done or largest_step < 1e-14:
                    break
                self.step(change * min(1.0, LONGEST_STEP / largest_step))
                # short steps that come no nearer go round in a ring, where forces bend: a foot lifts, or slips
                ringing = ringing + 1 if largest_step < LONGEST_STEP and report.residual > 0.5 * least else 0
            iteration, least = iteration + 1, min(least, report.residual)
            if iteration == ITERATIONS or ringing == PATIENCE or self._lies():
                break
        self._judge(report, values, vectors, along, soft, scale)

    def _lies(self) -> bool:
        """Whether a body on supports that only push has fallen so far that it will not come up again."""
        return any(each.lean(self.data)[0] > FALLEN for each in self.standing)

    def _names(self) -> list[str]:
        """Of the independent coordinates; turns of free bodies by their rates, for they have no coordinates."""
        names = zip(self.mechanism.coordinate_names(), self.mechanism.rate_names(), strict=True)
        known = [name or rate for name, rate in names]
        return [known[i] for i in self.independent]

    def _judge(self, report: StaticReport, values, vectors, along, soft, scale: float) -> None:
        names = self._names()
        slides = [row.coordinate is not None and row.coordinate.prismatic for row in self.mechanism.rows]
        units = {name: "N" if slides[i] else "N*m" for i, name in zip(self.independent, names, strict=True)}

        def where(vector: np.ndarray) -> str:
            return names[int(np.argmax(abs(vector)))]

        loose = [
            (where(vectors[:, k]), along[k]) for k in np.flatnonzero(soft) if abs(along[k]) > 1e-6 * scale
        ]
        if loose:
            text = ", ".join(f"{name} ({force:.4g} {units[name]})" for name, force in loose)
            fix = (
                "hold it (`initial: {solve: static, hold: [...]}`), or give it a spring, a support or a drive"
            )
            raise CompileError(Problem(f"nothing holds {text}", loose[0][0], fix))
        if report.residual > 1e-6 * scale:
            message = (
                f"no equilibrium found: {report.residual:.3g} N or N m is left at {where(vectors @ along)}"
            )
            raise CompileError(
                Problem(message, "initial", "start from other positions (`guess`), or hold more joints")
            )
        report.neutral = list(dict.fromkeys(where(vectors[:, k]) for k in np.flatnonzero(soft)))
        falling = np.flatnonzero(values < -SOFT * abs(values).max())
        report.unstable = list(dict.fromkeys(where(vectors[:, k]) for k in falling))
