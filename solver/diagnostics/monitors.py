"""Monitors of a run: signals that are not finite, friction, masses, balance, causes of failure."""

from __future__ import annotations

import math

import numpy as np

from ...blocks.errors import Problem
from ..flatten.planar_motion import SQUARE
from ..integrators.method_table import method_of
from ..integrators.run_data import TRIED
from ..kernels import model_data as f
from ..mechanism.friction_advice import jam_message, stiff_bristle_message, stiff_bristles
from ..program.ball_joints import lock_fix
from ..program.recorded_columns import HELD_SHARE
from ..results.recorded_run import Quality
from ..simulation.constraint_state import condition_numbers, massless_fix, massless_motions, massless_words
from ..simulation.external_blocks import partner_problem
from ..simulation.inputs_outputs import io_signals
from ..simulation.stepping import Stepping
from ..simulation.turning_points import TurningPoints
from .energy_balance import BodyBalance, worst_balance
from .held_by_friction import held_by_friction
from .step_error import StepErrorEstimate
from .switching_report import failure_causes, pairs_that_never_met

HELD = (
    SQUARE  # share told: axes count as in the plane up to it; sums over thousands of bodies round below 1e-12
)


class Monitors(Stepping):
    """Part of a session that checks what was computed."""

    columns: list[str]
    notes: list[str]  # notes of the run
    trust: StepErrorEstimate
    worst_violation: float
    _rows: list[tuple[np.ndarray, np.ndarray]]
    turning: TurningPoints | None  # filter of watched signals, if any
    _stiff: set[int]  # rows whose bristles were noted
    _odd: set[int]  # columns that were noted as not finite
    _held: float  # largest share of the loads that the plane of motion holds
    _balance: BodyBalance

    def _record_rows(self, times: np.ndarray, table: np.ndarray) -> None:
        """Record rows; note the first time at which a signal is not finite."""
        self._rows.append((times, table) if self.turning is None else self.turning.take(times, table))
        if HELD_SHARE in self.columns:
            self._held = max(self._held, float(table[:, self.columns.index(HELD_SHARE)].max(initial=0.0)))
        if np.isfinite(table).all():
            return
        # a signal that no state depends on does not stop the run: note it once
        for k in np.flatnonzero(~np.isfinite(table).all(axis=0)).tolist():
            if k not in self._odd:
                self._odd.add(k)
                t = times[np.argmin(np.isfinite(table[:, k]))]
                self.notes.append(f"{self.columns[k]} is not a finite number at t = {t:g} s")

    def _watch_constraints(self) -> None:
        if self.instance.program.closed:
            self.worst_violation = float(self.instance.scalars[:, f.VIOLATION].max())

    def _watch_balance(self) -> None:
        """Check the Newton-Euler equations at the present state: at start and end of a run."""
        run = self.instance
        if not len(run.model.topo):
            return
        run.rates(self.time, self.x)
        run.kernel("reactions")
        if np.all(np.isfinite(run.data.row)):
            self._balance = max(worst_balance(run), self._balance, key=lambda each: each.residual)

    @property
    def _mechanical(self) -> bool:
        """True if the model has a mechanism."""
        return len(self.instance.model.topo) > 0

    def _partner_problem(self) -> Problem:
        """Problem of an exception in an external block; KeyboardInterrupt is raised again."""
        if isinstance(self.instance.fault[0], KeyboardInterrupt):
            raise self.instance.fault[0]
        return self.sim.program.flat.located(partner_problem(self.instance.fault[0]))

    def _name_failure(self, name: str, what: str) -> None:
        if self.instance.scalars[:, f.LOOP_OPEN].any():
            self.message = f"a loop cannot be closed after t = {self.time:g} s"
            end = "the mechanism has reached the end of its range: check the motion, or take a smaller step"
            fix = self._left_free() or end
            self.problem = Problem(f"{self.message}; results up to there are kept", self._open_loop(), fix)
            return
        jammed = self._jammed_joint()
        if jammed is not None:
            self.message, self.problem = jammed.message, jammed
            return
        odd = self._non_finite_input()
        if odd:
            self.message = f"{odd} is not finite at t = {self.time:g} s"
            self.problem = Problem(
                f"this input is not finite at t = {self.time:g} s", odd, "give a finite number"
            )
            return
        cause = next(failure_causes(self.instance), None)
        if cause is not None:
            self.message, self.problem = f"{cause.path}: {cause.message}", cause
            return
        self.message = f"{what or name} is not finite after t = {self.time:g} s"
        told = f"this is the largest state, and {what}" if what else "this state"
        self.problem = Problem(
            f"{told} is not finite after t = {self.time:g} s; results up to there are kept",
            name,
            self._failure_fix(name),
        )

    def _non_finite_input(self) -> str:
        """First input that is not finite, as `inputs.u`, or empty."""
        values = self.inputs
        names = io_signals(self.instance.program).inputs
        return next(
            (f"inputs.{name}" for name, x in zip(names, values, strict=True) if not np.isfinite(x)), ""
        )

    def _jammed_joint(self) -> Problem | None:
        """Problem of a joint whose load and friction have no balance, or None."""
        run = self.instance
        if len(run.model.topo) == 0:
            return None
        told = (jam_message(one.mechanism, model, data, self.time) for one, model, data in run.each)
        return next((problem for problem in told if problem is not None), None)

    def _watch_masses(self) -> None:
        """Note coordinates whose combined motion moves no mass, such as joints in line."""
        self._weightless = massless_motions(self.instance)
        if self._weightless:
            name, *others = self._weightless
            against = f"{name} can move against {', '.join(others) or 'itself'}"
            self.notes.append(f"{against} {massless_fix(self.instance, self._weightless)}")

    def _watch_plane(self) -> list[str]:
        """Note if the plane of motion holds more than rounding: in space the model would leave it."""
        if not self._held > HELD:
            return []
        what = f"world: its plane holds up to {self._held:.3g} of the largest loads of the model"
        return [f"{what}; without it the model would leave the plane (world.held_force, world.held_torque)"]

    def _watch_parts(self) -> list[str]:
        """Note if steps were divided so often that they cost more than twice as much."""
        tried = self.instance.real[TRIED] / max(self.done, 1)
        if not tried > 2.0:
            return []
        what = f"each step of {in_milliseconds(self.step_size)} was split into {tried:.3g} parts on average"
        why = "where a valve opens, friction turns round or its slopes do not hold to its end"
        shorter = in_milliseconds(self.step_size / whole_parts(tried))
        return [f"{what}, {why}: try a step of {shorter}, which costs about the same and is more exact"]

    def _idle_motion(self) -> str:
        """Massless motions in words, or empty."""
        return massless_words(self.instance, self._weightless)

    def _watch_friction(self) -> None:
        """Note, once a joint, bristles too stiff for the step."""
        program, data = self.instance.program, self.instance.data
        for row, longest in stiff_bristles(self.instance.model, data.v, self.step_size, self.method).items():
            if row not in self._stiff:
                self._stiff.add(row)
                speed = data.v[row]
                words = stiff_bristle_message(
                    program.mechanism, row, speed, longest, self.step_size, self.method
                )
                if words not in program.notes:
                    self.notes.append(words)

    def _open_loop(self) -> str:
        """Block of the constraint with the largest residual."""
        program = self.instance.program
        phi = np.nan_to_num(abs(self.instance.data.con[:, f.PHI]), nan=np.inf)
        return f"{program.constraints.blocks[int(np.argmax(phi))]}"

    def _failure_fix(self, name: str) -> str:
        """Fix to suggest for a run that failed at the state `name`."""
        if self._weightless:
            return self._idle_motion()
        locked = lock_fix(self.instance.program.mechanism, [name])
        if locked:
            return locked
        if self._left_free():
            return self._left_free()
        if method_of(self.method).explicit:
            return f"try a step below {self.step_size:g} s, or method: implicit"
        return "check the model for divisions by zero and unbounded efforts"

    def _left_free(self) -> str:
        """Fix that names the coordinates which servo constraints leave free; empty without any."""
        report = self.instance.program.report
        free = ", ".join(report.internal if report else ())
        words = "if its own motion is unstable, no step helps: constrain another point"
        return f"the drives leave {free} to itself; {words}" if free else ""

    def quality(self) -> Quality:
        """Quality of the run so far: energy balance, constraint violation, step error.

        Returns
        -------
        Quality
            A dictionary; models of signals alone have the step error only. `never_met` lists pairs of shapes that
            no step found touching, `held_by_friction` bodies that do not slip, with the share that friction carries.
        """
        found = self._balances()
        apart = pairs_that_never_met(self.instance) if self.done else []
        if apart:
            found["never_met"] = apart
        held = held_by_friction(self.instance, self.time, self.x)
        if held:
            found["held_by_friction"] = held
        missing = found.get("energy", {}).get("relative_residual", 0.0)
        return {**found, **self.trust.figures(self, missing)}

    def _balances(self) -> Quality:
        """Energy, constraint and body balances of the run."""
        if not len(self.instance.model.topo):
            return {}
        end = self.instance.energy(self.time, self.x)
        start = self.energy_start
        # plain floats: a diverged run may be off by infinity without a warning
        drives, lost, friction, constraints = self.x[len(self.instance.program.x0) :].tolist()
        change = sum(end.values()) - sum(start.values())
        residual = change - (drives + constraints - lost - friction)
        work = drives, lost, friction, constraints
        terms = sum(map(abs, (*end.values(), *start.values(), *work)))
        # sums over bodies and steps are rounded: residuals within that rounding are no imbalance
        rounding = float(np.finfo(float).eps) * (len(self.instance.model.topo) + self.done) * terms
        scale = self.trust.energy_scale([[*start.values(), 0.0, 0.0, 0.0, 0.0], [*end.values(), *work]])
        share = 0.0 if abs(residual) <= rounding else abs(residual) / scale if scale > 0.0 else np.inf
        report: Quality = {
            "energy": {
                "start": start,
                "end": end,
                "drives": float(drives),
                "dissipated": float(lost),
                "friction": float(friction),
                "constraints": float(constraints),
                "residual": float(residual),
                "relative_residual": float(share),
            }
        }
        self._watch_balance()
        report["newton_euler_residual"] = self._balance.residual
        report["newton_euler_body"] = self._balance.body
        report["condition"] = condition_numbers(self.instance)
        if self.instance.program.closed:
            self._watch_constraints()
            report["constraint_violation"] = self.worst_violation
            report["coupling"] = max(
                float(abs(data.coupling[f.NOW]).max(initial=0.0)) for _, data in self.instance.mechanisms
            )
        return report


def whole_parts(tried: float) -> int:
    """Product of twos and fives next to it: a step over it has few digits, and divides what the step divides."""
    powers = range(math.ceil(math.log2(max(tried, 2.0))) + 1)
    return min((2**a * 5**b for a in powers for b in powers), key=lambda n: abs(math.log(n / tried)))


def in_milliseconds(step: float) -> str:
    """Step with its unit, in milliseconds if it is shorter than a second."""
    return f"{1e3 * step:g} ms" if step < 1.0 else f"{step:g} s"
