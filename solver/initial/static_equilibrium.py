"""Static equilibrium: balance of gravity, springs, supports and ropes, with chosen joints held."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ...blocks import CompileError
from ...blocks.errors import Problem
from ...blocks.light_dataclass import mutable
from ..kernels import model_data as f
from ..mechanism.mass_matrix import mass_matrix
from ..mechanism.support_polygon import LEAN, SupportPolygon
from .coordinate_partition import pivots
from .sliding_feet import find_sliding
from .static_forces import PROBE, StaticForces
from .static_loads import may_begin, stop_ahead
from .static_report import NoEquilibrium, StaticReport, Way, lost_rest, not_held, soil_problem, support_forces
from .support_errors import support_errors
from .tangent_stiffness import ROUNDING, Tangent

ITERATIONS = 200
BALANCED = 1e-10  # residual over the sum of all forces along a coordinate at which the search ends
BALANCED_ENOUGH = 1e-6  # the same up to which it is an equilibrium, where rounding allows no less
LONGEST_STEP, SHORTEST = 0.2, 1e-14  # [rad or m]
FORECAST = 0.5  # accepted error of the linear forecast of forces after a step, over those before it
TURNS = 10  # steps along a direction without stiffness: what has turned by 1 rad, or slid 1 m, is not held
# the same where a support, stop or rope may still catch it: what slides to a stop goes twice as far with each TURNS, in
# steps of at most FARTHEST, 511 m in all; what may be beyond that is not known
FALLS, FARTHEST = 100, 12.8
FIRST_LOAD, LEAST_LOAD = 1.0 / 64.0, 1.0 / 1024.0  # first and least load increment of the continuation
ROUNDS = 8  # most changes of slack and taut ropes
FALLEN = 2.0 * LEAN
FAR_PROBE = 1e-3  # [rad or m] step of the test for neutral directions


@mutable
class Trust:
    """Longest step of the search: `radius` [rad] of turns, `reach` times as many metres of slides."""

    radius: float = LONGEST_STEP
    reach: float = 1.0  # above 1 only while forecasts are exact, as along a rope that hangs straight


class Statics(StaticForces):
    """Newton's method on the forces along coordinates that are neither held nor driven, downhill in potential
    energy.
    """

    def solve(self) -> StaticReport:
        """Find the equilibrium; NoEquilibrium or CompileError if there is none."""
        report = StaticReport()
        self.split()
        if len(self.independent):
            self._find_rest(report)
        report.support_errors = support_errors(self, report.errors)
        _, r = self.reduced()
        noise = ROUNDING * self.efforts.sizes(self.data)
        if len(self.dependent):
            # loops transmit the forces of dependent rows to held ones
            jac = self.assembler.enabled_jacobian()[self.active]
            carried = np.linalg.solve(jac[:, self.dependent], jac).T
            r = r - carried @ r[self.dependent]
            noise = noise + abs(carried) @ noise[self.dependent]
        names = self.mechanism.coordinate_names()
        report.supports = support_forces(self.mechanism, self.data)
        held = [i for i in np.flatnonzero(self.held) if names[i]]
        report.held = {names[i]: float(-r[i]) for i in held}
        report.held_errors = {names[i]: float(noise[i]) for i in held}
        return report

    def _find_rest(self, report: StaticReport) -> None:
        """Find rest; a body that tips over an edge of its supports gets that verdict.

        It tips if the centre of pressure leaves the polygon, or if the damped motion falls over the edge and the
        equilibrium is also lost as loads grow. It slides if its feet cannot hold what feet of unlimited grip would
        carry, unless something else catches it.
        """
        d, standing = self.data, self.standing
        start = d.q.copy(), d.quat.copy()
        self.forces()
        before = [each.outside(self.model, d) for each in standing]
        self._start_without_lift()
        sliding = find_sliding(self, self._descend_with_ropes)
        if sliding is not None and not sliding.may_be_caught:
            raise NoEquilibrium(sliding.problem, "slides")
        try:
            self._descend_with_ropes(report)
        except NoEquilibrium as error:
            # where other joints may move, the resultant at the start proves nothing
            alone = {self.mechanism.rows[i].joint for i in self.independent}
            joints = self.mechanism.joints
            outside = [
                off > 0.0 and all(joints[k] is each.joint for k in alone)
                for each, (off, _) in zip(standing, before, strict=True)
            ]
            if not any(outside) and error.verdict != "loose":
                fallen = d.q.copy(), d.quat.copy()
                if self._follow_loads(report, start):
                    report.sliding = sliding.problem if sliding else None
                    return
                d.q[:], d.quat[:] = fallen
            if sliding is not None:
                raise NoEquilibrium(sliding.problem, "slides") from None
            self.forces()
            tipped = self._tipping_problem(standing, before, outside)
            sunk = None if any(outside) else soil_problem(self.mechanism, self.model, d)
            problem, verdict = sunk or tipped, "tips" if tipped else error.verdict
            raise (
                NoEquilibrium(problem, verdict) if problem else lost_rest(error, report.followed)
            ) from None
        tipped = self._tipping_problem(standing, before, [self._is_shaky(each, report) for each in standing])
        if tipped:
            raise NoEquilibrium(tipped, "tips")
        report.sliding = sliding.problem if sliding else None

    def _start_without_lift(self) -> None:
        """Begin where supports that also pull would rest: without push they have no stiffness, and hold nothing
        sideways.
        """
        d = self.data
        start = d.q.copy(), d.quat.copy()
        if not np.isin(self.model.element[:, f.E_KIND], (f.SUPPORT, f.RAIL)).any():
            return
        try:
            with self._both_ways():
                self._descend_with_ropes(StaticReport())
            rests = not self._is_leaning()
        except CompileError:
            rests = False
        if not rests:
            d.q[:], d.quat[:] = start
        self.forces()

    @contextmanager
    def _both_ways(self) -> Iterator[None]:
        """Context: supports and rails are springs that push, pull and do not slide."""
        m = self.model
        one_sided = m.element[:, f.E_KIND] == f.SUPPORT
        grip = m.element_value[one_sided][:, f.S_GRIP :]
        rails = m.element[:, f.E_KIND] == f.RAIL
        m.element_value[rails, f.W_PULLS] = 1.0
        m.element[one_sided, f.E_KIND] = f.BUSHING
        m.element_value[one_sided, f.S_GRIP :] = 0.0
        try:
            yield
        finally:
            m.element_value[rails, f.W_PULLS] = 0.0
            m.element[one_sided, f.E_KIND] = f.SUPPORT
            m.element_value[one_sided, f.S_GRIP :] = grip

    def _follow_loads(self, report: StaticReport, start: tuple[np.ndarray, np.ndarray]) -> bool:
        """Continuation in the load: equilibria from a small share of gravity and applied forces up to all; True if
        it arrives.
        """
        d = self.data
        d.q[:], d.quat[:] = start
        done, stride, worth = 0.0, FIRST_LOAD, (d.q.copy(), d.quat.copy())
        while done < 1.0 and stride > LEAST_LOAD:
            share = min(1.0, done + stride)
            found = StaticReport()
            with self._scaled_loads(share, share):
                try:
                    if done == 0.0:
                        self._start_without_lift()
                    self._descend_with_ropes(found)
                    found_it = not self._is_leaning() and not found.unstable
                except CompileError:
                    found_it = False
            if found_it:
                done, stride, worth = share, 2.0 * stride, (d.q.copy(), d.quat.copy())
                report.__dict__.update(vars(found))
            else:
                d.q[:], d.quat[:] = worth
                stride /= 4.0
        self.forces()
        report.followed = done
        return done == 1.0

    @contextmanager
    def _scaled_loads(self, weight: float, share: float) -> Iterator[None]:
        """Context: these shares of gravity and of applied forces."""
        gravity, inputs = self.model.gravity.copy(), self.data.inputs.copy()
        self.share = share
        self.model.gravity[:] *= weight
        kinds = self.model.element[:, f.E_KIND]
        for e in np.flatnonzero((kinds >= f.FORCE_WORLD) & (kinds <= f.TORQUE_B)):
            first = int(self.model.element[e, f.E_INPUT])
            self.data.inputs[first : first + 3] *= share
        try:
            yield
        finally:
            self.share, self.model.gravity[:], self.data.inputs[:] = 1.0, gravity, inputs

    def _is_leaning(self) -> bool:
        """True if a body on supports leans beyond LEAN."""
        return any(each.lean_angle(self.data)[0] > LEAN for each in self.standing)

    def _tipping_problem(
        self, standing: list[SupportPolygon], outside: list[tuple[float, str]], sure: list[bool]
    ) -> Problem | None:
        """Problem of the first body that tips, or None."""
        told = (
            footing.problem(self.data, off, certain)
            for footing, off, certain in zip(standing, outside, sure, strict=True)
        )
        return next(filter(None, told), None)

    def _is_shaky(self, footing: SupportPolygon, report: StaticReport) -> bool:
        """True if the least push tips a body: it stands on too few of its supports."""
        own = any(name.startswith(f"{footing.block}.") for name in report.unstable)
        return own and footing.carrying_count(self.data) < len(footing.elements)

    def _descend_with_ropes(self, report: StaticReport) -> None:
        """Find rest with slack and taut ropes made consistent; where nothing else holds, slack ropes catch."""
        self.forces()
        self.ropes.changed(self.data)
        try:
            self._damped_newton(report)
        except CompileError:
            if not self.ropes.slack:
                raise
            self.ropes.slack.clear()
            self._damped_newton(report)
        for _ in range(ROUNDS):
            if not self.ropes.changed(self.data):
                return
            self._damped_newton(report)

    def _damped_newton(self, report: StaticReport) -> None:
        """Newton's method, damped to a motion M dz/ds = F where its forecast fails.

        Pseudo-transient continuation (Kelley and Keyes 1998): a step whose linear forecast misses is repeated shorter.
        """
        nudged, trust, fallen = False, Trust(), 0
        F, r = self.reduced()
        iteration = 0
        while True:
            view = self.tangent(F, r)
            report.iterations, report.residual = iteration, float(abs(F).max())
            done = bool(np.all(abs(F) <= BALANCED * view.size))
            if done and view.falling.shape[1] and not nudged:
                # unstable balance: perturb it to one side
                nudged = True
                way = view.falling[:, 0]
                report.left = [self._names()[int(np.argmax(abs(way * np.diag(view.L))))]]
                self.step(1e-3 * way / abs(way).max())
                F, r = self.reduced()
            elif done:
                break
            elif self._follow_loose_directions(view, F, fallen):
                fallen += 1
                F, r = self.reduced()
            else:
                taken = self._forecast_step(view, F, trust)
                if taken is None:
                    break
                F, r = taken
            iteration += 1
            if iteration == ITERATIONS or self._has_fallen():
                break
        self._classify_directions(report, view, F)

    def _forecast_step(
        self, view: Tangent, F: np.ndarray, trust: Trust
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Take the longest step whose forecast holds; returns new forces, None if no step holds."""
        d = self.data
        kept = d.q.copy(), d.quat.copy()
        floor = 2.0 * view.fastest
        least = abs(view.values[~view.undecided]).min(initial=np.inf)
        shift = floor
        size = np.maximum(view.size, view.noise)
        size = np.where(size > 0.0, size, 1.0)
        loose = view.L @ (view.L.T @ view.vectors[:, view.undecided])
        free = view.vectors[:, view.undecided]
        F = F - loose @ (free.T @ F)
        wrong = float((abs(F) / size).max())
        slides = self.efforts.slides[self.independent]
        while True:
            change = view.change(F, shift)
            longest = (abs(change) / np.where(slides, trust.reach, 1.0)).max(initial=0.0)
            if not abs(change).max(initial=0.0) > SHORTEST:
                return None
            if longest > trust.radius:
                shift = max(4.0 * shift, 1e-3 * least, 1e-12)
                continue
            self.step(change)
            ahead, r = self.reduced()
            missed = ahead - loose @ (free.T @ ahead) - shift * (view.L @ (view.L.T @ change))
            if np.all(abs(missed) <= FORECAST * wrong * size + 4.0 * view.noise):
                trust.radius = min(LONGEST_STEP, 4.0 * max(trust.radius, longest))
                if not np.all(abs(missed) <= 4.0 * view.noise + view.errors * abs(change).sum()):
                    trust.reach = 1.0  # else the forecast is exact, but for rounding
                elif 4.0 * longest > LONGEST_STEP:
                    trust.reach *= 4.0
                return ahead, r
            d.q[:], d.quat[:] = kept
            trust.radius, trust.reach = min(trust.radius, longest) / 4.0, 1.0

    def _follow_loose_directions(self, view: Tangent, F: np.ndarray, fallen: int) -> bool:
        """Move along directions without stiffness; True if a force acts along them.

        Stiffness may appear on the way, as for a pendulum held out level. What slides to an end stop goes the farther
        the more often it has `fallen`.
        """
        free = view.vectors[:, view.undecided]
        along = free.T @ F
        sure = abs(along) > abs(free).T @ (1e-6 * view.size + view.noise)
        if not sure.any() or fallen >= (FALLS if may_begin(self.model, self.data) else TURNS):
            return False
        way = free @ np.where(sure, along, 0.0)
        stride = 0.5 * LONGEST_STEP
        if all(
            stop_ahead(self.model, self.data, int(self.independent[i]), way[i]) for i in np.flatnonzero(way)
        ):
            stride = min(stride * 2.0 ** (fallen // TURNS), FARTHEST)
        self.step(way * (stride / abs(way).max()))
        return True

    def _has_fallen(self) -> bool:
        """True if a body on push-only supports has fallen beyond return."""
        return any(each.lean_angle(self.data)[0] > FALLEN for each in self.standing)

    def _names(self) -> list[str]:
        """Names of the independent coordinates; of free bodies' rotations the rates."""
        names = zip(self.mechanism.coordinate_names(), self.mechanism.rate_names(), strict=True)
        known = [name or rate for name, rate in names]
        return [known[i] for i in self.independent]

    def _classify_directions(self, report: StaticReport, view: Tangent, F: np.ndarray) -> None:
        """Write stable, unstable, neutral and unknown directions to the report; errors where there is no
        equilibrium.
        """
        names = self._names()
        slides = self.efforts.slides[self.independent]
        free = view.vectors[:, view.undecided]
        along = free.T @ F
        enough = BALANCED_ENOUGH * view.size + view.noise
        loose = {self._dominant(view, free[:, k]) for k in np.flatnonzero(abs(along) > abs(free).T @ enough)}
        # a direction that moves without end may soften its support: by itself it has no stiffness
        alone = abs(np.diag(view.K)) <= 2.0 * view.noise / PROBE
        loose |= set(np.flatnonzero(alone & (abs(F) > enough)).tolist())
        if loose:
            found = sorted(loose)
            text = ", ".join(f"{names[i]} ({F[i]:.4g} {'N' if slides[i] else 'N*m'})" for i in found)
            stops = any(stop_ahead(self.model, self.data, int(self.independent[i]), F[i]) for i in found)
            raise not_held(text, names[found[0]], stops)
        left = abs(F) - (BALANCED_ENOUGH * view.size + 4.0 * view.noise)
        if not np.all(left <= 0.0):
            i = int(np.argmax(abs(F) / np.maximum(view.size, 1e-300)))
            message = (
                f"no equilibrium found: {abs(F[i]):.3g} {'N' if slides[i] else 'N*m'} is left at {names[i]}"
            )
            fix = "start from other positions (`guess`), or hold more joints"
            raise NoEquilibrium(Problem(message, "initial", fix), verdict="unknown")
        self._doubt_slopes(view)
        free = view.vectors[:, view.undecided]
        report.unstable = self._direction_words(view, view.falling)
        still, unknown = [], []
        for k in range(free.shape[1]):
            (still if self._is_neutral(view, free[:, k]) else unknown).append(k)
        report.neutral = self._direction_words(view, free[:, still])
        report.undecided = self._direction_words(view, np.hstack((free[:, unknown], view.fluttering)))
        report.errors = np.zeros(len(self.open))
        report.errors[self.independent] = view.error(F)
        report.errors[self.dependent] = abs(self.coupling()) @ report.errors[self.independent]
        report.slowest = self._softest_motion(view, {*report.neutral, *report.undecided})

    def _softest_motion(self, view: Tangent, loose: set[str]) -> Way | None:
        """Slowest motion (least stiffness over mass) whose stiffness has a certain sign; None if none has."""
        firm = np.flatnonzero(~view.undecided)
        if not len(firm):
            return None
        k = int(firm[0])
        vector = view.vectors[:, k]
        rows = np.zeros(len(self.open))
        rows[self.independent], rows[self.dependent] = vector, self.coupling() @ vector
        names = self._names()
        counted = self.open.copy()
        counted[[i for i, name in zip(self.independent, names, strict=True) if name in loose]] = False
        rate = abs(float(view.values[k])) ** 0.5
        inertia = np.diag(mass_matrix(self.model, self.data)).copy()
        return Way(names[self._dominant(view, vector)], rate, rows / abs(rows).max(), inertia, counted)

    def _dominant(self, view: Tangent, vector: np.ndarray) -> int:
        """Coordinate with the largest share of kinetic energy in a motion."""
        return int(np.argmax(abs(vector) * np.linalg.norm(view.L, axis=1)))

    def _direction_words(self, view: Tangent, ways: np.ndarray) -> list[str]:
        """Names of as many coordinates as there are directions, those with the largest shares."""
        names = self._names()
        parts = np.linalg.norm(view.L, axis=1)[:, None] * ways
        picked = pivots(parts.T, np.zeros(parts.shape[1]), np.ones(parts.shape[0])) if parts.size else []
        return list(dict.fromkeys(names[j] for _, j in sorted(picked)))

    def _doubt_slopes(self, view: Tangent) -> None:
        """Set the bound to inf of eigenvalues whose slope changes by its own size with the step: a cubic spring at
        zero.
        """
        for k in np.flatnonzero(~view.undecided):
            way = view.vectors[:, k] / abs(view.vectors[:, k]).max()
            near, far = (self._directional_stiffness(way, h) for h in (PROBE, 2.0 * PROBE))
            if not abs(far - near) < abs(near):
                view.bounds[k] = np.inf

    def _directional_stiffness(self, way: np.ndarray, h: float) -> float:
        """Stiffness along a direction by a central difference over h."""
        kept = self.data.q.copy(), self.data.quat.copy()
        forces = []
        for sign in (1.0, -1.0):
            self.step(sign * h * way)
            forces.append(way @ self.reduced()[0])
            self.data.q[:], self.data.quat[:] = kept
        self.reduced()
        return float(forces[1] - forces[0]) / (2.0 * h)

    def _is_neutral(self, view: Tangent, way: np.ndarray) -> bool:
        """True if a direction is neutral: no force after a finite step to either side."""
        kept = self.data.q.copy(), self.data.quat.copy()
        way = way / abs(way).max() * FAR_PROBE
        still = True
        for sign in (1.0, -1.0):
            self.step(sign * way)
            F, _ = self.reduced()
            still = still and bool(abs(way @ F) <= abs(way) @ (BALANCED * view.size + 4.0 * view.noise))
            self.data.q[:], self.data.quat[:] = kept
            self.reduced()
        return still
